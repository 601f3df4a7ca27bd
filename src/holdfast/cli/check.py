"""holdfast check"""

import argparse
from collections.abc import Callable

from holdfast.cli.common import format_count, make_progress_lines, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.review.check import COULD_NOT_READ, Checked, Finding, Other, check, checked_json, checked_sarif

EXAMPLES = """\
  holdfast check                                memories here that contradict each other
  holdfast check --memories                     the same with candidates: who contradicts, replaces or repeats whom
  holdfast check --branch origin/main           memories of another branch that contradict those here
  holdfast check --staged                       what is about to be committed
  holdfast check --diff origin/main             what changed since, with what is not committed yet
  holdfast check --diff origin/main...HEAD      what a branch brings
  holdfast check --plan PLAN.md                 what a plan says it will do
  holdfast check --text "add Redis as a cache" src/cache.py
  holdfast check pyproject.toml src/            files as they are
  holdfast check --diff origin/main --sarif > holdfast.sarif
"""
STATUS = (
    "0 nothing certain is broken · 1 errors; with --strict also warnings and what could not be read · 2 bad request · "
    "3 not there · 6 git did not answer"
)
SHOWN = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; with --plan or --text: where it will be carried out"
    )
    what = parser.add_argument_group("what to check").add_mutually_exclusive_group()
    what.add_argument("--diff", metavar="REV", default="", help="what changed since a revision, or in a range A..B")
    what.add_argument("--staged", action="store_true", help="what is staged for the next commit")
    what.add_argument("--branch", metavar="REV", default="", help="memories of another branch against those here")
    what.add_argument("--plan", metavar="FILE", default="", help="a plan in words; - reads standard input")
    what.add_argument("--text", metavar="WORDS", default="", help="some words")
    parser.add_argument("--quiet", action="store_true", help="compare, and print nothing: as it runs by itself")
    parser.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0")
    parser.add_argument(
        "--strict", action="store_true", help="warnings, unread files and memory held back count as errors"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Say which accepted memory something breaks."""
    if args.paths and (args.diff or args.staged or args.branch):
        raise BadRequest(
            "--diff, --staged and --branch look at all that changed; they take no paths.", "leave them out."
        )
    if args.sarif and out.as_json:
        raise BadRequest("--sarif and --json are two forms of the same answer.", "choose one.")
    app = open_app(args, anywhere=True)
    app.progress = None if args.quiet else app.progress or make_progress_lines()
    checked = check(
        app, diff=args.diff, staged=args.staged, plan=args.plan, text=args.text, branch=args.branch, paths=args.paths
    )
    if args.quiet:
        return 0
    if args.sarif:
        out.json(checked_sarif(checked))
    elif out.as_json:
        out.json(checked_json(checked))
    else:
        named = args.diff or args.staged or args.plan or args.text or args.paths
        _show(checked, out, _summary if named else _at_odds)
    out.notices(app.notices)
    return 1 if checked.errors or (args.strict and not checked.clean) else 0


def _show(checked: Checked, out: Output, summary: Callable[[Checked], str]) -> None:
    for found in checked.findings[:SHOWN]:
        _finding(found, out)
    broken = {found.memory: found for found in checked.findings[:SHOWN] if found.other is None}
    for memory, found in broken.items():
        _, supersede, narrow = found.resolve
        out.cut(f"{memory} {found.title}")
        out.line(f"    {supersede}")
        out.line(f"    {narrow}")
    if len(checked.findings) > SHOWN:
        out.line(f"… and {format_count(len(checked.findings) - SHOWN, 'finding')} more (--json has them)")
    for problem in (*checked.unread, *checked.problems):
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        word = COULD_NOT_READ if problem in checked.unread else "cannot be used"
        out.line(f"{place}: note: {word}: {problem.reason}")
    out.line(summary(checked))


def _finding(found: Finding, out: Output) -> None:
    place = f"{found.place}: " if found.place else ""
    sure = "" if found.confidence == 1 else f", {found.confidence:.0%} sure"
    out.line(f"{place}{found.severity} {found.memory} {found.reason} [{found.rule}{sure}]")
    if found.other is not None:
        _pair(found.memory, found.other, out)
    for way in found.resolve if found.other is not None else found.resolve[:1]:
        out.cut(f"    {way}")


def _pair(memory: str, other: Other, out: Output) -> None:
    for name, text in ((memory, other.found_text), (other.id, other.text)):
        if text:
            out.cut(f"    {name}: {one_line(text)}")


def _at_odds(checked: Checked) -> str:
    if not checked.findings:
        return f"No memories contradict each other ({format_count(checked.memories, 'memory')} looked at)."
    errors = len(checked.errors)
    return f"{format_count(errors, 'error')}, {format_count(len(checked.findings) - errors, 'warning')}."


def _summary(checked: Checked) -> str:
    errors = len(checked.errors)
    warnings = len(checked.findings) - errors
    looked = f"{format_count(checked.memories, 'memory')}, {format_count(checked.rules, 'rule')}"
    if not checked.memories and checked.held_back:
        return f"Nothing was checked: {format_count(checked.held_back, 'memory')} held back (`holdfast allow`)."
    if not checked.findings and checked.unread:
        unread = format_count(len({problem.path for problem in checked.unread}), "file")
        return (
            f"Nothing that is kept is broken in what could be read ({looked}); {unread} could not be, at least in part."
        )
    if not checked.findings:
        return f"Nothing that is kept is broken ({looked})."
    return f"{format_count(errors, 'error')}, {format_count(warnings, 'warning')} ({looked})."
