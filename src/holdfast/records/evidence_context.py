"""Evidence in its conversation: the turn that a memory came from, with what was said around it."""

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.errors import NotFound
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Evidence
from holdfast.core.value import Value
from holdfast.recall.show_memory import event_with
from holdfast.records.sessions import HeldBack, open_session
from holdfast.workspace import App

__all__ = ["Quoted", "context_of"]

AROUND = 2
SAID = (TurnKind.PROMPT, TurnKind.ANSWER, TurnKind.CUT)
DONE = (*SAID, TurnKind.TOOL)


class Quoted(Value):
    """Evidence: the turns around it, oldest first, and which of them it is. `missing` says why there are none."""

    evidence: Evidence
    session: str = ""
    client: str = ""
    turns: tuple[Turn, ...] = ()
    at: str = ""
    missing: str = ""


def context_of(app: App, entry: Entry, around: int = AROUND) -> tuple[Quoted, ...]:
    """Each piece of an entry's evidence with so many turns before and after it, of the same thread.

    Words stand among words; only where the evidence is a tool's step, other steps are told too.
    """
    read: dict[str, Conversation] = {}
    return tuple(_quoted(app, each, around, read) for each in entry.memory.evidence)


def _quoted(app: App, evidence: Evidence, around: int, read: dict[str, Conversation]) -> Quoted:
    wanted = evidence.event.upper()
    if not is_ulid(wanted):
        return Quoted(evidence=evidence, missing="it names no event of the journal")
    record = event_with(app, wanted)
    if record is None:
        return Quoted(evidence=evidence, missing="its event is not in this journal")
    try:
        found, at = _opened(app, record.id, read)
    except HeldBack as error:
        return Quoted(evidence=evidence, missing=str(error))
    except NotFound:
        return Quoted(evidence=evidence, missing="its event belongs to no session")
    turns = _around(found, at, around)
    return Quoted(evidence=evidence, session=found.session, client=found.client, turns=turns, at=at)


def _opened(app: App, wanted: str, read: dict[str, Conversation]) -> tuple[Conversation, str]:
    """The conversation of an event and its turn. Pieces of one session read the journal once."""
    for known in read.values():
        if any(turn.id == wanted for turn in known.turns):
            return known, wanted
    opened = open_session(app, turn=wanted)
    read[opened.conversation.session] = opened.conversation
    return opened.conversation, opened.turn


def _around(found: Conversation, at: str, around: int) -> tuple[Turn, ...]:
    here = next(turn for turn in found.turns if turn.id == at)
    kinds = DONE if here.kind is TurnKind.TOOL else SAID
    thread = [turn for turn in found.turns if turn.id == at or (turn.agent == here.agent and turn.kind in kinds)]
    place = thread.index(here)
    return tuple(thread[max(0, place - around) : place + around + 1])
