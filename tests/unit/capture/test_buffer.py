"""The working buffer."""

from holdfast.phrases.triggers import find_triggers
from holdfast.records.working_buffer import Note, Session, binding, noted, recovered, spoken, to_keep, unconfirmed

DECISION = "Let's go with Postgres instead of Redis."


def _note(quote: str, kind: str = "decision", at: str = "2026-11-15T09:00:00Z") -> Note:
    return Note(kind=kind, quote=quote, event="e", at=at)


def test_a_summary_is_not_the_users_word() -> None:
    session = Session(id="s")

    assert noted(session, f"<summary>x</summary>\n{DECISION}", "e", "now", find_triggers) == session
    assert noted(session, DECISION, "e", "now", find_triggers).notes[0].quote == DECISION


def test_the_same_words_in_two_sessions_bind_once() -> None:
    one = Session(id="a", notes=(_note("Use tabs."), _note("It is 3", "value")))
    two = Session(id="b", notes=(_note("use tabs", at="2026-11-16T09:00:00Z"),))

    [note] = binding([one, two])

    assert note.at.startswith("2026-11-16")
    assert "unconfirmed" in unconfirmed([note])[0]


def test_of_too_many_lines_to_keep_the_last_are_kept() -> None:
    session = Session(id="s", goal="Ship", notes=tuple(_note(f"Use tool number {n}.") for n in range(60)))

    kept = to_keep(session, 600)

    assert len(kept) <= 600
    assert kept.startswith("Keep these lines word for word")
    assert "number 59" in kept
    assert len(recovered(session)) == 61
    assert to_keep(Session(id="s"), 600) == ""


def test_words_are_compared_by_what_they_say() -> None:
    assert spoken("“Let’s  go!”") == spoken("let's go")
