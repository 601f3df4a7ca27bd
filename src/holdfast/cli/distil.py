"""holdfast distil"""

import argparse
from contextlib import suppress
from typing import Any

from holdfast.cli.common import format_count, open_app, print_remembered
from holdfast.cli.output import Output, one_line
from holdfast.core.distilled import Distilled
from holdfast.core.errors import HoldfastError
from holdfast.distil.distil import DONE, FAILED, DistilJob, DistilResult, DistilRunning, choose_jobs, preview_session
from holdfast.exchange.sync.team_servers import sync_quietly
from holdfast.exchange.team.team_places import sync_team_quietly
from holdfast.importers.client_memories import take_client_memories
from holdfast.records.harvest_sessions import harvest_in_background
from holdfast.review.auto_accept import distil_and_accept
from holdfast.workspace import App

EXAMPLES = """\
  holdfast distil                        what waits: sessions that are over and were not distilled yet
  holdfast distil 4f2a --dry-run         what a session would give, by rules; nothing is written
  holdfast distil 4f2a                   one session now, also while it is open
  holdfast distil --retry                also those that failed three times
  holdfast distil --all                  every session again; nothing is proposed twice
  holdfast distil --code                 no session: how the code base is written, as patterns
"""
STATUS = "0 distilled, or nothing waits · 1 some failed · 2 bad request · 3 no such session · 6 another is at it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("sessions", nargs="*", metavar="SESSION", help="the beginning of a session's id")
    parser.add_argument("--all", action="store_true", help="every session, also those that are done")
    parser.add_argument("--retry", action="store_true", help="also what failed too often")
    parser.add_argument("--dry-run", action="store_true", help="show what rules would make of it")
    parser.add_argument("--quiet", action="store_true", help="say nothing; end at once where another process is at it")


def run(args: argparse.Namespace, out: Output) -> int:
    """Distil finished sessions: summary, briefing, lineage, candidates."""
    app = open_app(args)
    if args.quiet:
        return _quietly(app)
    chosen = choose_jobs(app, args.sessions, again=args.retry, everything=args.all)
    if args.dry_run:
        return _preview(app, chosen, out)
    done = []
    for each in distil_and_accept(app, chosen) if chosen else ():
        done.append(each)
        _print(each, out)
        if app.progress:
            app.progress("sessions", len(done), len(chosen))
    remembered = take_client_memories(app)
    if out.as_json:
        out.json({"sessions": [_json(each) for each in done], "remembered": [each.memory.id for each in remembered]})
    elif not chosen:
        out.line("Nothing waits.")
    print_remembered(remembered, out)
    fresh = sum(len(each.fresh) for each in done) + len(remembered)
    if fresh:
        out.line(f"{format_count(fresh, 'candidate')} to review: `holdfast list --candidates`.")
    out.notices(app.notices)
    return 1 if any(each.job.state == FAILED for each in done) else 0


def _quietly(app: App) -> int:
    """Behind the user's back: politely, and again for what came meanwhile."""
    harvest_in_background(app)
    chosen = choose_jobs(app)
    seen: set[str] = set()
    with suppress(DistilRunning):
        while chosen:
            seen |= {each.job.session for each in distil_and_accept(app, chosen)}
            app.refresh()
            chosen = [job for job in choose_jobs(app) if job.session not in seen]
    with suppress(HoldfastError, OSError):
        take_client_memories(app)
    # What was captured and accepted here goes to the team's server, where there is one that answers.
    sync_quietly(app)
    sync_team_quietly(app)
    return 0


def _preview(app: App, chosen: list[DistilJob], out: Output) -> int:
    found = [(job, preview_session(app, job)) for job in chosen]
    if out.as_json:
        out.json({"sessions": [{"session": job.session, **_made(made)} for job, made in found]})
    for job, made in found:
        out.line(f"{job.session}  {job.row.client}, {format_count(job.row.events, 'event')}, {job.state}")
        _print_made(made, out)
    if not found:
        out.line("Nothing waits.")
    return 0


def _print(done: DistilResult, out: Output) -> None:
    job = done.job
    if job.state == FAILED:
        out.line(f"{job.session}  failed: {one_line(job.reason)}")
        return
    out.line(f"{job.session}  {job.run or 'nobody said anything'}")
    _print_made(done.distilled, out, fresh=done.fresh)


def _print_made(made: Distilled | None, out: Output, fresh: tuple[str, ...] | None = None) -> None:
    if made is None:
        return
    if made.summary.title:
        out.cut(f"    {made.summary.title}")
    for memory in made.candidates:
        known = "" if fresh is None or memory.id in fresh else " (known)"
        out.cut(f"    {memory.id}  {memory.type}: {memory.title}{known}")
        for evidence in memory.evidence[:1]:
            out.cut(f"        “{evidence.quote}”")
    for line in made.set_aside:
        out.cut(f"    set aside: {line}")
    if made.briefing.next_action:
        out.cut(f"    next: {made.briefing.next_action}")


def _json(done: DistilResult) -> dict[str, Any]:
    job = done.job
    return {
        "session": job.session, "state": job.state, "ok": job.state == DONE, "reason": job.reason or None,
        "fresh": list(done.fresh), **_made(done.distilled),
    }  # fmt: skip


def _made(made: Distilled | None) -> dict[str, Any]:
    if made is None:
        return {"run": None, "candidates": []}
    return {
        "run": made.run,
        "by": made.by,
        "title": made.summary.title,
        "next_action": made.briefing.next_action,
        "files": [change.path for change in made.summary.files],
        "observations": len(made.observations),
        "set_aside": list(made.set_aside),
        "unread": made.unread,
        "candidates": [
            {
                "id": memory.id, "type": memory.type, "title": memory.title, "confidence": memory.confidence,
                "said_by": memory.said_by, "choice": memory.choice, "attempts": memory.attempts,
                "rejected": [{"option": each.option, "reason": each.reason} for each in memory.rejected],
                "evidence": [{"event": each.event, "quote": each.quote} for each in memory.evidence],
            }
            for memory in made.candidates
        ],
    }  # fmt: skip
