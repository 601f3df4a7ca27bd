"""holdfast propose"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.drafts import add_draft, build_draft
from holdfast.cli.output import Output
from holdfast.cli.remember import tell_kept
from holdfast.core.memory import Status
from holdfast.review.auto_accept import accept_by_rule
from holdfast.review.relations import find_notable_relations
from holdfast.review.remember import propose

EXAMPLES = """\
  holdfast propose decision "Use uv for installs" --choice uv --rejected "poetry: slow"
  holdfast propose learning "The CI needs two cores" --because "xdist hung with one"
  holdfast propose pattern "Tests are table driven" --quote "let's use table driven tests here"
"""
STATUS = "0 waits for review (or did already) · 2 unknown type, empty text, wrong value · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_draft(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Keep a candidate."""
    app = open_app(args, anywhere=True, quiet=True)
    entry = propose(app, build_draft(args, app))
    accepted = accept_by_rule(app, [entry.memory.id]) if entry.memory.status is Status.CANDIDATE else ()
    kept = accepted[0].entry if accepted else entry
    tell_kept(app, kept, out, find_notable_relations(app, kept))
    return 0
