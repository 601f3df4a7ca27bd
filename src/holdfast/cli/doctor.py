"""holdfast doctor"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.output import Output
from holdfast.memory.doctor import examine, mend

EXAMPLES = """\
  holdfast doctor
  holdfast doctor --fix
"""
STATUS = "0 nothing is wrong (with --fix: nothing is left) · 1 findings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without loss")


def run(args: argparse.Namespace, out: Output) -> int:
    """Find problems, explain them, mend them."""
    app = opened(args, anywhere=True)
    found = examine(app)
    mended = mend(found) if args.fix else []
    if args.fix and mended:
        app.refresh()
        found = examine(app)
    if out.as_json:
        out.json({
            "findings": [
                {"check": f.check, "problem": f.problem, "remedy": f.remedy, "fixable": bool(f.mend)} for f in found
            ],
            "mended": [{"check": f.check, "problem": f.problem, "done": done} for f, done in mended],
        })  # fmt: skip
    for finding, done in mended:
        out.line(f"mended   {finding.problem}\n         {done}")
    for finding in found:
        out.line(f"finding  {finding.problem}\n         {finding.remedy}")
    if any(finding.mend for finding in found):
        out.line("`holdfast doctor --fix` mends " + ("what is left." if args.fix else "some of these."))
    if not found:
        out.line("Nothing is wrong.")
    out.notices([note for note in app.notices if note not in {f.problem for f in found}])
    return 1 if found else 0
