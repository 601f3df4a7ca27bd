"""holdfast report"""

import argparse

from holdfast.cli.output import Output
from holdfast.cli.suggest import NoSuchForm
from holdfast.cli.table import FORMS

EXAMPLES = """\
  holdfast report                          the kinds there are
  holdfast report cost --days 30           what the model took
  holdfast report failures latest          what went wrong, newest first
  holdfast report lineage src/auth.py      who changed a file, when, and for which prompt
"""
STATUS = "0 shown · 2 there is no such kind; else as the kind's own help says"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", nargs="?", default="", metavar="KIND", help="one of those below (default: list them)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Say which kinds there are; each has a module of its own."""
    if args.kind:
        raise NoSuchForm("report", args.kind)
    kinds = FORMS["report"]
    if out.as_json:
        out.json({"kinds": [{"kind": form.word, "about": form.about} for form in kinds]})
    for form in kinds:
        out.line(f"holdfast report {form.word:<10} {form.about}")
    return 0
