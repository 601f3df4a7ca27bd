"""Architecture decision records: MADR, Nygard, and what people really write."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import Memory, MemoryType, RejectedOption, SaidBy, Status
from holdfast.core.value import Value
from holdfast.importers.adr_links import AMENDED_BY, AMENDS, front_links, section_links, status_links, told_links
from holdfast.importers.adr_options import Weighed, weighed
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
    heading,
    said_of,
    state_of,
)
from holdfast.importers.foreign_text import TITLE, bare, body, date_in, folded, line, plain, sentences
from holdfast.importers.import_values import (
    SUPERSEDED_BY,
    SUPERSEDES,
    Imported,
    Importer,
    Link,
    Read,
    Rejected,
    Source,
)
from holdfast.importers.markdown_outline import Page, Section, items, page, paragraphs, texts, under, whole
from holdfast.importers.read_files import Found, Unreadable, files, place, text

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


class Record(Value):
    """What a decision record says. `state` is one of ours, `status` the record's own words."""

    title: str
    state: str
    status: str
    date: str
    question: str
    choice: str
    named: bool
    rejected: tuple[RejectedOption, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    body: str
    about: bool
    deciders: str = ""

    @property
    def says_something(self) -> bool:
        """Whether this is a record at all."""
        return bool(self.choice or self.state or self.about)


def record(text: str, name: str) -> Record:
    """A text as a decision record; `name` is its file's."""
    found = page(plain(text), name)
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
    options = weighed(parts, choice, title)
    return Record(
        title=title, state=state, status=line(status, 200), date=_date(found, meta, name), question=_question(parts),
        choice=_worded(choice, options), named=options.named, rejected=options.rejected, links=links,
        tags=tuple(dict.fromkeys(line(tag, 40) for tag in texts(front.get("tags")) + texts(meta.get("tags", "")))),
        about=any(heading(section.title) in CONTEXT for section in parts) and bool(_NUMBER.search(_stem(name))),
        body=_body(parts, name), deciders=line(str(meta.get("deciders", "")), 200),
    )  # fmt: skip


def read(source: Source) -> Read:
    """The records of a folder, or one."""
    found: list[tuple[Found, str, Record]] = []
    for file in files(source, *ENDS):
        if isinstance(file, Rejected):
            yield file
            continue
        try:
            words = text(file.path)
        except Unreadable as error:
            yield Rejected(place=place(source, file.name, error.line), reason=str(error))
            continue
        name = file.name or os.path.basename(file.path)
        made = record(words, name)
        if NO_RECORD.search(name) or not made.says_something:
            yield Rejected(
                place=place(source, file.name, 1), reason="is no decision record: neither a decision nor a status"
            )
        elif made.title.lower().startswith(("[short title", "<short title", "{short title", "title of")):
            yield Rejected(place=place(source, file.name, 1), reason="is the template, not a record")
        else:
            found.append((file, words, made))
    by_name = _names(source, [file for file, _, _ in found])
    for file, words, made in found:
        yield _imported(source, file, words, made, by_name)


def _imported(source: Source, file: Found, words: str, made: Record, by_name: Mapping[str, str]) -> Imported:
    key = place(source, file.name)
    folder = os.path.dirname(file.name)
    links = tuple(Link(kind=link.kind, to=_resolved(link.to, folder, by_name, source)) for link in made.links)
    return Imported(
        key=key, place=f"{key}:1", memory=_memory(made, key), raw=words, names=(made.title,),
        links=tuple(dict.fromkeys(link for link in links if link.to != key)),
        waits=f"the record says {made.status or made.state!r}" if made.state == PROPOSED else "",
        over=made.state in {SUPERSEDED, DEPRECATED},
    )  # fmt: skip


def _memory(made: Record, key: str) -> Memory:
    choice, rejected = made.choice, made.rejected
    if made.state == DECLINED:
        # What was turned down is the option that was not taken.
        choice, rejected = "", (RejectedOption(option=made.title, reason=line(made.choice, 300)), *made.rejected)
    extra = {"import_status": made.status or made.state, "deciders": made.deciders}
    return Memory(
        id="", type=MemoryType.DECISION, status=Status.CANDIDATE, title=made.title, body=body(made.body, key),
        tags=made.tags, question=made.question, choice=choice, rejected=rejected, said_by=SaidBy.TOOL,
        valid_from=made.date, updated=made.date,
        extra={name: value for name, value in extra.items() if value},
    )  # fmt: skip


def _names(source: Source, found: Sequence[Found]) -> dict[str, str]:
    """Every name that a record may be called by: its path, its file's name, its number in its folder."""
    names: dict[str, str] = {}
    for file in found:
        key = place(source, file.name)
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


def _resolved(name: str, folder: str, by_name: Mapping[str, str], source: Source) -> str:
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


def _meta(found: Page) -> dict[str, str]:
    """`Status: …`, `* Date: …` and the like, before the first real section."""
    meta: dict[str, str] = {}
    for section in found.sections[:3]:
        if section.level > 1 and heading(section.title) in CONTEXT | set(DECISION):
            break
        for words in section.lines[:40]:
            if (pair := _META.match(words[:LONGEST_META])) and pair[2].strip("*_ "):
                meta.setdefault(folded(pair[1]).replace(" ", "-"), pair[2].strip())
    return meta


def _title(found: Page, name: str) -> str:
    first = next((section.title for section in found.sections if section.level == 1 and section.title), "")
    first = first or next((section.title for section in found.sections if section.level and section.title), "")
    words = first if first and heading(first) not in STATUS | CONTEXT else str(found.front.get("title", ""))
    given = str(found.front.get("title", ""))
    for title in (words, given):
        if len(kept := _TITLE.sub("", bare(title)).strip(" -–—:.\"'")) > 2:
            return line(kept, TITLE)
    stem = _stem(name)
    return line(
        re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]*", "", stem, flags=re.IGNORECASE)
        .replace("-", " ")
        .replace("_", " ")
        .strip()
        or stem,
        TITLE,
    )


def _status(found: Page, meta: Mapping[str, str]) -> str:
    """The record's own words on its status."""
    given = found.front.get("status", "")
    parts = [" ".join(given) if isinstance(given, Mapping | list) else str(given or "")]
    parts += [meta[key] for key in ("status", "state", "etat", "statut") if key in meta]
    for at, section in enumerate(found.sections):
        name = heading(section.title)
        if name in STATUS and section.level:
            told = [text.strip() for text in section.lines if text.strip() and not set(text.strip()) <= set("-=*_~^")]
            told += [bare(each.title) for each in under(found.sections, at)[:2]]
            parts.append("\n".join(told[:12]))
        elif section.level and (later := re.match(r"(?:status|etat)\s*[:–-]\s*(.+)", folded(section.title))):
            parts.append(later[1])
    return "\n".join(part for part in parts if part.strip() and part.strip() != "{}").strip()


def _state(status: str, front: Mapping[str, object]) -> str:
    if any(
        str(key).lower().replace("_", "-") in {"superseded-by", "replaced-by"} and value for key, value in front.items()
    ):
        return SUPERSEDED
    lines = [text for text in said_of(status).split("\n") if state_of(text)]
    ended = [
        text
        for text in lines
        if re.search(r"super[sc]e+ded|replaced by|remplac\w+ par|ersetzt durch", text, re.IGNORECASE)
    ]
    if ended and not _IN_PART.search(ended[0]):
        return SUPERSEDED
    told = [state_of(text) for text in lines if text not in ended]
    # What was accepted first may be deprecated by a later line; what is superseded in part holds for the rest.
    if DEPRECATED in told and ACCEPTED in told[:1]:
        return DEPRECATED
    return next(iter(told), ACCEPTED if ended else "")


def _date(found: Page, meta: Mapping[str, str], name: str) -> str:
    given = [str(found.front.get(key, "")) for key in ("date", "created", "decided")]
    given += [
        meta[key] for key in ("date", "decided", "accepted", "created", "proposed", "last-updated") if key in meta
    ]
    for section in found.sections:
        if heading(section.title) in {"date", "changelog", "change log", "history", "revision history"}:
            given.append("\n".join(section.lines[:12]))
    given += ["\n".join(section.lines[:6]) for section in found.sections[:2]]
    given += [name, *("\n".join(s.lines[:6]) for s in found.sections if heading(s.title) in STATUS)]
    return next(filter(None, map(date_in, given)), "")


def _choice(parts: Sequence[Section], title: str) -> str:
    """What was decided. A title that says what to do counts more than a sentence that does not."""
    told = ""
    for at in _decisions(parts):
        inside = [each for each in under(parts, at) if not _AFTER.match(heading(each.title))]
        texts = ["\n".join(each.lines) for each in (parts[at], *inside)]
        if words := next(filter(None, map(_named_option, (*texts, *(each.title for each in inside)))), ""):
            return words
        told = next(filter(None, map(_decided, texts)), "")
        if told:
            break
    return told if _WILL.search(told) or _DOES.match(told) else title or told or _willed(parts)


def _worded(choice: str, options: Weighed) -> str:
    """The choice by its name, where the record only gives its number."""
    return options.taken if options.taken and _NUMBER_ONLY.fullmatch(choice) else choice


def _willed(parts: Sequence[Section]) -> str:
    """What a record without a decision's section says that will be done."""
    for section in parts:
        if heading(section.title) not in CONSEQUENCES:
            for _, text in paragraphs(section.lines):
                for told in sentences(bare(text)):
                    if _WILL.search(told):
                        return line(told)
    return ""


def _stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def _decisions(parts: Sequence[Section]) -> Iterator[int]:
    names = [heading(section.title) for section in parts]
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


def _named_option(text: str) -> str:
    """What `Chosen option: …` names."""
    lines = text.split("\n")
    told = [words for _, words in paragraphs(lines)] + [item.text for item in items(lines)]
    for words in told:
        if found := _CHOSEN.search(bare(words)):
            return _named(next(filter(None, found.groups())))
    return ""


def _decided(text: str) -> str:
    """What was decided, in one line, from the text of a decision's section."""
    lines = text.split("\n")
    told = [
        bare(words) for _, words in paragraphs(lines) if not re.match(r"\s*(?:!\[|<|\.\. |[-=_~^*]{3,}\s*$)", words)
    ]
    first = [sentence for words in told[:3] for sentence in sentences(words)][:6]
    if first and not _OPEN.fullmatch(" ".join(first)):
        words = next((sentence for sentence in first if _WILL.search(sentence) or _DOES.match(sentence)), first[0])
        return line(_with_list(words, lines) if words.endswith(":") else words)
    listed = [bare(item.text) for item in items(lines)[:3] if bare(item.text)]
    return line("; ".join(words.rstrip(".;") for words in listed))


def _with_list(words: str, lines: Sequence[str]) -> str:
    listed = [bare(item.text).rstrip(".;") for item in items(lines)[:4]]
    return f"{words} {'; '.join(filter(None, listed))}".strip().rstrip(":")


def _named(words: str) -> str:
    """The option that `Chosen option: …` names."""
    if quoted := _QUOTED.match(words):
        return line(quoted[1])
    cut = _BECAUSE.split(words, maxsplit=1)[0]
    words = next(sentences(cut), cut).strip(" *_\"“”',.;:->").removeprefix("to ")
    return "" if _OPEN.fullmatch(words) else line(words)


def _question(parts: Sequence[Section]) -> str:
    for section in parts:
        if heading(section.title) in CONTEXT:
            asked = [s for _, text in paragraphs(section.lines) for s in sentences(bare(text)) if s.endswith("?")]
            asked += [bare(item.text) for item in items(section.lines) if bare(item.text).endswith("?")][:1]
            if asked:
                return line(asked[-1] if len(asked) < 3 else asked[0])
    return ""


def _links(found: Page, status: str, meta: Mapping[str, str]) -> Iterator[Link]:
    yield from front_links(found.front)
    yield from front_links({key: value for key, value in meta.items() if key not in {"tags", "date", "status"}})
    yield from status_links(status)
    for at, section in enumerate(found.sections):
        name = heading(section.title)
        words = "\n".join(section.lines)
        if kind := _OWN_SECTIONS.get(name):
            yield from section_links(kind, whole(found.sections, at))
        elif name not in STATUS:
            yield from told_links(words, own=name in REFERENCES and len(words) < PART_OF_BODY)


def _body(parts: Sequence[Section], name: str) -> str:
    """The parts that tell what was decided and why; the whole text where there are none."""
    told = []
    seen: set[int] = set()
    first = min(_decisions(parts), default=-1)
    for at, section in enumerate(parts):
        title = heading(section.title)
        kept = at == first or (title in CONTEXT and section.level > 0) or title in CONSEQUENCES
        if kept and at not in seen and (words := whole(parts, at)):
            told.append(f"## {section.title}\n\n{_cut(words)}")
            seen |= set(range(at, at + len(under(parts, at)) + 1))
    if told:
        return "\n\n".join(told)
    return _cut("\n".join(text for section in parts for text in section.lines).strip() or name, PART_OF_BODY * 2)


def _cut(text: str, most: int = PART_OF_BODY) -> str:
    if len(text) <= most:
        return text
    kept = text[:most].rsplit("\n", 1)[0]
    return kept + ("\n```" if len(re.findall(r"^\s*```", kept, re.MULTILINE)) % 2 else "") + "\n…"


def detect(path: str) -> float:
    """Sure of a folder in which most files are records; of a file that has a decision and a status or a context."""
    if os.path.isfile(path):
        return _looks(path)
    name = os.path.basename(path.rstrip("/")).lower()
    usual = 0.3 if name in {"adr", "adrs", "decisions", "decision-records", "architecture-decisions"} else 0.0
    found = [file.path for file in files(Source(path=path, label=""), *ENDS, deepest=4) if isinstance(file, Found)][
        :400
    ]
    numbered = [each for each in found if _NUMBER.search(os.path.splitext(os.path.basename(each))[0])]
    some = (numbered or found)[:12]
    if not some or os.path.lexists(os.path.join(path, ".adr-dir")):
        return usual
    return min(0.9, usual + 0.9 * (sum(map(_looks, some)) / len(some)) * (0.5 + 0.5 * len(numbered) / len(found)))


def _looks(path: str) -> float:
    if not path.lower().endswith(ENDS):
        return 0.0
    try:
        found = page(plain(text(path)[:60_000]), path)
    except Unreadable:
        return 0.0
    names = {heading(section.title) for section in found.sections}
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
