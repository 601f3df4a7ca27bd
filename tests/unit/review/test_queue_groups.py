"""The queue as questions: what repeats another candidate or is taken back by it is asked with it."""

import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.tui.workspace import NOW, workspace

from holdfast.core.memory import Entry, Evidence, Memory, MemoryType, RejectedOption, SaidBy, Scope, Status
from holdfast.index.entries import find_entry
from holdfast.review.accept import accept, reject
from holdfast.review.batches import undo
from holdfast.review.queue import CandidateFilter, list_questions, list_waiting
from holdfast.review.queue_groups import QueueGroup, Settling, group_queue
from holdfast.review.remember import MemoryDraft, propose
from holdfast.workspace import App


class TickingClock:
    """A clock that is another minute whenever somebody looks."""

    def __init__(self) -> None:
        self._now = NOW

    def now(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


@pytest.fixture
def app(tmp_path: Path) -> App:
    made = workspace(tmp_path)
    made.clock = TickingClock()  # type: ignore[assignment]  # a clock that goes on
    return made


class Said:
    """Candidates in the order in which they were said."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def __call__(self, title: str, kind: str = "decision", session: str = "one", **more: object) -> str:
        number = len(self.entries) + 1
        fields: dict[str, object] = {
            "body": title, "updated": "2026-11-10", "source": session, "confidence": 0.8, "status": Status.CANDIDATE,
            "evidence": (Evidence(event=f"01E{number:023}", quote=title),), **more,
        }  # fmt: skip
        memory = Memory(id=f"CAND-{number:06}", type=MemoryType(kind), title=title, **fields)  # type: ignore[arg-type]  # fields by name
        self.entries.append(
            Entry(memory=memory, scope=Scope.WORKSPACE, path=f"candidates/{number}.md", line=1, sha256=str(number))
        )
        return memory.id


@pytest.fixture
def said() -> Said:
    return Said()


def told(groups: list[QueueGroup]) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(g.lead.memory.title, [(each.how.value, each.entry.memory.title) for each in g.settles]) for g in groups]


def test_what_was_taken_back_is_one_question_and_the_later_leads(said: Said) -> None:
    said("Use restore.db", choice="restore.db")
    said("Stick with index.db", choice="index.db")
    said("Use sessions.db instead of index.db", choice="sessions.db", rejected=(RejectedOption(option="index.db"),))

    [(lead, settled)] = told(group_queue(said.entries))

    assert lead == "Use sessions.db instead of index.db"
    assert sorted(settled) == [("taken back", "Stick with index.db"), ("taken back", "Use restore.db")]


def test_another_value_in_the_same_place_takes_the_first_back(said: Said) -> None:
    said("The snapshot goes to restore.db", session="one")
    said("The snapshot goes to sessions.db", session="two")

    [group] = group_queue(said.entries)

    assert group.lead.memory.title == "The snapshot goes to sessions.db"
    assert group.settles[0].reason == "the later one says another value in the same place"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fact one", "Fact two"),
        ("The CI needs two cores", "The CI needs three cores"),
        ("Use black for formatting", "Use pytest for tests"),
        ("Keep notes in docs/notes.md", "Keep figures in docs/figures.toml"),
    ],
)
def test_two_things_stay_two_questions(said: Said, one: str, other: str) -> None:
    said(one, "learning")
    said(other, "learning")

    assert len(group_queue(said.entries)) == 2


def test_the_same_in_other_words_is_asked_once_and_the_surest_leads(said: Said) -> None:
    said("Never commit to main", "pattern", "one")
    said("Do not commit to main", "pattern", "two", said_by=SaidBy.AGENT, confidence=None)

    [group] = group_queue(said.entries)

    assert group.lead.memory.said_by is SaidBy.USER
    assert [(each.how, each.entry.memory.title) for each in group.settles] == [
        (Settling.REPEATS, "Do not commit to main")
    ]


def test_an_agent_takes_back_nothing_that_the_user_said(said: Said) -> None:
    said("Use httpx for HTTP", choice="httpx")
    said("Use requests for HTTP", choice="requests", said_by=SaidBy.AGENT, updated="2026-11-12")

    groups = group_queue(said.entries)

    assert [group.lead.memory.title for group in groups] == ["Use httpx for HTTP", "Use requests for HTTP"]
    # They are one topic, so that a person sees both at once.
    assert len({group.topic for group in groups}) == 1


def test_the_best_come_first(said: Said) -> None:
    said("The API answers 429 above 50 requests", "learning", said_by=SaidBy.TOOL, confidence=0.4)
    said("Perhaps the cache is cold", "learning", said_by=SaidBy.AGENT, confidence=0.5)
    said("Indent with four spaces", "pattern", "three", confidence=0.7)
    said("Indent with four spaces everywhere", "pattern", "four", confidence=0.7)
    said("Sessions live in Postgres", "decision", "five", confidence=0.7)

    leads = [group.lead.memory.title for group in group_queue(said.entries)]

    assert leads[-2:] == ["Perhaps the cache is cold", "The API answers 429 above 50 requests"]
    assert "Sessions live in Postgres" in leads[:2]


def test_the_order_does_not_hang_on_how_they_come(said: Said) -> None:
    for number in range(30):
        said(f"Rule about subject{number} and its part{number % 7}", "pattern", f"s{number % 4}")

    forth, back = group_queue(said.entries), group_queue(reversed(said.entries))

    assert told(forth) == told(back)


def test_a_long_queue_is_grouped_in_moments(said: Said) -> None:
    for number in range(600):
        said(f"Module{number} keeps its state in store{number % 50} and not in files", "pattern", f"s{number % 90}")

    begun = time.process_time()
    groups = group_queue(said.entries)

    assert sum(len(group.entries) for group in groups) == 600
    # Every pair of them would take a minute.
    assert time.process_time() - begun < 15


def test_accepting_settles_the_rest_and_undo_brings_it_back(app: App) -> None:
    old = propose(app, MemoryDraft(type="decision", text="The snapshot goes to restore.db"))
    again = propose(app, MemoryDraft(type="decision", text="The snapshot goes to sessions.db"))
    same = propose(app, MemoryDraft(type="pattern", text="Never commit to main"))
    other = propose(app, MemoryDraft(type="pattern", text="Do not commit to main"))
    questions = list_questions(app)
    leads = [group.lead.memory.id for group in questions]

    done = accept(app, leads)

    assert {each.entry.memory.id for each in done.settled} | set(leads) == {
        each.memory.id for each in (old, again, same, other)
    }
    assert [entry.memory.title for entry in list_waiting(app)] == []
    gone = find_entry(app, old.memory.id).memory
    assert gone.status is Status.REJECTED
    assert "taken back by DEC-" in gone.because
    undo(app)
    assert len(list_waiting(app)) == 4


def test_what_was_taken_back_may_be_said_again(app: App) -> None:
    propose(app, MemoryDraft(type="decision", text="The snapshot goes to restore.db"))
    later = propose(app, MemoryDraft(type="decision", text="The snapshot goes to sessions.db"))
    accept(app, [later.memory.id])

    again = propose(app, MemoryDraft(type="decision", text="The snapshot goes to restore.db, after all"))

    assert again.memory.status is Status.CANDIDATE


def test_one_named_itself_is_decided_by_its_name_alone(app: App) -> None:
    one = propose(app, MemoryDraft(type="pattern", text="Never commit to main"))
    other = propose(app, MemoryDraft(type="pattern", text="Do not commit to main"))

    done = accept(app, [one.memory.id, other.memory.id])

    assert done.settled == ()


def test_rejecting_rejects_what_says_the_same_and_not_what_was_taken_back(app: App) -> None:
    old = propose(app, MemoryDraft(type="decision", text="The snapshot goes to restore.db"))
    later = propose(app, MemoryDraft(type="decision", text="The snapshot goes to sessions.db"))
    for text in ("Never commit to main", "Do not commit to main"):
        propose(app, MemoryDraft(type="pattern", text=text))
    [lead] = [group.lead for group in list_questions(app) if group.lead.memory.type is MemoryType.PATTERN]

    rejected = reject(app, [later.memory.id, lead.memory.id], "no")

    assert len(rejected) == 3
    assert [entry.memory.id for entry in list_waiting(app)] == [old.memory.id]


def test_a_filter_shows_a_question_where_any_of_it_is_meant(app: App) -> None:
    propose(app, MemoryDraft(type="decision", text="The snapshot goes to restore.db"))
    later = propose(app, MemoryDraft(type="decision", text="The snapshot goes to sessions.db"))

    [group] = list_questions(app, CandidateFilter(words="restore.db"))

    assert group.lead.memory.id == later.memory.id
