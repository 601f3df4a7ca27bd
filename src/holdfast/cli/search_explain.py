"""The answer of `holdfast search --explain`: all that search does with a question."""

import argparse
import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from holdfast.cli.common import build_question, format_count
from holdfast.cli.hit_lines import hit_json, print_hits
from holdfast.cli.output import Output, fit, one_line
from holdfast.core.value import as_dict
from holdfast.recall.explain import DroppedCandidate, LaneReport, SearchInspection, inspect_search
from holdfast.workspace import App

SHOWN = 5
SHOWN_PARTS = frozenset({"near", "static", "covered", "title", "rare", "names", "path", "marked"})


def run_explained(app: App, text: str, args: argparse.Namespace, out: Output) -> int:
    """Tell all that search does with a question."""
    found = inspect_search(app, build_question(args, app, text), args.recipe)
    if out.as_json:
        out.json(_form(app, text, found))
    else:
        _print(text, found, out, every=args.every)
    out.notices(app.notices)
    return 0 if found.hits else 1


def _form(app: App, text: str, found: SearchInspection) -> dict[str, Any]:
    return {
        "query": text,
        "recipe": {"asked_for": found.setting, "followed": found.recipe, "why": found.why_recipe},
        "terms": list(found.terms),
        "left_out": dict(found.left_out),
        "names": [as_dict(each) for each in found.names],
        "paths": list(found.paths),
        "times": [
            {"said": each.phrase, "from": each.start, "to": each.end, "why": each.why, "anchor": each.anchor or None}
            for each in found.times
        ],
        "gate": round(found.gate, 4),
        "coverage": round(found.coverage, 4),
        "lanes": [as_dict(each) | {"weight": round(each.weight, 4)} for each in found.lanes],
        "candidates": found.candidates,
        "hits": [hit_json(app, hit) for hit in found.hits],
        "dropped": [
            {
                "id": each.entry.memory.id, "title": each.entry.memory.title, "score": round(each.score, 6),
                "why": each.why,
            }
            for each in found.dropped
        ],
        "not_looked_at": found.more,
        "reranked": _reranked(found),
        "relevance": {
            "model": found.relevance.model, "gate": round(found.relevance.gate, 4),
            "floor": round(found.relevance.floor, 4),
            "told": [
                {
                    "id": each.entry.memory.id, "logit": round(each.logit, 4), "why": each.why,
                    "features": {name: round(value, 4) for name, value in each.features.items()},
                }
                for each in found.relevance.found
            ],
        },
    }  # fmt: skip


def _reranked(found: SearchInspection) -> dict[str, Any] | None:
    done = found.reranking
    shown = {hit.entry.memory.id for hit in found.hits}
    if done is None:
        return None
    moved = [as_dict(each) | {"score": round(each.score, 6)} for each in done.moved if each.id in shown]
    return {"by": done.by, "seconds": done.seconds, "looked_at": len(done.moved), "hits": moved}


def _print(text: str, found: SearchInspection, out: Output, *, every: bool) -> None:
    for head, told in _read(text, found):
        out.line(fit(f"{head:<10} {one_line(told)}", out.width))
    out.line()
    for lane in (each for each in found.lanes if not _is_silent(each)):
        out.line(fit(f"  {lane.name:<15} {one_line(_told(lane))}", out.width))
    for why, names in _grouped((each.silent, each.name) for each in found.lanes if _is_silent(each)):
        out.cut(f"  silent: {', '.join(names)} ({why})")
    out.line()
    _print_reranked(found, out)
    best = max((hit.score for hit in found.hits), default=0.0) or max((e.score for e in found.dropped), default=1.0)
    print_hits(found.hits, out, explain=True)
    if not found.hits:
        out.line("Nothing is found.")
    _print_dropped(found, best or 1.0, out, every=every)
    _print_relevance(found, out)


def _print_relevance(found: SearchInspection, out: Output) -> None:
    """What an agent would be told if this were a prompt, and why."""
    answer = found.relevance
    out.line()
    if not answer.found:
        out.line(f"as a prompt: an agent would be told nothing ({answer.gate:.2f}, floor {answer.floor:.2f})")
        return
    out.line(f"as a prompt, an agent would be told (by {answer.model}; {answer.gate:.2f}, floor {answer.floor:.2f}):")
    for each in answer.found:
        parts = ", ".join(
            f"{name} {value:.2f}" for name, value in each.features.items() if value and name in SHOWN_PARTS
        )
        likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, each.logit))))
        out.cut(f"  {likely:4.0%}  {each.entry.memory.id:<12} {each.why}; {parts}")


def _print_reranked(found: SearchInspection, out: Output) -> None:
    done = _reranked(found)
    if done is None:
        return
    out.cut(f"reranked by {done['by']}: the best {done['looked_at']} in {done['seconds']:.2f} s")
    for each in done["hits"]:
        if each["before"] != each["after"]:
            out.line(f"  {each['id']}: rank {each['before']} → {each['after']}, score {each['score']:.3f}")
    out.line()


def _read(text: str, found: SearchInspection) -> Iterator[tuple[str, str]]:
    """What was read in the question, and how sure search is."""
    yield "question", text
    yield "recipe", f"{found.recipe} ({found.why_recipe})"
    yield "terms", " ".join(found.terms) or "none that stands anywhere"
    left_out = _grouped((why, term) for term, why in found.left_out.items())
    yield from (("left out", f"{' '.join(terms)}: {why}") for why, terms in left_out)
    yield from (("name", f"{name.written} ({name.kind})") for name in found.names)
    yield from (("path", path) for path in found.paths)
    for each in found.times:
        span = f"{each.start[:16] or 'ever'} … {each.end[:16] or 'now'}".replace("T", " ")
        yield "time", f"{each.phrase!r}: {span}" + (f", {each.anchor} {each.why}" if each.why else "")
    yield "confidence", f"names heard {found.gate:.2f}; {found.coverage:.0%} of the question covered by the best"
    yield "candidates", str(found.candidates)


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """What has the same reason, together."""
    found: dict[str, list[str]] = {}
    for why, what in pairs:
        found.setdefault(why, []).append(what)
    return list(found.items())


def _is_silent(lane: LaneReport) -> bool:
    return bool(lane.silent) and not lane.brought


def _told(lane: LaneReport) -> str:
    parts = [f"weight {lane.weight:.2f}"] if lane.weight else ["no weight"]
    parts += [f"brought {lane.brought}"] if lane.brought is not None else []
    parts += [f"speaks for {lane.speaks_for}"] if lane.weight else []
    return ", ".join((*parts, *filter(None, [lane.silent])))


def _print_dropped(found: SearchInspection, best: float, out: Output, *, every: bool) -> None:
    ordered = sorted(found.dropped, key=lambda each: each.why)
    for why, group in groupby(ordered, key=lambda each: each.why):
        several: list[DroppedCandidate] = list(group)
        out.line()
        out.cut(f"dropped, {why}: {len(several)}")
        for each in several if every else several[:SHOWN]:
            memory = each.entry.memory
            out.line(fit(f"  {each.score / best:4.2f}  {memory.id:<12} {one_line(memory.title)}", out.width))
        if len(several) > SHOWN and not every:
            out.line("  … --all names them")
    if found.more:
        out.line()
        out.line(f"{format_count(found.more, 'candidate')} more were beaten by so many that they were not looked at.")
