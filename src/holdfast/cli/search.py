"""holdfast search"""

import argparse
from collections.abc import Mapping

from holdfast.cli.common import add_filters, build_question, format_count, open_app
from holdfast.cli.hit_lines import RECIPES, hit_json, print_hits
from holdfast.cli.output import Output
from holdfast.core.search import Found
from holdfast.recall.find import find_superseded, search

EXAMPLES = """\
  holdfast search "which tui toolkit"
  holdfast search getUserById --path src/users/repo.py
  holdfast search redis --type decision --as-of 2026-03-01
  holdfast search "which pool before we moved to postgres" --explain    what was read in it, and what was dropped
  holdfast search "rate limit" --in turns        remember when we discussed it?
  holdfast search "rate limit" --in all          turns, runs, log and research
  holdfast search "connection pool" --json | jq '.hits[].id'
"""
STATUS = "0 found · 1 looked, found nothing · 2 bad request · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words, identifiers or paths")
    parser.add_argument(
        "--explain", action="store_true", help="show why each was found, and all that search does with the question"
    )
    parser.add_argument(
        "--all", action="store_true", dest="every", help="with --explain: name every candidate that was dropped"
    )
    parser.add_argument(
        "--in",
        dest="place",
        default="memory",
        choices=["memory", "turns", "runs", "log", "research", "all"],
        help="where: memory (default), what was said in sessions, or what was written down",
    )
    parser.add_argument("--recipe", default="", choices=RECIPES, help="rank so (default: as the settings say)")
    add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Find memories by words, and by meaning and names where words do not settle it."""
    app = open_app(args, anywhere=True)
    text = " ".join(args.query)
    if args.place != "memory":
        from holdfast.cli.said import run_said

        return run_said(app, text, args, out)
    if args.explain:
        from holdfast.cli.search_explain import run_explained

        return run_explained(app, text, args, out)
    found = search(app, build_question(args, app, text), args.recipe)
    if out.as_json:
        out.json({
            "query": text, "hits": [hit_json(app, hit) for hit in found.hits], "searched": dict(found.searched)
        })  # fmt: skip
    else:
        _print(found, out, find_superseded(app) if args.status else {})
    out.notices(app.notices)
    return 0 if found.hits else 1


def _print(found: Found, out: Output, newer: Mapping[str, str]) -> None:
    print_hits(found.hits, out, explain=False, newer=newer)
    if not found.hits:
        out.line(f"Nothing found in {format_count(int(str(found.searched.get('memories', 0))), 'memory')}.")
