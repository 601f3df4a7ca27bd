"""The parts of a briefing, read from the files that hold them: what a session hears at its start or after a cut."""

import json
import os
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from holdfast.core.memory import Entry, MemoryType
from holdfast.core.search import Question, Select
from holdfast.inject.briefing import Part, open_todos, page_lines, quoted
from holdfast.recall.pack import items_of, line_of
from holdfast.recall.scope_cache import Known
from holdfast.recall.select import select
from holdfast.records.working_buffer import BUFFER, MOST_SAID, Note, Session, recovered, unconfirmed
from holdfast.trust.overview_page import PAGE, overview
from holdfast.trust.tracked_files import Tracked
from holdfast.workspace import App

MOST_LESSONS = 8
MOST_LOGGED = 15
# What a user decides or wishes outlasts what they corrected in one answer.
LASTING = frozenset({"decision", "architecture", "preference"})
LOOKED_AT = 40
LAST_BYTES = 64 * 1024
TODO = "context/todo.md"
BRIEFING = "briefing.json"
# What was next two weeks ago hardly is today.
FRESH = timedelta(days=14)
MOST_HAZARDS = 3
MOST_FILES = 6
PLAIN_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")


def buffer_part(session: Session | None) -> Part:
    """What this session said before its context was cut."""
    return Part(heading=BUFFER, lines=recovered(session) if session else (), last=True)


def said_part(notes: list[Note]) -> Part:
    """What the user said in other sessions, of late."""
    heading = "THE USER SAID LATELY (unconfirmed: not accepted as memory yet)"
    lasting = [note for note in notes if note.kind in LASTING][-MOST_SAID:]
    others = [note for note in notes if note.kind not in LASTING][-MOST_SAID // 2 :]
    chosen = [note for note in notes if note in lasting or note in others]
    return Part(heading=heading, lines=unconfirmed(chosen), last=True)


def overview_part(app: App) -> Part:
    """The long-term overview."""
    more = f"(cut here; the rest is in .holdfast/{PAGE})"
    return Part(heading=f"OVERVIEW (from .holdfast/{PAGE})", lines=quoted(page_lines(overview(app))), more=more)


def log_part(app: App, tracked: Tracked) -> Part:
    """The last lines of today's log."""
    day = app.clock.now().astimezone().date().isoformat()
    path = f"log/{day}.md"
    lines = page_lines(_end_of(app, path, tracked))
    lines = lines[1:] if lines[:1] == (f"# {day}",) else lines
    return Part(heading=f"TODAY (from .holdfast/{path})", lines=quoted(lines[-MOST_LOGGED:]), last=True)


def todo_part(app: App, tracked: Tracked) -> Part:
    """The open todos."""
    more = f"(cut here; the rest is in .holdfast/{TODO})"
    return Part(heading=f"OPEN TODOS (from .holdfast/{TODO})", lines=open_todos(_end_of(app, TODO, tracked)), more=more)


def project_part(app: App) -> Part:
    """What the workspace is, by the last look that a session of ours took at it; nothing is looked at here."""
    if not os.path.exists(os.path.join(app.folder, "state", "context.json")):
        return Part(heading="", lines=())
    from holdfast.project.cached_scan import kept_workspace

    found = kept_workspace(app)
    if found is None:
        return Part(heading="", lines=())
    kinds = ", ".join(filter(None, (found.type, found.framework)))
    # Names that files give themselves are told only where they are plain names.
    begins = [path for path in found.entry_points if PLAIN_PATH.fullmatch(path)][:3]
    told = [kinds, f"starts at {', '.join(begins)}" if begins else ""]
    return Part(heading="PROJECT", lines=tuple(filter(None, told)))


def last_session_part(app: App, tracked: Tracked, session: str) -> Part:
    """Where the last session left off: a record, not a memory. Nothing of this session's own, and nothing stale."""
    try:
        known = json.loads(_end_of(app, BRIEFING, tracked) or "{}")
        at = datetime.fromisoformat(str(known["updatedAt"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Part(heading="", lines=())
    if known.get("session") == session or app.clock.now() - at > FRESH:
        return Part(heading="", lines=())
    told = [
        f"mission: {known['mission']} ({known.get('status', '')})" if known.get("mission") else "",
        *(f"hazard: {line}" for line in _listed(known, "hazards")[:MOST_HAZARDS]),
        f"next: {known['nextAction']}" if known.get("nextAction") else "",
        f"files: {', '.join(_listed(known, 'hotFiles')[:MOST_FILES])}" if known.get("hotFiles") else "",
    ]
    lines = page_lines("\n".join(" ".join(line.split()) for line in told))
    return Part(heading=f"LAST SESSION ({at.date().isoformat()}, from .holdfast/{BRIEFING})", lines=quoted(lines))


def _listed(known: Mapping[str, Any], name: str) -> list[str]:
    found = known.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def lessons(known: Known) -> list[Entry]:
    """The learnings and failures that count most: by confidence, then by when they were last changed; few."""
    found: list[Entry] = []
    for kind in (MemoryType.LEARNING, MemoryType.FAILURE):
        found += select(Question(text="", select=Select(types=(kind,), newest=LOOKED_AT)), known.index)
    found.sort(key=lambda entry: entry.memory.updated, reverse=True)
    return sorted(found, key=lambda entry: -(entry.memory.confidence or 0))[:MOST_LESSONS]


def lessons_part(entries: list[Entry]) -> Part:
    """Lessons, one a line."""
    lines = tuple(line_of(item) for entry in entries for _, item in items_of(entry.memory))
    return Part(heading="LESSONS (what counts most of what was learned)", lines=lines)


def _end_of(app: App, path: str, tracked: Tracked) -> str:
    """The last of a file's text; nothing of one that came by git."""
    try:
        fd = os.open(os.path.join(app.folder, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with open(fd, "rb") as file:
        if tracked.holds(path):
            return ""
        size = os.fstat(fd).st_size
        file.seek(max(0, size - LAST_BYTES))
        text = file.read().decode("utf-8", "replace")
    return text if size <= LAST_BYTES else text.partition("\n")[2]
