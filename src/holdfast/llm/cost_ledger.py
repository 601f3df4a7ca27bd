"""The ledger: what was asked of models and what it cost, one line a step, in a file a month. Nothing said is in it."""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from holdfast.core.ids import ulid
from holdfast.core.model import Usage
from holdfast.core.value import Value, replace
from holdfast.llm.dialect import count_or_zero, parse_json, text_or_empty

VERSION = 1
LARGEST = 64 << 20
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
ASKED, ANSWERED, FAILED, REMEMBERED = "asked", "answered", "failed", "remembered"


class CostEntry(Value):
    """One request. While it is only `asked`, its numbers are the most it may take."""

    id: str
    ts: str
    outcome: str
    model: str
    purpose: str = ""
    session: str = ""
    workspace: str = ""
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0
    error: str = ""

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.usage.input + self.usage.output


class CostLedger:
    """The files of one folder."""

    def __init__(self, folder: str, now: Callable[[], datetime], workspace: str = "") -> None:
        self._folder, self._now, self._workspace = folder, now, workspace

    def reserve(self, spent: CostEntry, allowed: Callable[[Iterable[CostEntry]], None]) -> CostEntry:
        """Note that something is asked, unless `allowed` raises: nobody else writes in between."""
        made = replace(spent, id=ulid(), ts=self._stamp(), outcome=ASKED, workspace=self._workspace)
        with self._locked() as file:
            allowed(self.since(self._now() - timedelta(days=31)))
            self._append(file, made)
        return made

    def settle(self, spent: CostEntry) -> None:
        """Note how it went; the last line of an id counts."""
        with self._locked() as file:
            self._append(file, replace(spent, ts=self._stamp()))

    def note(self, spent: CostEntry) -> None:
        """Note what needed no request."""
        self.settle(replace(spent, id=ulid(), workspace=self._workspace))

    def since(self, when: datetime) -> list[CostEntry]:
        """What was spent since a time, oldest first. Lines that cannot be read are passed over."""
        first, found = when.strftime("%Y-%m-%dT%H:%M:%SZ"), dict[str, CostEntry]()
        for month in _months(when, self._now()):
            for line in self._lines(month):
                spent = entry_from_json(parse_json(line))
                if spent is not None and spent.ts >= first:
                    found[spent.id] = spent
        return list(found.values())

    def _stamp(self) -> str:
        return self._now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def _path(self, month: str) -> str:
        return os.path.join(self._folder, f"{month}.jsonl")

    def _lines(self, month: str) -> list[str]:
        try:
            with open(os.open(self._path(month), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                return file.read(LARGEST).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return []

    @contextmanager
    def _locked(self) -> Iterator[int]:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        file = os.open(self._path(self._stamp()[:7]), _FLAGS, 0o600)
        try:
            # The system gives the lock back when a process dies.
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _append(self, file: int, spent: CostEntry) -> None:
        size = os.fstat(file).st_size
        # A line that a crash cut short must not swallow this one.
        start = "\n" if size and os.pread(file, 1, size - 1) != b"\n" else ""
        data = memoryview(f"{start}{json.dumps(entry_to_json(spent), ensure_ascii=False)}\n".encode("utf-8", "replace"))
        while data:
            data = data[os.write(file, data) :]
        os.fsync(file)


def entry_to_json(spent: CostEntry) -> dict[str, Any]:
    """A line of the ledger, as JSON."""
    usage = spent.usage
    return {
        "v": VERSION, "id": spent.id, "ts": spent.ts, "outcome": spent.outcome, "model": spent.model,
        "purpose": spent.purpose, "session": spent.session, "workspace": spent.workspace, "input": usage.input,
        "output": usage.output, "cached": usage.cached, "cost": None if spent.cost is None else round(spent.cost, 8),
        "seconds": round(spent.seconds, 3), "error": spent.error,
    }  # fmt: skip


def entry_from_json(line: object) -> CostEntry | None:
    """What a line of the ledger says; None where it is none."""
    if not isinstance(line, dict) or not text_or_empty(line.get("id")):
        return None
    cost, seconds = line.get("cost"), line.get("seconds")
    usage = Usage(
        input=count_or_zero(line.get("input")),
        output=count_or_zero(line.get("output")),
        cached=count_or_zero(line.get("cached")),
    )
    return CostEntry(
        **{name: text_or_empty(line.get(name)) for name in _WORDS},
        usage=usage,
        cost=float(cost) if isinstance(cost, int | float) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
    )


_WORDS = ("id", "ts", "outcome", "model", "purpose", "session", "workspace", "error")


def _months(first: datetime, last: datetime) -> Iterator[str]:
    year, month = first.year, first.month
    while (year, month) <= (last.year, last.month):
        yield f"{year:04}-{month:02}"
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)


def group_by_day(spent: Iterable[CostEntry]) -> Mapping[str, list[CostEntry]]:
    """What was spent, by day."""
    days: dict[str, list[CostEntry]] = {}
    for each in spent:
        days.setdefault(each.ts[:10], []).append(each)
    return days
