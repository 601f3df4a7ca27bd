"""holdfast accept"""

import argparse
from typing import Any

from holdfast.cli.check_rules import tell_rule
from holdfast.cli.common import entry_line, format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.cli.selection import (
    add_selection,
    add_ways,
    build_answer,
    print_related,
    print_settled,
    print_ways,
    related_form,
    select_ids,
    settled_form,
)
from holdfast.core.memory import Entry, Scope
from holdfast.core.relation import Kind
from holdfast.review.accept import AcceptedCandidate, BlockedCandidate, ReviewResult, accept
from holdfast.review.check_rules import PROPOSED, find_rule_state
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast accept CAND-7K2MQ4
  holdfast accept CAND-7K2MQ4 CAND-0A1B2C --scope user
  holdfast accept --all --type learning --min-confidence 0.8
  holdfast accept --all --from 4f2a               what one session gave
  holdfast accept CAND-7K2MQ4 --into DEC-5P1Z8K   merge it into one that is there
  holdfast accept CAND-7K2MQ4 --supersede         it replaces the decision that it contradicts
  holdfast accept CAND-7K2MQ4 --narrow 'src/ui/**'
  holdfast accept CAND-7K2MQ4 --keep-both --because "the importer is the exception"
"""
STATUS = (
    "0 accepted, on disk · 2 bad request, or inside a client · 3 no such candidate · 4 rejected before, or blocked by "
    "a conflict · 6 the disk refuses"
)
# Told of what was accepted all the same.
TOLD = (Kind.SUPERSEDES, Kind.DUPLICATES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="candidates")
    parser.add_argument("--scope", choices=[str(scope) for scope in Scope], default="", help="where the memory goes")
    parser.add_argument("--again", action="store_true", help="also what was rejected before")
    parser.add_argument("--against", default="", metavar="ID", help="only the conflict with this memory is answered")
    add_selection(parser)
    add_ways(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Accept candidates."""
    app = open_app(args, anywhere=True)
    ids = select_ids(app, args, "accept")
    done = accept(app, ids, args.scope, again=args.again, answer=build_answer(args), against=args.against)
    if out.as_json:
        _json(done, out)
    if not ids:
        out.line("Nothing waits that fits.")
    _print(app, done, out)
    out.notices(app.notices)
    return 4 if done.blocked else 0


def _json(done: ReviewResult, out: Output) -> None:
    form: dict[str, Any] = {
        "accepted": [{"candidate": each.candidate, "memory": each.entry.memory.id} for each in done.accepted],
        "blocked": [{"id": each.entry.memory.id, "conflicts": related_form(each.conflicts)} for each in done.blocked],
    }
    # Only where --keep-old turned some down, or others went with it.
    form |= {"rejected": [e.memory.id for e in done.turned_down]} if done.turned_down else {}
    form |= {"settled": settled_form(done.settled)} if done.settled else {}
    out.json(form)


def _print(app: App, done: ReviewResult, out: Output) -> None:
    for one in done.accepted:
        became = "" if one.entry.memory.id == one.candidate else f" as {one.entry.memory.id}"
        out.line(f"Accepted {one.candidate}{became}: {one.entry.memory.title}")
        out.line(f"  {display_path(app, one.entry)}")
        _print_ended(one, out)
        _print_beside(one, done, out)
        _print_rule(one.entry, out)
    if done.settled:
        out.line(f"With it, {format_count(done.settled, 'candidate')} left the queue:")
    for settled in done.settled:
        print_settled(settled, out)
    for entry in done.turned_down:
        out.line(f"Rejected {entry.memory.id}: {entry.memory.title}")
    for held in done.blocked:
        _print_blocked(held, out)
    if done.accepted or done.turned_down:
        out.line("Take it back: holdfast undo")


def _print_ended(one: AcceptedCandidate, out: Output) -> None:
    for old in one.ended:
        out.cut(f"  ended {old.memory.id}: {one_line(old.memory.title)}")
    for old in one.kept:
        out.cut(f"  not ended, an agent only suggests it: {old.memory.id}: {one_line(old.memory.title)}")
        out.line(f"      To end it: holdfast resolve {one.entry.memory.id} {old.memory.id} --supersede")


def _print_beside(one: AcceptedCandidate, done: ReviewResult, out: Output) -> None:
    named = {old.memory.id for old in (*one.ended, *one.kept)}
    for each in done.beside:
        if each.relation.old in named or each.relation.new != one.candidate or each.relation.kind not in TOLD:
            continue
        print_related(each, out)
        if each.relation.kind is Kind.SUPERSEDES and each.relation.old not in one.entry.memory.supersedes:
            out.line(f"      To end it: holdfast resolve {one.entry.memory.id} {each.relation.old} --supersede")


def _print_rule(entry: Entry, out: Output) -> None:
    state = find_rule_state(entry)
    if state.state == PROPOSED:
        out.line("  `holdfast check` warns of what breaks it:")
        tell_rule(state, out)


def _print_blocked(held: BlockedCandidate, out: Output) -> None:
    out.line(entry_line(held.entry, out, before="Blocked: "))
    for each in held.conflicts:
        print_related(each, out)
    print_ways(held.entry, out)
