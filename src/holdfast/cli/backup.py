"""holdfast backup"""

import argparse
from typing import Any

from holdfast.cli.bundled import ImportNotConfirmed, finish, table
from holdfast.cli.common import format_count, open_app
from holdfast.cli.export import add_passphrase, form, say
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.value import as_dict
from holdfast.exchange.bundles.backup_age import LATE
from holdfast.exchange.bundles.backup_schedule import SCHEDULES, render_backup_schedule
from holdfast.exchange.bundles.backups import (
    drop_stale_backups,
    list_backup_folders,
    list_backups,
    note_restored,
    open_backup,
    prune_backups,
    read_backup_age,
    write_backup,
)
from holdfast.exchange.bundles.bundle_outbox import list_outbox
from holdfast.exchange.bundles.export_import import keys_from, open_import
from holdfast.exchange.bundles.lost_stores import drop_lost_store, plan_lost_store
from holdfast.exchange.bundles.passphrases import read_identities, read_passphrase
from holdfast.workspace import App

EXAMPLES = """\
  holdfast config backup.store s3://bucket/holdfast     where backups go, once
  holdfast backup now --prune
  holdfast backup status
  holdfast backup restore latest --dry-run
  holdfast backup restore shop-98bc8a42/latest --mine       of another machine, or another path
  holdfast backup schedule systemd                          a unit for every night
  holdfast backup forget-store s3://old/holdfast            it is gone for good: no purge stops at it any more
"""
STATUS = (
    "0 done · 1 the last backup is too old, there is none, or something waits to be sent · 2 no store is set · "
    "3 no such backup or store · 6 out of reach"
)


class StoreStays(BadRequest):
    """Nobody said that a store is gone."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"Nothing was given up: it was not confirmed that {url!r} is gone.", "add --yes, or a terminal."
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = ["now", "status", "list", "restore", "prune", "schedule", "forget-store"]
    parser.add_argument("verb", nargs="?", default="status", choices=verbs, help="what to do")
    parser.add_argument(
        "name", nargs="?", default="",
        help="`restore`: a name, latest, or FOLDER/latest; `schedule`: cron, systemd; `forget-store`: its address",
    )  # fmt: skip
    parser.add_argument("--prune", action="store_true", help="with `now`: then take away what the settings do not keep")
    parser.add_argument(
        "--dry-run", action="store_true", help="with `restore` and `prune`: only show what would happen"
    )
    parser.add_argument("--yes", action="store_true", help="with `restore` and `forget-store`: do not ask")
    parser.add_argument(
        "--mine", action="store_true", help="with `restore`: it is yours, although sealed by another key"
    )
    parser.add_argument(
        "--all", action="store_true", dest="everything", help="`restore`: print every line; `list`: every folder"
    )
    parser.add_argument(
        "--identity", action="append", default=[], metavar="FILE", help="an age identity that opens a backup"
    )
    add_passphrase(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Back up, look, restore, prune."""
    app = open_app(args, anywhere=True)
    done = _VERBS[args.verb](app, args, out)
    out.notices(app.notices)
    return done


def _now(app: App, args: argparse.Namespace, out: Output) -> int:
    done = write_backup(app)
    dropped = drop_stale_backups(app)
    gone = prune_backups(app) if args.prune else None
    if out.as_json:
        out.json(form(done) | {"pruned": list(gone.names) if gone else [], "dropped": dropped})
    say(done, out)
    _tell_dropped(dropped, out)
    if gone and gone.names:
        out.line(f"  {format_count(gone.names, 'older backup')} went.")
    return 0


def _tell_dropped(places: list[str], out: Output) -> None:
    for place in places:
        out.line(f"  not sent any more: {place} (that store is not set now; parts of it may lie there)")


def _status(app: App, _: argparse.Namespace, out: Output) -> int:
    found = read_backup_age(app)
    held, trouble = _look(app) if found.store else ([], "")
    late = list_outbox(app)
    if out.as_json:
        told: dict[str, Any] = {"store": found.store or None, "last": found.last or None, "name": found.name or None}
        told |= {"backups": len(held), "warning": found.warning or None, "unreachable": trouble or None}
        out.json(told | {"waiting": [as_dict(each) for each in late]})
    out.line(f"store   {found.store or '(none: holdfast config backup.store …)'}")
    out.line(f"last    {f'{found.last}  {found.name}' if found.last else 'never, from here'}")
    if found.store and not trouble:
        out.line(f"kept    {format_count(len(held), 'backup')}, {sum(each.size for each in held):,} bytes")
    if trouble:
        out.line(f"trouble {trouble}")
    for each in late:
        out.line(f"waiting {each.place}, since {each.at}: {each.reason}")
    if late:
        out.line("        for a store that is wrong or gone: holdfast backup forget-store URL")
    if found.warning and not found.warning.startswith(LATE):
        out.line(found.warning)
    return 1 if found.warning or late or not found.store else 0


def _look(app: App) -> tuple[list[Any], str]:
    try:
        return list(list_backups(app)), ""
    except HoldfastError as error:
        return [], str(error)


def _list(app: App, args: argparse.Namespace, out: Output) -> int:
    if args.everything:
        return _folders(app, out)
    found = list_backups(app)
    if out.as_json:
        out.json({"backups": [as_dict(each) for each in found]})
    for each in found:
        out.line(f"{each.name}  {each.size:,} bytes")
    if not found:
        out.line("There is no backup of this workspace: holdfast backup now; --all shows whose there are.")
    return 0


def _folders(app: App, out: Output) -> int:
    found = list_backup_folders(app)
    if out.as_json:
        out.json({"folders": [{"name": name, "backups": number} for name, number in sorted(found.items())]})
    for name, number in sorted(found.items()):
        out.line(f"{name}  {format_count(number, 'backup')}")
    if not found:
        out.line("There is no backup in the store.")
    return 0


def _restore(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.name:
        raise BadRequest("Which backup?", "`holdfast backup restore latest`, or a name of `holdfast backup list`.")
    keys = keys_from(app, read_identities(args.identity), read_passphrase(args.passphrase_file))
    with open_backup(app, args.name) as (data, place), open_import(app, data, keys, mine=args.mine) as bundle:
        found = bundle.found
        table(found, place, out, everything=args.everything)
        if not args.dry_run:
            if not args.yes and not out.confirm("Restore this?"):
                raise ImportNotConfirmed
            found = bundle.go()
            note_restored(app, place, found)
    finish(found, place, out, dry=args.dry_run)
    return 0


def _prune(app: App, args: argparse.Namespace, out: Output) -> int:
    dropped = [] if args.dry_run else drop_stale_backups(app)
    gone = prune_backups(app, dry_run=args.dry_run)
    if out.as_json:
        told = {"dry_run": args.dry_run, "names": list(gone.names), "parts": gone.parts, "bytes": gone.freed}
        out.json(told | {"dropped": dropped})
    _tell_dropped(dropped, out)
    for name in gone.names:
        out.line(f"{'would go' if args.dry_run else 'gone'}  {name}")
    out.line(f"{format_count(gone.names, 'backup')}, {gone.freed:,} bytes.")
    return 0


def _schedule(app: App, args: argparse.Namespace, out: Output) -> int:
    if args.name not in SCHEDULES:
        raise BadRequest("For what shall the unit be?", f"`holdfast backup schedule {'` or `'.join(SCHEDULES)}`.")
    text = render_backup_schedule(app, args.name)
    if out.as_json:
        out.json({"kind": args.name, "unit": text})
    out.line(text)
    return 0


def _forget_store(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.name:
        raise BadRequest("Which store is gone?", "`holdfast backup forget-store s3://BUCKET/PATH`, or a folder.")
    plan = plan_lost_store(app, args.name)
    if not plan.problem:
        out.line(f"{plan.store} answers: what lies there stays known, and a purge looks into it.")
    else:
        out.line(f"{plan.problem} No purge will look into what lies there, and each will say so.")
        if not args.yes and not out.confirm("Is it gone for good?"):
            raise StoreStays(plan.store)
    done = drop_lost_store(app, plan)
    if out.as_json:
        out.json(as_dict(done))
    for place in done.waiting:
        out.line(f"  not sent any more: {place}")
    out.line(f"Given up: {format_count(done.bundles, 'bundle')}; {format_count(done.waiting, 'thing')} waited for it.")
    return 0


_VERBS = {
    "now": _now, "status": _status, "list": _list, "restore": _restore, "prune": _prune, "schedule": _schedule,
    "forget-store": _forget_store,
}  # fmt: skip
