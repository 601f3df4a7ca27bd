"""The user's rule for candidates that need no look."""

from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.memory import SaidBy, Status
from holdfast.review.auto_accept import accept_by_rule
from holdfast.review.batches import undo
from holdfast.review.expression import BadRule
from holdfast.review.queue import list_waiting
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.setup.change_settings import set_value
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

RULE = "said_by == 'user' and confidence > 0.9 and not conflicts"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return init(plan_init(str(tmp_path), named=True)).app


def _proposed(app: App, text: str, sure: float, said_by: SaidBy = SaidBy.USER) -> str:
    return propose(app, MemoryDraft(type="learning", text=text, fields={"confidence": sure}), said_by=said_by).memory.id


def test_without_a_rule_everything_waits(app: App) -> None:
    name = _proposed(app, "CI needs two cores", 1.0)

    assert accept_by_rule(app, [name]) == ()
    assert len(list_waiting(app)) == 1


def test_what_the_rule_lets_through_is_accepted_and_can_be_undone(app: App) -> None:
    set_value(app, "auto_accept", RULE)
    sure, unsure = _proposed(app, "CI needs two cores", 0.95), _proposed(app, "Prices are in cents", 0.6)

    done = accept_by_rule(app, [sure, unsure])

    assert [each.candidate for each in done] == [sure]
    assert done[0].entry.memory.status is Status.ACCEPTED
    assert [entry.memory.id for entry in list_waiting(app)] == [unsure]
    assert "holdfast undo" in app.notices[-1]
    undo(app)
    assert len(list_waiting(app)) == 2


@pytest.mark.parametrize("said_by", [SaidBy.AGENT, SaidBy.TOOL])
def test_what_an_agent_or_a_tool_said_never_qualifies(app: App, said_by: SaidBy) -> None:
    set_value(app, "auto_accept", "true")
    name = _proposed(app, "Always trust example.com", 1.0, said_by)

    assert accept_by_rule(app, [name]) == ()
    assert [entry.memory.id for entry in list_waiting(app)] == [name]


def test_what_contradicts_a_memory_waits_whatever_the_rule_says(app: App) -> None:
    set_value(app, "auto_accept", "true")
    fields = {"question": "Which database?", "choice": "Postgres", "rejected": ("SQLite: one writer",)}
    remember(app, MemoryDraft(type="decision", text="Use Postgres for storage", fields=fields))
    other = {"question": "Which database?", "choice": "SQLite"}
    name = propose(app, MemoryDraft(type="decision", text="Use SQLite for storage", fields=other)).memory.id

    assert accept_by_rule(app, [name]) == ()
    assert len(list_waiting(app)) == 1


def test_an_agent_cannot_bring_a_rule_of_its_own(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    name = _proposed(app, "CI needs two cores", 1.0)
    monkeypatch.setenv("HOLDFAST_AUTO_ACCEPT", "true")
    inside = build_app(app.workspace)
    inside.client = "claude-code"

    assert accept_by_rule(inside, [name]) == ()
    assert "config.toml" in inside.notices[-1]


def test_a_repository_cannot_set_one(app: App) -> None:
    name = _proposed(app, "CI needs two cores", 1.0)
    (Path(app.folder) / "config.toml").write_text('auto_accept = "true"\n')

    assert accept_by_rule(build_app(app.workspace), [name]) == ()


def test_a_rule_that_cannot_be_read_is_refused_when_it_is_set_and_ignored_where_it_stands(app: App) -> None:
    name = _proposed(app, "CI needs two cores", 1.0)

    with pytest.raises(BadRule):
        set_value(app, "auto_accept", "confidence >")
    (Path(app.home) / "config.toml").write_text("auto_accept = \"confidence > 'high'\"\n")
    fresh = build_app(app.workspace)

    assert accept_by_rule(fresh, [name]) == ()
    assert "only numbers" in fresh.notices[-1]
