"""What a session gave, told apart by whose words it came of: what is not known to be the user's is doubted.

It is said in its own session and waits in the queue; no later session is told of it, in no way.
"""

from collections.abc import Collection, Sequence

from holdfast.clients.payload import AMID_CALL
from holdfast.core.conversation import Conversation
from holdfast.core.distilled import Distilled, Known
from holdfast.core.event import JournalRecord
from holdfast.core.memory import AMID_CALL as WHY_AMID_CALL
from holdfast.core.memory import UNHOOKED, doubt_candidate
from holdfast.core.value import replace
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.harvest.unhooked_sessions import is_hooked


def doubt_unproven_words(
    made: Distilled, talk: Conversation, known: Known, records: Sequence[JournalRecord], vouched: Collection[str]
) -> Distilled:
    """What came of a session, with a doubt on all that the user is not known to have said."""
    if talk.session not in vouched and not is_hooked(records, talk.session):
        return replace(made, candidates=tuple(doubt_candidate(one, UNHOOKED) for one in made.candidates), shared=False)
    amid = frozenset(record.id for record in records if AMID_CALL in (record.data.get("data") or ()))
    return _doubt_amid_calls(made, talk, known, amid) if amid else made


def _doubt_amid_calls(made: Distilled, talk: Conversation, known: Known, amid: frozenset[str]) -> Distilled:
    """Of prompts that an agent's command may have put in: candidates that wait, and not a word for later sessions."""
    turns = tuple(replace(turn, foreign=True) if turn.id in amid else turn for turn in talk.turns)
    certain = RuleDistiller().distil(replace(talk, turns=turns), known)
    told = tuple(
        doubt_candidate(one, WHY_AMID_CALL) if amid.intersection(each.event for each in one.evidence) else one
        for one in made.candidates
    )
    return replace(made, candidates=told, briefing=certain.briefing, log=certain.log, learnings=certain.learnings)
