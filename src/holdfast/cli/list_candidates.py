"""holdfast list --candidates"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.cli.common import entry_line, open_app, snippet
from holdfast.cli.output import Output, one_line
from holdfast.cli.selection import (
    add_selection,
    build_filter,
    print_related,
    print_settled,
    related_form,
    settled_form,
)
from holdfast.core.memory import DOUBT, Entry, Status
from holdfast.review.expiry import describe_expiry, describe_time, format_expiry
from holdfast.review.queue import list_expired, list_questions
from holdfast.review.queue_groups import QueueGroup
from holdfast.review.relations import TOLD, EntryRelation, RelationFinder
from holdfast.vault.entry_json import entry_json
from holdfast.workspace import App

EXAMPLES = """\
  holdfast list --candidates
  holdfast list --candidates --rejected           also those turned down
  holdfast list --candidates --expired            what nobody reviewed in time
  holdfast list --candidates --type decision --from 4f2a --min-confidence 0.8
  holdfast list --candidates --json | jq -r '.candidates[].id'
"""
STATUS = "0 also when none waits · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rejected", action="store_true", help="show the rejected ones too")
    which.add_argument("--expired", action="store_true", help="show those that nobody reviewed in time")
    add_selection(parser, all_too=False)


def run(args: argparse.Namespace, out: Output) -> int:
    """List what waits for review, as questions: the best first, what one answer settles below it."""
    app = open_app(args, anywhere=True)
    groups = _list_groups(app, args)
    entries = [entry for group in groups for entry in group.entries]
    related = _related(app, entries)
    if out.as_json:
        rows = [row for group in groups for row in _forms(app, group, related)]
        out.json({"candidates": rows})
    for group in groups:
        _print_group(app, group, related, out)
    _print_end(app, entries, out, expired=args.expired)
    out.notices(app.notices)
    return 0


def _list_groups(app: App, args: argparse.Namespace) -> list[QueueGroup]:
    chosen = build_filter(args)
    if args.expired:
        return [QueueGroup(lead=entry, topic=entry.memory.id) for entry in list_expired(app, chosen)]
    return list_questions(app, chosen, rejected_too=args.rejected)


def _print_group(app: App, group: QueueGroup, related: Mapping[str, Sequence[EntryRelation]], out: Output) -> None:
    entry = group.lead
    out.line(entry_line(entry, out))
    if entry.memory.status is Status.REJECTED and entry.memory.because:
        out.cut(f"    rejected because {entry.memory.because}")
    elif line := snippet(entry, out):
        out.line(line)
    if doubt := entry.memory.extra.get(DOUBT):
        out.cut(f"    waits for you: {one_line(str(doubt))}")
    for each in related[entry.memory.id]:
        print_related(each, out)
    for settled in group.settles:
        print_settled(settled, out)
    if words := describe_expiry(app, entry):
        out.line(f"    {words}")


def _print_end(app: App, entries: Sequence[Entry], out: Output, *, expired: bool) -> None:
    if expired and entries:
        out.line(
            "They wait no more, and stay as they are. Still: holdfast accept ID…; to wait again: holdfast undo ID…"
        )
    elif entries:
        out.line("Decide: holdfast review, or holdfast accept ID…, holdfast reject ID… --because WHY")
    else:
        out.line("Nothing expired." if expired else "Nothing waits for review.")
    if not expired and (words := describe_time(app)):
        out.line(words)


def _related(app: App, entries: list[Entry]) -> dict[str, list[EntryRelation]]:
    """What each that waits is to the memories near it, without those it has nothing to do with."""
    look = RelationFinder(app)
    found: dict[str, list[EntryRelation]] = {}
    for done, entry in enumerate(entries, 1):
        waits = entry.memory.status is Status.CANDIDATE
        seen = look.at(entry) if waits else ()
        found[entry.memory.id] = [each for each in seen if each.relation.kind in TOLD]
        if app.progress is not None:
            app.progress("relating", done, len(entries))
    return found


def _forms(app: App, group: QueueGroup, related: Mapping[str, Sequence[EntryRelation]]) -> Iterator[dict[str, Any]]:
    """A group's candidates for programs: the one that leads, then what it settles."""
    how = {each.entry.memory.id: each for each in group.settles}
    for entry in group.entries:
        settled = how.get(entry.memory.id)
        yield _form(app, entry, related[entry.memory.id]) | {
            "group": group.lead.memory.id,
            "settles": settled_form(group.settles) if settled is None else [],
            "settled": settled.how if settled else "",
            "topic": group.topic,
            "expires": format_expiry(app, entry),
        }


def _form(app: App, entry: Entry, related: Sequence[EntryRelation]) -> dict[str, Any]:
    form = entry_json(app, entry)
    for name, empty in (("choice", ""), ("rejected", []), ("confidence", None), ("evidence", [])):
        form.setdefault(name, empty)
    return form | {"conflicts": related_form(related)}
