"""holdfast report research"""

import argparse

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output
from holdfast.records.work_records import RecordPage, list_research

EXAMPLES = """\
  holdfast report research                        what subagents found out, newest first
  holdfast report research upload retry           only what holds these words
  holdfast report research upload retry --full    with the texts
"""
STATUS = "0 found · 1 nothing found · 3 no workspace · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("words", nargs="*", default=[], metavar="WORD", help="only what holds all of these")
    parser.add_argument("--full", action="store_true", help="show the texts too")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="how many at most (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what subagents answered."""
    app = open_app(args)
    pages = list_research(app, args.words)[: args.limit]
    if out.as_json:
        out.json({"research": [_form(page, full=args.full) for page in pages]})
    for page in pages:
        out.cut(page.name)
        if page.head.get("task"):
            out.cut(f"    {page.head['task']}")
        if args.full:
            out.line(f"\n{page.text.rstrip()}\n")
    if not pages:
        out.line("Nothing holds these words." if args.words else "No subagent has answered yet.")
    out.notices(app.notices)
    return 1 if args.words and not pages else 0


def _form(page: RecordPage, *, full: bool) -> dict[str, object]:
    form = {"name": page.name, "path": page.path, **page.head}
    return form | {"text": page.text} if full else form
