"""holdfast init"""

import argparse
import os

from holdfast.cli.common import format_count, parse_settings
from holdfast.cli.output import Output
from holdfast.cli.unhooked_lines import describe_span
from holdfast.clients.manage_clients import choose_clients, install, plan_installs, shorten_path
from holdfast.core.errors import BadRequest
from holdfast.core.home import FOLDER
from holdfast.records.harvest_sessions import list_past_sessions
from holdfast.setup.init_workspace import init, list_files_to_write, plan_init
from holdfast.setup.offer_model import check_model, describe_budget, list_model_offers, set_model
from holdfast.workspace import App

EXAMPLES = """\
  holdfast init                        in the folder that should have memory; sets up the clients it finds
  holdfast init --client codex         sets up this client only
  holdfast init --yes --client none    without asking, touching no client's files
  holdfast init --model client:claude  and have this model judge what sessions leave behind
"""
NONE = "none"
STATUS = "0 done, also when there was nothing left to do · 2 refused · 6 the disk refuses"


class InitNotConfirmed(BadRequest):
    """Nobody said yes."""

    def __init__(self) -> None:
        super().__init__("Nothing was written: it was not confirmed.", "run it in a terminal, or with --yes.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", nargs="?", default="", metavar="DIR", help="the folder (default: this one)")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--client",
        action="append",
        default=[],
        metavar="NAME",
        help="this client (default: those found), or none",
    )
    parser.add_argument("--model", default="", metavar="NAME", help="the model that judges sessions; else none is set "
                        "unless you choose one when asked")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Make a folder a workspace."""
    check_model(args.model)
    app = plan_init(args.folder or args.workspace or os.getcwd(), named=bool(args.folder))
    app.flags = parse_settings(args.settings)
    clients = choose_clients(app, args.client)
    plans = plan_installs(app, clients)
    wanted = list(dict.fromkeys([*list_files_to_write(app), *(path for plan in plans for path in plan.paths)]))
    for path in wanted:
        out.line(f"will write {shorten_path(path)}")
    if wanted and not args.yes and not out.confirm(f"Give {app.workspace!r} memory?"):
        raise InitNotConfirmed
    done = init(app)
    changed = install(app, clients)
    model = args.model or ("" if args.yes or out.as_json else _choose_model(app, out))
    budget = set_model(app, model) if model else ""
    out.notices([*app.notices, *(note for plan in plans for note in plan.notes)])
    if out.as_json:
        out.json({
            "workspace": app.workspace,
            "workspace_id": app.workspace_id,
            "written": list(dict.fromkeys([*done.written, *changed])),
            "clients": [plan.client for plan in plans],
            "not_allowed": list(done.foreign),
            "model": model or None,
            "vouched": done.vouched,
        })  # fmt: skip
        return 0
    out.line(f"{'Ready' if wanted else 'Was ready already'}: {app.workspace} keeps its memory in {FOLDER}/memory/.")
    for plan in plans:
        trust = ", once you trust our hooks there: type /hooks" if plan.client == "codex" else ""
        out.line(f"Capture is on in {plan.client}{trust}.")
    if done.vouched:
        out.line(describe_existing(app, done.vouched))
    if model == NONE:
        out.line("Sessions are distilled by rules alone; `holdfast config model NAME` changes that.")
    elif model:
        out.line(f"{model} judges what your sessions leave behind, {budget}; `holdfast config model none` ends it.")
    if done.foreign:
        out.line(
            f"{format_count(done.foreign, 'place')} in {FOLDER} from before you: shown to you, and told to no agent."
        )
        out.line("`holdfast allow --list` names what; read it, then run `holdfast allow`.")
    else:
        out.line('Next: holdfast remember decision "…" --because "…"')
        out.line("`holdfast render` puts accepted memory into AGENTS.md, CLAUDE.md and the like too.")
    return 0


def describe_existing(app: App, every: int) -> str:
    """What became of the sessions that clients kept before: how many, from when to when."""
    here = list_past_sessions(app)
    own = f"{format_count(here, 'session')} from before ({describe_span(here)})" if here else ""
    others = every - len({each.session for each in here})
    more = f"{format_count(others, 'session')} of other folders" if others > 0 else ""
    return (
        f"Counted as yours: {', and '.join(filter(None, (own, more)))}. `holdfast harvest` reads what ran here; "
        "`holdfast harvest --unvouch FOLDER` takes it back."
    )


def _choose_model(app: App, out: Output) -> str:
    """The model that a person chooses among those that are ready here, or that they want none; else nothing."""
    offers = list_model_offers(app) if out.asking else []
    if not offers:
        return ""
    out.line("A model can judge what your sessions leave behind: it finds more than rules do, and keeps noise away.")
    for number, offer in enumerate(offers, 1):
        goes = "" if offer.leaves else ", nothing leaves it"
        out.line(f"  {number}  {offer.model:<28} {offer.source}; a session of usual length costs {offer.cost}{goes}")
    if any(offer.leaves for offer in offers):
        out.line("  The words of sessions, without secrets, then go to that vendor. " + describe_budget(app) + ".")
    chosen = out.answer("Which one? A number, or Enter for none:")
    return offers[int(chosen) - 1].model if chosen.isdecimal() and 0 < int(chosen) <= len(offers) else NONE
