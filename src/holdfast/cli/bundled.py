"""What `holdfast import` says of a bundle."""

import argparse
from collections import Counter
from typing import Any

from holdfast.cli.common import format_count
from holdfast.cli.output import Output, fit, one_line
from holdfast.core.errors import BadRequest
from holdfast.exchange.bundles.bundle_places import open_source
from holdfast.exchange.bundles.export_import import (
    CANDIDATE,
    DROPPED,
    FORGOTTEN,
    FORWARD,
    KEPT,
    KNOWN,
    NEW,
    NEWER,
    REJECTED,
    BundleImportResult,
    BundleStep,
    keys_from,
    open_import,
)
from holdfast.exchange.bundles.passphrases import read_identities, read_passphrase
from holdfast.workspace import App

FEW = 20
MEMORY_KINDS = ("memory", "candidate", "candidates")
WORDS = {
    NEW: "new", FORWARD: "changed", NEWER: "changed", CANDIDATE: "candidate", DROPPED: "goes",
    FORGOTTEN: "not taken", REJECTED: "not taken", KEPT: "stays",
}  # fmt: skip
COUNTED = {
    "new": (NEW,), "changed": (FORWARD, NEWER), "candidates": (CANDIDATE,), "known": (KNOWN,), "dropped": (DROPPED,),
    "kept": (KEPT,), "rejected": (REJECTED, FORGOTTEN),
}  # fmt: skip


class ImportNotConfirmed(BadRequest):
    """Nobody said yes."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was imported: it was not confirmed.",
            "run it in a terminal, or with --yes; --dry-run only shows what would come.",
        )


def run_bundle(app: App, args: argparse.Namespace, out: Output) -> int:
    """Bring in a bundle."""
    keys = keys_from(app, read_identities(args.identity), read_passphrase(args.passphrase_file))
    with open_source(app, args.source) as (data, place), open_import(app, data, keys, mine=args.mine) as bundle:
        found = bundle.found
        table(found, place, out, everything=args.everything)
        if not args.dry_run:
            if not args.yes and not out.confirm("Import this?"):
                raise ImportNotConfirmed
            found = bundle.go()
    finish(found, place, out, dry=args.dry_run)
    out.notices(app.notices)
    return 0


def table(found: BundleImportResult, place: str, out: Output, *, everything: bool = False) -> None:
    """What a bundle brings, line by line."""
    manifest = found.manifest
    whose = "your own" if found.proven else "not proven to be yours: its memories wait for your review"
    out.cut(f"{place}: a bundle of {manifest.workspace.get('name', '?')}, {manifest.created}")
    out.line(f"  {whose}")
    shown = [step for step in found.plan.steps if step.does != KNOWN and (everything or step.kind in MEMORY_KINDS)]
    for step in shown if everything else shown[:FEW]:
        out.line(fit(_line(step), out.width))
    if len(shown) > FEW and not everything:
        out.line(f"  … and {len(shown) - FEW} more (--all shows them)")
    out.line(f"{_counts(found)}.")


def _line(step: BundleStep) -> str:
    name = step.candidate or step.id
    title = f"  {one_line(step.title)}" if step.title else ""
    reason = f"  ({one_line(step.reason)})" if step.reason else ""
    return f"  {WORDS[step.does]:<10} {one_line(name)}{title}{reason}"


def _counts(found: BundleImportResult) -> str:
    memory = Counter(step.does for step in found.plan.steps if step.kind in MEMORY_KINDS)
    others = Counter(step.does for step in found.plan.steps if step.kind not in MEMORY_KINDS)
    numbers = {word: sum(memory[does] for does in kinds) for word, kinds in COUNTED.items()}
    told = ", ".join(
        format_count(number, "candidate") if word == "candidates" else f"{number} {word}"
        for word, number in numbers.items()
        if number
    )
    records = sum(others[does] for does in (NEW, FORWARD, NEWER))
    stays = others[KEPT]
    parts = [
        f"memory: {told or 'nothing'}",
        f"records: {records} written" + (f", {stays} stay as here" if stays else ""),
    ]
    events = found.manifest.counts.get("events", 0) if found.plan.journals else 0
    return "; ".join([*parts, *([f"{format_count(events, 'event')} in it"] if events else [])])


def finish(found: BundleImportResult, place: str, out: Output, *, dry: bool) -> None:
    """What was done, or would be."""
    if out.as_json:
        out.json(form(found, place, dry=dry))
    if dry:
        out.line("A dry run: nothing was written.")
        return
    plan = found.plan
    events = f", with {format_count(found.events, 'new event')}" if found.events else ""
    word = f"Imported{events}." if plan.changes or plan.records or events else "Nothing new."
    out.line(word + (" To review: holdfast list --candidates" if plan.of(CANDIDATE) else ""))
    for path in found.skipped:
        out.cut(f"  left alone  {path}: it changed meanwhile; import again")


def form(found: BundleImportResult, place: str, *, dry: bool) -> dict[str, Any]:
    """A bundle and what became of it, for programs."""
    manifest, plan = found.manifest, found.plan
    items = [step for step in plan.steps if step.kind in MEMORY_KINDS]
    return {
        "from": "bundle",
        "source": place,
        "dry_run": dry,
        "bundle": {
            "id": manifest.id, "created": manifest.created, "workspace": dict(manifest.workspace),
            "sha256": found.sha256, "bytes": found.size, "ours": found.proven,
        },
        "counts": {word: sum(step.does in kinds for step in items) for word, kinds in COUNTED.items()},
        "records": dict(Counter(step.does for step in plan.steps if step.kind not in MEMORY_KINDS)),
        "events": manifest.counts.get("events", 0) if plan.journals else 0,
        "new_events": None if dry else found.events,
        "items": [
            {"does": step.does, "id": step.id, "scope": step.scope, "title": step.title, "candidate": step.candidate}
            for step in items
        ],
        "conflicts": [
            {"id": step.id, "candidate": step.candidate, "reason": step.reason} for step in plan.of(CANDIDATE)
        ],
        "rejected": [
            {"id": step.id, "kind": step.kind, "reason": step.reason} for step in plan.of(REJECTED, FORGOTTEN, KEPT)
        ],
        "skipped": list(found.skipped),
    }  # fmt: skip
