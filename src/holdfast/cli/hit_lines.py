"""Hits of a search, on the screen and for programs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from holdfast.cli.common import entry_line, snippet
from holdfast.cli.output import Output
from holdfast.core.search import Hit
from holdfast.recall.find import effective_status
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

RECIPES = ("auto", "words", "default", "meaning")
WEAK = "~ near in meaning, or beside something that is; it contains no word of the question"


def lanes_json(hit: Hit) -> dict[str, Any]:
    """What every lane said of a hit, for programs."""
    return {lane.lane: {"rank": lane.rank, "score": round(lane.score, 6), "why": lane.why} for lane in hit.lanes}


def hit_json(app: App, hit: Hit) -> dict[str, Any]:
    """A hit, for programs."""
    memory = hit.entry.memory
    return {
        "id": memory.id,
        "type": memory.type,
        "title": memory.title,
        "score": round(hit.score, 6),
        "weak": hit.weak,
        "lanes": lanes_json(hit),
        "path": display_path(app, hit.entry),
        "status": memory.status,
        "scope": hit.entry.scope,
        "updated": memory.updated,
        "stale": hit.stale,
    }


def print_hits(
    hits: Sequence[Hit], out: Output, *, explain: bool, newer: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Hits, best first; with their reasons where these are asked for. `newer`: which memory replaced which."""
    best = max((hit.score for hit in hits if not hit.weak), default=1.0) or 1.0
    for hit in hits:
        # A share of the best says how well words fit; of what no word speaks for, it would promise too much.
        share = "   ~ " if hit.weak else f"{hit.score / best:4.2f} "
        out.line(entry_line(hit.entry, out, before=f"{share} ", status=effective_status(hit.entry, newer)))
        if line := snippet(hit.entry, out):
            out.line(line)
        if hit.stale:
            out.line(f"    {hit.stale}: holdfast show {hit.entry.memory.id}")
        for lane in hit.lanes if explain else ():
            out.cut(f"    {lane.lane}: rank {lane.rank}, score {lane.score:.3f}; {lane.why}")
    if any(hit.weak for hit in hits):
        out.line(WEAK)
