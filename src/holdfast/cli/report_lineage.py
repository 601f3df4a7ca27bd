"""holdfast report lineage"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.value import as_dict
from holdfast.records.file_lineage import LineageChange, read_lineage

EXAMPLES = """\
  holdfast report lineage src/auth.py             who changed it, when, and for which prompt
  holdfast report lineage src/ --json
"""
STATUS = "0 also when nothing is known · 2 not in this workspace · 3 no workspace"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("path", metavar="PATH", help="a file or folder of the workspace, also one that is gone")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show a file's story."""
    app = open_app(args)
    found = read_lineage(app, args.path)
    if out.as_json:
        out.json({"changes": [as_dict(change) for change in found]})
    for change in found:
        _print(change, out)
    if not found:
        out.line(f"No agent's session is known to have changed {args.path!r}.")
    else:
        out.line(f"{format_count(found, 'change')} in {format_count({change.run for change in found}, 'session')}.")
    out.notices(app.notices)
    return 0


def _print(change: LineageChange, out: Output) -> None:
    by = " ".join(filter(None, (change.client, change.model, change.task and f"task {change.task}")))
    out.cut(f"{change.at[:16].replace('T', ' ')}  {change.what} {change.path}  ({by})")
    if said := change.asked or change.goal:
        out.cut(f"    “{one_line(said)}”")
    out.cut(f"    {change.run}")
