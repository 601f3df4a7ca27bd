"""holdfast init"""

import argparse
import os

from holdfast.cli.common import format_count, parse_settings
from holdfast.cli.output import Output
from holdfast.clients.manage_clients import choose_clients, install, plan_installs, shorten_path
from holdfast.core.errors import BadRequest
from holdfast.core.home import FOLDER
from holdfast.setup.init_workspace import init, list_files_to_write, plan_init

EXAMPLES = """\
  holdfast init                        in the folder that should have memory; sets up the clients it finds
  holdfast init --client codex         sets up this client only
  holdfast init --yes --client none    without asking, touching no client's files
"""
STATUS = "0 done, also when there was nothing left to do · 2 refused · 6 the disk refuses"


class InitNotConfirmed(BadRequest):
    """Nobody said yes."""

    def __init__(self) -> None:
        super().__init__("Nothing was written: nobody confirmed it.", "run it in a terminal, or with --yes.")


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


def run(args: argparse.Namespace, out: Output) -> int:
    """Make a folder a workspace."""
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
    out.notices([*app.notices, *(note for plan in plans for note in plan.notes)])
    if out.as_json:
        out.json({
            "workspace": app.workspace,
            "workspace_id": app.workspace_id,
            "written": list(dict.fromkeys([*done.written, *changed])),
            "clients": [plan.client for plan in plans],
            "not_allowed": list(done.foreign),
        })  # fmt: skip
        return 0
    out.line(f"{'Ready' if wanted else 'Was ready already'}: {app.workspace} keeps its memory in {FOLDER}/memory/.")
    for plan in plans:
        trust = ", once you trust our hooks there: type /hooks" if plan.client == "codex" else ""
        out.line(f"Capture is on in {plan.client}{trust}.")
    if done.foreign:
        out.line(f"{format_count(done.foreign, 'memory file')} from before you: shown to you, and told to no agent.")
        out.line("Read it with `holdfast list`, then run `holdfast allow`.")
    else:
        out.line('Next: holdfast remember decision "…" --because "…"')
        out.line("`holdfast render` puts accepted memory into AGENTS.md, CLAUDE.md and their kin too.")
    return 0
