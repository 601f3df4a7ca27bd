"""holdfast doctor --triples"""

import argparse

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output, one_line
from holdfast.core.value import as_dict
from holdfast.recall.triples.make_triples import (
    Estimate,
    TripleRunResult,
    TripleStatus,
    make_triples,
    read_triple_status,
)

EXAMPLES = """\
  holdfast config graph.triples model && holdfast doctor --triples    have the model read facts out of every memory
  holdfast doctor --triples --limit 20                                the newest twenty that wait
  holdfast doctor --triples --status                                  how many there are; nobody is asked
"""
STATUS = "0 done or shown · 2 off, no model is set, or the budget is used up · 6 the model does not answer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("-n", "--limit", type=parse_count, default=0, metavar="N", help="ask about so many at most")
    parser.add_argument("--status", action="store_true", help="show, and ask nobody")


def run(args: argparse.Namespace, out: Output) -> int:
    """Have the model read facts out of memories, for the graph. Ctrl-C keeps what is done; the next one goes on."""
    app = open_app(args, anywhere=True)
    if args.status:
        found = read_triple_status(app)
        out.json(as_dict(found)) if out.as_json else _print_state(found, out)
        out.notices(app.notices)
        return 0
    before: list[Estimate] = []

    def tell(estimate: Estimate) -> None:
        before.append(estimate)
        out.line(_before(estimate))

    made = make_triples(app, args.limit, tell)
    if out.as_json:
        out.json({**as_dict(made), "before": as_dict(before[0]) if before else None})
    out.line(_after(made) if before else "Nothing waits: the words of every memory were asked about.")
    if made.problem:
        app.notices.append(f"It ended early: {made.problem} {made.hint}".rstrip())
    out.notices(app.notices)
    return made.status


def _print_state(found: TripleStatus, out: Output) -> None:
    out.line(
        f"{format_count(found.memories, 'memory')} asked about, {format_count(found.triples, 'triple')}; "
        f"{found.waiting} waiting"
    )
    if found.unusable:
        out.line(f"{format_count(found.unusable, 'answer')} of no use")
    if not found.on:
        out.line("Triples are off, and search does not use them: `holdfast config graph.triples model`.")


def _before(found: Estimate) -> str:
    money = "its price is not known" if found.cost is None else f"at most ${found.cost:.4f}"
    return (
        f"{format_count(found.memories, 'memory')} to ask {one_line(found.model)} about: some {found.input} tokens "
        f"sent and at most {found.output} answered, {money}."
    )


def _after(made: TripleRunResult) -> str:
    money = "of unknown price" if made.cost is None else f"${made.cost:.4f}"
    parts = [f"{format_count(made.memories, 'memory')} asked about", format_count(made.triples, "triple")]
    parts += [f"{made.remembered} answered from what was kept"] if made.remembered else []
    parts += [f"{format_count(made.unusable, 'answer')} of no use"] if made.unusable else []
    parts += [f"{made.left} still waiting"] if made.left else []
    return f"{', '.join(parts)}; {made.input} tokens sent, {made.output} answered, {money}."
