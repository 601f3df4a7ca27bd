"""The working buffer: per live session its goal and what the user said that must not be lost, in the user's words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.core.value import Value, as_dict, replace
from holdfast.phrases.typed_words import typed_words
from holdfast.trust.standing import normalise_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.phrases.triggers import Trigger

    Find = Callable[[str], Iterable[Trigger]]

LONGEST_GOAL = 200
SHORTEST_GOAL = 3
MOST_NOTES = 60
MOST_SESSIONS = 40
MOST_QUIET = 8
MOST_SAID = 8
TITLE = "# Working buffer\n\nWritten by Holdfast from what was said; the words are quoted, nothing here is confirmed.\n"
SECTIONS = (
    ("Decisions and corrections", ("decision", "correction", "architecture", "preference", "priority")),
    ("Blockers", ("blocker",)),
    ("Next steps", ("next_step",)),
    ("Names and values", ("value",)),
)
BINDING = SECTIONS[0][1]
DOUBTED = " (came while an agent's command ran: perhaps not the user's words)"
BUFFER = "WORKING BUFFER of this session (the user's own words, unconfirmed)"


class BufferNote(Value):
    """Words of the user that must not be lost, and the event they came in.

    `doubted`: an agent's command was running when they came, and may have said them.
    """

    kind: str
    quote: str
    event: str
    at: str
    doubted: bool = False


class BufferedSession(Value):
    """One session as the buffer keeps it."""

    id: str
    client: str = ""
    since: str = ""
    goal: str = ""
    notes: tuple[BufferNote, ...] = ()


def note_prompt(  # an event's own words
    session: BufferedSession, prompt: str, event: str, at: str, find_triggers: "Find", *, doubted: bool = False
) -> BufferedSession:
    """The session after a prompt: its goal if it had none, and what the prompt says that must not be lost."""
    own = typed_words(prompt)
    if not own.strip():
        return session
    known = {note.quote for note in session.notes}
    found = [
        BufferNote(kind=trigger.kind, quote=trigger.quote, event=event, at=at, doubted=doubted)
        for trigger in find_triggers(prompt)
        if trigger.quote not in known
    ]
    goal = session.goal or _goal(own)
    return replace(session, goal=goal, notes=(*session.notes, *found)[-MOST_NOTES:])


def render_buffer(sessions: Iterable[BufferedSession]) -> str:
    """The buffer as Markdown."""
    return TITLE + "".join(f"\n{_section(session)}" for session in sessions if session.goal or session.notes)


def render_recovery(session: BufferedSession) -> tuple[str, ...]:
    """What a session must know of itself after its context was cut, as lines."""
    goal = (f"- goal: {session.goal}",) if session.goal else ()
    return (*goal, *(f"- {note.kind}: “{note.quote}”{DOUBTED if note.doubted else ''}" for note in session.notes))


def find_binding_notes(sessions: Iterable[BufferedSession]) -> list[BufferNote]:
    """What the user said in these sessions that would bind others, once it is accepted; oldest first, each once."""
    said = [note for session in sessions for note in session.notes if note.kind in BINDING and not note.doubted]
    return list({normalise_words(note.quote): note for note in sorted(said, key=lambda note: note.at)}.values())


def render_unconfirmed(notes: Iterable[BufferNote]) -> tuple[str, ...]:
    """What the user said, as lines that say that nobody accepted it yet."""
    return tuple(f"- {note.kind}: “{note.quote}” ({note.at[:10]}, unconfirmed)" for note in notes)


def drop_quotes(sessions: Iterable[BufferedSession], quotes: Collection[str]) -> list[BufferedSession]:
    """The sessions without some notes, by their words."""
    return [replace(s, notes=tuple(note for note in s.notes if note.quote not in quotes)) for s in sessions]


def render_for_compaction(session: BufferedSession, limit: int) -> str:
    """Words for a client that is about to compact its context; of too many, the last."""
    head = f"Keep these lines word for word in the summary:\n{BUFFER}"
    kept: list[str] = []
    room = limit - len(head)
    for line in reversed(render_recovery(session)):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([head, *reversed(kept)]) if kept else ""


def to_json(sessions: Sequence[BufferedSession]) -> dict[str, Any]:
    """The sessions as JSON; of too many the oldest go, and first those in which nothing was said that counts."""
    quiet = [session for session in sessions if not session.notes][:-MOST_QUIET]
    kept = [session for session in sessions if session not in quiet][-MOST_SESSIONS:]
    forms = [as_dict(session) | {"notes": [as_dict(note) for note in session.notes]} for session in kept]
    return {"v": 1, "sessions": forms}


def from_json(data: Mapping[str, Any]) -> list[BufferedSession]:
    """The sessions that `kept_json` wrote. Raises KeyError or TypeError for anything else."""
    return [
        BufferedSession(**{**form, "notes": tuple(BufferNote(**note) for note in form["notes"])})
        for form in data["sessions"]
    ]


def _goal(prompt: str) -> str:
    line = next((line.strip() for line in prompt.splitlines() if line.strip()), "")
    return line[:LONGEST_GOAL] if len(line.split()) >= SHORTEST_GOAL else ""


def _section(session: BufferedSession) -> str:
    head = f"## Session {session.id} ({session.client}), since {session.since[:16].replace('T', ' ')}\n"
    parts = [head, f"\nGoal: {session.goal}\n"] if session.goal else [head]
    for title, kinds in SECTIONS:
        lines = [f"- “{note.quote}” ({note.kind}, {note.event})\n" for note in session.notes if note.kind in kinds]
        if lines:
            parts += [f"\n### {title}\n\n", *lines]
    return "".join(parts)
