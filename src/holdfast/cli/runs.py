"""holdfast runs"""

import argparse
from typing import Any

from holdfast.act.cancel_request import request_cancel, wait_for_end
from holdfast.act.execute.undo_run import diff_run, undo_run
from holdfast.act.run_files import CANCELLED, AgentRun, Runs
from holdfast.cli.common import open_app
from holdfast.cli.live import format_event
from holdfast.cli.output import Output, one_line
from holdfast.workspace import need_person

EXAMPLES = """\
  holdfast runs                          the agent's runs, newest last
  holdfast runs show last                a run: its plan, what happened, what came of it
  holdfast runs diff last                what it changed
  holdfast runs cancel last              end one that goes on, here, in another terminal or in `serve`
  holdfast runs undo last                every file as it was before it
"""
STATUS = (
    "0 shown, cancelled or undone · 2 bad request, or inside a client · 3 no such run · 4 a file changed since, or "
    "another machine carries it · 6 it was told to stop and has not yet"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = ("list", "show", "diff", "cancel", "undo")
    parser.add_argument("verb", nargs="?", choices=verbs, default="list", help="what to do")
    parser.add_argument("run", nargs="?", default="last", metavar="RUN", help="a run, or the end of its name; last")
    parser.add_argument("--force", action="store_true", help="with undo: also files that changed since")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show runs, what they changed, end one, or take one back."""
    app = open_app(args)
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
        case "cancel":
            need_person(app, f"runs cancel {args.run}")
            _cancel(_meant(runs, args.run), out)
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


def _meant(runs: Runs, wanted: str) -> AgentRun:
    """The run to be ended: `last` is the newest of those that go on."""
    going = runs.going() if wanted == "last" else []
    return going[-1] if going else runs.named(wanted)


def _cancel(run: AgentRun, out: Output) -> None:
    asked = request_cancel(run, "terminal")
    if asked:
        wait_for_end(run)
    status = run.status
    if out.as_json:
        out.json({"run": run.name, "status": status, "cancelled": asked and status == CANCELLED})
    if asked and status == CANCELLED:
        out.line(f"Cancelled: {run.name}. Go on with it: holdfast run --resume {run.name}")
    else:
        out.line(f"{run.name} had ended before: {status}.")


def _list(runs: list[AgentRun], out: Output) -> None:
    states = [run.state() for run in runs]
    if out.as_json:
        rows = [
            {**_form(state), "elsewhere": run.elsewhere, "unheard_since": run.silent_since or None}
            for run, state in zip(runs, states, strict=True)
        ]
        out.json({"runs": rows})
    for run, state in zip(runs, states, strict=True):
        since = f"  (on another machine, not heard of since {one_line(run.silent_since)})" if run.silent_since else ""
        out.cut(f"{state.get('run')}  {state.get('status', ''):<9} {one_line(str(state.get('goal', '')))}{since}")
    if not states:
        out.line('No run yet: holdfast run "…"')


def _form(state: dict[str, Any]) -> dict[str, Any]:
    names = ("run", "goal", "status", "started", "ended", "model", "planner")
    return {name: state.get(name) for name in names} | {"tasks": len((state.get("plan") or {}).get("tasks", []))}


def _show(run: AgentRun, out: Output) -> None:
    state, events = run.state(), run.events()
    if out.as_json:
        rows = [{"type": each.type, "data": dict(each.data), "ts": each.ts} for each in events]
        out.json({**state, "events": rows})
        return
    out.line(f"{run.name}  {state.get('status', '')}  {state.get('model', '')}")
    out.line(one_line(str(state.get("goal", ""))))
    if run.silent_since:
        out.line(f"Not heard of since {one_line(run.silent_since)}: the machine that carries it may be gone.")
    for rejected in state.get("rejected_plans") or []:
        out.cut(f"  plan not taken ({rejected.get('stance')}): {rejected.get('why')}")
    for event in events:
        if line := format_event(event):
            out.cut(f"  {event.ts[11:19]} {line}")
