"""The distiller by rules: no model, no network; precise before complete."""

from collections.abc import Iterable, Iterator

from holdfast.core.conversation import Conversation
from holdfast.core.distilled import Distilled, Known
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.run import RUN_NAME
from holdfast.core.value import replace
from holdfast.distil import session_story
from holdfast.distil.check_evidence import has_proof
from holdfast.distil.decisions import drop_overruled, drop_restated, find_decisions, takes_back
from holdfast.distil.episodes import Episode, split_episodes
from holdfast.distil.failure_signature import merge_failures
from holdfast.distil.habits import index_wishes, join_wishes
from holdfast.distil.lasting_statements import find_standing
from holdfast.distil.make_candidate import LONGEST_QUOTE
from holdfast.distil.overview_edits import OVERVIEW, propose_overview_edits
from holdfast.distil.saved_memories import find_saved
from holdfast.distil.stated_choice import decide_by_words
from holdfast.distil.statement_features import opens_with_statements, read_statement_features
from holdfast.distil.statement_score import StatementModel, load_statement_model
from holdfast.distil.statements import add_rest, add_topic, build_statement, find_choices, is_worth_noting
from holdfast.distil.tool_failures import find_failures, teaches
from holdfast.distil.user_words import UserSentence
from holdfast.distil.work_findings import find_learnings
from holdfast.trust.standing import normalise_words

MOST_CANDIDATES = 40
# Of how many messages before it a message may take something back.
LOOKS_BACK = 3


class RuleDistiller:
    """What can be told from a conversation by its words and by how its tools went."""

    name = "rules"

    def __init__(self, statements: StatementModel | None = None) -> None:
        self._model = statements or load_statement_model()
        # Of what is known, the words: a harvest gives the same `Known` with every session.
        self._words = KnownPhrases(Known())

    def distil(self, conversation: Conversation, known: Known) -> Distilled:
        """What the conversation gave, without what is known already."""
        if self._words.known is not known:
            self._words = KnownPhrases(known)
        found = split_episodes(conversation)
        candidates = _candidates(conversation, found, self._words, self._model)
        told = session_story.summarize(found, candidates)
        times = [turn.ts for turn in conversation.turns if turn.ts]
        started = min(times, default="")
        return Distilled(
            session=conversation.session,
            client=conversation.client,
            by=self.name,
            run=run_id(conversation.session, started),
            started=started,
            ended=max(times, default=""),
            candidates=candidates,
            summary=told,
            briefing=session_story.write_briefing(found, candidates, told),
            lineage=session_story.find_lineage(conversation, found),
            observations=session_story.find_observations(found),
            learnings=session_story.list_learnings(candidates),
            log=session_story.write_log_line(conversation, found, told, candidates),
        )


class KnownPhrases:
    """What is known, by its words: its types with titles, and the sentences it was said in."""

    __slots__ = ("failures", "keys", "known", "wishes")

    def __init__(self, known: Known) -> None:
        self.known = known
        self.keys = frozenset(key for one in known.memories for key in _keys(one))
        self.wishes = index_wishes(known.memories)
        self.failures = tuple(one for one in known.memories if one.type is MemoryType.FAILURE)

    def unknown(self, new: Iterable[Memory]) -> list[Memory]:
        """What is not there yet, each once."""
        kept: list[Memory] = []
        seen: set[tuple[str, str]] = set()
        for one in new:
            keys = _keys(one)
            if not keys & self.keys and not keys & seen:
                kept.append(one)
                seen |= keys
        return kept


def run_id(session: str, started: str) -> str:
    """The name of a session's folder under runs/; a run of our own agent is called so itself."""
    if RUN_NAME.fullmatch(session):
        return session
    short = "".join(char for char in session if char.isascii() and char.isalnum())[:8] or "session"
    stamp = "".join(char for char in started[:19].replace("T", "-").replace(":", "") if char.isdigit() or char == "-")
    return f"run-{stamp or '0000-00-00-000000'}-{short}"


def _candidates(
    conversation: Conversation, found: list[Episode], words: KnownPhrases, model: StatementModel
) -> tuple[Memory, ...]:
    turns = {turn.id: turn for turn in conversation.turns}
    failed = [one for one in find_failures(found) if has_proof(one, turns)]
    causes = {evidence.quote for one in failed for evidence in one.evidence}
    learned = [one for one in _find_in_work(found) if one.evidence[0].quote not in causes]
    edits = list(propose_overview_edits(words.known.overview, found)) if words.known.overview else []
    every_new = (*drop_overruled(_find_in_prompts(found, model)), *learned, *edits)
    joined = join_wishes(words.wishes, (one for one in every_new if has_proof(one, turns)))
    new = words.unknown(joined.fresh)
    # Evidence of earlier sessions stands in theirs: failures are counted together only after it was looked at.
    counted = merge_failures(words.failures, [*failed, *(one for one in new if one.type is MemoryType.FAILURE)])
    rest = drop_restated([one for one in new if one.type is not MemoryType.FAILURE])
    every = [*rest, *words.unknown(filter(teaches, counted.fresh)), *counted.changed, *joined.changed]
    every += words.unknown(find_saved(conversation))
    best = {one.id for one in sorted(every, key=lambda one: -(one.confidence or 0))[:MOST_CANDIDATES]}
    return tuple(replace(one, source=one.source or conversation.session) for one in every if one.id in best)


def _find_in_prompts(found: list[Episode], model: StatementModel) -> list[Memory]:
    """What the user's prompts say, without what a later one takes back."""
    said: list[Memory] = []
    for number, episode in enumerate(found):
        before = found[max(0, number - LOOKS_BACK) : number]
        if takes_back(episode):
            taken = next((one.prompt.id for one in reversed(before) if one.prompt and one.sentences), "")
            said = [one for one in said if one.evidence[0].event != taken]
        said += _find_in_prompt(before, episode, model, first=number == 0)
    return said


def _find_in_work(found: list[Episode]) -> Iterator[Memory]:
    for number, episode in enumerate(found):
        yield from find_learnings(episode, found[number + 1] if number + 1 < len(found) else None)


def _find_in_prompt(before: list[Episode], episode: Episode, model: StatementModel, *, first: bool) -> Iterator[Memory]:
    """What a prompt decides and states, and what the forms of its episode were answered with."""
    features = {one.text: seen for one, seen in read_statement_features(episode, first=first)}
    answer = " ".join(episode.before.text.split()) if episode.before else ""
    opening = opens_with_statements(episode)
    weights = model.weights_for(opening=opening)

    def counts(one: UserSentence, *, cued: bool = True) -> bool:
        return is_worth_noting(one, features[one.text], answer, weights, cued=cued, opening=opening)

    decided = [
        add_topic(decide_by_words(one, one.evidence[0].quote), one.evidence[0].quote, episode.before)
        for one in find_decisions(before, episode, counts)
    ]
    quotes = {evidence.quote for one in decided for evidence in one.evidence}
    for memory in decided:
        yield add_rest(memory, episode.sentences)
    for one in episode.sentences:
        if one.text[:LONGEST_QUOTE] in quotes:
            continue
        standing = find_standing(one, before) if counts(one) else None
        if standing is None and counts(one, cued=False):
            standing = build_statement(one, features[one.text], weights, episode.before)
        if standing is not None:
            yield add_rest(decide_by_words(standing, one.text), episode.sentences)
    yield from find_choices(episode)


def _keys(memory: Memory) -> set[tuple[str, str]]:
    keys = {(memory.type.value, normalise_words(memory.title))}
    # An edit of the page may come from a sentence that says something else besides.
    if memory.category != OVERVIEW and memory.evidence and memory.evidence[0].quote:
        keys.add(("", normalise_words(memory.evidence[0].quote)))
    return keys
