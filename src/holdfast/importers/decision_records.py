"""Architecture decision records: MADR, Nygard, and what people really write."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import Memory, MemoryType, RejectedOption, SaidBy, Status
from holdfast.core.value import Value
from holdfast.importers.adr_links import (
    AMENDED_BY,
    AMENDS,
    links_in_front,
    links_in_section,
    links_in_status,
    links_in_text,
)
from holdfast.importers.adr_options import AdrOptions, weigh_options
from holdfast.importers.adr_words import (
    ACCEPTED,
    CONSEQUENCES,
    CONTEXT,
    DECISION,
    DECLINED,
    DEPRECATED,
    PROPOSED,
    REFERENCES,
    STATES,
    STATUS,
    SUPERSEDED,
    clean_status,
    normalize_heading,
    parse_state,
)
from holdfast.importers.foreign_text import (
    TITLE,
    find_date,
    fold_text,
    limit_body,
    one_line,
    split_sentences,
    strip_codes,
    strip_markdown,
)
from holdfast.importers.import_values import (
    SUPERSEDED_BY,
    SUPERSEDES,
    ImportedItem,
    Importer,
    ImportLink,
    ImportSource,
    Read,
    RejectedItem,
)
from holdfast.importers.markdown_outline import (
    MarkdownPage,
    MarkdownSection,
    find_paragraphs,
    front_texts,
    list_items,
    parse_page,
    section_text,
    sections_under,
)
from holdfast.importers.read_files import FileUnreadable, ImportFile, find_files, format_place, read_text

ENDS = (".md", ".markdown", ".rst", ".adoc", ".asciidoc")
NO_RECORD = re.compile(
    r"(?:^|/)(?:readme|index|_?(?:adr[-_]?|0{3,4}[-_]?)?template(?:[-_]\w+)?|changelog|contributing|about"
    r"|_index|toc)(?:\.[a-z]+)+$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:^|[^0-9a-z])(?:adr|decision|record|rfc|dr)?[\s_-]*0*(\d{1,5})(?=[\s_.-]|$)(?!-\d\d-\d\d)", re.IGNORECASE
)
_TITLE = re.compile(
    r"^(?:(?:architectur(?:e|al)\s+decision\s+record|adrs?|decision(?:\s+record)?"
    r"|rfc)\s*[-#:_]*\s*)?(?:#?\d{1,5}(?:\.(?!\d))?\s*[-–—:.)]*\s*)?(?:[-–—:]\s*)?",
    re.IGNORECASE,
)
_META = re.compile(
    r"\s*(?:[-*+>|]\s*)*[*_:`]{0,3}(status|date|state|etat|statut|created|last updated|decided|accepted"
    r"|proposed|deciders|authors?|supersedes|superseded[ -]by|replaces|replaced[ -]by|amends|amended[ -]by"
    r"|tags|categor(?:y|ies)|area)\b\s*(?:\([^)]{0,30}\))?[*_`]{0,3}\s*[:|]\s*[*_`]{0,3}\s*(.*?)\s*\|?\s*$",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"(?:chosen|selected|preferred|proposed|accepted)\s+(?:option|alternative|solution|approach)s?\s*(?:is|was|are)?\s*[:：]?\s*(.+)|(?:option|alternative|solution)\s+(?:retenue|choisie|chosen)\s*:?\s*(.+)|(?:we\s+(?:have\s+)?(?:chosen|decided\s+on|picked))\s+(.+)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"[\"”'`*]?\s*(?:,\s*|\s+-+\s+|\.\s+|\s+)?\b(?:because|since|as it|due to|car|parce que|weil)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\s*_]*[\"“„«'`]\s*(.{2,200}?)\s*[\"”“»'`](?=[\s,.:;*_]|$)")
_OWN_SECTIONS = {
    SUPERSEDES: SUPERSEDES,
    "superseded by": SUPERSEDED_BY,
    "amends": AMENDS,
    "amended by": AMENDED_BY,
    "replaces": SUPERSEDES,
}
PART_OF_BODY = 4000
LONGEST_META = 400
_IN_PART = re.compile(r"partial|partly|in part|parts? of", re.IGNORECASE)
_AFTER = re.compile(
    r"(?:positive|negative|neutral)?\s*consequences?|positive|negative|neutral|confirmation|validation|pros|cons"
    r"|risks|trade ?offs|implementation"
)
_NUMBER_ONLY = re.compile(
    r"\W*(?:(?:for \w+(?: \w+)? )?we (?:chose|choose|selected|will go with) |proposed choice:?\s*"
    r"|the )?(?:option|alternative|solution|approach|choice|proposal)\s*(?:n°\s*)?#?(?:\d{1,2}|[a-z])\b\W*",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\W*(?:tbd|todo|to be decided|to be determined|pending|none|n/?a|open|\.{3}|…)\W*", re.IGNORECASE)
_WILL = re.compile(
    r"\bwe (?:will|'ll|have decided|decided|chose|have chosen|are going) (?!need|have to|see|be able)", re.IGNORECASE
)
_DOES = re.compile(
    r"(?:use|using|adopt|switch|move|migrate|add|remove|separate|consolidate|replace|introduce|deprecate"
    r"|allow|do not|don't|prefer|keep|split|store|run|enable|disable|create|define|implement|support|drop"
    r"|avoid|require|make|write|build|rename|deploy|host|provide)\b",
    re.IGNORECASE,
)


class AdrRecord(Value):
    """What a decision record says. `state` is one of ours, `status` the record's own words."""

    title: str
    state: str
    status: str
    date: str
    question: str
    choice: str
    named: bool
    rejected: tuple[RejectedOption, ...]
    links: tuple[ImportLink, ...]
    tags: tuple[str, ...]
    body: str
    about: bool
    deciders: str = ""

    @property
    def says_something(self) -> bool:
        """Whether this is a record at all."""
        return bool(self.choice or self.state or self.about)


def parse_record(text: str, name: str) -> AdrRecord:
    """A text as a decision record; `name` is its file's."""
    found = parse_page(strip_codes(text), name)
    parts = found.sections
    front, meta = found.front, _meta(found)
    title = _title(found, name)
    status = _status(found, meta)
    links = tuple(dict.fromkeys(_links(found, status, meta)))
    state = _state(status, front)
    if not state and any(link.kind == SUPERSEDED_BY for link in links):
        state = SUPERSEDED
    # Of what was turned down, the title says what it was, and the decision why.
    choice = _choice(parts, title if _DOES.match(title) and state != DECLINED else "")
    options = weigh_options(parts, choice, title)
    return AdrRecord(
        title=title,
        state=state,
        status=one_line(status, 200),
        date=_date(found, meta, name),
        question=_question(parts),
        choice=_name_choice(choice, options),
        named=options.named,
        rejected=options.rejected,
        links=links,
        tags=tuple(
            dict.fromkeys(
                one_line(tag, 40) for tag in front_texts(front.get("tags")) + front_texts(meta.get("tags", ""))
            )
        ),
        about=any(normalize_heading(section.title) in CONTEXT for section in parts)
        and bool(_NUMBER.search(_stem(name))),
        body=_body(parts, name),
        deciders=one_line(str(meta.get("deciders", "")), 200),
    )


def read(source: ImportSource) -> Read:
    """The records of a folder, or one."""
    found: list[tuple[ImportFile, str, AdrRecord]] = []
    for file in find_files(source, *ENDS):
        if isinstance(file, RejectedItem):
            yield file
            continue
        try:
            words = read_text(file.path)
        except FileUnreadable as error:
            yield RejectedItem(place=format_place(source, file.name, error.line), reason=str(error))
            continue
        name = file.name or os.path.basename(file.path)
        made = parse_record(words, name)
        if NO_RECORD.search(name) or not made.says_something:
            yield RejectedItem(
                place=format_place(source, file.name, 1),
                reason="is no decision record: neither a decision nor a status",
            )
        elif made.title.lower().startswith(("[short title", "<short title", "{short title", "title of")):
            yield RejectedItem(place=format_place(source, file.name, 1), reason="is the template, not a record")
        else:
            found.append((file, words, made))
    by_name = _names(source, [file for file, _, _ in found])
    for file, words, made in found:
        yield _build_import(source, file, words, made, by_name)


def _build_import(
    source: ImportSource, file: ImportFile, words: str, made: AdrRecord, by_name: Mapping[str, str]
) -> ImportedItem:
    key = format_place(source, file.name)
    folder = os.path.dirname(file.name)
    links = tuple(ImportLink(kind=link.kind, to=_resolve_name(link.to, folder, by_name, source)) for link in made.links)
    return ImportedItem(
        key=key, place=f"{key}:1", memory=_memory(made, key), raw=words, names=(made.title,),
        links=tuple(dict.fromkeys(link for link in links if link.to != key)),
        waits=f"the record says {made.status or made.state!r}" if made.state == PROPOSED else "",
        over=made.state in {SUPERSEDED, DEPRECATED},
    )  # fmt: skip


def _memory(made: AdrRecord, key: str) -> Memory:
    choice, rejected = made.choice, made.rejected
    if made.state == DECLINED:
        # What was turned down is the option that was not taken.
        choice, rejected = "", (RejectedOption(option=made.title, reason=one_line(made.choice, 300)), *made.rejected)
    extra = {"import_status": made.status or made.state, "deciders": made.deciders}
    return Memory(
        id="", type=MemoryType.DECISION, status=Status.CANDIDATE, title=made.title, body=limit_body(made.body, key),
        tags=made.tags, question=made.question, choice=choice, rejected=rejected, said_by=SaidBy.TOOL,
        valid_from=made.date, updated=made.date,
        extra={name: value for name, value in extra.items() if value},
    )  # fmt: skip


def _names(source: ImportSource, found: Sequence[ImportFile]) -> dict[str, str]:
    """Every name that a record may be called by: its path, its file's name, its number in its folder."""
    names: dict[str, str] = {}
    for file in found:
        key = format_place(source, file.name)
        own = file.name or os.path.basename(file.path)
        folder, name = os.path.split(own)
        stem = os.path.splitext(name)[0]
        names.setdefault(own.lower(), key)
        names.setdefault(f"{folder}/{stem}".lower().lstrip("/"), key)
        names.setdefault(f"*{name}".lower(), key)
        names.setdefault(f"*{stem}".lower(), key)
        if number := _NUMBER.search(stem):
            names.setdefault(f"{folder}#{int(number[1])}".lower(), key)
    return names


def _resolve_name(name: str, folder: str, by_name: Mapping[str, str], source: ImportSource) -> str:
    if name.startswith("#"):
        return by_name.get(f"{folder}{name}".lower(), name)
    path = os.path.normpath(os.path.join(folder, name)).lower()
    last = name.rpartition("/")[2].lower()
    near = by_name.get(path) or by_name.get(f"*{last}") or by_name.get(f"*{os.path.splitext(last)[0]}")
    if near is None and (number := _NUMBER.search(last)):
        near = by_name.get(f"{folder}#{int(number[1])}".lower())
    if near or os.path.isabs(name):
        return near or os.path.basename(name)
    return os.path.normpath(
        os.path.join(os.path.dirname(source.label) if not folder else f"{source.label}/{folder}", name)
    )


def _meta(found: MarkdownPage) -> dict[str, str]:
    """`Status: …`, `* Date: …` and the like, before the first real section."""
    meta: dict[str, str] = {}
    for section in found.sections[:3]:
        if section.level > 1 and normalize_heading(section.title) in CONTEXT | set(DECISION):
            break
        for words in section.lines[:40]:
            if (pair := _META.match(words[:LONGEST_META])) and pair[2].strip("*_ "):
                meta.setdefault(fold_text(pair[1]).replace(" ", "-"), pair[2].strip())
    return meta


def _title(found: MarkdownPage, name: str) -> str:
    first = next((section.title for section in found.sections if section.level == 1 and section.title), "")
    first = first or next((section.title for section in found.sections if section.level and section.title), "")
    words = first if first and normalize_heading(first) not in STATUS | CONTEXT else str(found.front.get("title", ""))
    given = str(found.front.get("title", ""))
    for title in (words, given):
        if len(kept := _TITLE.sub("", strip_markdown(title)).strip(" -–—:.\"'")) > 2:
            return one_line(kept, TITLE)
    stem = _stem(name)
    return one_line(
        re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]*", "", stem, flags=re.IGNORECASE)
        .replace("-", " ")
        .replace("_", " ")
        .strip()
        or stem,
        TITLE,
    )


def _status(found: MarkdownPage, meta: Mapping[str, str]) -> str:
    """The record's own words on its status."""
    given = found.front.get("status", "")
    parts = [" ".join(given) if isinstance(given, Mapping | list) else str(given or "")]
    parts += [meta[key] for key in ("status", "state", "etat", "statut") if key in meta]
    for at, section in enumerate(found.sections):
        name = normalize_heading(section.title)
        if name in STATUS and section.level:
            told = [text.strip() for text in section.lines if text.strip() and not set(text.strip()) <= set("-=*_~^")]
            told += [strip_markdown(each.title) for each in sections_under(found.sections, at)[:2]]
            parts.append("\n".join(told[:12]))
        elif section.level and (later := re.match(r"(?:status|etat)\s*[:–-]\s*(.+)", fold_text(section.title))):
            parts.append(later[1])
    return "\n".join(part for part in parts if part.strip() and part.strip() != "{}").strip()


def _state(status: str, front: Mapping[str, object]) -> str:
    if any(
        str(key).lower().replace("_", "-") in {"superseded-by", "replaced-by"} and value for key, value in front.items()
    ):
        return SUPERSEDED
    lines = [text for text in clean_status(status).split("\n") if parse_state(text)]
    ended = [
        text
        for text in lines
        if re.search(r"super[sc]e+ded|replaced by|remplac\w+ par|ersetzt durch", text, re.IGNORECASE)
    ]
    if ended and not _IN_PART.search(ended[0]):
        return SUPERSEDED
    told = [parse_state(text) for text in lines if text not in ended]
    # What was accepted first may be deprecated by a later line; what is superseded in part holds for the rest.
    if DEPRECATED in told and ACCEPTED in told[:1]:
        return DEPRECATED
    return next(iter(told), ACCEPTED if ended else "")


def _date(found: MarkdownPage, meta: Mapping[str, str], name: str) -> str:
    given = [str(found.front.get(key, "")) for key in ("date", "created", "decided")]
    given += [
        meta[key] for key in ("date", "decided", "accepted", "created", "proposed", "last-updated") if key in meta
    ]
    for section in found.sections:
        if normalize_heading(section.title) in {"date", "changelog", "change log", "history", "revision history"}:
            given.append("\n".join(section.lines[:12]))
    given += ["\n".join(section.lines[:6]) for section in found.sections[:2]]
    given += [name, *("\n".join(s.lines[:6]) for s in found.sections if normalize_heading(s.title) in STATUS)]
    return next(filter(None, map(find_date, given)), "")


def _choice(parts: Sequence[MarkdownSection], title: str) -> str:
    """What was decided. A title that says what to do counts more than a sentence that does not."""
    told = ""
    for at in _decisions(parts):
        inside = [each for each in sections_under(parts, at) if not _AFTER.match(normalize_heading(each.title))]
        texts = ["\n".join(each.lines) for each in (parts[at], *inside)]
        if words := next(filter(None, map(_chosen_option, (*texts, *(each.title for each in inside)))), ""):
            return words
        told = next(filter(None, map(_decision_line, texts)), "")
        if told:
            break
    return told if _WILL.search(told) or _DOES.match(told) else title or told or _find_intention(parts)


def _name_choice(choice: str, options: AdrOptions) -> str:
    """The choice by its name, where the record only gives its number."""
    return options.chosen if options.chosen and _NUMBER_ONLY.fullmatch(choice) else choice


def _find_intention(parts: Sequence[MarkdownSection]) -> str:
    """What a record without a decision's section says that will be done."""
    for section in parts:
        if normalize_heading(section.title) not in CONSEQUENCES:
            for _, text in find_paragraphs(section.lines):
                for told in split_sentences(strip_markdown(text)):
                    if _WILL.search(told):
                        return one_line(told)
    return ""


def _stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def _decisions(parts: Sequence[MarkdownSection]) -> Iterator[int]:
    names = [normalize_heading(section.title) for section in parts]
    for wanted in DECISION:
        yield from (at for at, name in enumerate(names) if name == wanted and parts[at].level > 0)
    yield from (
        at
        for at, name in enumerate(names)
        if re.match(r"(?:decision|solution)\b(?! drivers)", name)
        and name not in DECISION
        and parts[at].level > 0
        and not STATUS & {name}
        and parts[at].level > 1
    )


def _chosen_option(text: str) -> str:
    """What `Chosen option: …` names."""
    lines = text.split("\n")
    told = [words for _, words in find_paragraphs(lines)] + [item.text for item in list_items(lines)]
    for words in told:
        if found := _CHOSEN.search(strip_markdown(words)):
            return _option_after_label(next(filter(None, found.groups())))
    return ""


def _decision_line(text: str) -> str:
    """What was decided, in one line, from the text of a decision's section."""
    lines = text.split("\n")
    told = [
        strip_markdown(words)
        for _, words in find_paragraphs(lines)
        if not re.match(r"\s*(?:!\[|<|\.\. |[-=_~^*]{3,}\s*$)", words)
    ]
    first = [sentence for words in told[:3] for sentence in split_sentences(words)][:6]
    if first and not _OPEN.fullmatch(" ".join(first)):
        words = next((sentence for sentence in first if _WILL.search(sentence) or _DOES.match(sentence)), first[0])
        return one_line(_add_list(words, lines) if words.endswith(":") else words)
    listed = [strip_markdown(item.text) for item in list_items(lines)[:3] if strip_markdown(item.text)]
    return one_line("; ".join(words.rstrip(".;") for words in listed))


def _add_list(words: str, lines: Sequence[str]) -> str:
    listed = [strip_markdown(item.text).rstrip(".;") for item in list_items(lines)[:4]]
    return f"{words} {'; '.join(filter(None, listed))}".strip().rstrip(":")


def _option_after_label(words: str) -> str:
    """The option that `Chosen option: …` names."""
    if quoted := _QUOTED.match(words):
        return one_line(quoted[1])
    cut = _BECAUSE.split(words, maxsplit=1)[0]
    words = next(split_sentences(cut), cut).strip(" *_\"“”',.;:->").removeprefix("to ")
    return "" if _OPEN.fullmatch(words) else one_line(words)


def _question(parts: Sequence[MarkdownSection]) -> str:
    for section in parts:
        if normalize_heading(section.title) in CONTEXT:
            asked = [
                s
                for _, text in find_paragraphs(section.lines)
                for s in split_sentences(strip_markdown(text))
                if s.endswith("?")
            ]
            asked += [
                strip_markdown(item.text)
                for item in list_items(section.lines)
                if strip_markdown(item.text).endswith("?")
            ][:1]
            if asked:
                return one_line(asked[-1] if len(asked) < 3 else asked[0])
    return ""


def _links(found: MarkdownPage, status: str, meta: Mapping[str, str]) -> Iterator[ImportLink]:
    yield from links_in_front(found.front)
    yield from links_in_front({key: value for key, value in meta.items() if key not in {"tags", "date", "status"}})
    yield from links_in_status(status)
    for at, section in enumerate(found.sections):
        name = normalize_heading(section.title)
        words = "\n".join(section.lines)
        if kind := _OWN_SECTIONS.get(name):
            yield from links_in_section(kind, section_text(found.sections, at))
        elif name not in STATUS:
            yield from links_in_text(words, own=name in REFERENCES and len(words) < PART_OF_BODY)


def _body(parts: Sequence[MarkdownSection], name: str) -> str:
    """The parts that tell what was decided and why; the whole text where there are none."""
    told = []
    seen: set[int] = set()
    first = min(_decisions(parts), default=-1)
    for at, section in enumerate(parts):
        title = normalize_heading(section.title)
        kept = at == first or (title in CONTEXT and section.level > 0) or title in CONSEQUENCES
        if kept and at not in seen and (words := section_text(parts, at)):
            told.append(f"## {section.title}\n\n{_cut_body(words)}")
            seen |= set(range(at, at + len(sections_under(parts, at)) + 1))
    if told:
        return "\n\n".join(told)
    return _cut_body("\n".join(text for section in parts for text in section.lines).strip() or name, PART_OF_BODY * 2)


def _cut_body(text: str, most: int = PART_OF_BODY) -> str:
    if len(text) <= most:
        return text
    kept = text[:most].rsplit("\n", 1)[0]
    return kept + ("\n```" if len(re.findall(r"^\s*```", kept, re.MULTILINE)) % 2 else "") + "\n…"


def detect(path: str) -> float:
    """Sure of a folder in which most files are records; of a file that has a decision and a status or a context."""
    if os.path.isfile(path):
        return _rate_file(path)
    name = os.path.basename(path.rstrip("/")).lower()
    usual = 0.3 if name in {"adr", "adrs", "decisions", "decision-records", "architecture-decisions"} else 0.0
    found = [
        file.path
        for file in find_files(ImportSource(path=path, label=""), *ENDS, deepest=4)
        if isinstance(file, ImportFile)
    ][:400]
    numbered = [each for each in found if _NUMBER.search(os.path.splitext(os.path.basename(each))[0])]
    some = (numbered or found)[:12]
    if not some or os.path.lexists(os.path.join(path, ".adr-dir")):
        return usual
    return min(0.9, usual + 0.9 * (sum(map(_rate_file, some)) / len(some)) * (0.5 + 0.5 * len(numbered) / len(found)))


def _rate_file(path: str) -> float:
    if not path.lower().endswith(ENDS):
        return 0.0
    try:
        found = parse_page(strip_codes(read_text(path)[:60_000]), path)
    except FileUnreadable:
        return 0.0
    names = {normalize_heading(section.title) for section in found.sections}
    decided = bool(names & {"decision", "decision outcome", "decisions", "entscheidung"})
    told = bool(
        names
        & (STATUS | {"context", "context and problem statement", "contexte", "consequences", "considered options"})
    )
    return (
        0.9
        if decided and told
        else 0.5
        if decided or (_state(_status(found, _meta(found)), found.front) in STATES and told)
        else 0.0
    )


ADR = Importer(
    name="adr",
    reads="architecture decision records: MADR, Nygard and free forms (.md, .rst, .adoc)",
    lies="docs/adr, doc/adr, docs/decisions, docs/architecture/decisions",
    detect=detect,
    read=read,
)
