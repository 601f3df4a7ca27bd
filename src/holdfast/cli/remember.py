"""holdfast remember"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.drafts import add_draft, draft
from holdfast.cli.output import Output, one_line
from holdfast.domain.memory import Entry, Status
from holdfast.memory.forms import shown_path
from holdfast.memory.open import App
from holdfast.memory.remember import remember

EXAMPLES = """\
  holdfast remember decision "Use Textual for the TUI" --choice Textual --rejected "curses: no layout engine"
  holdfast remember failure "Async pool ran dry" --root-cause "one session per request" --path "src/db/**"
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
    app = opened(args, anywhere=True)
    entry = remember(app, draft(args, app))
    tell_kept(app, entry, out)
    return 0


def tell_kept(app: App, entry: Entry, out: Output) -> None:
    """Say what was kept where."""
    if out.as_json:
        out.json({"id": entry.memory.id, "path": shown_path(app, entry), "status": entry.memory.status})
    else:
        word = "Proposed" if entry.memory.status is Status.CANDIDATE else "Kept"
        out.line(f"{word} {entry.memory.id}: {one_line(entry.memory.title)}")
        out.line(f"  {shown_path(app, entry)}")
    out.notices(app.notices)
