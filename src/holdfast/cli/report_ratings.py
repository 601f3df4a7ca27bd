"""holdfast report ratings"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output
from holdfast.records.work_records import list_ratings

EXAMPLES = """\
  holdfast report ratings
  holdfast report ratings --since 2026-11-01
  holdfast report ratings --json | jq '[.ratings[].rating] | add / length'
"""
STATUS = "0 also when there is none · 3 no workspace · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--since", default="", metavar="DATE", help="only since then")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="how many at most (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show how answers were rated."""
    app = open_app(args)
    found = list_ratings(app)
    chosen = [line for line in found.ratings if str(line.get("ts", "")) >= args.since]
    values = [int(line["rating"]) for line in chosen]
    mean = round(sum(values) / len(values), 2) if values else None
    if out.as_json:
        shown = [dict(line) for line in chosen[-args.limit :]]
        out.json({"ratings": shown, "count": len(values), "mean": mean, "broken": found.broken})
    for line in chosen[-args.limit :]:
        said = f"  “{line['comment']}”" if line.get("comment") else ""
        out.cut(f"{line.get('ts')}  {line['rating']:>2}  {line.get('source')}{said}")
    out.line(
        f"{format_count(values, 'rating')}, mean {mean}." if values else "Nothing was rated yet: holdfast log --rate 8"
    )
    if found.broken:
        out.line(f"{format_count(found.broken, 'line')} of ratings.jsonl could not be read.")
    out.notices(app.notices)
    return 0
