"""Finding one's way: help screens, groups, wrong words, common options anywhere, and no workspace."""

from pathlib import Path

import pytest
from tests.journeys.conftest import Run

from holdfast.cli.table import COMMANDS, EVERY_DAY, GROUPS, calls


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)])
def test_alone_it_shows_the_commands_of_every_day_and_the_names_of_all(bare: Run, words: tuple[str, ...]) -> None:
    shown = bare(*words)

    assert (shown.status, shown.err) == (0, "")
    assert all(f"\n  {name:<8}" in shown.out for name in (*EVERY_DAY, *GROUPS))
    assert all(name in shown.out.split() for name in COMMANDS)
    assert "holdfast help all" in shown.out
    assert len(shown.out.splitlines()) < 40


def test_help_shows_a_group_a_command_a_form_and_all(bare: Run) -> None:
    group, whole, one = bare("help", "find"), bare("help", "all"), bare("help", "show")

    assert group.out.startswith("find: search and look\n")
    assert "show --history" in group.out
    assert "remember" not in group.out
    assert all(f"\n  {call.partition(' ')[0]}" in whole.out for call in calls())
    assert one.out == bare("show", "--help").out
    assert bare("help", "show", "--history").out == bare("show", "--history", "--help").out
    assert bare("help", "report", "cost").out == bare("report", "cost", "--help").out


def test_help_and_version_are_for_programs_too(bare: Run) -> None:
    every = bare("help", "--json").json
    one = bare("help", "doctor", "--verify", "--json").json
    version = bare("version", "--json").json

    assert [each["group"] for each in every["groups"]] == list(GROUPS)
    assert one["command"] == "doctor --verify"
    assert bare("--version").out == bare("version").out == f"holdfast {version['version']}\n"
    assert bare("--version", "--json").json == bare("--json", "--version").json == version


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (("delete", "DEC-1"), "holdfast forget DEC-1"),
        (("rebuild",), "holdfast doctor --rebuild"),
        (("candidates",), "holdfast list --candidates"),
        (("help", "verify"), "holdfast doctor --verify"),
        (("report", "costs"), "holdfast report cost"),
        (("-C", ".", "serach", "x"), "holdfast search x"),
    ],
)
def test_a_wrong_word_is_answered_with_the_command_to_type(bare: Run, words: tuple[str, ...], typed: str) -> None:
    done = bare(*words)

    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines()[1:] == [f"hint: did you mean `{typed}`?"]
    assert bare(*words, "--json").json["error"]["family"] == "bad_request"


def test_common_options_stand_before_the_command_or_behind_it(holdfast: Run, folder: Path, tmp_path: Path) -> None:
    for text in ("Queues are bounded", "Queues are small"):
        assert holdfast("remember", "learning", text).status == 0

    behind = holdfast("search", "queues", "-C", str(folder), "--json", "--set", "search.limit=1", at=tmp_path)
    before = holdfast("-C", str(folder), "--json", "--set", "search.limit=1", "search", "queues", at=tmp_path)
    parted = holdfast("-C", str(folder), "report", "--json", "cost", at=tmp_path)

    assert behind.json["hits"] == before.json["hits"]
    assert len(before.json["hits"]) == 1
    assert parted.json["total"]["requests"] == 0
    assert holdfast("-C").status == holdfast("--bogus", "search").status == 2


def test_outside_a_workspace_your_own_memory_is_named_and_json_stays_whole(bare: Run) -> None:
    listed, found, as_json = bare("list"), bare("search", "x"), bare("list", "--json")

    for done in (listed, found, as_json):
        assert done.err.startswith("note: No workspace here: this is your own memory")
        assert "`holdfast init`" in done.err
        assert len(done.err.splitlines()) == 1
    assert as_json.json == {"memories": []}
    assert bare("list", "--scope", "user").err == ""
    assert bare("status").err == bare("config", "search.limit").err == ""


@pytest.mark.parametrize(
    "words",
    [("remember", "learning", "x"), ("log",), ("report", "ratings"), ("sync",), ("team", "status"), ("distil",)],
)
def test_what_needs_a_workspace_says_so(bare: Run, words: tuple[str, ...]) -> None:
    done = bare(*words)

    assert done.status == 3
    assert done.err.startswith("error: There is no Holdfast workspace in ")
    assert "hint: run `holdfast init`" in done.err


def test_completion_knows_groups_verbs_and_forms(holdfast: Run) -> None:
    def completed(*words: str) -> list[str]:
        return holdfast("--complete", *words).out.split()

    assert {"search", "report", "version"} <= set(completed(""))
    assert {"find", "all", "show"} <= set(completed("help", ""))
    assert completed("help", "show", "--h") == ["--history"]
    assert completed("report", "co") == ["cost"]
    assert completed("team", "") == sorted(["init", "join", "leave", "status", "promote", "sync", "name", "database"])
    assert {"pull", "push"} == set(completed("sync", "database", ""))
    assert "--verify" in completed("doctor", "--")
    assert "--drifted" in completed("show", "--cites", "--")
    assert {"model", "lens", "search.limit"} <= set(completed("config", ""))
    assert completed("-C", ".", "rep") == ["report"]
