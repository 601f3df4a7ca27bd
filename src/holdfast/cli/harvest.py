"""holdfast harvest"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from holdfast.cli.common import format_count, open_app, print_remembered
from holdfast.cli.common import parse_count as number
from holdfast.cli.output import Output, one_line
from holdfast.cli.unhooked_lines import ask_whose, describe_unvouched, say_vouched
from holdfast.importers.client_memories import take_client_memories
from holdfast.records.harvest_sessions import (
    HARVESTED,
    HarvestRequest,
    HarvestResult,
    find_harvest_folders,
    harvest_in_background,
    harvest_sessions,
    parse_since,
)
from holdfast.records.vouch_sessions import (
    UnhookedSession,
    UnvouchedSessions,
    decline_sessions,
    find_unvouched,
    read_unvouched,
    take_back_vouching,
)
from holdfast.trust.presence import find_presence
from holdfast.workspace import App, need_person

EXAMPLES = """\
  holdfast harvest                       what is new in this workspace's sessions
  holdfast harvest --recent 5            only the five newest sessions
  holdfast harvest --since 2026-11-01 --client codex
  holdfast harvest --project ../old-name   sessions that ran there, into this workspace
  holdfast harvest --all                 every workspace of this machine, each into its own journal
  holdfast harvest --vouch               sessions that no hook heard are mine: without asking
  holdfast harvest --unvouch 4f2a        this one is not; or those of a folder
  holdfast harvest --dry-run --json
"""
STATUS = (
    "0 read, also when nothing is new · 2 bad request or refused · 3 no workspace · 4 another harvest runs · "
    "6 the disk refuses"
)
BAR = 24
MEGABYTE = 1_000_000
EVERY = 0.2
PLAIN_EVERY = 10.0
SHOWN = 10
SHOWN_JSON = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--recent", type=number, default=0, metavar="N", help="only the N newest sessions")
    parser.add_argument("--since", default="", metavar="DATE", help="only transcripts that changed since then")
    parser.add_argument("--all", action="store_true", help="every workspace of yours on this machine")
    parser.add_argument("--project", default="", metavar="PATH", help="only sessions that ran in this folder or below")
    parser.add_argument("--client", action="append", default=[], choices=HARVESTED, help="only of this client")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--vouch", action="store_true", help="count sessions that no hook heard as yours")
    whose.add_argument("--no-vouch", action="store_true", help="count them as nobody's, and do not ask")
    whose.add_argument("--unvouch", default="", metavar="WHICH", help="take it back for a session or a folder")
    parser.add_argument("--dry-run", action="store_true", help="read and count, write nothing")
    parser.add_argument("--quiet", action="store_true", help="in the background: what hooks missed since `init`")
    parser.add_argument(
        "--workers", type=number, default=0, metavar="N", help="processes that read (default: one a core)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Read the clients' own transcripts into the journal."""
    app = open_app(args, anywhere=args.all)
    if args.quiet:
        harvest_in_background(app)
        return 0
    if args.unvouch:
        return _take_back(app, args.unvouch, out)
    if args.vouch or args.no_vouch:
        need_person(app, "harvest --vouch" if args.vouch else "harvest --no-vouch")
    what = HarvestRequest(
        folders=find_harvest_folders(app, everywhere=args.all, project=args.project),
        clients=tuple(args.client) or HARVESTED,
        since=parse_since(args.since),
        recent=args.recent,
        dry_run=args.dry_run,
        workers=args.workers,
    )
    found = harvest_sessions(app, what, _progress(terminal=sys.stderr.isatty()))
    remembered = [] if args.dry_run else take_client_memories(app)
    _told(found, out, dry_run=args.dry_run)
    print_remembered(remembered, out)
    places = () if args.dry_run else tuple(dict.fromkeys(filter(None, what.folders.values())))
    whose = [_settle_whose(app, workspace, args, out) for workspace in places]
    if out.as_json:
        unheard = [_describe_session(each) for place in whose for each in place.rows]
        strays = [each.path for place in whose for each in place.strays]
        kept = {"remembered": [each.memory.id for each in remembered], "unvouched": unheard, "strays": strays}
        out.json(_form(found, dry_run=args.dry_run) | kept)
    out.notices(app.notices)
    return 0


def _settle_whose(app: App, workspace: str, args: argparse.Namespace, out: Output) -> UnvouchedSessions:
    """Say which sessions no hook heard, and ask once whether they are the user's; those that are left."""
    place = app if workspace == app.workspace else app.open_other(workspace)
    found = find_unvouched(place)
    if args.vouch and found.rows:
        say_vouched(place, found.rows, out)
    elif args.no_vouch and found.asked:
        decline_sessions(place, found.asked)
    elif found.asked and out.asking and not out.as_json and find_presence(place).proven:
        ask_whose(place, found, out)
    elif found.asked:
        for line in describe_unvouched(found):
            out.line(line)
    return read_unvouched(place)


def _take_back(app: App, wanted: str, out: Output) -> int:
    sessions, candidates = take_back_vouching(app, wanted)
    if out.as_json:
        out.json({"sessions": sessions, "candidates": candidates})
    doubted = f", and {format_count(candidates, 'candidate')} with a doubt" if candidates else ""
    out.line(f"Counted as nobody's: {format_count(sessions, 'session')}{doubted}.")
    out.line("What you accepted of them stays: `holdfast list` shows it.")
    return 0


def _describe_session(each: UnhookedSession) -> dict[str, Any]:
    return {
        "session": each.session, "client": each.client, "folder": each.folder, "since": each.since,
        "until": each.until, "words": each.words,
    }  # fmt: skip


def _form(found: HarvestResult, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "files": found.files,
        "read": found.read,
        "unchanged": found.unchanged,
        "left_out": found.left_out,
        "bytes": found.bytes,
        "lines": found.lines,
        "new": found.fresh,
        "known": found.known,
        "purged": found.purged,
        "broken_lines": found.damaged,
        "redacted": dict(found.redacted),
        "refreshed": found.refreshed,
        "seconds": round(found.seconds, 3),
        "events": dict(found.names),
        "sessions": [
            {"workspace": each.workspace, "client": each.client, "session": each.session, "path": each.path}
            for each in found.sessions
        ],
        "broken": [{"path": each.path, "line": each.line, "why": each.why} for each in found.broken],
        "not_read": [{"path": each.path, "why": each.why} for each in found.unread],
    }


def _told(found: HarvestResult, out: Output, *, dry_run: bool) -> None:
    if not found.files and not found.unread:
        out.line("No client has a session of this workspace on disk.")
        return
    size = f"{found.bytes / MEGABYTE:.1f} MB"
    rate = f", {found.bytes / MEGABYTE / found.seconds:.0f} MB/s" if found.bytes > MEGABYTE and found.seconds else ""
    out.line(
        f"{'Would read' if dry_run else 'Read'} {format_count(found.read, 'transcript')} of {found.files} "
        f"({size} in {found.seconds:.1f} s{rate}): {format_count(found.fresh, 'event')} new, "
        f"{found.known} known already."
    )
    if found.names:
        sessions = format_count(len({(each.client, each.session) for each in found.sessions}), "session")
        out.line(f"  {sessions}: " + ", ".join(f"{count} {name}" for name, count in found.names.items()))
    for line in _list_left(found):
        out.line(f"  {line}")
    _told_broken(found, out)
    if found.fresh and not dry_run:
        later = "" if found.refreshed else "; records and search follow in the background"
        out.line(f"See them: holdfast session list{later}")


def _list_left(found: HarvestResult) -> list[str]:
    """What was taken out of the words, and what was not read or not taken, and why."""
    redacted = ", ".join(f"{count} {kind}" for kind, count in found.redacted.items())
    rows = (
        ("redacted while reading", redacted),
        ("unchanged since they were read", found.unchanged),
        ("left out by --since or --recent", found.left_out),
        ("events that were purged, and stay so", found.purged),
    )
    return [f"{what}: {count}" for what, count in rows if count]


def _told_broken(found: HarvestResult, out: Output) -> None:
    for each in found.broken[:SHOWN]:
        out.line(f"broken  {one_line(each.path)}:{each.line}: {one_line(each.why)}")
    if found.damaged > min(SHOWN, len(found.broken)):
        more = found.damaged - min(SHOWN, len(found.broken))
        out.line(
            f"        and {format_count(more, 'line')} more that could not be used; --json lists the first {SHOWN_JSON}"
        )
    for each in found.unread[:SHOWN]:
        out.line(f"not read  {one_line(each.path)}: {one_line(each.why)}")
    if len(found.unread) > SHOWN:
        out.line(f"          and {format_count(len(found.unread) - SHOWN, 'file')} more; --json lists them")


def _progress(*, terminal: bool) -> Callable[[str, int, int], None]:
    """How far it is: a bar for a person, a line now and then for a log; nothing where it takes a moment."""
    begun = time.monotonic()
    shown = begun if not terminal else 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - begun < 1 or not total:
            return
        over = terminal and done >= total
        if now - shown < (EVERY if terminal else PLAIN_EVERY) and not over:
            return
        shown = now
        rate = done / (now - begun)
        left = f"{_time((total - done) / rate)} left" if rate and done < total else "done"
        about = f"{done / MEGABYTE:.0f}/{total / MEGABYTE:.0f} MB  {rate / MEGABYTE:.0f} MB/s  {left}"
        if terminal:
            filled = BAR * done // total
            line = f"\r{what} [{'#' * filled}{'.' * (BAR - filled)}] {100 * done // total:3d} %  {about}   "
            print(line, end="\n" if over else "", file=sys.stderr, flush=True)
        else:
            print(f"{what}: {100 * done // total} %  {about}", file=sys.stderr, flush=True)

    return show


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
