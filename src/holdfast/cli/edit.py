"""holdfast edit"""

import argparse
from collections.abc import Mapping
from typing import Any

from holdfast.cli.common import open_app
from holdfast.cli.drafts import LISTS, add_fields, open_editor, read_fields, read_words
from holdfast.cli.output import Output
from holdfast.cli.remember import tell_related
from holdfast.cli.selection import related_form
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry
from holdfast.index.entries import find_entry
from holdfast.review.edit_text import open_text, save_text
from holdfast.review.relations import find_notable_relations
from holdfast.review.remember import body_of, change_entry
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast edit DEC-7K2MQ4                         opens $EDITOR on the whole entry
  holdfast edit DEC-7K2MQ4 --title "Use Textual 8"   changes one field and no other byte
  holdfast edit DEC-7K2MQ4 --body "New words" --tag ui --tag tui
"""
STATUS = "0 changed, on disk · 2 bad request, or inside a client · 3 no such id · 4 the file changed meanwhile"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", help="a memory or candidate")
    parser.add_argument("--body", action="append", metavar="TEXT", help='new body; "-" reads standard input')
    add_fields(parser, "What is given takes the place of what stands there: name every tag and path that shall stay.")


def run(args: argparse.Namespace, out: Output) -> int:
    """Change a memory."""
    app = open_app(args, anywhere=True)
    entry = find_entry(app, args.id)
    given = _given(args, entry)
    _say_gone(app, entry, given)
    changed = change_entry(app, entry, given, as_is=args.as_is) if given else _by_hand(app, entry, as_is=args.as_is)
    same = changed.memory == entry.memory
    related = () if same else find_notable_relations(app, changed)
    if out.as_json:
        form = {"id": changed.memory.id, "path": display_path(app, changed), "changed": not same}
        out.json({**form, "conflicts": related_form(related)})
    out.line(f"{'Nothing changed in' if same else 'Changed'} {changed.memory.id}: {changed.memory.title}")
    if not out.as_json:
        tell_related(changed, related, out)
    out.notices(app.notices)
    return 0


def _given(args: argparse.Namespace, entry: Entry) -> dict[str, Any]:
    given = read_fields(args)
    if args.body:
        given["body"] = read_words(args.body).strip()
        if not given["body"]:
            raise BadRequest("The new body is empty.", "`holdfast forget` removes a memory.")
    if args.because:
        given["body"] = body_of(given.get("body", entry.memory.body), args.because)
    return given


def _say_gone(app: App, entry: Entry, given: Mapping[str, Any]) -> None:
    """A list that is given takes the place of all that stood there, which may not be what was meant."""
    for name in LISTS:
        gone = [one for one in getattr(entry.memory, name) if one not in given.get(name, (one,))]
        if gone:
            app.notices.append(f"No longer in {name}: {', '.join(gone)}. `holdfast undo` brings back what was.")


def _by_hand(app: App, entry: Entry, *, as_is: bool) -> Entry:
    text = open_text(app, entry)
    return save_text(app, entry, open_editor(app, text), as_is=as_is)
