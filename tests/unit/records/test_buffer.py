"""The working buffer."""

from holdfast.phrases.triggers import find_triggers
from holdfast.records.working_buffer import (
    BufferedSession,
    BufferNote,
    find_binding_notes,
    note_prompt,
    render_for_compaction,
    render_recovery,
    render_unconfirmed,
)
from holdfast.trust.standing import normalise_words

DECISION = "Let's go with Postgres instead of Redis."


def _note(quote: str, kind: str = "decision", at: str = "2026-11-15T09:00:00Z") -> BufferNote:
    return BufferNote(kind=kind, quote=quote, event="e", at=at)


def test_a_summary_is_not_the_users_word() -> None:
    session = BufferedSession(id="s")

    assert note_prompt(session, f"<summary>x</summary>\n{DECISION}", "e", "now", find_triggers) == session
    assert note_prompt(session, DECISION, "e", "now", find_triggers).notes[0].quote == DECISION


def test_the_same_words_in_two_sessions_bind_once() -> None:
    one = BufferedSession(id="a", notes=(_note("Use tabs."), _note("It is 3", "value")))
    two = BufferedSession(id="b", notes=(_note("use tabs", at="2026-11-16T09:00:00Z"),))

    [note] = find_binding_notes([one, two])

    assert note.at.startswith("2026-11-16")
    assert "unconfirmed" in render_unconfirmed([note])[0]


def test_of_too_many_lines_to_keep_the_last_are_kept() -> None:
    session = BufferedSession(id="s", goal="Ship", notes=tuple(_note(f"Use tool number {n}.") for n in range(60)))

    kept = render_for_compaction(session, 600)

    assert len(kept) <= 600
    assert kept.startswith("Keep these lines word for word")
    assert "number 59" in kept
    assert len(render_recovery(session)) == 61
    assert render_for_compaction(BufferedSession(id="s"), 600) == ""


def test_words_are_compared_by_what_they_say() -> None:
    assert normalise_words("“Let’s  go!”") == normalise_words("let's go")
