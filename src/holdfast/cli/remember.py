"""holdfast remember"""

import argparse
from collections.abc import Sequence

from holdfast.cli.check_rules import tell_rule
from holdfast.cli.common import open_app
from holdfast.cli.drafts import add_draft, build_draft
from holdfast.cli.output import Output, one_line
from holdfast.cli.selection import add_ways, build_answer, print_related, related_form
from holdfast.core.memory import Entry, Status
from holdfast.core.relation import Resolution
from holdfast.review.accept import ResolveRequest, accept
from holdfast.review.check_rules import PROPOSED, find_rule_state
from holdfast.review.relations import EntryRelation, find_notable_relations
from holdfast.review.remember import HELD_BACK, remember
from holdfast.review.resolve_conflict import ReasonMissing
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App, find_agent

EXAMPLES = """\
  holdfast remember decision "Use Textual for the TUI" --choice Textual --rejected "curses: no layout engine"
  holdfast remember failure "Async pool ran dry" --root-cause "one session per request" --path "src/db/**"
  holdfast remember invariant "No requests; use httpx" --enforce forbid_dependency=requests
  holdfast remember learning "Tests need TZ=UTC" --tag tests --scope user
  holdfast remember decision "Use httpx for the crawler" --supersede   the old one on that ends
  git log -1 --format=%B | holdfast remember decision -
  holdfast remember invariant             opens $EDITOR
"""
STATUS = (
    "0 kept, on disk · 2 unknown type, empty text, wrong value · 3 no workspace · 4 it waits as a candidate, for it "
    "contradicts what holds · 6 the disk refuses"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_draft(parser)
    add_ways(parser, because=False)


def run(args: argparse.Namespace, out: Output) -> int:
    """Keep a memory. One that contradicts what holds waits for the person's word."""
    app = open_app(args, anywhere=True, quiet=True)
    answer = build_answer(args)
    if answer and answer.choice == Resolution.KEEP_BOTH and not answer.because:
        raise ReasonMissing("This one", "the other")
    entry = remember(app, build_draft(args, app))
    if find_agent(app) or entry.memory.status is not Status.CANDIDATE:
        if answer:
            app.notices.append(f"It contradicts nothing that holds: --{answer.choice} had nothing to resolve.")
        tell_kept(app, entry, out, find_notable_relations(app, entry))
        return 0
    return _decide_held(app, entry, answer, out)


def _decide_held(app: App, entry: Entry, answer: ResolveRequest | None, out: Output) -> int:
    """Have the person say what shall be of a memory that is in conflict: by the options, or in the terminal."""
    related = find_notable_relations(app, entry)
    if answer is None and out.asking and not out.as_json:
        tell_conflicts(entry, related, out)
        answer = ask_way(out)
    if answer is None:
        tell_kept(app, entry, out, related)
        return 4
    app.notices[:] = [each for each in app.notices if not each.startswith(HELD_BACK)]
    done = accept(app, [entry.memory.id], answer=answer)
    if done.turned_down:
        out.json({"id": entry.memory.id, "status": Status.REJECTED, "conflicts": related_form(related)})
        out.line(f"Rejected {entry.memory.id}: {one_line(entry.memory.title)}. The old one stays.")
        out.notices(app.notices)
        return 0
    kept = done.accepted[0].entry if done.accepted else entry
    tell_kept(app, kept, out, [each for held in done.blocked for each in held.conflicts])
    return 4 if done.blocked else 0


def tell_conflicts(entry: Entry, related: Sequence[EntryRelation], out: Output) -> None:
    """Say what keeps a memory from being kept."""
    out.line(f"Not kept yet: {one_line(entry.memory.title)}")
    for each in related:
        print_related(each, out)


def ask_way(out: Output) -> ResolveRequest | None:
    """What a person wants of two that are in conflict; None: later."""
    given = out.answer(
        "Which stays? [s]upersede the old one, keep [o]ld, [b]oth, [n]arrow to paths, Enter: decide later:"
    )
    match given[:1].lower():
        case "s":
            return ResolveRequest(choice=Resolution.SUPERSEDE)
        case "o":
            return ResolveRequest(choice=Resolution.KEEP_OLD)
        case "b":
            return ResolveRequest(choice=Resolution.KEEP_BOTH, because=out.answer("Why do both hold?"))
        case "n":
            return ResolveRequest(choice=Resolution.NARROW, paths=tuple(out.answer("At which paths? (globs)").split()))
    return None


def tell_kept(app: App, entry: Entry, out: Output, related: Sequence[EntryRelation] = ()) -> None:
    """Say what was kept where, and what it is in conflict with."""
    if out.as_json:
        form = {"id": entry.memory.id, "path": display_path(app, entry), "status": entry.memory.status}
        out.json({**form, "conflicts": related_form(related)})
    else:
        word = "Proposed" if entry.memory.status is Status.CANDIDATE else "Kept"
        out.line(f"{word} {entry.memory.id}: {one_line(entry.memory.title)}")
        out.line(f"  {display_path(app, entry)}")
        tell_related(entry, related, out)
        if entry.memory.status is Status.ACCEPTED and (state := find_rule_state(entry)).state == PROPOSED:
            out.line("  `holdfast check` warns of what breaks it:")
            tell_rule(state, out)
    out.notices(app.notices)


def tell_related(entry: Entry, related: Sequence[EntryRelation], out: Output) -> None:
    """Say what a memory contradicts, replaces or repeats, and how that is resolved."""
    for each in related:
        print_related(each, out)
    if related:
        verb = "accept" if entry.memory.status is Status.CANDIDATE else "resolve"
        other = "" if verb == "accept" else f" {related[0].relation.old}"
        ways = "--supersede | --keep-old | --narrow GLOB | --keep-both --because WHY"
        out.line(f"    Decide: holdfast {verb} {entry.memory.id}{other} {ways}")
