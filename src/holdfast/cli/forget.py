"""holdfast forget"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.export import add_passphrase
from holdfast.cli.forgotten import report, tell, tell_vanished
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest, Damaged, Unavailable
from holdfast.exchange.bundles.export_import import keys_from
from holdfast.exchange.bundles.passphrases import read_identities, read_passphrase
from holdfast.exchange.removal.everywhere import (
    ForgetEverywherePlan,
    ForgetEverywhereResult,
    ForgetRequest,
    PurgeTarget,
    UnreachedPlace,
    forget_everywhere,
    plan_everywhere,
)
from holdfast.workspace import App

EXAMPLES = """\
  holdfast forget DEC-7K2MQ4 --because "wrong project"
  holdfast forget --text "hunter2" --purge         off the disk everywhere, with a proof
  holdfast forget --subject "Jane Doe" --purge     also from known bundles, the team's database and servers
  holdfast forget --subject "Jane Doe" --purge --everywhere      in every workspace of yours
  holdfast forget --project                        everything that is kept of this project
"""
STATUS = (
    "0 forgotten · 1 nothing holds it · 2 not confirmed, or inside a client · 3 no such id · 5 still found · "
    "6 a place was not reached"
)


class StillThere(Damaged):
    """A purge that did not reach everything."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__(f"Still found in {', '.join(files)}.", "remove it there by hand, then run the command again.")


class NotReached(Unavailable):
    """Places that could not be looked at. What was reached is purged."""

    def __init__(self, missed: tuple[UnreachedPlace, ...]) -> None:
        super().__init__(
            f"Not reached: {'; '.join(f'{each.place} ({each.why})' for each in missed)}",
            "run the same command again when it can be reached; what is gone is not looked for twice. "
            "A store that is gone for good: holdfast backup forget-store URL.",
        )


class ForgetNotConfirmed(BadRequest):
    """Nobody said yes."""

    def __init__(self) -> None:
        super().__init__("Nothing was forgotten: it was not confirmed.", "run it in a terminal, or with --yes.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="memories, candidates or events")
    parser.add_argument("--text", default="", help="everything that holds this text, letter for letter")
    parser.add_argument("--subject", default="", help="everything that names this person or thing")
    parser.add_argument("--project", action="store_true", help="everything that is kept of this project, for good")
    parser.add_argument(
        "--purge", action="store_true", help="take it off the disk, out of bundles, the database and servers"
    )
    parser.add_argument("--everywhere", action="store_true", help="in every workspace that Holdfast knows of you")
    parser.add_argument("--keep-bundles", action="store_true", help="leave exports and backups as they are")
    parser.add_argument(
        "--tell-servers", action="store_true", help="with --text and --subject: also servers that may never have had it"
    )
    parser.add_argument("--database", default="", metavar="URL", help="a database besides those that were synced with")
    parser.add_argument("--team", default="", help="a team besides those that were synced with")
    parser.add_argument(
        "--as", dest="who", default="", metavar="PERSON", help="who you are there; git's name otherwise"
    )
    parser.add_argument(
        "--identity", action="append", default=[], metavar="FILE", help="an age identity that opens bundles"
    )
    add_passphrase(parser)
    parser.add_argument("--because", default="", help="why; kept with the tombstone, unless it names what goes")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what should not be remembered."""
    app = open_app(args, anywhere=not args.project)
    if sum(map(bool, (args.ids, args.text, args.subject, args.project))) != 1:
        raise BadRequest(
            "Say what to forget: ids, or --text, or --subject, or --project; one of them.",
            "see `holdfast forget --help`.",
        )
    if args.project:
        from holdfast.cli.forget_project import run_project

        return run_project(app, args, meant(args), out)
    asked = _asked(app, args)
    whole = plan_everywhere(app, asked)
    if whole.empty:
        return _nothing(out, whole)
    tell(whole, out)
    word = "Purge" if args.purge else "Forget"
    if (args.text or args.subject or args.purge) and not args.yes and not out.confirm(f"{word} all of this?"):
        raise ForgetNotConfirmed
    outcome = forget_everywhere(whole, app)
    report(outcome, out)
    out.notices(list(dict.fromkeys(notice for each in whole.here for notice in each.app.notices)))
    return _judged(outcome)


def meant(args: argparse.Namespace) -> PurgeTarget:
    """The database that the arguments name."""
    return PurgeTarget(url=args.database, team=args.team, person=args.who)


def _asked(app: App, args: argparse.Namespace) -> ForgetRequest:
    keys = keys_from(app, read_identities(args.identity), read_passphrase(args.passphrase_file))
    return ForgetRequest(
        ids=tuple(args.ids), text=args.text, subject=args.subject, because=args.because, purging=args.purge,
        everywhere=args.everywhere, keep_bundles=args.keep_bundles, tell_servers=args.tell_servers,
        database=meant(args), keys=keys,
    )  # fmt: skip


def _judged(outcome: ForgetEverywhereResult) -> int:
    if outcome.found:
        raise StillThere(outcome.found)
    if outcome.missed:
        raise NotReached(outcome.missed)
    return 0


def _nothing(out: Output, whole: ForgetEverywherePlan) -> int:
    if whole.unlooked:
        raise NotReached(whole.unlooked)
    untold = [f"server {each.name}: {each.not_asked}" for each in whole.servers if each.not_asked]
    if out.as_json:
        lost = [*untold, *whole.given_up]
        out.json({"forgotten": [], "events": [], "log_lines": 0, "records": [], "unreachable": lost})
    out.line("Nothing holds that.")
    tell_vanished(whole, out)
    for reason in (*untold, *whole.given_up):
        out.line(f"Out of reach: {reason}.")
    return 1
