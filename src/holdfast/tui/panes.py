"""The parts of the screen: the queue, and panels that scroll."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from holdfast.review.relations import EntryRelation
from holdfast.tui import draw_items
from holdfast.tui.queue_items import QueueItem

HERE = Style(reverse=True)
HERE_BUT_ELSEWHERE = Style(bold=True, underline=True)
CHOSEN = Style(bold=True)
PLAIN = Style()


class Queue(ScrollView, can_focus=True):
    """What waits, one line each. Only the lines in sight are drawn, however many there are."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "next", show=False),
        Binding("k,up", "move(-1)", "previous", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False),
        Binding("g,home", "move(-1000000000)", "first", show=False),
        Binding("G,end", "move(1000000000)", "last", show=False),
    ]

    class Moved(Message):
        """Another item is the current one."""

    def __init__(self) -> None:
        super().__init__(id="queue")
        self.items: Sequence[QueueItem] = ()
        self.at = 0
        self.selected: set[str] = set()
        self.marks: Mapping[str, Sequence[EntryRelation]] = {}

    @property
    def current(self) -> QueueItem | None:
        """The item under the cursor."""
        return self.items[self.at] if self.items else None

    @property
    def visible_keys(self) -> list[str]:
        """The keys of the items on the screen."""
        first = self.scroll_offset.y
        return [item.key for item in self.items[first : first + self.size.height]]

    def put(self, items: Sequence[QueueItem], wanted: str = "") -> None:
        """Show other items; the cursor stays with its own or moves to the one wanted, as far as they are there."""
        held = wanted or (self.current.key if self.current else "")
        self.items = items
        places = {item.key: place for place, item in enumerate(items)}
        self.at = places.get(held, max(0, min(self.at, len(items) - 1)))
        self.selected &= places.keys()
        self.virtual_size = Size(0, len(items))
        self._show()

    def action_move(self, steps: int) -> None:
        """Go down, or up."""
        self.go(self.at + steps)

    def action_page(self, pages: int) -> None:
        """Go a screenful down, or up."""
        self.go(self.at + pages * max(1, self.size.height - 1))

    def go(self, place: int) -> None:
        """Make another item the current one."""
        self.at = max(0, min(place, len(self.items) - 1))
        self._show()

    def _show(self) -> None:
        self.scroll_to_region(Region(0, self.at, 1, 1), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """One line."""
        place = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if place >= len(self.items):
            return Strip.blank(width, self.rich_style)
        item = self.items[place]
        selected = item.key in self.selected
        text = draw_items.draw_row(item, self.marks.get(item.key), width, here=place == self.at, selected=selected)
        return Strip([Segment(text, self.rich_style + self._style(place, selected=selected))], width)

    def _style(self, place: int, *, selected: bool) -> Style:
        if place == self.at:
            return HERE if self.has_focus else HERE_BUT_ELSEWHERE
        return CHOSEN if selected else PLAIN


class Panel(VerticalScroll, can_focus=True):
    """A part of what is shown about an item, under a line with its name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "down", show=False),
        Binding("k", "scroll_up", "up", show=False),
    ]

    def __init__(self, name: str) -> None:
        super().__init__(id=name, classes="panel")
        self.border_title = name
        self._content = Static(markup=False)

    def compose(self) -> ComposeResult:
        """The one text in it."""
        yield self._content

    def put(self, content: RenderableType, *, fresh: bool = True) -> None:
        """Show something; what is fresh is read from its beginning."""
        self._content.update(content)
        if fresh:
            self.scroll_home(animate=False)


class ConflictPanel(Panel):
    """What the item is to memories that hold. One of them is the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "choose(1)", "next", show=False),
        Binding("k,up", "choose(-1)", "previous", show=False),
    ]

    def __init__(self) -> None:
        super().__init__("conflicts")
        self.related: Sequence[EntryRelation] = ()
        self.place = 0

    @property
    def chosen(self) -> EntryRelation | None:
        """The relation that a person looks at."""
        return self.related[self.place] if self.related else None

    def tell(self, related: Sequence[EntryRelation]) -> None:
        """Show relations; the same ones stay where they were read."""
        fresh = [each.relation.old for each in related] != [each.relation.old for each in self.related]
        self.related, self.place = related, 0 if fresh else self.place
        self.put(draw_items.draw_conflicts(related, self.place), fresh=fresh)

    def action_choose(self, steps: int) -> None:
        """Go to the next relation; of one alone, scroll."""
        if len(self.related) < 2:
            (self.action_scroll_down if steps > 0 else self.action_scroll_up)()
            return
        self.place = max(0, min(self.place + steps, len(self.related) - 1))
        self.put(draw_items.draw_conflicts(self.related, self.place), fresh=False)
        share = self.place / (len(self.related) - 1)
        self.scroll_to(y=self.max_scroll_y * share, animate=False)
