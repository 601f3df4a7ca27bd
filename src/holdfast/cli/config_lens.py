"""holdfast config lens"""

import argparse
import os

from holdfast.cli.common import open_app
from holdfast.cli.output import Output, fit, make_inert, one_line
from holdfast.context.find_lenses import (
    ENDINGS,
    USER,
    WORKSPACE,
    PlacedLens,
    choose_lens,
    create_lens,
    describe_lens,
    find_lens,
    lens_json,
    load_lenses,
)
from holdfast.core.errors import BadRequest
from holdfast.workspace import App

EXAMPLES = """\
  holdfast config lens                                       every lens in reach
  holdfast config lens list --goal "fix the flaky login test"   which one this goal would call for
  holdfast config lens show security
  holdfast config lens new careful --about "Small steps, each one checked."
  holdfast config lens new house-style --scope workspace     for this workspace alone
"""
STATUS = "0 fine · 2 bad name or refused · 3 no such lens, no workspace · 4 it is there already · 5 it cannot be read"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=("list", "show", "new"), default="list", metavar="list|show|new",
                        help="without: list")  # fmt: skip
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="show, new: the lens")
    parser.add_argument("--goal", default="", metavar="TEXT", help="list: mark the lens that these words call for")
    parser.add_argument("--about", default="", metavar="TEXT", help="new: what it is for, in a line")
    parser.add_argument("--scope", choices=(USER, WORKSPACE), default=USER, help="new: whose it is (default: user)")
    parser.add_argument("--toml", action="store_true", help="new: as TOML, not Markdown")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show lenses, or begin one."""
    if (args.verb == "list") == bool(args.name):
        raise BadRequest(
            f"`holdfast config lens {args.verb}` {'takes no name' if args.name else 'needs a name'}.",
            f"to see one: holdfast config lens show {args.name}"
            if args.name
            else "`holdfast config lens list` shows them.",
        )
    app = open_app(args, anywhere=True, quiet=True)
    match args.verb:
        case "show":
            _show(find_lens(app, args.name), out)
        case "new":
            _new(app, args, out)
        case _:
            _list(app, args.goal, out)
    out.notices(app.notices)
    return 0


def _list(app: App, goal: str, out: Output) -> None:
    found = load_lenses(app)
    chosen = choose_lens(app, "", goal) if goal else None
    name = chosen.lens.name if chosen else ""
    if out.as_json:
        told = {"goal": goal, "chosen": name or None, "why": chosen.why if chosen else ""} if goal else {}
        out.json({"lenses": [lens_json(each) for each in found.placed], "broken": list(found.broken), **told})
    for each in found.placed:
        mark = "→ " if goal and each.lens.name == name and not each.held else "  "
        origin = f"{each.origin}, held back" if each.held else each.origin
        out.line(fit(f"{mark}{each.lens.name:<16} {origin:<12} {one_line(each.lens.about)}", out.width))
    if goal:
        out.line()
        out.line(f"→ {name}: {one_line(chosen.why)}" if chosen else "No lens has a word of this goal.")
    if any(each.held for each in found.placed):
        out.line()
        out.line("Held back: somebody else wrote it. Look at it (holdfast config lens show NAME), then: holdfast allow")
    out.notices(list(found.broken))


def _show(each: PlacedLens, out: Output) -> None:
    if out.as_json:
        out.json(lens_json(each))
    lens = each.lens
    out.line(f"{lens.name}  ({each.origin}{', held back until you allow it' if each.held else ''})")
    if lens.path:
        out.line(f"  {one_line(lens.path)}")
    if lens.when:
        out.line(f"  for goals that say: {one_line(', '.join(lens.when))}")
    out.line()
    for line in describe_lens(lens):
        out.line(make_inert(line))


def _new(app: App, args: argparse.Namespace, out: Output) -> None:
    path = create_lens(app, args.name, args.about, args.scope, ENDINGS[args.toml])
    if out.as_json:
        out.json({"name": args.name, "path": path})
    out.line(path)
    out.line(f"Fill it in, then: holdfast config lens show {args.name}")
    if args.scope == WORKSPACE:
        out.line(f"Git leaves it out. To share it: git add -f {os.path.relpath(path, app.workspace)}")
