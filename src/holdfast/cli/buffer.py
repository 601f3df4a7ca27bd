"""holdfast buffer"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.output import Output
from holdfast.domain.errors import BadRequest
from holdfast.domain.value import as_dict
from holdfast.memory.packs import buffered, drop_notes, rendered

EXAMPLES = """\
  holdfast buffer            what was decided and corrected in the sessions of late
  holdfast buffer drop "go with Redis"     what was noted wrongly is told to no agent again
  holdfast buffer --json
"""
STATUS = "0 also when it is empty · 2 bad request or refused · 3 no such note, no workspace · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", default="show", choices=["show", "drop"], help="what to do")
    parser.add_argument("words", nargs="*", metavar="WORDS", help="with `drop`: words of the notes to take out")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the working buffer, or take a note out of it."""
    app = opened(args)
    if (args.verb == "drop") != bool(args.words):
        raise BadRequest(f"`holdfast buffer {args.verb}` needs other words.", "`holdfast buffer --help` has examples.")
    if args.verb == "drop":
        quotes = drop_notes(app, " ".join(args.words))
        if out.as_json:
            out.json({"dropped": quotes})
        for quote in quotes:
            out.cut(f"Dropped: “{quote}”")
        return 0
    sessions = buffered(app)
    if out.as_json:
        forms = [as_dict(session) | {"notes": [as_dict(note) for note in session.notes]} for session in sessions]
        out.json({"sessions": forms})
    filled = any(session.goal or session.notes for session in sessions)
    out.line(rendered(sessions).rstrip() if filled else "Nothing was said yet.")
    out.notices(app.notices)
    return 0
