"""The queue over HTTP: a candidate beside what it clashes with, and everything a person does about it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.inside import Inside, inside, rich
from tests.unit.tui.workspace import SESSION, candidate, opened

from holdfast.core.memory import MemoryType
from holdfast.index.entries import find_entry
from holdfast.review.queue import list_waiting
from holdfast.review.queue_cache import LATER, ConflictCache
from holdfast.review.relations import RelationFinder
from holdfast.review.remember import MemoryDraft, change_entry, remember
from holdfast.workspace import App


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Inside]:
    rich(tmp_path)
    with inside(tmp_path, home) as made:
        yield made


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a list waits until every conflict was looked for."""
    monkeypatch.setattr("holdfast.server.http.routes.review_queue.PATIENCE", 600.0)


def queue(server: Inside, query: str = "") -> list[str]:
    return [row["id"] for row in server.get(f"candidates?{query}").json()]


def files(server: Inside) -> dict[str, bytes]:
    kept = [server.folder / ".holdfast" / name for name in ("memory", "candidates")]
    return {str(path): path.read_bytes() for folder in kept for path in folder.rglob("*.md")}


# Looking


def test_the_queue_says_what_each_clashes_with(shared: Inside) -> None:
    found = {row["id"]: row for row in shared.get("candidates").json()}

    assert list(found) == ["CAND-SQL000", "CAND-CARD00", "CAND-TIME00", "CAND-OWN000", "CAND-TOOL00"]
    blocked = found["CAND-SQL000"]
    assert (blocked["blocked"], blocked["looked"]) == (True, True)
    assert (blocked["session"], blocked["client"]) == (SESSION, "claude-code")
    assert blocked["conflicts"][0]["id"] == "DEC-PGPG00"
    assert blocked["conflicts"][0]["relation"] == "contradicts"
    assert found["CAND-TIME00"]["conflicts"][0]["relation"] == "duplicates"
    assert not found["CAND-TIME00"]["blocked"]
    assert found["CAND-CARD00"]["conflicts"] == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type=learning", ["CAND-TIME00", "CAND-TOOL00"]),
        ("minConfidence=0.9", ["CAND-SQL000", "CAND-CARD00", "CAND-OWN000"]),
        ("saidBy=tool", ["CAND-TOOL00"]),
        ("words=card%20numbers", ["CAND-CARD00"]),
        (f"session={SESSION[:8]}&type=invariant", ["CAND-CARD00"]),
        ("session=other", []),
    ],
)
def test_the_queue_is_narrowed(shared: Inside, query: str, expected: list[str]) -> None:
    assert queue(shared, query) == expected


@pytest.mark.parametrize("query", ["type=x", "minConfidence=2", "saidBy=god", "rejected=perhaps"])
def test_a_queue_that_cannot_be_is_refused(shared: Inside, query: str) -> None:
    assert shared.get(f"candidates?{query}").status_code == 422


def test_a_candidate_in_full_stands_beside_the_other_and_its_evidence(shared: Inside) -> None:
    found = shared.get("candidates/CAND-SQL000").json()

    assert [other["id"] for other in found["others"]] == ["DEC-PGPG00"]
    assert found["evidence"][0]["turns"][2]["text"].startswith("One writer is enough")
    assert "Use SQLite for storage" in found["markdown"]
    assert shared.get("candidates/DEC-PGPG00").status_code == 404
    assert shared.get("candidates/CAND-NONE00").status_code == 404


# Deciding


def test_a_question_is_settled_by_accepting_what_leads_it(server: Inside) -> None:
    for text in ("The snapshot goes to restore.db", "The snapshot goes to sessions.db"):
        assert server.post("memory", {"type": "decision", "text": text, "candidate": True}).status_code == 201
    lead, other = (row for row in server.get("candidates").json() if row["title"].startswith("The snapshot goes to"))
    assert (other["group"], other["settled"], other["settles"]) == (lead["id"], "taken back", [])
    assert [each["id"] for each in lead["settles"]] == [other["id"]]

    done = server.post(f"candidates/{lead['id']}/accept")

    assert [each["id"] for each in done.json()["settled"]] == [other["id"]]
    assert not {lead["id"], other["id"]} & set(queue(server))
    server.post("undo", {"batch": done.headers["Holdfast-Batch"]})
    assert {lead["id"], other["id"]} <= set(queue(server))


def test_an_undo_by_id_takes_back_that_and_leaves_what_came_after(server: Inside) -> None:
    before = files(server)
    batch = server.post("candidates/CAND-CARD00/accept").headers["Holdfast-Batch"]
    assert server.get("undo").json()["id"] == batch
    server.post("candidates/CAND-OWN000/reject")
    after = files(server)

    undone = server.post("undo", {"batch": batch})

    assert (undone.json()["id"], undone.json()["verb"]) == (batch, "accept")
    assert "Holdfast-Batch" not in undone.headers
    changed = {path for path in before if before[path] != files(server).get(path)}
    assert [Path(path).name[:11] for path in changed] == ["CAND-OWN000"]
    assert all(after[path] == files(server)[path] for path in changed)
    again = server.post("undo", {"batch": batch})
    assert (again.status_code, batch in again.json()["detail"]) == (404, True)


def test_accepting_makes_a_memory(server: Inside) -> None:
    done = server.post("candidates/CAND-CARD00/accept").json()

    assert done["accepted"][0]["candidate"] == "CAND-CARD00"
    assert done["accepted"][0]["memory"]["id"] == "INV-CARD00"
    assert "CAND-CARD00" not in queue(server)
    assert server.post("candidates/CAND-CARD00/accept").status_code == 404
    assert list((server.folder / ".holdfast" / "memory" / "invariants").glob("INV-CARD00*"))


def test_a_contradiction_blocks_until_it_is_answered(server: Inside) -> None:
    before = files(server)
    blocked = server.post("candidates/CAND-SQL000/accept")

    assert blocked.status_code == 409
    assert blocked.json()["conflicts"][0]["id"] == "DEC-PGPG00"
    assert blocked.json()["type"] == "/problems/conflict"
    assert files(server) == before

    done = server.post("candidates/CAND-SQL000/accept", {"answer": {"choice": "supersede"}})

    assert done.json()["accepted"][0]["memory"]["supersedes"] == ["DEC-PGPG00"]
    assert server.get("memory/DEC-PGPG00").json()["memory"]["status"] == "superseded"
    assert server.post("undo").status_code == 200
    assert files(server) == before


@pytest.mark.parametrize(
    ("answer", "status", "old"),
    [
        ({"choice": "keep-old"}, 200, "accepted"),
        ({"choice": "narrow", "paths": ["src/edge/**"]}, 200, "accepted"),
        ({"choice": "keep-both", "because": "the importer is the exception"}, 200, "accepted"),
        ({"choice": "keep-both"}, 400, "accepted"),
        ({"choice": "narrow"}, 400, "accepted"),
        ({"choice": "narrow", "paths": ["../outside"]}, 400, "accepted"),
        ({"choice": "shrug"}, 422, "accepted"),
    ],
)
def test_each_answer_does_what_it_says(server: Inside, answer: dict[str, object], status: int, old: str) -> None:
    done = server.post("candidates/CAND-SQL000/accept", {"answer": answer})

    assert done.status_code == status, done.text
    assert server.get("memory/DEC-PGPG00").json()["memory"]["status"] == old
    if answer["choice"] == "keep-old":
        assert done.json()["rejected"] == ["CAND-SQL000"]
    elif status == 200:
        assert done.json()["accepted"]


def test_a_rejected_one_is_remembered_and_can_be_accepted_again(server: Inside) -> None:
    done = server.post("candidates/CAND-TOOL00/reject", {"because": "hearsay"})

    assert done.json()["rejected"] == ["CAND-TOOL00"]
    assert "CAND-TOOL00" not in queue(server)
    assert "CAND-TOOL00" in queue(server, "rejected=true")
    assert server.post("candidates/CAND-TOOL00/accept").status_code == 409
    assert server.post("candidates/CAND-TOOL00/accept", {"again": True}).status_code == 200
    assert server.told()[0]["type"] == "candidate_removed"


def test_merging_folds_one_into_another(server: Inside) -> None:
    done = server.post("candidates/CAND-TIME00/merge", {"ids": ["CAND-TIME00"], "into": "LRN-TZTZ00"})

    assert done.status_code == 200, done.text
    assert (done.json()["merged"], done.json()["memory"]["id"]) == (["CAND-TIME00"], "LRN-TZTZ00")
    assert "CAND-TIME00" not in queue(server)
    assert server.post("candidates/CAND-TOOL00/merge", {"ids": ["CAND-TOOL00"]}).status_code == 400


def test_an_edit_gives_a_candidate_other_words(server: Inside) -> None:
    read = server.get("candidates/CAND-OWN000").json()["candidate"]

    changed = server.post("candidates/CAND-OWN000/edit", {"sha256": read["sha256"], "fields": {"title": "Small steps"}})

    assert changed.json()["title"] == "Small steps"
    again = server.post("candidates/CAND-OWN000/edit", {"sha256": read["sha256"], "fields": {"title": "Later"}})
    assert again.status_code == 412
    wrong = server.post("candidates/DEC-PGPG00/edit", {"sha256": read["sha256"], "fields": {"title": "x"}})
    assert wrong.status_code == 404


def test_two_memories_that_clash_are_resolved(server: Inside) -> None:
    assert [(row["new"], row["old"]) for row in server.get("conflicts").json()] == [("INV-NEW000", "INV-OLD000")]

    done = server.post("candidates/INV-NEW000/resolve", {"against": "INV-OLD000", "answer": {"choice": "supersede"}})

    assert done.status_code == 200, done.text
    assert done.json()["memory"]["supersedes"] == ["INV-OLD000"]
    assert server.get("conflicts").json() == []


def test_many_are_decided_in_one_batch(server: Inside) -> None:
    before = files(server)

    done = server.post("candidates", {"verb": "accept", "all": True}).json()

    assert {row["candidate"] for row in done["accepted"]} >= {"CAND-CARD00", "CAND-TOOL00", "CAND-OWN000"}
    assert [row["id"] for row in done["blocked"]] == ["CAND-SQL000"]
    assert done["blocked"][0]["conflicts"][0]["id"] == "DEC-PGPG00"
    assert queue(server) == ["CAND-SQL000"]
    assert server.post("undo").status_code == 200
    assert files(server) == before


def test_many_are_rejected_by_what_they_are(server: Inside) -> None:
    done = server.post("candidates", {"verb": "reject", "types": ["learning"], "because": "known"}).json()

    assert sorted(done["rejected"]) == ["CAND-TIME00", "CAND-TOOL00"]
    nobody = server.post("candidates", {"verb": "reject", "words": "no such words"})
    assert nobody.json()["rejected"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"verb": "accept"}, 400),
        ({"verb": "accept", "ids": ["CAND-CARD00"], "all": True}, 400),
        ({"verb": "burn", "all": True}, 422),
        ({"verb": "accept", "ids": ["CAND-NONE00"]}, 404),
        ({"verb": "accept", "ids": ["CAND-CARD00", "CAND-NONE00"]}, 404),
        ({"verb": "reject", "ids": ["DEC-PGPG00"]}, 404),
        ({"verb": "reject", "minConfidence": "high"}, 422),
    ],
)
def test_a_bulk_that_cannot_be_changes_nothing(shared: Inside, body: dict[str, object], status: int) -> None:
    before = files(shared)

    assert shared.post("candidates", body).status_code == status
    assert files(shared) == before


# Conflicts are kept


@pytest.fixture
def app(tmp_path: Path) -> App:
    rich(tmp_path)
    return opened(tmp_path)


def test_what_is_known_of_a_queue_stays_known_while_other_memory_changes(app: App) -> None:
    clashes = ConflictCache()
    assert clashes.look(app, list_waiting(app), 60) == []
    entry = remember(app, MemoryDraft(type="learning", text="Ferrets sleep most of the day."))

    clashes.moved([entry], set())

    assert all(clashes.known(app, each) is not None for each in list_waiting(app))


def test_a_memory_that_clashes_with_a_candidate_has_it_looked_at_again(app: App) -> None:
    clashes = ConflictCache()
    clashes.look(app, list_waiting(app), 60)
    entry = remember(
        app, MemoryDraft(type="invariant", text="Always log card numbers.", fields={"title": "Always log card numbers"})
    )

    clashes.moved([entry], set())

    card = find_entry(app, "CAND-CARD00")
    assert clashes.known(app, card) is None
    clashes.look(app, [card], 60)
    assert [each.relation.kind for each in clashes.known(app, card) or ()] == ["contradicts"]


def test_a_memory_that_is_gone_clashes_with_nothing(app: App) -> None:
    clashes = ConflictCache()
    clashes.look(app, list_waiting(app), 60)
    sql = find_entry(app, "CAND-SQL000")
    assert clashes.known(app, sql)

    clashes.moved([], {"DEC-PGPG00"})

    assert clashes.known(app, sql) is None


def test_a_candidate_that_changed_or_went_is_not_known_any_more(app: App) -> None:
    clashes = ConflictCache()
    clashes.look(app, list_waiting(app), 60)
    changed = change_entry(app, find_entry(app, "CAND-OWN000"), {"title": "Other words"})

    clashes.moved([], {"CAND-CARD00"})

    assert clashes.known(app, find_entry(app, changed.memory.id)) is None
    assert clashes.known(app, find_entry(app, "CAND-CARD00")) is None


def test_what_a_slow_look_found_is_kept_unless_it_changed_meanwhile(app: App) -> None:
    clashes = ConflictCache()
    sql, card = find_entry(app, "CAND-SQL000"), find_entry(app, "CAND-CARD00")
    begun = clashes.mark
    found = {each.memory.id: RelationFinder(app).at(each) for each in (sql, card)}
    clashes.moved([remember(app, MemoryDraft(type="learning", text="Ferrets sleep most of the day."))], {"DEC-PGPG00"})

    clashes.put(sql, found["CAND-SQL000"], begun)
    clashes.put(card, found["CAND-CARD00"], begun)

    assert clashes.known(app, sql) is None
    assert clashes.known(app, card) is not None


def test_what_a_slow_look_found_is_held_against_what_came_meanwhile(app: App) -> None:
    clashes = ConflictCache()
    card = find_entry(app, "CAND-CARD00")
    begun, found = clashes.mark, RelationFinder(app).at(card)
    against = MemoryDraft(
        type="invariant", text="Always log card numbers.", fields={"title": "Always log card numbers"}
    )
    clashes.moved([remember(app, against)], set())

    clashes.put(card, found, begun)

    assert clashes.known(app, card) is None


def test_of_a_candidate_that_many_memories_came_after_nothing_is_known(app: App) -> None:
    clashes = ConflictCache()
    card = find_entry(app, "CAND-CARD00")
    clashes.look(app, [card], 60)
    entry = remember(app, MemoryDraft(type="learning", text="Ferrets sleep most of the day."))
    begun = clashes.mark

    for _ in range(LATER + 1):
        clashes.moved([entry], set())
    assert clashes.known(app, card) is None
    clashes.put(card, (), begun)

    assert clashes.known(app, card) is None


def test_a_look_ends_when_its_time_is_up(app: App) -> None:
    assert len(ConflictCache().look(app, list_waiting(app), 0.0)) == 5


def test_a_long_queue_is_looked_at_to_its_end_beside(server: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.server.http.routes.review_queue.PATIENCE", 0.0)
    first = server.get("candidates").json()
    assert not any(row["looked"] for row in first)

    loaded = server.serving.workspaces.loaded(server.wid)
    assert loaded is not None
    task = loaded._clashing
    assert task is not None
    assert server.client.portal is not None

    async def done() -> None:
        await task

    server.client.portal.call(done)

    again = {row["id"]: row for row in server.get("candidates").json()}
    assert all(row["looked"] for row in again.values())
    assert again["CAND-SQL000"]["blocked"]
    assert server.told()[-1]["type"] == "memory_changed"
    assert set(server.told()[-1]["data"]["ids"]) == set(again)


def test_many_candidates_come_in_pages(server: Inside) -> None:
    app = opened(server.folder)
    for number in range(30):
        app.candidates.add(candidate(f"N{number:05}", f"Number {number}", type=MemoryType.LEARNING))

    answer = server.get("candidates?limit=10")

    assert (len(answer.json()), answer.headers["Holdfast-Total"]) == (10, "35")
