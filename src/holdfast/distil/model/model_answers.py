"""A model's answers → what a session gave. A quote counts where it stands; it is the user's where they typed it.

What the rules proposed is kept as it is, kept under another title, or set aside, as the model judged it; what it said
nothing of is kept.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Briefing, Distilled, Known, Progress, Summary
from holdfast.core.fence import make_inert
from holdfast.core.memory import Evidence, Memory, MemoryType, RejectedOption, SaidBy, Status, doubt_candidate
from holdfast.core.value import replace
from holdfast.distil import session_story
from holdfast.distil.check_evidence import drop_unproven, has_proof, is_own_quote
from holdfast.distil.episodes import split_episodes
from holdfast.distil.make_candidate import build_candidate
from holdfast.distil.model.answer_schema import ACCEPT, REWORD
from holdfast.distil.model.beside import name_proposal
from holdfast.distil.user_words import is_prompt
from holdfast.records.work_unit import one_line
from holdfast.redact.clean import clean
from holdfast.trust.standing import normalise_words

Answer = Mapping[str, Any]
MOST_CANDIDATES = 40
MOST_VERDICTS = 80
MOST_LINES = 12
LONGEST_TITLE, LONGEST_BODY, LONGEST_LINE, LONGEST_QUOTE = 120, 2000, 200, 300
MOST_TAGS, MOST_PATHS, MOST_QUOTES, MOST_OPTIONS = 4, 8, 3, 8
# A single word stands in any turn; in some scripts a word is a letter or two.
LEAST_LETTERS, LEAST_WORDS = 5, 2
LEAST_SHARED = 0.5
STEM = 5
# So many words in a row are repeated, not said again by chance.
LEAST_REPEATED = 6
REPEATED = "the agent had said it before in the same words"
SURE, UNSURE, LEAST = 0.9, 0.6, 0.1
_CATEGORIES: Mapping[MemoryType, frozenset[str]] = {
    MemoryType.LEARNING: frozenset({"system", "algorithm"}),
    MemoryType.PATTERN: frozenset({"preference"}),
}
_TEXTS: Mapping[MemoryType, tuple[str, ...]] = {
    MemoryType.DECISION: ("question", "choice"),
    MemoryType.LEARNING: ("fact",),
    MemoryType.FAILURE: ("root_cause", "error_type", "error_message"),
}


def merge_answers(
    answers: Sequence[Answer], turns: Mapping[int, Turn], conversation: Conversation, known: Known, base: Distilled
) -> Distilled:
    """What the rules found, with what a model adds to it and says better."""
    answers = [_clean_answer(answer) for answer in answers]
    judged = [_judge(one, _verdicts(answers), turns) for one in base.candidates]
    kept = [one for one, _ in judged if one is not None]
    proposed = [
        memory for answer in answers for memory in _candidates(answer, turns, conversation, _replaceable(known))
    ]
    # What the rules counted together with earlier sessions has its evidence there; they checked it themselves.
    ours = drop_unproven(replace(base, candidates=tuple(_drop_known(proposed, known.memories))), conversation)
    candidates = tuple(_doubt_repeated(_join_candidates(ours.candidates, kept), turns.values()))
    told = _summary(answers, base.summary, candidates)
    return replace(
        base,
        candidates=candidates,
        summary=told,
        briefing=_briefing(answers, base.briefing),
        learnings=session_story.list_learnings(candidates),
        log=session_story.write_log_line(conversation, split_episodes(conversation), told, candidates),
        set_aside=tuple(why for _, why in judged if why),
    )


def _verdicts(answers: Iterable[Answer]) -> dict[str, Mapping[str, Any]]:
    """What was judged of each proposal; of two verdicts the last, which saw more of the session."""
    return {str(each["id"]): each for answer in answers for each in answer.get("verdicts", ())[:MOST_VERDICTS]}


def _judge(
    memory: Memory, verdicts: Mapping[str, Mapping[str, Any]], turns: Mapping[int, Turn]
) -> tuple[Memory | None, str]:
    """A candidate of the rules as a model judged it, or why it is set aside."""
    said = verdicts.get(name_proposal(memory))
    if said is None or said["verdict"] == ACCEPT:
        return memory, ""
    title = _line(said["title"], LONGEST_TITLE).rstrip(" .")
    if said["verdict"] == REWORD:
        return (_reword(memory, title, turns) if title else memory), ""
    reason = _line(said["reason"], LONGEST_LINE)
    return None, f"{memory.title}: {reason or said['verdict']}"


def _reword(memory: Memory, title: str, turns: Mapping[int, Turn]) -> Memory:
    """A candidate under a title of the model's. It stays the user's where their words hold what the title says."""
    by_event = {turn.id: turn for turn in turns.values()}
    said = [(by_event[each.event], each.quote) for each in memory.evidence if each.event in by_event]
    body = memory.body if memory.body != memory.title else title
    fact = {"fact": title} if memory.type is MemoryType.LEARNING else {}
    made = replace(memory, title=title, body=body, **fact)
    if memory.said_by is not SaidBy.USER or _speaker(said, title) is SaidBy.USER:
        return made
    return replace(made, said_by=SaidBy.AGENT, confidence=min(memory.confidence or UNSURE, UNSURE))


def _replaceable(known: Known) -> frozenset[str]:
    return frozenset(one.id for one in known.memories if one.status is Status.ACCEPTED)


def _clean_answer(answer: Answer) -> Answer:
    cleaned = clean(dict(answer)).value
    return cleaned if isinstance(cleaned, dict) else {}


def _candidates(
    answer: Answer, turns: Mapping[int, Turn], conversation: Conversation, replaceable: frozenset[str]
) -> Iterator[Memory]:
    for said in answer.get("candidates", ())[:MOST_CANDIDATES]:
        evidence = list(_standing_quotes(said["evidence"], turns))
        title = _line(said["title"], LONGEST_TITLE).rstrip(" .")
        if evidence and title:
            old = tuple(name for name in said["replaces"] if name in replaceable)
            yield replace(_candidate(said, title, evidence, conversation), supersedes=old)


def _standing_quotes(said: Iterable[Mapping[str, Any]], turns: Mapping[int, Turn]) -> Iterator[tuple[Turn, str]]:
    """The quotes that stand in their turns; the user's own first."""
    found = []
    for each in said:
        turn, quote = turns.get(each["turn"]), " ".join(str(each["quote"]).split())[:LONGEST_QUOTE]
        if turn is None or not _says_something(quote):
            continue
        proof = build_candidate(MemoryType.LEARNING, turn, quote, said_by=SaidBy.TOOL)
        if has_proof(proof, {turn.id: turn}):
            found.append((turn, quote))
    yield from sorted(found, key=lambda pair: not is_own_quote(pair[1], pair[0]))[:MOST_QUOTES]


def _says_something(quote: str) -> bool:
    letters = sum(map(str.isalnum, quote))
    return letters >= LEAST_LETTERS and (len(quote.split()) >= LEAST_WORDS or not quote.isascii())


def _candidate(
    said: Mapping[str, Any], title: str, evidence: Sequence[tuple[Turn, str]], conversation: Conversation
) -> Memory:
    (turn, quote), *others = evidence
    kind = MemoryType(said["type"])
    speaker = _speaker(evidence, title)
    sure = SURE if speaker is SaidBy.USER else UNSURE
    fields: dict[str, Any] = {name: _line(said[name], LONGEST_LINE) for name in _TEXTS.get(kind, ())}
    category = str(said["category"]).strip().lower()
    if kind is MemoryType.DECISION:
        fields["rejected"] = tuple(_options(said["rejected"]))
    if kind is MemoryType.LEARNING:
        fields["fact"] = fields["fact"] or title
    return build_candidate(
        kind, turn, quote,
        more=tuple(Evidence(event=other.id, quote=words) for other, words in others),
        title=title,
        body=_text(said["body"]) or title,
        category=category if category in _CATEGORIES.get(kind, ()) else _usual_category(kind),
        tags=tuple(dict.fromkeys(filter(None, (_line(tag, 40).lower() for tag in said["tags"][:MOST_TAGS])))),
        paths=tuple(_paths(said["paths"], conversation)),
        said_by=speaker,
        confidence=round(min(max(float(said["confidence"]), LEAST), sure), 2),
        source=conversation.session,
        **fields,
    )  # fmt: skip


def _usual_category(kind: MemoryType) -> str:
    return {MemoryType.LEARNING: "algorithm", MemoryType.PATTERN: "preference"}.get(kind, "")


def _speaker(evidence: Sequence[tuple[Turn, str]], title: str) -> SaidBy:
    """Who said it. The user, only where the user's own words hold what the title says: a title is the model's."""
    own = " ".join(quote for turn, quote in evidence if is_own_quote(quote, turn))
    if own and _shared_words(title, own) >= LEAST_SHARED:
        return SaidBy.USER
    # Words in a person's turn that may not be theirs were written by somebody, and no tool gave them back.
    if own or any(turn.kind is TurnKind.ANSWER or is_prompt(turn) for turn, _ in evidence):
        return SaidBy.AGENT
    return SaidBy.TOOL


def _doubt_repeated(candidates: Iterable[Memory], turns: Collection[Turn]) -> Iterator[Memory]:
    """Candidates; what a user's turn only repeats from the agent's words before it does not count as the user's."""
    said = [(turn.ts, normalise_words(turn.text)) for turn in turns if turn.kind is TurnKind.ANSWER]
    typed = {turn.id: turn.ts for turn in turns if turn.kind is not TurnKind.ANSWER and not turn.choices}
    for memory in candidates:
        quotes = [(typed[each.event], normalise_words(each.quote)) for each in memory.evidence if each.event in typed]
        long = [pair for pair in quotes if len(pair[1].split()) >= LEAST_REPEATED]
        repeated = long and all(any(ts < at and quote in words for ts, words in said) for at, quote in long)
        yield doubt_candidate(memory, REPEATED) if repeated else memory


def _shared_words(title: str, quote: str) -> float:
    """The share of a title's telling words that stand in a quote."""
    wanted = {word[:STEM] for word in normalise_words(title).split() if len(word) >= STEM - 1 or not word.isascii()}
    there = {word[:STEM] for word in normalise_words(quote).split()}
    return len(wanted & there) / len(wanted) if wanted else 0.0


def _options(said: Iterable[Mapping[str, Any]]) -> Iterator[RejectedOption]:
    for each in list(said)[:MOST_OPTIONS]:
        if option := _line(each["option"], 80):
            yield RejectedOption(option=option, reason=_line(each["reason"], LONGEST_LINE))


def _paths(said: Iterable[str], conversation: Conversation) -> Iterator[str]:
    """Paths inside the project that somebody spoke of."""
    for each in list(said)[:MOST_PATHS]:
        path = _line(each, LONGEST_LINE).removeprefix(f"{conversation.workspace}/" if conversation.workspace else "./")
        plain = path.removeprefix("./")
        core = plain.rstrip("*/")
        if not core or plain.startswith(("/", "~")) or ".." in plain.split("/") or "\\" in plain:
            continue
        if any(core in turn.text or core in turn.output or core in str(turn.input) for turn in conversation.turns):
            yield plain


def _join_candidates(proposed: Sequence[Memory], base: Sequence[Memory]) -> tuple[Memory, ...]:
    """The model's and the rules': of two with the same words, the model's; of failures the rules', who count them."""
    counted = {quote.event for memory in base if memory.type is MemoryType.FAILURE for quote in memory.evidence}
    kept = [m for m in proposed if m.type is not MemoryType.FAILURE or not counted & {q.event for q in m.evidence}]
    spoken_of = [quote for memory in kept for quote in memory.evidence]
    rest = [m for m in base if m.type is MemoryType.FAILURE or not _is_said_already(m, spoken_of)]
    every = [*rest, *kept]
    best = sorted(every, key=lambda memory: -(memory.confidence or 0))[:MOST_CANDIDATES]
    return tuple(memory for memory in every if memory in best)


def _is_said_already(memory: Memory, quotes: Iterable[Evidence]) -> bool:
    return any(_same_quote(memory.evidence[0], quote) for quote in quotes) if memory.evidence else False


def _same_quote(one: Evidence, other: Evidence) -> bool:
    short, long = sorted((normalise_words(one.quote), normalise_words(other.quote)), key=len)
    return one.event == other.event and bool(short) and short in long and len(short) * 2 >= len(long)


def _drop_known(new: Iterable[Memory], known: Iterable[Memory]) -> list[Memory]:
    """What is not there yet, each once: by type and title, and by the words it was said in."""
    before = list(known)
    there = {(str(memory.type), normalise_words(memory.title)) for memory in before}
    there |= {
        ("", normalise_words(memory.evidence[0].quote))
        for memory in before
        if memory.evidence and memory.evidence[0].quote
    }
    kept = []
    for memory in new:
        keys = {(str(memory.type), normalise_words(memory.title)), ("", normalise_words(memory.evidence[0].quote))}
        if not keys & there:
            kept.append(memory)
        there |= keys
    return kept


def _summary(answers: Sequence[Answer], base: Summary, candidates: tuple[Memory, ...]) -> Summary:
    said = [answer["summary"] for answer in answers if "summary" in answer]
    if not said:
        return base
    learned = tuple(f"{memory.title} ({memory.type}, said by {memory.said_by})" for memory in candidates[:MOST_LINES])
    return Summary(
        title=next((title for each in said if (title := _line(each["title"], LONGEST_TITLE))), base.title),
        request=_lines(said, "request") or base.request,
        investigated=_lines(said, "investigated") or base.investigated,
        learned=learned,
        completed=_lines(said, "completed") or base.completed,
        next=_lines(said[-1:], "next") or base.next,
        files=base.files,
    )


def _lines(said: Sequence[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    lines = (_line(line, LONGEST_LINE) for each in said for line in each[name])
    return tuple(dict.fromkeys(filter(None, lines)))[:MOST_LINES]


def _briefing(answers: Sequence[Answer], base: Briefing) -> Briefing:
    said = [answer["briefing"] for answer in answers if "briefing" in answer]
    if not said:
        return base
    first, last = said[0], said[-1]
    # What blocks, the user said; a model does not unsay it.
    status = base.status if base.status is Progress.BLOCKED else Progress(last["status"])
    return replace(
        base,
        mission=_line(first["mission"], LONGEST_LINE) or base.mission,
        status=status,
        progress=_line(last["progress"], LONGEST_LINE) or base.progress,
        hazards=tuple(dict.fromkeys((*base.hazards, *_lines([last], "hazards"))))[:MOST_LINES],
        next_action=_line(last["next_action"], LONGEST_LINE) or base.next_action,
    )


def _line(text: object, most: int) -> str:
    return one_line(make_inert(str(text)), most)


def _text(text: object) -> str:
    """Several lines that begin no heading, no list and no entry of ours."""
    lines = (" ".join(line.split()).lstrip("#-*> ") for line in make_inert(str(text)[:LONGEST_BODY]).splitlines())
    return "\n".join(line for line in lines if line)
