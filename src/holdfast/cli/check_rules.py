"""holdfast check --rules"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.review.check_rules import (
    CHECKED,
    PROPOSED,
    RuleState,
    confirm_rules,
    decline_rules,
    describe_rule,
    list_rule_states,
)

EXAMPLES = """\
  holdfast check --rules                         which memories are checked, and by what
  holdfast check --rules --confirm INV-7K2MQ4    what was read from its words is certain from now on
  holdfast check --rules --told-only DEC-5P1Z8K  it is told to agents, and not checked
"""
STATUS = "0 done · 2 its words say nothing that can be checked, or inside a client · 3 no such memory"
WORDS = {CHECKED: "checked", PROPOSED: "proposed, a warning until you confirm it", "told": "told, not checked"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--confirm", nargs="+", metavar="ID", default=[], help="the rule that was read from its words is right"
    )
    what.add_argument("--told-only", nargs="+", metavar="ID", default=[], help="it is told to agents, and not checked")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show which memories are checked, and by what; confirm what was read from words."""
    app = open_app(args, anywhere=True)
    if args.confirm:
        states = confirm_rules(app, args.confirm)
    elif args.told_only:
        states = decline_rules(app, args.told_only)
    else:
        states = list_rule_states(app)
    if out.as_json:
        out.json({"rules": [_form(each) for each in states]})
        return 0
    for each in states:
        show_rule(each, out)
    counts = {word: sum(each.state == word for each in states) for word in WORDS}
    out.line(
        f"{counts[CHECKED]} checked, {counts[PROPOSED]} proposed, {format_count(counts['told'], 'memory')} told only."
    )
    out.notices(app.notices)
    return 0


def show_rule(state: RuleState, out: Output) -> None:
    """One memory and what it is checked by."""
    memory = state.entry.memory
    out.cut(f"{memory.id}  {one_line(memory.title)}  ({WORDS[state.state]})")
    tell_rule(state, out)


def tell_rule(state: RuleState, out: Output) -> None:
    """What a memory is checked by, and how to confirm it."""
    for line in describe_rule(state.enforce):
        out.cut(f"    {line}")
    if state.examples:
        out.cut(f"    would catch: {' · '.join(state.examples)}")
    if state.state == PROPOSED:
        out.line(f"    Right? holdfast check --rules --confirm {state.entry.memory.id}")


def _form(state: RuleState) -> dict[str, object]:
    memory = state.entry.memory
    return {
        "id": memory.id, "title": memory.title, "state": state.state, "enforce": dict(state.enforce),
        "examples": list(state.examples),
    }  # fmt: skip
