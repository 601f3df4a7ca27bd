"""holdfast sync database"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.value import as_dict, replace
from holdfast.exchange.sync.sync_workspace import BOTH, PULL, PUSH, SyncReport, SyncScope, TooManyDeletions
from holdfast.exchange.sync.team_database import DatabaseSelector, sync_database
from holdfast.workspace import App

EXAMPLES = """\
  holdfast sync database                       bring this checkout and the team's database together
  holdfast sync database push --team acme              the first time; later ones go to the same team
  holdfast sync database pull --dry-run                what would come
  holdfast sync database push --candidates             send what waits for review too
  holdfast sync database --no-records             without runs, ratings and cost
"""
STATUS = (
    "0 done · 1 both sides changed the same: yours waits as a candidate · 2 no database named, or inside a client · "
    "3 no such team · 4 another sync is at work, or much would be taken away here (--yes) · "
    "6 the database does not answer"
)
DIRECTIONS = {"": BOTH, "pull": PULL, "push": PUSH}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "verb",
        nargs="?",
        default="",
        choices=tuple(DIRECTIONS),
        metavar="pull|push",
        help="one way only (default: both)",
    )
    parser.add_argument("--database", default="", metavar="URL", help="which one; else HOLDFAST_DATABASE_URL")
    parser.add_argument("--team", default="", help="which team; else as the first time, or `database.team`")
    parser.add_argument("--new-team", action="store_true", help="begin that team in a database that has others")
    parser.add_argument("--project", default="", help="what this project is called there; else as its repository")
    parser.add_argument(
        "--as", dest="who", default="", metavar="PERSON", help="who you are there; git's name otherwise"
    )
    parser.add_argument("--candidates", action="store_true", help="what waits for review too")
    parser.add_argument("--no-records", action="store_true", help="without runs, ratings and cost")
    parser.add_argument("--events", action="store_true", help="send the journal's events too")
    parser.add_argument("--dry-run", action="store_true", help="only say what would move")
    parser.add_argument("--yes", action="store_true", help="it may take away much of what is here")
    parser.add_argument("--pass-on", action="store_true", help="send also what came from servers")


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring this checkout's memory and the team's database together."""
    app = open_app(args)
    named = DatabaseSelector(
        url=args.database, team=args.team, project=args.project, person=args.who, new=args.new_team
    )
    places = (
        "memory", *(["candidates"] if args.candidates else ()), *([] if args.no_records else ["records"]),
    )  # fmt: skip
    what = SyncScope(
        direction=DIRECTIONS[args.verb], places=places, events=args.events, yes=args.yes, pass_on=args.pass_on
    )
    project, done = _asked(app, named, what, args, out)
    if out.as_json:
        out.json({
            "project": project, "pulled": list(done.pulled), "pushed": list(done.pushed), "events": done.events,
            "clashes": [as_dict(clash) for clash in done.conflicts], "left": list(done.left),
            "records": {"pulled": done.records[0], "pushed": done.records[1]},
            "refused": [as_dict(each) for each in done.refused],
            "taken": [as_dict(each) for each in done.deletions], "first": done.first,
            "planned": [{"path": step.path, "does": step.does} for step in done.planned],
        })  # fmt: skip
    _print(project, done, out, planned=args.dry_run)
    out.notices(app.notices)
    return 1 if done.conflicts else 0


def _asked(
    app: App, named: DatabaseSelector, what: SyncScope, args: argparse.Namespace, out: Output
) -> tuple[str, SyncReport]:
    """Bring both together; where much would be taken away here, a person is asked first."""
    try:
        return sync_database(app, named, what, dry_run=args.dry_run)
    except TooManyDeletions as error:
        if out.as_json or not out.confirm(f"{error} Let it?"):
            raise
        return sync_database(app, named, replace(what, yes=True))


def records_of(done: SyncReport) -> str:
    """The records that came and went, where there were any."""
    return f"; of runs, ratings and cost {done.records[0]} came, {done.records[1]} went" if any(done.records) else ""


def _print(project: str, done: SyncReport, out: Output, *, planned: bool) -> None:
    for step in done.planned:
        out.cut(f"  {step.does}  {one_line(step.path)}")
    if planned:
        out.line(f"{format_count(len(done.planned), 'file')} would move. Nothing was written.")
        return
    for clash in done.conflicts:
        waits = ", ".join(clash.candidates)
        out.cut(f"  {one_line(clash.path)}: {one_line(clash.author)} changed it too; yours waits: {waits}")
    events = f", {format_count(done.events, 'event')} sent" if done.events else ""
    out.line(f"{one_line(project)}: {len(done.pulled)} came, {len(done.pushed)} went{records_of(done)}{events}.")
    for taken in done.deletions:
        out.cut(f"  taken away here: {one_line(taken.what)}: {one_line(taken.why)}")
    for each in done.refused:
        out.cut(f"  not taken: {one_line(each.what)}: {one_line(each.why)}")
    if done.left:
        out.line(f"{format_count(len(done.left), 'file')} moved meanwhile: run it again.")
