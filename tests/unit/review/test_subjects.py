"""One subject, one truth: what holds, what it replaced, two answers; and what meets the gate before it is written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.keeping import keep_beside

from holdfast.care.diagnose import examine
from holdfast.care.workspace_status import read_status
from holdfast.check.run_check import check_text
from holdfast.core.memory import Entry, Scope, Status
from holdfast.core.relation import Resolution
from holdfast.core.search import Question, Select
from holdfast.exchange.team.manage_teams import init_team
from holdfast.index.start_comparing import start_comparing
from holdfast.recall.find import search
from holdfast.review.accept import ResolveRequest, accept
from holdfast.review.remember import HELD_BACK, MemoryDraft, change_entry, propose, remember
from holdfast.review.subjects import list_subjects
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

SUPERSEDE = ResolveRequest(choice=Resolution.SUPERSEDE)
RETRIES = "Which library for retries?"


@pytest.fixture
def app(tmp_path: Path) -> App:
    folder = tmp_path / "project"
    folder.mkdir()
    return init(plan_init(str(folder), named=True)).app


def draft(text: str, **fields: str) -> MemoryDraft:
    return MemoryDraft(type="decision", text=text, fields=fields)


def replace_by(app: App, text: str, choice: str) -> Entry:
    candidate = propose(app, draft(text, question=RETRIES, choice=choice))
    return accept(app, [candidate.memory.id], answer=SUPERSEDE).accepted[0].entry


def test_a_subject_shows_what_holds_and_what_it_replaced_also_after_a_reversal(app: App) -> None:
    first = remember(app, draft("Use stamina for back-off", question=RETRIES, choice="stamina"))
    second = replace_by(app, "Use tenacity for retries", "tenacity")
    third = replace_by(app, "Use stamina for retries", "stamina")

    (truth,) = list_subjects(app)

    assert truth.subject == "library for retries"
    assert [entry.memory.id for entry in truth.holds] == [third.memory.id]
    assert {entry.memory.id for entry in truth.before} == {first.memory.id, second.memory.id}


def test_a_search_of_all_puts_what_holds_before_what_it_replaced(app: App) -> None:
    remember(app, draft("Use stamina for back-off", question=RETRIES, choice="stamina"))
    replace_by(app, "Use tenacity for retries", "tenacity")
    third = replace_by(app, "Use stamina for retries", "stamina")

    found = search(app, Question(text="which library for back-off", select=Select(statuses=tuple(Status))))

    assert found.hits[0].entry.memory.id == third.memory.id
    assert len(found.hits) == 3


def test_a_subject_is_proposed_when_a_memory_is_made_and_can_be_changed(app: App) -> None:
    made = remember(app, draft("Sessions go into Redis"))
    assert "subject: Sessions\n" in Path(app.folder, made.path).read_text()

    changed = change_entry(app, made, {"subject": "session store"})

    assert changed.memory.subject == "session store"
    assert change_entry(app, changed, {"title": "Sessions live in Redis"}).memory.subject == "session store"


def test_two_answers_on_one_subject_are_a_finding_until_there_is_a_word_on_why(app: App) -> None:
    remember(app, draft("The newsletter goes out from our own SMTP server", subject="newsletter delivery"))
    second = keep_beside(app, draft("The newsletter goes out through Mailchimp", subject="newsletter delivery"))

    assert [each.subject for each in read_status(app).doubled.found] == ["newsletter delivery"]
    (first,) = [each for each in list_subjects(app)[0].holds if each.memory.id != second.memory.id]
    assert any({first.memory.id, second.memory.id} <= set(each.problem.split()) for each in examine(app))

    kept = {"keep_both": [{"id": first.memory.id, "because": "one is for staff"}]}
    change_entry(app, second, {"extra": kept})

    assert read_status(app).doubled.found == ()


def test_two_patterns_about_one_thing_are_no_finding(app: App) -> None:
    for text in ("Tests go next to the code they test", "Tests have names that are sentences"):
        remember(app, MemoryDraft(type="pattern", text=text))

    assert read_status(app).doubled.found == ()


def test_what_replaces_waits_until_a_person_says_which_ends_and_then_ends_it(app: App) -> None:
    old = remember(app, draft("Use stamina instead of tenacity"))
    candidate = propose(app, draft("Use tenacity instead of stamina"))

    assert accept(app, [candidate.memory.id]).blocked
    new = accept(app, [candidate.memory.id], answer=SUPERSEDE).accepted[0].entry

    (truth,) = list_subjects(app)
    assert new.memory.supersedes == (old.memory.id,)
    assert [entry.memory.id for entry in truth.holds] == [new.memory.id]


def test_what_the_candidate_itself_names_as_replaced_is_said_already(app: App) -> None:
    old = remember(app, draft("Use stamina instead of tenacity"))
    candidate = propose(app, MemoryDraft(
        type="decision", text="Use tenacity instead of stamina", fields={"supersedes": (old.memory.id,)}
    ))  # fmt: skip

    assert not accept(app, [candidate.memory.id]).blocked


def test_what_would_bind_a_team_waits_where_it_contradicts(app: App) -> None:
    init_team(app, "acme")
    remember(app, MemoryDraft(type="decision", text="Charts are drawn with d3", scope="team"))

    held = remember(app, MemoryDraft(type="decision", text="We went with Chart.js for charts", scope="team"))

    assert held.memory.status is Status.CANDIDATE
    assert any(each.startswith(HELD_BACK) for each in app.notices)
    accepted = accept(app, [held.memory.id], answer=SUPERSEDE).accepted[0].entry
    assert accepted.scope is Scope.TEAM


def test_nothing_is_started_beside_where_the_user_does_not_want_it(app: App) -> None:
    assert not start_comparing(app)


SENTENCE = "We decided: always use SQLite for the job queue, never Redis, because one less server to run."


@pytest.mark.parametrize("keep", [remember, propose])
def test_a_decision_typed_in_words_has_its_parts(app: App, keep: Callable[[App, MemoryDraft], Entry]) -> None:
    made = keep(app, draft(SENTENCE)).memory

    assert (made.choice, made.rejected[0].option, made.subject) == ("SQLite", "Redis", "job queue")
    assert made.question == "What to use for the job queue?"
    assert made.title == "Use SQLite instead of Redis for the job queue"
    assert made.body == f"{SENTENCE}\n\nRationale: one less server to run."


def test_what_is_said_in_flags_stands_before_the_words(app: App) -> None:
    made = remember(app, draft(SENTENCE, choice="SQLite 3", question="Where do jobs wait?", title="Jobs in SQLite"))

    assert (made.memory.choice, made.memory.question, made.memory.title) == (
        "SQLite 3", "Where do jobs wait?", "Jobs in SQLite",
    )  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        SENTENCE,
        "We keep jobs in SQLite, never in Redis, because it is one less server.",
        "SQLite over Redis for the job queue.",
    ],
)
def test_a_plan_with_what_was_set_aside_in_words_is_found(app: App, sentence: str) -> None:
    made = remember(app, draft(sentence))

    found = check_text(app, "Use Redis for the job queue").findings

    assert {one.memory for one in found} == {made.memory.id}


@pytest.mark.parametrize("scope", ["workspace", "user"])
def test_what_a_person_writes_waits_where_it_contradicts_and_once(app: App, scope: str) -> None:
    old = remember(app, draft("Use stamina instead of tenacity"))
    new = MemoryDraft(type="decision", text="Use tenacity instead of stamina", scope=scope)

    held, again = remember(app, new), remember(app, new)

    assert (held.memory.status, again.memory.id) == (Status.CANDIDATE, held.memory.id)
    assert any(each.startswith(HELD_BACK) and old.memory.id in each for each in app.notices)
    accepted = accept(app, [held.memory.id], answer=SUPERSEDE).accepted[0].entry
    assert (str(accepted.scope), accepted.memory.supersedes) == (scope, (old.memory.id,))
