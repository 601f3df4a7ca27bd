"""holdfast report progress"""

import argparse
from collections.abc import Mapping
from typing import Any

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.records.work_records import change_goal, list_goals

EXAMPLES = """\
  holdfast report progress                                  goals over many sessions
  holdfast report progress start sso "Single sign-on for all customers" --step "pick a library" --step "migrate logins"
  holdfast report progress note sso "the library cannot do SCIM"
  holdfast report progress tick sso "pick a library"
  holdfast report progress done sso
"""
STATUS = "0 also when there is none · 2 bad request or refused · 3 no such goal, no workspace · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = ["list", "start", "note", "step", "tick", "done", "drop"]
    parser.add_argument("verb", nargs="?", default="list", choices=verbs, help="what to do")
    parser.add_argument("name", nargs="?", default="", help="the goal's name")
    parser.add_argument("words", nargs="*", default=[], metavar="TEXT", help="the goal, a note, or a step")
    parser.add_argument("--step", action="append", default=[], help="with `start`: a step towards it")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the goals that take many sessions, or steer one."""
    app = open_app(args)
    if args.verb == "list":
        if args.name:
            raise BadRequest(
                "`holdfast report progress list` takes no name.", "`holdfast report progress --help` has examples."
            )
        found = list_goals(app)
    else:
        found = [change_goal(app, args.verb, args.name, " ".join(args.words), args.step)]
    if out.as_json:
        out.json({"goals": [dict(goal) for goal in found]})
    for goal in found:
        _shown(goal, out)
    if not found:
        out.line('No goal yet: holdfast report progress start NAME "what it is about"')
    out.notices(app.notices)
    return 0


def _shown(goal: Mapping[str, Any], out: Output) -> None:
    out.line(f"{goal['name']}: {goal['goal']}  ({goal['status']})")
    for step in goal["steps"]:
        out.line(f"  [{'x' if step['done'] else ' '}] {step['text']}")
    for note in goal["notes"][-5:]:
        out.line(f"  {note['at'][:10]}  {note['text']}")
    if goal["works"]:
        out.line(f"  {format_count(goal['works'], 'work unit')} in {format_count(goal['sessions'], 'session')}")
