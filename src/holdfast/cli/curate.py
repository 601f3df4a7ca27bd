"""holdfast curate"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from holdfast.cli.common import entry_line, format_count, open_app, parse_count
from holdfast.cli.output import Output, count_columns, fit, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Scope
from holdfast.curator.curate import (
    CRON,
    SURE,
    SYSTEMD,
    AppliedCuration,
    CurationFinding,
    CurationReport,
    CurationRequest,
    FindingKind,
    FixPlan,
    MemoryCreation,
    MemoryRewrite,
    SkippedFinding,
    VaultHealth,
    apply_findings,
    choose_findings,
    choose_sure_findings,
    curate,
    curate_again,
    curation_json,
    dismiss_findings,
    fields_of,
    propose_findings,
    render_curate_schedule,
)
from holdfast.workspace import App

EXAMPLES = """\
  holdfast curate                              what needs attention, with plans to fix it
  holdfast curate --kind duplicates            only some kinds
  holdfast curate --apply F7K2MQ F0QX3A=renew  carry out some plans; `holdfast undo` takes it back
  holdfast curate --apply-all                  every plan that is clear and sure
  holdfast curate --kind stale --apply-all --way renew
  holdfast curate --dismiss F9TT1A             it is fine as it is
  holdfast curate --since 2026-11-01 --json    what changed recently, for a script
  holdfast curate --propose                    for a timetable: proposes, and changes no memory
  holdfast curate --schedule cron              the line for your crontab
"""
STATUS = (
    "0 nothing needs attention, or it was done as asked · 1 findings, or one that was named is left · 2 bad request or "
    "refused · 3 no such finding, no workspace · 4 a file changed meanwhile · 5, 6 could not look"
)
SHOWN = 30
OF_EACH = 5
FEW_LEFT = 8
MOST_JSON = 1000
LONGEST_LIST = 6
LONGEST_DIFF = 8
HIDDEN = ("updated", "status", "valid_until", "because")
TITLES = {
    FindingKind.CONFLICTS: "Conflicts: following both is not possible",
    FindingKind.STALE: "Stale: does it still hold?",
    FindingKind.DUPLICATES: "Duplicates: one is enough",
    FindingKind.EVIDENCE: "Evidence: what speaks for it?",
    FindingKind.DEPRECATIONS: "Deprecations: over, and not marked so",
    FindingKind.CONSOLIDATIONS: "Consolidations: several learnings, one subject",
    FindingKind.ORPHANS: "Orphans: links to nothing, candidates nobody looks at",
    FindingKind.OVER_LONG: "Over-long: agents pay for each word",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    look = parser.add_argument_group("what to look at")
    look.add_argument(
        "--kind", action="append", default=[], choices=[str(kind) for kind in FindingKind], metavar="KIND",
        help=f"only this kind: {', '.join(FindingKind)}",
    )  # fmt: skip
    look.add_argument("--since", default="", metavar="DATE", help="only memories that changed since then")
    look.add_argument(
        "--scope", default="", choices=[str(scope) for scope in Scope], help="the workspace's memory, or your own"
    )
    look.add_argument("--model", action="store_true", help="let the model write consolidations and shorter texts")
    do = parser.add_argument_group("what to do").add_mutually_exclusive_group()
    do.add_argument("--apply", nargs="+", default=[], metavar="F[=WAY]", help="carry out these plans")
    do.add_argument("--apply-all", action="store_true", help=f"carry out every plan that is {SURE} sure or more")
    do.add_argument("--dismiss", nargs="+", default=[], metavar="F", help="not again, until its memories change")
    do.add_argument("--propose", action="store_true", help="leave proposals for review; changes no memory")
    do.add_argument("--schedule", choices=(CRON, SYSTEMD), default="", help="print what runs --propose every week")
    parser.add_argument("--way", default="", metavar="WAY", help="with --apply-all: this way wherever there is it")
    parser.add_argument("--min-sure", type=_share, default=SURE, metavar="P", help="with --apply-all: from here on")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=0, metavar="N", help=f"how many to show (default: {SHOWN})"
    )
    parser.add_argument("--page", type=parse_count, default=1, metavar="N", help="the next ones")


def run(args: argparse.Namespace, out: Output) -> int:
    """Look after memory."""
    app = open_app(args, anywhere=True)
    if args.schedule:
        return _schedule(app, args.schedule, out)
    care = CurationRequest(
        kinds=tuple(map(FindingKind, args.kind)), since=args.since, scope=args.scope, model=args.model
    )
    if args.propose:
        status = _propose(app, care, out)
    else:
        named = [*args.apply, *args.dismiss]
        curation = curate_again(app, care, named) if named else curate(app, care)
        status = _act(app, curation, args, out)
    out.notices(app.notices)
    return status


def _act(app: App, curation: CurationReport, args: argparse.Namespace, out: Output) -> int:
    if args.apply:
        done = apply_findings(app, curation, choose_findings(curation, args.apply))
        _applied(done, out)
        return 1 if done.left else 0
    if args.apply_all:
        plans, left = choose_sure_findings(curation, args.min_sure, args.way)
        _applied(apply_findings(app, curation, plans, left), out)
        return 0
    if args.dismiss:
        return _dismissed(dismiss_findings(app, curation, args.dismiss), out)
    most = args.limit or (MOST_JSON if out.as_json else SHOWN)
    first = (args.page - 1) * most
    if first and first >= len(curation.findings):
        raise BadRequest(f"There is no page {args.page}: {format_count(curation.findings, 'finding')} in all.")
    if out.as_json:
        out.json(curation_json(curation, first, most))
        return 1 if curation.findings else 0
    asked = args.limit or args.page > 1 or curation.care.kinds
    page = curation.findings[first : first + most] if asked else _some_of_each(curation.findings)
    _show(curation, page, out)
    _end(app, curation, first, len(page) if asked else 0, out)
    return 1 if curation.findings else 0


def _some_of_each(findings: Sequence[CurationFinding]) -> list[CurationFinding]:
    """The first few of each kind: one kind that is full shall not hide the others."""
    return [found for _, group in groupby(findings, key=lambda found: found.kind) for found in islice(group, OF_EACH)]


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"takes a number from 0 to 1, not {text!r}")
    return found


# What is shown


def _show(curation: CurationReport, page: Sequence[CurationFinding], out: Output) -> None:
    if curation.care.whole:
        _health(curation, out)
    for kind, group in groupby(page, key=lambda found: found.kind):
        shown, total = list(group), sum(1 for found in curation.findings if found.kind is kind)
        out.line(f"\n{TITLES[kind]} ({total})")
        for found in shown:
            _finding(found, curation, out)
        if len(shown) < total and not curation.care.kinds:
            out.line(f"\n… {total - len(shown)} more: holdfast curate --kind {kind}")


def _health(curation: CurationReport, out: Output) -> None:
    found: VaultHealth | None = curation.health
    if found is None:
        out.line("No memories yet, so there is nothing to look after.")
        return
    out.line(f"Health {found.score} of 100 ({format_count(found.memories, 'memory')})")
    for part in found.parts:
        if part.findings:
            lost = part.of - part.points
            what = f"{part.kind:<15} {part.points:>4.1f} of {part.of:<2}"
            _columns(f"  {what}  +{lost:<4.1f} {part.mend} ({format_count(part.findings, 'finding')})", out)


def _columns(text: str, out: Output) -> None:
    """A line of a table, cut to the terminal's width; its columns stay."""
    out.line(fit(text, out.width))


def _finding(found: CurationFinding, curation: CurationReport, out: Output) -> None:
    out.line()
    _wrapped(f"{found.id}: {one_line(found.reason)}" + ("" if found.sure == 1 else f" ({found.sure:.2f} sure)"), out)
    for name in found.ids[:LONGEST_LIST]:
        entry = curation.entries.get(name)
        out.line(entry_line(entry, out, before="  ") if entry else f"  {name}")
    if len(found.ids) > LONGEST_LIST:
        out.line(f"  … and {len(found.ids) - LONGEST_LIST} more")
    for way in found.ways:
        _way(found, way, out)
    for hint in found.hints:
        _wrapped(f"  or: {hint}" if found.ways else f"  {hint}", out)


def _way(found: CurationFinding, way: FixPlan, out: Output) -> None:
    name = found.id if way.name == found.default else f"{found.id}={way.name}"
    out.cut(f"  --apply {name}: {way.about}")
    lines = list(_diff(found, way))
    for line in lines[:LONGEST_DIFF]:
        out.cut(f"    {line}")
    if len(lines) > LONGEST_DIFF:
        out.line(f"    … and {format_count(len(lines) - LONGEST_DIFF, 'line')} more (--json has them)")


def _diff(found: CurationFinding, way: FixPlan) -> Iterator[str]:
    """A plan as lines: what goes after a minus, what comes after a plus. Memories that end alike share their lines."""
    ends: dict[tuple[str, str], list[str]] = {}
    for change in way.changes:
        if isinstance(change, MemoryCreation):
            yield f"+ {change.memory.id} {one_line(change.memory.title)}"
            yield from (f"+   {one_line(line)}" for line in change.memory.body.splitlines() if line.strip())
            continue
        if (state := _state(found, change)) is not None:
            ends.setdefault(state, []).append(change.before.id)
        for name, (before, after) in fields_of(change).items():
            if name not in HIDDEN:
                yield from _field(change.before.id, name, before, after)
        if set(fields_of(change)) == {"updated"}:
            yield f"+ {change.before.id} updated: now"
    for (before, after), ids in ends.items():
        some = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
        yield f"- {some}: {before}"
        yield f"+ {some}: {after}"


def _state(found: CurationFinding, change: MemoryRewrite) -> tuple[str, str] | None:
    """How a change ends a memory, in one line before and one after; None where it does not."""
    before, after = change.before, change.after
    if (before.status, before.valid_until) == (after.status, after.valid_until):
        return None
    until = f" until {after.valid_until}" if after.valid_until else ""
    because = f" ({one_line(after.because)})" if after.because and after.because not in found.reason else ""
    return (
        f"{before.status}{f' until {before.valid_until}' if before.valid_until else ''}",
        f"{after.status}{until}{because}",
    )


def _field(memory_id: str, name: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, list) or isinstance(after, list):
        old, new = before or [], after or []
        yield from (f"- {memory_id} {name}: {_said(each)}" for each in old if each not in new)
        yield from (f"+ {memory_id} {name}: {_said(each)}" for each in new if each not in old)
        return
    if name == "body":
        old, new = str(before or "").splitlines(), str(after or "").splitlines()
        yield from (f"- {memory_id} {one_line(each)}" for each in old if each.strip() and each not in new)
        yield from (f"+ {memory_id} {one_line(each)}" for each in new if each.strip() and each not in old)
        return
    if before:
        yield f"- {memory_id} {name}: {_said(before)}"
    if after:
        yield f"+ {memory_id} {name}: {_said(after)}"


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return one_line(", ".join(f"{name} {_short(each)}" for name, each in value.items() if name != "marks"))
    return one_line(str(value))


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:8]}…" if len(text) == 64 else text


def _wrapped(text: str, out: Output) -> None:
    """A line broken at the terminal's width, so that no reason and no command is cut; its indent stays."""
    line = text[: len(text) - len(text.lstrip(" "))]
    begun = False
    for word in text.split():
        if begun and count_columns(line) + 1 + count_columns(word) > out.width:
            out.line(line)
            line, begun = " " * 8, False
        line, begun = f"{line} {word}" if begun else f"{line}{word}", True
    out.line(fit(line, out.width))


def _end(app: App, curation: CurationReport, first: int, shown: int, out: Output) -> None:
    total = len(curation.findings)
    if not total:
        if curation.health or not curation.care.whole:
            out.line("Nothing needs attention.")
        return
    out.line()
    if 0 < shown < total - first:
        out.line(f"{first + 1} to {first + shown} of {total}; --page {first // shown + 2} has the next.")
    if app.client:
        out.line("A person applies plans, in a terminal of their own.")
        return
    clear, _ = choose_sure_findings(curation)
    type_ = _typed(curation)
    out.line(f"{type_} --apply ID[=WAY] …   carries out plans; `holdfast undo` takes them back")
    if clear:
        out.line(f"{type_} --apply-all          carries out what is clear and sure ({len(clear)})")
    out.line(f"{type_} --dismiss ID …       it is fine as it is")


def _typed(curation: CurationReport) -> str:
    """The command that sees the same findings."""
    scope = f" --scope {curation.care.scope}" if curation.care.scope else ""
    return f"holdfast curate{scope}{' --model' if curation.care.model else ''}"


# What is done


def _applied(done: AppliedCuration, out: Output) -> None:
    if out.as_json:
        out.json({
            "applied": [{"id": f.id, "kind": f.kind, "ids": list(f.ids)} for f in done.done],
            "left": [{"id": left.finding.id, "kind": left.finding.kind, "why": left.why} for left in done.left],
            "changed": list(done.ids),
        })  # fmt: skip
    for found in done.done:
        _wrapped(f"{found.id} done: {one_line(found.reason)}", out)
    if not done.done:
        out.line("Nothing was applied.")
    _left(done.left, out)
    if done.done:
        out.line(f"{format_count(len(done.ids), 'file')} changed; `holdfast undo` takes it back.")


def _left(left: Sequence[SkippedFinding], out: Output) -> None:
    """What was left: each by itself, or counted where there is much of it."""
    if len(left) <= FEW_LEFT:
        for each in left:
            out.cut(f"{each.finding.id}  left ({each.why}): {each.finding.reason}")
        return
    for why, number in Counter(each.why for each in left).most_common():
        out.line(f"{number} left: {why}")
    out.line("`holdfast curate` shows them.")


def _dismissed(found: Sequence[CurationFinding], out: Output) -> int:
    if out.as_json:
        out.json({"dismissed": [each.id for each in found]})
    for each in found:
        out.cut(f"{each.id}  dismissed: {each.reason}")
    return 0


def _propose(app: App, care: CurationRequest, out: Output) -> int:
    done = propose_findings(app, care)
    if out.as_json:
        out.json({
            "candidates": [entry.memory.id for entry in done.candidates],
            "findings": len(done.curation.findings),
            "score": done.curation.health.score if done.curation.health else None,
        })  # fmt: skip
    for entry in done.candidates:
        out.line(entry_line(entry, out))
    found = format_count(done.curation.findings, "finding")
    out.line(f"{format_count(done.candidates, 'candidate')} proposed; {found} to look at: holdfast curate")
    return 0


def _schedule(app: App, how: str, out: Output) -> int:
    beside = os.path.join(os.path.dirname(sys.executable), "holdfast")
    text = render_curate_schedule(app, how, beside if os.path.exists(beside) else "holdfast")
    if out.as_json:
        out.json({"schedule": how, "text": text})
    out.line(text.rstrip("\n"))
    return 0
