"""A candidate whose quotes do not stand in the conversation is dropped."""

import pytest
from tests.unit.distil.talk import agent, bash, talk, user

from holdfast.core.distilled import Distilled
from holdfast.core.memory import Evidence, Memory, MemoryType, SaidBy, Status
from holdfast.core.value import replace
from holdfast.distil.check_evidence import drop_unproven
from holdfast.distil.make_candidate import build_candidate

TALK = talk(
    user("Please use SQLite\n  instead of Redis."), agent("Done: SQLite it is."), bash("pytest -q", "3 passed in 0.1s")
)


def made(number: int, quote: str, said_by: SaidBy = SaidBy.USER) -> Memory:
    return build_candidate(MemoryType.DECISION, TALK.turns[number], quote, title="Use SQLite", said_by=said_by)


def kept(memory: Memory) -> bool:
    distilled = Distilled(session="s-1", client="claude-code", by="model", candidates=(memory,))
    return drop_unproven(distilled, TALK).candidates == (memory,)


@pytest.mark.parametrize(
    ("number", "quote", "said_by"),
    [
        (0, "use SQLite instead of Redis.", SaidBy.USER),
        (0, "use   SQLite\ninstead", SaidBy.USER),
        (1, "SQLite it is", SaidBy.AGENT),
        (2, "3 passed in", SaidBy.TOOL),
        (2, "pytest -q", SaidBy.TOOL),
    ],
)
def test_words_that_stand_there_are_evidence(number: int, quote: str, said_by: SaidBy) -> None:
    assert kept(made(number, quote, said_by))


@pytest.mark.parametrize(
    ("number", "quote", "said_by"),
    [
        (0, "use Postgres", SaidBy.USER),
        (0, "Use sqlite instead of Redis.", SaidBy.USER),
        (1, "use SQLite", SaidBy.AGENT),
        (1, "SQLite it is", SaidBy.USER),
        (2, "3 passed in", SaidBy.USER),
        (0, "SQLite", SaidBy.USER),
        (0, "", SaidBy.USER),
        (0, "   ", SaidBy.USER),
    ],
)
def test_other_words_and_other_speakers_are_not(number: int, quote: str, said_by: SaidBy) -> None:
    assert not kept(made(number, quote, said_by))


def test_every_quote_must_stand() -> None:
    memory = made(0, "use SQLite")

    assert not kept(replace(memory, evidence=(*memory.evidence, Evidence(event="e2", quote="never said"))))
    assert not kept(replace(memory, evidence=(Evidence(event="e99", quote="use SQLite"),)))
    assert not kept(replace(memory, evidence=()))


def test_a_distiller_cannot_accept() -> None:
    assert not kept(replace(made(0, "use SQLite"), status=Status.ACCEPTED))
