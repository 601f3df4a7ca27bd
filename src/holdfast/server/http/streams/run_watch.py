"""The runs of a workspace as their files tell of them, whoever carries them: begun, what happens, ended."""

import os
import time
from collections.abc import Callable

from holdfast.act.run_files import EVENTS, INTERRUPTED, RUNNING, RUNS, AgentRun, NoRun, Runs
from holdfast.server.http.streams.run_tail import RunFeed, Tail, is_over
from holdfast.server.http.streams.workspace_stream import Hub

# How many runs are looked at in one round beside those that go on: the newest, and some of the others in turn.
NEWEST, OTHERS = 8, 40
ALIVE_EVERY = 1.0
AGAIN, LIST_EVERY = 0.2, 1.0
GONE = "cancelled"

Stamp = tuple[int, int, int] | None


class TrackedRun:
    """One run as it was last seen."""

    def __init__(self, run: AgentRun, *, fresh: bool) -> None:
        self.run = run
        self.stamp: Stamp = None
        self.status = ""
        self.size = 0
        self.tail: Tail | None = None
        self.feed: RunFeed | None = None
        self.asked = 0.0
        if not fresh:
            self.stamp, self.size = self.stamped(), self.grown()
            self.status = run.status

    @property
    def wanted(self) -> bool:
        """Whether it is looked at in every round."""
        return self.status == RUNNING or (self.feed is not None and self.feed.subscribers > 0)

    def stamped(self) -> Stamp:
        """The stamp of what the run says of itself."""
        return read_stamp(os.path.join(self.run.folder, "run.json"))

    def grown(self) -> int:
        """How long its events are."""
        found = read_stamp(os.path.join(self.run.folder, EVENTS))
        return found[1] if found else 0

    def read_on(self) -> Tail:
        """Its events, from where they were last seen."""
        if self.tail is None:
            self.tail = Tail(self.run.folder, self.size)
        return self.tail


class RunTracker:
    """Every run, and what moved. For one thread at a time."""

    def __init__(self, folder: str, hub: Hub, clock: Callable[[], float] = time.monotonic) -> None:
        self._runs, self._hub, self._clock = Runs(folder), hub, clock
        self._place = os.path.join(folder, RUNS)
        self._listed: Stamp = None
        self._list_at = 0.0
        self._turn = 0
        self._known = {name: TrackedRun(self._runs.run(name), fresh=False) for name in self._runs.names()}

    def look(self) -> None:
        """Tell what happened in runs since the last look."""
        now = read_stamp(self._place)
        if now != self._listed or self._clock() >= self._list_at:
            # A folder is made before its run.json, which moves the stamp of the run's folder, not of this one.
            self._list_at = self._clock() + (AGAIN if now != self._listed else LIST_EVERY)
            self._listed = now
            for name in self._runs.names():
                self._known.setdefault(name, TrackedRun(self._runs.run(name), fresh=True))
        for name in self._chosen():
            self._look_at(name, self._known[name])

    def feed(self, name: str) -> RunFeed:
        """The stream of one run, from here on. Raises NoRun."""
        self.look()
        if name not in self._known:
            raise NoRun(name)
        life = self._known[name]
        if life.feed is None:
            self._take(life)
            life.feed = RunFeed(life.read_on(), over=is_over(life.status))
        return life.feed

    def let_go(self) -> None:
        """Nobody follows any run now."""
        for life in self._known.values():
            life.feed = None

    def _chosen(self) -> list[str]:
        names = sorted(self._known)
        always = [name for name in names if self._known[name].wanted]
        others = names[:-NEWEST]
        begin = self._turn % len(others) if others else 0
        self._turn = begin + OTHERS
        return list(dict.fromkeys([*always, *names[-NEWEST:], *others[begin : begin + OTHERS]]))

    def _look_at(self, name: str, life: TrackedRun) -> None:
        stamp, was = life.stamped(), life.status
        moved = stamp != life.stamp
        # The state first: all that happened before it ended is in the file by then.
        status = life.run.status if moved or self._ask_again(life) else was
        life.stamp, life.status = stamp, status if stamp is not None else GONE
        begun = was != RUNNING and (status == RUNNING or (moved and life.grown() > life.size))
        if begun:
            goal = str(life.run.state().get("goal", ""))
            self._hub.publish("run_started", {"runId": name, "goal": goal})
        if begun or was == RUNNING or life.wanted:
            self._take(life)
        if (begun or was == RUNNING) and is_over(life.status):
            self._over(name, life)
        if stamp is None:
            del self._known[name]

    def _ask_again(self, life: TrackedRun) -> bool:
        """Whether to see if somebody still carries it."""
        if life.status not in {RUNNING, INTERRUPTED} or self._clock() - life.asked < ALIVE_EVERY:
            return False
        life.asked = self._clock()
        return True

    def _take(self, life: TrackedRun) -> None:
        tail = life.read_on()
        for event in tail.rest():
            self._hub.publish(event.type, {**event.data, "runId": life.run.name}, event.ts)
            if life.feed is not None:
                life.feed.take(event)
        life.size = tail.offset

    def _over(self, name: str, life: TrackedRun) -> None:
        told = {"runId": name, "status": life.status}
        self._hub.publish("run_complete", told)
        if life.feed is not None:
            life.feed.end(told)


def read_stamp(path: str) -> Stamp:
    """What moves when a file does."""
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino
