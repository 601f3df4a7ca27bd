"""Edits of overview.md that a session suggests: gaps it closed, workstreams it finished, paused or took up again."""

import re
from collections.abc import Iterator
from typing import Any

from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.core.value import Value
from holdfast.distil.episodes import Episode
from holdfast.distil.make_candidate import build_candidate
from holdfast.distil.tool_failures import last_passed_check, proof_of
from holdfast.distil.user_words import UserSentence
from holdfast.records.content_words import content_words
from holdfast.records.work_unit import one_line

_HEADING = re.compile(r"^#{1,6}\s+(?P<name>.+?)\s*#*$")
_ITEM = re.compile(r"^\s*[-*+]\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>.+?)\s*$")
_STATUS = re.compile(r"\s*(?:[-–—:]\s*|\()(?P<status>active|paused|done)\)?\s*$", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:is|are|'s) (?:now |finally |all )?(?:done|finished|complete|completed|shipped|merged|fertig|terminée?|"
    r"terminado|lista?)\b",
    re.IGNORECASE,
)
_PAUSED = re.compile(
    r"\b(?:pause|park|put .{2,60} on hold|is on hold|is paused|on hold|let's stop|pausier\w*|mets en pause|pausa)\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"\b(?:resume|pick up|take up|back to|continue with|wieder auf\w*|reprends|retoma)\b", re.IGNORECASE
)
_MOVES = {"done": _DONE, "paused": _PAUSED, "active": _ACTIVE}
_LEAST = 2
OVERVIEW = "overview"


class OverviewItem(Value):
    """A line of the page: the section it stands in, its words, and a workstream's status."""

    section: str
    line: str
    text: str
    status: str = ""


def propose_overview_edits(page: str, episodes: list[Episode]) -> Iterator[Memory]:
    """Candidates for edits of the page; nothing for a page without the two sections."""
    items = list(_items(page))
    for episode in episodes:
        for item in items:
            if item.section == "gaps":
                yield from _find_closed_gap(item, episode)
            else:
                yield from _find_status_change(item, episode)


def _items(page: str) -> Iterator[OverviewItem]:
    section = ""
    for line in page.splitlines():
        heading = _HEADING.match(line)
        if heading:
            low = heading["name"].lower()
            section = "gaps" if "gap" in low else "workstreams" if "workstream" in low else ""
            continue
        found = _ITEM.match(line)
        if not section or not found or (found["box"] or " ") in "xX":
            continue
        status = _STATUS.search(found["text"])
        text = found["text"][: status.start()] if status else found["text"]
        yield OverviewItem(
            section=section, line=line.strip(), text=text.strip(), status=status["status"].lower() if status else ""
        )


def _find_closed_gap(item: OverviewItem, episode: Episode) -> Iterator[Memory]:
    passed = last_passed_check(episode)
    wanted = content_words(item.text)
    changed = any(step.files and not step.failed for step in episode.steps)
    if passed is None or not changed or not episode.sentences or len(wanted) < _LEAST:
        return
    if wanted <= content_words(" ".join(one.text for one in episode.sentences)):
        given = {"said_by": SaidBy.TOOL, "confidence": 0.6, "more": (proof_of(passed),)}
        yield _edit(item, episode.sentences[0], "close", "done", f"Gap closed: {item.text}", given)


def _find_status_change(item: OverviewItem, episode: Episode) -> Iterator[Memory]:
    wanted = content_words(item.text)
    for one in episode.sentences:
        if not wanted or not wanted <= content_words(one.text) or one.text.rstrip().endswith("?"):
            continue
        status = next((status for status, words in _MOVES.items() if words.search(one.text)), "")
        if status and status != item.status:
            given = {"said_by": SaidBy.USER, "confidence": 0.8}
            yield _edit(item, one, "status", status, f"Workstream {status}: {item.text}", given)


def _edit(item: OverviewItem, one: UserSentence, edit: str, status: str, words: str, given: dict[str, Any]) -> Memory:
    return build_candidate(
        MemoryType.LEARNING,
        one.turn,
        one.text,
        title=one_line(words, 90),
        fact=words,
        body=words,
        category=OVERVIEW,
        tags=(OVERVIEW,),
        extra={OVERVIEW: {"edit": edit, "section": item.section, "line": item.line, "status": status}},
        **given,
    )
