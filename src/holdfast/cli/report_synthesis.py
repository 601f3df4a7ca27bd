"""holdfast report synthesis"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.cli.plots import Plots
from holdfast.report.synthesis import ALL, MONTH, WEEK, PeriodSynthesis, synthesis_json, write_synthesis

EXAMPLES = """\
  holdfast report synthesis                        this week
  holdfast report synthesis --month
  holdfast report synthesis --week --of 2026-11-02
  holdfast report synthesis --all --json
"""
STATUS = "0 also when there is nothing yet · 2 bad request · 3 no workspace · 5, 6 could not look"
BEST = 10
ARROWS = {"up": "better than before", "down": "worse than before", "level": "as before", "unknown": ""}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--week", dest="kind", action="store_const", const=WEEK, default=WEEK, help="a week (default)")
    which.add_argument("--month", dest="kind", action="store_const", const=MONTH, help="a month")
    which.add_argument("--all", dest="kind", action="store_const", const=ALL, help="everything")
    parser.add_argument("--of", default="", metavar="DATE", help="the week or month around this day (default: today)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Put a period's ratings, failures and learnings together."""
    app = open_app(args)
    made = write_synthesis(app, args.kind, args.of)
    if out.as_json:
        out.json(synthesis_json(made))
    elif made.found.empty:
        out.line(f"{made.found.period.title}: nothing yet.")
    else:
        _shown(made.found, out)
    if made.path:
        out.line(f"Written: {made.path}")
    out.notices(app.notices)
    return 0


def _shown(found: PeriodSynthesis, out: Output) -> None:
    out.line(
        f"{found.period.title}: {format_count(found.sessions, 'session')}, {format_count(found.prompts, 'prompt')}"
    )
    _ratings(found, out)
    if found.failures:
        out.line(f"\nRecurring failures ({format_count(found.failed, 'failed call')} in all)")
        for each in found.failures:
            out.cut(
                f"  {each.count:>3}× in {format_count(each.sessions, 'session')}, last {each.last[:10]}: {each.example}"
            )
    for kind in ("system", "algorithm"):
        several = [each for each in found.learnings if each.category == kind]
        if several:
            out.line(f"\nLearnings: {kind}")
        for learning in several:
            out.cut(f"  {learning.at[:10]}  {learning.text}")
    if found.files:
        out.line("\nMost touched files")
        most = found.files[0].changes
        plots = Plots()
        for file in found.files:
            out.line(f"  {plots.bar(file.changes, most, 12)} {file.changes:>4}  {file.path}")


def _ratings(found: PeriodSynthesis, out: Output) -> None:
    rated = found.rated
    if not rated.count:
        out.line("Nothing was rated.")
        return
    plot = f"  {Plots().spark([mean for _, _, mean in rated.by_day], high=BEST)}" if len(rated.by_day) > 1 else ""
    former = f" (before: {rated.before})" if rated.before is not None else ""
    trend = f", {ARROWS[rated.trend]}" if ARROWS[rated.trend] else ""
    low = f", {rated.low} of them low" if rated.low else ""
    out.line(f"{format_count(rated.count, 'rating')}, mean {rated.mean}{former}{trend}{low}{plot}")
