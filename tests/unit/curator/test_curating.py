"""The curator on a workspace of its own: nothing is changed by looking, and what is applied can be undone."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.app import open_memory
from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.memory import Status
from holdfast.curator.curate import (
    AppliedCuration,
    CurationFinding,
    CurationOutdated,
    CurationReport,
    CurationRequest,
    FindingKind,
    FindingNeedsChoice,
    NoSuchFinding,
    apply_findings,
    choose_findings,
    choose_sure_findings,
    curate,
    curate_again,
    curation_json,
    dismiss_findings,
    propose_findings,
)
from holdfast.curator.last_findings import read_last_curation
from holdfast.index.entries import find_entry
from holdfast.review.accept import accept, reject
from holdfast.review.batches import undo
from holdfast.review.queue import list_waiting
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App, PersonOnly

OLD = "2026-10-20"
TESTS = (
    "pytest fixtures of the database must roll back their transaction",
    "pytest fixtures for the database are session scoped",
    "pytest database fixtures need TZ=UTC",
)


@pytest.fixture
def app(tmp_path: Path) -> App:
    init(plan_init(str(tmp_path), named=True))
    return open_memory(str(tmp_path))


def put(app: App, name: str, title: str, body: str = "", file: str = "", **fields: Any) -> None:
    kinds = {"DEC": "decision", "ASM": "assumption", "INV": "invariant", "PAT": "pattern", "LRN": "learning"}
    kind = kinds[name.partition("-")[0]]
    given = {"id": name, "type": kind, "title": title, "valid_from": OLD, "updated": OLD, **fields}
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in given.items())
    path = Path(app.folder, "memory", file or f"{kind}s/{name}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(f"---\n{lines}---\n\n{body or title}\n\n")
    app.refresh()


def sums(app: App) -> dict[str, str]:
    files = [*Path(app.folder, "memory").rglob("*.md"), *Path(app.folder, "candidates").rglob("*.md")]
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


def only(curation: CurationReport, kind: FindingKind) -> CurationFinding:
    (found,) = (each for each in curation.findings if each.kind is kind)
    return found


def applied(app: App, curation: CurationReport, *ids: str) -> AppliedCuration:
    return apply_findings(app, curation, choose_findings(curation, ids))


def test_looking_changes_no_memory(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    before = sums(app)

    found = curate(app)

    assert only(found, FindingKind.DUPLICATES).ids == ("LRN-1", "LRN-2")
    assert sums(app) == before


def test_a_merge_is_applied_and_undone_to_the_byte(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode", tags=["ui"])
    put(app, "LRN-2", "The user prefers dark mode", tags=["looks"])
    before, found = sums(app), curate(app)

    done = applied(app, found, only(found, FindingKind.DUPLICATES).id)

    kept, gone = find_entry(app, "LRN-1").memory, find_entry(app, "LRN-2").memory
    assert done.ids == ("LRN-1", "LRN-2")
    assert (kept.tags, kept.supersedes) == (("ui", "looks"), ("LRN-2",))
    assert (gone.status, gone.because) == (Status.SUPERSEDED, "merged into LRN-1")
    assert not [each for each in curate(app).findings if each.kind is FindingKind.DUPLICATES]
    assert undo(app).verb == "curate"
    assert sums(app) == before


def test_entries_of_one_file_are_changed_one_after_the_other(app: App) -> None:
    for each in (1, 2, 3):
        put(app, f"LRN-{each}", "The linter lives in pyproject", file="many.md")
    before, found = sums(app), curate(app)

    applied(app, found, only(found, FindingKind.DUPLICATES).id)

    states = [find_entry(app, f"LRN-{each}").memory.status for each in (1, 2, 3)]
    assert states == [Status.ACCEPTED, Status.SUPERSEDED, Status.SUPERSEDED]
    undo(app)
    assert sums(app) == before


def test_a_consolidation_is_one_memory_that_supersedes_the_others(app: App) -> None:
    for number, title in enumerate(TESTS):
        put(app, f"LRN-{number}", title, fact=title)
    found = curate(app)

    applied(app, found, only(found, FindingKind.CONSOLIDATIONS).id)

    made = next(e.memory for e in curate(app).entries.values() if e.memory.source == "curate")
    assert set(made.supersedes) == {"LRN-0", "LRN-1", "LRN-2"}
    assert all(title in made.body for title in TESTS)
    assert find_entry(app, "LRN-0").memory.status is Status.SUPERSEDED


def test_a_file_that_changed_since_stops_all_of_it(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    put(app, "DEC-1", "Use uv here", "Because it is fast.", supersedes=["DEC-9"])
    found = curate(app)
    path = Path(app.folder, "memory/learnings/LRN-2.md")
    path.write_text(path.read_text() + "\nA word of mine.\n")
    before = sums(app)

    with pytest.raises(CurationOutdated):
        apply_findings(app, found, choose_sure_findings(found)[0])

    assert sums(app) == before


def test_what_a_person_must_choose_is_not_applied_by_itself(app: App) -> None:
    put(app, "ASM-1", "The customer has few users", updated="2024-01-01", valid_from="2024-01-01")
    found = curate(app)
    stale = only(found, FindingKind.STALE)

    plans, left = choose_sure_findings(found)

    assert plans == []
    assert [each.why for each in left] == ["a person must choose"]
    with pytest.raises(FindingNeedsChoice, match="more than one way"):
        choose_findings(found, [stale.id])
    with pytest.raises(FindingNeedsChoice, match="no way 'eat'"):
        choose_findings(found, [f"{stale.id}=eat"])
    applied(app, found, f"{stale.id}=deprecate")
    assert find_entry(app, "ASM-1").memory.status is Status.DEPRECATED


def test_a_way_that_is_named_is_taken_wherever_it_is(app: App) -> None:
    for number, title in ((1, "The customer pays by card"), (2, "Nobody prints a report")):
        put(app, f"ASM-{number}", title, updated="2024-01-01", valid_from="2024-01-01")
    put(app, "DEC-1", "Use uv here", "Because it is fast.", supersedes=["DEC-9"])
    found = curate(app)

    plans, left = choose_sure_findings(found, way_name="renew")
    apply_findings(app, found, plans)

    assert sorted(each.ids[0] for each, _ in plans) == ["ASM-1", "ASM-2"]
    assert [each.why for each in left] == ["it has no way 'renew'"]
    assert [each.kind for each in curate(app).findings] == [FindingKind.ORPHANS]


def test_a_conflict_is_resolved_by_its_id_and_not_with_all_the_rest(app: App) -> None:
    put(app, "INV-1", "Access tokens live for 24 hours", valid_from="2026-04-01")
    put(app, "INV-2", "Access tokens live for 15 minutes", valid_from="2026-09-01")
    found = curate(app)

    assert choose_sure_findings(found)[0] == []
    assert choose_sure_findings(curate(app, CurationRequest(kinds=(FindingKind.CONFLICTS,))), 0.0)[0] == []
    applied(app, found, only(found, FindingKind.CONFLICTS).id.lower())
    assert find_entry(app, "INV-2").memory.supersedes == ("INV-1",)
    assert not [each for each in curate(app).findings if each.kind is FindingKind.CONFLICTS]


def test_what_was_shown_is_looked_at_again_among_its_own_memories(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    put(app, "INV-1", "Never commit secrets to the repository")
    put(app, "INV-2", "Secrets must never be committed to the repo")
    shown = curate(app)
    first = shown.findings[0]

    again = curate_again(app, CurationRequest(), [first.id.lower()])
    unknown = curate_again(app, CurationRequest(), ["FNOPE0"])

    assert again.care.among == frozenset(first.ids)
    assert first in again.findings
    assert (unknown.care.among, unknown.findings) == (frozenset(), shown.findings)


def test_a_finding_that_is_no_longer_there_is_refused(app: App) -> None:
    with pytest.raises(NoSuchFinding):
        choose_findings(curate(app), ["FNOPE0"])
    assert issubclass(NoSuchFinding, NotFound)


def test_an_agent_may_look_and_propose_and_nothing_else(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    curate(app)
    app.client = "Claude Code"

    found = curate(app)

    with pytest.raises(PersonOnly, match="curate --apply"):
        applied(app, found, only(found, FindingKind.DUPLICATES).id)
    with pytest.raises(PersonOnly, match="curate --dismiss"):
        dismiss_findings(app, found, [only(found, FindingKind.DUPLICATES).id])


def test_proposing_makes_candidates_once_and_changes_no_memory(app: App) -> None:
    for number, title in enumerate(TESTS):
        put(app, f"LRN-{number}", title, fact=title)
    before = sums(app)

    first, second = propose_findings(app), propose_findings(app)

    assert len(first.candidates) == 1
    assert second.candidates == ()
    assert {path: sum_ for path, sum_ in sums(app).items() if "/memory/" in path} == before
    assert only(second.curation, FindingKind.CONSOLIDATIONS).hints == (
        f"holdfast accept {first.candidates[0].memory.id}",
    )


def test_an_accepted_proposal_ends_what_it_was_made_of(app: App) -> None:
    for number, title in enumerate(TESTS):
        put(app, f"LRN-{number}", title, fact=title)
    (candidate,) = propose_findings(app).candidates

    accept(app, [candidate.memory.id])

    assert find_entry(app, "LRN-0").memory.valid_until or find_entry(app, "LRN-0").memory.status is Status.SUPERSEDED
    assert not [each for each in curate(app).findings if each.kind is FindingKind.CONSOLIDATIONS]


def test_a_proposal_that_was_turned_down_does_not_come_again(app: App) -> None:
    for number, title in enumerate(TESTS):
        put(app, f"LRN-{number}", title, fact=title)
    (candidate,) = propose_findings(app).candidates
    reject(app, [candidate.memory.id], "they are better apart")

    again = propose_findings(app)

    assert again.candidates == ()
    assert list_waiting(app) == []
    assert not [each for each in again.curation.findings if each.kind is FindingKind.CONSOLIDATIONS]


def test_what_was_dismissed_stays_away_until_its_memory_changes(app: App) -> None:
    put(app, "LRN-1", "How billing works", "Step by step. " * 300)
    found = curate(app)
    dismiss_findings(app, found, [only(found, FindingKind.OVER_LONG).id])

    assert (curate(app).findings, curate(app).dismissed) == ((), 1)
    path = Path(app.folder, "memory/learnings/LRN-1.md")
    path.write_text(path.read_text() + "\nOne more step.\n")
    app.refresh()
    assert only(curate(app), FindingKind.OVER_LONG).ids == ("LRN-1",)


def test_what_was_found_is_kept_for_status_and_goes_down_when_it_is_mended(app: App) -> None:
    assert read_last_curation(app) is None
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    found = curate(app)
    before = read_last_curation(app)

    applied(app, found, only(found, FindingKind.DUPLICATES).id)

    after = read_last_curation(app)
    assert before is not None
    assert after is not None
    assert (before.findings, after.findings) == (1, 0)


def test_only_what_changed_since_is_looked_at(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-2", "The user prefers dark mode")
    put(app, "DEC-1", "Use uv here", "Because it is fast.", supersedes=["DEC-9"], updated="2026-11-10")

    found = curate(app, CurationRequest(since="2026-11-01"))

    assert [each.kind for each in found.findings] == [FindingKind.ORPHANS]
    assert found.health is None
    with pytest.raises(BadRequest):
        curate(app, CurationRequest(since="gestern"))


def test_code_that_changed_is_cited_anew(app: App) -> None:
    code = Path(app.workspace, "retry.py")
    code.write_text("def retry():\n    return 1\n")
    put(app, "PAT-1", "Retries go through retry.py", cites=[{"path": "retry.py", "sha256": "0" * 64}])
    found = curate(app)

    applied(app, found, f"{only(found, FindingKind.STALE).id}=renew")

    (cite,) = find_entry(app, "PAT-1").memory.cites
    assert cite.sha256 == sha256(code.read_bytes()).hexdigest()
    assert curate(app).findings == ()


def test_paths_that_meet_no_file_are_found_and_those_that_do_are_not(app: App) -> None:
    Path(app.workspace, "src").mkdir()
    Path(app.workspace, "src/app.py").write_text("x = 1\n")
    for number, glob in enumerate(("src/**", "src/*.{py,js}", "./src/app.py", "legacy/**", "lib/*.py")):
        put(app, f"PAT-{number}", f"Rule number {number} of its own kind", paths=[glob])

    found = curate(app, CurationRequest(kinds=(FindingKind.DEPRECATIONS,)))

    assert sorted(each.ids[0] for each in found.findings) == ["PAT-3", "PAT-4"]


def test_an_id_given_twice_is_left_to_doctor(app: App) -> None:
    put(app, "LRN-1", "The user prefers dark mode")
    put(app, "LRN-1", "The user prefers dark mode", file="again.md")

    found = curate(app)

    assert found.memories == 0
    assert any("doctor" in notice for notice in app.notices)


def test_a_program_gets_the_plans_and_may_page(app: App) -> None:
    for each in range(3):
        put(app, f"DEC-{each}", f"Use tool number {each} here", "Because.", supersedes=[f"DEC-9{each}"])

    found = curate(app, CurationRequest(kinds=(FindingKind.ORPHANS,)))
    form = curation_json(found, 1, 1)

    assert (form["total"], form["more"], len(form["findings"])) == (3, 1, 1)
    assert form["findings"][0]["ways"][0]["changes"][0]["fields"]["supersedes"][1] is None
    json.dumps(form)


def test_a_link_in_place_of_the_state_folder_is_not_followed(
    app: App, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    put(app, "LRN-1", "The user prefers dark mode")
    state = Path(app.folder, "state")
    os.rename(state, Path(app.folder, "state-before"))
    state.symlink_to(elsewhere)

    curate(app)

    assert list(elsewhere.iterdir()) == []
    assert any("not kept" in notice for notice in app.notices)
