"""holdfast uninstall"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.clients.manage_clients import find_clients_to_remove, plan_uninstalls, shorten_path, uninstall
from holdfast.core.errors import BadRequest
from holdfast.render.render_files import RenderPlan, plan_removal, write_plan

EXAMPLES = """\
  holdfast uninstall                      take our hook out of every client again
  holdfast uninstall --client codex --yes
  holdfast uninstall --blocks             also what `holdfast render` put into AGENTS.md, CLAUDE.md …
"""
STATUS = "0 taken out, or nothing was there · 2 not confirmed, or inside a client · 4 a file changed meanwhile"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--client", action="append", default=[], metavar="NAME", help="only this client")
    parser.add_argument("--blocks", action="store_true", help="also the blocks of memory in this workspace's files")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take our hook out of clients. Memory and journal stay."""
    app = open_app(args, anywhere=True, quiet=True)
    clients = find_clients_to_remove(app, args.client)
    plans = plan_uninstalls(app, clients)
    rendered = plan_removal(app, args.client) if app.workspace else RenderPlan()
    paths = list(dict.fromkeys(path for plan in plans for path in plan.paths))
    gone = {change.path for plan in plans for change in plan.changes if change.after is None}
    if args.blocks:
        paths += [change.path for change in rendered.changed_files]
        gone |= {change.path for change in rendered.changed_files if change.after is None}
    for path in paths:
        out.line(f"will {'remove' if path in gone else 'change'} {shorten_path(path)}")
    if paths and not args.yes and not out.confirm("Take it out?"):
        raise BadRequest("Nothing was changed: it was not confirmed.", "run it in a terminal, or with --yes.")
    changed = uninstall(app, clients)
    if args.blocks and app.workspace:
        write_plan(app, rendered, removing=True)
        changed += [change.path for change in rendered.changed_files]
        app.notices.extend(f"{left.name} was left alone: {left.reason} {left.hint}" for left in rendered.left)
    elif rendered.changed_files:
        app.notices.append(
            "Blocks of memory stay in this workspace's files; `holdfast render --remove` takes them out."
        )
    if out.as_json:
        out.json({"clients": [plan.client for plan in plans], "changed": changed})
    out.line("Taken out. Memory and journal stay where they are." if paths else "Nothing of ours was there.")
    out.notices([*app.notices, *(note for plan in plans for note in plan.notes)])
    return 0
