"""What is on the screen: the queue and the current item, up to date with the files, whatever is being done."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from rich.text import Text
from textual.app import App as TextualApp
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.events import DescendantFocus
from textual.widgets import Static
from textual.worker import Worker

from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.memory import Entry
from holdfast.core.plain_text import make_inert, one_line
from holdfast.review.relations import EntryRelation, is_blocking
from holdfast.tui import draw_items
from holdfast.tui.panes import ConflictPanel, Panel, Queue
from holdfast.tui.queue_items import ALL, ItemFindings, QueueItem, order_queue
from holdfast.tui.review_jobs import (
    ItemReader,
    QueueSnapshot,
    Stamps,
    keep_conflicts,
    list_valid_memories,
    read_queue,
    read_stamps,
    require_unchanged,
)
from holdfast.tui.worker_thread import JobThread, Urgency
from holdfast.workspace import App

T = TypeVar("T")
Doing = Callable[[], Awaitable[None]]
THEME = "ansi-dark"
POLL = 1.5
TOLD = 0.5
NARROW = 64
WIDE = 116
REDRAWN = 1.0
KEYS = (
    ("a", "accept"), ("e", "edit"), ("r", "reject"), ("m", "merge"), ("z", "skip"), ("␣", "select"), ("/", "filter"),
    ("u", "undo"), ("?", "help"), ("q", "quit"),
)  # fmt: skip
EMPTY_KEYS = (("/", "filter"), ("u", "undo"), ("?", "help"), ("q", "quit"))
CONFLICT_KEYS = (
    ("s", "supersede"), ("o", "keep old"), ("n", "narrow"), ("b", "both"), ("e", "edit"), ("r", "reject"),
    ("m", "merge"), ("z", "skip"), ("?", "help"),
)  # fmt: skip


class Window(TextualApp[None]):
    """The queue on the left; on the right the candidate, where it comes from, and what it conflicts with."""

    CSS_PATH = "review.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, app: App) -> None:
        # The terminal's own colours: they fit its background, and NO_COLOR leaves plain text.
        super().__init__(ansi_color=True)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (NARROW, "-narrow"), (WIDE, "-wide")]
        self._memory = app
        # A bar printed beside the screen would spoil it: what is far from done is told on it.
        app.progress = self._note_progress
        self._progress = ("", 0, 0)
        self._desk, self._eyes = JobThread(app), ItemReader()
        self._chosen, self._read = ALL, QueueSnapshot(groups=(), total=0, last=None, stamps={})
        self._put_off: list[str] = []
        self._seen: dict[tuple[str, str], ItemFindings] = {}
        self._marks: dict[str, tuple[EntryRelation, ...]] = {}
        self._scanned: dict[str, str] = {}
        self._pairs: list[EntryRelation] = []
        self._left = (0, 0)
        self._told: set[str] = set()
        self._stale: set[str] = set()
        self._sums: dict[str, str] = {}
        self._shown = ""
        self._busy = self._loaded = self._polling = False

    # The screen

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield Static(id="head", markup=False)
        with Horizontal(id="middle"):
            yield Queue()
            with Container(id="detail"):
                with Container(id="about"):
                    yield Panel("candidate")
                    yield Panel("evidence")
                yield ConflictPanel()
        yield Static(id="said", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Begin."""
        self.theme = THEME
        self.queue.focus()
        self.queue.marks = self._marks
        self._draw_around()
        self._begin("poll", self._look_for_changes)
        self.set_interval(POLL, self._poll)
        self.set_interval(TOLD, self._tell_progress)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """What is read gets the room."""
        detail = self.screen_stack[0].query_one("#detail")
        for name in ("candidate", "evidence", "conflicts"):
            detail.set_class(event.widget.id == name, f"at-{name}")

    @property
    def queue(self) -> Queue:
        """The queue."""
        return self.screen_stack[0].query_one(Queue)

    def _panel(self, name: str) -> Panel:
        return self.screen_stack[0].query_one(f"#{name}", Panel)

    @property
    def _conflicts(self) -> ConflictPanel:
        return self.screen_stack[0].query_one(ConflictPanel)

    def _draw_around(self) -> None:
        """The lines above and below."""
        base = self.screen_stack[0]
        place = os.path.basename(self._memory.workspace) or "your own memory"
        head = draw_items.draw_head(
            place, len(self.queue.items), self._total(), len(self.queue.selected), self._chosen.text
        )
        done, of = self._left
        base.query_one("#head", Static).update(
            head.append(f"  looking {done}/{of}", style=draw_items.QUIET) if of else head
        )
        item = self.queue.current
        blocked = item is not None and (item.pair or any(is_blocking(each) for each in self._marks.get(item.key, ())))
        keys = CONFLICT_KEYS if blocked else KEYS if item else EMPTY_KEYS
        base.query_one("#keys", Static).update(draw_items.draw_keys(keys))

    def _total(self) -> int:
        return self._read.total + len(self._pairs)

    def say(self, words: str, *, loud: bool = False) -> None:
        """Tell what happened, and what should be known besides."""
        notes = [note for note in dict.fromkeys(self._memory.notices) if note not in self._told]
        self._told.update(notes)
        text = Text().append(f"! {make_inert(words)}", style=draw_items.WARN) if loud else Text(make_inert(words))
        for note in notes:
            text.append(f"\nnote: {one_line(note)}", style=draw_items.QUIET)
        self.screen_stack[0].query_one("#said", Static).update(text)

    def _note_progress(self, what: str, done: int, of: int) -> None:
        """Called by whoever is at work, in the thread of the desk."""
        self._progress = (what, done, of)

    def _tell_progress(self) -> None:
        what, done, of = self._progress
        if self._busy and done < of:
            self.say(f"{what} {done}/{of} …")

    def _trouble(self, error: HoldfastError) -> None:
        self.say(f"{error}\n{error.hint}" if error.hint else str(error), loud=True)

    # The desk

    async def _ask(self, job: Callable[[App], T], urgency: Urgency = Urgency.ASKED) -> T:
        return await asyncio.wrap_future(self._desk.ask(job, urgency))

    async def _decide(self, items: Sequence[QueueItem], job: Callable[[App], T]) -> T:
        """Do what a person decided about items, if they still are what they were."""
        done = await self._ask(require_unchanged(items, job))
        self.queue.focus()
        return done

    def _begin(self, group: str, doing: Doing) -> None:
        """Do something beside the screen; of one group, the newest counts."""

        async def work() -> None:
            await self._guarded(doing)

        _: Worker[None] = self.run_worker(work, group=group, exclusive=True)

    async def _guarded(self, doing: Doing) -> None:
        """Do something; what goes wrong is said."""
        try:
            await doing()
        except HoldfastError as error:
            self._trouble(error)
        except OSError as error:
            self._trouble(_translate_error(error))

    def _act(self, doing: Doing, *, on_nothing: bool = False) -> None:
        """One decision at a time: a key pressed meanwhile could hit what nobody has seen yet."""
        if self._busy:
            self.say("Still at work.")
        elif self.queue.items or on_nothing:
            self._busy, self._progress = True, ("", 0, 0)

            async def work() -> None:
                try:
                    await self._guarded(partial(self._decided, doing))
                finally:
                    self._busy = False

            _: Worker[None] = self.run_worker(work, group="act")

    async def _decided(self, doing: Doing) -> None:
        """Do something; if it cannot be done, what is shown may be old: it is read again."""
        try:
            await doing()
        except (HoldfastError, OSError):
            await self._guarded(self._renew)
            raise

    async def _renew(self, wanted: str = "") -> None:
        """Read the queue; what was found out about entries that did not change stays."""
        read = await self._ask(read_queue(self._chosen))
        if read.stamps != self._read.stamps:
            # A memory came, changed or went: what an item is to others may be another thing now.
            self._seen.clear()
            self._stale = set(self._marks)
        sums = {entry.memory.id: entry.sha256 for entry in read.waiting}
        for name in [name for name in sums if self._sums.get(name) != sums[name]]:
            self._marks.pop(name, None)
        self._sums |= sums
        self._read, self._loaded = read, True
        self._show_queue(wanted)
        self._begin("scan", self._scan)

    def _show_queue(self, wanted: str = "") -> None:
        items = order_queue(self._read.groups, self._pairs, self._put_off, self._chosen, self._read.expiry)
        if self._chosen.conflicts:
            items = [
                item for item in items if item.pair or any(is_blocking(each) for each in self._marks.get(item.key, ()))
            ]
        self.queue.put(items, wanted)

    def _poll(self) -> None:
        if not self._busy and not self._polling:
            self._begin("poll", self._look_for_changes)

    async def _look_for_changes(self) -> None:
        """Read the queue, if files changed: by another terminal, an agent, an editor, git."""
        self._polling = True
        try:
            now: Stamps = await self._ask(read_stamps, Urgency.SHOWN)
            if not self._loaded or (now != self._read.stamps and not self._busy):
                await self._renew_and_tell()
        finally:
            self._polling = False

    async def _renew_and_tell(self) -> None:
        before = {entry.memory.id for entry in self._read.waiting} if self._loaded else None
        await self._renew()
        came = len({entry.memory.id for entry in self._read.waiting} - before) if before is not None else 0
        if came or not self._told.issuperset(self._memory.notices):
            self.say(f"{came} new to review." if came > 1 else "One new to review." if came else "")

    # What is shown of the current item

    def on_queue_moved(self) -> None:
        """Another item is current: draw what is known, find out the rest."""
        item = self.queue.current
        self._draw_around()
        if item is None:
            self._show_nothing()
            return
        fresh, self._shown = self._shown != item.key, item.key
        self._panel("evidence").remove_class("none")
        what = "newer of two memories" if item.pair else "candidate"
        self._panel("candidate").border_title = f"{what} {one_line(item.entry.memory.id)}"
        self._panel("candidate").put(draw_items.draw_candidate(item, self._memory.clock.now()), fresh=fresh)
        known = self._seen.get((item.key, item.entry.sha256))
        if known is not None:
            self._show_seen(item, known, fresh=fresh)
            return
        if fresh:
            self._panel("evidence").put(Text("looking …", style=draw_items.QUIET))
            self._show_related(self._marks.get(item.key, ()))
        self._begin("see", partial(self._see, item, fresh=fresh))

    async def _see(self, item: QueueItem, *, fresh: bool = True) -> None:
        try:
            seen = await self._ask(self._eyes.see(item), Urgency.SHOWN)
        except (HoldfastError, OSError):
            self._panel("evidence").put(Text("could not look", style=draw_items.WARN))
            raise
        self._seen[item.key, item.entry.sha256] = seen
        self._marks[item.key] = seen.related
        self._stale.discard(item.key)
        self.queue.refresh()
        if self.queue.current == item:
            self._show_seen(item, seen, fresh=fresh)

    def _show_seen(self, item: QueueItem, seen: ItemFindings, *, fresh: bool) -> None:
        self._panel("evidence").put(draw_items.draw_evidence(item, seen.quoted), fresh=fresh)
        self._show_related(seen.related)
        self._draw_around()

    def _show_related(self, related: Sequence[EntryRelation]) -> None:
        conflicts = self._conflicts
        conflicts.set_class(not related, "none")
        conflicts.border_title = "conflicts" if any(map(is_blocking, related)) else "near it"
        conflicts.tell(related)
        if not related and conflicts.has_focus and not self.screen_stack[0].has_class("-wide"):
            self.queue.focus()

    def _show_nothing(self) -> None:
        self._shown = ""
        self._panel("candidate").border_title = "candidate"
        words = (
            draw_items.draw_empty(self._chosen.text, self._total())
            if self._loaded
            else Text("reading …", style=draw_items.QUIET)
        )
        self._panel("candidate").put(words)
        self._panel("evidence").add_class("none")
        self._show_related(())

    # The look through all of them, behind what a person does

    async def _scan(self) -> None:
        """Give each candidate its mark, and find memories that hold and contradict each other."""
        held = await self._ask(list_valid_memories, Urgency.BEHIND)
        sums = {entry.memory.id: entry.sha256 for entry in held}
        self._drop_pairs(sums)
        again = self._stale & set(self.queue.visible_keys)
        fresh = [e for e in self._read.waiting if e.memory.id not in self._marks or e.memory.id in again]
        held = [entry for entry in held if self._scanned.get(entry.memory.id) != entry.sha256]
        todo = {entry.memory.id: entry for entry in (*fresh, *held)}
        drawn, many = 0.0, len(todo)
        while todo:
            entry = todo.pop(next((key for key in self.queue.visible_keys if key in todo), "") or next(iter(todo)))
            self._note(entry, await self._ask(self._eyes.relate(entry), Urgency.BEHIND), sums)
            if (now := asyncio.get_running_loop().time()) - drawn > REDRAWN:
                drawn, self._left = now, (many - len(todo), many)
                self.queue.refresh()
                self._draw_around()
        self._left = (0, 0)
        self.queue.refresh()
        self._draw_around()

    def _note(self, entry: Entry, related: tuple[EntryRelation, ...], held: dict[str, str]) -> None:
        name = entry.memory.id
        if name not in held:
            self._marks[name] = related
            self._stale.discard(name)
            if self._chosen.conflicts and any(map(is_blocking, related)):
                self._show_queue()
            return
        self._scanned[name] = entry.sha256
        before = len(self._pairs)
        self._pairs = keep_conflicts([*self._pairs, *related])
        if len(self._pairs) != before:
            self._show_queue()

    def _drop_pairs(self, sums: dict[str, str]) -> None:
        """A pair stands as long as both are as they were; else both are looked at again."""
        gone = {
            side.memory.id
            for each in self._pairs
            if any(sums.get(side.memory.id) != side.sha256 for side in (each.new, each.old))
            for side in (each.new, each.old)
        }
        self._scanned = {name: sha for name, sha in self._scanned.items() if sums.get(name) == sha and name not in gone}
        if gone:
            self._pairs = [each for each in self._pairs if not {each.relation.new, each.relation.old} & gone]
            self._show_queue()


def _translate_error(error: OSError) -> HoldfastError:
    where = f" {error.filename!r}" if error.filename else ""
    return Unavailable(
        f"The file system refused{where}: {error.strerror or error}.", "check the permissions and the free space."
    )
