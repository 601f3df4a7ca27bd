"""holdfast accept"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, open_app
from holdfast.cli.output import Output
from holdfast.cli.selection import add_selection, add_ways, build_answer, print_related, related_form, select_ids
from holdfast.core.memory import Scope
from holdfast.core.relation import Kind
from holdfast.review.accept import BlockedCandidate, ReviewResult, accept
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
WAYS = (
    ("--supersede", "it replaces the old one"),
    ("--keep-old", "the old one stays"),
    ("--narrow GLOB", "it holds at some paths only"),
    ("--keep-both --because WHY", "both hold"),
)


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
    # Only where --keep-old turned some down.
    out.json({**form, "rejected": [e.memory.id for e in done.turned_down]} if done.turned_down else form)


def _print(app: App, done: ReviewResult, out: Output) -> None:
    for one in done.accepted:
        became = "" if one.entry.memory.id == one.candidate else f" as {one.entry.memory.id}"
        out.line(f"Accepted {one.candidate}{became}: {one.entry.memory.title}")
        out.line(f"  {display_path(app, one.entry)}")
        for each in done.beside:
            if each.relation.new == one.candidate and each.relation.kind in TOLD:
                print_related(each, out)
                if each.relation.kind is Kind.SUPERSEDES and each.relation.old not in one.entry.memory.supersedes:
                    out.line(f"      To end it: holdfast resolve {one.entry.memory.id} {each.relation.old} --supersede")
    for entry in done.turned_down:
        out.line(f"Rejected {entry.memory.id}: {entry.memory.title}")
    for held in done.blocked:
        _print_blocked(held, out)
    if done.accepted or done.turned_down:
        out.line("Take it back: holdfast undo")


def _print_blocked(held: BlockedCandidate, out: Output) -> None:
    out.line(entry_line(held.entry, out, before="Blocked: "))
    for each in held.conflicts:
        print_related(each, out)
    out.line(f"  Decide: holdfast accept {held.entry.memory.id} with one of")
    for way, means in WAYS:
        out.line(f"    {way:<26} {means}")
