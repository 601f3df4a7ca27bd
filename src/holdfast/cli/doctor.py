"""holdfast doctor"""

import argparse

from holdfast.care.diagnose import examine, fix_findings, save_findings
from holdfast.cli.common import open_app
from holdfast.cli.output import Output, count_columns, one_line
from holdfast.clients.instruction_report import (
    TITLES,
    InstructionReport,
    InstructionSource,
    instruction_json,
    report_instructions,
)
from holdfast.clients.manage_clients import shorten_path

EXAMPLES = """\
  holdfast doctor
  holdfast doctor --fix
  holdfast doctor --verify         reads every record, file and index row
  holdfast doctor --rebuild        the index anew from your files
"""
STATUS = "0 nothing is wrong (with --fix: nothing is left) · 1 findings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired without loss")


def run(args: argparse.Namespace, out: Output) -> int:
    """Find problems, explain them, fix them."""
    app = open_app(args, anywhere=True)
    found = examine(app)
    mended = fix_findings(found) if args.fix else []
    if args.fix and mended:
        app.refresh()
        found = examine(app)
    save_findings(app, found, mended)
    heard = report_instructions(app)
    if out.as_json:
        out.json({
            "findings": [
                {"check": f.check, "problem": f.problem, "remedy": f.remedy, "fixable": bool(f.fix)} for f in found
            ],
            "mended": [{"check": f.check, "problem": f.problem, "done": done} for f, done in mended],
            "voices": [instruction_json(voice) for voice in heard.sources],
            "at_start": dict(heard.at_start),
            "remarks": list(heard.remarks),
        })  # fmt: skip
    for finding, done in mended:
        out.line(f"fixed    {finding.problem}\n         {done}")
    for finding in found:
        out.line(f"finding  {finding.problem}\n         {finding.remedy}")
    if any(finding.fix for finding in found):
        out.line("`holdfast doctor --fix` repairs " + ("what is left." if args.fix else "some of these."))
    if not found:
        out.line("Nothing is wrong.")
    _print_heard(heard, out)
    out.notices([note for note in app.notices if note not in {f.problem for f in found}])
    return 1 if found else 0


def _print_heard(heard: InstructionReport, out: Output) -> None:
    """Who tells the agents here what, and what it costs."""
    rows = [("who", "client", "when", "tokens", "from", ""), *map(_row, heard.sources)]
    widths = [max(count_columns(row[at]) for row in rows) for at in range(4)]
    out.line("\nWhat is put before your agents (a token is counted as four characters)")
    for *cells, where, note in rows:
        padded = [cell + " " * (width - count_columns(cell)) for cell, width in zip(cells, widths, strict=True)]
        out.line("  " + "  ".join([*padded, where]))
        if note:
            out.line(" " * (sum(widths) + 10) + note)
    for remark in heard.remarks:
        out.line(one_line(remark))


def _row(voice: InstructionSource) -> tuple[str, str, str, str, str, str]:
    clients = ", ".join(TITLES.get(client, one_line(client)) for client in voice.clients)
    count = "not known" if voice.tokens is None else f"{voice.tokens:,}"
    return voice.who, clients or "-", voice.when, count, one_line(shorten_path(voice.where)), one_line(voice.note)
