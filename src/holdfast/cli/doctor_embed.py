"""holdfast doctor --embed"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.core.value import as_dict
from holdfast.recall.embed_passages import count_vectors, embed_passages

EXAMPLES = """\
  holdfast config embedder granite && holdfast doctor --embed     another model: its vectors now, the old ones go
  holdfast doctor --embed --status                                how many passages have theirs
"""
STATUS = "0 done or shown · 6 no embedder, or its endpoint does not answer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--status", action="store_true", help="show, and change nothing")
    parser.add_argument("--gently", action="store_true", help="with half a core at most, as it runs by itself")


def run(args: argparse.Namespace, out: Output) -> int:
    """Give every passage its vector. Ctrl-C keeps what is done; the next one goes on."""
    app = open_app(args, anywhere=True)
    found = count_vectors(app) if args.status else embed_passages(app, gently=args.gently)
    if out.as_json:
        out.json({"vectors": [as_dict(each) for each in found]})
    for each in found:
        left = f", {each.left} without" if each.left else ""
        gone = f"; {format_count(each.dropped, 'vector')} of other models dropped" if each.dropped else ""
        out.line(f"{each.place:<9} {each.model}: {format_count(each.done, 'passage')} with a vector{left}{gone}")
    if not found:
        out.line("There is no embedder: search goes by words alone.")
    out.notices(app.notices)
    return 0
