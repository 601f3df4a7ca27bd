"""holdfast pack"""

import argparse

from holdfast.cli.common import count, opened
from holdfast.cli.output import Output
from holdfast.memory.packs import pack_for, pack_json

EXAMPLES = """\
  holdfast pack "add caching with Redis"
  holdfast pack "speed up the pool" --path src/db/pool.py --budget 500
  holdfast pack "add auth" --json | jq -r .prompt
"""
STATUS = "0 also when nothing matters to it · 2 bad request · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("goal", nargs="+", metavar="GOAL", help="what somebody is about to do")
    parser.add_argument("--path", default="", help="a path of the workspace it will touch")
    parser.add_argument("--budget", type=count, default=0, metavar="N", help="tokens at most")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what an agent should know before it plans."""
    app = opened(args, anywhere=True)
    pack = pack_for(app, " ".join(args.goal), path=args.path, budget=args.budget)
    if out.as_json:
        out.json(pack_json(pack))
    out.line(pack.to_prompt() if not pack.empty else "Nothing that is kept matters to this.")
    out.notices(app.notices)
    return 0
