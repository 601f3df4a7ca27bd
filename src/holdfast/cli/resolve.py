"""holdfast resolve"""

import argparse

from holdfast.cli.common import entry_line, open_app
from holdfast.cli.output import Output
from holdfast.cli.selection import add_ways, build_answer
from holdfast.core.errors import BadRequest
from holdfast.review.accept import resolve

EXAMPLES = """\
  holdfast resolve DEC-7K2MQ4 DEC-0A1B2C --supersede       the first replaces the second
  holdfast resolve DEC-7K2MQ4 DEC-0A1B2C --keep-old        the second stays, the first ends today
  holdfast resolve DEC-7K2MQ4 DEC-0A1B2C --narrow 'src/ui/**'
  holdfast resolve DEC-7K2MQ4 DEC-0A1B2C --keep-both --because "one is for the importer"
"""
STATUS = "0 resolved · 2 bad request, or inside a client · 3 no such id · 4 it would supersede itself"


class NoWay(BadRequest):
    """No way was named."""

    def __init__(self) -> None:
        super().__init__("Resolve how?", "give --supersede, --keep-old, --narrow GLOB or --keep-both --because WHY.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("new", metavar="NEW", help="the newer memory, or a candidate")
    parser.add_argument("old", metavar="OLD", help="the memory that it is in conflict with")
    add_ways(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Resolve the conflict of two memories."""
    way = build_answer(args)
    if way is None:
        raise NoWay
    app = open_app(args, anywhere=True)
    done = resolve(app, args.new, args.old, way)
    if out.as_json:
        out.json({
            "resolved": done.choice,
            "new": {"id": done.new.memory.id, "status": done.new.memory.status, "paths": list(done.new.memory.paths)},
            "old": {"id": done.old.memory.id, "valid_until": done.old.memory.valid_until or None},
        })  # fmt: skip
    out.line(f"Resolved ({done.choice}):")
    for entry in (done.new, done.old):
        until = f"  until {entry.memory.valid_until}" if entry.memory.valid_until else ""
        out.line(entry_line(entry, out, before="  ") + until)
    out.line("Take it back: holdfast undo")
    out.notices(app.notices)
    return 0
