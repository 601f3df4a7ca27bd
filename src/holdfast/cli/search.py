"""holdfast search"""

import argparse
from typing import Any

from holdfast.cli.common import add_filters, build_question, entry_line, format_count, open_app, snippet
from holdfast.cli.output import Output
from holdfast.core.search import Found, Hit
from holdfast.recall.find import search
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast search "which tui toolkit"
  holdfast search getUserById --path src/users/repo.py
  holdfast search redis --type decision --as-of 2026-03-01
  holdfast search "rate limit" --in turns        remember when we discussed it?
  holdfast search "rate limit" --in all          turns, runs, log and research
  holdfast search "connection pool" --json | jq '.hits[].id'
"""
STATUS = "0 found · 1 looked, found nothing · 2 bad request · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words, identifiers or paths")
    parser.add_argument("--explain", action="store_true", help="show why each was found")
    parser.add_argument(
        "--in",
        dest="place",
        default="memory",
        choices=["memory", "turns", "runs", "log", "research", "all"],
        help="where: memory (default), what was said in sessions, or what was written down",
    )
    recipes = ["auto", "words", "default", "meaning"]
    parser.add_argument("--recipe", default="", choices=recipes, help="rank so (default: as the settings say)")
    add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Find memories by words, and by meaning and names where words do not settle it."""
    app = open_app(args, anywhere=True)
    text = " ".join(args.query)
    if args.place != "memory":
        from holdfast.cli.said import run_said

        return run_said(app, text, args, out)
    found = search(app, build_question(args, app, text), args.recipe)
    if out.as_json:
        out.json({
            "query": text, "hits": [hit_json(app, hit) for hit in found.hits], "searched": dict(found.searched)
        })  # fmt: skip
    else:
        _print(found, out, explain=args.explain)
    out.notices(app.notices)
    return 0 if found.hits else 1


def hit_json(app: App, hit: Hit) -> dict[str, Any]:
    """A hit, for programs."""
    memory = hit.entry.memory
    lanes = {lane.lane: {"rank": lane.rank, "score": round(lane.score, 6), "why": lane.why} for lane in hit.lanes}
    return {
        "id": memory.id,
        "type": memory.type,
        "title": memory.title,
        "score": round(hit.score, 6),
        "weak": hit.weak,
        "lanes": lanes,
        "path": display_path(app, hit.entry),
        "status": memory.status,
        "scope": hit.entry.scope,
        "updated": memory.updated,
        "stale": hit.stale,
    }


def _print(found: Found, out: Output, *, explain: bool) -> None:
    best = max((hit.score for hit in found.hits if not hit.weak), default=1.0) or 1.0
    for hit in found.hits:
        # A share of the best says how well words fit; of what no word speaks for, it would promise too much.
        share = "   ~ " if hit.weak else f"{hit.score / best:4.2f} "
        out.line(entry_line(hit.entry, out, before=f"{share} "))
        if line := snippet(hit.entry, out):
            out.line(line)
        if hit.stale:
            out.line(f"    {hit.stale}: holdfast show {hit.entry.memory.id}")
        for lane in hit.lanes if explain else ():
            out.cut(f"    {lane.lane}: rank {lane.rank}, score {lane.score:.3f}; {lane.why}")
    if any(hit.weak for hit in found.hits):
        out.line("~ near in meaning, or beside something that is; no word of the question stands in it")
    if not found.hits:
        out.line(f"Nothing found in {format_count(int(str(found.searched.get('memories', 0))), 'memory')}.")
