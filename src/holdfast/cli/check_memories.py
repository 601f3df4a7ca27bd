"""holdfast check --memories"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, format_count, make_progress_lines, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.memory import Entry
from holdfast.review.relations import SHOWABLE, TOLD, EntryRelation, find_conflicts, require_judge
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast check --memories                       every candidate, and every pair of memories that hold
  holdfast check --memories --all                 all of them, where there are more than fit on a screen
  holdfast check --memories CAND-7K2MQ4           one, against the memories near it
  holdfast check --memories CAND-7K2MQ4 --all     also what it has nothing to do with
  holdfast check --memories --model               the model looks again at what matters most
  holdfast check --memories --json | jq -r '.conflicts[] | "\\(.new.id) \\(.relation) \\(.old.id)"'
"""
# As much as fits on a screen.
SHOWN = 8
STATUS = "0 none · 1 some found · 2 the id is not unique · 3 no such id · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", nargs="?", default="", help="a memory or candidate (default: all)")
    parser.add_argument(
        "--all", action="store_true", help="show every pair, and every relation, not only conflicts and duplicates"
    )
    parser.add_argument("--model", action="store_true", help="let the model judge too; it can only be stricter")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what contradicts, replaces or repeats what."""
    app = open_app(args, anywhere=True)
    app.progress = app.progress or make_progress_lines()
    kinds = SHOWABLE if args.all else TOLD
    found = find_conflicts(app, args.id, kinds, require_judge(app) if args.model else None)
    if out.as_json:
        forms = [_form(app, each) for each in found.found]
        out.json({"conflicts": forms, "looked_at": found.looked_at})
    shown = found.found if args.all else found.found[:SHOWN]
    for each in shown:
        _print(each, out)
    if more := len(found.found) - len(shown):
        out.line(f"… {more:,} more: --all")
    told = [each for each in found.found if each.relation.kind in TOLD]
    if not told:
        out.line(f"No conflicts and no duplicates: {format_count(found.looked_at, 'entry')} looked at.")
    out.notices(app.notices)
    return 1 if told else 0


def _form(app: App, each: EntryRelation) -> dict[str, Any]:
    relation = each.relation
    return {
        "new": _side(app, each.new, relation.new_text), "old": _side(app, each.old, relation.old_text),
        "relation": relation.kind, "rule": relation.rule, "reason": relation.reason, "sure": relation.sure,
        "likeness": relation.likeness, "paths": relation.scope.paths, "same_time": relation.scope.time,
    }  # fmt: skip


def _side(app: App, entry: Entry, text: str) -> dict[str, Any]:
    memory = entry.memory
    return {
        "id": memory.id, "type": memory.type, "status": memory.status, "title": memory.title, "text": text,
        "path": display_path(app, entry),
    }  # fmt: skip


def _print(each: EntryRelation, out: Output) -> None:
    relation = each.relation
    out.line(entry_line(each.new, out))
    out.line(entry_line(each.old, out, before=f"  {relation.kind}  "))
    out.cut(f"      {relation.reason} ({relation.sure:.2f}; paths: {relation.scope.paths})")
    for name, text in (("new", relation.new_text), ("old", relation.old_text)):
        if text:
            out.cut(f"      {name}: {one_line(text)}")
    out.line()
