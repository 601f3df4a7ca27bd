"""Candidates in a person's hands: blocked, resolved, merged, chosen in bulk, undone."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from tests.keeping import keep_beside

from holdfast.core.errors import Conflict, Unavailable
from holdfast.core.memory import Entry, Scope, Status
from holdfast.core.relation import Kind, Resolution
from holdfast.core.search import Question, Select
from holdfast.core.value import replace
from holdfast.core.vault_store import IdTaken
from holdfast.exchange.bundles.local_state import find_forgotten_ids
from holdfast.forget.forget_memory import forget, plan_ids, plan_query, purge
from holdfast.forget.removal_query import build_text_query
from holdfast.index.entries import find_entry
from holdfast.recall.find import search
from holdfast.review.accept import (
    CannotMerge,
    ConflictNotInForce,
    MergeNeedsTwo,
    NoConflictToAnswer,
    NotInConflict,
    ResolveRequest,
    accept,
    merge,
    reject,
    resolve,
)
from holdfast.review.batches import ChangedSinceBatch, NoBatchToUndo, open_batch, read_last_batch, undo
from holdfast.review.queue import CandidateFilter, NotACandidate, list_waiting
from holdfast.review.relations import find_conflicts
from holdfast.review.remember import BadField, MemoryDraft, change_entry, propose, remember
from holdfast.review.resolve_conflict import PathOutside, PathsMissing, ReasonMissing, WouldCycle
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App, PersonOnly

SUPERSEDE = ResolveRequest(choice=Resolution.SUPERSEDE)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return init(plan_init(str(tmp_path), named=True)).app


def _decision(text: str, choice: str, **fields: object) -> MemoryDraft:
    return MemoryDraft(type="decision", text=text, fields={"question": "Which database?", "choice": choice, **fields})


def _pair(app: App) -> tuple[Entry, Entry]:
    old = remember(app, _decision("Use Postgres for storage", "Postgres", rejected=("SQLite: one writer",)))
    return old, propose(app, _decision("Use SQLite for storage", "SQLite"))


def _bytes(app: App) -> dict[str, bytes]:
    """Every file of memory and of candidates."""
    found = {}
    for place in ("memory", "candidates"):
        for folder, _, names in os.walk(os.path.join(app.folder, place)):
            for name in names:
                if name != ".lock":
                    path = os.path.join(folder, name)
                    found[os.path.relpath(path, app.folder)] = Path(path).read_bytes()
    return found


def test_what_contradicts_is_blocked_and_nothing_is_written(app: App) -> None:
    old, new = _pair(app)
    before = _bytes(app)

    done = accept(app, [new.memory.id])

    assert done.accepted == ()
    assert [each.relation.old for each in done.blocked[0].conflicts] == [old.memory.id]
    assert done.blocked[0].conflicts[0].relation.kind is Kind.CONTRADICTS
    assert _bytes(app) == before
    assert read_last_batch(app) is None


def test_superseding_ends_the_old_one_and_links_both(app: App) -> None:
    old, new = _pair(app)

    done = accept(app, [new.memory.id], answer=SUPERSEDE)

    kept = done.accepted[0].entry.memory
    assert kept.supersedes == (old.memory.id,)
    assert find_entry(app, old.memory.id).memory.valid_until == kept.valid_from
    assert [hit.entry.memory.id for hit in search(app, Question(text="storage")).hits] == [kept.id]
    assert find_conflicts(app).found == ()


def test_keeping_the_old_one_rejects_the_new_one_with_the_reason(app: App) -> None:
    old, new = _pair(app)

    done = accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.KEEP_OLD))

    assert [entry.memory.id for entry in done.turned_down] == [new.memory.id]
    turned_down = find_entry(app, new.memory.id).memory
    assert turned_down.status is Status.REJECTED
    assert old.memory.id in turned_down.because


@pytest.mark.parametrize(
    "answer",
    [
        ResolveRequest(choice=Resolution.NARROW, paths=("src/ui/**",)),
        ResolveRequest(choice=Resolution.KEEP_BOTH, because="the importer is the exception"),
    ],
)
def test_narrowed_or_kept_both_hold_and_are_told_of_no_more(app: App, answer: ResolveRequest) -> None:
    old, new = _pair(app)

    done = accept(app, [new.memory.id], answer=answer)

    assert done.accepted[0].entry.memory.paths == answer.paths
    assert not find_entry(app, old.memory.id).memory.valid_until
    assert find_conflicts(app).found == ()


def test_a_way_without_what_it_needs_is_refused_and_writes_nothing(app: App) -> None:
    _, new = _pair(app)
    before = _bytes(app)

    with pytest.raises(ReasonMissing):
        accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.KEEP_BOTH))
    with pytest.raises(PathsMissing):
        accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.NARROW))

    assert _bytes(app) == before


def test_an_answer_for_one_conflict_leaves_the_other_open(app: App) -> None:
    old, new = _pair(app)
    other = keep_beside(app, _decision("MySQL is our database for storage", "MySQL", rejected=("SQLite: no server",)))

    done = accept(app, [new.memory.id], answer=SUPERSEDE, against=old.memory.id)

    assert [each.relation.old for each in done.blocked[0].conflicts] == [other.memory.id]
    assert not find_entry(app, old.memory.id).memory.valid_until
    rest = accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.KEEP_BOTH, because="for tests"))
    kept = rest.accepted[0].entry.memory
    assert kept.supersedes == (old.memory.id,)
    assert find_entry(app, old.memory.id).memory.valid_until
    assert not find_entry(app, other.memory.id).memory.valid_until


def test_of_two_candidates_that_contradict_each_other_one_is_accepted(app: App) -> None:
    first = propose(app, _decision("Use Postgres for storage", "Postgres", rejected=("SQLite: one writer",)))
    second = propose(app, _decision("Use SQLite for storage", "SQLite"))

    done = accept(app, [first.memory.id, second.memory.id])

    assert [each.candidate for each in done.accepted] == [first.memory.id]
    assert [each.entry.memory.id for each in done.blocked] == [second.memory.id]


def test_undo_gives_every_file_its_bytes_back(app: App) -> None:
    old, new = _pair(app)
    before = _bytes(app)
    accept(app, [new.memory.id], answer=SUPERSEDE)

    done = undo(app)

    assert done.verb == "accept"
    assert {new.memory.id, old.memory.id} <= set(done.ids)
    assert _bytes(app) == before
    assert [entry.memory.id for entry in list_waiting(app)] == [new.memory.id]
    with pytest.raises(NoBatchToUndo):
        undo(app)


def test_batches_are_undone_from_the_last_to_the_first(app: App) -> None:
    states = []
    made = [propose(app, MemoryDraft(type="learning", text=f"Fact {word}")) for word in ("one", "two", "three")]
    ids = [entry.memory.id for entry in made]
    for step in (
        lambda: accept(app, [ids[0]]),
        lambda: reject(app, [ids[1]], "no"),
        lambda: merge(app, [ids[2]], into=ids[0].replace("CAND", "LRN")),
        lambda: change_entry(app, find_entry(app, ids[0].replace("CAND", "LRN")), {"title": "Another"}),
    ):
        states.append(_bytes(app))
        step()

    for state in reversed(states):
        undo(app)
        assert _bytes(app) == state


def test_a_batch_is_undone_by_its_id_whatever_was_done_after_it(app: App) -> None:
    one, other = (propose(app, MemoryDraft(type="learning", text=f"Fact {word}")) for word in ("one", "two"))
    accept(app, [one.memory.id])
    [accepted] = app.batches
    reject(app, [other.memory.id], "no")
    last = read_last_batch(app)
    assert last is not None
    assert (last.id, last.verb) == (app.batches[-1], "reject")

    done = undo(app, accepted)

    assert (done.id, done.verb) == (accepted, "accept")
    assert find_entry(app, one.memory.id).memory.status is Status.CANDIDATE
    assert find_entry(app, other.memory.id).memory.status is Status.REJECTED
    with pytest.raises(NoBatchToUndo, match=accepted):
        undo(app, accepted)
    assert undo(app).verb == "reject"


def test_a_batch_that_another_one_went_on_from_is_not_undone_before_that(app: App) -> None:
    entry = propose(app, MemoryDraft(type="learning", text="Fact one"))
    kept = accept(app, [entry.memory.id]).accepted[0].entry
    change_entry(app, kept, {"title": "Another"})

    with pytest.raises(ChangedSinceBatch):
        undo(app, app.batches[0])


def test_a_file_that_changed_since_stops_the_undo_and_nothing_is_undone(app: App) -> None:
    _, new = _pair(app)
    entry = accept(app, [new.memory.id], answer=SUPERSEDE).accepted[0].entry
    path = Path(app.folder) / entry.path
    path.write_text(path.read_text() + "\nMore.\n")
    before = _bytes(app)

    with pytest.raises(ChangedSinceBatch, match=path.name):
        undo(app)

    assert _bytes(app) == before


def test_what_was_forgotten_comes_back_by_undo_and_a_purge_does_not(app: App) -> None:
    kept = remember(app, _decision("Use Postgres for storage", "Postgres"))
    other = remember(app, MemoryDraft(type="learning", text="Vacuum runs at night"))
    before = _bytes(app)
    forget(app, plan_ids(app, [kept.memory.id]), "no longer")
    assert not app.index.select(Select(ids=(kept.memory.id,)))
    assert find_forgotten_ids(app) == {kept.memory.id}

    assert undo(app).ids == (kept.memory.id,)

    assert _bytes(app) == before
    assert find_entry(app, kept.memory.id).sha256 == kept.sha256
    assert find_forgotten_ids(app) == set()
    purge(app, plan_ids(app, [other.memory.id]), "for good")
    with pytest.raises(NoBatchToUndo):
        undo(app)


def test_a_change_that_was_refused_stands_in_no_undos_way(app: App) -> None:
    kept = remember(app, _decision("Use Postgres for storage", "Postgres"))
    change_entry(app, kept, {"title": "Postgres keeps it"})
    after = _bytes(app)
    moved = Path(app.folder, find_entry(app, kept.memory.id).path)
    stale = find_entry(app, kept.memory.id)

    with open_batch(app, "edit") as changes, suppress(Conflict):
        held = moved.read_bytes()
        real = changes._bytes

        # Another writes between our look at the file and our change of it.
        def raced(entry: Entry) -> bytes | None:
            found = real(entry)
            moved.write_bytes(held + b"\nMore.\n")
            return found

        changes._bytes = raced  # type: ignore[method-assign]
        changes.rewrite(stale, replace(stale.memory, title="Ours"))
    moved.write_bytes(held)
    assert _bytes(app) == after

    assert undo(app).verb == "edit"
    assert "Use Postgres for storage" in moved.read_text()
    assert read_last_batch(app) is None


def test_an_undo_that_was_cut_short_goes_on(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    _, new = _pair(app)
    before = _bytes(app)
    accept(app, [new.memory.id], answer=SUPERSEDE)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr("holdfast.system.safe_write.remove_file", killed)
        with pytest.raises(KeyboardInterrupt):
            undo(app)
    undo(app)

    assert _bytes(app) == before


def test_a_batch_that_was_cut_short_is_undone_as_far_as_it_went(app: App) -> None:
    first, second = (remember(app, MemoryDraft(type="learning", text=text)) for text in ("Fact one", "Fact two"))
    before = _bytes(app)

    with suppress(ZeroDivisionError), open_batch(app, "curate") as made:
        made.remove(first)
        raise ZeroDivisionError
    assert find_entry(app, second.memory.id)
    undo(app)

    assert _bytes(app) == before


def test_several_entries_of_one_file_change_in_one_batch(app: App) -> None:
    path = Path(app.folder) / "memory" / "many.md"
    path.write_text("".join(f"---\nid: LRN-AAAAA{n}\ntitle: Fact {n}\n---\n\nFact {n}\n\n" for n in range(3)))
    app.refresh()
    entries = [find_entry(app, f"LRN-AAAAA{n}") for n in range(3)]
    before = _bytes(app)

    with open_batch(app, "curate") as made:
        made.remove(entries[0])
        made.rewrite(entries[2], replace(entries[2].memory, title="Third"))
        made.remove(entries[1])

    assert find_entry(app, "LRN-AAAAA2").memory.title == "Third"
    assert [entry.memory.id for entry in app.index.select(Select())] == ["LRN-AAAAA2"]
    undo(app)
    assert _bytes(app) == before


def test_merging_two_candidates_leaves_one_and_remembers_the_other(app: App) -> None:
    first = propose(app, MemoryDraft(type="learning", text="CI needs two cores", fields={"tags": ("ci",)}))
    second = propose(app, MemoryDraft(type="learning", text="The runner wants 2 GB", fields={"tags": ("memory",)}))

    done = merge(app, [first.memory.id, second.memory.id])

    assert done.merged == (second.memory.id,)
    assert [entry.memory.id for entry in list_waiting(app)] == [first.memory.id]
    assert list_waiting(app)[0].memory.tags == ("ci", "memory")
    again = propose(app, MemoryDraft(type="learning", text="The runner wants 2 GB"))
    assert again.memory.id == second.memory.id
    assert "merged into" in app.notices[-1]


def test_merging_into_a_memory_changes_it(app: App) -> None:
    memory = remember(app, MemoryDraft(type="learning", text="CI needs two cores"))
    candidate = propose(app, MemoryDraft(type="learning", text="The runner wants 2 GB"))

    done = merge(app, [candidate.memory.id], into=memory.memory.id)

    assert "2 GB" in find_entry(app, memory.memory.id).memory.body
    assert done.entry.memory.status is Status.ACCEPTED


def test_what_cannot_be_merged_is_refused(app: App) -> None:
    memory = remember(app, MemoryDraft(type="learning", text="CI needs two cores"))
    candidate = propose(app, MemoryDraft(type="learning", text="The runner wants 2 GB"))

    with pytest.raises(MergeNeedsTwo):
        merge(app, [candidate.memory.id])
    with pytest.raises(NotACandidate):
        merge(app, [memory.memory.id], into=candidate.memory.id)
    reject(app, [candidate.memory.id], "")
    other = propose(app, MemoryDraft(type="learning", text="Fact three"))
    with pytest.raises(ConflictNotInForce):
        merge(app, [other.memory.id], into=candidate.memory.id)


def test_a_rejected_one_does_not_come_back_in_other_words(app: App) -> None:
    first = propose(app, _decision("Use SQLite for storage", "SQLite"))
    reject(app, [first.memory.id], "one writer")

    again = propose(app, _decision("SQLite for storage", "SQLite"))
    other = propose(app, _decision("Use DuckDB for reports", "DuckDB"))

    assert again.memory.id == first.memory.id
    assert "one writer" in app.notices[-1]
    assert [entry.memory.id for entry in list_waiting(app)] == [other.memory.id]


def test_candidates_are_chosen_by_type_session_and_confidence(app: App) -> None:
    rows = (
        ("learning", "Fact one", 0.9, "S1-a"),
        ("learning", "Fact two", 0.5, "S1-a"),
        ("invariant", "Never x", 0.9, "S2"),
    )
    ids = [
        propose(app, MemoryDraft(type=kind, text=text, fields={"confidence": sure, "source": session})).memory.id
        for kind, text, sure, session in rows
    ]

    def chosen(**given: object) -> set[int]:
        found = {entry.memory.id for entry in list_waiting(app, CandidateFilter(**given))}  # type: ignore[arg-type]  # its fields
        return {number for number, each in enumerate(ids) if each in found}

    assert chosen(session="S1") == {0, 1}
    assert chosen(session="S1", min_confidence=0.8) == {0}
    assert chosen(types=("invariant",)) == {2}
    assert chosen(words="fact TWO") == {1}
    assert chosen() == {0, 1, 2}


def test_two_memories_that_hold_are_resolved(app: App) -> None:
    old = remember(app, _decision("Use Postgres for storage", "Postgres", rejected=("SQLite: one writer",)))
    new = keep_beside(app, _decision("Use SQLite for storage", "SQLite"))

    done = resolve(app, new.memory.id, old.memory.id, SUPERSEDE)

    assert done.old.memory.valid_until
    assert find_conflicts(app).found == ()
    with pytest.raises(WouldCycle):
        resolve(app, old.memory.id, new.memory.id, SUPERSEDE)


def test_the_loser_of_two_memories_ends_and_stays_readable(app: App) -> None:
    old = remember(
        app,
        _decision("Use Postgres for storage", "Postgres", rejected=("SQLite: one writer",), valid_from="2026-01-01"),
    )
    new = keep_beside(app, _decision("Use SQLite for storage", "SQLite", valid_from="2026-02-01"))

    resolve(
        app, new.memory.id, old.memory.id, ResolveRequest(choice=Resolution.KEEP_OLD, because="one writer is too few")
    )

    loser = find_entry(app, new.memory.id).memory
    assert loser.status is Status.DEPRECATED
    assert loser.because == "one writer is too few"
    then = search(app, Question(text="storage", as_of="2026-03-01")).hits
    assert {hit.entry.memory.id for hit in then} == {old.memory.id, new.memory.id}
    now = search(app, Question(text="storage")).hits
    assert [hit.entry.memory.id for hit in now] == [old.memory.id]


def test_two_that_are_in_no_conflict_are_told_so(app: App) -> None:
    one = remember(app, MemoryDraft(type="learning", text="CI needs two cores"))
    other = remember(app, MemoryDraft(type="learning", text="Prices are in cents"))

    with pytest.raises(NotInConflict):
        resolve(app, one.memory.id, other.memory.id, ResolveRequest(choice=Resolution.KEEP_OLD))


def test_an_agent_can_do_none_of_it(app: App) -> None:
    _, new = _pair(app)
    app.client = "claude-code"
    for attempt in (
        lambda: accept(app, [new.memory.id]),
        lambda: reject(app, [new.memory.id], ""),
        lambda: merge(app, [new.memory.id]),
        lambda: resolve(app, new.memory.id, new.memory.id, SUPERSEDE),
        lambda: undo(app),
    ):
        with pytest.raises(PersonOnly):
            attempt()


def test_a_purge_reaches_what_undo_remembers(app: App) -> None:
    entry = propose(app, MemoryDraft(type="learning", text="The magic word is xyzzy-plugh"))
    accept(app, [entry.memory.id])
    purge(app, plan_query(app, build_text_query("xyzzy-plugh")), "asked")

    folder = Path(app.folder) / "state" / "batches"
    assert not any(b"xyzzy-plugh" in path.read_bytes() for path in folder.iterdir())


def test_memory_of_the_users_own_is_undone_too(app: App) -> None:
    candidate = propose(app, MemoryDraft(type="learning", text="I like tabs"))
    accept(app, [candidate.memory.id], scope="user")
    assert find_entry(app, candidate.memory.id.replace("CAND", "LRN")).scope is Scope.USER

    undo(app)

    assert [entry.memory.id for entry in list_waiting(app)] == [candidate.memory.id]
    assert len(app.index.select(Select())) == 1


def test_an_answer_without_a_conflict_is_refused_but_for_narrowing(app: App) -> None:
    one = propose(app, MemoryDraft(type="learning", text="CI needs two cores"))

    for choice in (Resolution.SUPERSEDE, Resolution.KEEP_OLD, Resolution.KEEP_BOTH):
        with pytest.raises(NoConflictToAnswer):
            accept(app, [one.memory.id], answer=ResolveRequest(choice=choice, because="so"))
    done = accept(app, [one.memory.id], answer=ResolveRequest(choice=Resolution.NARROW, paths=("src/ui/**",)))

    assert done.accepted[0].entry.memory.paths == ("src/ui/**",)


def test_an_answer_against_a_named_memory_counts_whatever_the_rules_see(app: App) -> None:
    old = remember(app, MemoryDraft(type="learning", text="CI needs two cores"))
    first = propose(app, MemoryDraft(type="learning", text="Prices are in cents"))
    second = propose(app, MemoryDraft(type="learning", text="Dates are in UTC"))

    kept = resolve(app, first.memory.id, old.memory.id, ResolveRequest(choice=Resolution.KEEP_OLD, because="no"))
    replaced = resolve(app, second.memory.id, old.memory.id, SUPERSEDE)

    assert kept.new.memory.status is Status.REJECTED
    assert replaced.new.memory.supersedes == (old.memory.id,)
    assert find_entry(app, old.memory.id).memory.valid_until


def test_a_duplicate_can_be_answered(app: App) -> None:
    old = remember(app, MemoryDraft(type="invariant", text="Never commit secrets to the repository"))
    new = propose(app, MemoryDraft(type="invariant", text="Secrets must never be committed to the repository"))

    done = accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.KEEP_OLD))

    assert [entry.memory.id for entry in done.turned_down] == [new.memory.id]
    assert find_entry(app, old.memory.id).memory.status is Status.ACCEPTED


def test_accepting_again_and_merging_meet_the_gate_too(app: App) -> None:
    old, new = _pair(app)

    with pytest.raises(CannotMerge):
        merge(app, [new.memory.id], into=old.memory.id)
    reject(app, [new.memory.id], "no")
    reject(app, [new.memory.id], "")
    assert find_entry(app, new.memory.id).memory.because == "no"
    done = accept(app, [new.memory.id], again=True)

    assert [each.relation.old for each in done.blocked[0].conflicts] == [old.memory.id]


@pytest.mark.parametrize("path", ["../x", "/etc/**", "~/x"])
def test_nothing_is_narrowed_to_elsewhere(app: App, path: str) -> None:
    _, new = _pair(app)

    with pytest.raises(PathOutside):
        accept(app, [new.memory.id], answer=ResolveRequest(choice=Resolution.NARROW, paths=(path,)))


def test_a_memory_that_was_renamed_is_not_left_behind_by_an_undo(app: App) -> None:
    made = propose(app, MemoryDraft(type="learning", text="CI needs two cores"))
    entry = accept(app, [made.memory.id]).accepted[0].entry
    path = Path(app.folder) / entry.path
    path.rename(path.with_name("another-name.md"))
    app.refresh()

    with pytest.raises(ChangedSinceBatch):
        undo(app)

    assert [each.memory.id for each in app.index.select(Select())] == [entry.memory.id]


def test_a_batch_that_did_nothing_is_not_what_is_undone(app: App) -> None:
    first, second = (propose(app, MemoryDraft(type="learning", text=text)) for text in ("Fact one", "Fact two"))
    accept(app, [first.memory.id])
    stale = find_entry(app, second.memory.id)
    path = Path(app.folder) / stale.path
    path.write_text(path.read_text() + "\nMore.\n")

    with pytest.raises(Conflict), open_batch(app, "edit") as made:
        made.rewrite(stale, replace(stale.memory, title="Other"))
    done = undo(app)

    assert done.verb == "accept"


def test_a_disk_that_fills_up_leaves_no_half_line_and_no_loss(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [propose(app, MemoryDraft(type="learning", text=f"Fact {word}")) for word in ("one", "two")]
    write, room = os.write, [1]

    def filling(fd: int, data: bytes) -> int:
        text = bytes(data)
        if b'"candidates"' in text and b'"before": "' in text:
            if room[0] == 0:
                raise OSError(28, "No space left on device")
            room[0] -= 1
            return write(fd, text[: len(text) // 2])
        return write(fd, data)

    with monkeypatch.context() as full:
        full.setattr("holdfast.review.batches.os.write", filling)
        with pytest.raises(Unavailable):
            accept(app, [entry.memory.id for entry in made])
    if read_last_batch(app) is not None:
        undo(app)

    assert {entry.memory.id for entry in list_waiting(app)} == {entry.memory.id for entry in made}


def test_what_was_done_before_a_forgetting_is_not_undone_behind_it(app: App) -> None:
    made = propose(app, MemoryDraft(type="learning", text="CI needs two cores"))
    entry = accept(app, [made.memory.id]).accepted[0].entry
    forget(app, plan_ids(app, [entry.memory.id]), "wrong")

    assert undo(app).verb == "forget"
    with pytest.raises(NoBatchToUndo):
        undo(app)


def test_a_candidate_is_made_a_memory_by_accepting_alone(app: App) -> None:
    made = propose(app, MemoryDraft(type="learning", text="CI needs two cores"))

    with pytest.raises(BadField):
        change_entry(app, made, {"status": Status.ACCEPTED})
    with pytest.raises(BadField):
        change_entry(app, made, {"valid_until": "2020-01-01"})


def test_an_id_that_the_index_knows_is_drawn_for_nobody_else(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.review.remember.random_part", lambda: "AAAAAA")
    remember(app, MemoryDraft(type="learning", text="Wheels are built in CI"))
    app.refresh()
    assert len(app.index.select(Select(ids=("LRN-AAAAAA",)))) == 1

    with pytest.raises(IdTaken):
        remember(app, MemoryDraft(type="learning", text="Tags are signed"))
