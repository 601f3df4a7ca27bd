"""A run on disk: what it is, its plan, what happened; enough to go on with it."""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.act.plan.plan_json import plan_json, read_plan
from holdfast.core.errors import BadRequest, Conflict, NotFound
from holdfast.core.ids import random_part
from holdfast.core.plain_text import one_line
from holdfast.core.run import ELSEWHERE, RUN_NAME, AgentEvent, CancelRequest, EventType, Plan
from holdfast.journal.journal_folder import flock
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.safe_write import put_file, read_file
from holdfast.system.written_sums import note_written

RUNS = "runs"
RUNNING, PLANNED, DONE, FAILED, CANCELLED = "running", "planned", "complete", "failed", "cancelled"
# A conversation can always be taken up again.
OPEN = "open"
# Said of a run that has no end, and no process that carries it.
INTERRUPTED = "interrupted"
EVENTS = "events.jsonl"
# Who carries a run holds this file; a look at it lasts no longer than this.
LOCK = "lock"
# Who wants it to end leaves this file; who carries it looks for it.
CANCEL = "cancel"
# A machine that was not heard of for so long may have died with its run.
SILENCE = timedelta(hours=6)
_PATIENCE = 1.0
_LONGEST_NAME = 80


class NoRun(NotFound):
    """No run has this name."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"There is no run {wanted!r}.", "`holdfast runs` lists them.")


class SeveralRuns(BadRequest):
    """A name that was cut too short."""

    def __init__(self, wanted: str, found: Sequence[str]) -> None:
        super().__init__(f"{wanted!r} could be any of {', '.join(found[:6])}.", "give more of the name.")


class RunIsHeld(Conflict):
    """A run that another process carries."""

    def __init__(self, name: str) -> None:
        self.run = name
        super().__init__(
            f"Run {name!r} is running in another process.", "wait until it ends, or `holdfast runs cancel`."
        )


class RunOfAnother(Conflict):
    """A run that another machine carries, or carried."""

    def __init__(self, name: str) -> None:
        self.run = name
        super().__init__(f"Run {name!r} belongs to another machine.", "here it is only shown: go on with it there.")


def make_run_name(now: datetime | None = None) -> str:
    """A name for a run: when it began, and something of its own."""
    return f"run-{(now or datetime.now(UTC)).strftime('%Y-%m-%d-%H%M%S')}-{random_part(8).lower()}"


class Runs:
    """The runs of a workspace."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def named(self, wanted: str) -> "AgentRun":
        """The run that a name, or the end or beginning of one, means. `last` is the newest."""
        names = self.names()
        if wanted == "last" and names:
            return self.run(names[-1])
        found = [name for name in names if name == wanted] or [
            name for name in names if wanted and (name.startswith(wanted) or name.endswith(wanted))
        ]
        if not found:
            raise NoRun(wanted)
        if len(found) > 1:
            raise SeveralRuns(wanted, found)
        return self.run(found[0])

    def going(self) -> list["AgentRun"]:
        """The runs that some process carries now, oldest first; no conversations."""
        states = ((run, run.state()) for run in map(self.run, self.names()))
        return [run for run, state in states if state.get("status") == RUNNING and not state.get("chat") and run.alive]

    def run(self, name: str) -> "AgentRun":
        """A run by its name, there or not."""
        if not RUN_NAME.fullmatch(name):
            raise NoRun(name)
        return AgentRun(self._folder, name)

    def names(self) -> list[str]:
        """The agent's own runs, oldest first. Sessions of clients have folders here too, without a run.json."""
        try:
            found = os.listdir(os.path.join(self._folder, RUNS))
        except OSError:
            return []
        return sorted(
            name
            for name in found
            if RUN_NAME.fullmatch(name) and os.path.isfile(os.path.join(self._folder, RUNS, name, "run.json"))
        )


class AgentRun:
    """One run's files. Every event is on disk before it is told to anybody."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        self._place = WritableFolder(root=folder, private=True)
        self.folder = os.path.join(folder, RUNS, name)
        self._held = -1

    def begin(self, goal: str, about: Mapping[str, Any]) -> None:
        """Write down what it is; one that was there goes on. Raises RunIsHeld where another process is at it."""
        self._hold()
        known = self.state()
        begun = known.get("started") or _now()
        self._keep({**known, "v": 1, "run": self.name, "goal": goal, "started": begun, "status": RUNNING, **about})

    def keep_plan(self, plan: Plan, more: Mapping[str, Any]) -> None:
        """Write the plan down, before the first task."""
        self._keep({**self.state(), "plan": plan_json(plan), **more})

    def end(self, status: str, more: Mapping[str, Any] | None = None) -> None:
        """Write down how it ended."""
        self._keep({**self.state(), "status": status, "ended": _now(), **(more or {})})
        self._drop_request()
        self._let_go()

    def ask_to_cancel(self, way: str, by: str = "") -> None:
        """Ask whoever carries it to end it. The first request counts."""
        if self.elsewhere:
            raise RunOfAnother(self.name)
        if os.path.lexists(os.path.join(self.folder, CANCEL)):
            return
        with open_folder(self._place, (RUNS, self.name)):
            pass
        row = {"way": way, "by": by, "at": _now()}
        put_file(os.path.join(self.folder, CANCEL), (json.dumps(row, ensure_ascii=False) + "\n").encode())

    def cancel_asked(self) -> CancelRequest | None:
        """Who wants it to end, where this process carries it; None where nobody does."""
        if self._held < 0 or not _is_file(os.path.join(self.folder, CANCEL)):
            return None
        data = read_file(self._place, f"{RUNS}/{self.name}/{CANCEL}")
        if data is None:
            return None
        try:
            row = json.loads(data)
            said = {name: one_line(str(row.get(name, "")))[:_LONGEST_NAME] for name in ("way", "by", "at")}
        except (ValueError, AttributeError):
            return CancelRequest()
        return CancelRequest(**said)

    @property
    def elsewhere(self) -> bool:
        """Whether another machine carries it: then it is only shown here."""
        return os.path.lexists(os.path.join(self.folder, ELSEWHERE))

    @property
    def alive(self) -> bool:
        """Whether some process carries it now."""
        try:
            fd = os.open(os.path.join(self.folder, LOCK), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return not flock(fd, fcntl.LOCK_SH, 0.0)
        finally:
            os.close(fd)

    @property
    def status(self) -> str:
        """How it is: as it was written down, or `interrupted` where nobody carries it to its end.

        Whether another machine still carries one of its own is not known here: it counts as interrupted when nothing
        was heard of it for long.
        """
        found = str(self.state().get("status", ""))
        if found != RUNNING:
            return found
        gone = bool(self.silent_since) if self.elsewhere else not self.alive
        return INTERRUPTED if gone else found

    @property
    def silent_since(self) -> str:
        """Since when nothing was heard of a run that another machine carries; empty where that is not long."""
        state = self.state() if self.elsewhere else {}
        if state.get("status") != RUNNING:
            return ""
        last = max([str(state.get("started", "")), *(event.ts for event in self.events()[-1:])])
        try:
            when = datetime.fromisoformat(last)
        except ValueError:
            return ""
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return last if datetime.now(UTC) - when > SILENCE else ""

    def discard(self) -> None:
        """Leave nothing of it: nothing was done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def state(self) -> dict[str, Any]:
        """What is known of the run."""
        try:
            found = json.loads(read_file(self._place, f"{RUNS}/{self.name}/run.json") or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def plan(self) -> Plan | None:
        """The plan that was taken, if it came so far."""
        held = self.state().get("plan")
        if not isinstance(held, dict):
            return None
        return read_plan(json.dumps(held), str(held.get("stance", "")))[0]

    def add(self, event: AgentEvent) -> None:
        """Keep an event; durable on return."""
        row = {"type": event.type, "data": dict(event.data), "ts": event.ts, "run": event.run}
        with open_folder(self._place, (RUNS, self.name), make=True) as folder:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(EVENTS, flags, 0o600, dir_fd=folder)
            data = (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")
            try:
                note_written(os.path.join(self.folder, EVENTS), data, os.fstat(fd).st_size)
                os.write(fd, data)
                os.fsync(fd)
            finally:
                os.close(fd)

    def events(self) -> list[AgentEvent]:
        """What happened; a line that was cut short is left out."""
        data = read_file(self._place, f"{RUNS}/{self.name}/{EVENTS}") or b""
        return [event for line in data.splitlines() if (event := _event(line)) is not None]

    def done_tasks(self) -> dict[str, tuple[str, ...]]:
        """The tasks that were finished well, each with its files."""
        found = (event.data for event in self.events() if event.type is EventType.TASK_COMPLETE)
        return {str(data["task_id"]): tuple(data.get("files", ())) for data in found if data.get("success")}

    def _hold(self) -> None:
        if self._held >= 0:
            return
        if self.elsewhere:
            raise RunOfAnother(self.name)
        with open_folder(self._place, (RUNS, self.name), make=True) as folder:
            fd = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        if not flock(fd, fcntl.LOCK_EX, _PATIENCE):
            os.close(fd)
            raise RunIsHeld(self.name)
        self._held = fd
        # A request is for who carried it then, not for who goes on with it.
        self._drop_request()

    def _drop_request(self) -> None:
        with suppress(OSError), open_folder(self._place, (RUNS, self.name)) as folder:
            os.unlink(CANCEL, dir_fd=folder)

    def _let_go(self) -> None:
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _keep(self, state: Mapping[str, Any]) -> None:
        with open_folder(self._place, (RUNS, self.name), make=True):
            pass
        put_file(
            os.path.join(self.folder, "run.json"), (json.dumps(state, ensure_ascii=False, indent=1) + "\n").encode()
        )


def _event(line: bytes) -> AgentEvent | None:
    try:
        row = json.loads(line)
        return AgentEvent(
            type=EventType(row["type"]), data=dict(row["data"]), ts=str(row.get("ts", "")), run=str(row.get("run", ""))
        )
    except (ValueError, KeyError, TypeError):
        return None


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
