"""Plans against memory without `enforce`: what a sentence takes up that was turned down, forbidden, or tried before.

Words alone, so a paraphrase is missed; what is said is said of sentences that share nearly all that a memory forbids.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from holdfast.check.plan_text import Sentence
from holdfast.core.finding import Finding, Severity
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.index.terms import query_terms, split_terms
from holdfast.recall.relevance import GENERIC
from holdfast.recall.words_lane import FUNCTION_WORDS

REJECTED, INVARIANT, DEAD_END = "rejected", "invariant", "dead_end"
PROPOSED_AND_ABOUT, PROPOSED, NAMED_AND_ABOUT = 0.85, 0.75, 0.6
LEAST = 0.5
# Of what a memory forbids or tried, so much must stand in a sentence; and at least so many words of it.
SHARE = 0.7
ENOUGH = 2
MOST_WORDS = 4
BODY = 400
_WORD = re.compile(r"[^\W_](?:[\w.+#/'’-]*[\w+#])?")
_CLAUSE = re.compile(
    r",\s+(?:but|and then|so|which|since|because|as)\b|\s+(?:but|because|since|although|whereas)\s+|[;:]\s|\s[–—]\s"
)
# Words before a name by which it is turned down, within a few words.
_DENIES = word_set(
    "not no never without avoid avoiding instead than don't dont doesn't won't cannot can't drop dropping dropped "
    "remove removing removed delete deleting replace replacing replaced retire retiring uninstall ban deprecate "
    "off unlike versus vs nor stop stopping leave leaving disable disallow forbid reject rejected rejecting "
    "skip why old last remaining legacy former previous existing compare comparing compared document away"
)
_DENIES_AFTER = word_set("rejected forbidden out deprecated not isn't wasn't never gone off-limits banned")
_PROPOSES = word_set(
    "use using uses add adding introduce introducing install installing adopt adopting switch switching move moving "
    "migrate migrating go going with via through on in by to into build building choose pick import bring set spin run "
    "running store write writing keep put send ship deploy integrate try expose offer schedule open load take "
    "swap port connect read reading from create pull roll bootstrap style format render hash"
)
_BRINGS = word_set(
    "use using uses add adding adds introduce introducing install installing installs adopt adopting import importing "
    "require requiring bring bringing pull pulling choose choosing pick picking switch switching move moving migrate "
    "migrating depend depending integrate include including take"
)
_BETWEEN = word_set(
    "the a an our new on to in into python package library module dependency node npm rust go ruby latest"
)
_BY_MEANS_OF = word_set("with via through by")
_MAKES = word_set(
    "implement implementing build building write writing rewrite rewriting replace replacing swap swapping do make "
    "fetch fetching call calling download downloading send port porting"
)
_COUNTED = word_set("per from are is were was that which come coming go made sent received against between")
_ASIDE = frozenset(("instead", "rather", "opposed", "away"))
# `from NAME` and `over NAME` turn it down after these alone: settings may be read from it, an API exposed over it.
_LEAVES = word_set("move moving moves migrate migrating migrates switch switching away port porting change changing")
_PREFERS = word_set("chose choose chosen choosing prefer preferred prefers pick picked favour favor rather")
# Everyday words that options are also called by: alone, they are no name.
_EVERYDAY = frozenset(
    query_terms(
        "cron float files file local time react express passwords cloud mail forever everything none "
        "nothing manual polling threads vue one all snapshots json yaml css own cache session "
        "table stripe python go rust c java environment variables flag string strings integer queue script scripts"
    )
)
_PROHIBITS = re.compile(
    r"\b(?:never|do(?:es)? not|don['’]t|doesn['’]t|must not|mustn['’]t|may not|cannot|can['’]t|should not|shouldn['’]t|"
    r"not allowed to|forbids?|forbidden|nobody|no one|nothing)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"^no\s+(?!longer\b|more\b)", re.IGNORECASE)
_STAYS = re.compile(r"^(?P<what>.{3,60}?)\s+(?:stays?|remains?)\s+in\s+(?P<where>.{2,60})$", re.IGNORECASE)
_KNOWS_NOTHING = re.compile(r"^(?P<who>[\w/-]+)\s+knows\s+nothing\s+of\s+(?P<what>[\w/-]+)", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:but|except|unless|other than|apart from|outside(?: of)?|only in)\b", re.IGNORECASE)
_ALWAYS = re.compile(r"\b(?:always|must|every|each|all)\b", re.IGNORECASE)
_LEAVES_OUT = re.compile(
    r"\b(?:without|skip(?:s|ping)?|bypass(?:es|ing)?|disabl(?:es?|ing)|turn(?:s|ing)? off|omit(?:s|ting)?|"
    r"leav(?:es?|ing) out|do(?:es)? not|don['’]t|instead of|no)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|none|without|avoid\w*|instead of|rather than|don['’]t|doesn['’]t|cannot|can['’]t|won['’]t|"
    r"stop\w*|remov\w+|delet\w+|drop\w*|prevent\w*|forbid\w*|refus\w+|ensure|out of|away from|replac\w+|test that|"
    r"make sure|take \S+ out|(?:switch|mov|migrat|port|chang)\w*(?:\s+\w+){0,3}?\s+from)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r",\s*(?:or\s+|and\s+)?|\s+or\s+|\s+nor\s+")
_LACKED = re.compile(r"\b(?:not|no|without|lack\w*|missing)\s+(.{2,60})", re.IGNORECASE)
_OUTCOME = re.compile(
    r"\s+(?:was found|made|broke|broken|crash\w*|fail\w*|leak\w*|lock\w*|block\w*|lost|lose\w*|ran out|ran dry|hung|"
    r"took|was|were|corrupt\w*|could not|did not|does not|differed|vanished|stopped|never|caused)\b.*$",
    re.IGNORECASE,
)
_FAILED = frozenset(
    query_terms(
        "fail failed failure tried try broke broken break crash crashed error errors slow slower was were made make "
        "found did took take after before under could when during too times minutes seconds hours days"
    )
)


class _Mention(Value):
    """A name in a sentence: whether it is turned down there, proposed, or added by a verb right before it."""

    denied: bool
    proposed: bool
    brought: bool = False


class _Topic(Value):
    """What a decision is about: by its question alone, and by all that it says."""

    asked: frozenset[str]
    all: frozenset[str]


class _CutSentence:
    """A sentence, cut once."""

    def __init__(self, sentence: Sentence) -> None:
        self.line, self.text = sentence.line, sentence.text

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its telling terms."""
        return _telling_stems(self.text)

    @cached_property
    def clauses(self) -> list[list[str]]:
        """The words of its clauses, in lower case, marks kept inside."""
        return [[word.lower() for word in _WORD.findall(part)] for part in _CLAUSE.split(self.text)]

    @cached_property
    def negative(self) -> bool:
        """Whether it says no to something."""
        return bool(_NEGATIVE.search(self.text))


def find_recalled(memories: Iterable[Memory], sentences: Sequence[Sentence]) -> Iterator[Finding]:
    """What sentences break, the surest finding of each memory and line."""
    said = [_CutSentence(sentence) for sentence in sentences]
    everything = frozenset().union(*(each.terms for each in said))
    for memory in memories:
        found = [
            *_find_rejected_options(memory, said, everything),
            *_find_forbidden(memory, said, everything),
            *_find_left_out(memory, said, everything),
            *_find_tried(memory, said, everything),
        ]
        best: dict[int, Finding] = {}
        for each in sorted(found, key=lambda each: -each.confidence):
            best.setdefault(each.line or 0, each)
        yield from best.values()


def find_additions(name: str, sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences that say, with a verb of its own, that a package or module is to be added or used."""
    words = [word.lower() for word in _WORD.findall(name)]
    for sentence in sentences if words else ():
        said = [_mentions(clause, words) for clause in _CutSentence(sentence).clauses]
        mentions = [mention for clause in said for mention in clause]
        if any(mention.brought for mention in mentions) and not any(mention.denied for mention in mentions):
            yield sentence


# Rejected options


def _find_rejected_options(
    memory: Memory, said: Sequence[_CutSentence], everything: frozenset[str]
) -> Iterator[Finding]:
    topic = _topic(memory)
    for option in memory.rejected:
        name = option.option.strip().strip("`'\"")
        words = [word.lower() for word in _WORD.findall(name)]
        if not words or len(words) > MOST_WORDS or not _telling_stems(name) or not _telling_stems(name) <= everything:
            continue
        why = f": {option.reason}" if option.reason else ""
        for sentence in said:
            sure = _rate_sureness(name, words, sentence, topic, everything)
            if sure >= LEAST:
                yield _finding(memory, REJECTED, f"rejected {name!r}{why}", sentence, sure, name)


def _rate_sureness(
    name: str, words: list[str], sentence: _CutSentence, topic: _Topic, everything: frozenset[str]
) -> float:
    mentions = [found for clause in sentence.clauses for found in _mentions(clause, words)]
    if not mentions or any(mention.denied for mention in mentions):
        return 0.0
    own = _telling_stems(name)
    named = _is_name(name) or _written_as_name(name, sentence.text)
    shared = (topic.all if named else topic.asked) & sentence.terms - own
    about = bool(shared) or len((topic.all - own) & (everything - own)) >= ENOUGH
    proposed = any(mention.proposed for mention in mentions)
    brought = any(mention.brought for mention in mentions) and not own <= _EVERYDAY
    if brought and topic.all & sentence.terms - own:
        return PROPOSED_AND_ABOUT
    if proposed and about:
        return PROPOSED_AND_ABOUT
    # `add memcached` and no more: what else could it be about?
    if (proposed and named) or (brought and not sentence.terms - own):
        return PROPOSED
    return NAMED_AND_ABOUT if about and named else 0.0


def _mentions(clause: list[str], words: list[str]) -> Iterator[_Mention]:
    bare = [word.strip("'’").removesuffix("'s").removesuffix("’s") for word in clause]
    for at in range(len(bare) - len(words) + 1):
        if not all(_same_word(bare[at + place], word) for place, word in enumerate(words)):
            continue
        before, after = bare[max(0, at - 5) : at], bare[at + len(words) : at + len(words) + 4]
        denied = bool(_DENIES.intersection(before)) or bool(_DENIES_AFTER.intersection(after[:3]))
        denied = denied and not _is_replacement(before)
        denied |= "over" in before and not _PREFERS.isdisjoint(bare[:at])
        denied |= "from" in before[-3:] and not _LEAVES.isdisjoint(bare[:at])
        proposed = at == 0 or bool(_PROPOSES.intersection(before))
        yield _Mention(denied=denied, proposed=proposed, brought=_is_addition(before, after))


def _is_addition(before: list[str], after: list[str]) -> bool:
    """`add the NAME`, `switch to NAME`: a verb, with little between. Of what, `requests per second` says, not it."""
    if after and after[0] in _COUNTED:
        return False
    near = before[-4:]
    while near and near[-1] in _BETWEEN:
        near = near[:-1]
    if near and near[-1] in _BY_MEANS_OF:
        return not _MAKES.isdisjoint(before)
    return bool(near) and near[-1] in _BRINGS


def _is_replacement(before: list[str]) -> bool:
    """`replace X with NAME`, `move from X to NAME`: what denies stands before what is taken instead."""
    denies = max((place for place, word in enumerate(before) if word in _DENIES), default=-1)
    turns = max((place for place, word in enumerate(before) if word in {"with", "to", "by"}), default=-1)
    return turns > denies and not _ASIDE.intersection(before)


def _same_word(one: str, other: str) -> bool:
    return one == other or one == f"{other}s" or one.replace("-", "") == other.replace("-", "")


def _is_name(name: str) -> bool:
    """Whether it stands for one thing alone, and not for an everyday word."""
    found = _telling_stems(name)
    shaped = any(character.isupper() or character.isdigit() or character in "-._/" for character in name)
    return shaped and not found <= _EVERYDAY


def _written_as_name(name: str, text: str) -> bool:
    """Whether a sentence writes it with a capital where no sentence begins: `in React`, and not `React to it`."""
    return name[:1].isupper() and bool(re.search(rf"\S\s+{re.escape(name)}(?!\w)", text))


def _topic(memory: Memory) -> _Topic:
    options = frozenset(term for each in memory.rejected for term in query_terms(each.option))
    chosen = " ".join([memory.question, memory.title, memory.choice, *memory.tags])
    return _Topic(asked=_telling_stems(memory.question) - options, all=_telling_stems(chosen) - options)


# What must not be, and what must


def _find_forbidden(memory: Memory, said: Sequence[_CutSentence], everything: frozenset[str]) -> Iterator[Finding]:
    if memory.type not in {MemoryType.INVARIANT, MemoryType.DECISION}:
        return
    for clause, allowed in _prohibitions(memory):
        wanted = _telling_stems(clause)
        if len(wanted) < ENOUGH or len(wanted & everything) < ENOUGH:
            continue
        for sentence in said:
            shared = wanted & sentence.terms
            share = len(shared) / len(wanted)
            if share < SHARE or len(shared) < ENOUGH or sentence.negative or (allowed & sentence.terms):
                continue
            reason = f"says {_shorten(memory.title)!r}"
            yield _finding(memory, INVARIANT, reason, sentence, LEAST + 0.35 * share, _shorten(clause))


def _prohibitions(memory: Memory) -> Iterator[tuple[str, frozenset[str]]]:
    """What a memory says is not to be, each with the words of its exception."""
    for text in [memory.title, memory.choice, *_first_sentences(memory)]:
        said = " ".join(text.split()).rstrip(".")
        stays, knows = _STAYS.match(said), _KNOWS_NOTHING.match(said)
        if stays:
            yield stays["what"], _telling_stems(stays["where"])
            continue
        if knows:
            yield f"{knows['who']} import {knows['what']}", frozenset()
            continue
        found = _PROHIBITS.search(said) or _NO.match(said)
        if not found:
            continue
        except_ = _EXCEPT.search(said, found.end())
        allowed = _telling_stems(said[except_.end() :]) if except_ else frozenset()
        core = said[: except_.start()] if except_ else said
        # Who forbids it is no part of what is forbidden.
        subject = "" if found[0].lower().startswith("forbid") else core[: found.start()]
        yield from ((f"{subject} {each}", allowed) for each in _split_prohibition(core[found.end() :]))


def _split_prohibition(clause: str) -> Iterator[str]:
    """`log tokens, passwords or card numbers` is three things that are not to be done."""
    first, *others = _LISTED.split(clause)
    if len(others) < ENOUGH:
        yield clause
        return
    yield first
    verb = next(iter(first.split()), "")
    yield from (f"{verb} {other}" for other in others)


def _find_left_out(memory: Memory, said: Sequence[_CutSentence], everything: frozenset[str]) -> Iterator[Finding]:
    if memory.type is not MemoryType.INVARIANT:
        return
    wanted = _telling_stems(_ALWAYS.sub(" ", memory.title))
    if not _ALWAYS.search(memory.title) or _PROHIBITS.search(memory.title) or len(wanted & everything) < ENOUGH:
        return
    for sentence in said:
        leaves = _LEAVES_OUT.search(sentence.text)
        if not leaves:
            continue
        shared = wanted & sentence.terms
        after = wanted & _telling_stems(sentence.text[leaves.end() :])
        share = len(shared) / len(wanted)
        if share >= SHARE and len(shared) >= ENOUGH and after:
            yield _finding(memory, INVARIANT, f"says {_shorten(memory.title)!r}", sentence, LEAST + 0.3 * share, "")


# Dead ends


def _find_tried(memory: Memory, said: Sequence[_CutSentence], everything: frozenset[str]) -> Iterator[Finding]:
    if memory.type is not MemoryType.FAILURE:
        return
    wanted = _telling_stems(_tried_thing(memory.title)) - _FAILED
    if len(wanted) < ENOUGH or len(wanted & everything) < ENOUGH:
        return
    lacked = _LACKED.search(memory.root_cause)
    remedy = _telling_stems(lacked[1]) if lacked else frozenset()
    for sentence in said:
        shared = wanted & sentence.terms
        share = len(shared) / len(wanted)
        # What the failure lacked is there this time.
        mended = bool(remedy) and remedy <= sentence.terms
        if share >= SHARE and len(shared) >= ENOUGH and not sentence.negative and not mended:
            cause = f" ({_shorten(memory.root_cause)})" if memory.root_cause else ""
            reason = f"was tried before and failed: {_shorten(memory.title)}{cause}"
            yield _finding(memory, DEAD_END, reason, sentence, LEAST + 0.3 * share, "")


def _tried_thing(title: str) -> str:
    """A dead end's title without how it ended: `Rate limiting by IP address blocked a university`."""
    cut = _OUTCOME.sub("", title)
    return cut if len(_telling_stems(cut) - _FAILED) >= ENOUGH else title


# What they share


def _first_sentences(memory: Memory) -> list[str]:
    if memory.type is not MemoryType.INVARIANT:
        return []
    return re.split(r"(?<=[.!?])\s+|\n+", memory.body[:BODY])[:3]


def _telling_stems(text: str) -> frozenset[str]:
    """The stems of a text that tell what it is about."""
    return frozenset(term for term in split_terms(text) if len(term) > 1) - FUNCTION_WORDS - GENERIC


def _shorten(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 100 else f"{said[:99]}…"


def _finding(memory: Memory, rule: str, reason: str, sentence: _CutSentence, sure: float, what: str) -> Finding:
    return Finding(
        memory=memory.id, severity=Severity.WARNING, rule=rule, reason=_shorten(reason), title=memory.title,
        line=sentence.line, what=what, confidence=round(min(sure, 0.95), 2),
    )  # fmt: skip
