"""holdfast pack"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output
from holdfast.inject.packs import MemoryPack, activate_pack, build_goal_pack, pack_json, prompt_of

EXAMPLES = """\
  holdfast pack "add caching with Redis"
  holdfast pack "speed up the pool" --path src/db/pool.py --budget 500
  holdfast pack "rename the upload tests" --task refactoring --path tests/
  holdfast pack "add auth" --as-of 2026-03-01
  holdfast pack "add auth" --json | jq -r .prompt
"""
STATUS = "0 also when nothing matters to it · 2 bad request · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("goal", nargs="+", metavar="GOAL", help="what somebody is about to do")
    parser.add_argument(
        "--task", metavar="KIND", help="for one task of this kind: constraints, hazards and patterns only"
    )
    parser.add_argument(
        "--path", action="append", default=[], help="a path of the workspace it will touch; again for more"
    )
    parser.add_argument("--budget", type=parse_count, default=0, metavar="N", help="tokens at most")
    parser.add_argument("--as-of", default="", metavar="DATE", help="what held then; active.md stays as it is")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what an agent gets for a goal, and keep it as context/active.md for the current run."""
    app = open_app(args, anywhere=True)
    goal = " ".join(args.goal)
    pack = build_goal_pack(app, goal, path=args.path, task=args.task, budget=args.budget, as_of=args.as_of)
    if not args.as_of:
        activate_pack(app, pack)
    if out.as_json:
        out.json({**pack_json(pack), "held_back": pack.held_back})
    out.line(prompt_of(pack) or _nothing(pack))
    out.notices(app.notices)
    return 0


def _nothing(pack: MemoryPack) -> str:
    if pack.dropped:
        return f"{format_count(pack.dropped, 'memory')} would matter to this, and none fits into so few tokens."
    if pack.held_back:
        held = format_count(pack.held_back, "memory")
        return f"Nothing that may reach an agent matters to this: {held} held back until you run `holdfast allow`."
    return "Nothing that is kept matters to this."
