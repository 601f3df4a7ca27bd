"""Code that memories cite, and memories as they were: through the command, with real repositories."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.hooking import Client

Run = Any
Git = Callable[..., str]

CODE = """import os

def one(a):
    return a + 1

def two(a, b):
    total = a + b
    print(total)
    return total

def three(x):
    return x * 3
"""


@pytest.fixture
def code(folder: Path) -> Path:
    (folder / "src").mkdir()
    path = folder / "src/a.py"
    path.write_text(CODE)
    return path


@pytest.fixture
def cited(holdfast: Run, code: Path) -> str:
    """A decision that cites four lines."""
    done = holdfast("remember", "decision", "Totals are summed in two", "--cite", "src/a.py:6-9", "--json")
    assert done.status == 0, done.err
    return str(done.json["id"])


def state(holdfast: Run, *words: str) -> list[tuple[str, str]]:
    found = holdfast("show", "--cites", *words, "--json").json["cites"]
    return [(each["state"], f"{each['now']['path']}:{each['now']['lines']}" if "now" in each else "") for each in found]


def commit(git: Git, day: str, subject: str = "a change") -> None:
    git("add", "-A")
    when = f"{day}T12:00:00Z"
    os.environ["GIT_COMMITTER_DATE"] = os.environ["GIT_AUTHOR_DATE"] = when
    try:
        git("commit", "-q", "-m", subject)
    finally:
        del os.environ["GIT_COMMITTER_DATE"], os.environ["GIT_AUTHOR_DATE"]


def test_code_that_stands_is_no_finding(holdfast: Run, cited: str) -> None:
    done = holdfast("show", "--cites")

    assert done.status == 0
    assert "src/a.py:6-9  intact" in done.out
    assert "stale" not in holdfast("show", cited).out


def test_moved_code_is_followed_and_written_down_and_undone(holdfast: Run, code: Path, cited: str) -> None:
    code.write_text("# one\n# two\n" + CODE)

    before = holdfast("show", "--cites")
    mended = holdfast("show", "--cites", "--fix")

    assert before.status == 1
    assert "src/a.py:6-9  moved to src/a.py:8-11" in before.out
    assert mended.status == 0
    assert "src/a.py:6-9 → src/a.py:8-11" in mended.out
    assert state(holdfast) == [("intact", "")]
    assert holdfast("undo").status == 0
    assert state(holdfast) == [("moved", "src/a.py:8-11")]


def test_moved_code_is_not_stale_where_it_is_told(holdfast: Run, code: Path, cited: str) -> None:
    code.write_text("# one\n" + CODE)

    assert holdfast("search", "totals summed", "--json").json["hits"][0]["stale"] == ""
    assert "changed since" not in holdfast("pack", "how are totals summed").out


def test_changed_code_is_marked_everywhere_and_taken_when_a_person_looked(
    holdfast: Run, code: Path, cited: str
) -> None:
    code.write_text("# one\n" + CODE.replace("print(total)", "log(total)"))

    assert state(holdfast) == [("changed", "src/a.py:7-10")]
    assert "code changed since" in holdfast("search", "totals summed").out
    assert holdfast("search", "totals summed", "--json").json["hits"][0]["stale"] == "code changed since"
    assert "(code changed since)" in holdfast("pack", "how are totals summed").out
    shown = holdfast("show", cited)
    assert "cites: src/a.py:6-9  changed, now src/a.py:7-10 (3 of 4 lines left)" in shown.out
    form = holdfast("show", cited, "--json").json["memories"][0]["cites"][0]
    assert (form["state"], form["now"], form["kept"]) == (
        "changed", {"path": "src/a.py", "lines": "7-10"}, {"lines": 3, "of": 4},
    )  # fmt: skip
    assert form["marks"]

    assert holdfast("show", "--cites", "--fix").status == 1, "only a person who looked says that it still holds"
    assert holdfast("show", "--cites", cited, "--accept").status == 0
    assert state(holdfast) == [("intact", "")]


def test_an_agent_is_told_that_the_code_changed_since(holdfast: Run, folder: Path, code: Path, cited: str) -> None:
    code.write_text("# moved\n" + CODE)
    moved = Client(folder, "first").says("How are totals summed?")
    code.write_text(CODE.replace("print(total)", "log(total)"))
    changed = Client(folder, "second").says("How are totals summed?")

    assert f"- Totals are summed in two [{cited}]" in moved
    assert f"- Totals are summed in two (code changed since) [{cited}]" in changed


def test_deleted_code_marks_the_memory_until_the_citation_is_taken_out(holdfast: Run, code: Path, cited: str) -> None:
    code.unlink()

    assert state(holdfast) == [("gone", "")]
    assert "cited code is gone" in holdfast("search", "totals summed").out
    assert "(cited code is gone)" in holdfast("pack", "how are totals summed").out
    refused = holdfast("show", "--cites", cited, "--accept")
    assert (refused.status, "cites no code that changed" in refused.err) == (2, True)
    assert holdfast("show", "--cites", cited, "--drop").status == 0
    assert holdfast("show", cited, "--json").json["memories"][0].get("cites") is None


def test_code_is_followed_into_another_file_with_and_without_git(
    holdfast: Run, git: Git, folder: Path, code: Path, cited: str
) -> None:
    (folder / "lib").mkdir()
    code.rename(folder / "lib/sums.py")
    plain = state(holdfast)
    git("init", "-q")
    known = state(holdfast)

    assert plain == known == [("moved", "lib/sums.py:6-9")]
    assert holdfast("search", "totals summed", "--json").json["hits"][0]["stale"] == "", "it was followed before"
    assert holdfast("show", "--cites", "--fix").status == 0
    assert state(holdfast) == [("intact", "")]


def test_a_file_that_git_renamed_is_followed_although_most_of_it_changed(
    holdfast: Run, git: Git, folder: Path, code: Path, cited: str
) -> None:
    git("init", "-q")
    commit(git, "2026-01-01")
    git("mv", "src/a.py", "src/sums.py")
    commit(git, "2026-02-01")
    changed = CODE.replace("def two(a, b):", "def both(a, b, c):").replace("return total", "return total + c")
    (folder / "src/sums.py").write_text(changed)

    assert state(holdfast) == [("changed", "src/sums.py:6-9")]


def test_an_agent_may_look_and_not_mend(holdfast: Run, code: Path, cited: str) -> None:
    code.write_text("# one\n" + CODE)
    agent = {"CLAUDECODE": "1"}

    assert holdfast("show", "--cites", env=agent).status == 1
    for words in (("--fix",), (cited, "--accept"), (cited, "--drop")):
        done = holdfast("show", "--cites", *words, env=agent)
        assert (done.status, "is for a person" in done.err) == (2, True)
    assert state(holdfast) == [("moved", "src/a.py:7-10")]


def test_a_citation_by_hand_is_looked_at_as_far_as_it_goes(holdfast: Run, folder: Path, code: Path) -> None:
    file = folder / ".holdfast/memory/by-hand.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    cites = "[{path: src/a.py}, {path: ../x}, {path: none.py}, {path: src/a.py, lines: 9-3, sha256: 00}]"
    file.write_text(f"---\nid: DEC-001\ntype: decision\ntitle: By hand\ncites: {cites}\n---\n")

    assert [each for each, _ in state(holdfast)] == ["unreadable", "unreadable", "gone", "unreadable"]
    assert holdfast("show", "--cites", "DEC-001", "--accept").status == 1
    assert [each for each, _ in state(holdfast)] == ["intact", "unreadable", "gone", "unreadable"]


@pytest.mark.parametrize("place", ["none.py", "src/a.py:0", "src/a.py:9-3", "src/a.py:1-999", "../x", "/etc/passwd"])
def test_what_cannot_be_cited_is_refused(holdfast: Run, code: Path, place: str) -> None:
    done = holdfast("remember", "decision", "Words", "--cite", place)

    assert (done.status, "cites" in done.err) == (2, True)


def test_ids_are_needed_for_what_a_person_looked_at(holdfast: Run) -> None:
    assert holdfast("show", "--cites", "--accept").status == 2
    assert holdfast("show", "--cites", "--drop").status == 2
    assert holdfast("show", "--cites", "--fix", "--drop").status == 2
    assert holdfast("show", "--cites", "DEC-NOPE00").status == 3
    assert holdfast("show", "--cites").out.strip() == "No memory cites code."


@pytest.fixture
def told(holdfast: Run, git: Git, folder: Path) -> str:
    """A decision of January that was changed in March and is changed again, uncommitted."""
    git("init", "-q")
    file = folder / ".holdfast/memory/decisions/DEC-000001-first.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "---\nid: DEC-000001\ntype: decision\ntitle: {}\nchoice: {}\nvalid_from: 2026-01-01\n---\n\n{}\n"
    file.write_text(head.format("Cache in Redis", "Redis", "Fast."))
    commit(git, "2026-01-10", "cache")
    file.write_text(head.format("Cache in Postgres", "Postgres", "One thing less to run."))
    commit(git, "2026-03-10", "no redis")
    file.write_text(head.format("Cache in Postgres", "Postgres", "One thing less to run. And simple."))
    return "DEC-000001"


def test_history_tells_when_it_was_believed(holdfast: Run, told: str) -> None:
    done = holdfast("show", "--history", told)
    form = holdfast("show", "--history", told, "--json").json["histories"][0]

    assert done.status == 0
    assert "believed from 2026-01-01 until now" in done.out
    assert "choice: Redis → Postgres" in done.out
    assert "changed (not committed)" in done.out
    assert [(each["what"], each["committed"][:10], each["subject"]) for each in form["versions"]] == [
        ("changed", "", "not committed"), ("changed", "2026-03-10", "no redis"), ("added", "2026-01-10", "cache"),
    ]  # fmt: skip
    assert {"field": "choice", "before": "Redis", "after": "Postgres"} in form["versions"][1]["fields"]
    assert form["believed"] == {"from": "2026-01-01", "until": "", "now": True, "why": "", "superseded_by": ""}


def test_history_tells_by_what_it_was_replaced(holdfast: Run, told: str) -> None:
    new = holdfast("remember", "decision", "No cache at all", "--supersedes", told, "--json").json["id"]

    done = holdfast("show", "--history", told)
    form = holdfast("show", "--history", told, "--json").json["histories"][0]["believed"]

    assert f"superseded by {new}" in done.out
    assert (form["now"], form["superseded_by"]) == (False, new)
    assert form["until"]


def test_history_has_what_was_removed(holdfast: Run, folder: Path, told: str) -> None:
    (folder / ".holdfast/memory/decisions/DEC-000001-first.md").unlink()

    done = holdfast("show", "--history", "dec-000001")

    assert done.status == 0
    assert "removed (not committed)" in done.out
    assert "Cache in Postgres" in done.out
    assert holdfast("show", "--history", "DEC-000009").status == 3


def test_show_as_of_gives_the_text_of_then(holdfast: Run, told: str) -> None:
    then = holdfast("show", told, "--as-of", "2026-02-01")
    form = holdfast("show", told, "--as-of", "2026-02-01", "--json").json["memories"][0]

    assert "Cache in Redis" in then.out
    assert "as of 2026-02-01T23:59:59+00:00: held" in then.out
    assert (form["title"], form["choice"], form["as_of"]["held"]) == ("Cache in Redis", "Redis", True)
    assert form["as_of"]["text_of"]["committed"].startswith("2026-01-10")
    assert "Cache in Postgres" in holdfast("show", told, "--as-of", "2026-03-10T12:00:00Z").out
    assert "Cache in Redis" in holdfast("show", told, "--as-of", "2026-03-10T11:59:59Z").out


@pytest.mark.parametrize(
    ("when", "held", "note"),
    [
        ("2025-06-01", "did not hold (holds from 2026-01-01 on)", "git has it since 2026-01-10"),
        ("2026-01-05", "held", "git has it since 2026-01-10"),
        ("2999-01-01", "held", ""),
    ],
)
def test_show_as_of_before_git_and_in_the_future(holdfast: Run, told: str, when: str, held: str, note: str) -> None:
    done = holdfast("show", told, "--as-of", when)

    assert done.status == 0
    assert held in done.out
    assert note in done.out
    assert "And simple." in done.out, "the text as it is now"


def test_as_of_without_git_says_so(holdfast: Run) -> None:
    made = holdfast("remember", "decision", "Words", "--valid-from", "2026-01-01", "--json").json["id"]

    done = holdfast("show", made, "--as-of", "2026-02-01")

    assert "this is the text as it is now: there is no git repository here" in done.out
    assert "there is no git repository here" in holdfast("show", "--history", made).out


@pytest.mark.parametrize("verb", [("search", "words"), ("list",), ("pack", "words"), ("show", "{id}")])
@pytest.mark.parametrize("when", ["yesterday", "2026-13-01", "", "2026-02-30", "١٢"])
def test_what_is_no_time_is_refused(holdfast: Run, verb: tuple[str, ...], when: str) -> None:
    made = holdfast("remember", "decision", "Words", "--json").json["id"]

    done = holdfast(*(word.format(id=made) for word in verb), "--as-of", when)

    assert done.status == (2 if when else 0), done.err
    assert not when or "2026-11-15" in done.err, "it says what a time looks like"


def test_as_of_is_the_same_for_search_list_and_pack(holdfast: Run) -> None:
    def keep(*words: str) -> str:
        return str(holdfast("remember", "decision", *words, "--json").json["id"])

    old = keep("Cache sessions in Redis", "--valid-from", "2026-01-01")
    new = keep("Cache sessions in Postgres", "--valid-from", "2026-03-01", "--supersedes", old)
    ended = keep("Cache sessions on disk", "--valid-from", "2026-01-01", "--valid-until", "2026-02-01")

    def held(when: str) -> list[set[str]]:
        listed = {each["id"] for each in holdfast("list", "--as-of", when, "--json").json["memories"]}
        hits = {each["id"] for each in holdfast("search", "cache sessions", "--as-of", when, "--json").json["hits"]}
        facts = holdfast("pack", "cache sessions", "--as-of", when, "--json").json["facts"]
        shown = {
            each for each in (old, new, ended)
            if holdfast("show", each, "--as-of", when, "--json").json["memories"][0]["as_of"]["held"]
        }  # fmt: skip
        return [listed, hits, {each["id"] for each in facts}, shown]

    assert held("2025-12-31") == [set()] * 4
    assert held("2026-01-15") == [{old, ended}] * 4
    assert held("2026-02-15") == [{old}] * 4
    assert held("2026-03-01T00:00:00Z") == [{new}] * 4
    assert held("2999-01-01") == [{new}] * 4


def test_the_library_answers_the_same(holdfast: Run, folder: Path, code: Path, cited: str, told: str) -> None:
    from holdfast import PersistentMemory

    code.write_text(CODE.replace("print(total)", "log(total)"))
    memory = PersistentMemory.load(folder)

    assert memory.search("totals summed")[0].stale == "code changed since"
    assert [str(each.drifts[0].state) for each in memory.cites(cited)] == ["changed"]
    assert memory.show(told, as_of="2026-02-01")[0].entry.memory.title == "Cache in Redis"
    assert [change.what for change in memory.history(told)[0].changes] == ["changed", "changed", "added"]
    assert json.dumps(str(memory.get_relevant("totals summed").facts)).count("code changed since") == 1
    assert memory.get_task_context("totals summed", as_of="2020-01-01").constraints == ()


def test_an_agent_sees_no_old_text_that_the_user_never_saw(holdfast: Run, told: str) -> None:
    agent = {"CLAUDECODE": "1"}
    assert holdfast("allow").status == 0, "the file as it is now, and no text that git had of it before"

    shown = holdfast("show", told, "--as-of", "2026-02-01", env=agent)
    history = holdfast("show", "--history", told, env=agent)

    assert "the user has not allowed the text of then" in shown.out
    assert "Redis" not in shown.out + history.out
    assert "held back (" in history.out
    assert "Cache in Postgres" in shown.out


def test_the_mcp_server_answers_the_same(holdfast: Run, folder: Path, code: Path, cited: str, told: str) -> None:
    pytest.importorskip("mcp", reason="the MCP server is an extra")
    from tests.journeys.speaking import call, text_in

    code.write_text(CODE.replace("print(total)", "log(total)"))
    assert holdfast("allow").status == 0

    def ask(tool: str, **given: Any) -> Any:
        return call(folder, "legacy", tool, **given).structured_content

    hits = ask("search", query="totals summed")["hits"]
    whole = ask("show", ids=[cited])["memories"][0]
    then = ask("show", ids=[told], as_of="2025-02-01")["memories"][0]

    assert "(code changed since)" in text_in(call(folder, "legacy", "search", query="totals summed"))
    assert hits[0]["stale"] == "code changed since"
    assert whole["cites"][0]["state"] == "changed"
    assert "marks" not in whole["cites"][0]
    assert then["as_of"]["held"] is False
