"""Settings of a project and of the command line, as a person types them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_a_project_sets_what_can_do_no_harm_for_everybody_who_works_there(holdfast: Run, folder: Path) -> None:
    done = holdfast("config", "--project", "search.limit", "20")
    refused = holdfast("config", "--project", "run.trust", "full")
    wrong = holdfast("config", "--project", "search.limit", "many")
    without = holdfast("config", "--project", "search.limit")
    shown = holdfast("config", "search.limit", "--json").json["settings"]["search.limit"]
    text = (folder / ".holdfast" / "config.toml").read_text()
    back = holdfast("config", "--project", "--unset", "search.limit", "--json").json["settings"]["search.limit"]

    assert done.status == 0, done.err
    assert text == "[search]\nlimit = 20\n"
    assert (shown["value"], shown["from"]) == (20, str(folder / ".holdfast" / "config.toml"))
    assert (refused.status, wrong.status, without.status) == (2, 2, 2)
    assert "must not change what Holdfast may do on your machine" in refused.err
    assert "holdfast config run.trust VALUE" in refused.err
    assert back["from"] == "default"


def test_outside_a_workspace_there_is_no_projects_file(bare: Run, folder: Path) -> None:
    refused = bare("config", "--project", "search.limit", "20")

    assert refused.status == 3
    assert "no Holdfast workspace" in refused.err
    assert not (folder / ".holdfast").exists()


def test_a_link_in_its_place_is_not_followed(holdfast: Run, folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim.toml"
    victim.write_text("[search]\nlimit = 3\n")
    (folder / ".holdfast" / "config.toml").symlink_to(victim)
    refused = holdfast("config", "--project", "search.limit", "20")

    assert refused.status == 2
    assert victim.read_text() == "[search]\nlimit = 3\n"


def test_what_was_changed_is_told(holdfast: Run) -> None:
    holdfast("config", "--project", "search.limit", "20")
    holdfast("config", "--project", "search.limit", "30")
    told = json.dumps(holdfast("log", "--system", "--json").json)

    assert "search.limit" in told
    assert "30" in told
