"""holdfast list"""

import argparse

from holdfast.cli.common import add_filters, build_question, entry_line, open_app
from holdfast.cli.output import Output
from holdfast.recall.find import effective_status, find_superseded, list_entries
from holdfast.vault.entry_json import entry_json

EXAMPLES = """\
  holdfast list
  holdfast list --type decision --tag ui
  holdfast list --path src/db/pool.py         what holds there
  holdfast list --as-of 2026-03-01            what was valid then
  holdfast list --status all
  holdfast list --candidates                  what waits for review, with what it contradicts
"""
STATUS = "0 also when there is none · 2 bad request · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """List memories, newest first."""
    app = open_app(args, anywhere=True)
    entries = list_entries(app, build_question(args, app))
    shown = entries[: args.limit] if args.limit else entries
    if out.as_json:
        out.json({"memories": [entry_json(app, entry, find_superseded(app)) for entry in shown]})
    newer = find_superseded(app) if args.status else {}
    for entry in shown:
        out.line(entry_line(entry, out, status=effective_status(entry, newer)))
    if not entries:
        narrowed = any((args.type, args.tag, args.path, args.since, args.as_of, args.scope, args.status))
        out.line("None of that kind." if narrowed else "No memories yet.")
    elif len(shown) < len(entries):
        out.line(f"… {len(entries) - len(shown)} more")
    out.notices(app.notices)
    return 0
