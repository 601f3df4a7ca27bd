"""How many candidates agents may make: what goes beyond is refused, and the person is told."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.unit.tui.workspace import workspace

from holdfast.app import open_memory
from holdfast.core.errors import Refused
from holdfast.core.memory import PROPOSED_BY
from holdfast.review.proposal_limits import PROPOSED_IN, TooManyProposals, read_refused_proposals
from holdfast.review.queue import list_waiting
from holdfast.review.remember import MemoryDraft, propose
from holdfast.workspace import App


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    made = workspace(tmp_path)
    (Path(made.home) / "config.toml").write_text("[propose]\nper_session = 3\nper_hour = 5\n")
    return made


def as_agent(app: App, monkeypatch: pytest.MonkeyPatch, session: str = "s-1") -> App:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session)
    return open_memory(app.workspace)


def proposed(app: App, *names: str) -> None:
    for name in names:
        propose(app, MemoryDraft(type="learning", text=f"The {name} module keeps its own clock"))


def test_a_session_may_propose_so_many(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = as_agent(app, monkeypatch)
    proposed(agent, "red", "green", "blue")

    with pytest.raises(TooManyProposals) as refused:
        proposed(agent, "white")

    assert isinstance(refused.value, Refused)
    assert "3 candidates in this session" in str(refused.value)
    assert "propose.per_session" in refused.value.hint
    made = list_waiting(agent)
    assert len(made) == 3
    assert made[0].memory.extra[PROPOSED_BY] == "Claude Code"
    assert made[0].memory.extra[PROPOSED_IN] == "s-1"


def test_another_session_has_room_until_the_hour_is_full(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    proposed(as_agent(app, monkeypatch), "red", "green", "blue")
    other = as_agent(app, monkeypatch, "s-2")
    proposed(other, "white", "black")

    with pytest.raises(TooManyProposals, match="within the last hour"):
        proposed(other, "grey")


def test_the_same_again_is_no_proposal_more(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = as_agent(app, monkeypatch)
    proposed(agent, "red", "green", "blue")

    proposed(agent, "red")

    assert len(list_waiting(agent)) == 3


def test_a_person_has_no_limit(app: App) -> None:
    proposed(app, *(f"part{number}" for number in range(8)))

    assert len(list_waiting(app)) == 8


def test_the_person_is_told(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = as_agent(app, monkeypatch)
    proposed(agent, "red", "green", "blue")
    for name in ("white", "black"):
        with pytest.raises(TooManyProposals):
            proposed(agent, name)

    found = read_refused_proposals(agent)

    assert (found.count, found.client) == (2, "Claude Code")


def test_the_agents_own_setting_does_not_count(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_PROPOSE_PER_SESSION", "100000")
    monkeypatch.setenv("HOLDFAST_PROPOSE_PER_HOUR", "100000")
    agent = as_agent(app, monkeypatch)

    with pytest.raises(TooManyProposals):
        proposed(agent, *(f"part{number}" for number in range(25)))

    assert len(list_waiting(agent)) == 20


def test_many_at_once_are_no_more(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    as_agent(app, monkeypatch)

    def one(number: int) -> bool:
        try:
            proposed(open_memory(app.workspace), f"part{number}")
        except TooManyProposals:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(one, range(12)))

    assert sum(made) == 3
