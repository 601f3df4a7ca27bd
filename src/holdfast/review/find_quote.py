"""The user's words that an agent says it rests a proposal on: looked up in the journal, among what they typed.

It is the user's statement only where it says what they said, in their order and with their every "not"; whatever the
agent added, left out or turned round makes it the agent's opinion, with the words beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.clients.payload import AMID_CALL
from holdfast.conflicts.comparable_words import negations, split_words
from holdfast.core.conversation import Turn
from holdfast.core.event import JournalRecord
from holdfast.core.memory import PROPOSED_BY, Evidence, Memory, SaidBy
from holdfast.core.value import replace
from holdfast.distil.check_evidence import is_own_quote
from holdfast.distil.user_words import own_sentences
from holdfast.harvest.journal_events import read_all_events, read_session_events
from holdfast.harvest.unhooked_sessions import is_hooked
from holdfast.index.terms import query_terms, split_terms
from holdfast.recall.engine.prepare_question import FUNCTION_TERMS
from holdfast.records.build_conversation import build_conversation
from holdfast.records.sessions import journal_path
from holdfast.trust.standing import normalise_words
from holdfast.trust.vouchings import read_vouchings
from holdfast.workspace import App

# Fewer words stand in many a prompt by chance, and say nothing.
LEAST_WORDS = 3
LONGEST = 300
_NAMES = frozenset({"prompt", "after_tool", "tool_failed"})
_LABELS = frozenset(query_terms("rationale because reason why"))


def rest_on_quote(app: App, memory: Memory, quote: str) -> Memory:
    """A proposal with the user's words as evidence: theirs where it says the same, else the agent's opinion."""
    turn = find_quoted_turn(app, quote)
    if turn is None:
        app.notices.append("These words of the user are not in the journal: it is kept as the agent's opinion.")
        return memory
    found = Evidence(event=turn.id, quote=" ".join(quote.split())[:LONGEST])
    memory = replace(memory, evidence=(*memory.evidence, found))
    if not says_same(memory, quote, turn):
        app.notices.append("The user's words do not say just this: it is kept as the agent's opinion, beside them.")
        return memory
    # No rule of the user's accepts it by itself: an agent chose what to quote.
    return replace(memory, said_by=SaidBy.USER, extra={**memory.extra, PROPOSED_BY: app.client or "an agent"})


def find_quoted_turn(app: App, quote: str) -> Turn | None:
    """The last turn in which the user typed some words; what an agent's own command may have put in counts for none."""
    wanted = normalise_words(quote)
    if len(wanted.split()) < LEAST_WORDS or not app.workspace:
        return None
    journal, vouched = journal_path(app), read_vouchings(app).vouched
    holding = [record for record in read_all_events(journal) if _holds(record, wanted)]
    for record in reversed(holding):
        session = str(record.data.get("session", ""))
        records = list(read_session_events(journal, {session}))
        if session not in vouched and not is_hooked(records, session):
            continue
        talk = build_conversation(records, session, app.workspace)
        turn = next((each for each in talk.turns if each.id == record.id), None)
        if turn is not None and is_own_quote(quote, turn):
            return turn
    return None


def says_same(memory: Memory, quote: str, turn: Turn) -> bool:
    """Whether a proposal says what the sentence around a quote says: its title in the same order and with the same
    negations, and nothing else anywhere that the user's message does not hold.
    """
    said = _sentence_around(quote, turn)
    if not _is_in_order(split_terms(memory.title), split_terms(said)):
        return False
    if _count_negations(memory.title) != _count_negations(said):
        return False
    typed = {term for text in (*own_sentences(turn), quote) for term in query_terms(text)}
    return all(set(query_terms(text)) - FUNCTION_TERMS - _LABELS <= typed for text in _texts(memory))


def _sentence_around(quote: str, turn: Turn) -> str:
    """The sentences of a turn that a quote is part of, or that are part of it; of a form's answer, the quote itself."""
    wanted = normalise_words(quote)
    found = [text for text in own_sentences(turn) if (plain := normalise_words(text)) in wanted or wanted in plain]
    return " ".join(found) or quote


def _is_in_order(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether some terms stand among others in the same order."""
    rest = iter(many)
    wanted = [term for term in few if term not in FUNCTION_TERMS]
    return bool(wanted) and all(any(term == other for other in rest) for term in wanted)


def _count_negations(text: str) -> int:
    return sum(word.form in negations() for word in split_words(text))


def _texts(memory: Memory) -> Iterator[str]:
    yield from (memory.title, memory.body, memory.question, memory.choice, memory.fact, memory.context)
    yield from (memory.root_cause, memory.error_message)
    for option in memory.rejected:
        yield from (option.option, option.reason)


def _holds(record: JournalRecord, wanted: str) -> bool:
    data: Any = record.data.get("data")
    if record.data.get("name") not in _NAMES or not isinstance(data, Mapping) or AMID_CALL in data:
        return False
    return wanted in normalise_words(" ".join(str(data.get(name, "")) for name in ("prompt", "error", "output")))
