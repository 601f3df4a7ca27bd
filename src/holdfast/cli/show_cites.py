"""holdfast show --cites"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.recall.citations.citation_status import (
    CitationDrift,
    CitationState,
    CitedMemory,
    check_citations,
    drift_json,
)
from holdfast.review.fix_citations import FixedCitation, accept_changed_code, drop_citations, fix_citations
from holdfast.workspace import App

EXAMPLES = """\
  holdfast show --cites                           how the code that memories cite stands now
  holdfast show --cites --drifted                 only what moved, changed or is gone
  holdfast show DEC-7K2MQ4 --cites --fix          write down where moved code stands now; without an id, of all
  holdfast show DEC-7K2MQ4 --cites --accept       you looked: the memory still holds for the code as it is now
  holdfast show DEC-7K2MQ4 --cites --drop         take out what cites code that is gone
  holdfast show --cites --json | jq -r '.cites[] | select(.state == "changed") | .id'
"""
STATUS = (
    "0 all stands, or was fixed · 1 some moved, changed or is gone · 2 bad request or refused · 3 no such id · "
    "4 changed meanwhile · 5, 6 could not look"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="memories or candidates (default: all that cite code)")
    parser.add_argument("--drifted", action="store_true", help="leave out what stands as it stood")
    what = parser.add_argument_group("what to do about it (`holdfast undo` takes it back)")
    verbs = what.add_mutually_exclusive_group()
    verbs.add_argument("--fix", action="store_true", help="write down where moved code stands now")
    verbs.add_argument("--accept", action="store_true", help="take changed code as it is now, of these ids")
    verbs.add_argument("--drop", action="store_true", help="take out citations of code that is gone, of these ids")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show how cited code stands, and bring citations in step with it."""
    if (args.accept or args.drop) and not args.ids:
        raise BadRequest("--accept and --drop are for memories that you looked at.", "name their ids.")
    app = open_app(args)
    mended = _mend(app, args)
    found = check_citations(app, args.ids)
    if out.as_json:
        out.json({"cites": _rows(found, drifted=args.drifted), "mended": [_mended_json(one) for one in mended]})
    for one in mended:
        out.line(f"{one.id}  {_place(one)}")
    _print(found, out, drifted=args.drifted)
    out.notices(app.notices)
    return 1 if any(each.has_drifted for each in found) else 0


def _mend(app: App, args: argparse.Namespace) -> list[FixedCitation]:
    if args.fix:
        return fix_citations(app, args.ids)
    if args.accept:
        return accept_changed_code(app, args.ids)
    return drop_citations(app, args.ids) if args.drop else []


def _rows(found: list[CitedMemory], *, drifted: bool) -> list[dict[str, object]]:
    return [
        {"id": each.entry.memory.id, **drift_json(drift)}
        for each in found
        for drift in each.drifts
        if not drifted or drift.state is not CitationState.INTACT
    ]


def _mended_json(one: FixedCitation) -> dict[str, object]:
    before = {"path": one.before.path, "lines": one.before.lines}
    return {
        "id": one.id,
        "before": before,
        "after": {"path": one.after.path, "lines": one.after.lines} if one.after else None,
    }


def _place(one: FixedCitation) -> str:
    before = f"{one.before.path}:{one.before.lines}" if one.before.lines else one.before.path
    if one.after is None:
        return f"{before} taken out"
    after = f"{one.after.path}:{one.after.lines}" if one.after.lines else one.after.path
    return f"{before} → {after}" if after != before else f"{before} as it is now"


def _print(found: list[CitedMemory], out: Output, *, drifted: bool) -> None:
    shown = [each for each in found if not drifted or any(d.state is not CitationState.INTACT for d in each.drifts)]
    for each in shown:
        out.cut(f"{each.entry.memory.id}  {one_line(each.entry.memory.title)}")
        for drift in each.drifts:
            if not drifted or drift.state is not CitationState.INTACT:
                out.line(f"    {state_words(drift)}")
    states = [drift.state for each in found for drift in each.drifts]
    told = ", ".join(f"{states.count(state)} {state}" for state in CitationState if state in states)
    out.line(f"{format_count(states, 'citation')}: {told}." if states else "No memory cites code.")
    if CitationState.MOVED in states:
        out.line("holdfast show --cites --fix writes down where moved code stands now.")
    if CitationState.CHANGED in states:
        out.line("holdfast show ID --cites --accept takes changed code as it is, when the memory still holds.")


def state_words(drift: CitationDrift) -> str:
    """A citation on one line: where, its state, and where it stands now."""
    cite = drift.citation
    place = one_line(f"{cite.path}:{cite.lines}" if cite.lines else cite.path)
    words = f"{place}  {drift.state}"
    match drift.state:
        case CitationState.MOVED:
            return f"{words} to {one_line(drift.place)}"
        case CitationState.CHANGED:
            now = f", now {one_line(drift.place)}" if drift.place not in {"", place} else ""
            kept = f" ({drift.kept} of {format_count(drift.of, 'line')} left)" if drift.of else ""
            return f"{words}{now}{kept}"
        case _:
            return f"{words}: {one_line(drift.why)}" if drift.why else words
