"""One line says what holds, what was rejected as rejected, and why."""

import pytest
from tests.index_values import entry

from holdfast.core.memory import Memory, MemoryType, RejectedOption
from holdfast.recall.state_memory import state_memory


def _memory(**fields: object) -> Memory:
    return entry("DEC-1", **fields).memory  # type: ignore[arg-type]


CURSES = RejectedOption(option="curses", reason="no layout engine")


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        (_memory(title="Screens", choice="Textual", rejected=(CURSES,)),
         "Screens: Textual; rejected: curses (no layout engine)"),
        (_memory(title="x", question="Which cache?", choice="SQLite", rejected=(RejectedOption(option="Redis"),)),
         "Which cache? SQLite; rejected: Redis"),
        (_memory(title="Use ruff, not black", rejected=(RejectedOption(option="black"),)), "Use ruff, not black"),
        (_memory(title="We use ruff, not black", question="ruff or black?", choice="ruff",
                 rejected=(RejectedOption(option="black"),)), "We use ruff, not black"),
        (_memory(title="Use ruff, not black", question="Which formatter?", choice="ruff",
                 rejected=(RejectedOption(option="black"),)), "Which formatter? ruff; rejected: black"),
        (_memory(title="Use ruff", body="Use ruff\n\nRationale: one tool for both."),
         "Use ruff (because one tool for both)"),
        (_memory(type=MemoryType.FAILURE, title="HTTP/3 broke uploads", attempts=3, root_cause="the proxy drops UDP"),
         "HTTP/3 broke uploads, failed 3×: the proxy drops UDP"),
        (_memory(type=MemoryType.LEARNING, title="t", fact="The API counts from 1", category="api"),
         "[api] The API counts from 1"),
        (_memory(type=MemoryType.ASSUMPTION, title="One region is enough"), "One region is enough (assumption)"),
    ],
)  # fmt: skip
def test_a_memory_in_one_line(memory: Memory, said: str) -> None:
    assert state_memory(memory) == said


def test_without_reasons_only_what_holds() -> None:
    memory = _memory(title="Screens", choice="Textual", rejected=(CURSES,), body="Rationale: it draws well")

    assert state_memory(memory, reasons=False) == "Screens: Textual; rejected: curses"


def test_half_a_title_is_told_whole() -> None:
    memory = _memory(type=MemoryType.INVARIANT, title="Never log the…", body="Never log the body of a request.")

    assert state_memory(memory) == "Never log the body of a request."


def test_a_long_reason_is_cut_at_a_word() -> None:
    told = state_memory(_memory(title="Use ruff", body="Because: " + "reason " * 60))

    assert told.endswith("reason…)")
    assert len(told) < 200
