"""holdfast stats"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output, fit, make_inert
from holdfast.cli.plots import Plots
from holdfast.report.stats import MeanDifference, MemoryUseCounts, UseReport, compute_stats, stats_json

EXAMPLES = """\
  holdfast stats                     what agents were told, what it cost, and what came of it
  holdfast stats --days 30
  holdfast stats DEC-7K2MQ4          one memory, session by session
  holdfast config packs.holdout 0.2  tell one session of five nothing, and compare
"""
STATUS = "0 also when nothing was told yet · 2 bad request · 3 no such id, no workspace · 5, 6 could not look"
MOST_WEEKS = 26
OUTCOMES = {"rating": "rating", "failed_checks": "failed checks", "corrections": "corrections"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="one memory (a unique beginning is enough)")
    parser.add_argument("--days", type=parse_count, default=0, metavar="N", help="only the last N days")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="how many memories (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what memory cost and what it brought."""
    app = open_app(args)
    found = compute_stats(app, args.days, args.id)
    if out.as_json:
        out.json(stats_json(found))
    elif not found.told and not found.effect:
        when = f" in the last {format_count(args.days, 'day')}" if args.days else " yet"
        what = f"{args.id} was told to no agent" if args.id else "No session that is over was told anything"
        out.line(f"{what}{when}. A session is judged when it has ended.")
    else:
        _summary(found, out)
        _memories(found, out, args.limit, one=bool(args.id))
        _effect(found, out)
    if found.broken:
        out.line(f"{format_count(found.broken, 'line')} of use.jsonl could not be read.")
    out.notices(app.notices)
    return 0


def _summary(found: UseReport, out: Output) -> None:
    since = f"Since {found.since[:10]}: " if found.since else ""
    out.line(f"{since}{format_count(found.sessions, 'session')}, about {found.tokens:,} tokens told.")
    if found.hit_rate:
        rate, low, high = (round(100 * each) for each in found.hit_rate)
        verdicts = found.verdicts
        out.line(
            f"Told {format_count(found.told, 'time')}: used {verdicts['used']} ({rate} %, between {low} and {high} %) "
            f"· ignored {verdicts['ignored']} · contradicted {verdicts['contradicted']}"
        )
    if found.avoided or found.repeated:
        out.line(f"Known failures: avoided {found.avoided}, repeated {found.repeated}")
    weeks = found.weeks[-MOST_WEEKS:]
    if len(weeks) > 1:
        span = f"{weeks[0].week} to {weeks[-1].week}"
        plots = Plots()
        out.line(f"tokens a week  {plots.spark([week.tokens for week in weeks])}  {span}")
        shares = [week.used / week.told if week.told else None for week in weeks]
        out.line(f"share used     {plots.spark(shares, high=1)}  0 to 100 %")


def _memories(found: UseReport, out: Output, limit: int, *, one: bool) -> None:
    if one:
        for memory in found.memories:
            _occasions(memory, out)
        return
    out.line()
    out.line("used  ignored  contra  tokens  last        memory")
    for memory in found.memories[:limit]:
        numbers = f"{memory.used:>4}  {memory.ignored:>7}  {memory.contradicted:>6}  {memory.tokens:>6}"
        out.line(_cut(f"{numbers}  {memory.last[:10]}  {memory.id}  {memory.title or '(gone)'}", out))
    if len(found.memories) > limit:
        out.line(f"and {len(found.memories) - limit} more: -n {len(found.memories)}")


def _occasions(memory: MemoryUseCounts, out: Output) -> None:
    out.line()
    out.cut(f"{memory.id}  {memory.title or '(gone)'}")
    for each in memory.occasions:
        marks = " · avoided" if each.memory.avoided else " · repeated" if each.memory.repeated else ""
        why = f": {each.memory.why}" if each.memory.why else ""
        out.line(_cut(f"  {each.ts[:16]}  {each.client}  {each.session[:12]}  {each.memory.verdict}{why}{marks}", out))


def _effect(found: UseReport, out: Output) -> None:
    if not found.effect:
        return
    out.line()
    out.line(f"With memory and without (hold-out): {found.arms['told']} and {found.arms['held']} sessions")
    for name, difference in found.effect.items():
        out.line(f"  {OUTCOMES[name]:<13}  {_compared(difference)}")


def _compared(found: MeanDifference) -> str:
    if found.difference is None:
        return f"{found.verdict} ({found.told} and {found.held} sessions with one)"
    means = f"{found.told_mean:.2f} and {found.held_mean:.2f}: {found.difference:+.2f}"
    if found.low is None or found.high is None:
        return f"{means}, {found.verdict} ({found.told} and {found.held} sessions)"
    return f"{means}, between {found.low:+.2f} and {found.high:+.2f}: {found.verdict}"


def _cut(text: str, out: Output) -> str:
    return fit(make_inert(text.replace("\n", " ")), out.width)
