"""holdfast run"""

import argparse
import asyncio
import contextlib
import signal
import sys

from holdfast.act.execute.run_trust import ALWAYS, NO, YES, ApprovalAnswer, ApprovalRequest, Approve
from holdfast.act.execute.undo_run import undo_run
from holdfast.act.open_run import PreparedRun, open_run, read_options
from holdfast.act.run_files import Runs
from holdfast.cli.common import open_app
from holdfast.cli.live import Lines, Picture
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.run import AgentEvent, EventType, Trust
from holdfast.workspace import App, need_person

EXAMPLES = """\
  holdfast run "add a health endpoint"                 asks before each change
  holdfast run "fix the failing test" --trust workspace
  holdfast run "add caching" --plan-only               memory, plans and the one that is taken; nothing is changed
  holdfast run "add caching" --model anthropic:NAME --budget 200000
  holdfast run "add caching" --executor claude         plan here, have the tasks done by Claude Code
  holdfast run --resume last                           go on with a run that was stopped
  holdfast run --undo last                             every file as it was before the run
  holdfast run "add auth" --yes --json                 one event a line
"""
STATUS = (
    "0 done · 1 not all was done, or it was stopped · 2 bad request, or inside a client · 3 no such run · "
    "4 a file changed since · 6 no model"
)


class GoalMissing(BadRequest):
    """A run without a goal."""

    def __init__(self) -> None:
        super().__init__("A run needs a goal.", 'say it in quotes: holdfast run "add a health endpoint".')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("goal", nargs="*", metavar="GOAL", help="what shall be true at the end")
    parser.add_argument("--trust", choices=[str(each) for each in Trust], default="", help="how far it goes by itself")
    parser.add_argument("--yes", action="store_true", help="the same as --trust workspace")
    parser.add_argument("--plan-only", action="store_true", help="stop after the plan; --resume carries it out")
    parser.add_argument("--dry-run", action="store_true", help="the same, and keep nothing")
    parser.add_argument("--model", default="", metavar="NAME", help="the model, as in `holdfast config model`")
    parser.add_argument("--lens", default="", metavar="NAME", help="a way to work: `holdfast config lens list`")
    parser.add_argument("--planner", choices=("harmonic", "artifact"), default="", help="how it plans")
    parser.add_argument("--budget", type=int, default=0, metavar="TOKENS", help="most tokens of the run")
    parser.add_argument("--gate", action="append", default=[], metavar="NAME=COMMAND", help="what must pass")
    parser.add_argument(
        "--executor", choices=("claude", "codex", "opencode"), default="", help="a client that carries the tasks out"
    )
    parser.add_argument("--resume", default="", metavar="RUN", help="go on with a run; `last` is the newest")
    parser.add_argument("--undo", default="", metavar="RUN", help="take a run's changes back")
    parser.add_argument("--force", action="store_true", help="with --undo: also files that changed since")


def run(args: argparse.Namespace, out: Output) -> int:
    """Reach a goal: plan with memory, carry out, validate, learn."""
    args.settings += [f"model={args.model}"] if args.model else []
    args.settings += [f"run.tokens={args.budget}"] if args.budget else []
    args.settings += [f"run.gates={'; '.join(args.gate)}"] if args.gate else []
    app = open_app(args)
    if args.undo:
        return _undo(app, args.undo, out, force=args.force)
    goal = " ".join(args.goal).strip()
    if not goal and not args.resume:
        raise GoalMissing
    trust = args.trust or (str(Trust.WORKSPACE) if args.yes else "")
    options = read_options(app, trust=trust, lens=args.lens, planner=args.planner)
    view = Picture() if sys.stderr.isatty() and out.interactive and not out.as_json else Lines(out)
    made = open_run(app, goal, options, asking(view) if sys.stdin.isatty() else None, args.resume, args.executor)
    out.notices([*app.notices, *made.notices])
    if not out.as_json:
        out.line(f"{made.run.name}: {one_line(made.session.goal)}")
    last = asyncio.run(_followed(made, view, out, plan_only=args.plan_only or args.dry_run))
    if args.dry_run:
        made.run.discard()
    elif not out.as_json:
        _told(made, last, out)
    out.notices(made.memory.notices)
    return 0 if last is not None and last.type is EventType.COMPLETE and _is_good(last, args) else 1


def _is_good(last: AgentEvent, args: argparse.Namespace) -> bool:
    return bool(args.plan_only or args.dry_run or last.data["success"])


async def _followed(made: PreparedRun, view: Lines | Picture, out: Output, *, plan_only: bool) -> AgentEvent | None:
    """Every event, as it happens. Ctrl-C ends the run at the next breath, and leaves files whole."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(name, task.cancel)
    last: AgentEvent | None = None
    events = made.agent.run(
        made.session, made.memory, planner=made.planner, plan_only=plan_only, carrier=made.carrier
    )  # fmt: skip
    try:
        async with contextlib.aclosing(events):
            async for event in events:
                last = event
                if out.as_json:
                    out.json_line({"type": event.type, "data": dict(event.data), "ts": event.ts, "run": event.run})
                else:
                    view.take(event)
    except asyncio.CancelledError:
        _stopped("Stopped", made, out)
        return None
    finally:
        view.close()
    if last is not None and last.type is EventType.CANCELLED:
        words = str(last.data["message"])
        _stopped(f"{words[:1].upper()}{words[1:]}", made, out)
    return last


def _stopped(words: str, made: PreparedRun, out: Output) -> None:
    if not out.as_json:
        out.line(f"{words}. Go on with it: holdfast run --resume {made.run.name}")


def _told(made: PreparedRun, last: AgentEvent | None, out: Output) -> None:
    if last is None or last.type is not EventType.COMPLETE:
        return
    data = last.data
    if made.run.state().get("status") == "planned":
        out.line(f"Carry it out: holdfast run --resume {made.run.name}")
        return
    state = "Done" if data["success"] else f"Not done ({data['why'] or 'a task failed'})"
    spent = data["budget"]
    numbers = f"{data['done']} of {data['tasks']} tasks, {len(data['files'])} files, {spent['spent_tokens']} tokens"
    out.line(f"{state}: {numbers}.")
    for each in data["criteria"]:
        mark = {True: "✓", False: "✗", None: "?"}[each["met"]]
        out.cut(f"  {mark} {'not: ' if each['anti'] else ''}{each['text']}")
    given = data["decisions"] + data["learnings"] + data["failures"]
    if given:
        out.line(f"{given} to review: holdfast review, or holdfast list --candidates")
    if data["files"]:
        out.line(f"See it: holdfast runs diff {made.run.name}   Take it back: holdfast run --undo {made.run.name}")


def _undo(app: App, wanted: str, out: Output, *, force: bool) -> int:
    need_person(app, f"run --undo {wanted}")
    name = Runs(app.folder).named(wanted).name
    done = undo_run(app.workspace, name, force=force)
    if out.as_json:
        out.json({"run": name, "restored": list(done.restored)})
    out.line(f"Undone: {name}, {len(done.restored)} files as they were.")
    for path in done.restored:
        out.cut(f"  {path}")
    return 0


def asking(view: Lines | Picture | None = None) -> Approve:
    """Ask the person at the terminal, one thing at a time, below what is drawn."""
    turn = asyncio.Lock()

    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        async with turn:
            if view is not None:
                view.leave()
            return await _asked(request)

    return approve


async def _asked(request: ApprovalRequest) -> ApprovalAnswer:
    shown = request.diff or (f"$ {request.command}" if request.command else "")
    why = f"\n  the guard says: {request.why}" if request.why else ""
    print(f"\n{shown}\n{one_line(request.what)}{why}", file=sys.stderr)
    print("Do it? [y]es, [n]o, [a]lways in this run, or say why not: ", end="", file=sys.stderr, flush=True)
    said = (await _line()).strip()
    answers = {"y": YES, "yes": YES, "a": ALWAYS, "always": ALWAYS, "n": NO, "no": NO, "": NO}
    found = answers.get(said.lower())
    return ApprovalAnswer(answer=found) if found else ApprovalAnswer(answer=NO, reason=said)


async def _line() -> str:
    """A line of the terminal. Nobody waits for it in a thread: a run that is cancelled meanwhile must end."""
    ready = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()
