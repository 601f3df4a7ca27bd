"""Notes of the working buffer in a person's hands: accepted, they are memory."""

from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Evidence, MemoryType, RejectedOption
from holdfast.inject.buffer_file import drop_buffer_notes, find_notes
from holdfast.inject.packs import NoSuchNote
from holdfast.phrases.triggers import find_triggers
from holdfast.records.working_buffer import BufferNote
from holdfast.review.remember import MemoryDraft, remember
from holdfast.workspace import App, need_person

KINDS = {
    "decision": MemoryType.DECISION,
    "architecture": MemoryType.DECISION,
    "correction": MemoryType.INVARIANT,
    "preference": MemoryType.INVARIANT,
}


class AmbiguousNote(BadRequest):
    """Words that more than one note holds."""

    def __init__(self, words: str, notes: list[BufferNote]) -> None:
        shown = "; ".join(f"“{note.quote}”" for note in notes[:4])
        super().__init__(f"{words!r} stands in {len(notes)} notes: {shown}.", "write more of the one you mean.")


def accept_note(app: App, words: str) -> Entry:
    """Make a note a memory, in the user's own words, and take it out of the buffer."""
    need_person(app, f"session buffer accept {words!r}")
    notes = find_notes(app, words)
    if not notes:
        raise NoSuchNote(words)
    if len(notes) > 1:
        raise AmbiguousNote(words, notes)
    [note] = notes
    entry = remember(app, _draft(note))
    drop_buffer_notes(app, note.quote)
    return entry


def _draft(note: BufferNote) -> MemoryDraft:
    fields: dict[str, Any] = {"evidence": (Evidence(event=note.event, quote=note.quote),)}
    trigger = next((found for found in find_triggers(note.quote) if found.kind == note.kind), None)
    kind = KINDS.get(note.kind, MemoryType.LEARNING)
    if trigger and trigger.choice:
        kind = MemoryType.DECISION
        fields["choice"] = trigger.choice
    if trigger and trigger.rejected and kind is MemoryType.DECISION:
        fields["rejected"] = (RejectedOption(option=trigger.rejected),)
    return MemoryDraft(type=kind, text=note.quote, fields=fields)
