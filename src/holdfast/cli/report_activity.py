"""holdfast report activity"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output
from holdfast.report.synthesis import activity_json, list_activity

EXAMPLES = """\
  holdfast report activity                       files that changed in the last 7 days, by session
  holdfast report activity --days 30 --path src/upload
  holdfast report activity --path "src/**/*.py" --json
"""
STATUS = "0 also when nothing changed · 2 bad request · 3 no workspace · 5, 6 could not look"
MOST_PROMPTS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--days", type=parse_count, default=7, metavar="N", help="the last N days (default 7)")
    parser.add_argument("--path", default="", metavar="P", help="only this file, folder or glob")
    parser.add_argument("-n", "--limit", type=parse_count, default=30, metavar="N", help="how many files (default 30)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show which files changed recently, and for which prompts."""
    app = open_app(args)
    found = list_activity(app, args.days, args.path)
    if out.as_json:
        out.json({"files": [activity_json(each) for each in found[: args.limit]], "count": len(found)})
    for file in found[: args.limit]:
        out.cut(f"{file.path}  ({format_count(file.changes, 'change')}, {file.last[:16].replace('T', ' ')})")
        for each in file.sessions:
            out.cut(f"    {each.last[:10]} {each.client} {each.session[:12]}: {format_count(each.changes, 'change')}")
            for prompt in each.prompts[-MOST_PROMPTS:]:
                out.cut(f"        “{prompt.text}”")
    if len(found) > args.limit:
        out.line(f"and {len(found) - args.limit} more: -n {len(found)}")
    if not found:
        where = f" in {args.path!r}" if args.path else ""
        out.line(f"No agent changed a file{where} in the last {format_count(args.days, 'day')}.")
    out.notices(app.notices)
    return 0
