"""What an agent offered, and what the user took of it: "Redis or SQLite?" – "the second one, less to run"."""

import re

from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.phrases.prose import split_sentences

_TAIL = 1600
_LONGEST = 90
_ITEM = re.compile(
    r"^\s*(?:[-*•]\s+)?(?:\*\*)?(?:(?:option|variant|approach|plan|alternative)\s+)?\(?(?P<key>[A-Ea-e]|"
    r"[1-9])(?:\*\*)?(?:[.):]|\s[–—-])(?:\*\*)?"
    r"\s+(?P<text>\S.*)$",
    re.IGNORECASE,
)
_FIRST_ITEM = re.compile(
    r"^\s*(?:[-*•]\s+)?(?:\*\*)?(?:(?:option|variant|approach|plan|alternative)\s+)?\(?(?:[Aa]|1)(?:\*\*)?"
    r"(?:[.):]|\s[–—-])(?:\*\*)?\s+\S",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:#{1,6}\s+|\d{1,2}[.)]\s+|[-*•]\s+)+")
_MARKED = re.compile(r"\s*(?:#{1,6}\s+\S|\d{1,2}[.)]\s+\S|\*\*\S)")
_NO_HEADING = re.compile(
    r"(?:some |your |the |a few |two |three |four |here are |possible |my )*(?:options?|choices|ideas|alternatives|"
    r"suggestions?|approaches|recommendations?|variants)\b.{0,20}$|"
    r".*\b(?:two|three|four|five|six|\d) (?:\w+ )?(?:options|choices|ways|things|approaches|ideas|names)\b|"
    r"[^\"]*\"[^\"]*$",
    re.IGNORECASE,
)
_ABOVE, _LONGEST_HEADING = 2, 12
_NAME_ENDS = re.compile(r":\s|\s[–—-]\s|\s\(|\.\s|;\s|, (?:which|so|but|because|since)\b")
_BEFORE = re.compile(
    r".*(?:[:;,(–—]|\b(?:either|use|using|want|prefer|between|with|in|on|to|be|do|as|take|via|by|have|go|for|keep|"
    r"pick|choose|"
    r"entweder|nehmen|mit|soit|utiliser|avec|entre|usar|con)\b)\s+(?:it |them |this |the config |either |me to )?",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[?.;:!(]\s|[?.!]$|,\s|\s(?:for|here|instead|as the|to store|when|if|that|which|für|pour|para)\b")
_LEADING = re.compile(
    r"^(?:do you want |would you (?:prefer|rather have|like) |should (?:it|i|we) (?:be|use) |rather |shall i use )?"
    r"(?:in |on |with |to |use |using |a file of its own, |via |by |as |the |a |an |mit |avec |con |en )?",
    re.IGNORECASE,
)
_NUMBERS = {
    "first": 0, "1st": 0, "former": 0, "erste": 0, "ersten": 0, "erstere": 0, "premier": 0, "première": 0,
    "primero": 0, "primera": 0, "second": 1, "2nd": 1, "zweite": 1, "zweiten": 1, "letztere": -1, "deuxième": 1,
    "seconde": 1, "segundo": 1, "segunda": 1, "third": 2, "3rd": 2, "dritte": 2, "dritten": 2, "troisième": 2,
    "tercero": 2, "tercera": 2, "latter": -1, "last": -1,
}  # fmt: skip
_FILLERS = word_set(
    "ok okay yes yeah yep let's lets go with for i'd i'll take do use pick choose please hm hmm the option number # "
    "one approach variant i "
    "would like prefer definitely then nimm nehmen wir die den das lieber ja bitte je prends prenons le la oui elijo "
    "usa sí vamos "
    "con el we we'll want plan think say vote rather use: alternative keep stick"
)
# What may follow an ordinal that names an option.
_ORDINAL_ENDS = word_set(
    "one option approach variant please because since it is as for and but then variante weil parce porque"
)
_YES = re.compile(
    r"(?:(?:yes|yep|yeah|yup|sure|ok|okay|go ahead|go for it|do it|do that|do so|sounds (?:good|great)|looks good|"
    r"please do|"
    r"please|agreed|perfect|great|absolutely|exactly|of course|good idea|right|correct|that|it|this|then|thanks|"
    r"thank you|"
    r"with that|works(?: for me)?|let's do (?:it|that)|ja|genau|mach das|einverstanden|gerne|bitte|oui|d'accord|vas-y|"
    r"bien sûr|sí|si|vale|dale|hazlo|claro|好的?|可以|行)(?:[\s,.!]+|$))+",
    re.IGNORECASE,
)
_YES_LIMIT = 60
_NO_YES = word_set("that it this then thanks thanks! right right.")
_DESIGN = re.compile(
    r"\b(?:instead of|rather than|switch(?:ing)?|mov(?:e|ing)|adopt(?:ing)?|replac(?:e|ing)|migrat(?:e|ing)|us(?:e|"
    r"ing)|keep(?:ing)?|"
    r"stor(?:e|ing)|split(?:ting)?)\b",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"^(?:(?:so|then|ok|great),? )?(?:should i|shall i|shall we|should we|do you want me to|want me to|would you "
    r"like me to|i(?:'d| would)? "
    r"(?:suggest|propose|recommend)|my (?:suggestion|recommendation|proposal) is|soll ich|dois-je|¿?quieres que|"
    r"¿?debo)\b\s*(?:that we |to )?",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"(?:from (?P<old2>[^,;?]{2,60}?) to (?P<new2>[^,;?]{2,60}?)|(?:to|use|using|adopt|adopting) "
    r"(?P<new>[^,;?]{2,60}?) (?:instead of|rather "
    r"than) (?P<old>[^,;?]{2,60}?))(?=[,;?.]|$| (?:since|because|for|so)\b)",
    re.IGNORECASE,
)  # fmt: skip
_ASKED = re.compile(r"^(?:what|how) about (?P<x>[^?,;]{2,60}?)(?: (?:for|as|in|here|instead)\b[^?]*)?\?$|^(?:could|"
                    r"can|should) we use "
                    r"(?P<x2>[^?,;]{2,60}?)(?: (?:for|as|in|here|instead)\b[^?]*)?\?$", re.IGNORECASE)  # fmt: skip


class OfferPick(Value):
    """The option a user took, those they left, the words after it, the question that was asked, and what a list of
    options stands under.
    """

    choice: str
    others: tuple[str, ...]
    rest: str
    asked: str
    about: str = ""


class DesignProposal(Value):
    """A design an agent proposed in one sentence, and what it would be and replace, where that can be read off."""

    quote: str
    text: str
    choice: str = ""
    rejected: str = ""


def find_options(answer: str) -> tuple[tuple[str, ...], str]:
    """What the end of an answer offers to choose from, and the question it asks; nothing when it is not clear."""
    tail = answer[-_TAIL:]
    listed = _listed_options(tail)
    if len(listed) > 1:
        return listed, ""
    return _either_options(tail)


def find_pick(words: str, answer: str) -> OfferPick | None:
    """What a message takes of what the answer before it offered."""
    options, asked = find_options(answer)
    if len(options) < 2:
        return None
    line = next((line.strip() for line in words.splitlines() if line.strip()), "")
    at, rest = _index(line, options, numbered=not asked)
    if at is None or line.rstrip().endswith("?"):
        return None
    others = tuple(option for number, option in enumerate(options) if number != at)
    return OfferPick(
        choice=options[at], others=others, rest=rest, asked=asked, about="" if asked else _find_heading(answer)
    )


def find_proposal(answer: str) -> DesignProposal | None:
    """The design that an answer proposes at its end, asking for a yes."""
    if "?" not in answer[-300:]:
        return None
    for sentence in reversed(list(split_sentences(answer[-_TAIL:]))[-4:]):
        opened = _PROPOSES.match(sentence)
        if opened and _DESIGN.search(sentence[opened.end() :][:60]):
            text = sentence[opened.end() :].rstrip("?. ")
            parts = _PARTS.search(text)
            found = parts.groupdict() if parts else {}
            return DesignProposal(
                quote=sentence,
                text=text,
                choice=_strip_markup(found.get("new") or found.get("new2") or ""),
                rejected=_strip_markup(found.get("old") or found.get("old2") or ""),
            )
    return None


def says_yes(words: str) -> bool:
    """Whether a message is a plain yes."""
    bare = words.strip()
    return len(bare) <= _YES_LIMIT and _YES.fullmatch(bare) is not None and bare.lower() not in _NO_YES


def question_topic(words: str) -> str:
    """The thing a question is about: "what about HTMX for the admin page?"."""
    found = _ASKED.match(words.strip())
    return _strip_markup(found["x"] or found["x2"]) if found else ""


def _listed_options(tail: str) -> tuple[str, ...]:
    items: list[str] = []
    for line in tail.splitlines():
        found = _ITEM.match(line)
        if not found:
            continue
        key = found["key"].lower()
        number = int(key) - 1 if key.isdigit() else ord(key) - ord("a")
        if number == 0:
            items = []
        if number == len(items):
            items.append(_name(found["text"]))
    return tuple(items) if all(items) else ()


def _find_heading(answer: str) -> str:
    """What the last list of options stands under: "Migration approach. Options:" above "(a) …"."""
    above: list[str] = []
    heading = ""
    for line in answer[-_TAIL:].splitlines():
        if _FIRST_ITEM.match(line):
            heading = next((named for each in reversed(above[-_ABOVE:]) if (named := _name_heading(each))), "")
        if line.strip():
            above.append(line)
    return heading


def _name_heading(line: str) -> str:
    if not _MARKED.match(line) and not line.rstrip(" *").endswith("?"):
        return ""
    said = _strip_markup(_NUMBERED.sub("", line))
    parts = [part.strip(" .:?") for part in re.split(r"(?<=[.?:])\s|\s[–—-]\s", said)]
    named = next((part for part in parts if part and not _NO_HEADING.match(part)), "")
    return named if 1 < len(named.split()) <= _LONGEST_HEADING else ""


def _name(text: str) -> str:
    ends = _NAME_ENDS.search(text)
    return _strip_markup(text[: ends.start()] if ends else text)


def _either_options(tail: str) -> tuple[tuple[str, ...], str]:
    """The two things of a sentence with "or", when the answer asks which."""
    if "?" not in tail:
        return (), ""
    said = list(split_sentences(tail))[-4:]
    if not any(one.rstrip().endswith("?") for one in said):
        return (), ""
    for sentence in reversed(said):
        for word in (" or ", " oder ", " ou ", " o "):
            before, found, after = sentence.partition(word)
            if found:
                options = _sides(before, after)
                if options:
                    return options, sentence
    return (), ""


def _sides(before: str, after: str) -> tuple[str, ...]:
    cut = _AFTER.search(after)
    right = _strip_markup(_LEADING.sub("", after[: cut.start()] if cut else after))
    if not right and cut:
        return ()
    own = re.search(r"`([^`]+)`", after)
    if own and len(right.split()) > 3:
        right = own[1]
    start = _BEFORE.match(before)
    left = _strip_markup(_LEADING.sub("", before[start.end() :] if start else before))
    good = all(side and len(side.split()) <= 6 for side in (left, right)) and left.lower() != right.lower()
    return (left, right) if good else ()


def _index(line: str, options: tuple[str, ...], *, numbered: bool) -> tuple[int | None, str]:
    low = line.lower()
    for number, option in enumerate(options):
        at = low.find(option.lower())
        if 0 <= at <= 40 and _only_fillers(low[:at]) and _ends(low[at + len(option) :]):
            return number, _words_after_pick(line[at + len(option) :])
    words = re.findall(r"[#\w']+|[^\w\s]", line)
    seen = 0
    for number, word in enumerate(words[:8]):
        bare = word.lower()
        seen = line.index(word, seen) + len(word)
        if bare in _NUMBERS:
            following = [next_word.lower() for next_word in words[number + 1 : number + 2] if next_word.isalnum()]
            if following and following[0] not in _ORDINAL_ENDS:
                # "let's first fix the …" takes no option.
                return None, ""
            place = _NUMBERS[bare] % len(options) if _NUMBERS[bare] < len(options) else None
            return place, _words_after_pick(line[seen:])
        if numbered and _is_key(bare, words[number + 1 : number + 2], len(options)):
            return (int(bare) - 1 if bare.isdigit() else ord(bare) - ord("a")), _words_after_pick(line[seen:])
        if bare not in _FILLERS and word.isalnum():
            return None, ""
    return None, ""


def _is_key(bare: str, following: list[str], count: int) -> bool:
    """Whether a word is an option's number or letter: "a" is one only when nothing but a mark follows."""
    if bare.isdigit() and bare.isascii():
        place = int(bare) - 1
    elif len(bare) == 1 and "a" <= bare <= "e":
        place = ord(bare) - ord("a")
    else:
        return False
    return 0 <= place < count and (
        not following or not following[0].isalnum() or following[0].lower() in {"because", "since", "please"}
    )


def _only_fillers(before: str) -> bool:
    return all(word in _FILLERS for word in re.findall(r"[\w']+", before))


def _ends(rest: str) -> bool:
    return (
        not rest.strip()
        or rest.lstrip()[0] in ",.;:!–—-("
        or bool(re.match(r"\s(?:it is|because|since|please|then|as|for|weil|parce|porque)\b", rest))
    )


def _words_after_pick(rest: str) -> str:
    return re.sub(
        r"^\s*(?:one|option|approach|variant|variante|it is|then|please|option)\b", "", rest, flags=re.IGNORECASE
    ).strip(" ,.;:!–—-")


def _strip_markup(words: str) -> str:
    flat = " ".join(words.replace("**", "").replace("`", "").split()).strip(" ,.;:?!\"'()")
    return flat[:_LONGEST]
