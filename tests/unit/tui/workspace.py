"""A workspace with a queue: a conversation, candidates that came of it, and memories they meet."""

from datetime import UTC, datetime
from pathlib import Path

from holdfast.app import open_memory
from holdfast.core.event import Event
from holdfast.core.memory import Evidence, Memory, MemoryType, RejectedOption, SaidBy, Scope, Status
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

SESSION = "d489281d-5a3b-4c1e-9c55-0e5c2f1b7a90"
NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
SAID = (
    ("prompt", "We need a place to store sessions. What would you take?"),
    ("answer", "Postgres or SQLite. Postgres needs a server; SQLite is one file and has one writer at a time."),
    ("prompt", "One writer is enough. Use SQLite for storage. And never log card numbers, not even in tests."),
    ("answer", "Done: storage is SQLite now, and the logger masks card numbers."),
    ("prompt", "The tests hang when TZ is not set. Keep in mind: tests need TZ=UTC."),
    ("answer", "I set TZ=UTC in conftest.py; all 214 tests pass."),
)


class FixedClock:
    def now(self) -> datetime:
        return NOW


def workspace(folder: Path) -> App:
    """A fresh workspace whose clock stands still."""
    init(plan_init(str(folder), named=True))
    return opened(folder)


def opened(folder: Path) -> App:
    app = open_memory(str(folder))
    app.client = ""
    app.clock = FixedClock()  # type: ignore[assignment]  # a clock that stands still
    return app


def talk(app: App, *said: tuple[str, str], session: str = SESSION) -> list[str]:
    """Turns of a conversation; their events' ids."""
    events = [
        Event(client="claude-code", name=name, session=session, ts=f"2026-11-15T09:{22 + at:02}:00Z", data={name: text})
        for at, (name, text) in enumerate(said)
    ]
    return [receipt.id for receipt in app.journal.append(events)]


def candidate(name: str, title: str, **more: object) -> Memory:
    fields: dict[str, object] = {
        "type": MemoryType.DECISION, "status": Status.CANDIDATE, "body": title, "confidence": 0.9,
        "updated": "2026-11-15T10:00:00Z", **more,
    }  # fmt: skip
    return Memory(id=f"CAND-{name}", title=title, **fields)  # type: ignore[arg-type]  # fields by name


def full(folder: Path) -> App:
    """Five candidates: one contradicts a memory, one repeats one, one is a tool's word; and two memories that clash."""
    app = workspace(folder)
    turns = talk(app, *SAID)
    vault = app.vaults[Scope.WORKSPACE]
    vault.create(Memory(
        id="DEC-PGPG00", type=MemoryType.DECISION, title="Use Postgres for storage", choice="Postgres",
        question="Which database?", rejected=(RejectedOption(option="SQLite", reason="one writer"),),
        body="Use Postgres for storage.\n\nRationale: many writers, and the team runs it already.",
        valid_from="2026-11-01", updated="2026-11-01T09:00:00Z",
    ))  # fmt: skip
    vault.create(Memory(
        id="LRN-TZTZ00", type=MemoryType.LEARNING, title="Tests need TZ=UTC", body="Tests need TZ=UTC.",
        valid_from="2026-10-01", updated="2026-10-01T09:00:00Z",
    ))  # fmt: skip
    app.candidates.add(candidate(
        "SQL000", "Use SQLite for storage", choice="SQLite", question="Which database?",
        rejected=(RejectedOption(option="Postgres", reason="needs a server"),), paths=("src/store/**",),
        tags=("storage",), source=SESSION, evidence=(Evidence(event=turns[2], quote="Use SQLite for storage."),),
        updated="2026-11-15T10:05:00Z",
    ))  # fmt: skip
    app.candidates.add(candidate(
        "CARD00", "Never log card numbers", type=MemoryType.INVARIANT, confidence=0.95, source=SESSION,
        evidence=(Evidence(event=turns[2], quote="never log card numbers, not even in tests"),),
        updated="2026-11-15T10:04:00Z",
    ))  # fmt: skip
    app.candidates.add(candidate(
        "TIME00", "Tests need TZ=UTC to pass", type=MemoryType.LEARNING, confidence=0.7, source=SESSION,
        evidence=(Evidence(event=turns[4], quote="tests need TZ=UTC"),), updated="2026-11-15T10:03:00Z",
    ))  # fmt: skip
    app.candidates.add(candidate(
        "TOOL00", "The API answers 429 above 50 requests a second", type=MemoryType.LEARNING, confidence=0.4,
        said_by=SaidBy.TOOL, updated="2026-11-15T10:02:00Z",
    ))  # fmt: skip
    app.candidates.add(candidate(
        "OWN000", "Small commits, one change each", type=MemoryType.PATTERN, confidence=None, tags=("style",),
        updated="2026-11-15T10:01:00Z",
    ))  # fmt: skip
    app.refresh()
    return app


def clash(app: App) -> None:
    """Two memories that hold and contradict each other, as a merge of branches leaves them."""
    vault = app.vaults[Scope.WORKSPACE]
    for name, title, day in (
        ("OLD000", "Indent with tabs", "2026-10-01"),
        ("NEW000", "Indent with spaces", "2026-11-02"),
    ):
        vault.create(Memory(
            id=f"INV-{name}", type=MemoryType.INVARIANT, title=title, body=f"{title}.", valid_from=day,
            updated=f"{day}T09:00:00Z",
        ))  # fmt: skip
    app.refresh()
