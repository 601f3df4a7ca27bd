"""basic-memory: notes with observations and relations."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.claude_code_memory import WIKI
from holdfast.importers.foreign_text import TITLE, bare, line, plain, time_of
from holdfast.importers.import_values import Imported, Importer, Link, Read, Rejected, Source
from holdfast.importers.markdown_outline import Item, Section, items, page, paragraphs, texts
from holdfast.importers.read_files import Found, Unreadable, files, place, read_all, text
from holdfast.importers.sentence_types import kind_named, kind_of, lacks, memory
from holdfast.importers.stable_keys import Keys

_OBSERVATION = re.compile(r"\[([^\[\]()]{2,60})\]\s+(.+)$", re.DOTALL)
_TIMESTAMP = re.compile(r"[\d:.]+")
_CONTEXT = re.compile(r"\s?\(([^()]{1,300})\)$")
_TAG = re.compile(r"(?<![\w/&#])#([\w/-]{1,60})")
_RELATION = re.compile(
    r"(?:\"([^\"]{1,60})\"|'([^']{1,60})'|([\w-]{1,60}(?:\s[\w-]{1,30}){0,4}))?\s*\[\[([^\[\]"
    r"|]{1,200})(?:\|[^\[\]]*)?\]\]\s*(?:\(([^()]*)\))?\s*$"
)
MOST_LINKS = 40


def read(source: Source) -> Read:
    """Every note of a folder, or one."""
    keys = Keys()
    for found in read_all(source, ".md"):
        if isinstance(found, Rejected):
            yield found
        else:
            yield from _note(source, found[0], found[1], keys)


def _note(source: Source, file: Found, words: str, keys: Keys) -> Read:
    found = page(plain(words), file.name)
    stem = os.path.splitext(os.path.basename(file.name or file.path))[0]
    title = line(str(found.front.get("title", "")) or stem, TITLE)
    permalink = str(found.front.get("permalink", "")) or place(source, file.name).removesuffix(".md")
    links = tuple(dict.fromkeys(relations(found.sections)))[:MOST_LINKS]
    common = _common(found.front, title)
    count = 0
    for section in found.sections:
        for item in items(section.lines, section.start):
            observed = observation(item)
            if observed is None:
                continue
            at = place(source, file.name, item.line)
            category, told, tags, context = observed
            if reason := lacks(told):
                yield Rejected(place=at, reason=reason)
                continue
            count += 1
            kind = kind_named(category) or (kind_of(bare(told)) if category.lower() == "note" else MemoryType.LEARNING)
            made = _observed(kind, category, told, at, (*tags, *common["tags"]), context, common)
            key = keys.of(permalink, category, told)
            yield Imported(
                key=key, place=at, raw=item.text, memory=made, links=links,
                names=(title, permalink, stem) if count == 1 else (),
            )  # fmt: skip
    beside = next((number for section in found.sections for number, _ in paragraphs(section.lines, section.start)), 0)
    if count and beside:
        yield Rejected(place=place(source, file.name, beside), reason="prose beside the observations")
    elif not count:
        yield _prose(source, file, found.sections, permalink, common, links, keys)


def _common(front: Mapping[str, Any], title: str) -> dict[str, Any]:
    when = time_of(front.get("modified") or front.get("updated") or front.get("created"))
    begun = time_of(front.get("created") or front.get("date"))
    return {
        "note": title,
        "updated": when,
        "valid_from": begun[:10],
        "tags": tuple(line(tag, 60) for tag in texts(front.get("tags"))),
    }


def _observed(
    kind: MemoryType, category: str, told: str, at: str, tags: tuple[str, ...], context: str, common: Mapping[str, Any]
) -> Any:
    whole = f"{told}\n\nContext: {context}" if context else told
    fields: dict[str, object] = {
        "tags": tuple(dict.fromkeys(tags)),
        "updated": common["updated"],
        "valid_from": common["valid_from"],
    }
    if kind is MemoryType.LEARNING or kind is MemoryType.DECISION:
        fields["category"] = line(category, 60)
    return memory(kind, whole, at, SaidBy.TOOL, **fields, extra={"note": common["note"]})


def observation(item: Item) -> tuple[str, str, tuple[str, ...], str] | None:
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


def relations(sections: tuple[Section, ...]) -> Iterator[Link]:
    """What a note says of others: typed relations in lists, and any other wiki link."""
    for section in sections:
        typed = set()
        for item in items(section.lines, section.start):
            found = _RELATION.match(" ".join(item.text.split()))
            if found and not _OBSERVATION.match(item.text):
                kind = found[1] or found[2] or found[3] or "links_to"
                typed.add(found[4].strip())
                yield Link(kind=re.sub(r"\s+", "_", kind.strip()), to=found[4].strip())
        for name in WIKI.findall("\n".join(section.lines)):
            if name.strip() not in typed:
                yield Link(kind="links_to", to=name.strip())


def _prose(
    source: Source, file: Found, sections: tuple[Section, ...], permalink: str, common: Mapping[str, Any],
    links: tuple[Link, ...], keys: Keys,
) -> Imported | Rejected:  # fmt: skip
    """A note without observations, as one thing."""
    told = "\n\n".join(
        f"{'#' * s.level} {s.title}\n\n" * bool(s.level > 1) + "\n".join(s.lines).strip() for s in sections
    ).strip()
    at = place(source, file.name, 1)
    if reason := lacks(" ".join(told.split())[:4000]):
        return Rejected(place=at, reason=f"a note without words: {reason}")
    made = memory(
        MemoryType.LEARNING, told, at, SaidBy.TOOL, title=common["note"], fact=common["note"], tags=common["tags"],
        updated=common["updated"], valid_from=common["valid_from"],
    )  # fmt: skip
    return Imported(
        key=keys.own(permalink), place=at, raw=told, memory=made, links=links, names=(common["note"], permalink)
    )


def detect(path: str) -> float:
    """Sure of notes with a permalink, or with observations and relations."""
    if os.path.isfile(path):
        return _looks(path) if path.lower().endswith(".md") else 0.0
    found = [file.path for file in files(Source(path=path, label=""), ".md", deepest=5) if isinstance(file, Found)][:12]
    return max(map(_looks, found), default=0.0) * 0.9


def _looks(path: str) -> float:
    try:
        found = page(text(path)[:40_000])
    except Unreadable:
        return 0.0
    listed = [item for section in found.sections for item in items(section.lines)]
    observed = sum(bool(_OBSERVATION.match(item.text)) and observation(item) is not None for item in listed)
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
