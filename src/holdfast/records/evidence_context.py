"""Evidence in its conversation: the turn that a memory came from, with what was said around it."""

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.errors import NotFound
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Evidence
from holdfast.core.value import Value
from holdfast.index.find_event import find_event
from holdfast.records.sessions import SessionHeldBack, open_session
from holdfast.workspace import App

__all__ = ["QuotedEvidence", "find_evidence_context"]

AROUND = 2
SAID = (TurnKind.PROMPT, TurnKind.ANSWER, TurnKind.CUT)
DONE = (*SAID, TurnKind.TOOL)


class QuotedEvidence(Value):
    """Evidence: the turns around it, oldest first, and which of them it is. `missing` says why there are none."""

    evidence: Evidence
    session: str = ""
    client: str = ""
    turns: tuple[Turn, ...] = ()
    at: str = ""
    missing: str = ""


def find_evidence_context(app: App, entry: Entry, around: int = AROUND) -> tuple[QuotedEvidence, ...]:
    """Each piece of an entry's evidence with so many turns before and after it, of the same thread.

    Words stand among words; only where the evidence is a tool's step, other steps are told too.
    """
    read: dict[str, Conversation] = {}
    return tuple(_quote_evidence(app, each, around, read) for each in entry.memory.evidence)


def _quote_evidence(app: App, evidence: Evidence, around: int, read: dict[str, Conversation]) -> QuotedEvidence:
    wanted = evidence.event.upper()
    if not is_ulid(wanted):
        return QuotedEvidence(evidence=evidence, missing="it names no event of the journal")
    record = find_event(app, wanted)
    if record is None:
        return QuotedEvidence(evidence=evidence, missing="its event is not in this journal")
    try:
        found, at = _open_conversation(app, record.id, read)
    except SessionHeldBack as error:
        return QuotedEvidence(evidence=evidence, missing=str(error))
    except NotFound:
        return QuotedEvidence(evidence=evidence, missing="its event belongs to no session")
    turns = _turns_around(found, at, around)
    return QuotedEvidence(evidence=evidence, session=found.session, client=found.client, turns=turns, at=at)


def _open_conversation(app: App, wanted: str, read: dict[str, Conversation]) -> tuple[Conversation, str]:
    """The conversation of an event and its turn. Pieces of one session read the journal once."""
    for known in read.values():
        if any(turn.id == wanted for turn in known.turns):
            return known, wanted
    opened = open_session(app, turn=wanted)
    read[opened.conversation.session] = opened.conversation
    return opened.conversation, opened.turn


def _turns_around(found: Conversation, at: str, around: int) -> tuple[Turn, ...]:
    here = next(turn for turn in found.turns if turn.id == at)
    kinds = DONE if here.kind is TurnKind.TOOL else SAID
    thread = [turn for turn in found.turns if turn.id == at or (turn.agent == here.agent and turn.kind in kinds)]
    place = thread.index(here)
    return tuple(thread[max(0, place - around) : place + around + 1])
