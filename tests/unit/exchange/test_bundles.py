"""Memory that leaves in one file, and comes back: nothing lost, nothing overwritten, nothing believed too soon."""

import io
import json
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.bundle_made import made, memory_text

from holdfast.app import build_app
from holdfast.core.errors import HoldfastError
from holdfast.core.event import Event
from holdfast.core.ids import ulid
from holdfast.core.memory import Entry, Evidence, SaidBy, Status
from holdfast.core.search import Select
from holdfast.distil.distil_sessions import distil, filter_waiting, list_jobs
from holdfast.exchange.bundles.apply_import import ImportRunning, finish_imports, lock_imports
from holdfast.exchange.bundles.export_import import (
    CANDIDATE,
    KNOWN,
    NEW,
    BundleImportResult,
    BundleKeys,
    BundleRecipients,
    build_export_request,
    export_bundle,
    load_share_key,
    open_import,
)
from holdfast.forget.forget_memory import forget, plan_ids
from holdfast.records.evidence_context import find_evidence_context
from holdfast.review.accept import reject
from holdfast.review.batches import undo
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

NOBODY = BundleRecipients()
NO_KEYS = BundleKeys()


def workspace(folder: Path) -> App:
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    return build_app(str(folder))


@pytest.fixture
def one(tmp_path: Path) -> App:
    return workspace(tmp_path / "one")


@pytest.fixture
def other(tmp_path: Path) -> App:
    return workspace(tmp_path / "other")


def bundle_of(app: App, **asked: Any) -> bytes:
    out = io.BytesIO()
    export_bundle(app, out, build_export_request(app, **asked), NOBODY)
    return out.getvalue()


def bring_in(app: App, raw: bytes, *, mine: bool = False) -> BundleImportResult:
    with open_import(app, io.BytesIO(raw), NO_KEYS, mine=mine) as bundle:
        return bundle.go()


def stand(app: App) -> dict[str, Entry]:
    app.refresh()
    return {entry.memory.id: entry for entry in app.index.select(Select())}


def files(app: App) -> dict[str, bytes]:
    roots = [Path(app.folder, name) for name in ("memory", "candidates", "log", "learning", "work")]
    found = [path for root in roots for path in root.rglob("*") if path.is_file() and path.name[0] != "."]
    return {str(path.relative_to(app.folder)): path.read_bytes() for path in found}


def draft(text: str, kind: str = "decision") -> MemoryDraft:
    return MemoryDraft(type=kind, text=text)


def test_memory_comes_byte_for_byte(one: App, other: App) -> None:
    kept = remember(one, draft("Use Textual for the TUI"))
    waiting = propose(one, draft("CI needs two cores", "learning"))
    Path(one.folder, "memory", "decisions", "many.md").write_bytes(
        memory_text("DEC-A", "One") + memory_text("DEC-B", "Two")
    )

    done = bring_in(other, bundle_of(one))

    assert done.proven
    assert files(other) == files(one)
    assert set(stand(other)) == {kept.memory.id, waiting.memory.id, "DEC-A", "DEC-B"}


def test_bringing_it_in_again_changes_nothing(one: App, other: App) -> None:
    remember(one, draft("Use Textual for the TUI"))
    one.journal.append([Event(client="claude-code", name="prompt", session="s", data={"prompt": "hello"})])
    raw = bundle_of(one, conversations=True)
    assert bring_in(other, raw).events == 2
    before, events = files(other), [record.id for record in other.journal.read()]

    done = bring_in(other, raw)

    assert {step.does for step in done.plan.steps} == {KNOWN}
    assert done.events == 0
    assert files(other) == before
    assert [record.id for record in other.journal.read()] == events


def test_the_local_text_stays_and_the_other_becomes_a_candidate(one: App, other: App) -> None:
    text = memory_text("DEC-X", "Redis", updated="2030-01-01T00:00:00Z")
    Path(other.folder, "memory", "mine.md").write_bytes(memory_text("DEC-X", "Postgres"))

    done = bring_in(other, bundle_with(one, text))

    [step] = done.plan.of(CANDIDATE)
    there = stand(other)
    assert there["DEC-X"].memory.title == "Postgres"
    assert there[step.candidate].memory.title == "Redis"
    assert there[step.candidate].memory.extra["bundle_reason"] == "DEC-X says something else here"


def bundle_with(app: App, text: bytes) -> bytes:
    Path(app.folder, "memory", "brought.md").write_bytes(text)
    app.refresh()
    return bundle_of(app)


def test_of_two_that_came_the_later_stands_in_either_order(one: App, tmp_path: Path) -> None:
    key = load_share_key(one)
    early = made({"memory/x.md": memory_text("DEC-X", "Early", "2026-01-01T00:00:00Z")}, key=key)
    late = made({"memory/y.md": memory_text("DEC-X", "Late", "2026-02-01T00:00:00Z")}, key=key)
    states = []
    for count, order in enumerate(([early, late], [late, early], [late, early, late, early])):
        app = workspace(tmp_path / f"w{count}")
        for raw in order:
            bring_in(app, raw)
        states.append({name: entry.memory for name, entry in stand(app).items()})

    assert states[0] == states[1] == states[2]
    assert states[0]["DEC-X"].title == "Late"
    assert [memory.title for name, memory in states[0].items() if name != "DEC-X"] == ["Early"]


def test_a_text_that_went_on_elsewhere_replaces_the_one_it_came_from(one: App, other: App, tmp_path: Path) -> None:
    kept = remember(one, draft("Use Textual"))
    bring_in(other, bundle_of(one))
    third = workspace(tmp_path / "third")
    bring_in(third, bundle_of(one))
    path = next(Path(other.folder, "memory").rglob("DEC-*.md"))
    path.write_text(path.read_text().replace("Use Textual", "Use Textual 8"))

    bring_in(third, bundle_of(other))

    there = stand(third)
    assert there[kept.memory.id].memory.title == "Use Textual 8"
    assert len(there) == 1
    assert bring_in(third, bundle_of(one)).plan.of(CANDIDATE) == []


def test_undo_takes_the_memory_back(one: App, other: App) -> None:
    kept = remember(one, draft("Use Textual"))
    propose(one, draft("CI needs two cores", "learning"))
    own = remember(other, draft("Use Rust"))
    before = files(other)
    bring_in(other, bundle_of(one))

    done = undo(other)

    assert done.verb == "import"
    assert kept.memory.id in done.ids
    assert files(other) == before
    assert set(stand(other)) == {own.memory.id}
    assert [step.does for step in bring_in(other, bundle_of(one)).plan.steps if step.kind != "record"] == [NEW, NEW]


def test_what_was_undone_is_offered_again_also_as_somebody_elses(other: App) -> None:
    raw = made({"memory/x.md": memory_text("DEC-X", "Redis"), "memory/y.md": memory_text("DEC-Y", "Postgres")})
    bring_in(other, raw, mine=True)
    undo(other)

    offered = bring_in(other, raw).plan.of(CANDIDATE)

    assert {step.id for step in offered} == {"DEC-X", "DEC-Y"}
    assert {entry.memory.title for entry in stand(other).values()} == {"Redis", "Postgres"}


def test_an_earlier_text_of_what_stands_is_not_offered_by_others(other: App) -> None:
    early = memory_text("DEC-X", "Early")
    bundle_with(other, early)
    Path(other.folder, "memory", "brought.md").write_bytes(memory_text("DEC-X", "Late"))

    done = bring_in(other, made({"memory/x.md": early}))

    assert [step.does for step in done.plan.steps] == [KNOWN]
    assert [entry.memory.title for entry in stand(other).values()] == ["Late"]


def test_looking_writes_nothing(one: App, other: App) -> None:
    remember(one, draft("Use Textual"))

    with open_import(other, io.BytesIO(bundle_of(one)), NO_KEYS) as bundle:
        assert [step.does for step in bundle.found.plan.steps] == [NEW]

    assert stand(other) == {}
    assert os.listdir(Path(other.folder, "state", "imports")) == ["lock"]


def test_what_is_not_proven_waits_for_review(one: App, other: App, home: Path) -> None:
    own = memory_text("DEC-X", "Trust me", said_by=SaidBy.USER)
    raw = made({"memory/x.md": own, "log/2026-01-01.md": b"- they did\n", "journal/00000001.jsonl": b"{}\n"})

    done = bring_in(other, raw)

    [step] = done.plan.of(CANDIDATE)
    [entry] = stand(other).values()
    assert not done.proven
    assert (entry.memory.id, entry.memory.status) == (step.candidate, Status.CANDIDATE)
    assert entry.memory.said_by is SaidBy.TOOL
    assert not Path(other.folder, "log").exists()
    assert {each.reason for each in done.plan.of("rejected")} == {"it comes from others"}
    assert bring_in(other, raw).plan.of(CANDIDATE) == []


def test_others_secrets_do_not_come_in(other: App) -> None:
    secret = "ghp_" + "a1B2" * 9
    bring_in(other, made({"memory/x.md": memory_text("DEC-X", f"The token is {secret}")}))

    [data] = files(other).values()
    assert secret.encode() not in data


def test_a_person_may_call_it_their_own(other: App) -> None:
    bring_in(other, made({"memory/x.md": memory_text("DEC-X", "Mine")}), mine=True)

    assert stand(other)["DEC-X"].memory.status is Status.ACCEPTED


def test_what_git_brought_and_nobody_allowed_stays_somebody_elses(one: App, other: App) -> None:
    path = Path(one.folder, "memory", "x.md")
    path.write_bytes(memory_text("DEC-X", "By an agent"))
    one.registry.hold(one.workspace_id, [sha256(path.read_bytes()).hexdigest()])
    one.refresh()

    done = bring_in(other, bundle_of(one))

    assert done.proven
    [entry] = stand(other).values()
    assert entry.memory.status is Status.CANDIDATE


def test_a_rejected_candidate_stays_rejected(one: App, other: App) -> None:
    waiting = propose(one, draft("CI needs two cores", "learning"))
    first = bundle_of(one)
    reject(one, [waiting.memory.id], "no")
    second = bundle_of(one)
    bring_in(other, first)
    bring_in(other, second)
    bring_in(other, first)

    there = stand(other)
    assert {name: entry.memory.status for name, entry in there.items()} == {waiting.memory.id: Status.REJECTED}


def test_what_was_forgotten_here_does_not_come_back(one: App, other: App) -> None:
    kept = remember(one, draft("Use Textual"))
    raw = bundle_of(one)
    bring_in(other, raw)
    forget(other, plan_ids(other, [kept.memory.id]), "wrong")

    bring_in(other, raw)

    assert stand(other) == {}


def test_what_was_forgotten_elsewhere_goes_here_too(one: App, other: App) -> None:
    kept = remember(one, draft("Use Textual"))
    first = bundle_of(one)
    forget(one, plan_ids(one, [kept.memory.id]), "wrong")
    second = bundle_of(one)
    bring_in(other, first)

    bring_in(other, second)

    assert stand(other) == {}
    bring_in(other, first)
    assert stand(other) == {}


def test_a_memory_whose_files_are_lost_comes_back(one: App) -> None:
    kept = remember(one, draft("Use Textual"))
    raw = bundle_of(one)
    next(Path(one.folder, "memory").rglob("DEC-*.md")).unlink()

    bring_in(one, raw)

    assert set(stand(one)) == {kept.memory.id}


def test_events_come_once_in_whatever_way_they_come(one: App, other: App) -> None:
    one.journal.append([Event(client="claude-code", name="prompt", session="s", key="k1", data={"prompt": "hello"})])
    one.journal.append([Event(client="claude-code", name="answer", session="s", data={"answer": "well"})])
    bring_in(other, bundle_of(one, conversations=True))
    other.journal.append([Event(client="codex", name="prompt", session="t", data={"prompt": "more"})])

    bring_in(one, bundle_of(other, conversations=True))
    bring_in(other, bundle_of(one, conversations=True))

    for app in (one, other):
        words = [
            record.data["data"] for record in app.journal.read() if record.data.get("name") in {"prompt", "answer"}
        ]
        assert sorted(str(data.get("prompt") or data.get("answer")) for data in words) == ["hello", "more", "well"]
        assert app.journal.verify().damage == ()


def test_the_journal_alone_holds_no_words(one: App) -> None:
    one.journal.append(
        [
            Event(client="claude-code", name="session_start", session="s", data={}),
            Event(client="claude-code", name="prompt", session="s", data={"prompt": "hello"}),
        ]
    )
    out = io.BytesIO()

    done = export_bundle(one, out, build_export_request(one, journal=True), NOBODY)

    assert done.manifest.counts["events"] == 1
    assert export_bundle(one, io.BytesIO(), build_export_request(one), NOBODY).manifest.counts.get("events") is None


def test_records_come_and_lines_are_joined(one: App, other: App) -> None:
    ratings = Path("learning", "signals", "ratings.jsonl")
    for app, line in ((one, b'{"rating":3}\n'), (other, b'{"rating":9}\n')):
        Path(app.folder, ratings).parent.mkdir(parents=True)
        Path(app.folder, ratings).write_bytes(line + b'{"rating":5}\n')
    Path(one.folder, "work", "w1").mkdir(parents=True)
    Path(one.folder, "work", "w1", "META.yaml").write_text("status: open\n")

    bring_in(other, bundle_of(one))

    assert Path(other.folder, ratings).read_bytes() == b'{"rating":9}\n{"rating":5}\n{"rating":3}\n'
    assert Path(other.folder, "work", "w1", "META.yaml").read_text() == "status: open\n"
    assert stat.S_IMODE(os.stat(Path(other.folder, "work", "w1", "META.yaml")).st_mode) == 0o600


def test_a_record_that_differs_stays_as_it_is_here(one: App, other: App) -> None:
    for app, words in ((one, "theirs"), (other, "ours")):
        Path(app.folder, "briefing.json").write_text(words)

    done = bring_in(other, bundle_of(one))

    assert Path(other.folder, "briefing.json").read_text() == "ours"
    assert [step.id for step in done.plan.of("kept")] == ["briefing.json"]


def test_secrets_do_not_leave(one: App, other: App) -> None:
    secret = "ghp_" + "a1B2" * 9
    path = Path(one.folder, "memory", "x.md")
    path.write_bytes(memory_text("DEC-X", f"The token is {secret}"))
    Path(one.folder, "log").mkdir()
    Path(one.folder, "log", "2026-01-01.md").write_text(f"- used {secret}\n")
    Path(one.folder, "config.toml").write_text('search.limit = 5\nmodel_key = "env:KEY"\n')
    out = io.BytesIO()

    done = export_bundle(one, out, build_export_request(one), NOBODY)
    bring_in(other, out.getvalue())

    assert sum(done.manifest.redaction.values()) >= 2
    assert not any(secret.encode() in data for data in files(other).values())
    assert secret not in json.dumps(done.manifest.to_json())
    assert Path(other.folder, "config.toml").read_text() == "search.limit = 5\n"
    assert {step.does for step in bring_in(one, out.getvalue()).plan.steps if step.id == "DEC-X"} == {KNOWN}


def test_links_keys_and_the_index_do_not_leave(one: App, tmp_path: Path, home: Path) -> None:
    remember(one, draft("Use Textual"))
    Path(tmp_path, "secret.md").write_text("somewhere else")
    Path(one.folder, "memory", "link.md").symlink_to(tmp_path / "secret.md")

    done = export_bundle(one, io.BytesIO(), build_export_request(one, "all", conversations=True), NOBODY)

    names = [row.path for row in done.manifest.files]
    assert not any("link" in name or "index" in name or "state" in name or "share" in name for name in names)
    assert stat.S_IMODE(os.stat(home / "share" / "key").st_mode) == 0o600


def test_the_users_own_memory_comes_along_when_asked(one: App, other: App, home: Path) -> None:
    own = remember(one, MemoryDraft(type="pattern", text="Prefer small functions", scope="user"))
    raw = bundle_of(one, scope="all")
    next((home / "memory").rglob("PAT-*.md")).unlink()

    bring_in(other, raw)

    assert own.memory.id in stand(other)


def test_two_imports_at_once_are_refused(one: App, other: App) -> None:
    raw = bundle_of(one)

    with lock_imports(build_app(other.workspace)), pytest.raises(ImportRunning):
        bring_in(other, raw)


def test_an_agent_may_do_neither(one: App, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = bundle_of(one)
    monkeypatch.setenv("CLAUDECODE", "1")
    app = build_app(one.workspace)

    with pytest.raises(HoldfastError, match="for a person"):
        bundle_of(app)
    with pytest.raises(HoldfastError, match="for a person"):
        bring_in(app, raw)


def test_a_key_from_a_variable_proves_on_another_machine(
    one: App, other: App, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOLDFAST_SHARE_KEY", "env:THE_KEY")
    monkeypatch.setenv("THE_KEY", "ab" * 32)
    remember(one, draft("Use Textual"))
    raw = bundle_of(build_app(one.workspace))
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home2"))

    assert bring_in(workspace(tmp_path / "far"), raw).proven
    monkeypatch.setenv("THE_KEY", "no key")
    with pytest.raises(HoldfastError, match="no key"):
        bundle_of(build_app(one.workspace))


def test_evidence_leads_to_its_conversation_on_the_other_machine(one: App, other: App) -> None:
    receipts = one.journal.append(
        [
            Event(client="claude-code", name="prompt", session="s", data={"prompt": "let us take Textual"}),
            Event(client="claude-code", name="answer", session="s", data={"answer": "Textual it is"}),
        ]
    )
    fields = {"evidence": (Evidence(event=receipts[0].id, quote="take Textual"),)}
    kept = remember(one, MemoryDraft(type="decision", text="Use Textual", fields=fields))
    bring_in(other, bundle_of(one, conversations=True))

    [quoted] = find_evidence_context(other, stand(other)[kept.memory.id])

    assert quoted.missing == ""
    assert [turn.text for turn in quoted.turns][:2] == ["let us take Textual", "Textual it is"]


def test_a_session_that_was_distilled_is_not_again(one: App, other: App) -> None:
    for app, session in ((one, "s1"), (other, "s2")):
        app.journal.append(
            [
                Event(
                    client="claude-code",
                    name="prompt",
                    session=session,
                    data={"prompt": "We use Redis, never Memcached."},
                ),
                Event(client="claude-code", name="session_end", session=session, data={}),
            ]
        )
        app.refresh()
    assert len(list(distil(one, filter_waiting(list_jobs(one))))) == 1

    bring_in(other, bundle_of(one, conversations=True))

    other.refresh()
    assert [job.session for job in filter_waiting(list_jobs(other))] == ["s2"]


def test_a_plan_that_a_repository_brings_is_thrown_away(one: App) -> None:
    folder = Path(one.folder, "state", "imports", ulid())
    folder.mkdir(parents=True)
    (folder / "after").write_bytes(memory_text("DEC-X", "Do as I say"))
    change = ["workspace", "memory/x.md", "DEC-X", "", str(folder / "after")]
    form = {"changes": [change], "records": [], "journals": [], "ledger": {}, "distilled": "", "told": {}}
    held = {"said": json.dumps(form), "proof": "0" * 64}
    (folder / "plan.json").write_text(json.dumps(held))

    finish_imports(one)

    assert not Path(one.folder, "memory", "x.md").exists()
    assert not folder.exists()
