"""holdfast log --rate"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.drafts import read_words
from holdfast.cli.output import Output
from holdfast.records.work_records import rate_answer

EXAMPLES = """\
  holdfast log --rate 8
  holdfast log --rate 2 "it ignored the timeout I asked for"     3 or less keeps the whole session as a failure
  holdfast log --rate 9 --session 4f1c
"""
STATUS = "0 rated · 2 bad request, nothing to rate, or inside a client · 3 no such session, no workspace"
HIGHEST = 10
BAD = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--rate", dest="rating", type=_rating, required=True, metavar="N", help="1 (worst) to 10 (best)"
    )
    parser.add_argument("comment", nargs="*", default=[], help='why, in your words; "-" reads standard input')
    parser.add_argument("--session", default="", metavar="ID", help="rate this session's newest answer")


def _rating(text: str) -> int:
    bare = text.removesuffix("/10")
    if not bare.isascii() or not bare.isdigit() or not 1 <= int(bare) <= HIGHEST:
        raise argparse.ArgumentTypeError(f"takes a whole number from 1 to 10, not {text!r}")
    return int(bare)


def run(args: argparse.Namespace, out: Output) -> int:
    """Rate the newest answer."""
    app = open_app(args)
    line = rate_answer(app, args.rating, read_words(args.comment) if args.comment else "", args.session)
    if out.as_json:
        out.json(dict(line))
    out.line(f"Rated {line['rating']} of 10 (session {line['session']}).")
    if line["rating"] <= BAD:
        out.line("The session is kept as a failure: holdfast report failures latest")
        out.line("What you said is distilled when the session is over.")
    out.notices(app.notices)
    return 0
