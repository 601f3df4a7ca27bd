"""holdfast log"""

import argparse
from collections.abc import Sequence

from holdfast.cli.common import open_app
from holdfast.cli.drafts import read_words
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.records.daily_log import LogLine, add_log_line, list_log_days, read_daily_log

EXAMPLES = """\
  holdfast log                                 today
  holdfast log "tried the async pool, ran dry"    adds a line; so does: holdfast log add "tried the async pool"
  holdfast log --date 2026-11-14
  holdfast log --days                          which days have one
  holdfast log --rate 8 "just what I asked for"   rate the newest answer
  holdfast log --system                        what altered the memory system itself
"""
ADD_AND_TEXT = 2
STATUS = "0 also when the day is empty · 2 bad request · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help='a line to add; "-" reads standard input')
    parser.add_argument("--date", default="", help="the day to read")
    parser.add_argument("--days", action="store_true", help="list the days")


def run(args: argparse.Namespace, out: Output) -> int:
    """Read the daily log, or add to it."""
    app = open_app(args)
    if args.days:
        days = list_log_days(app)
        if out.as_json:
            out.json({"days": days})
        out.line("\n".join(days) or "Nothing was logged yet.")
        return 0
    if args.text and args.date:
        raise BadRequest("A line is added to today's log only.", "leave --date away, or edit that day's file by hand.")
    day = add_log_line(app, read_words(_said(args.text))) if args.text else args.date
    day, lines = read_daily_log(app, day)
    if out.as_json:
        out.json({"date": day, "lines": [{"time": line.time, "text": line.text} for line in lines]})
    elif args.text:
        out.line(f"Logged in {day}.")
    else:
        _print(day, lines, out)
    out.notices(app.notices)
    return 0


def _said(given: list[str]) -> list[str]:
    """The words to log. `log add "some words"` means the words: other commands of ours have such a verb."""
    return given[1:] if len(given) == ADD_AND_TEXT and given[0] == "add" else given


def _print(day: str, lines: Sequence[LogLine], out: Output) -> None:
    out.line(day if lines else f"Nothing was logged on {day}.")
    for line in lines:
        first, *more = line.text.splitlines() or [""]
        out.line(f"{line.time:>5}  {first}")
        for text in more:
            out.line(f"       {text}")
