"""The parts of a briefing, read from the files that hold them: what a session hears at its start or after a cut."""

import json
import os
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from holdfast.core.memory import Entry, MemoryType
from holdfast.core.search import Question, Select
from holdfast.core.value import replace
from holdfast.inject.briefing import LONGEST_LINE, BriefingPart, quote_lines, split_page_lines
from holdfast.recall.pack import items_of, line_of
from holdfast.recall.scope_cache import ScopeCache
from holdfast.recall.select import select_entries
from holdfast.records.todo_items import USER, TodoItem, parse_todos
from holdfast.records.working_buffer import (
    BUFFER,
    MOST_SAID,
    BufferedSession,
    BufferNote,
    render_recovery,
    render_unconfirmed,
)
from holdfast.system.folders import open_own_file
from holdfast.trust.overview_page import PAGE, read_overview
from holdfast.trust.tracked_files import TrackedFiles
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
# What an agent listed for itself is mostly done, or given up, by the next day; its tool is not told so.
TODO_FRESH = timedelta(hours=12)
MOST_TODOS = 8
MOST_HAZARDS = 3
MOST_FILES = 6
# What stands before the words of a line: a quote's mark, a dash, a time, the name of a field.
_LEAD = re.compile(r"^(?:> )?(?:- )?(?:\[.\] )?(?:\d\d:\d\d )?(?:(?:mission|hazard|next|done|asked): )?")
_IS_RECORD = re.compile(r"- \d\d:\d\d (?:tried|done|session|drift): ")
PLAIN_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")


def build_buffer_part(session: BufferedSession | None) -> BriefingPart:
    """What this session said before its context was cut."""
    return BriefingPart(heading=BUFFER, lines=render_recovery(session) if session else (), last=True)


def build_user_words_part(notes: list[BufferNote], waiting: list[Entry]) -> BriefingPart:
    """What the user said in other sessions, of late: candidates that wait, and words that no candidate was made of."""
    heading = "THE USER SAID LATELY (unconfirmed: not accepted as memory yet)"
    lasting = [note for note in notes if note.kind in LASTING][-MOST_SAID:]
    others = [note for note in notes if note.kind not in LASTING][-MOST_SAID // 2 :]
    chosen = [note for note in notes if note in lasting or note in others]
    candidates = [
        f"- {entry.memory.type}: {entry.memory.title} ({entry.memory.updated[:10]}) [{entry.memory.id}]"
        for entry in reversed(waiting)
    ]
    return BriefingPart(heading=heading, lines=(*candidates, *render_unconfirmed(chosen)), last=True)


def drop_known_lines(part: BriefingPart, known: ScopeCache) -> BriefingPart:
    """A part without the lines that say what was settled, or what memory says anyway."""
    lines = tuple(line for line in part.lines if known.statements.standing(_LEAD.sub("", line)) is None)
    return replace(part, lines=lines)


def build_overview_part(app: App) -> BriefingPart:
    """The long-term overview."""
    more = f"(cut here; the rest is in .holdfast/{PAGE})"
    return BriefingPart(
        heading=f"OVERVIEW (from .holdfast/{PAGE})", lines=quote_lines(split_page_lines(read_overview(app))), more=more
    )


def build_log_part(app: App, tracked: TrackedFiles, *, start: bool = False) -> BriefingPart:
    """The last lines of today's log; at a start only what people noted in it, for records of work tell nothing new."""
    day = app.clock.now().astimezone().date().isoformat()
    path = f"log/{day}.md"
    lines = split_page_lines(_read_tail(app, path, tracked))
    lines = lines[1:] if lines[:1] == (f"# {day}",) else lines
    if start:
        lines = tuple(line for line in lines if not _IS_RECORD.match(line))
    return BriefingPart(heading=f"TODAY (from .holdfast/{path})", lines=quote_lines(lines[-MOST_LOGGED:]), last=True)


def build_todo_part(app: App, tracked: TrackedFiles) -> BriefingPart:
    """The open todos: what people wrote, and what an agent listed in the last days, with who and when."""
    more = f"(cut here; the rest is in .holdfast/{TODO})"
    since = (app.clock.now() - TODO_FRESH).date().isoformat()
    found = [item for item in parse_todos(_read_tail(app, TODO, tracked)) if not item.done]
    told = [item for item in found if item.by == USER or not item.at or item.at >= since]
    return BriefingPart(
        heading=f"OPEN TODOS (from .holdfast/{TODO})", lines=tuple(map(_describe_todo, told[:MOST_TODOS])), more=more
    )


def _describe_todo(item: TodoItem) -> str:
    source = ", ".join(filter(None, ("the user" if item.by == USER else f"listed by {item.by}", item.at)))
    return f"- {item.text[:LONGEST_LINE]} ({source})"


def build_project_part(app: App) -> BriefingPart:
    """What the workspace is, by the last look that a session of ours took at it; nothing is looked at here."""
    if not os.path.exists(os.path.join(app.folder, "state", "context.json")):
        return BriefingPart(heading="", lines=())
    from holdfast.project.cached_scan import load_cached_workspace

    found = load_cached_workspace(app)
    if found is None:
        return BriefingPart(heading="", lines=())
    kinds = ", ".join(filter(None, (found.type, found.framework)))
    # Names that files give themselves are told only where they are plain names.
    begins = [path for path in found.entry_points if PLAIN_PATH.fullmatch(path)][:3]
    told = [kinds, f"starts at {', '.join(begins)}" if begins else ""]
    return BriefingPart(heading="PROJECT", lines=tuple(filter(None, told)))


def build_last_session_part(app: App, tracked: TrackedFiles, session: str) -> BriefingPart:
    """Where the last session left off: a record, not a memory. Nothing of this session's own, and nothing stale."""
    try:
        known = json.loads(_read_tail(app, BRIEFING, tracked) or "{}")
        at = datetime.fromisoformat(str(known["updatedAt"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return BriefingPart(heading="", lines=())
    if known.get("session") == session or app.clock.now() - at > FRESH:
        return BriefingPart(heading="", lines=())
    told = [
        f"mission: {known['mission']} ({known.get('status', '')})" if known.get("mission") else "",
        *(f"hazard: {line}" for line in _read_list(known, "hazards")[:MOST_HAZARDS]),
        f"next: {known['nextAction']}" if known.get("nextAction") else "",
        f"files: {', '.join(_read_list(known, 'hotFiles')[:MOST_FILES])}" if known.get("hotFiles") else "",
    ]
    if not (known.get("mission") or known.get("nextAction")):
        # Where it was, without what it was about, helps nobody.
        return BriefingPart(heading="", lines=())
    lines = split_page_lines("\n".join(" ".join(line.split()) for line in told))
    return BriefingPart(
        heading=f"LAST SESSION ({at.date().isoformat()}, from .holdfast/{BRIEFING})", lines=quote_lines(lines)
    )


def _read_list(known: Mapping[str, Any], name: str) -> list[str]:
    found = known.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def select_lessons(known: ScopeCache) -> list[Entry]:
    """The learnings and failures that count most: by confidence, then by when they were last changed; few."""
    found: list[Entry] = []
    for kind in (MemoryType.LEARNING, MemoryType.FAILURE):
        found += select_entries(Question(text="", select=Select(types=(kind,), newest=LOOKED_AT)), known.index)
    found.sort(key=lambda entry: entry.memory.updated, reverse=True)
    return sorted(found, key=lambda entry: -(entry.memory.confidence or 0))[:MOST_LESSONS]


def build_lessons_part(entries: list[Entry]) -> BriefingPart:
    """Lessons, one a line."""
    lines = tuple(line_of(item) for entry in entries for _, item in items_of(entry.memory))
    return BriefingPart(heading="LESSONS (what counts most of what was learned)", lines=lines)


def _read_tail(app: App, path: str, tracked: TrackedFiles) -> str:
    """The last of a file's text; nothing of one that came by git."""
    try:
        fd = open_own_file(os.path.join(app.folder, path), os.O_RDONLY)
    except OSError:
        return ""
    with open(fd, "rb") as file:
        if tracked.holds(path):
            return ""
        size = os.fstat(fd).st_size
        file.seek(max(0, size - LAST_BYTES))
        text = file.read().decode("utf-8", "replace")
    return text if size <= LAST_BYTES else text.partition("\n")[2]
