"""holdfast work"""

import argparse
from collections.abc import Mapping
from typing import Any

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.records.work_records import RecordedWork, close_work, find_work, list_works, verify_work

EXAMPLES = """\
  holdfast work                          what was worked on, open units first
  holdfast work show latest              its criteria, files and evidence
  holdfast work done 2026-11-15-0922     a beginning or part of the id is enough
  holdfast work abandon latest
  holdfast work verify latest "tests pass"
  holdfast work verify latest "no new dependency" --failed
"""
STATUS = "0 also when there is none · 2 bad request or refused · 3 no such unit, no workspace · 6 the disk refuses"
MARKS = {"VERIFIED": "x", "FAILED": "!", "PENDING": " "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = ["list", "show", "done", "abandon", "verify"]
    parser.add_argument("verb", nargs="?", default="list", choices=verbs, help="what to do")
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="a unit's id, a part of it, or `latest`")
    parser.add_argument("criterion", nargs="?", default="", help="a criterion's words or id, for `verify`")
    parser.add_argument("--failed", action="store_true", help="with `verify`: it does not hold")
    parser.add_argument("--open", action="store_true", help="only open units")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="how many at most (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show work units, or close one."""
    app = open_app(args)
    if args.verb == "list":
        if args.id:
            raise BadRequest("`holdfast work list` takes no id.", f"to see one: holdfast work show {args.id}")
        _listed(
            [each for each in list_works(app) if not args.open or each.meta.get("status") == "open"], args.limit, out
        )
        out.notices(app.notices)
        return 0
    if not args.id or (args.verb == "verify") != bool(args.criterion):
        raise BadRequest(f"`holdfast work {args.verb}` needs other words.", "`holdfast work --help` has examples.")
    if args.verb == "verify":
        found = verify_work(app, args.id, args.criterion, passed=not args.failed)
    elif args.verb == "show":
        found = find_work(app, args.id)
    else:
        found = close_work(app, args.id, abandoned=args.verb == "abandon")
    _shown(found, out)
    out.notices(app.notices)
    return 0


def _form(found: RecordedWork) -> dict[str, Any]:
    return {**found.meta, "isc": found.isc, "path": found.path}


def _listed(found: list[RecordedWork], limit: int, out: Output) -> None:
    if out.as_json:
        out.json({"work": [{**each.meta, "path": each.path} for each in found[:limit]]})
    for each in found[:limit]:
        meta = each.meta
        out.cut(f"{meta['id']}")
        out.cut(f"    {meta.get('status')} · {_satisfied(meta)}{meta.get('client')} · {meta.get('title')}")
    if len(found) > limit:
        out.line(f"{len(found) - limit} more: -n {len(found)}")
    if not found:
        out.line("No work was captured yet: it begins with a prompt that asks for something to be made or changed.")


def _shown(found: RecordedWork, out: Output) -> None:
    if out.as_json:
        out.json(_form(found))
    meta, isc = found.meta, found.isc
    out.line(f"{meta['id']}")
    out.line(f"  {meta.get('title')}")
    out.line(f"  {meta.get('status')} · {meta.get('effort')} · {_satisfied(meta)}{meta.get('client')}")
    for one in isc.get("criteria", []):
        out.line(f"  [{MARKS.get(str(one.get('status')), ' ')}] {one.get('text')}  ({one.get('id')})")
    for one in isc.get("antiCriteria", []):
        out.line(f"  [not] {one.get('text')}")
    summary = isc.get("current", {}).get("summary") if isinstance(isc.get("current"), Mapping) else ""
    if summary:
        out.line(f"  Last answer: {summary}")
    if meta.get("files"):
        out.line(f"  Files: {', '.join(map(str, meta['files']))}")
    out.line(f"  All of it: .holdfast/{found.path}/")


def _satisfied(meta: Mapping[str, Any]) -> str:
    return f"{meta.get('satisfied', 0)} of {meta['criteria']} criteria · " if meta.get("criteria") else ""
