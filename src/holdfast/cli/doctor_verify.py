"""holdfast doctor --verify"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.index.maintenance import verify

EXAMPLES = """\
  holdfast doctor --verify
  holdfast doctor --verify --json | jq .problems
"""
STATUS = "0 all is whole · 5 something is damaged"
MEGABYTE = 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Check every record, file and index row."""
    app = open_app(args, anywhere=True)
    bar = app.progress
    verdict = verify(app, (lambda done, total: bar("verify", done, total)) if bar else None)
    journal = verdict.journal
    if out.as_json:
        out.json({
            "ok": verdict.ok,
            "records": journal.records,
            "events": journal.events,
            "segments": journal.segments,
            "newer_records": journal.newer,
            "deleted": journal.deleted,
            "torn": list(journal.torn),
            "files": verdict.files,
            "memories": verdict.memories,
            "edited": list(verdict.edited),
            "problems": [{"path": p.path, "line": p.line, "reason": p.reason} for p in verdict.problems],
        })  # fmt: skip
    size = f"{journal.size / MEGABYTE:.1f} MB" if journal.size >= MEGABYTE else f"{journal.size} bytes"
    out.line(
        f"journal  {format_count(journal.records, 'record')} in {format_count(journal.segments, 'segment')}, {size}"
    )
    out.line(f"files    {verdict.files}, with {format_count(verdict.memories, 'entry')}")
    for path in journal.torn:
        out.line(f"torn     {path}: a write was cut short there; nothing acknowledged was in it")
    if journal.newer:
        out.line(f"newer    {journal.newer} records of a newer version, kept as they are")
    for problem in verdict.problems:
        out.line(f"damaged  {one_line(problem.path)}:{problem.line or 1}: {one_line(problem.reason)}")
    for path in verdict.edited:
        out.line(f"edited   {one_line(path)}: changed since Holdfast wrote it, which people may")
    out.line("All is whole." if verdict.ok else "`holdfast doctor` explains what to do.")
    out.notices(app.notices)
    return 0 if verdict.ok else 5
