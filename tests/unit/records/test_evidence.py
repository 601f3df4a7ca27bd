"""Evidence in its conversation."""

from pathlib import Path

import pytest
from tests.unit.tui.workspace import SAID, SESSION, candidate, talk, workspace

from holdfast.core.event import Event
from holdfast.core.memory import Entry, Evidence, Scope
from holdfast.core.value import replace
from holdfast.records.evidence_context import QuotedEvidence, find_evidence_context
from holdfast.trust.allow import find_registration
from holdfast.workspace import App


@pytest.fixture
def app(tmp_path: Path) -> App:
    return workspace(tmp_path)


def entry(*events: str, quote: str = "words") -> Entry:
    evidence = tuple(Evidence(event=event, quote=quote) for event in events)
    memory = candidate("ONE000", "One", evidence=evidence)
    return Entry(memory=memory, scope=Scope.WORKSPACE, path="candidates/CAND-ONE000.md", line=1, sha256="0")


def said(quoted: QuotedEvidence) -> list[str]:
    return [turn.text for turn in quoted.turns]


def test_the_turn_stands_among_those_around_it(app: App) -> None:
    turns = talk(app, *SAID)

    found = find_evidence_context(app, entry(turns[2]))[0]

    assert said(found) == [words for _, words in SAID[:5]]
    assert (found.at, found.session, found.client, found.missing) == (turns[2], SESSION, "claude-code", "")


def test_a_conversation_ends_where_it_ends(app: App) -> None:
    turns = talk(app, *SAID)

    first, last = find_evidence_context(app, entry(turns[0], turns[-1]), around=1)

    assert said(first) == [words for _, words in SAID[:2]]
    assert said(last) == [words for _, words in SAID[-2:]]


def test_other_sessions_and_subagents_are_left_out(app: App) -> None:
    turns = talk(app, *SAID)
    talk(app, ("prompt", "another session"), session="other")
    app.journal.append([
        Event(
            client="claude-code", name="subagent_stop", session=SESSION, ts="2026-11-15T09:24:30Z",
            data={"agent": "a1", "answer": "a subagent's words"},
        )
    ])  # fmt: skip

    found = find_evidence_context(app, entry(turns[2]))[0]

    assert said(found) == [words for _, words in SAID[:5]]


def test_steps_of_tools_are_told_where_the_evidence_is_one(app: App) -> None:
    talk(app, ("prompt", "run the tests"))
    step = {"tool": "Bash", "call": "c1", "input": {"command": "pytest"}, "output": "1 failed"}
    other = {"tool": "Bash", "call": "c2", "input": {"command": "ls"}, "output": "a b"}
    events = [
        Event(client="claude-code", name="after_tool", session=SESSION, ts="2026-11-15T09:30:00Z", data=step),
        Event(client="claude-code", name="after_tool", session=SESSION, ts="2026-11-15T09:31:00Z", data=other),
        Event(client="claude-code", name="answer", session=SESSION, ts="2026-11-15T09:32:00Z", data={"answer": "hm"}),
    ]
    failed, _, answer = (receipt.id for receipt in app.journal.append(events))

    by_tool, by_word = find_evidence_context(app, entry(failed, answer))

    assert [turn.tool or turn.text for turn in by_tool.turns] == ["run the tests", "Bash", "Bash", "hm"]
    assert [turn.text for turn in by_word.turns] == ["run the tests", "hm"]


def test_what_cannot_be_shown_says_why(app: App) -> None:
    told = app.journal.append([Event(client="holdfast", name="memory.added", data={"text": "x"})])[0].id

    gone, foreign, own = find_evidence_context(app, entry("01KA3ZK8J3T5WXYZ0123456789", "notes.md#L3", told))

    assert gone.missing == "its event is not in this journal"
    assert foreign.missing == "it names no event of the journal"
    assert own.missing == "its event belongs to no session"
    assert [each.turns for each in (gone, foreign, own)] == [(), (), ()]


def test_a_deleted_event_is_not_shown(app: App) -> None:
    turns = talk(app, *SAID)
    app.journal.delete([turns[2]], "asked for")
    app.refresh()

    found = find_evidence_context(app, entry(turns[2]))[0]

    assert found.missing == "its event is not in this journal"


def test_an_agent_is_not_told_what_the_user_has_not_allowed(app: App) -> None:
    turns = talk(app, *SAID)
    known = find_registration(app)
    assert known
    app.registry.put(replace(known, allowed_at=""))
    app.client = "Claude Code"

    found = find_evidence_context(app, entry(turns[2]))[0]

    assert "held back" in found.missing
    assert found.turns == ()
