"""holdfast candidates"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, opened, snippet
from holdfast.cli.output import Output
from holdfast.domain.memory import Entry, Status
from holdfast.memory.forms import entry_json
from holdfast.memory.open import App
from holdfast.memory.review import waiting

EXAMPLES = """\
  holdfast candidates
  holdfast candidates --rejected           also those turned down
  holdfast candidates --json | jq -r '.candidates[].id'
"""
STATUS = "0 also when none waits · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--rejected", action="store_true", help="show the rejected ones too")


def run(args: argparse.Namespace, out: Output) -> int:
    """List what waits for review."""
    app = opened(args, anywhere=True)
    entries = waiting(app, rejected_too=args.rejected)
    if out.as_json:
        out.json({"candidates": [_form(app, entry) for entry in entries]})
    for entry in entries:
        out.line(entry_line(entry, out))
        if entry.memory.status is Status.REJECTED and entry.memory.because:
            out.cut(f"    rejected because {entry.memory.because}")
        elif line := snippet(entry, out):
            out.line(line)
    if entries:
        out.line("Decide: holdfast accept ID…  or  holdfast reject ID… --because WHY")
    else:
        out.line("Nothing waits for review.")
    out.notices(app.notices)
    return 0


def _form(app: App, entry: Entry) -> dict[str, Any]:
    form = entry_json(app, entry)
    for name, empty in (("choice", ""), ("rejected", []), ("confidence", None), ("evidence", [])):
        form.setdefault(name, empty)
    return form | {"conflicts": []}
