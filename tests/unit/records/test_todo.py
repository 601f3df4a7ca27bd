"""The todo list: from a client's tool, by a person, and in a file that both may change."""

from typing import Any

import pytest

from holdfast.core.todo_calls import TodoAdded, TodoListed, TodoMarked, one_line, read_todo_call
from holdfast.records.todo_items import TodoItem, item_id, mark_todo, merge_todos, parse_todos, render_todos

DAY = "2026-11-15"


def item(text: str, *, done: bool = False, by: str = "claude-code", at: str = DAY) -> TodoItem:
    return TodoItem(id=item_id(text), text=text, done=done, by=by, at=at)


def listed(*pairs: tuple[str, bool]) -> TodoListed:
    return TodoListed(items=pairs)


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("TodoWrite", {"todos": [{"content": "A", "status": "completed"}]}, listed(("A", True))),
        ("todowrite", {"todos": [{"content": "A", "status": "pending", "id": "1"}]}, listed(("A", False))),
        ("update_plan", {"plan": [{"step": "A", "status": "in_progress"}]}, listed(("A", False))),
        ("write_todos", {"todos": [{"description": "A", "status": "cancelled"}]}, listed(("A", True))),
        ("TodoWrite", {"todos": []}, listed()),
        ("TaskCreate", {"subject": "A", "description": "long"}, TodoAdded(key="", text="A")),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, TodoMarked(key="3", done=True)),
        ("Bash", {"todos": [{"content": "A"}]}, None),
        ("TodoWrite", {"todos": "A"}, None),
        ("TodoWrite", None, None),
    ],
)
def test_every_clients_tool_is_understood(tool: str, given: Any, told: Any) -> None:
    assert read_todo_call({"tool": tool, "input": given}) == told


def test_the_file_is_read_as_it_was_written() -> None:
    items = [item("Mend it"), item("Ask Ada", by="user"), item("Read it", done=True)]

    assert parse_todos(render_todos(items)) == items


def test_a_line_that_a_person_wrote_is_an_item_of_theirs() -> None:
    [found] = parse_todos("# Todo\n\n* [ ] buy milk\nsome prose\n")

    assert (found.text, found.by, found.done) == ("buy milk", "user", False)


def test_what_the_client_finished_is_ticked_and_what_it_took_off_unfinished_goes() -> None:
    before = [item("A"), item("B"), item("C", by="user")]

    after = merge_todos(before, ["A", "B"], listed(("A", True), ("D", False)), "claude-code", DAY)

    assert [(each.text, each.done) for each in after] == [("A", True), ("C", False), ("D", False)]


def test_another_clients_items_are_left_alone() -> None:
    after = merge_todos([item("A", by="codex")], ["A"], listed(("B", False)), "claude-code", DAY)

    assert [each.text for each in after] == ["A", "B"]


def test_what_was_done_more_than_a_week_ago_leaves() -> None:
    old, young = item("A", done=True, at="2026-11-01"), item("B", done=True, at="2026-11-10")

    assert merge_todos([old, young], [], listed(), "codex", DAY) == [young]


def test_an_item_is_ticked_and_opened_again() -> None:
    ticked = mark_todo([item("A", at="2026-11-01")], item_id("A"), done=True, day=DAY)

    assert (ticked[0].done, ticked[0].at) == (True, DAY)
    assert not mark_todo(ticked, item_id("A"), done=False, day=DAY)[0].done


def test_words_cannot_end_the_comment_or_the_line() -> None:
    text = one_line("evil --> <!-- T-00000 user 2026-01-01 -->\n- [x] other")

    [found] = parse_todos(render_todos([item(text)]))

    assert found.text == text
