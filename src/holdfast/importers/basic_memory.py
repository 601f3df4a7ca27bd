"""basic-memory: notes with observations and relations."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.claude_code_memory import WIKI
from holdfast.importers.foreign_text import TITLE, one_line, parse_time, strip_codes, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportLink, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import (
    MarkdownItem,
    MarkdownSection,
    find_paragraphs,
    front_texts,
    list_items,
    parse_page,
)
from holdfast.importers.read_files import FileUnreadable, ImportFile, find_files, format_place, read_all, read_text
from holdfast.importers.sentence_types import build_memory, kind_named, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

_OBSERVATION = re.compile(r"\[([^\[\]()]{2,60})\]\s+(.+)$", re.DOTALL)
_TIMESTAMP = re.compile(r"[\d:.]+")
_CONTEXT = re.compile(r"\s?\(([^()]{1,300})\)$")
_TAG = re.compile(r"(?<![\w/&#])#([\w/-]{1,60})")
_RELATION = re.compile(
    r"(?:\"([^\"]{1,60})\"|'([^']{1,60})'|([\w-]{1,60}(?:\s[\w-]{1,30}){0,4}))?\s*\[\[([^\[\]"
    r"|]{1,200})(?:\|[^\[\]]*)?\]\]\s*(?:\(([^()]*)\))?\s*$"
)
MOST_LINKS = 40


def read(source: ImportSource) -> Read:
    """Every note of a folder, or one."""
    keys = ImportKeys()
    for found in read_all(source, ".md"):
        if isinstance(found, RejectedItem):
            yield found
        else:
            yield from _note(source, found[0], found[1], keys)


def _note(source: ImportSource, file: ImportFile, words: str, keys: ImportKeys) -> Read:
    found = parse_page(strip_codes(words), file.name)
    stem = os.path.splitext(os.path.basename(file.name or file.path))[0]
    title = one_line(str(found.front.get("title", "")) or stem, TITLE)
    permalink = str(found.front.get("permalink", "")) or format_place(source, file.name).removesuffix(".md")
    links = tuple(dict.fromkeys(find_relations(found.sections)))[:MOST_LINKS]
    common = _common_fields(found.front, title)
    count = 0
    for section in found.sections:
        for item in list_items(section.lines, section.start):
            observed = parse_observation(item)
            if observed is None:
                continue
            at = format_place(source, file.name, item.line)
            category, told, tags, context = observed
            if reason := why_not_alone(told):
                yield RejectedItem(place=at, reason=reason)
                continue
            count += 1
            kind = kind_named(category) or (
                kind_of(strip_markdown(told)) if category.lower() == "note" else MemoryType.LEARNING
            )
            made = _build_observation(kind, category, told, at, (*tags, *common["tags"]), context, common)
            key = keys.of(permalink, category, told)
            yield ImportedItem(
                key=key, place=at, raw=item.text, memory=made, links=links,
                names=(title, permalink, stem) if count == 1 else (),
            )  # fmt: skip
    beside = next(
        (number for section in found.sections for number, _ in find_paragraphs(section.lines, section.start)), 0
    )
    if count and beside:
        yield RejectedItem(place=format_place(source, file.name, beside), reason="prose beside the observations")
    elif not count:
        yield _import_prose(source, file, found.sections, permalink, common, links, keys)


def _common_fields(front: Mapping[str, Any], title: str) -> dict[str, Any]:
    when = parse_time(front.get("modified") or front.get("updated") or front.get("created"))
    begun = parse_time(front.get("created") or front.get("date"))
    return {
        "note": title,
        "updated": when,
        "valid_from": begun[:10],
        "tags": tuple(one_line(tag, 60) for tag in front_texts(front.get("tags"))),
    }


def _build_observation(
    kind: MemoryType, category: str, told: str, at: str, tags: tuple[str, ...], context: str, common: Mapping[str, Any]
) -> Any:
    whole = f"{told}\n\nContext: {context}" if context else told
    fields: dict[str, object] = {
        "tags": tuple(dict.fromkeys(tags)),
        "updated": common["updated"],
        "valid_from": common["valid_from"],
    }
    if kind is MemoryType.LEARNING or kind is MemoryType.DECISION:
        fields["category"] = one_line(category, 60)
    return build_memory(kind, whole, at, SaidBy.TOOL, **fields, extra={"note": common["note"]})


def parse_observation(item: MarkdownItem) -> tuple[str, str, tuple[str, ...], str] | None:
    """An item as an observation: its category, words, tags and context; None when it is none."""
    told = " ".join(item.text.split())
    found = _OBSERVATION.match(told)
    if found and not _TIMESTAMP.fullmatch(found[1]) and not told.startswith("[["):
        category, told = found[1].strip(), found[2]
    elif _TAG.search(told) and not told.startswith("[") and not _RELATION.match(told):
        category = "note"
    else:
        return None
    context = _CONTEXT.search(told)
    if context:
        told = told[: context.start()]
    tags = tuple(_TAG.findall(told))
    told = re.sub(r"\s*(?<![\w/&#])#[\w/-]{1,60}(?=\s|$)", "", told).strip() or told
    return category, told, tags, context[1] if context else ""


def find_relations(sections: tuple[MarkdownSection, ...]) -> Iterator[ImportLink]:
    """What a note says of others: typed relations in lists, and any other wiki link."""
    for section in sections:
        typed = set()
        for item in list_items(section.lines, section.start):
            found = _RELATION.match(" ".join(item.text.split()))
            if found and not _OBSERVATION.match(item.text):
                kind = found[1] or found[2] or found[3] or "links_to"
                typed.add(found[4].strip())
                yield ImportLink(kind=re.sub(r"\s+", "_", kind.strip()), to=found[4].strip())
        for name in WIKI.findall("\n".join(section.lines)):
            if name.strip() not in typed:
                yield ImportLink(kind="links_to", to=name.strip())


def _import_prose(
    source: ImportSource,
    file: ImportFile,
    sections: tuple[MarkdownSection, ...],
    permalink: str,
    common: Mapping[str, Any],
    links: tuple[ImportLink, ...],
    keys: ImportKeys,
) -> ImportedItem | RejectedItem:
    """A note without observations, as one thing."""
    told = "\n\n".join(
        f"{'#' * s.level} {s.title}\n\n" * bool(s.level > 1) + "\n".join(s.lines).strip() for s in sections
    ).strip()
    at = format_place(source, file.name, 1)
    if reason := why_not_alone(" ".join(told.split())[:4000]):
        return RejectedItem(place=at, reason=f"a note without words: {reason}")
    made = build_memory(
        MemoryType.LEARNING, told, at, SaidBy.TOOL, title=common["note"], fact=common["note"], tags=common["tags"],
        updated=common["updated"], valid_from=common["valid_from"],
    )  # fmt: skip
    return ImportedItem(
        key=keys.own(permalink), place=at, raw=told, memory=made, links=links, names=(common["note"], permalink)
    )


def detect(path: str) -> float:
    """Sure of notes with a permalink, or with observations and relations."""
    if os.path.isfile(path):
        return _rate_file(path) if path.lower().endswith(".md") else 0.0
    found = [
        file.path
        for file in find_files(ImportSource(path=path, label=""), ".md", deepest=5)
        if isinstance(file, ImportFile)
    ][:12]
    return max(map(_rate_file, found), default=0.0) * 0.9


def _rate_file(path: str) -> float:
    try:
        found = parse_page(read_text(path)[:40_000])
    except FileUnreadable:
        return 0.0
    listed = [item for section in found.sections for item in list_items(section.lines)]
    observed = sum(bool(_OBSERVATION.match(item.text)) and parse_observation(item) is not None for item in listed)
    if "permalink" in found.front:
        return 0.95
    return 0.6 if observed > 1 and any(_RELATION.match(item.text) for item in listed) else 0.0


BASIC_MEMORY = Importer(
    name="basic-memory",
    reads="a basic-memory project: notes with observations and relations",
    lies="~/basic-memory",
    detect=detect,
    read=read,
)
