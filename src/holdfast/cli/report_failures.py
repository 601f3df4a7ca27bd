"""holdfast report failures"""

import argparse

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output
from holdfast.records.work_records import RecordPage, find_failure, list_failures

EXAMPLES = """\
  holdfast report failures                  sessions that were rated 3 or less, newest first
  holdfast report failures latest           what was asked, answered and changed
  holdfast report failures 2026-11-15-0922
"""
STATUS = "0 also when there is none · 3 no such failure, no workspace · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="one of them, a part of it, or `latest`")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="how many at most (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what went wrong."""
    app = open_app(args)
    if args.name:
        page = find_failure(app, args.name)
        if out.as_json:
            out.json(_form(page) | {"text": page.text})
        out.line(page.text.rstrip())
        out.line(f"\nBeside it: .holdfast/{page.path.rpartition('/')[0]}/transcript.jsonl, tool-calls.json")
    else:
        pages = list_failures(app)
        if out.as_json:
            out.json({"failures": [_form(page) for page in pages[: args.limit]]})
        for page in pages[: args.limit]:
            out.cut(f"{page.name}  {page.head.get('rating')}/10  ({page.head.get('client')})")
        if not pages:
            out.line("No failure was kept.")
    out.notices(app.notices)
    return 0


def _form(page: RecordPage) -> dict[str, object]:
    return {"name": page.name, "path": page.path, **page.head}
