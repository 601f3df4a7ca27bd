"""The options of a decision record: which there were, which was chosen, and why the others were not."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.memory import RejectedOption
from holdfast.core.value import Value
from holdfast.importers.adr_words import ALTERNATIVES, COMPARED, CONS, OPTIONS, PROS, normalize_heading
from holdfast.importers.foreign_text import (
    REASON,
    TITLE,
    fold_text,
    one_line,
    phrase_set,
    split_sentences,
    split_tokens,
    strip_markdown,
)
from holdfast.importers.markdown_outline import (
    MarkdownItem,
    MarkdownSection,
    find_paragraphs,
    list_items,
    sections_under,
    table_rows,
)

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
_STOP = phrase_set("""
    a | an | the | to | of | for | in | on | with | and | or | use | using | we | will | our | option | be | is | it
    | this | that | as | by | from | its | via | new | own
""")
_NO_OPTION = phrase_set("""
    decision | conclusion | summary | context | references | comparison | recommendation | notes | note | overview |
    rationale | pros | cons | examples | example | evaluation criteria | criteria | status | consequences | links |
    background
""")


class AdrOption(Value):
    """An option as a record names it. `label` is its number or letter; `chosen` and `dropped` are what marks say."""

    name: str
    label: str = ""
    reason: str = ""
    chosen: bool = False
    dropped: bool = False


class AdrOptions(Value):
    """The options of a record: whether it names any, the one taken, and those that were not, as far as can be told."""

    named: bool
    chosen: str
    rejected: tuple[RejectedOption, ...]


def weigh_options(sections: Sequence[MarkdownSection], choice: str, title: str) -> AdrOptions:
    """What became of the options that a record names."""
    neutral, others = find_options(sections)
    taken = find_chosen(neutral, choice, title)
    left = [option for option in neutral if option is not taken] if taken else [o for o in neutral if o.dropped]
    own = find_chosen(others, choice, "") if not taken else None
    left += [option for option in others if not option.chosen and (option is not own or option.dropped)]
    found = {
        _key(option.name): option for option in reversed(left) if not taken or _key(option.name) != _key(taken.name)
    }
    kept = list(reversed(found.values()))[:MOST]
    return AdrOptions(
        named=bool(neutral or others), chosen=taken.name if taken else "",
        rejected=tuple(RejectedOption(option=option.name, reason=option.reason) for option in kept),
    )  # fmt: skip


def find_options(sections: Sequence[MarkdownSection]) -> tuple[list[AdrOption], list[AdrOption]]:
    """The options among which one was chosen, and those that are told as the others."""
    neutral: list[AdrOption] = []
    others: list[AdrOption] = []
    for at, section in enumerate(sections):
        name = normalize_heading(section.title)
        if name in OPTIONS or (name in COMPARED and sections_under(sections, at)):
            neutral = _merge_options(neutral, list(_options_in_section(sections, at)))
        elif name in ALTERNATIVES:
            others = _merge_options(others, list(_options_in_section(sections, at)))
        elif _is_option_heading(section):
            neutral = _merge_options(neutral, _lone_option(sections, at))
    return neutral, others


def _is_option_heading(section: MarkdownSection) -> bool:
    """Whether a heading of its own is an option: `## Option 1: foo`."""
    return section.level > 1 and bool(_LABEL.match(section.title)) and len(section.title) < TITLE


def _lone_option(sections: Sequence[MarkdownSection], at: int) -> list[AdrOption]:
    option = _option(sections[at].title, _lines(sections, at))
    return [option] if option else []


def _options_in_section(sections: Sequence[MarkdownSection], at: int) -> Iterator[AdrOption]:
    inside = sections_under(sections, at)
    direct = [each for each in inside if each.level == min(other.level for other in inside)] if inside else []
    named = [
        each
        for each in direct
        if normalize_heading(each.title) not in _NO_OPTION and not CONS.match(normalize_heading(each.title))
    ]
    if len(named) > 1 or (named and not list_items(sections[at].lines)):
        for each in named:
            if not PROS.fullmatch(normalize_heading(each.title)):
                yield from filter(None, [_option(each.title, _lines(sections, sections.index(each)))])
        return
    yield from _listed_options(sections[at].lines)


def _lines(sections: Sequence[MarkdownSection], at: int) -> list[str]:
    lines = list(sections[at].lines)
    for each in sections_under(sections, at):
        lines += [f"{each.title}:", *each.lines]
    return lines


def _listed_options(lines: Sequence[str]) -> Iterator[AdrOption]:
    if found := _table_options(lines):
        yield from found
        return
    listed = list_items(lines)
    bold = [(text, _LEAD.match(text)) for _, text in find_paragraphs(lines)]
    leads = [(text, match) for text, match in bold if match and len(match[1]) < TITLE]
    if len(leads) > 1 or (leads and not listed):
        yield from _bold_options(lines)
        return
    for item in listed:
        if option := _item(item):
            yield option
    if not listed:
        yield from _prose_options(lines)


def _bold_options(lines: Sequence[str]) -> Iterator[AdrOption]:
    """Options as paragraphs that begin in bold, each with the lists below it."""
    held: list[str] = []
    name = ""
    for text in [*lines, "**end**"]:
        match = _LEAD.match(text) if not text.startswith(("-", "*  ", "* ", " ", "+")) else None
        head = match and not CONS.match(fold_text(match[1])) and not PROS.match(fold_text(match[1]))
        if match and head:
            if name and (option := _option(name, held)):
                yield option
            name, held = match[1], [match[2]]
        else:
            held.append(text)


def _prose_options(lines: Sequence[str]) -> Iterator[AdrOption]:
    """An alternative told in prose: only where a sentence says that it was considered and is not too long."""
    for _, text in find_paragraphs(lines):
        first = next(split_sentences(text), "")
        found = re.match(
            r"(?:we (?:also )?(?:considered|could(?: have)?|looked at|evaluated|thought about)"
            r"|an alternative (?:would be|is|was)(?: to)?|instead of)\s+(.{4,110}?)(?:[.,;]|\bbut\b|$)",
            strip_markdown(first),
            re.IGNORECASE,
        )
        if found:
            yield AdrOption(
                name=one_line(found[1], TITLE),
                reason=one_line(strip_markdown(text)[found.end() :].strip(" ,.;"), REASON),
            )


def _table_options(lines: Sequence[str]) -> list[AdrOption]:
    table = table_rows(lines)
    if len(table) < 3:
        return []
    head = [fold_text(cell) for cell in table[0][1]]
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
                reason = one_line(cells[why], REASON) if 0 < why < len(cells) else ""
                found.append(_add_to_option(option, reason, all_of))
    return found


def _add_to_option(option: AdrOption, reason: str, text: str) -> AdrOption:
    return AdrOption(
        name=option.name, label=option.label, reason=option.reason or reason,
        chosen=option.chosen or bool(_TAKEN.search(text)), dropped=option.dropped or bool(_DROPPED.search(text)),
    )  # fmt: skip


def _item(item: MarkdownItem) -> AdrOption | None:
    text = re.sub(r"^\[[ xX-]\]\s+", "", item.text)
    if _GOOD.match(text):
        return None
    return _option(text, list(item.below))


def _option(words: str, lines: list[str]) -> AdrOption | None:
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
    if not name or not split_tokens(name) or normalize_heading(name) in _NO_OPTION:
        return None
    head = words[:300]
    marks = f"{head} {' '.join(lines)[:200]}"
    return AdrOption(
        name=one_line(name, TITLE), label=label, reason=_reason(rest, lines),
        chosen=bool(_TAKEN.search(head)) and not _DROPPED.search(head), dropped=bool(_DROPPED.search(marks)),
    )  # fmt: skip


def _name(words: str) -> tuple[str, str]:
    """The name of an option and the words behind it."""
    words = words.strip()
    if match := _LEAD.match(words):
        return strip_markdown(match[1]).strip(" :."), strip_markdown(match[2])
    text = strip_markdown(words)
    for found in _CUT.finditer(text, 2):
        before = text[: found.start()]
        if before.count("`") % 2 or before.count("(") > before.count(")"):
            continue
        if len(before) > TITLE:
            break
        if not _LABEL.fullmatch(text[: found.end()]):
            return before, text[found.end() :].strip(" )")
    first = next(split_sentences(text), text)
    return first.rstrip("."), text[len(first) :].strip()


def _reason(rest: str, lines: list[str]) -> str:
    """Why an option was not taken: what speaks against it, else what stands behind its name."""
    against = list(_points_against(lines))
    if against:
        return one_line("; ".join(against[:3]), REASON)
    if rest and (_WHY.search(rest) or len(rest) > 12):
        return one_line(rest.lstrip(" ,;:.–—-)"), REASON)
    for _, text in find_paragraphs(lines):
        if _WHY.search(text) and not _GOOD.match(text):
            telling = [s for s in split_sentences(strip_markdown(text)) if _WHY.search(s)]
            return one_line(" ".join(telling[:2]) or text, REASON)
    return ""


def _points_against(lines: list[str]) -> Iterator[str]:
    inside = False
    for text in lines:
        words = fold_text(strip_markdown(re.sub(r"^\s*(?:[-*+]\s+)?", "", text))).strip("*_: ")
        if found := _BAD.match(strip_markdown(text)) or _MINUS.match(text):
            yield strip_markdown(found[1]).rstrip(".;")
            inside = False
        elif CONS.match(words) and len(words) < 24:
            inside = True
        elif (PROS.match(words) and len(words) < 24) or re.match(r"\s*#", text):
            inside = False
        elif inside and (found := re.match(r"\s*(?:[-*+]|\d+[.)])\s+(.+)$", text)):
            yield strip_markdown(found[1]).rstrip(".;")


def find_chosen(options: Sequence[AdrOption], choice: str, title: str) -> AdrOption | None:
    """The option that was taken: by its mark, by the choice's words, else by the title's."""
    marked = [option for option in options if option.chosen]
    if len(marked) == 1:
        return marked[0]
    labelled = _LABEL.match(strip_markdown(choice).lstrip("\"“'` ")) or _LABEL.search(strip_markdown(choice)[:160])
    if labelled and (same := _find_labelled(options, labelled[1].lower())):
        return same
    return _find_likest(options, choice, ENOUGH) or _find_likest(options, title, 1.0)


def _find_labelled(options: Sequence[AdrOption], label: str) -> AdrOption | None:
    """The option with a number or letter; without any, the one at that place."""
    if any(option.label for option in options):
        return next((option for option in options if option.label == label), None)
    at = int(label) if label.isdigit() else ord(label) - ord("a") + 1
    return options[at - 1] if 0 < at <= len(options) else None


def _find_likest(options: Sequence[AdrOption], text: str, enough: float) -> AdrOption | None:
    said = _telling_words(text)
    scored = []
    all_of = [_telling_words(option.name) for option in options]
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
        at = [(_find_place(text, each[2].name), each[2]) for each in first]
        return min(at, key=lambda each: each[0])[1]
    return scored[0][2] if scored else None


def _find_place(text: str, name: str) -> int:
    """Where the first telling word of an option stands in a text."""
    words = split_tokens(text)
    found = [words.index(word) for word in split_tokens(name) if word in words and word not in _STOP]
    return min(found, default=len(words))


def _telling_words(text: str) -> set[str]:
    words = set(split_tokens(text))
    return words - _STOP or words


def _merge_options(first: list[AdrOption], more: list[AdrOption]) -> list[AdrOption]:
    """Options of two places as one list; what the second knows of one in the first is added to it."""
    merged = list(first)
    for option in more:
        at = next((at for at, each in enumerate(merged) if _same_option(each, option)), -1)
        if at < 0:
            merged.append(option)
        else:
            merged[at] = _add_to_option(merged[at], option.reason, "")
            merged[at] = _add_to_option(
                merged[at], "", "(chosen)" if option.chosen else "rejected" if option.dropped else ""
            )
    return merged


def _same_option(one: AdrOption, other: AdrOption) -> bool:
    if one.label and one.label == other.label:
        return True
    first, second = _telling_words(one.name), _telling_words(other.name)
    return first == second or (
        len(first & second) / max(1, min(len(first), len(second))) >= 0.8 and len(first & second) > 1
    )


def _key(name: str) -> str:
    return " ".join(split_tokens(name))
