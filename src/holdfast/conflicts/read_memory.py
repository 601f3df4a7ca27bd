"""A memory as the rules read it: its sentences, what it is about, what it takes and what it turns down."""

import re
from collections.abc import Iterable, Iterator, Mapping

from holdfast.conflicts import word_groups
from holdfast.conflicts.amounts import Amount, find_amounts, without_amounts
from holdfast.conflicts.comparable_words import (
    Word,
    axis_poles,
    light_forms,
    negations,
    split_words,
    table_groups,
    total_weight,
    weigh_forms,
)
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.value import Value, replace

LONGEST_SENTENCE = 400
MOST_SENTENCES = 60
BODY = 6000
LONGEST_OPTION = 8
LONGEST_PHRASE = 5
MOST_OPTIONS = 30
# In a bag of words, a word of the title stands for so many; with so many it counts for half of what it can.
TIMES = {"title": 15.0, "choice": 5.0, "fact": 5.0}
HALF = 5.0
TITLE, CHOICE, FACT, BODY_PLACE = "title", "choice", "fact", "body"
_ENDS = re.compile(r"(?<=[.;!?])\s+|;\s*|\n+|:\s+(?=\S)|,?\s+(?:but|and(?=\s+(?:never|not|do not|don't|no)\b))\s+")
_MARKS = re.compile(r"^[\s>#*+-]+|[*_`\"“”]+|!?\[([^\]]*)\]\([^)]*\)|<[^>]{1,200}>")
_OPTION_NAME = re.compile(
    r"^\s*(?:(?:option|alternative|solution|approach)\s*(?:\d+|[a-z])?|[a-z]|\d+)\s*(?:[:.)]|\s[-–—])\s+", re.IGNORECASE
)
# `use X for Y`, `X for Y`
_USES = re.compile(
    r"^(?:we\s*)?(?:will\s+|should\s+|must\s+|always\s+|now\s+)*(?:['’]re\s+on|are\s+on|use|using|adopt|choose|chose|pick(?:ed)?|prefer|go(?:ing)?\s+with|went\s+(?:with|for)|stick(?:ing)?\s+(?:with|to)|settled?\s+on|switch(?:ed)?\s+to|move(?:d)?\s+to|migrate\s+to|introduce)\s+"
    r"(?P<what>.+?)(?:\s+(?:for|as|to|in|on|when|across|between|at)\s+(?P<purpose>.+))?$",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"^(?:(?:we|our|the|i|decision|team|have|has|had|is|was|will|would|should|to|now|are|going|'ve|’ve|we've|we’ve|we'll|proceed|continue)\s+"
    r"|(?:decided|chosen|agreed|opted)\s+)*(?:use|using|adopt|choose|chosen|pick|prefer|go\s+with|on|for|switch\s+to|move\s+to|migrate\s+to|introduce)\s+"
    r"(?P<what>[\w.+#/`&-]+(?:\s+[\w.+#/`&-]+){0,5}?)(?=\s+(?:for|as|to|in|on|when|across|because|due|since|instead|rather|over)\b|[,.;:(]|$)",
    re.IGNORECASE,
)
# `Y is written with X`
_DONE_WITH = re.compile(
    r"^(?P<purpose>.+?)\s+(?:is|are|be|gets?)\s+(?:\w+\s+)?(?:\w+(?:ed|en|un|wn|ept|ilt|ent|uilt|ade|one)|in|on)\s+(?:with|in|on|by|through|via|using|to|into|as|as\s+an?)\s+(?P<what>[^,.]+?)$",
    re.IGNORECASE,
)
# `Y uses X`
_USED_BY = re.compile(r"^(?P<purpose>[^,;]{2,60}?)\s+(?:uses?|runs?\s+on)\s+(?P<what>[^,;.]{2,60})$", re.IGNORECASE)
# `X for Y`, and no more: a report in few words
_JUST = re.compile(r"^(?P<what>[\w.+#/-]+(?:\s+[\w.+#/-]+)?)\s+for\s+(?P<purpose>(?:\S+\s*){1,6})$", re.IGNORECASE)
# What is set aside in the same breath: `X instead of Y`, `X, not Y`, `without Y`, `prefer X over Y`.
_AFTER = (
    r"(?P<what>[\w.+#/-]+(?:\s+[\w.+#/-]+){0,3}?)"
    r"(?=\s+(?:for|in|on|as|to|at|when|because|by|from|so|and|if|since|unless)\b|[,.;:!?)]|$)"
)
_ASIDE = re.compile(
    r"(?P<cut>(?:\s+(?:instead\s+of|rather\s+than|as\s+opposed\s+to|in\s+place\s+of|without)\s+"
    r"|[,;:]\s*(?:and\s+|so\s+)?(?:(?:not|never)\s+(?:as\s+|in\s+|with\s+|by\s+|on\s+|the\s+)?|no\s+(?!longer\b|more\s+than\b))"
    rf"){_AFTER}),?",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\b(?:prefer|favou?r|choos|chose|pick|like)\w*\b[^.;]{{1,80}}?(?P<cut>\s+over\s+{_AFTER})", re.IGNORECASE
)
_KEPT_OUT = re.compile(r"\bkeep(?:s|ing)?\s+(?:\w+\s+){1,3}out\s+of\b", re.IGNORECASE)
_NO_LONGER = re.compile(
    r"\b(?:no longer|not any\s?more|any\s?more|not only|no more than|no less than|not just)\b", re.IGNORECASE
)


class Claim(Value):
    """One sentence: its words by weight, whether it says no, and what of it can be in conflict."""

    text: str
    place: str
    words: Mapping[str, float]
    order: tuple[Word, ...]
    negative: bool
    amounts: tuple[Amount, ...] = ()
    poles: Mapping[str, tuple[bool, frozenset[str]]]
    families: Mapping[str, frozenset[str]]


class ClaimedOption(Value):
    """Something that is taken or turned down: its words, how it is written, and why. `aside`: named in passing."""

    words: Mapping[str, float]
    text: str
    reason: str = ""
    names: frozenset[str] = frozenset()
    aside: bool = False

    @property
    def short(self) -> bool:
        """Whether it is a name or a phrase, and not a whole sentence."""
        return len(self.words) <= LONGEST_PHRASE


class MemoryReading(Value):
    """A memory read: what the rules go by. `topic` is what it is about, without what it takes."""

    memory: Memory
    claims: tuple[Claim, ...]
    head: Mapping[str, float]
    topic: Mapping[str, float]
    question: Mapping[str, float]
    takes: tuple[ClaimedOption, ...]
    drops: tuple[ClaimedOption, ...]
    contexts: Mapping[str, frozenset[str]]
    bag: Mapping[str, float]


def read_memory(memory: Memory) -> MemoryReading:
    """Read a memory once, to compare it with many."""
    claims = tuple(_claims(memory))
    top = [claim for claim in claims if claim.place != BODY_PLACE]
    choice, purpose = _find_choice(memory, top)
    head = _join_weights(claim.words for claim in top)
    return MemoryReading(
        memory=memory,
        claims=claims,
        head=head,
        topic=_topic(memory, choice, purpose),
        question=weigh_text(memory.question[:LONGEST_SENTENCE]),
        takes=(_option(choice),) if choice else (),
        drops=tuple(_rejected_options(memory, claims)),
        contexts=_contexts(head),
        bag=_bag(claims),
    )


def texts_for_nearness(memory: Memory) -> tuple[str, ...]:
    """The texts that nearness is asked about: all that the memory says at its head, and its question."""
    said = ". ".join(dict.fromkeys(filter(None, (memory.title, memory.question, memory.choice, memory.fact))))
    if not memory.choice and not memory.fact and memory.body:
        said = f"{said}. {memory.body[:LONGEST_SENTENCE]}"
    return (said[: 2 * LONGEST_SENTENCE], memory.question[:LONGEST_SENTENCE])


def claim_of(text: str, place: str = TITLE) -> Claim:
    """One sentence, read. What it sets aside is not what it says."""
    kept = split_aside(text)[0]
    order = split_words(without_amounts(kept))
    forms = {word.form for word in order}
    return Claim(
        text=text,
        place=place,
        words=weigh_forms(order),
        order=tuple(order),
        negative=_is_negative(kept, order),
        amounts=find_amounts(text),
        poles=_poles(forms),
        families=_group_forms(forms, table_groups(word_groups.FAMILIES)),
    )


def split_aside(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without what it sets aside in the same breath, and that."""
    cuts: list[str] = []
    for pattern in (_ASIDE, _OVER):
        for found in reversed(list(pattern.finditer(text))):
            cuts.append(found["what"])
            text = text[: found.start("cut")] + text[found.end("cut") :]
    return text, tuple(cuts)


def _poles(forms: Iterable[str]) -> dict[str, tuple[bool, frozenset[str]]]:
    """Where a sentence stands on each axis; one that names both poles stands nowhere."""
    sides: dict[str, dict[bool, set[str]]] = {}
    for form in forms:
        if form in axis_poles():
            axis, side = axis_poles()[form]
            sides.setdefault(axis, {}).setdefault(side, set()).add(form)
    return {
        axis: (side, frozenset(held))
        for axis, found in sides.items()
        if len(found) == 1
        for side, held in found.items()
    }


def _group_forms(forms: Iterable[str], kinds: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for form in forms:
        for kind in kinds.get(form, ()):
            found.setdefault(kind, set()).add(form)
    return {kind: frozenset(members) for kind, members in found.items()}


def weigh_text(text: str) -> dict[str, float]:
    """What the words of a text weigh, numbers apart."""
    return weigh_forms(split_words(without_amounts(text)))


def split_sentences(text: str) -> Iterator[str]:
    """The sentences and clauses of a text, without its marks."""
    for part in _ENDS.split(text[:BODY]):
        plain = _MARKS.sub(lambda mark: mark[1] or "", part).strip(" .,;:!?|")
        if plain:
            yield plain[:LONGEST_SENTENCE]


def remove_part(text: str, part: str) -> str:
    """A text without the first place where a part stands in it."""
    if not part:
        return text
    found = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE)
    return f"{text[: found.start()]} {text[found.end() :]}" if found else text


def _claims(memory: Memory) -> Iterator[Claim]:
    """The sentences of a memory, what is said first before the body; each once."""
    given = ((TITLE, memory.title), (CHOICE, memory.choice), (FACT, memory.fact), (BODY_PLACE, memory.body))
    seen: set[str] = set()
    for place, text in given:
        for sentence in split_sentences(text):
            if sentence.casefold() in seen or len(seen) >= MOST_SENTENCES:
                continue
            seen.add(sentence.casefold())
            yield claim_of(sentence, place)


def _is_negative(text: str, order: Iterable[Word]) -> bool:
    plain = _NO_LONGER.sub(" ", text)
    kept = split_words(plain) if plain != text else order
    count = sum(word.form in negations() for word in kept) + bool(_KEPT_OUT.search(text))
    return count % 2 == 1


def _find_choice(memory: Memory, top: Iterable[Claim]) -> tuple[str, str]:
    """What a memory takes, and for what: the choice, or what the first sentence says is used."""
    if memory.choice:
        return _option_name(memory.choice), ""
    if memory.type is MemoryType.FAILURE:
        return "", ""
    for claim in top:
        if claim.negative:
            continue
        plain = split_aside(claim.text)[0]
        found = _USES.match(plain) or _DONE_WITH.match(plain) or _USED_BY.match(plain) or _match_known(plain)
        if found and 0 < len(split_words(found["what"])) <= LONGEST_OPTION:
            return found["what"], found["purpose"] or ""
    return "", ""


def _match_known(text: str) -> re.Match[str] | None:
    """`X for Y`, where X is a name that the tables know."""
    found = _JUST.match(text)
    known = found and any(word.form in table_groups(word_groups.FAMILIES) for word in split_words(found["what"]))
    return found if known else None


def _option_name(choice: str) -> str:
    """The option that a choice names: `we have decided to use asdf to manage versions` names asdf."""
    plain = _OPTION_NAME.sub("", next(split_sentences(choice), choice))
    if len(split_words(plain)) <= LONGEST_PHRASE:
        return plain
    found = _DECIDED.match(plain)
    return found["what"] if found else plain


def _topic(memory: Memory, choice: str, purpose: str) -> Mapping[str, float]:
    title = remove_part(split_aside(memory.title[:LONGEST_SENTENCE])[0], choice)
    taken = frozenset(word.form for word in split_words(choice) if word.name)
    named = weigh_text(purpose) if purpose else {f: weight for f, weight in weigh_text(title).items() if f not in taken}
    for option in memory.rejected[:MOST_OPTIONS]:
        for form in weigh_text(option.option[:LONGEST_SENTENCE]):
            named.pop(form, None)
    return named


def _option(text: str, reason: str = "") -> ClaimedOption:
    found = split_words(without_amounts(split_aside(text[:LONGEST_SENTENCE])[0]))
    return ClaimedOption(
        words=weigh_forms(found), text=text.strip(), reason=reason.strip(),
        names=frozenset(word.form for word in found if word.name and word.weight),
    )  # fmt: skip


def _rejected_options(memory: Memory, claims: Iterable[Claim]) -> Iterator[ClaimedOption]:
    for option in memory.rejected[:MOST_OPTIONS]:
        yield _option(_OPTION_NAME.sub("", option.option), option.reason)
    for claim in claims:
        if claim.place == BODY_PLACE and memory.rejected:
            continue
        for cut in split_aside(claim.text)[1]:
            given = replace(_option(cut), aside=True)
            telling = given.names or (claim.place == TITLE and not set(given.words) <= light_forms())
            if total_weight(given.words) and telling:
                yield given


def _contexts(head: Mapping[str, float]) -> Mapping[str, frozenset[str]]:
    return _group_forms(head, table_groups(word_groups.CONTEXTS))


def _bag(claims: Iterable[Claim]) -> Mapping[str, float]:
    """All words, with how often they stand there; the first sentence counts for several."""
    found: dict[str, float] = {}
    for claim in claims:
        for word in claim.order:
            if word.weight:
                found[word.form] = found.get(word.form, 0.0) + TIMES.get(claim.place, 1.0)
    return {form: times / (times + HALF) for form, times in found.items()}


def _join_weights(many: Iterable[Mapping[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in many:
        found.update(each)
    return found
