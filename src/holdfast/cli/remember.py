"""holdfast remember"""

import argparse
from collections.abc import Sequence

from holdfast.cli.common import open_app
from holdfast.cli.drafts import add_draft, build_draft
from holdfast.cli.output import Output, one_line
from holdfast.cli.selection import print_related, related_form
from holdfast.core.memory import Entry, Status
from holdfast.review.relations import EntryRelation, find_notable_relations
from holdfast.review.remember import remember
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast remember decision "Use Textual for the TUI" --choice Textual --rejected "curses: no layout engine"
  holdfast remember failure "Async pool ran dry" --root-cause "one session per request" --path "src/db/**"
  holdfast remember invariant "No requests; use httpx" --enforce forbid_dependency=requests
  holdfast remember learning "Tests need TZ=UTC" --tag tests --scope user
  git log -1 --format=%B | holdfast remember decision -
  holdfast remember invariant             opens $EDITOR
"""
STATUS = "0 kept, on disk · 2 unknown type, empty text, wrong value · 3 no workspace · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_draft(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Keep a memory."""
    app = open_app(args, anywhere=True, quiet=True)
    entry = remember(app, build_draft(args, app))
    tell_kept(app, entry, out, find_notable_relations(app, entry))
    return 0


def tell_kept(app: App, entry: Entry, out: Output, related: Sequence[EntryRelation] = ()) -> None:
    """Say what was kept where, and what it is in conflict with."""
    if out.as_json:
        form = {"id": entry.memory.id, "path": display_path(app, entry), "status": entry.memory.status}
        out.json({**form, "conflicts": related_form(related)})
    else:
        word = "Proposed" if entry.memory.status is Status.CANDIDATE else "Kept"
        out.line(f"{word} {entry.memory.id}: {one_line(entry.memory.title)}")
        out.line(f"  {display_path(app, entry)}")
        tell_related(entry, related, out)
    out.notices(app.notices)


def tell_related(entry: Entry, related: Sequence[EntryRelation], out: Output) -> None:
    """Say what a memory contradicts, replaces or repeats, and how that is resolved."""
    for each in related:
        print_related(each, out)
    if related:
        verb = "accept" if entry.memory.status is Status.CANDIDATE else "resolve"
        other = "" if verb == "accept" else f" {related[0].relation.old}"
        ways = "--supersede | --keep-old | --narrow GLOB | --keep-both --because WHY"
        out.line(f"    Decide: holdfast {verb} {entry.memory.id}{other} {ways}")
