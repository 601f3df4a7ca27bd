"""The options of a decision record: which there were, which was chosen, and why the others were not."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.memory import RejectedOption
from holdfast.core.value import Value
from holdfast.importers.adr_words import ALTERNATIVES, COMPARED, CONS, OPTIONS, PROS, heading
from holdfast.importers.foreign_text import REASON, TITLE, bare, folded, line, phrases, sentences, tokens
from holdfast.importers.markdown_outline import Item, Section, items, paragraphs, rows, under

MOST = 24
ENOUGH = 0.6
_LABEL = re.compile(
    r"(?:option|alternative|solution|approach|choice|variant|proposal"
    r"|possibilite)\s*(?:n[o°]\s*)?#?([0-9]{1,2}|[a-z])\b\s*[:.)–—-]*\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\s*(?:\*\*|__)(.{1,160}?)(?:\*\*|__)\s*[:.–—-]*\s*(.*)$", re.DOTALL)
_CUT = re.compile(
    r"\s+[–—-]{1,3}\s+|:\s+|\s*→\s*|;\s+|,?\s+(?:because|since|rejected|which|but|as it)\b\s*|\s+\((?=.{20})"
)
_TAKEN = re.compile(
    r"✅|☑|✔|\((?:chosen|selected|accepted|preferred|recommended|our choice|retenue?|winner"
    r"|current)\b[^)]{0,40}\)|\[(?:chosen|selected|accepted)\]|[-–—:]\s*(?:chosen|selected|accepted)\b"
    r"|\bthis (?:is|was) (?:the )?(?:chosen|selected)|\b(?:chosen|selected|accepted) (?:option|approach"
    r"|solution)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"❌|✗|\b(?:rejected|not chosen|not selected|discarded|dismissed|ruled out|declined)\b", re.IGNORECASE
)
_ASIDE = re.compile(
    r"[✅☑✔❌✗⭐]️?|[(\[](?:chosen|selected|accepted|preferred|recommended|rejected|current|not chosen"
    r"|declined|discarded)\b[^)\]]{0,60}[)\]]|[-–—:]\s*(?:chosen|selected|accepted|rejected"
    r"|not chosen)\s*$",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\s*(?:[-*+]\s+)?\W{0,4}(?:bad|con|cons|negative|disadvantage|drawback|contra|bad because"
    r"|inconvenient)\W{0,4}[,:]?\s+(?:because\s+|car\s+)?(.+)$",
    re.IGNORECASE,
)
_MINUS = re.compile(r"\s*[*+-]?\s*(?:`-`|`–`|\(-\)|➖|👎|:heavy_minus_sign:|⛔|❌)\s*(.+)$")
_GOOD = re.compile(
    r"\s*\W{0,4}(?:good|pro|pros|positive|neutral|advantage|bad|con|cons)\W{0,4},?\s+(?:because|:)", re.IGNORECASE
)
_WHY = re.compile(
    r"\b(?:rejected|discarded|dismissed|not chosen|ruled out|because|too|however|but"
    r"|doesn't|does not|would|cannot|can't|lack|no )",
    re.IGNORECASE,
)
_STOP = phrases("""
    a | an | the | to | of | for | in | on | with | and | or | use | using | we | will | our | option | be | is | it
    | this | that | as | by | from | its | via | new | own
""")
_NO_OPTION = phrases("""
    decision | conclusion | summary | context | references | comparison | recommendation | notes | note | overview |
    rationale | pros | cons | examples | example | evaluation criteria | criteria | status | consequences | links |
    background
""")


class Option(Value):
    """An option as a record names it. `label` is its number or letter; `taken` and `dropped` are what marks say."""

    name: str
    label: str = ""
    reason: str = ""
    taken: bool = False
    dropped: bool = False


class Weighed(Value):
    """The options of a record: whether it names any, the one taken, and those that were not, as far as can be told."""

    named: bool
    taken: str
    rejected: tuple[RejectedOption, ...]


def weighed(sections: Sequence[Section], choice: str, title: str) -> Weighed:
    """What became of the options that a record names."""
    neutral, others = options(sections)
    taken = chosen(neutral, choice, title)
    left = [option for option in neutral if option is not taken] if taken else [o for o in neutral if o.dropped]
    own = chosen(others, choice, "") if not taken else None
    left += [option for option in others if not option.taken and (option is not own or option.dropped)]
    found = {
        _key(option.name): option for option in reversed(left) if not taken or _key(option.name) != _key(taken.name)
    }
    kept = list(reversed(found.values()))[:MOST]
    return Weighed(
        named=bool(neutral or others), taken=taken.name if taken else "",
        rejected=tuple(RejectedOption(option=option.name, reason=option.reason) for option in kept),
    )  # fmt: skip


def options(sections: Sequence[Section]) -> tuple[list[Option], list[Option]]:
    """The options among which one was chosen, and those that are told as the others."""
    neutral: list[Option] = []
    others: list[Option] = []
    for at, section in enumerate(sections):
        name = heading(section.title)
        if name in OPTIONS or (name in COMPARED and under(sections, at)):
            neutral = _merged(neutral, list(_of(sections, at)))
        elif name in ALTERNATIVES:
            others = _merged(others, list(_of(sections, at)))
        elif _titled(section):
            neutral = _merged(neutral, _lone(sections, at))
    return neutral, others


def _titled(section: Section) -> bool:
    """Whether a heading of its own is an option: `## Option 1: foo`."""
    return section.level > 1 and bool(_LABEL.match(section.title)) and len(section.title) < TITLE


def _lone(sections: Sequence[Section], at: int) -> list[Option]:
    option = _option(sections[at].title, _lines(sections, at))
    return [option] if option else []


def _of(sections: Sequence[Section], at: int) -> Iterator[Option]:
    inside = under(sections, at)
    direct = [each for each in inside if each.level == min(other.level for other in inside)] if inside else []
    named = [each for each in direct if heading(each.title) not in _NO_OPTION and not CONS.match(heading(each.title))]
    if len(named) > 1 or (named and not items(sections[at].lines)):
        for each in named:
            if not PROS.fullmatch(heading(each.title)):
                yield from filter(None, [_option(each.title, _lines(sections, sections.index(each)))])
        return
    yield from _listed(sections[at].lines)


def _lines(sections: Sequence[Section], at: int) -> list[str]:
    lines = list(sections[at].lines)
    for each in under(sections, at):
        lines += [f"{each.title}:", *each.lines]
    return lines


def _listed(lines: Sequence[str]) -> Iterator[Option]:
    if found := _from_table(lines):
        yield from found
        return
    listed = items(lines)
    bold = [(text, _LEAD.match(text)) for _, text in paragraphs(lines)]
    leads = [(text, match) for text, match in bold if match and len(match[1]) < TITLE]
    if len(leads) > 1 or (leads and not listed):
        yield from _bold(lines)
        return
    for item in listed:
        if option := _item(item):
            yield option
    if not listed:
        yield from _prose(lines)


def _bold(lines: Sequence[str]) -> Iterator[Option]:
    """Options as paragraphs that begin in bold, each with the lists below it."""
    held: list[str] = []
    name = ""
    for text in [*lines, "**end**"]:
        match = _LEAD.match(text) if not text.startswith(("-", "*  ", "* ", " ", "+")) else None
        head = match and not CONS.match(folded(match[1])) and not PROS.match(folded(match[1]))
        if match and head:
            if name and (option := _option(name, held)):
                yield option
            name, held = match[1], [match[2]]
        else:
            held.append(text)


def _prose(lines: Sequence[str]) -> Iterator[Option]:
    """An alternative told in prose: only where a sentence says that it was considered and is not too long."""
    for _, text in paragraphs(lines):
        first = next(sentences(text), "")
        found = re.match(
            r"(?:we (?:also )?(?:considered|could(?: have)?|looked at|evaluated|thought about)"
            r"|an alternative (?:would be|is|was)(?: to)?|instead of)\s+(.{4,110}?)(?:[.,;]|\bbut\b|$)",
            bare(first),
            re.IGNORECASE,
        )
        if found:
            yield Option(name=line(found[1], TITLE), reason=line(bare(text)[found.end() :].strip(" ,.;"), REASON))


def _from_table(lines: Sequence[str]) -> list[Option]:
    table = rows(lines)
    if len(table) < 3:
        return []
    head = [folded(cell) for cell in table[0][1]]
    if not re.search(r"option|alternative|approach|solution|choice|name|tool|library", head[0] if head else ""):
        return []
    why = next(
        (
            at
            for at, cell in enumerate(head)
            if at and (CONS.match(cell) or re.search(r"reject|reason|why|verdict|con", cell))
        ),
        0,
    )
    found = []
    for _, cells in table[1:]:
        if cells and cells[0]:
            all_of = " ".join(cells)
            option = _option(cells[0], [])
            if option:
                reason = line(cells[why], REASON) if 0 < why < len(cells) else ""
                found.append(_with(option, reason, all_of))
    return found


def _with(option: Option, reason: str, text: str) -> Option:
    return Option(
        name=option.name, label=option.label, reason=option.reason or reason,
        taken=option.taken or bool(_TAKEN.search(text)), dropped=option.dropped or bool(_DROPPED.search(text)),
    )  # fmt: skip


def _item(item: Item) -> Option | None:
    text = re.sub(r"^\[[ xX-]\]\s+", "", item.text)
    if _GOOD.match(text):
        return None
    return _option(text, list(item.below))


def _option(words: str, lines: list[str]) -> Option | None:
    """An option out of its heading or item, and the lines below it."""
    numbered = re.match(r"\s*\**(\d{1,2})[.):]\s+", words)
    label = numbered[1] if numbered else ""
    name, rest = _name(words[numbered.end() :] if numbered else words)
    if found := _LABEL.match(name):
        label, after = found[1].lower(), name[found.end() :].strip(" :.-–—")
        if not after and rest:
            after, rest = _name(rest)
        name = after or name
    name = _ASIDE.sub("", name).strip(" :.-–—\"“”'")
    if not name or not tokens(name) or heading(name) in _NO_OPTION:
        return None
    head = words[:300]
    marks = f"{head} {' '.join(lines)[:200]}"
    return Option(
        name=line(name, TITLE), label=label, reason=_reason(rest, lines),
        taken=bool(_TAKEN.search(head)) and not _DROPPED.search(head), dropped=bool(_DROPPED.search(marks)),
    )  # fmt: skip


def _name(words: str) -> tuple[str, str]:
    """The name of an option and the words behind it."""
    words = words.strip()
    if match := _LEAD.match(words):
        return bare(match[1]).strip(" :."), bare(match[2])
    text = bare(words)
    for found in _CUT.finditer(text, 2):
        before = text[: found.start()]
        if before.count("`") % 2 or before.count("(") > before.count(")"):
            continue
        if len(before) > TITLE:
            break
        if not _LABEL.fullmatch(text[: found.end()]):
            return before, text[found.end() :].strip(" )")
    first = next(sentences(text), text)
    return first.rstrip("."), text[len(first) :].strip()


def _reason(rest: str, lines: list[str]) -> str:
    """Why an option was not taken: what speaks against it, else what stands behind its name."""
    against = list(_against(lines))
    if against:
        return line("; ".join(against[:3]), REASON)
    if rest and (_WHY.search(rest) or len(rest) > 12):
        return line(rest.lstrip(" ,;:.–—-)"), REASON)
    for _, text in paragraphs(lines):
        if _WHY.search(text) and not _GOOD.match(text):
            telling = [s for s in sentences(bare(text)) if _WHY.search(s)]
            return line(" ".join(telling[:2]) or text, REASON)
    return ""


def _against(lines: list[str]) -> Iterator[str]:
    inside = False
    for text in lines:
        words = folded(bare(re.sub(r"^\s*(?:[-*+]\s+)?", "", text))).strip("*_: ")
        if found := _BAD.match(bare(text)) or _MINUS.match(text):
            yield bare(found[1]).rstrip(".;")
            inside = False
        elif CONS.match(words) and len(words) < 24:
            inside = True
        elif (PROS.match(words) and len(words) < 24) or re.match(r"\s*#", text):
            inside = False
        elif inside and (found := re.match(r"\s*(?:[-*+]|\d+[.)])\s+(.+)$", text)):
            yield bare(found[1]).rstrip(".;")


def chosen(options: Sequence[Option], choice: str, title: str) -> Option | None:
    """The option that was taken: by its mark, by the choice's words, else by the title's."""
    marked = [option for option in options if option.taken]
    if len(marked) == 1:
        return marked[0]
    labelled = _LABEL.match(bare(choice).lstrip("\"“'` ")) or _LABEL.search(bare(choice)[:160])
    if labelled and (same := _labelled(options, labelled[1].lower())):
        return same
    return _likest(options, choice, ENOUGH) or _likest(options, title, 1.0)


def _labelled(options: Sequence[Option], label: str) -> Option | None:
    """The option with a number or letter; without any, the one at that place."""
    if any(option.label for option in options):
        return next((option for option in options if option.label == label), None)
    at = int(label) if label.isdigit() else ord(label) - ord("a") + 1
    return options[at - 1] if 0 < at <= len(options) else None


def _likest(options: Sequence[Option], text: str, enough: float) -> Option | None:
    said = _telling(text)
    scored = []
    all_of = [_telling(option.name) for option in options]
    # What every option has ("migrate to X", "migrate to Y") tells none from the other.
    shared = set.intersection(*all_of) if len(all_of) > 1 else set()
    for option, found in zip(options, all_of, strict=True):
        words = found - shared or found
        common = len(words & said)
        if words and common / len(words) >= enough:
            scored.append((common / len(words), common, option))
    scored.sort(key=lambda each: each[:2], reverse=True)
    if len(scored) > 1 and scored[0][:2] == scored[1][:2]:
        first = [each for each in scored if each[:2] == scored[0][:2]]
        at = [(_where(text, each[2].name), each[2]) for each in first]
        return min(at, key=lambda each: each[0])[1]
    return scored[0][2] if scored else None


def _where(text: str, name: str) -> int:
    """Where the first telling word of an option stands in a text."""
    words = tokens(text)
    found = [words.index(word) for word in tokens(name) if word in words and word not in _STOP]
    return min(found, default=len(words))


def _telling(text: str) -> set[str]:
    words = set(tokens(text))
    return words - _STOP or words


def _merged(first: list[Option], more: list[Option]) -> list[Option]:
    """Options of two places as one list; what the second knows of one in the first is added to it."""
    merged = list(first)
    for option in more:
        at = next((at for at, each in enumerate(merged) if _same(each, option)), -1)
        if at < 0:
            merged.append(option)
        else:
            merged[at] = _with(merged[at], option.reason, "")
            merged[at] = _with(merged[at], "", "(chosen)" if option.taken else "rejected" if option.dropped else "")
    return merged


def _same(one: Option, other: Option) -> bool:
    if one.label and one.label == other.label:
        return True
    first, second = _telling(one.name), _telling(other.name)
    return first == second or (
        len(first & second) / max(1, min(len(first), len(second))) >= 0.8 and len(first & second) > 1
    )


def _key(name: str) -> str:
    return " ".join(tokens(name))
