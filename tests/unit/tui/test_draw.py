"""How things look, where it is easy to get wrong."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType
from tests.unit.tui.workspace import NOW, candidate

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.memory import Entry, Evidence, Memory, MemoryType, Scope
from holdfast.records.evidence_context import QuotedEvidence
from holdfast.tui import draw_items
from holdfast.tui.queue_items import QueueItem


def item(title: str = "One", **more: object) -> QueueItem:
    memory = candidate("ONE000", title, **more)
    return QueueItem(entry=Entry(memory=memory, scope=Scope.WORKSPACE, path="candidates/x.md", line=1, sha256="0"))


def drawn(what: RenderableType, width: int = 60) -> str:
    page = io.StringIO()
    Console(file=page, width=width, color_system=None).print(what)
    return page.getvalue()


@given(st.text(max_size=120), st.integers(12, 90))
def test_a_row_has_the_width_it_is_given(title: str, width: int) -> None:
    row = draw_items.draw_row(item(title), None, width, here=True, selected=True)

    assert cell_len(row) == width
    assert "\n" not in row


@given(st.text(max_size=400))
def test_whatever_a_memory_says_is_inert(text: str) -> None:
    shown = drawn(draw_items.draw_candidate(item(text, body=text, tags=(text,), source=text), NOW))

    assert [character for character in shown if not (character.isprintable() or character.isspace())] == []
    assert not set(shown) & set("\x1b\x07\x9b\r\u2028\u202e\u200b")


def test_markup_is_text() -> None:
    shown = drawn(
        draw_items.draw_candidate(item("[bold]x[/bold] [link=http://x]y[/link]", body="[@click=app.quit]z[/]"), NOW)
    )

    assert "[bold]x[/bold] [link=http://x]y[/link]" in shown
    assert "[@click=app.quit]z[/]" in shown


def test_a_body_that_only_repeats_the_title_is_not_shown_again() -> None:
    assert drawn(draw_items.draw_candidate(item("Use ruff", body="Use ruff."), NOW)).count("Use ruff") == 1
    assert "fast" in drawn(draw_items.draw_candidate(item("Use ruff", body="Use ruff.\n\nIt is fast."), NOW))


def test_a_huge_body_is_cut_and_says_so() -> None:
    shown = drawn(draw_items.draw_candidate(item("One", body="word " * 100_000), NOW))

    assert "more characters: holdfast show CAND-ONE000" in shown
    assert len(shown) < 20_000


@pytest.mark.parametrize(
    ("confidence", "shown"), [(None, " – "), (0.0, ".00"), (0.5, ".50"), (0.949, ".95"), (0.999, "1.0"), (1.0, "1.0")]
)
def test_how_sure_takes_three_columns(confidence: float | None, shown: str) -> None:
    assert draw_items.draw_row(item(confidence=confidence), (), 40, here=False, selected=False)[4:7] == shown


def quoted(text: str, quote: str, kind: TurnKind = TurnKind.PROMPT) -> QuotedEvidence:
    turn = Turn(id="T1", kind=kind, ts="2026-11-15T09:22:00Z", text=text)
    return QuotedEvidence(
        evidence=Evidence(event="T1", quote=quote), session="s", client="codex", turns=(turn,), at="T1"
    )


def test_the_quoted_words_are_marked_whatever_the_white_space() -> None:
    text = draw_items._mark_quote(quoted("so:\n  Use   SQLite\nnow", "").turns[0], "Use SQLite now")

    assert [text.plain[span.start : span.end] for span in text.spans] == ["Use   SQLite\nnow"]


def test_of_a_long_turn_the_part_around_the_quote_is_shown() -> None:
    found = quoted(f"{'before ' * 2000}THE WORDS{' after' * 2000}", "THE WORDS")

    shown = drawn(draw_items.draw_evidence(item(), [found]))

    assert shown.count("THE WORDS") == 2
    assert len(shown) < 3_000


def test_evidence_that_is_gone_shows_its_quote_and_why() -> None:
    found = QuotedEvidence(evidence=Evidence(event="x", quote="the words"), missing="its event is not in this journal")

    shown = drawn(draw_items.draw_evidence(item(), [found]))

    assert "“the words”" in shown
    assert "its event is not in this journal" in shown


def test_an_edit_of_the_people_s_page_says_which_line_and_what_becomes_of_it() -> None:
    page = {"overview": {"line": "- [ ] login", "status": "done"}}

    assert "overview.md: - [ ] login → done" in drawn(draw_items.draw_candidate(item(extra=page), NOW))


def test_every_type_has_a_letter_of_its_own() -> None:
    letters = {draw_items.draw_row(item(type=kind), (), 40, here=False, selected=False)[2] for kind in MemoryType}

    assert len(letters) == len(MemoryType)
    assert isinstance(item().entry.memory, Memory)
