"""holdfast list --candidates"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, open_app, snippet
from holdfast.cli.output import Output, one_line
from holdfast.cli.selection import add_selection, build_filter, print_related, related_form
from holdfast.core.memory import DOUBT, Entry, Status
from holdfast.core.relation import Kind
from holdfast.review.queue import list_waiting
from holdfast.review.relations import EntryRelation, RelationFinder
from holdfast.vault.entry_json import entry_json
from holdfast.workspace import App

EXAMPLES = """\
  holdfast list --candidates
  holdfast list --candidates --rejected           also those turned down
  holdfast list --candidates --type decision --from 4f2a --min-confidence 0.8
  holdfast list --candidates --json | jq -r '.candidates[].id'
"""
STATUS = "0 also when none waits · 5, 6 could not look"
TOLD = (Kind.CONTRADICTS, Kind.SUPERSEDES, Kind.DUPLICATES, Kind.REFINES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--rejected", action="store_true", help="show the rejected ones too")
    add_selection(parser, all_too=False)


def run(args: argparse.Namespace, out: Output) -> int:
    """List what waits for review."""
    app = open_app(args, anywhere=True)
    entries = list_waiting(app, build_filter(args), rejected_too=args.rejected)
    related = _related(app, entries)
    if out.as_json:
        out.json({"candidates": [_form(app, entry, related[entry.memory.id]) for entry in entries]})
    for entry in entries:
        out.line(entry_line(entry, out))
        if entry.memory.status is Status.REJECTED and entry.memory.because:
            out.cut(f"    rejected because {entry.memory.because}")
        elif line := snippet(entry, out):
            out.line(line)
        if doubt := entry.memory.extra.get(DOUBT):
            out.cut(f"    waits for you: {one_line(str(doubt))}")
        for each in related[entry.memory.id]:
            print_related(each, out)
    if entries:
        out.line("Decide: holdfast review, or holdfast accept ID…, holdfast reject ID… --because WHY")
    else:
        out.line("Nothing waits for review.")
    out.notices(app.notices)
    return 0


def _related(app: App, entries: list[Entry]) -> dict[str, list[EntryRelation]]:
    """What each that waits is to the memories near it, without those it has nothing to do with."""
    look = RelationFinder(app)
    found: dict[str, list[EntryRelation]] = {}
    for done, entry in enumerate(entries, 1):
        waits = entry.memory.status is Status.CANDIDATE
        seen = look.at(entry) if waits else ()
        found[entry.memory.id] = [each for each in seen if each.relation.kind in TOLD]
        if app.progress is not None:
            app.progress("relating", done, len(entries))
    return found


def _form(app: App, entry: Entry, related: list[EntryRelation]) -> dict[str, Any]:
    form = entry_json(app, entry)
    for name, empty in (("choice", ""), ("rejected", []), ("confidence", None), ("evidence", [])):
        form.setdefault(name, empty)
    return form | {"conflicts": related_form(related)}
