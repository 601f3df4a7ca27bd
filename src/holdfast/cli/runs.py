"""holdfast runs"""

import argparse
from typing import Any

from holdfast.act.execute.undo import diff_run, undo_run
from holdfast.act.runs import Run, Runs
from holdfast.cli.common import opened
from holdfast.cli.live import line_of
from holdfast.cli.output import Output, one_line
from holdfast.memory.open import need_person

EXAMPLES = """\
  holdfast runs                          the agent's runs, newest last
  holdfast runs show last                a run: its plan, what happened, what came of it
  holdfast runs diff last                what it changed
  holdfast runs undo last                every file as it was before it
"""
STATUS = "0 shown, or undone · 2 bad request, or inside a client · 3 no such run · 4 a file changed since"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=("list", "show", "diff", "undo"), default="list", help="what to do")
    parser.add_argument("run", nargs="?", default="last", metavar="RUN", help="a run, or the end of its name; last")
    parser.add_argument("--force", action="store_true", help="with undo: also files that changed since")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show runs, what they changed, or take one back."""
    app = opened(args)
    runs = Runs(app.folder)
    match args.verb:
        case "list":
            _list([runs.run(name) for name in runs.names()], out)
        case "show":
            _show(runs.named(args.run), out)
        case "diff":
            name = runs.named(args.run).name
            text = diff_run(app.workspace, name)
            if out.as_json:
                out.json({"run": name, "diff": text})
            out.line(text or "It changed no file.")
        case _:
            need_person(app, f"runs undo {args.run}")
            done = undo_run(app.workspace, runs.named(args.run).name, force=args.force)
            if out.as_json:
                out.json({"run": done.run, "restored": list(done.restored), "left": list(done.left)})
            out.line(f"Undone: {done.run}, {len(done.restored)} files as they were.")
            for note in done.notes:
                out.line(f"  {note}")
    out.notices(app.notices)
    return 0


def _list(runs: list[Run], out: Output) -> None:
    states = [run.state() for run in runs]
    if out.as_json:
        rows = [{**_form(state), "elsewhere": run.elsewhere} for run, state in zip(runs, states, strict=True)]
        out.json({"runs": rows})
    for state in states:
        out.cut(f"{state.get('run')}  {state.get('status', ''):<9} {one_line(str(state.get('goal', '')))}")
    if not states:
        out.line('No run yet: holdfast run "…"')


def _form(state: dict[str, Any]) -> dict[str, Any]:
    names = ("run", "goal", "status", "started", "ended", "model", "planner")
    return {name: state.get(name) for name in names} | {"tasks": len((state.get("plan") or {}).get("tasks", []))}


def _show(run: Run, out: Output) -> None:
    state, events = run.state(), run.events()
    if out.as_json:
        rows = [{"type": each.type, "data": dict(each.data), "ts": each.ts} for each in events]
        out.json({**state, "events": rows})
        return
    out.line(f"{run.name}  {state.get('status', '')}  {state.get('model', '')}")
    out.line(one_line(str(state.get("goal", ""))))
    for rejected in state.get("rejected_plans") or []:
        out.cut(f"  plan not taken ({rejected.get('stance')}): {rejected.get('why')}")
    for event in events:
        if line := line_of(event):
            out.cut(f"  {event.ts[11:19]} {line}")
