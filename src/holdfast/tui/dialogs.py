"""What is asked in between: a line of words, one of several, or nothing but patience for the help."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from holdfast.core.memory import Entry
from holdfast.core.plain_text import one_line
from holdfast.tui import draw_items

PAUSE = 0.15


class AskDialog(ModalScreen[str | None]):
    """One line of words; None where the person thinks better of it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, question: str, hint: str, given: str = "") -> None:
        super().__init__()
        self._question, self._hint, self._given = question, hint, given

    def compose(self) -> ComposeResult:
        """The question, the line, the hint."""
        with Vertical(classes="dialog"):
            yield Static(Text(self._question, style=draw_items.LOUD), markup=False)
            yield Input(self._given, select_on_focus=False)
            yield Static(Text(f"{self._hint}  Enter takes it, Esc leaves.", style=draw_items.QUIET), markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        self.dismiss(event.value.strip())


class PickDialog(ModalScreen[str | None]):
    """One entry of several: those at hand, or those that some words find."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "leave"),
        Binding("down", "move(1)", "next"),
        Binding("up", "move(-1)", "previous"),
    ]

    def __init__(
        self,
        question: str,
        near: Sequence[Entry],
        find: Callable[[str], Awaitable[Sequence[Entry]]],
        own: Sequence[str],
    ) -> None:
        super().__init__()
        self._question, self._near, self._find, self._own = question, near, find, frozenset(own)
        self._shown: list[Entry] = []

    def compose(self) -> ComposeResult:
        """Words to look for, and what they find."""
        with Vertical(classes="dialog"):
            yield Static(Text(self._question, style=draw_items.LOUD), markup=False)
            yield Input(placeholder="words or an id; ↑↓ choose, Enter takes it, Esc leaves")
            yield OptionList(markup=False)

    def on_mount(self) -> None:
        """Begin with those at hand."""
        self.query_one(OptionList).can_focus = False
        self._list(self._near)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for other words."""
        self.run_worker(self._look(event.value), exclusive=True)

    async def _look(self, words: str) -> None:
        await asyncio.sleep(PAUSE)
        self._list(await self._find(words) if words.strip() else self._near)

    def _list(self, entries: Sequence[Entry]) -> None:
        self._shown = [entry for entry in entries if entry.memory.id not in self._own]
        options = self.query_one(OptionList)
        options.clear_options()
        width = max(20, self.size.width - 12)
        rows = (f"{entry.memory.id:<12} {one_line(entry.memory.title)}" for entry in self._shown)
        options.add_options(Option(Text(draw_items.fit(text, width).rstrip())) for text in rows)
        options.highlighted = 0 if self._shown else None

    def action_move(self, steps: int) -> None:
        """Go to the next one."""
        options = self.query_one(OptionList)
        if self._shown:
            options.highlighted = max(0, min((options.highlighted or 0) + steps, len(self._shown) - 1))

    def on_input_submitted(self) -> None:
        """Enter."""
        place = self.query_one(OptionList).highlighted
        if place is not None and place < len(self._shown):
            self.dismiss(self._shown[place].memory.id)


HELP = (
    ("decide", (
        ("a", "accept: it becomes a memory of this workspace"),
        ("A", "accept as your own: it holds in every workspace"),
        ("r", "reject; it is not proposed again"),
        ("e", "edit in $EDITOR"),
        ("m", "merge into another; the selected ones into the current one"),
        ("z", "skip: it goes to the end of the queue"),
        ("u", "undo the last decision, also one of an earlier run"),
    )),
    ("where it contradicts what holds", (
        ("s", "supersede: the old one ends, the new one holds"),
        ("o", "keep the old one: the new one is turned down"),
        ("n", "narrow: the new one holds at some paths only"),
        ("b", "keep both, and say why"),
    )),
    ("move", (
        ("j k ↓ ↑", "next, previous; g G first, last; PgDn PgUp a screenful"),
        ("Tab", "queue, candidate, evidence, conflicts"),
        ("Space", "select for accept, reject, merge and the others"),
        ("x", "select all shown, or none"),
        ("/", "filter: words type:T from:SESSION min:0.8 by:user is:conflict"),
        ("q", "leave (Ctrl-Q too)"),
    )),
    ("marks", (
        ("D A I F L P", "decision, assumption, invariant, failure, learning, pattern"),
        (".90", "how sure it is"),
        ("! » =", "contradicts, replaces, repeats; · not looked at"),
        ("two", "two memories that hold and contradict each other"),
    )),
)  # fmt: skip


class HelpDialog(ModalScreen[None]):
    """All keys and marks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss(None)", "leave"),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def compose(self) -> ComposeResult:
        """The list."""
        with VerticalScroll(classes="dialog help") as page:
            page.border_title = "keys (j k scroll, Esc leaves)"
            yield Static(_draw_help(), markup=False)

    def action_scroll(self, steps: int) -> None:
        """Read on."""
        self.query_one(VerticalScroll).scroll_relative(y=steps, animate=False)


def _draw_help() -> Group:
    parts: list[RenderableType] = []
    for title, rows in HELP:
        table = Table.grid(padding=(0, 1))
        table.add_column(style=draw_items.LOUD, width=11)
        table.add_column()
        for key, does in rows:
            table.add_row(Text(f" {key}"), Text(does))
        parts += [Text(title, style="underline"), table]
    return Group(*parts)
