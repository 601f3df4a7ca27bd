"""holdfast report cost"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output, one_line
from holdfast.core.value import as_dict
from holdfast.report.costs import CostReport, CostSum, entry_to_json, read_costs

EXAMPLES = """\
  holdfast report cost                      what the model took in the last 14 days, day by day
  holdfast report cost --days 60
  holdfast report cost --days 1 --json      every request of today
"""
STATUS = "0 shown · 6 could not look"
DAYS = 14
MOST_DAYS = 3660
WIDEST_BAR = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--days", type=_days, default=DAYS, metavar="N", help=f"how many days, today among them (default {DAYS})"
    )


def _days(text: str) -> int:
    number = parse_count(text)
    if number > MOST_DAYS:
        raise argparse.ArgumentTypeError(f"takes at most {MOST_DAYS} days")
    return number


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what models cost."""
    app = open_app(args, anywhere=True, quiet=True)
    found = read_costs(app, args.days)
    if out.as_json:
        out.json({
            "days": {day: as_dict(each) for day, each in found.days.items()},
            "models": {model: as_dict(each) for model, each in found.models.items()},
            "total": as_dict(found.total),
            "budget": dict(found.budget),
            "requests": [entry_to_json(line) for line in found.lines],
        })  # fmt: skip
    elif found.lines:
        _print(found, out)
    else:
        out.line(f"No model was asked in the last {format_count(args.days, 'day')}.")
    out.notices(app.notices)
    return 0


def _print(found: CostReport, out: Output) -> None:
    by_money = bool(found.total.cost)
    most = max((each.cost if by_money else each.input + each.output) for each in found.days.values())
    room = max(8, min(WIDEST_BAR, out.width - 44))
    for day, each in found.days.items():
        size = each.cost if by_money else each.input + each.output
        bar = _bar(size / most * room if most else 0)
        out.line(f"{day}  {bar:<{room}}  {_tokens(each):>8} tokens  {_money(each):>9}".rstrip())
    out.line()
    for model, each in found.models.items():
        out.line(f"{one_line(model)}: {_words(each)}")
    if len(found.models) > 1:
        out.line(f"all: {_words(found.total)}")
    limit = found.budget
    out.line(
        f"budget (0: no limit): {limit['session_tokens']} tokens and {limit['session_cents']} cents a session, "
        f"{limit['day_tokens']} tokens and {limit['day_cents']} cents a day"
    )


def _bar(length: float) -> str:
    """A bar in eighths of a column; whatever is not nothing shows."""
    if length <= 0:
        return ""
    whole, rest = divmod(max(1, round(length * 8)), 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[rest].strip()


def _tokens(total: CostSum) -> str:
    number = total.input + total.output
    return f"{number / 1000:.1f}k" if number >= 10_000 else str(number)


def _money(total: CostSum) -> str:
    return f"${total.cost:.4f}" if total.cost else ""


def _words(total: CostSum) -> str:
    parts = [
        format_count(total.requests, "request"),
        f"{total.input} tokens in ({total.cached} cached)",
        f"{total.output} out",
    ]
    parts.append(f"${total.cost:.4f}")
    if total.remembered:
        parts.append(f"{total.remembered} answered from what was kept")
    if total.failed:
        parts.append(f"{total.failed} failed")
    if total.unpriced:
        parts.append(f"{total.unpriced} of unknown price")
    return ", ".join(parts)
