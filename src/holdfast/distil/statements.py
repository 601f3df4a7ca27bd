"""What a user stated that a colleague would note down: in a sentence of their own, or in answer to a form.

A sentence must say what it is about and outlive the task (`statement_vetoes`); whether it is worth keeping was learned
from real sessions (`statement_score`).
"""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.conversation import Turn, UserChoice
from holdfast.core.memory import Memory, MemoryType, RejectedOption, SaidBy
from holdfast.core.value import replace
from holdfast.distil.episodes import Episode
from holdfast.distil.lasting_forms import states_lasting
from holdfast.distil.make_candidate import answer_title, build_candidate, learning_category, make_title, strip_lead
from holdfast.distil.reasons import find_reasons
from holdfast.distil.stated_choice import states_choice
from holdfast.distil.statement_features import Features
from holdfast.distil.statement_score import StatementWeights
from holdfast.distil.statement_vetoes import FILLERS, LEAST_CONTENT, asks_of_process, find_veto, subject_terms
from holdfast.distil.user_words import UserSentence
from holdfast.phrases.prose import split_sentences
from holdfast.records.work_unit import one_line

# How far below the floor a sentence may score that a pattern knows.
CUED_BELOW = 0.75
_FAILED = re.compile(r"\b(?:tried|attempted)\b.*\b(?:gave up|failed|didn't work|did not work|no luck)\b", re.IGNORECASE)
_LOCATION = re.compile(
    r"\b(?:is|are|lives?|sits?) (?:in|at|under|here)\b|\blocal copy\b|\bchecked out\b", re.IGNORECASE
)
_RULE = re.compile(
    r"\b(?:always|never|must(?: not)?|should(?: not|n't)?|shall|don't|do not|only|every|no \w+ (?:in|outside)|avoid)\b",
    re.IGNORECASE,
)
_PREFERS = re.compile(r"\b(?:i|we)(?:'d| would)? (?:prefer|like|want|hate|expect)\b|\bstop \w+ing\b", re.IGNORECASE)
_CHOOSES = re.compile(
    r"\b(?:let's|go with|going with|stick (?:to|with)|switch|migrate|use|keep|drop|rename|replace|instead)\b",
    re.IGNORECASE,
)
_PUTS_OFF = re.compile(
    r"^(?:decide later|later|you decide|discuss|not sure|skip|none|explain|other|yes|no|n/?a|chat about|clarify|maybe|"
    r"both|all|do nothing|leave it)\b[^,;:]{0,25}$",
    re.IGNORECASE,
)
_ASKS_BACK = re.compile(
    r"(?:please )?(?:explain|tell|show|describe|what|why|how|which|can|could|is|are|do|does)\b", re.IGNORECASE
)
# What is said for later, by how it begins: it is kept whatever its words score.
_KEEP = re.compile(
    FILLERS + r"(?:"
    r"(?:remember|note|important|keep in mind|bear in mind|for the record|for (?:the )?future|rule|convention|decision|"
    r"decided|don't forget|do not forget|make a note|policy|reminder)\b(?! to\b)(?: that)?\s*[:,!-]|"
    r"(?:remember|keep in mind|note|make a note|don't forget)(?: that)\b|from now on\b|going forward\b|"
    r"in (?:this|our) (?:repo|project|code ?base|team)\b|"
    r"(?:never|always) \w+|we (?:never|always|picked|chose|decided|settled on|went with|agreed|dropped|banned|"
    r"switched (?:from|to)|moved (?:from|to)|replaced|gave up|tried .{3,80}(?:but|and) )|"
    r"(?:let's )?(?:go|going|switch|switching|move) back to "
    r"(?!sleep|work|bed|the (?:test|task|bug|previous|other)|it\b|that\b)|"
    r"back to \w+ (?:please|then|for)\b|the reason (?:we|why we)\b|lesson learned\b|til\b)",
    re.IGNORECASE,
)
# What holds beyond its session wherever it stands in a sentence: bans, ways back, what was tried in vain and what it
# cost, how things are named, what is said for the second time.
_LASTS = re.compile(
    FILLERS
    + r"(?:no (?:\w+ ){1,3}(?:in|on|without|w/o|outside|unless)\b|no \w+(?: \w+)?[.,;!]+ (?:ever|period|none)\b|"
    r"you keep \w+ing\b|(?:don't|do not|please don't|never) (?:give|show|tell|send|explain to|talk to) me\b|"
    r"back to (?:\w+ ){1,3}(?:then|please|for)\b|forget (?!it\b|that\b|about it\b|this\b|what\b|to\b)(?:\w+ "
    r"){1,3}?\w+, |"
    r"i (?:have )?changed my mind (?:about|on)\b|(?!what\b|how\b|as\b|this\b|that\b|here\b)(?:\S+ ){1,5}it is, )|"
    r"\bnever again\b|\bnot (?:doing|using|trying|touching) (?:that|this|it) again\b|\bnever \w+ (?:it|that|"
    r"this) again\b|"
    r"\bwas a (?:dead end|mistake|disaster|waste)\b|\b(?:tried|did|ran) (?:it|this|that) (?:twice|three|four|"
    r"\d+) times?\b|"
    r"\b(?:cost|took) (?:me|us) (?:\w+ ){0,3}(?:hours?|days?|weeks?|evenings?|weekend)\b|"
    r"\bnot (?:\w+ )?any ?more for\b|\bsource of truth\b|\byou (?:assumed|confused|mixed up|got \w+ wrong)\b|"
    r"\b(?:is|are) (?:banned|off[- ]limits|forbidden|non-negotiable|mandatory|(?:a|the) hard (?:requirement|"
    r"rule|limit))\b|"
    r"\b(?:names?|ids?|files?|branches|folders?|tables?|columns?|classes|tests?) (?:\w+ )?(?:end|start|begin)s? "
    r"(?:in|with)\b|"
    r"\b(?:needs?|requires?|pinned to|stuck on|stays? on|stay(?:ing)? with|stick(?:ing)? (?:to|with)) (?:\w+ "
    r"){0,3}?v?\d+(?:\.\d+)+",
    re.IGNORECASE,
)
# What is said against a sentence even so.
_NOT_THEIRS = frozenset({
    "a question", "pasted", "not their own or last word", "only imagined", "the agent's own words",
    "does not say what it is about", "too long for one statement",
})  # fmt: skip
_LONGEST_CHOICE = 160
# Where in the agent's answer its sentence is looked for. A statement of so many terms says itself what it is about.
_TOPIC_TAIL = 2400
_SHORTEST_TOPIC, _LONGEST_TOPIC = 12, 200
_SAYS_ENOUGH = 6
_MARKUP = re.compile(r"\*\*|`{1,3}|^\s*(?:[-*•]|\d+[.)]|#{1,6})\s+|\|")
_SHORT_PROMPT = 320


def is_worth_noting(
    one: UserSentence,
    features: Features,
    agent_text: str,
    weights: StatementWeights,
    *,
    cued: bool,
    opening: bool = False,
) -> bool:
    """Whether a sentence is worth a reviewer's look; one that patterns know needs less to speak for it.

    `opening`: it stands in a prompt that opens a session and asks for nothing.
    """
    if any(not trigger.pattern.startswith("en.") for trigger in one.triggers):
        # The weights were learned on English.
        return cued
    if asks_to_keep(one.text) or states_choice(one.text):
        return find_veto(one.text, agent_text, least=1) not in _NOT_THEIRS
    if opening and states_lasting(one.text):
        return True
    if find_veto(one.text, agent_text, least=1 if cued else LEAST_CONTENT):
        return False
    return weights.is_above(features, CUED_BELOW if cued else 0.0)


def asks_to_keep(text: str) -> bool:
    """Whether the user says in so many words that it is to be kept, or states a rule or a way back as such."""
    return _KEEP.match(text) is not None or _LASTS.search(text) is not None


def build_statement(
    one: UserSentence, features: Features, weights: StatementWeights, before: Turn | None = None
) -> Memory:
    """A sentence as a candidate: its words, whole, the reason that stands with it, and what it answers to."""
    bare = strip_lead(one.text)
    why = find_reasons(one.text, one.after, "\0", ())
    more = f" {one.after}" if why.rationale and why.rationale not in one.text else ""
    kind, category = _kind_of(one.text)
    title = make_title(bare)
    fields = {
        "title": title,
        "body": one.text + more,
        "paths": (),
        "category": category,
        "confidence": _confidence(features, weights),
    }
    if kind is MemoryType.LEARNING:
        fields |= {"fact": title, "category": learning_category(one.text)}
    return add_topic(build_candidate(kind, one.turn, one.text, **fields), one.text, before)


def add_topic(memory: Memory, said: str, before: Turn | None) -> Memory:
    """A candidate with the agent's sentence that the user's few words answer to, named as the agent's."""
    topic = find_topic(said, before.text) if before is not None else ""
    if before is None or not topic or topic in memory.body:
        return memory
    about = subject_terms(topic) & subject_terms(said)
    question = topic if about and memory.type is MemoryType.DECISION and topic.endswith("?") else ""
    return replace(
        memory,
        body=f"{memory.body}\n\nIn answer to the agent's: “{topic}”",
        question=memory.question or question,
        choice=memory.choice or (memory.title if question else ""),
    )


def find_topic(statement: str, answer: str) -> str:
    """The agent's sentence that a statement answers to: the last of those that share most, else its question."""
    own = subject_terms(statement)
    if len(own) >= _SAYS_ENOUGH or not answer.strip():
        return ""
    said = [_strip_markup(each) for each in split_sentences(answer[-_TOPIC_TAIL:])]
    said = [each for each in said if _SHORTEST_TOPIC <= len(each) <= _LONGEST_TOPIC and "…" not in each[:2]]
    shared = [(len(own & subject_terms(each)), each.endswith("?"), at) for at, each in enumerate(said)]
    best = max(shared, default=(0, False, 0))
    if best[0]:
        return said[best[2]]
    return next((each for each in reversed(said[-3:]) if each.endswith("?")), "")


def add_rest(memory: Memory, spoken: Sequence[UserSentence]) -> Memory:
    """A candidate of a short prompt with all that the prompt says: the sentence beside it often says why, or where."""
    whole = " ".join(" ".join(one.text.split()) for one in spoken)
    if (
        len(spoken) < 2
        or len(whole) > _SHORT_PROMPT
        or memory.type is MemoryType.FAILURE
        or memory.body.strip() == whole
    ):
        return memory
    return replace(memory, body=f"{memory.body.strip()}\n\nSaid with: “{whole}”")


def find_choices(episode: Episode) -> Iterator[Memory]:
    """What the user answered in forms, where it decides something that outlives the task."""
    for turn in episode.tools:
        for choice in turn.choices:
            if _decides(choice):
                yield _choice_to_memory(turn, choice)


def _strip_markup(words: str) -> str:
    return " ".join(_MARKUP.sub(" ", words).split()).strip(" :")


def _decides(choice: UserChoice) -> bool:
    """Whether an answer says what holds from now on: it was chosen or said in few words, and no step of the work."""
    known = choice.choice in choice.options
    if not known and (len(choice.choice) > _LONGEST_CHOICE or choice.choice.rstrip().endswith(("?", "...", "…"))):
        return False
    if (
        _PUTS_OFF.match(choice.choice)
        or (not known and _ASKS_BACK.match(choice.choice))
        or asks_of_process(f"{choice.question} {choice.choice}")
    ):
        return False
    return not find_veto(f"{choice.question.rstrip('?')}: {choice.choice}".replace("—", ","))


def _choice_to_memory(turn: Turn, choice: UserChoice) -> Memory:
    asked = one_line(choice.question.rstrip(), 160)
    title = answer_title(choice.question, choice.choice)
    rejected = tuple(RejectedOption(option=option, reason="") for option in choice.options if option != choice.choice)
    reason = f"\n\nRationale: {choice.note}" if choice.note else ""
    return build_candidate(
        MemoryType.DECISION, turn, choice.choice, title=title, question=asked, choice=choice.choice, rejected=rejected,
        body=f"{choice.question}\n\n{choice.choice}{reason}", said_by=SaidBy.USER, confidence=0.9,
    )  # fmt: skip


def _kind_of(text: str) -> tuple[MemoryType, str]:
    if _FAILED.search(text):
        return MemoryType.FAILURE, ""
    if _LOCATION.search(text) and not _CHOOSES.match(strip_lead(text)):
        return MemoryType.LEARNING, ""
    if _CHOOSES.search(text):
        return MemoryType.DECISION, ""
    if _RULE.search(text) or _PREFERS.search(text):
        return MemoryType.PATTERN, "preference"
    return MemoryType.DECISION, ""


def _confidence(features: Features, weights: StatementWeights) -> float:
    return round(min(0.9, max(0.5, 0.65 + 0.1 * (weights.score(features) - weights.floor))), 2)
