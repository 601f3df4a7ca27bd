"""holdfast render"""

import argparse
import sys

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.clients.manage_clients import shorten_path
from holdfast.core.errors import BadRequest
from holdfast.render.render_files import (
    ClientFileChange,
    RenderPlan,
    check_rendered,
    plan_removal,
    plan_rendering,
    write_plan,
)

EXAMPLES = """\
  holdfast render                     memory as a block in AGENTS.md, CLAUDE.md, GEMINI.md … that are there
  holdfast render --client cursor     in this client's file, made if need be
  holdfast render --dry-run           show the files and the blocks, write nothing
  holdfast render --check             for CI: is every block what memory says?
  holdfast render --claude-memory     the top memories in Claude Code's own memory too
  holdfast render --remove            take every block out again
"""
STATUS = (
    "0 in step · 1 --check: a block is not what memory says · 2 not confirmed, or inside a client · 4 a file changed "
    "meanwhile, or was left alone"
)


class RenderNotConfirmed(BadRequest):
    """Nobody said yes."""

    def __init__(self) -> None:
        super().__init__("Nothing was written: it was not confirmed.", "say y, or run it with --yes.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--client", action="append", default=[], metavar="NAME", help="only this client's file")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="write nothing; exit 1 if a block is out of step")
    what.add_argument("--remove", action="store_true", help="take the blocks out again")
    parser.add_argument("--claude-memory", action="store_true", help="Claude Code's own memory folder")
    parser.add_argument("--dry-run", action="store_true", help="show what would be written")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, out: Output) -> int:
    """Render memory into the files of clients."""
    app = open_app(args)
    if args.check:
        return _check(check_rendered(app), out)
    found = (plan_removal if args.remove else plan_rendering)(app, args.client, claude_memory=args.claude_memory)
    _tell(found, out, blocks=args.dry_run)
    restart: list[str] = []
    if not args.dry_run:
        if found.changed_files and not args.yes and sys.stdin.isatty() and not out.confirm("Write this?"):
            raise RenderNotConfirmed
        restart = write_plan(app, found, removing=args.remove)
    if out.as_json:
        out.json({**_json(found), "written": not args.dry_run, "restart": restart})
    elif not args.dry_run:
        out.line(_summary(found, removing=args.remove))
    for words in restart:
        out.line(words)
    out.notices([*app.notices, *found.notes])
    return 4 if found.left else 0


def _check(found: RenderPlan, out: Output) -> int:
    wrong = [*found.changed_files, *found.left]
    if out.as_json:
        out.json({**_json(found), "in_step": not wrong})
    for change in found.changed_files:
        out.line(f"{change.name}: its block is not what memory says; `holdfast render` brings it in step.")
    for left in found.left:
        out.line(f"{left.name}: {left.reason} {left.hint}")
    if not wrong:
        out.line(f"In step: {format_count(found.changes, 'file')}." if found.changes else "No block stands here.")
    return 1 if wrong else 0


def _tell(found: RenderPlan, out: Output, *, blocks: bool) -> None:
    for change in found.changes:
        dropped = f", {change.dropped} found no room" if change.dropped else ""
        held = f"  ({format_count(change.ids, 'memory')}{dropped})" if change.after is not None and change.ids else ""
        out.line(
            f"{_verb(change)} {shorten_path(change.path) if change.target == 'claude-memory' else change.name}{held}"
        )
        if blocks and change.changes and change.after is not None:
            for line in change.after.decode("utf-8", "replace").splitlines():
                out.line(f"    {line}")
    for left in found.left:
        out.line(f"left alone  {left.name}: {left.reason}")
        out.line(f"            {left.hint}")


def _verb(change: ClientFileChange) -> str:
    if not change.changes:
        return "in step    "
    if change.before is None:
        return "will make  "
    return "will remove" if change.after is None else "will change"


def _summary(found: RenderPlan, *, removing: bool) -> str:
    if not found.changed_files:
        known = found.changes or found.notes or found.left
        return "Nothing to take out." if removing else "Nothing to change." if known else _nothing()
    if removing:
        return f"Taken out of {format_count(found.changed_files, 'file')}."
    wrote = f"Wrote {format_count(found.changed_files, 'file')}."
    return f"{wrote} They stay in step: what you accept, edit or forget changes them."


def _nothing() -> str:
    return "No client's file is here, and no client was heard here: name one, `holdfast render --client claude-code`."


def _json(found: RenderPlan) -> dict[str, object]:
    return {
        "files": [
            {
                "path": change.path if change.target == "claude-memory" else change.name,
                "target": change.target,
                "state": _verb(change).strip().removeprefix("will "),
                "memories": list(change.ids),
                "dropped": change.dropped,
            }
            for change in found.changes
        ],
        "left": [{"path": left.name, "reason": left.reason, "hint": left.hint} for left in found.left],
    }
