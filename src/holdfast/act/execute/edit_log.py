"""The edit log of a run: every change is on disk, with the bytes before and after, before it is made."""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from holdfast.act.execute.tree_sums import Tree, TreeTooLarge, compare_trees, parse_state, state_json
from holdfast.core.errors import BadRequest, Conflict, Damaged, HoldfastError
from holdfast.core.file_names import ID
from holdfast.core.value import Value
from holdfast.redact import clean as redact
from holdfast.system.folders import translate_os_errors
from holdfast.system.safe_fs import FILE, Parts, PathState, SafeFolder
from holdfast.system.safe_write import hold_lock, write_all

FOLDER = ".holdfast"
RUNS = "runs"
LOG, BLOBS, LOCK, BASE, BASE_BYTES = "edits.jsonl", "blobs", "edits.lock", "base.jsonl", "base.bin"
VERSION = 1
LARGEST_LOG = 256 * 1024 * 1024
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class BadRun(BadRequest):
    """A name that no run has."""

    def __init__(self, run: str) -> None:
        super().__init__(f"No run is named {run[:80]!r}.", "`holdfast runs` lists them.")


class StillRuns(Conflict):
    """Another process writes this run's log."""

    def __init__(self, run: str) -> None:
        super().__init__(f"Run '{run}' still goes on.", "wait for it, or end it, and try again.")


class LostBytes(Damaged):
    """Bytes that the log names are gone, or are others."""

    def __init__(self, run: str, sum_: str) -> None:
        super().__init__(
            f"Run '{run}' has lost the bytes {sum_[:12]}….", "what it changed can be restored from git, if that has it."
        )


class PathEdit(Value):
    """One path before and after. The bytes are those of files."""

    path: str
    before: PathState | None
    after: PathState | None
    old: bytes | None = None
    new: bytes | None = None


class LoggedEdit(Value):
    """A change as the log has it."""

    number: int
    path: str
    before: PathState | None
    after: PathState | None
    task: str = ""
    tool: str = ""
    call: str = ""


class EditLog:
    """The log of one run. One process writes it at a time; threads take turns by `turn`. `reading`: only looked at."""

    def __init__(self, below: SafeFolder, run: str, *, reading: bool = False) -> None:
        if not ID.fullmatch(run):
            raise BadRun(run)
        self.run = run
        self.turn = threading.RLock()
        self._below = below
        self._folder: Parts = (FOLDER, RUNS, run)
        self._lock = -1
        if not reading:
            self._make()
            self._lock = self._locked()
        self._rows = self._read()
        self._base: dict[str, tuple[int, int]] = {}
        self._base_size = 0
        self._base_file = -1
        self._known: dict[str, PathState] = {}
        self._sums = 0
        self.tree = Tree(below, self._keep_base)
        self.running = 0
        self._since = 0.0
        self._tracks = True
        if not reading and not self.undoing:
            self._recover_changes()
        if not reading:
            self._recover()

    @property
    def changes(self) -> list[LoggedEdit]:
        """All changes since the run began or was undone, in order, without those that failed."""
        over = max((at for at, row in enumerate(self._rows) if row.get("kind") == "undone"), default=-1)
        rows = self._rows[over + 1 :]
        void = {number for row in rows if row.get("kind") == "void" for number in row.get("numbers", ())}
        return [change for row in rows if (change := _parse_edit(row)) is not None and change.number not in void]

    @property
    def notes(self) -> list[str]:
        """What cannot be restored, in words."""
        said = [str(row.get("note", "")) for row in self._rows if row.get("kind") == "note"]
        return list(dict.fromkeys(said))

    @property
    def undone(self) -> bool:
        """Whether nothing was changed since the run was undone."""
        kinds = [row.get("kind") for row in self._rows if row.get("kind") in {"undone", "change"}]
        return bool(kinds) and kinds[-1] == "undone"

    @property
    def undoing(self) -> bool:
        """Whether an undo began and was cut short."""
        kinds = [row.get("kind") for row in self._rows if row.get("kind") in {"undoing", "undone", "change"}]
        return bool(kinds) and kinds[-1] == "undoing"

    def record(self, changes: Sequence[PathEdit], *, task: str = "", tool: str = "", call: str = "") -> list[int]:
        """Write changes down, durable on return; their numbers. Then make them, and say `void` if that failed."""
        with self.turn:
            for change in changes:
                self._keep(change.before, change.old)
                self._keep(change.after, change.new)
            rows = [
                {
                    "kind": "change", "path": change.path, "before": state_json(change.before),
                    "after": state_json(change.after), "task": task, "tool": tool, "call": call,
                }
                for change in changes
            ]  # fmt: skip
            numbers = self._append(rows)
            for change in changes:
                self.tree.set(change.path, change.after)
            return numbers

    def void(self, numbers: Sequence[int], changes: Sequence[PathEdit]) -> None:
        """Say that changes were not made, or were taken back."""
        with self.turn:
            self._append([{"kind": "void", "numbers": list(numbers)}])
            for change in changes:
                self.tree.set(change.path, change.before)

    def mark(self, kind: str, **fields: Any) -> None:
        """Write down that something happened."""
        with self.turn:
            self._append([{"kind": kind, **fields}])

    def bytes_of(self, state: PathState) -> bytes | None:
        """The bytes of a file's state; None where they were not kept."""
        if not state.sha256:
            return None
        if not state.size:
            return b""
        blob = (*self._folder, BLOBS, state.sha256)
        data: bytes | None = None
        if self._below.status(blob) is not None:
            data = self._below.read(blob).data
        elif state.sha256 in self._base:
            data = self._base_bytes(state.sha256)
        if data is not None and sha256(data).hexdigest() != state.sha256:
            raise LostBytes(self.run, state.sha256)
        return data

    # Commands

    def begin_command(self, command: str, task: str) -> None:
        """A command is about to run: keep what it may change."""
        with self.turn:
            if self._tracks:
                self._look("", "", by_run=self.running > 0)
                if not self.running:
                    self._write_base()
            if not self.running:
                self._since = time.time()
            shown = str(redact.clean(command[:2000]).value)
            self._append([{"kind": "command", "command": shown, "task": task}])
            self.running += 1

    def end_command(self, task: str, tool: str) -> list[LoggedEdit]:
        """A command is over: record what it changed."""
        with self.turn:
            self.running -= 1
            found = self._look(task, tool, by_run=True) if self._tracks else []
            if not self.running:
                self._append([{"kind": "commands_over"}])
            return found

    def _look(self, task: str, tool: str, *, by_run: bool) -> list[LoggedEdit]:
        try:
            found = self.tree.differences()
        except TreeTooLarge as error:
            self._tracks = False
            self._append([{"kind": "note", "note": f"{error} {error.hint}"}])
            return []
        known = set(self.notes)
        self._append([{"kind": "note", "note": note} for note in self.tree.notes if note not in known])
        if not found or not by_run:
            return []
        theirs = self._by_other_runs()
        found = [each for each in found if each.after not in theirs.get(each.path, ())]
        if not found:
            return []
        changes = [
            PathEdit(
                path=each.path, before=each.before, after=each.after, old=self._held(each.before),
                new=self._held(each.after),
            )
            for each in found
        ]  # fmt: skip
        first = self.record(changes, task=task, tool=tool)[0]
        return [
            LoggedEdit(number=at, path=each.path, before=each.before, after=each.after, task=task, tool=tool)
            for at, each in enumerate(found, start=first)
        ]

    def _by_other_runs(self) -> dict[str, list[PathState | None]]:
        """What other runs say they changed since the command began: it is theirs to undo."""
        found: dict[str, list[PathState | None]] = {}
        for name, _ in self._below.names(self._folder[:-1]) if self._since else ():
            parts = (*self._folder[:-1], name, LOG)
            with suppress(HoldfastError):
                status = self._below.status(parts)
                if name == self.run or status is None or status.st_mtime < self._since - 1:
                    continue
                rows = list(_json_lines(self._below.read(parts, LARGEST_LOG).data))
                over = max((at for at, row in enumerate(rows) if row.get("ts", "") < _stamp(self._since)), default=-1)
                for change in filter(None, map(_parse_edit, rows[over + 1 :])):
                    found.setdefault(change.path, []).append(change.after)
        return found

    def _held(self, state: PathState | None) -> bytes | None:
        return self.bytes_of(state) if state is not None and state.kind == FILE else None

    def _recover_changes(self) -> None:
        """A change that was written down and never made: what stands there is what stood there before it."""
        last = {change.path: change for change in self.changes}
        for folder in {tuple(path.split("/"))[:-1] for path in last}:
            self._below.drop_leftovers(folder)
        unmade = [change for change in last.values() if self._unmade(change)]
        self._append([{"kind": "void", "numbers": [change.number for change in unmade]}] if unmade else [])

    def _unmade(self, change: LoggedEdit) -> bool:
        try:
            now = self._below.state(tuple(change.path.split("/")))
        except HoldfastError:
            return False
        return now == change.before and now != change.after

    def _recover(self) -> None:
        """A command was cut short with its run: what it changed is what differs now."""
        kinds = [row.get("kind") for row in self._rows if row.get("kind") in {"command", "commands_over"}]
        cut_short = kinds[-1:] == ["command"] and self._below.status((*self._folder, BASE)) is not None
        if cut_short:
            self._load_base()
            self._look("", "command", by_run=True)
            self._append([{"kind": "commands_over"}])
        self._drop_base()
        self.tree = Tree(self._below, self._keep_base)

    def _load_base(self) -> None:
        expected: dict[str, PathState] = {}
        skipped: list[str] = []
        for row in _json_lines(self._below.read((*self._folder, BASE), LARGEST_LOG).data):
            if "skipped" in row:
                skipped = [str(path) for path in row["skipped"]]
                self._base_size = int(row["bytes"])
            elif "sum" in row:
                self._base[str(row["sum"])] = (int(row["at"]), int(row["size"]))
            elif (state := parse_state(row.get("state"))) is not None:
                expected[str(row["path"])] = state
            else:
                expected.pop(str(row.get("path")), None)
        self.tree.load(expected, skipped)

    def _write_base(self) -> None:
        """Write down what is expected where: all of it once, then what is new."""
        now = self.tree.expected
        known, self._known = self._known, dict(now)
        sums, self._sums = list(self._base.items())[self._sums :], len(self._base)
        rows: list[Mapping[str, Any]] = [{"skipped": sorted(self.tree.skipped), "bytes": self._base_size}]
        rows += ({"sum": name, "at": at, "size": size} for name, (at, size) in sums)
        rows += ({"path": path, "state": state_json(now.get(path))} for path in compare_trees(known, now))
        self._fsync(BASE_BYTES)
        with self._opened(BASE) as descriptor:
            write_all(descriptor, "".join(map(_line, rows)).encode("utf-8", "surrogatepass"))
            os.fsync(descriptor)

    def _keep_base(self, data: bytes, name: str) -> None:
        if not data or name in self._base:
            return
        if self._base_file < 0:
            self._base_file = self._opened(BASE_BYTES).__enter__()
            self._base_size = os.fstat(self._base_file).st_size
        write_all(self._base_file, data)
        self._base[name] = (self._base_size, len(data))
        self._base_size += len(data)

    def _base_bytes(self, name: str) -> bytes:
        at, size = self._base[name]
        with self._opened(BASE_BYTES) as descriptor:
            return os.pread(descriptor, size, at)

    # The log

    def close(self) -> None:
        """Close it; what was kept for commands alone goes."""
        if self._lock < 0:
            return
        if not self.running:
            self._drop_base()
        os.close(self._lock)
        self._lock = -1

    def _drop_base(self) -> None:
        if self._base_file >= 0:
            os.close(self._base_file)
        self._base, self._base_size, self._base_file = {}, 0, -1
        self._drop(BASE)
        self._drop(BASE_BYTES)

    def _make(self) -> None:
        for depth in range(1, len(self._folder) + 1):
            parts = self._folder[:depth]
            if self._below.status(parts) is None:
                self._below.make_folder(parts, 0o755 if depth == 1 else 0o700)
        blobs = (*self._folder, BLOBS)
        if self._below.status(blobs) is None:
            self._below.make_folder(blobs, 0o700)

    def _locked(self) -> int:
        with translate_os_errors(LOCK), self._below.folder(self._folder) as folder:
            lock = os.open(LOCK, _APPEND, 0o600, dir_fd=folder)
        if not hold_lock(lock):
            os.close(lock)
            raise StillRuns(self.run)
        return lock

    def _opened(self, name: str) -> "_Opened":
        return _Opened(self._below, self._folder, name)

    def _fsync(self, name: str) -> None:
        with self._opened(name) as descriptor:
            os.fsync(descriptor)

    def _drop(self, name: str) -> None:
        if self._below.status((*self._folder, name)) is not None:
            self._below.remove((*self._folder, name))

    def _keep(self, state: PathState | None, data: bytes | None) -> None:
        if state is None or state.kind != FILE or not state.sha256 or not data:
            return
        blob = (*self._folder, BLOBS, state.sha256)
        if self._below.status(blob) is None:
            self._below.put(blob, data, mode=0o600)

    def _read(self) -> list[dict[str, Any]]:
        parts = (*self._folder, LOG)
        if self._below.status(parts) is None:
            return []
        return list(_json_lines(self._below.read(parts, LARGEST_LOG).data))

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        if not rows:
            return []
        first = max((int(row.get("n", 0)) for row in self._rows[-1:]), default=0) + 1
        now = _stamp(time.time())
        made = [{"v": VERSION, "n": number, "ts": now, **row} for number, row in enumerate(rows, start=first)]
        data = "".join(map(_line, made)).encode("utf-8", "surrogatepass")
        with self._opened(LOG) as descriptor:
            size = os.fstat(descriptor).st_size
            # A line that a crash cut short must not swallow this one.
            torn = size and os.pread(descriptor, 1, size - 1) != b"\n"
            try:
                write_all(descriptor, b"\n" + data if torn else data)
                os.fsync(descriptor)
            except OSError:
                # On a full disk: half a row would be read as none, but a whole one as a change that was made.
                with suppress(OSError):
                    os.ftruncate(descriptor, size)
                raise
        self._rows += made
        return [row["n"] for row in made]


class _Opened:
    """A file of a run's folder, open for appending."""

    def __init__(self, below: SafeFolder, folder: Parts, name: str) -> None:
        self._below, self._folder, self._name = below, folder, name
        self._fd = -1

    def __enter__(self) -> int:
        with translate_os_errors(self._name), self._below.folder(self._folder) as folder:
            self._fd = os.open(self._name, _APPEND, 0o600, dir_fd=folder)
        return self._fd

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n"


def _json_lines(data: bytes) -> Iterator[dict[str, Any]]:
    """The rows of a log. A row that was cut short is of a change that was never made."""
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _parse_edit(row: Mapping[str, Any]) -> LoggedEdit | None:
    if row.get("kind") != "change":
        return None
    try:
        return LoggedEdit(
            number=int(row["n"]),
            path=str(row["path"]),
            before=parse_state(row["before"]),
            after=parse_state(row["after"]),
            task=str(row.get("task", "")),
            tool=str(row.get("tool", "")),
            call=str(row.get("call", "")),
        )
    except (KeyError, TypeError, ValueError):
        return None
