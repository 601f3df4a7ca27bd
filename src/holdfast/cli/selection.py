"""What the commands of review share: which candidates are meant, how a conflict is resolved, and how one reads."""

import argparse
from collections.abc import Sequence
from typing import Any

from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, MemoryType
from holdfast.core.relation import Resolution
from holdfast.review.accept import ResolveRequest
from holdfast.review.queue import CandidateFilter, NoCandidateNamed, list_waiting
from holdfast.review.queue_groups import SettledCandidate, group_queue
from holdfast.review.relations import EntryRelation
from holdfast.workspace import App

WAYS = (
    ("--supersede", "it replaces the old one"),
    ("--keep-old", "the old one stays"),
    ("--narrow GLOB", "it holds at some paths only"),
    ("--keep-both --because WHY", "both hold"),
)


class TwoWays(BadRequest):
    """More than one way to resolve."""

    def __init__(self) -> None:
        super().__init__(
            "A conflict is resolved in one way.", "take one of --supersede, --keep-old, --narrow, --keep-both."
        )


class IdsAndAll(BadRequest):
    """Both names and a choice by kind."""

    def __init__(self) -> None:
        super().__init__("Candidates are named, or chosen, not both.", "leave the ids out, or the options.")


def add_selection(parser: argparse.ArgumentParser, *, all_too: bool = True) -> None:
    """The options that choose candidates by what they are."""
    group = parser.add_argument_group("which candidates")
    if all_too:
        group.add_argument("--all", action="store_true", help="every one that waits")
    group.add_argument(
        "--type", action="append", default=[], choices=[str(kind) for kind in MemoryType], help="only of this type"
    )
    group.add_argument("--from", dest="session", default="", metavar="SESSION", help="only from this session")
    group.add_argument(
        "--min-confidence", type=_share, default=0.0, metavar="N", help="only those that are at least so sure, 0 to 1"
    )


def build_filter(args: argparse.Namespace) -> CandidateFilter:
    """Which candidates the options mean."""
    return CandidateFilter(
        types=tuple(map(MemoryType, args.type)), session=args.session, min_confidence=args.min_confidence
    )  # fmt: skip


def select_ids(app: App, args: argparse.Namespace, verb: str) -> list[str]:
    """The ids of the candidates that a command is about: those named, or those chosen."""
    some = args.all or args.type or args.session or args.min_confidence
    if args.ids and some:
        raise IdsAndAll
    if not args.ids and not some:
        raise NoCandidateNamed(verb)
    if args.ids:
        return list(args.ids)
    waiting = list_waiting(app, build_filter(args))
    # What is accepted takes with it what it repeats or takes back: those are no acceptance of their own.
    meant = [group.lead for group in group_queue(waiting)] if verb == "accept" else waiting
    return [entry.memory.id for entry in meant]


def add_ways(parser: argparse.ArgumentParser, *, because: bool = True) -> None:
    """The ways to resolve a contradiction; `because`: with the reason, where a command has none of its own."""
    group = parser.add_argument_group("what contradicts a memory that holds")
    group.add_argument("--supersede", action="store_true", help="the new one holds from now on, the old one until now")
    group.add_argument("--keep-old", action="store_true", help="the old one stays, the new one is turned down")
    group.add_argument("--narrow", action="append", default=[], metavar="GLOB", help="the new one holds at these paths")
    group.add_argument("--keep-both", action="store_true", help="both hold; --because says why")
    if because:
        group.add_argument("--because", default="", metavar="WHY", help="the reason, kept with it")


def build_answer(args: argparse.Namespace) -> ResolveRequest | None:
    """The way that the options name, if they name one."""
    ways = {
        Resolution.SUPERSEDE: args.supersede,
        Resolution.KEEP_OLD: args.keep_old,
        Resolution.NARROW: args.narrow,
        Resolution.KEEP_BOTH: args.keep_both,
    }
    named = [way for way, given in ways.items() if given]
    if len(named) > 1:
        raise TwoWays
    return ResolveRequest(choice=named[0], because=args.because, paths=tuple(args.narrow)) if named else None


def print_ways(entry: Entry, out: Output) -> None:
    """How a candidate that is blocked can be decided."""
    out.line(f"  Decide: holdfast accept {entry.memory.id} with one of")
    for way, means in WAYS:
        out.line(f"    {way:<26} {means}")


def related_form(related: Sequence[EntryRelation]) -> list[dict[str, Any]]:
    """Relations as JSON."""
    return [
        {"id": each.relation.old, "relation": each.relation.kind, "reason": each.relation.reason} for each in related
    ]


def print_related(each: EntryRelation, out: Output) -> None:
    """A relation in lines: what it is to which memory, why, and what that one says."""
    relation = each.relation
    out.cut(f"    {relation.kind} {relation.old}: {one_line(relation.reason)}")
    out.cut(f"      {one_line(relation.old_text or each.old.memory.title)}")


def settled_form(settled: Sequence[SettledCandidate]) -> list[dict[str, Any]]:
    """What goes with a candidate, as JSON."""
    return [{"id": each.entry.memory.id, "how": each.how, "reason": each.reason} for each in settled]


def print_settled(each: SettledCandidate, out: Output) -> None:
    """A candidate that another one settles, in lines: what it is to that, and why."""
    out.cut(f"    {each.how}: {each.entry.memory.id} {one_line(each.entry.memory.title)}")
    if each.reason:
        out.cut(f"      {one_line(each.reason)}")


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"takes a number from 0 to 1, not {text!r}")
    return number
