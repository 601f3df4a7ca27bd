"""What came of what a session was told: used, ignored or contradicted."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast.core.event import Cursor, JournalRecord
from holdfast.records.judge_use import InjectedMemory, SessionUse, denies_name, from_line, judge_use, to_line

WORKSPACE = "/home/dev/proj"
START = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
TEXTUAL = {"type": "decision", "tokens": 20, "for": ["textual"], "not": ["curses"], "err": [], "at": []}
POOL = {
    "type": "failure", "tokens": 30, "for": ["queuepool"], "not": [], "err": ["timeouterror", "queuepool"],
    "at": ["src/db/**"],
}  # fmt: skip


class Session:
    """A session, event by event."""

    def __init__(self) -> None:
        self.records: list[JournalRecord] = []

    def tell(self, name: str, /, client: str = "claude-code", session: str = "s1", **data: Any) -> "Session":
        at = len(self.records) + 1
        self.records.append(
            JournalRecord(
                id=f"{at:026d}",
                kind="event",
                version=1,
                ts=(START + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                data={"client": client, "session": session, "name": name, "key": "", "data": data},
                after=Cursor(segment=1, offset=at * 100),
            )
        )
        return self

    def inject(self, name: str = "injected", **more: Any) -> "Session":
        about = more.pop("about", {"DEC-1": TEXTUAL})
        return self.tell(name, "holdfast", ids=list(about), tokens=50, about=about, **more)

    def edit(self, path: str, new: str, old: str = "") -> "Session":
        given = {"file_path": f"{WORKSPACE}/{path}", "old_string": old, "new_string": new}
        return self.tell("after_tool", tool="Edit", input=given, output={})

    def bash(self, command: str, error: str = "") -> "Session":
        result = {"error": error} if error else {"output": {"stdout": "ok"}}
        return self.tell("tool_failed" if error else "after_tool", tool="Bash", input={"command": command}, **result)

    def judged(self) -> SessionUse:
        found = judge_use("s1", self.records, WORKSPACE)
        assert found is not None
        return found

    def one(self) -> InjectedMemory:
        [told] = self.judged().memories
        return told


def test_a_session_that_was_told_nothing_is_not_judged() -> None:
    assert judge_use("s1", Session().tell("prompt", prompt="hi").records, WORKSPACE) is None


def test_a_cited_id_is_a_use() -> None:
    told = Session().inject().tell("answer", answer="As DEC-1 says, I kept the panel.").one()

    assert (told.verdict, told.why) == ("used", "cited")


def test_a_name_that_comes_up_only_after_the_telling_is_a_use() -> None:
    told = Session().tell("prompt", prompt="add a panel").inject().edit("src/a.py", "from textual.app import App").one()

    assert told.verdict == "used"
    assert "textual" in told.why


@pytest.mark.parametrize("before", ["prompt", "answer", "output"])
def test_a_name_that_stood_there_before_is_no_use(before: str) -> None:
    session = Session()
    if before == "output":
        session.tell("after_tool", tool="Read", input={"file_path": "x"}, output={"content": "import textual"})
    else:
        session.tell(before, **{before: "we have Textual already"})

    assert session.inject().tell("answer", answer="I used Textual.").one().verdict == "ignored"


def test_what_an_edit_replaces_is_no_use() -> None:
    assert Session().inject().edit("src/a.py", "import rich", old="import textual").one().verdict == "ignored"


def test_a_name_inside_another_word_is_no_use() -> None:
    assert Session().inject().tell("answer", answer="It is contextual.").one().verdict == "ignored"


@pytest.mark.parametrize(
    ("command", "new", "path"),
    [
        ("pip install curses", "", ""),
        ("cd app && uv add 'curses>=2'", "", ""),
        ("npm i --save curses@1.2", "", ""),
        ("", "import os\nfrom curses import wrapper\n", "src/a.py"),
        ("", "const c = require('curses');", "src/a.js"),
        ("", 'dependencies = ["curses>=2"]', "pyproject.toml"),
    ],
)
def test_a_rejected_option_that_comes_in_contradicts(command: str, new: str, path: str) -> None:
    session = Session().inject().tell("answer", answer="I use Textual.")

    told = (session.bash(command) if command else session.edit(path, new)).one()

    assert told.verdict == "contradicted"
    assert "curses" in told.why


def test_a_rejected_option_that_is_only_spoken_of_contradicts_nothing() -> None:
    session = Session().inject().tell("answer", answer="I did not take curses.").bash("grep -r curses src")

    assert session.edit("docs/notes.md", "curses has no layout engine").one().verdict == "ignored"


def test_a_manifest_that_named_it_before_contradicts_nothing() -> None:
    told = Session().inject().edit("package.json", '"curses": "2"', old='"curses": "1"').one()

    assert told.verdict == "ignored"


def test_a_user_who_says_no_contradicts_and_it_counts_as_a_correction() -> None:
    used = Session().inject().tell("prompt", prompt="No, we don't use Textual here any more.").judged()

    assert (used.memories[0].verdict, used.corrections) == ("contradicted", 1)


@pytest.mark.parametrize(
    ("prompt", "name", "denied"),
    [
        ("we don't use Textual", "textual", True),
        ("stop using Textual please", "textual", True),
        ("nicht Textual nehmen", "textual", True),
        ("不要用Textual", "textual", True),
        ("不要Textual", "textual", True),
        ("No, use Textual", "textual", False),
        ("use Textual instead of curses", "textual", False),
        ("use Textual instead of curses", "curses", True),
        ("not curses but Textual", "textual", False),
        ("why does it not start? Textual is installed", "textual", False),
    ],
)
def test_a_denial_stands_close_before_the_name(prompt: str, name: str, denied: bool) -> None:
    assert denies_name(prompt, name) is denied


def test_an_error_that_comes_back_is_a_repeat() -> None:
    session = Session().inject(about={"FAIL-1": POOL}).edit("src/db/pool.py", "x = 1")

    told = session.bash("pytest -q", "TimeoutError: QueuePool limit of size 5").one()

    assert (told.verdict, told.repeated, told.avoided) == ("contradicted", True, False)


def test_a_failure_whose_files_changed_and_that_did_not_come_back_is_avoided() -> None:
    told = Session().inject(about={"FAIL-1": POOL}).edit("src/db/pool.py", "x = 1").bash("pytest -q").one()

    assert (told.avoided, told.repeated) == (True, False)


@pytest.mark.parametrize(("error", "avoided"), [("", True), ("AssertionError: other", False)])
def test_a_failure_without_words_of_its_error_is_avoided_only_where_nothing_failed(error: str, avoided: bool) -> None:
    session = Session().inject(about={"FAIL-1": POOL | {"err": []}}).edit("src/db/pool.py", "x = 1").bash("pytest -q")

    assert (session.bash("pytest -q", error) if error else session).one().avoided is avoided


def test_a_failure_that_was_never_in_play_is_not_avoided() -> None:
    told = Session().inject(about={"FAIL-1": POOL}).edit("docs/readme.md", "x").bash("pytest -q").one()

    assert not told.avoided


def test_tokens_tellings_checks_and_prompts_are_counted() -> None:
    session = Session().tell("prompt", prompt="go").inject().inject().bash("pytest", "AssertionError").bash("pytest")

    used = session.judged()

    assert (used.tokens, used.memories[0].told, used.memories[0].tokens) == (100, 2, 40)
    assert (used.prompts, used.checks, used.failed) == (1, 2, 1)


@pytest.mark.parametrize(
    ("tellings", "arm"),
    [
        ([("injected", None)], ""),
        ([("injected", 0.2)], "told"),
        ([("withheld", 0.2)], "held"),
        ([("injected", 0.2), ("withheld", 0.3)], "mixed"),
    ],
)
def test_the_arm_of_a_hold_out_is_known(tellings: Sequence[tuple[str, float | None]], arm: str) -> None:
    session = Session()
    for name, share in tellings:
        session.inject(name, **({"holdout": share} if share else {}))

    assert session.judged().arm == arm


def test_of_what_was_withheld_nothing_is_judged_or_paid() -> None:
    used = Session().inject("withheld", holdout=0.2).tell("answer", answer="Textual it is, as DEC-1").judged()

    assert (used.memories, used.tokens) == ((), 0)


def test_another_session_does_not_count_and_a_subagent_s_does() -> None:
    session = Session().inject().tell("answer", session="s2", answer="Textual, DEC-1")
    assert session.one().verdict == "ignored"

    session.tell("answer", session="s1-child", answer="Textual, DEC-1", extra={"parent": "s1"})
    assert session.one().verdict == "used"


def test_tellings_from_before_cues_were_kept_are_known_by_id_alone() -> None:
    session = Session().tell("injected", "holdfast", ids=["DEC-1"], tokens=9).tell("answer", answer="per [DEC-1]")

    assert session.one().verdict == "used"


@pytest.mark.parametrize("about", [[], {"DEC-1": 7}, {"DEC-1": {"for": "x", "not": [3], "tokens": "a"}}, None])
def test_a_broken_telling_stops_nothing(about: Any) -> None:
    session = Session().tell("injected", "holdfast", ids=["DEC-1", 4], tokens="x", about=about)

    assert [told.id for told in session.judged().memories] == ["DEC-1"]


def test_a_manifest_that_cannot_be_read_is_told_once() -> None:
    session = Session().inject()
    for _ in range(2):
        given = {"file_path": f"{WORKSPACE}/package.json", "content": '{"dependencies": {"curses"'}
        session.tell("after_tool", tool="Write", input=given, output={})

    used = session.judged()

    assert used.unread == ("package.json",)
    assert from_line(to_line(used)) == used
    assert from_line({key: held for key, held in to_line(used).items() if key != "unread"}).unread == ()


def test_a_line_reads_back_as_it_was_written() -> None:
    used = Session().inject().tell("answer", answer="DEC-1").judged()

    assert from_line(to_line(used)) == used
    with pytest.raises((KeyError, TypeError)):
        from_line({"session": 3})
