"""holdfast allow"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.trust.allow import allow, read_visibility_status

EXAMPLES = """\
  holdfast allow --list     what is new since you last allowed it
  holdfast allow            let this workspace's memory, as it is now, reach agents
  holdfast allow LRN-7K2MQ4     only the files of this memory, of those that are new
"""
STATUS = (
    "0 allowed (with --list: nothing new) · 1 with --list: something is new · 2 inside a client, or nobody is proven "
    "to be there · 3 no workspace, or nothing of that id waits"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="memories; without: all that is here")
    parser.add_argument("--list", action="store_true", help="only show what is not allowed yet")
    parser.add_argument("--yes", action="store_true", help="as in other commands; nothing is asked here")


def run(args: argparse.Namespace, out: Output) -> int:
    """Let memory reach agents."""
    app = open_app(args)
    before = read_visibility_status(app)
    new = before.new if args.list else allow(app, args.ids)
    allowed = before.allowed if args.list or args.ids else True
    if out.as_json:
        out.json({"workspace": app.workspace, "allowed": allowed, "new": list(new)})
    for path in new:
        out.line(("new: " if args.list else "allowed: ") + path)
    if args.ids and not args.list:
        out.line("They may reach agents." if allowed else "They may, once this workspace's memory may.")
    elif not args.list:
        out.line("The memory of this workspace may reach agents.")
    elif not allowed:
        out.line("This workspace's memory reaches no agent. Read it, then run `holdfast allow`.")
    elif not new:
        out.line("Nothing is new.")
    out.notices(app.notices)
    return 1 if args.list and (new or not allowed) else 0
