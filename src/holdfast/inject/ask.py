"""What an agent is asked for: to propose what the user decides. At a start in few words; once more for what is unsaid.

Unsaid is what the user decided, corrected or prefers in this session, and what is neither memory nor a candidate. An
agent is asked for it once in a session, when a turn ends, and only where its client can be asked without showing an
error (`clients/reply.py`); and where its context was cut, beside what it is told then.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from holdfast.app import build_app
from holdfast.core.fence import fence_text, make_inert
from holdfast.core.memory import PROPOSED_BY, Status
from holdfast.core.search import Select
from holdfast.inject.buffer_file import find_session, load
from holdfast.recall.scope_cache import ScopeCache
from holdfast.records.session_log import open_session_log
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.records.working_buffer import BufferedSession, BufferNote

# It costs a line, and the agent knows what was said.
ASK = (
    "When the user decides, corrects or prefers something that later sessions must know, or something fails for a "
    'cause worth knowing: `holdfast propose decision "…" --quote "the user\'s own words"` (or learning, pattern, '
    "failure). It waits for their review."
)
UNSAID = "The user said this here, and nothing keeps it yet:"
ASK_AGAIN = (
    'Propose of it what later sessions must know, each with `holdfast propose decision "…" --quote "the user\'s own '
    'words"`; leave the rest. Then end your turn: you are not asked again.'
)
ASK_OF_WORDS = (
    "Of the user's words above, propose what later sessions must know and nothing keeps yet, each with `holdfast "
    'propose decision "…" --quote "the user\'s own words"`; what they decide from now on too. It waits for review.'
)
# A wish or a next step is no memory.
KINDS = frozenset({"decision", "correction", "architecture", "preference"})
MOST = 4
LIMIT = 2_000


def ask_again(workspace: str, event: Mapping[str, Any]) -> str:
    """What to ask an agent whose turn ends: for what is unsaid, once in a session; mostly nothing."""
    app = build_app(workspace)
    app.hooked = True
    if not app.settings["packs.ask_again"] or _goes_on(event["data"]) or _is_held_out(app, event):
        return ""
    own = find_session(load(app), str(event["session"]))
    if own is None or not own.notes:
        return ""
    log = open_session_log(app.folder, event, "")
    if log.was_asked():
        return ""
    unsaid = find_unsaid(ScopeCache(app), own)
    if not unsaid:
        return ""
    log.note_asked()
    return fence_text(_render(unsaid), LIMIT)


def find_unsaid(known: ScopeCache, session: "BufferedSession") -> "list[BufferNote]":
    """What the user decided in a session and nothing keeps: no memory, no candidate, no agent's proposal since."""
    notes = [note for note in session.notes if note.kind in KINDS and not note.doubted]
    bare = [note for note in notes if known.statements.standing(note.quote, (note.event,), note.at) is None]
    if not bare:
        return []
    waiting = known.index.select(Select(statuses=(Status.CANDIDATE,), newest=50))
    last = max((entry.memory.updated for entry in waiting if PROPOSED_BY in entry.memory.extra), default="")
    # An agent that proposed after these words has had its say of them, in whatever words.
    return [note for note in bare if note.at > last]


def ask_after_cut(known: ScopeCache, session: "BufferedSession | None") -> str:
    """What to ask where the context was cut: the words themselves stand in the briefing already."""
    return (
        ASK_AGAIN.replace("Propose of it", "Of the user's words above, propose") if _has_unsaid(known, session) else ASK
    )


def _has_unsaid(known: ScopeCache, session: "BufferedSession | None") -> bool:
    return session is not None and bool(session.notes) and bool(find_unsaid(known, session))


def _render(unsaid: "list[BufferNote]") -> str:
    lines = [f"- {note.kind}: “{make_inert(note.quote)}”" for note in unsaid[-MOST:]]
    return "\n".join([UNSAID, *lines, ASK_AGAIN])


def _goes_on(data: Mapping[str, Any]) -> bool:
    """Whether the turn does not end here: a hook sent the agent back, or something runs in the background."""
    extra = data.get("extra")
    names = ("stop_hook_active", "background_tasks", "session_crons")
    return isinstance(extra, Mapping) and any(extra.get(name) for name in names)


def _is_held_out(app: App, event: Mapping[str, Any]) -> bool:
    share = float(app.settings["packs.holdout"])
    if not share:
        return False
    from holdfast.inject.holdout import is_held_out

    return is_held_out(str(event["session"]), share)
