"""What `holdfast forget` says: the plan before, the proof afterwards."""

from typing import Any

from holdfast.cli.common import format_count
from holdfast.cli.output import Output, one_line
from holdfast.exchange.removal.everywhere import (
    BundleMatch,
    ForgetEverywherePlan,
    ForgetEverywhereResult,
    WorkspaceForgetPlan,
)
from holdfast.vault.entry_json import display_path


def tell(whole: ForgetEverywherePlan, out: Output) -> None:
    """What would go, line by line."""
    for here in whole.here:
        _tell_here(here, out, named=len(whole.here) > 1)
    fate = "stays, as you asked" if whole.asked.keep_bundles else "goes"
    for bundle in whole.holding:
        out.cut(f"bundle: {bundle.place}  holds it, {fate}")
    for _, bundle in whole.bundles:
        if bundle.leaves:
            out.cut(f"bundle: {bundle.place}  {bundle.why}: they {fate.replace('goes', 'go').replace('stays', 'stay')}")
        elif bundle.stands not in {BundleMatch.HOLDS, BundleMatch.CLEAN} and not bundle.is_begun:
            out.cut(f"bundle: {bundle.place}  {bundle.stands}: {bundle.why}")
    if whole.database and not whole.database.empty:
        rows = ", ".join(f"{table} {count}" for table, count in whole.database.found.items())
        out.cut(f"database: {rows or 'no rows'}")
        for name in whole.database.people:
            out.cut(f"database: the person {name!r}, with what is theirs alone")
    for server in whole.servers:
        told = server.counts
        said = f"{format_count(told.get('memories', ()), 'memory')}, {format_count(told.get('events', 0), 'event')}"
        words = "is told the words after your yes, and purges" if server.asks else server.not_asked
        out.cut(f"server {server.name}: {server.failed or words or said}")
    for each in whole.missed:
        out.cut(f"{each.place}: {each.why}")
    tell_vanished(whole, out)


def tell_vanished(whole: ForgetEverywherePlan, out: Output) -> None:
    """The workspaces that are no more, and so were not searched."""
    for each in whole.vanished:
        out.line(f"workspace {each.id}: {one_line(each.path)} is gone, and was not searched.")
        out.line("  Its registration goes. Was it moved? Run a command there, then this again.")


def _tell_here(here: WorkspaceForgetPlan, out: Output, *, named: bool) -> None:
    plan = here.plan
    told = {*plan.records, *(entry.path for entry in plan.entries)}
    beside = [] if plan.entries or plan.events else [path for path in here.beside if path not in told]
    if plan.empty and not beside:
        return
    if named:
        out.cut(f"{here.name}:")
    for entry in plan.entries:
        out.cut(f"{entry.memory.id}  {entry.memory.title}  ({display_path(here.app, entry)})")
    for record in plan.events:
        out.cut(f"{record.id}  event of {record.ts}")
    for _, line in plan.log_lines:
        out.cut(f"log: {line}")
    for path in plan.records:
        out.cut(f"record: {path}")
    for path in beside:
        out.cut(f"file: {path}")


def report(outcome: ForgetEverywhereResult, out: Output) -> None:
    """What was done, and the proof."""
    if out.as_json:
        out.json(form(outcome))
        return
    plans = [here.plan for here in outcome.whole.here]
    counts = [
        format_count([e for plan in plans for e in plan.entries], "memory"),
        format_count([e for plan in plans for e in plan.events], "event"),
        format_count([line for plan in plans for line in plan.log_lines], "log line"),
    ]
    records = [path for plan in plans for path in plan.records]
    counts += [format_count(records, "record")] if records else []
    out.line(f"Forgotten: {', '.join(counts)}.")
    if outcome.proofs:
        _prove(outcome, out)


def _prove(outcome: ForgetEverywhereResult, out: Output) -> None:
    files = sum(proof.files for _, proof in outcome.proofs)
    size = sum(proof.size for _, proof in outcome.proofs)
    found = [path for _, proof in outcome.proofs for path in proof.found]
    out.line(f"Proof: searched {format_count(files, 'file')}, {size} bytes; found in {len(found)}.")
    if outcome.database and outcome.database.name:
        seen = outcome.database
        swept = "" if seen.swept else " (VACUUM is for the tables' owner)"
        out.line(
            f"Proof: searched {format_count(seen.rows, 'row')} of {format_count(seen.tables, 'table')} in the "
            f"database, {seen.size} bytes; found in {sum(seen.found.values())}{swept}."
        )
    for server in outcome.servers:
        if not server.failed:
            told = server.counts
            out.line(
                f"Proof: server {server.name} searched {format_count(told.get('files', 0), 'file')}, "
                f"{told.get('size', 0)} bytes; found in {len(told.get('found', ()))}."
            )
    if outcome.looked or outcome.removed or outcome.parts:
        still = [bundle for bundle in outcome.kept if bundle.stands is BundleMatch.HOLDS or bundle.leaves]
        gone = f"removed {format_count(outcome.removed, 'bundle')} that held it; " if outcome.removed else ""
        out.line(f"Proof: {gone}looked into {format_count(outcome.looked, 'bundle')} now; found in {len(still)}.")
    for place in outcome.rewritten:
        out.line(f"  fresh backup  {place}")
    for place in outcome.removed:
        out.line(f"  removed       {place}")
    for place, number in outcome.parts:
        out.line(f"  removed       {format_count(number, 'part')} of an upload that was cut short: {place}")
    for bundle in outcome.kept:
        held = "kept as you asked; it still holds it" if outcome.whole.asked.keep_bundles else "it still holds it"
        why = held if bundle.stands is BundleMatch.HOLDS else bundle.why
        out.line(f"  {bundle.stands:<12}  {bundle.place}: {why}")
    for reason in outcome.unreachable:
        out.line(f"Out of reach: {reason}.")


def form(outcome: ForgetEverywhereResult) -> dict[str, Any]:
    """The same for programs."""
    plans = [here.plan for here in outcome.whole.here]
    proofs = [proof for _, proof in outcome.proofs]
    shown = {
        "files": sum(proof.files for proof in proofs), "bytes": sum(proof.size for proof in proofs),
        "found": list(outcome.found),
    }  # fmt: skip
    return {
        "forgotten": [entry.memory.id for plan in plans for entry in plan.entries],
        "events": [record.id for plan in plans for record in plan.events],
        "log_lines": sum(len(plan.log_lines) for plan in plans),
        "records": [path for plan in plans for path in plan.records],
        "purged": bool(proofs),
        "proof": shown if proofs else None,
        "places": [here.name for here in outcome.whole.here],
        "database": _database(outcome),
        "servers": [
            {"name": each.name, "failed": each.failed, "untold": each.not_asked, **each.counts}
            for each in outcome.servers
        ],
        "bundles": {
            "looked": outcome.looked, "renewed": list(outcome.rewritten), "removed": list(outcome.removed),
            "parts": [{"place": place, "parts": number} for place, number in outcome.parts],
            "left": [{"place": each.place, "stands": str(each.stands), "why": each.why} for each in outcome.kept],
        },
        "unreachable": list(outcome.unreachable),
        "missed": [{"place": each.place, "why": each.why} for each in outcome.missed],
        "vanished": [each.path for each in outcome.whole.vanished],
    }  # fmt: skip


def _database(outcome: ForgetEverywhereResult) -> dict[str, Any] | None:
    seen = outcome.database
    if seen is None:
        return None
    return {
        "team": seen.name, "tables": seen.tables, "rows": seen.rows, "bytes": seen.size, "found": dict(seen.found),
        "people": list(seen.people), "swept": seen.swept,
    }  # fmt: skip
