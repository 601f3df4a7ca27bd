"""holdfast import"""

import argparse
import os
import shlex
from collections import Counter
from typing import Any

from holdfast.cli.bundled import ImportNotConfirmed, run_bundle
from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, fit, one_line
from holdfast.core.memory import Scope
from holdfast.exchange.bundles.bundle_places import is_bundle
from holdfast.importers.import_candidates import (
    CHANGED,
    KNOWN,
    NEW,
    REVISION,
    ImportPlan,
    ImportResult,
    ImportStep,
    apply_import,
    find_importable,
    list_importers,
    plan_import,
)
from holdfast.workspace import App

EXAMPLES = """\
  holdfast import                          what is here that could be imported
  holdfast import docs/adr                 show what would come, then ask
  holdfast import AGENTS.md --dry-run
  holdfast import ~/.claude-mem/claude-mem.db --from claude-mem --yes
  holdfast import --list                   the kinds, and where they lie
  holdfast import memory.holdfast.tar.zst  a bundle that `holdfast export` wrote: a file, a folder, s3://…, or -
"""
STATUS = (
    "0 imported, or a dry run · 1 nothing to import · 2 not confirmed, refused, or no known kind · "
    "3 not there, or a workspace's bundle outside of any · "
    "4 another import is at work · 5 damaged · 6 out of reach"
)
FEW = 20
FEW_REJECTED = 5
MARKS = {NEW: "new", CHANGED: "changed", REVISION: "revision"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "source", nargs="?", default="", metavar="SRC", help="a file, a folder, a bundle; without one, look for some"
    )
    parser.add_argument(
        "--from", dest="kind", default="", metavar="KIND", help="what it is, where that is not told by itself"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would come")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--accept", action="store_true", help="accept at once what comes, as `holdfast accept` would")
    parser.add_argument(
        "--scope", choices=[str(scope) for scope in Scope], default="", help="with --accept: where memories go"
    )
    parser.add_argument(
        "--project", default="", metavar="NAME", help="of a store with many projects: this one, or `all`"
    )
    parser.add_argument("--all", action="store_true", dest="everything", help="print every line of the table")
    parser.add_argument("--mine", action="store_true", help="a bundle is yours, although its seal is of another key")
    parser.add_argument(
        "--identity", action="append", default=[], metavar="FILE", help="an age identity that opens a bundle"
    )
    parser.add_argument(
        "--passphrase-file", default="", metavar="FILE", help="a file with a bundle's passphrase, or env:NAME"
    )
    parser.add_argument("--list", action="store_true", dest="listing", help="list the kinds and where they usually lie")


def run(args: argparse.Namespace, out: Output) -> int:
    """Import what another tool remembered."""
    app = open_app(args, anywhere=True)
    if args.listing:
        return _list(app, out)
    if not args.source:
        return _look(app, out)
    if not args.kind and is_bundle(args.source):
        return run_bundle(app, args, out)
    plan = plan_import(app, os.path.expanduser(args.source), args.kind, args.project)
    steps = plan.of(NEW, CHANGED, REVISION)
    _table(plan, out, everything=args.everything)
    todo = steps or (args.accept and plan.of(KNOWN))
    if args.dry_run or not todo:
        _finish(plan, ImportResult(written=()), out, app, dry=args.dry_run)
        return 0 if plan.steps or args.dry_run else 1
    if not args.yes and not out.confirm(_question(plan, accepting=args.accept)):
        raise ImportNotConfirmed
    done = apply_import(app, plan, accepting=args.accept, scope=args.scope)
    _finish(plan, done, out, app, dry=False)
    return 0


def _question(plan: ImportPlan, *, accepting: bool) -> str:
    new = format_count(plan.of(NEW, CHANGED, REVISION), "candidate")
    if accepting:
        return f"Import {new}, and accept them with what waits from here already?"
    return f"Import {new}? They wait for your review."


def _table(plan: ImportPlan, out: Output, *, everything: bool) -> None:
    out.line(f"{plan.source}: {plan.kind}")
    steps = plan.of(NEW, CHANGED, REVISION)
    for step in steps if everything else steps[:FEW]:
        memory = step.memory
        row = f"  {MARKS[step.does]:<8} {memory.type:<10} {one_line(memory.title)}  ({one_line(step.item.place)})"
        out.line(fit(row, out.width))
        if everything and memory.rejected:
            told = one_line("; ".join(option.option for option in memory.rejected))
            out.line(fit(f"           not: {told}", out.width))
    if len(steps) > FEW and not everything:
        out.line(f"  … and {len(steps) - FEW} more (--all shows them)")
    _rejects(plan, out, everything=everything)
    out.line(_counts(plan))


def _rejects(plan: ImportPlan, out: Output, *, everything: bool) -> None:
    """Line by line; of many with the same reason only the first."""
    many = Counter(each.reason for each in plan.rejected)
    shown: Counter[str] = Counter()
    for each in plan.rejected:
        shown[each.reason] += 1
        if everything or shown[each.reason] <= FEW_REJECTED:
            out.cut(f"  not taken  {each.place}: {each.reason}")
        elif shown[each.reason] == many[each.reason]:
            out.cut(f"  not taken  {many[each.reason] - FEW_REJECTED} more: {each.reason}")


def _counts(plan: ImportPlan) -> str:
    kinds_of = Counter(str(step.memory.type) for step in plan.of(NEW, CHANGED, REVISION))
    parts = [format_count(number, kind) for kind, number in sorted(kinds_of.items())]
    changed = len(plan.of(CHANGED, REVISION))
    head = f"{len(plan.of(NEW))} new, {changed} changed, {len(plan.of(KNOWN))} known, {len(plan.rejected)} not taken"
    secrets = sum(plan.redacted.values())
    tail = f"; {format_count(secrets, 'secret')} or private parts taken out" if secrets else ""
    listed = f" ({', '.join(parts)})" if parts else ""
    return f"{head}{listed}{tail}."


def _finish(plan: ImportPlan, done: ImportResult, out: Output, app: App, *, dry: bool) -> None:
    if out.as_json:
        out.json(_form(plan, done, dry=dry))
    if done.accepted:
        out.line(f"Accepted {format_count(done.accepted, 'memory')}.")
    for candidate, why in done.waiting:
        out.cut(f"  {candidate} waits: {why}")
    if done.written and not done.accepted:
        out.line(f"Imported {format_count(done.written, 'candidate')}. To review: holdfast list --candidates")
    elif dry:
        out.line("A dry run: nothing was written.")
    elif not done.written and not done.accepted:
        out.line("Nothing new.")
    out.notices(app.notices)


def _form(plan: ImportPlan, done: ImportResult, *, dry: bool) -> dict[str, Any]:
    return {
        "from": plan.kind,
        "source": plan.source,
        "dry_run": dry,
        "counts": {does: len(plan.of(does)) for does in (NEW, CHANGED, REVISION, KNOWN)}
        | {"rejected": len(plan.rejected)},
        "items": [_item(step) for step in plan.steps],
        "rejected": [{"place": each.place, "reason": each.reason} for each in plan.rejected],
        "redacted": dict(plan.redacted),
        "conflicts": [],
        "written": [entry.memory.id for entry in done.written],
        "accepted": [{"candidate": each.candidate, "memory": each.entry.memory.id} for each in done.accepted],
        "waiting": [{"candidate": candidate, "reason": why} for candidate, why in done.waiting],
    }


def _item(step: ImportStep) -> dict[str, Any]:
    memory = step.entry.memory if step.does == KNOWN and step.entry else step.memory
    return {
        "does": step.does,
        "id": memory.id,
        "type": str(memory.type),
        "title": memory.title,
        "place": step.item.place,
        "import_id": str(step.memory.extra.get("import_id", "")),
        "supersedes": list(memory.supersedes),
    }


def _list(app: App, out: Output) -> int:
    known = list_importers(app)
    if out.as_json:
        out.json({"kinds": [{"kind": each.name, "reads": each.reads, "lies": each.lies} for each in known]})
    for each in known:
        out.line(f"{each.name}")
        out.line(f"    {each.reads}")
        out.line(f"    usually: {each.lies}")
    out.notices(app.notices)
    return 0


def _look(app: App, out: Output) -> int:
    found = find_importable(app)
    commands = [f"holdfast import {shlex.quote(_shown(app, each.path))} --from {each.kind}" for each in found]
    if out.as_json:
        listed = zip(found, commands, strict=True)
        out.json({"found": [{"kind": each.kind, "path": each.path, "command": command} for each, command in listed]})
    for command in commands:
        out.line(command)
    if found:
        out.line("Each shows what would come before it asks.")
    else:
        out.line("No memory of another tool was found here. holdfast import --list tells what can be read.")
    out.notices(app.notices)
    return 0 if found else 1


def _shown(app: App, path: str) -> str:
    here = os.path.relpath(path, os.getcwd())
    return path if here.startswith("..") or not app.workspace else here
