"""holdfast accept"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.output import Output
from holdfast.domain.memory import Scope
from holdfast.memory.forms import shown_path
from holdfast.memory.review import accept

EXAMPLES = """\
  holdfast accept CAND-7K2MQ4
  holdfast accept CAND-7K2MQ4 CAND-0A1B2C --scope user
"""
STATUS = "0 accepted, on disk · 2 inside a client · 3 no such candidate · 4 rejected before, or blocked"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="candidates")
    parser.add_argument("--scope", choices=[str(scope) for scope in Scope], default="", help="where the memory goes")
    parser.add_argument("--again", action="store_true", help="also what was rejected before")


def run(args: argparse.Namespace, out: Output) -> int:
    """Accept candidates."""
    app = opened(args, anywhere=True)
    done = accept(app, args.ids, args.scope, again=args.again)
    if out.as_json:
        out.json({"accepted": [{"candidate": d.candidate, "memory": d.entry.memory.id} for d in done], "blocked": []})
    for one in done:
        became = "" if one.entry.memory.id == one.candidate else f" as {one.entry.memory.id}"
        out.line(f"Accepted {one.candidate}{became}: {one.entry.memory.title}")
        out.line(f"  {shown_path(app, one.entry)}")
    out.notices(app.notices)
    return 0
