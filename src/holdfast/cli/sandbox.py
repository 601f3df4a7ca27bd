"""holdfast sandbox"""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType
from typing import Any

from holdfast.cli.common import count, flags, opened
from holdfast.cli.output import Output, one_line
from holdfast.domain.errors import BadRequest, HoldfastError, NotFound, Unavailable
from holdfast.memory.open import App, open_memory
from holdfast.memory.sandboxes import Conductor, Watch, take_report, worker_pack

EXAMPLES = """\
  holdfast sandbox wrap --store s3://bucket/conductors --name planner -- claude -p "plan the week"
  holdfast sandbox pack --goal "add caching to the API" pack.json      what a worker may know
  holdfast sandbox report result.json --worker w1                      what it found out: candidates
"""
STATUS = "of `wrap`: the command's own · else 0 done · 2 refused · 3 not there · 4 conflict · 6 out of reach"
LOOK = 0.5
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
LAST_CHANCE = 20.0
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class NoCommand(BadRequest):
    """Nothing to run."""

    def __init__(self) -> None:
        super().__init__("What shall run in the sandbox?", "holdfast sandbox wrap --store URL -- COMMAND …")


class NoSuchCommand(NotFound):
    """A command that is not there."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name!r} cannot be started: {reason}.", "check the name and the PATH.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=["wrap", "pack", "report"], help="what to do")
    parser.add_argument("words", nargs="*", default=[], metavar="WORD", help="`wrap`: -- COMMAND …; else a file")
    parser.add_argument("--store", default="", metavar="URL", help="with `wrap`: a folder, s3://BUCKET/PATH, …")
    parser.add_argument(
        "--name", default="", metavar="CONDUCTOR", help="with `wrap`: whose memory (default: the folder's)"
    )
    parser.add_argument("--mine", action="store_true", help="with `wrap`: the memory there is yours, whatever its seal")
    parser.add_argument("--goal", default="", help="with `pack`: what the worker shall do")
    parser.add_argument("--budget", type=count, default=0, metavar="N", help="with `pack`: tokens at most")
    parser.add_argument("--worker", default="worker", metavar="NAME", help="with `report`: who reports")


def run(args: argparse.Namespace, out: Output) -> int:
    """Wrap a command, or serve its workers."""
    if args.verb == "wrap":
        return _wrap(args)
    if len(args.words) != 1:
        raise BadRequest(f"`holdfast sandbox {args.verb}` takes one file.", "`holdfast sandbox --help` has examples.")
    app = opened(args)
    done = (_pack if args.verb == "pack" else _report)(app, args, out)
    out.notices(app.notices)
    return done


def _pack(app: App, args: argparse.Namespace, out: Output) -> int:
    held = worker_pack(app, args.goal, args.words[0], budget=args.budget)
    if out.as_json:
        out.json({"path": os.path.abspath(args.words[0]), "tokens": held.get("tokens", 0)})
    out.line(f"Wrote {args.words[0]}: what is accepted here and matters to the goal. Its `prompt` is for the worker.")
    return 0


def _report(app: App, args: argparse.Namespace, out: Output) -> int:
    done = take_report(app, args.words[0], args.worker)
    if out.as_json:
        out.json({"candidates": list(done.candidates), "rejected": list(done.rejected)})
    for name in done.candidates:
        out.line(f"candidate  {name}")
    for reason in done.rejected:
        out.cut(f"not taken  {reason}")
    out.line("To review: holdfast candidates" if done.candidates else "Nothing was reported.")
    return 0


def _wrap(args: argparse.Namespace) -> int:
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    if not words:
        raise NoCommand
    if not args.store:
        raise BadRequest("Where shall the memory go?", "--store URL: a folder, s3://BUCKET/PATH, …")
    app = opened(args)
    keeper = _Keeper(app, args)
    keeper.start()
    try:
        child = subprocess.Popen(words)
    except OSError as error:
        raise NoSuchCommand(words[0], error.strerror or str(error)) from error
    passing = _pass_signals(child, keeper)
    watch = Watch(open_memory(args.workspace, flags(args.settings)))
    status = None
    while status is None:
        try:
            status = child.wait(timeout=LOOK)
        except subprocess.TimeoutExpired:
            if watch.ended():
                keeper.wake()
    keeper.finish()
    for number, before in passing.items():
        signal.signal(number, before)
    return status if status >= 0 else 128 - status


def _pass_signals(child: subprocess.Popen[bytes], keeper: "_Keeper") -> dict[int, Any]:
    """Have the command get what we get; the memory is written out at once, for the end may be near."""

    def pass_on(number: int, _: FrameType | None) -> None:
        # From a terminal, Ctrl-C reaches the command by itself.
        if number != signal.SIGINT or not sys.stdin.isatty():
            child.send_signal(number)
        keeper.wake()

    return {number: signal.signal(number, pass_on) for number in PASSED_ON}


class _Keeper:
    """Writes memory out in a thread of its own, again and again where the store does not answer."""

    def __init__(self, app: App, args: argparse.Namespace) -> None:
        self._conductor = Conductor(app, args.store, args.name, mine=args.mine)
        self._app = app
        self._asked, self._over = threading.Event(), threading.Event()
        self._pulled = self._due = False
        self._pause = FIRST_PAUSE
        self._trouble = ""
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Bring in what is there, then go on beside the command. Only a memory that is not ours stops it."""
        try:
            self._pull()
        except Unavailable as error:
            self._say(f"{error} The command starts without that memory; it is tried again.")
        self._thread.start()

    def wake(self) -> None:
        """Write out now."""
        self._asked.set()

    def finish(self) -> None:
        """Write out a last time, for as long as there is a chance."""
        self._over.set()
        self._asked.set()
        self._thread.join()

    def _pull(self) -> None:
        done = self._conductor.pull()
        self._pulled = True
        if done is None:
            self._say(f"There is no memory at {self._conductor.place} yet.")
        else:
            self._say(f"Brought in the memory of {done.manifest.created} from {self._conductor.place}.")

    def _work(self) -> None:
        while not self._over.is_set():
            waits = self._pause if self._due or not self._pulled else None
            asked = self._asked.wait(waits)
            self._asked.clear()
            self._due = self._due or asked
            self._try()
        end = time.monotonic() + LAST_CHANCE
        self._due = True
        while self._due and time.monotonic() < end:
            self._try()
            if self._due:
                time.sleep(min(self._pause, max(0.0, end - time.monotonic())))
        if self._due:
            self._say(f"The memory was not written out: {self._trouble} It lies in {self._app.folder}.")

    def _try(self) -> None:
        try:
            if not self._pulled:
                self._pull()
            if self._due:
                done = self._conductor.push()
                if done is not None:
                    self._say(f"Wrote the memory to {done.written.place}.")
                self._due = False
            self._pause = FIRST_PAUSE
            if self._trouble:
                self._say("The store answers again.")
            self._trouble = ""
        except (HoldfastError, OSError) as error:
            if str(error) != self._trouble:
                self._say(f"{error} It is tried again.")
            self._trouble = str(error)
            self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _say(self, words: str) -> None:
        print(f"holdfast sandbox: {one_line(words)}", file=sys.stderr, flush=True)
