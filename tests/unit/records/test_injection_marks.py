"""A person's word on what was told: kept, counted again from the journal, and undone one by one."""

from pathlib import Path

import pytest
from tests.unit.tui.workspace import workspace

from holdfast.records.injection_marks import (
    NO_MARK,
    InjectionVerdict,
    NoSuchMark,
    UnknownVerdict,
    mark_injection,
    read_marks,
    undo_mark,
)
from holdfast.workspace import App, PersonOnly

ONE = "DEC-TABLE1"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return workspace(tmp_path)


def say(app: App, *verdicts: InjectionVerdict) -> list[str]:
    return [mark_injection(app, ONE, verdict).event for verdict in verdicts]


def test_each_word_can_be_undone_by_itself_in_any_order(app: App) -> None:
    first, _, wrong, _ = say(
        app, InjectionVerdict.IRRELEVANT, InjectionVerdict.ALWAYS, InjectionVerdict.WRONG, InjectionVerdict.IRRELEVANT
    )

    assert read_marks(app)[ONE].describe() == "wrong, not relevant 2×"
    assert undo_mark(app, ONE, first).mark.describe() == "wrong, not relevant 1×"
    assert undo_mark(app, ONE, wrong).mark.describe() == "always, not relevant 1×"
    assert read_marks(app)[ONE].describe() == "always, not relevant 1×"


def test_undoing_the_last_word_leaves_no_mark(app: App) -> None:
    [wrong] = say(app, InjectionVerdict.WRONG)

    assert undo_mark(app, ONE, wrong).mark == NO_MARK
    assert undo_mark(app, ONE, wrong).mark == NO_MARK
    assert read_marks(app) == {}


def test_only_words_that_were_said_are_undone_and_only_known_ones_said(app: App) -> None:
    [wrong] = say(app, InjectionVerdict.WRONG)

    with pytest.raises(NoSuchMark):
        undo_mark(app, "DEC-OTHER1", wrong)
    with pytest.raises(NoSuchMark):
        undo_mark(app, ONE, "01ABC")
    with pytest.raises(UnknownVerdict):
        mark_injection(app, ONE, "perhaps")


def test_an_agent_neither_says_nor_undoes(app: App) -> None:
    [wrong] = say(app, InjectionVerdict.WRONG)
    app.client = "claude-code"

    with pytest.raises(PersonOnly):
        mark_injection(app, ONE, "none")
    with pytest.raises(PersonOnly):
        undo_mark(app, ONE, wrong)
    assert read_marks(app)[ONE].wrong


def test_wrong_and_always_exclude_each_other() -> None:
    wrong = NO_MARK.after(InjectionVerdict.ALWAYS).after(InjectionVerdict.WRONG)

    assert (wrong.wrong, wrong.always) == (True, False)
    assert wrong.after(InjectionVerdict.ALWAYS).wrong is False


def test_irrelevant_counts_up_to_a_limit_and_is_taken_back() -> None:
    marks = [NO_MARK]
    for _ in range(6):
        marks.append(marks[-1].after(InjectionVerdict.IRRELEVANT))

    assert 0 == marks[0].penalty < marks[1].penalty < marks[2].penalty
    assert marks[5].penalty == marks[6].penalty
    assert marks[6].after(InjectionVerdict.NONE) == NO_MARK
