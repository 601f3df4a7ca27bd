"""holdfast session buffer"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.index.entries import is_candidate
from holdfast.inject.packs import drop_notes, read_buffer, render_buffer
from holdfast.vault.entry_json import display_path

EXAMPLES = """\
  holdfast session buffer            what was decided and corrected in recent sessions
  holdfast session buffer accept "always use uv"   what you said becomes a memory, and binds
  holdfast session buffer drop "go with Redis"     what was noted wrongly is told to no agent again
  holdfast session buffer --json
"""
STATUS = (
    "0 also when it is empty · 2 bad request or refused · 3 no such note, no workspace · "
    "4 it waits, for it contradicts what holds "
    "· 5, 6 could not look"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", default="show", choices=["show", "accept", "drop"], help="what to do")
    parser.add_argument(
        "words", nargs="*", default=[], metavar="WORDS", help="words of the note to accept, or of the notes to drop"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the working buffer, or take a note out of it."""
    app = open_app(args)
    if (args.verb == "show") == bool(args.words):
        raise BadRequest(
            f"`holdfast session buffer {args.verb}` needs other words.",
            "`holdfast session buffer --help` has examples.",
        )
    if args.verb == "accept":
        from holdfast.inject.buffer_notes import accept_note

        entry = accept_note(app, " ".join(args.words))
        if out.as_json:
            out.json({"id": entry.memory.id, "path": display_path(app, entry)})
        held = is_candidate(entry)
        word = "Waits for your decision" if held else "Accepted"
        out.cut(f"{word}: {entry.memory.id}  {entry.memory.title}  ({display_path(app, entry)})")
        out.notices(app.notices)
        return 4 if held else 0
    if args.verb == "drop":
        quotes = drop_notes(app, " ".join(args.words))
        if out.as_json:
            out.json({"dropped": quotes})
        for quote in quotes:
            out.cut(f"Dropped: “{quote}”")
        return 0
    sessions = read_buffer(app)
    if out.as_json:
        forms = [as_dict(session) | {"notes": [as_dict(note) for note in session.notes]} for session in sessions]
        out.json({"sessions": forms})
    filled = any(session.goal or session.notes for session in sessions)
    out.line(render_buffer(sessions).rstrip() if filled else "Nothing was said yet.")
    out.notices(app.notices)
    return 0
