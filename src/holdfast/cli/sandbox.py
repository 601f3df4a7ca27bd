"""holdfast sandbox"""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Self

from holdfast.app import open_memory
from holdfast.cli.common import open_app, parse_count, parse_settings
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest, HoldfastError, NotFound, Unavailable
from holdfast.exchange.bundles.export_import import BundleImportResult
from holdfast.exchange.bundles.sandbox_workers import accept_report, build_worker_pack
from holdfast.exchange.bundles.sandboxes import Conductor, JournalWatch
from holdfast.workspace import App

EXAMPLES = """\
  holdfast sandbox wrap --store s3://bucket/conductors --name planner -- claude -p "plan the week"
  holdfast sandbox pull --store s3://bucket/conductors --name planner  by hand: bring the memory in
  holdfast sandbox push --store s3://bucket/conductors --name planner  by hand: write it out
  holdfast sandbox pack --goal "add caching to the API" pack.json      what a worker may know
  holdfast sandbox report result.json --worker w1                      what it found out: candidates
"""
STATUS = (
    "of `wrap`: the command's own; 127 it is not there, 126 it cannot be run · else 0 done · 1 nothing was reported · "
    "2 refused · 3 not there · 4 conflict · 6 out of reach"
)
# As shells say it.
NOT_TO_RUN, NOT_THERE = 126, 127
LOOK = 0.5
EVERY = 60
# Writing out takes at most this part of the time while a conversation goes on.
SHARE = 10
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
LAST_CHANCE = 20.0
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class NoCommand(BadRequest):
    """Nothing to run."""

    def __init__(self) -> None:
        super().__init__("What shall run in the sandbox?", "holdfast sandbox wrap --store URL -- COMMAND …")


class NoSuchProgram(NotFound):
    """A command that is not there."""

    def __init__(self, name: str, error: OSError) -> None:
        reason = error.strerror or str(error)
        super().__init__(f"{name!r} cannot be started: {reason}.", "check the name and the PATH.")
        self.exit_status = NOT_THERE if isinstance(error, FileNotFoundError) else NOT_TO_RUN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=["wrap", "pull", "push", "pack", "report"], help="what to do")
    parser.add_argument("words", nargs="*", default=[], metavar="WORD", help="`wrap`: -- COMMAND …; else a file")
    parser.add_argument(
        "--store", default="", metavar="URL", help="where the memory is kept: a folder, s3://BUCKET/PATH, …"
    )
    parser.add_argument(
        "--name", default="", metavar="CONDUCTOR", help="whose memory it is there (default: the folder's name)"
    )
    parser.add_argument("--mine", action="store_true", help="the memory there is yours, whatever its seal")
    parser.add_argument(
        "--every",
        type=parse_count,
        default=EVERY,
        metavar="SECONDS",
        help="with `wrap`: also in the middle of a conversation, so often at most (default 60)",
    )
    parser.add_argument("--goal", default="", help="with `pack`: what the worker shall do")
    parser.add_argument("--budget", type=parse_count, default=0, metavar="N", help="with `pack`: tokens at most")
    parser.add_argument("--worker", default="worker", metavar="NAME", help="with `report`: who reports")


def run(args: argparse.Namespace, out: Output) -> int:
    """Wrap a command, or serve its workers."""
    if args.verb == "wrap":
        return _wrap(args)
    if args.verb in {"pull", "push"} and args.words:
        raise BadRequest(
            f"`holdfast sandbox {args.verb}` takes no words.", "to run a command: `holdfast sandbox wrap`."
        )
    if args.verb in {"pack", "report"} and len(args.words) != 1:
        raise BadRequest(f"`holdfast sandbox {args.verb}` takes one file.", "`holdfast sandbox --help` has examples.")
    app = open_app(args)
    done = _VERBS[args.verb](app, args, out)
    out.notices(app.notices)
    return done


def _pull(app: App, args: argparse.Namespace, out: Output) -> int:
    conductor = _conductor(app, args)
    done = conductor.pull()
    if out.as_json:
        out.json({"place": conductor.place, "created": done.manifest.created if done else None})
    out.line(_brought(conductor, done))
    return 0


def _push(app: App, args: argparse.Namespace, out: Output) -> int:
    conductor = _conductor(app, args)
    done = conductor.push()
    if out.as_json:
        out.json({"head": conductor.place, "place": done.written.place if done else None})
    out.line(f"Wrote the memory to {done.written.place}." if done else "Nothing changed since the last time.")
    return 0


def _conductor(app: App, args: argparse.Namespace) -> Conductor:
    if not args.store:
        raise BadRequest("Where is the memory kept?", "--store URL: a folder, s3://BUCKET/PATH, …")
    return Conductor(app, args.store, args.name, mine=args.mine)


def _brought(conductor: Conductor, done: BundleImportResult | None) -> str:
    if done is None:
        return f"There is no memory at {conductor.place} yet."
    return f"Brought in the memory of {done.manifest.created} from {conductor.place}."


def _pack(app: App, args: argparse.Namespace, out: Output) -> int:
    held = build_worker_pack(app, args.goal, args.words[0], budget=args.budget)
    if out.as_json:
        out.json({"path": os.path.abspath(args.words[0]), "tokens": held.get("tokens", 0)})
    out.line(f"Wrote {args.words[0]}: what is accepted here and matters to the goal. Its `prompt` is for the worker.")
    return 0


def _report(app: App, args: argparse.Namespace, out: Output) -> int:
    done = accept_report(app, args.words[0], args.worker)
    if out.as_json:
        out.json({"candidates": list(done.candidates), "rejected": list(done.rejected)})
    for name in done.candidates:
        out.line(f"candidate  {name}")
    for reason in done.rejected:
        out.cut(f"not taken  {reason}")
    out.line(
        "To review: holdfast list --candidates" if done.candidates else "Nothing was reported that could be taken."
    )
    return 0 if done.candidates else 1


_VERBS = {"pull": _pull, "push": _push, "pack": _pack, "report": _report}


def _wrap(args: argparse.Namespace) -> int:
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    if not words:
        raise NoCommand
    app = open_app(args)
    keeper = _Keeper(app, _conductor(app, args))
    # Before anything is brought in: what is said from here on is seen.
    watch = JournalWatch(open_memory(args.workspace, parse_settings(args.settings)))
    keeper.start()
    with _Passing(keeper) as passing:
        try:
            child = subprocess.Popen(words)
        except OSError as error:
            raise NoSuchProgram(words[0], error) from error
        passing.to(child)
        status = _wait(child, watch, keeper, args.every)
        keeper.finish()
    return status if status >= 0 else 128 - status


def _wait(child: subprocess.Popen[bytes], watch: JournalWatch, keeper: "_Keeper", every: int) -> int:
    """Until the command ends. The memory goes out when a conversation ends, and now and then while one goes on."""
    moved = False
    while True:
        try:
            return child.wait(timeout=LOOK)
        except subprocess.TimeoutExpired:
            # A journal that cannot be read for a moment must not end the command.
            with suppress(HoldfastError, OSError):
                seen = watch.look()
                moved = moved or seen.moved
                if seen.ended or (moved and keeper.rested(every)):
                    keeper.wake()
                    moved = False


class _Passing:
    """Has the command get the signals that we get; the memory is written out at once, for the end may be near."""

    def __init__(self, keeper: "_Keeper") -> None:
        self._keeper = keeper
        self._child: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._pass) for number in PASSED_ON}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def to(self, child: subprocess.Popen[bytes]) -> None:
        """Pass them to this one, and those that came before it was there."""
        self._child = child
        for number in self._early:
            child.send_signal(number)

    def _pass(self, number: int, _: FrameType | None) -> None:
        self._keeper.wake()
        if self._child is None:
            self._early.append(number)
        # From a terminal, Ctrl-C reaches the command by itself.
        elif number != signal.SIGINT or not sys.stdin.isatty():
            self._child.send_signal(number)


class _Keeper:
    """Writes memory out in a thread of its own, again and again where the store does not answer."""

    def __init__(self, app: App, conductor: Conductor) -> None:
        self._app, self._conductor = app, conductor
        self._asked, self._over = threading.Event(), threading.Event()
        self._pulled, self._due = False, conductor.is_behind
        self._pause = FIRST_PAUSE
        self._took, self._last = 0.0, time.monotonic()
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

    def rested(self, every: int) -> bool:
        """Whether the last time is so long ago that it may be written out again though nothing ended."""
        return time.monotonic() - self._last > max(every, SHARE * self._took)

    def finish(self) -> None:
        """Write out a last time, for as long as there is a chance."""
        self._over.set()
        self._asked.set()
        self._thread.join()

    def _pull(self) -> None:
        done = self._conductor.pull()
        self._pulled = True
        self._say(_brought(self._conductor, done))

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
            self._say(
                f"The memory was not written out: {self._trouble} It lies in {self._app.folder}; "
                "`holdfast sandbox push`, or the next `wrap`, writes it out."
            )

    def _try(self) -> None:
        try:
            if not self._pulled:
                self._pull()
            if self._due:
                begun = time.monotonic()
                done = self._conductor.push()
                self._last = time.monotonic()
                self._took = self._last - begun
                if done is not None:
                    self._say(f"Wrote the memory to {done.written.place}.")
                self._due = False
            self._pause = FIRST_PAUSE
            if self._trouble:
                self._say("The store answers again.")
            self._trouble = ""
        except Exception as error:  # whatever it is, the next try may get through, and nobody else would tell
            if self._due:
                self._conductor.missed(str(error))
            if str(error) != self._trouble:
                self._say(f"{error} It is tried again.")
            self._trouble = str(error)
            self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _say(self, words: str) -> None:
        # Nobody may listen any more; the memory is written out all the same.
        with suppress(OSError, ValueError):
            print(f"holdfast sandbox: {one_line(words)}", file=sys.stderr, flush=True)
