"""`holdfast log --system`: what altered the memory system itself, who did it, and when."""

import json
import shutil
from pathlib import Path

from tests.journeys.conftest import Ran, Run


def words(done: Ran) -> list[tuple[str, str, str, str | None, str | None]]:
    keys = ("who", "kind", "what", "from", "to")
    return [tuple(each[key] for key in keys) for each in done.json["changes"]]


def test_what_is_set_up_is_noted_with_what_it_was_before(holdfast: Run, home: Path) -> None:
    assert holdfast("config", "search.limit", "20").status == 0
    assert holdfast("config", "search.limit", "30").status == 0
    assert holdfast("config", "--unset", "search.limit").status == 0

    found = words(holdfast("log", "--system", "--json"))

    assert found[0][:3] == ("user", "init", "workspace")
    assert found[1:] == [
        ("user", "setting", "search.limit", "default", "20"),
        ("user", "setting", "search.limit", "20", "30"),
        ("user", "setting", "search.limit", "30", "default"),
    ]
    assert "setting search.limit: 20 → 30" in holdfast("log", "--system").out


def test_edits_by_hand_are_noticed_once(holdfast: Run, folder: Path, home: Path) -> None:
    holdfast("log", "--system")
    (home / "config.toml").write_text("[journal]\nkeep_days = 90\n")
    (folder / ".holdfast/config.toml").write_text("[search]\nlimit = 5\n")
    (home / "guard.toml").write_text("version = 1\n")

    first, again = holdfast("log", "--system", "--json"), holdfast("log", "--system", "--json")

    assert [each[:3] for each in words(first)[1:]] == [
        ("by hand", "setting", "journal.keep_days"),
        ("by hand", "rule", "guard.toml"),
        ("by hand", "setting", "search.limit"),
    ]
    assert [each["scope"] for each in first.json["changes"]] == ["workspace", "user", "user", "workspace"]
    assert words(again) == words(first)


def test_clients_blocks_yeses_the_driver_and_a_new_index_are_noted(holdfast: Run, folder: Path, git: object) -> None:
    (folder / "AGENTS.md").write_text("# Agents\n")
    holdfast("remember", "learning", "The tests need Docker")
    assert holdfast("init", "--yes", "--client", "claude-code").status == 0
    assert holdfast("render").status == 0
    git("init", "-q")  # type: ignore[operator]  # the fixture is a function
    assert holdfast("init", "--merge-driver").status == 0
    (folder / ".holdfast/memory/x.md").write_text("---\nid: DEC-1\ntype: decision\ntitle: X\n---\n")
    git("add", "-A")  # type: ignore[operator]  # the fixture is a function
    git("commit", "-qm", "theirs")  # type: ignore[operator]  # the fixture is a function
    assert holdfast("allow").status == 0
    (folder / ".holdfast/index.db").write_bytes(b"no database" * 1000)
    holdfast("list")
    assert holdfast("uninstall", "--yes").status == 0

    kinds = [each[1] for each in words(holdfast("log", "--system", "--json"))]

    assert kinds[0] == "init"
    assert set(kinds) >= {"client", "render", "git", "allow", "migration"}
    assert kinds[-1] == "client"


def test_the_files_are_what_the_format_says(holdfast: Run, folder: Path) -> None:
    place = folder / ".holdfast/changes"
    [day] = place.glob("2*/[0-9][0-9]/*.jsonl")

    rows = [json.loads(line) for line in day.read_text().splitlines()]

    assert list(rows[0]) == ["ts", "who", "kind", "what", "from", "to"]
    assert day.stem == rows[0]["ts"][:10]
    assert json.loads((place / "index.json").read_text())["days"] == {day.stem: len(rows)}
    assert f"- {rows[0]['ts']} user: init workspace" in (place / "CHANGELOG.md").read_text()
    assert (place.stat().st_mode & 0o777, day.stat().st_mode & 0o777) == (0o700, 0o600)


def test_no_secret_is_noted(holdfast: Run, folder: Path, home: Path) -> None:
    secret = "ghp_" + "a8F3kL9mQ2xR7vT1wY5zB6nC4dE0gH2jK8sP"
    (home / "config.toml").write_text(f'model_url = "https://{secret}@example.invalid/v1"\n')

    holdfast("log", "--system")
    (home / "config.toml").write_text("")
    told = holdfast("log", "--system")

    assert "model_url" in told.out
    kept = b"".join(
        path.read_bytes() for root in (folder, home) for path in root.rglob("changes/**/*") if path.is_file()
    )
    assert secret.encode() not in kept


def test_since_kind_and_number_narrow_and_what_is_broken_is_said(holdfast: Run, folder: Path) -> None:
    for limit in ("11", "12", "13"):
        holdfast("config", "search.limit", limit)
    [day] = (folder / ".holdfast/changes").glob("2*/*/*.jsonl")
    day.write_bytes(b"no json\n\xff\n" + day.read_bytes() + b"[]")

    found = holdfast("log", "--system", "-n", "2")

    assert found.out.count("search.limit") == 2
    assert "… 2 changes before these" in found.out
    assert found.err.count("cannot be read and is left out") == 3
    assert [each[1] for each in words(holdfast("log", "--system", "--kind", "init", "--json"))] == ["init"]
    assert words(holdfast("log", "--system", "--since", "2999-01-01", "--json")) == []
    assert holdfast("log", "--system", "--since", "soon").status == 2


def test_where_it_cannot_be_written_the_change_is_done_all_the_same(holdfast: Run, home: Path) -> None:
    shutil.rmtree(home / "changes", ignore_errors=True)
    (home / "changes").write_text("in the way")

    done = holdfast("config", "search.limit", "20")

    assert done.status == 0
    assert "search.limit = 20" in done.out
    assert "not noted" in done.err or "cannot be written" in done.err


def test_outside_a_workspace_the_users_own_changes_are_shown(bare: Run) -> None:
    bare("config", "search.limit", "20")

    assert "everywhere  setting search.limit: default → 20" in bare("log", "--system").out
