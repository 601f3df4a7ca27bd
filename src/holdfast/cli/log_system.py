"""holdfast log --system"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output, fit, one_line
from holdfast.report.system_changes import change_json, list_changes

EXAMPLES = """\
  holdfast log --system                        what altered the memory system, oldest first
  holdfast log --system --since 2026-11-01
  holdfast log --system --kind setting --kind rule
  holdfast log --system --json | jq -r '.changes[] | "\\(.ts) \\(.what)"'
"""
STATUS = "0 also when there are none · 2 bad request · 6 the disk refuses"
KINDS = ("init", "setting", "rule", "client", "allow", "render", "git", "migration")
SHOWN = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--since", default="", metavar="DATE", help="only what changed since then")
    parser.add_argument("--kind", action="append", default=[], choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=0, metavar="N", help=f"the latest N (default: {SHOWN})"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what altered the memory system itself."""
    app = open_app(args, anywhere=True)
    found = list_changes(app, args.since, tuple(args.kind), args.limit or (0 if out.as_json else SHOWN))
    if out.as_json:
        out.json({"changes": [change_json(each) for each in found.changes], "broken": list(found.broken)})
    if not found.changes:
        out.line("Nothing altered the memory system" + (f" since {args.since}." if args.since else " yet."))
    left = found.total - len(found.changes)
    if left:
        out.line(f"… {format_count(left, 'change')} before these (-n {found.total} shows all)")
    for each in found.changes:
        when = each.ts[:16].replace("T", " ")
        place = "everywhere" if each.own else "here"
        out.line(fit(f"{when}  {one_line(each.who):<8} {place:<10}  {one_line(each.words)}", out.width))
    for place in found.broken:
        app.notices.append(f"{place} cannot be read and is left out.")
    out.notices(app.notices)
    return 0
