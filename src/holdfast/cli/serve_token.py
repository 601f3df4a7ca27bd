"""holdfast serve token"""

import argparse
from typing import TYPE_CHECKING

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.trust.presence import prove_person
from holdfast.workspace import need_person

if TYPE_CHECKING:
    from holdfast.server.http.security.server_tokens import TokenStore

EXAMPLES = """\
  holdfast serve token add editor                a token that may read, shown once
  holdfast serve token add phone --right review  one that may also accept and reject
  holdfast serve token list
  holdfast serve token remove editor             it opens nothing from now on
  holdfast serve token remove owner              your own: a new one is made when it is needed
"""
STATUS = "0 done · 2 bad request, or inside a client · 3 no such token · 4 there is one of that name"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=["list", "add", "remove"], default="list", help="what to do")
    parser.add_argument("name", nargs="?", default="", help="whose token: a word of yours")
    parser.add_argument(
        "--right",
        action="append",
        default=[],
        choices=["read", "review", "run"],
        help="what it is good for besides reading: review accepts and edits, run starts the agent",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Make, list or remove tokens of the server."""
    from holdfast.server.http.security.callers import Right
    from holdfast.server.http.security.server_tokens import TokenStore

    app = open_app(args, anywhere=True, quiet=True)
    need_person(app, "serve token")
    tokens = TokenStore(app.home)
    if args.verb == "add":
        _tell_new(out, args.name, tokens.add(args.name, map(Right, args.right), prove_person(app, "serve token add")))
    elif args.verb == "remove":
        tokens.remove(args.name)
        if out.as_json:
            out.json({"removed": args.name})
        out.line(f"Removed: {args.name}")
    else:
        _tell_all(out, tokens)
    return 0


def _tell_new(out: Output, name: str, token: str) -> None:
    if out.as_json:
        out.json({"name": name, "token": token})
    out.line(token)
    out.notices(["this is shown once; it is kept nowhere"])


def _tell_all(out: Output, tokens: "TokenStore") -> None:
    rows = tokens.records()
    if out.as_json:
        out.json({"tokens": [{"name": row.name, "rights": sorted(row.rights), "created": row.created} for row in rows]})
    for row in rows:
        out.line(f"{row.name:<20} {', '.join(sorted(row.rights)):<20} {row.created}")
    if not rows:
        out.line("No token besides your own. `holdfast serve token add NAME` makes one.")
