"""holdfast config key"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.config.person_key import SHOWN, VARIABLE, make_key, read_key_mark, remove_key
from holdfast.report.system_changes import note_change
from holdfast.trust.allow import require_proof

EXAMPLES = """\
  holdfast config key                     whether you have one
  holdfast config key new                 a key, shown once; an older one stops working
  holdfast config key remove
  HOLDFAST_KEY=hfpk_… holdfast accept CAND-7K2MQ4      you, where there is no terminal
"""
STATUS = "0 done · 2 inside a client, or nobody is proven to be there"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=("show", "new", "remove"), default="show", metavar="show|new|remove",
                        help="without: show")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Show, make or remove the key that stands for you where you have no terminal."""
    app = open_app(args, anywhere=True, quiet=True)
    if args.verb != "show":
        require_proof(app, f"config key {args.verb}")
    key = make_key(app.home) if args.verb == "new" else ""
    removed = args.verb == "remove" and remove_key(app.home)
    if key or removed:
        note_change(app, "key", "the person's key", after="made" if key else "removed", own=True)
    mark = read_key_mark(app.home)[:SHOWN]
    if out.as_json:
        out.json({"key": key or None, "mark": mark or None})
    if key:
        out.line(key)
        out.notices([f"this is shown once, and kept nowhere; give it as {VARIABLE}, and never to a client"])
    else:
        out.line(f"key {mark} counts, where {VARIABLE} holds it." if mark else "You have no key.")
    return 0
