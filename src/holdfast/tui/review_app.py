"""`holdfast review`: the keys, and what they do."""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Entry
from holdfast.core.plain_text import one_line
from holdfast.core.relation import Resolution
from holdfast.index.entries import find_entry
from holdfast.review.accept import ResolveRequest, ReviewResult, accept, merge, reject, resolve
from holdfast.review.batches import undo
from holdfast.review.edit_text import open_text, save_text
from holdfast.review.relations import EntryRelation, is_blocking
from holdfast.tui.dialogs import AskDialog, HelpDialog, PickDialog
from holdfast.tui.queue_items import QueueItem, read_filter
from holdfast.tui.review_jobs import find_entries
from holdfast.tui.review_screen import Window
from holdfast.workspace import App, need_person

Editor = Callable[[App, str], str]
RESOLVE = "s supersede · o keep old · n narrow · b keep both"


class ReviewApp(Window):
    """A person decides: one key each, one decision at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "accept"),
        Binding("A", "accept('user')", "accept as your own"),
        Binding("e", "edit", "edit"),
        Binding("r", "reject", "reject"),
        Binding("m", "merge", "merge"),
        Binding("s", "supersede", "supersede"),
        Binding("o", "keep_old", "keep old"),
        Binding("n", "narrow", "narrow"),
        Binding("b", "keep_both", "keep both"),
        Binding("z", "skip", "skip"),
        Binding("space", "select", "select"),
        Binding("x,ctrl+a", "select_all", "select all"),
        Binding("slash", "filter", "filter"),
        Binding("u", "undo", "undo"),
        Binding("question_mark,f1", "help", "help"),
        Binding("q", "leave", "quit"),
        Binding("ctrl+q,ctrl+c", "leave", "quit", priority=True),
    ]

    def __init__(self, app: App, editor: Editor) -> None:
        need_person(app, "review")
        super().__init__(app)
        self._editor = editor

    # Moving and choosing

    def action_skip(self) -> None:
        """Put the current item off to the end of the queue."""
        item = self.queue.current
        if item is None:
            return
        self._put_off = [*(key for key in self._put_off if key != item.key), item.key]
        place = self.queue.at
        self._show_queue()
        self.queue.go(place)
        self.say("Skipped: it comes again at the end.")

    def action_select(self) -> None:
        """Select the current item, or not any more, and go on."""
        item = self.queue.current
        if item is not None:
            self.queue.selected ^= {item.key}
            self.queue.action_move(1)

    def action_select_all(self) -> None:
        """Select all that is shown; if all is, nothing."""
        keys = {item.key for item in self.queue.items}
        self.queue.selected = set() if keys <= self.queue.selected else keys
        self.queue.refresh()
        self._draw_around()

    def action_filter(self) -> None:
        """Ask what to show."""
        self._act(self._filter, on_nothing=True)

    async def _filter(self) -> None:
        hint = "words type:decision from:SESSION min:0.8 by:user is:conflict is:expired. Empty shows all."
        text = await self.push_screen_wait(AskDialog("Show only", hint, self._chosen.text))
        if text is None:
            return
        self._chosen = read_filter(text)
        await self._renew()
        self.say(f"{len(self.queue.items)} of {self._total()} shown." if text else "")

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpDialog())

    def action_leave(self) -> None:
        """Finish what was begun, and go."""
        self._desk.close()
        self.exit()

    # Deciding

    def _meant(self) -> list[QueueItem]:
        """The selected ones, or the current one."""
        chosen = [item for item in self.queue.items if item.key in self.queue.selected]
        return chosen or ([self.queue.current] if self.queue.current else [])

    def action_accept(self, scope: str = "") -> None:
        """Accept."""
        self._act(partial(self._accept, scope))

    async def _accept(self, scope: str) -> None:
        items = [item for item in self._meant() if not item.pair]
        ids = [item.key for item in items]
        if not ids:
            self._conflicts.focus()
            self.say(f"Both hold already: {RESOLVE}.", loud=True)
            return
        done = await self._decide(items, lambda app: accept(app, ids, scope))
        await self._told_of(done)

    async def _told_of(self, done: ReviewResult) -> None:
        self.queue.selected -= {each.candidate for each in done.accepted}
        self.queue.selected -= {entry.memory.id for entry in done.turned_down}
        for blocked in done.blocked:
            self._marks[blocked.entry.memory.id] = blocked.conflicts
        await self._renew(done.blocked[0].entry.memory.id if done.blocked else "")
        if done.blocked:
            self.queue.selected.clear()
            self._conflicts.remove_class("none")
            self._conflicts.focus()
        self.say(_describe_outcome(done), loud=bool(done.blocked))

    def action_reject(self) -> None:
        """Reject."""
        self._act(self._reject)

    async def _reject(self) -> None:
        items = [item for item in self._meant() if not item.pair]
        ids = [item.key for item in items]
        if not ids:
            self.say("Both hold already: o keeps the old one and ends the new one.", loud=True)
            return
        many = f"{len(ids)} candidates" if len(ids) > 1 else ids[0]
        because = await self.push_screen_wait(AskDialog(f"Reject {many}: why?", "May be empty."))
        if because is None:
            return
        done = await self._decide(items, lambda app: reject(app, ids, because))
        self.queue.selected -= set(ids)
        await self._renew()
        more = f", and {len(done) - len(ids)} that say the same" if len(done) > len(ids) else ""
        self.say(f"Rejected {many}{more}. u undoes it.")

    def action_supersede(self) -> None:
        """Accept, and end what it contradicts."""
        self._act(partial(self._resolve, Resolution.SUPERSEDE))

    def action_keep_old(self) -> None:
        """Turn the new one down."""
        self._act(partial(self._resolve, Resolution.KEEP_OLD))

    def action_narrow(self) -> None:
        """Accept for some paths."""
        self._act(partial(self._resolve, Resolution.NARROW))

    def action_keep_both(self) -> None:
        """Accept, with the reason why both hold."""
        self._act(partial(self._resolve, Resolution.KEEP_BOTH))

    async def _resolve(self, choice: Resolution) -> None:
        items, against = await self._in_conflict(choice)
        if not items:
            self.say("It contradicts nothing: a accepts it. To replace what is near it: Tab to it, then s.")
            return
        answer = await self._answer(choice, items)
        if answer is None:
            return
        pairs = [item for item in items if item.pair]
        for item in pairs:
            new, old = item.key.split()
            await self._decide([item], partial(resolve, new=new, old=old, answer=answer))
        rest = [item for item in items if not item.pair]
        done = await self._accept_with(rest, answer, against) if rest else ReviewResult()
        self.queue.selected -= {item.key for item in pairs}
        await self._told_of(done)
        if pairs and not done.blocked:
            many = "Resolved" if len(pairs) == 1 else f"{len(pairs)} resolved"
            self.say(f"{many}: {choice}. u undoes {'it' if len(pairs) == 1 else 'the last'}.")

    async def _accept_with(self, items: Sequence[QueueItem], answer: ResolveRequest, against: str) -> ReviewResult:
        ids = [item.key for item in items]
        return await self._decide(items, lambda app: accept(app, ids, answer=answer, against=against))

    async def _in_conflict(self, choice: Resolution) -> tuple[list[QueueItem], str]:
        """Of the items meant, those that contradict something. One may also supersede what it does not contradict."""
        meant = self._meant()
        items = [item for item in meant if any(map(is_blocking, await self._related(item)))]
        chosen = self._conflicts.chosen if len(meant) == 1 and self._conflicts.has_focus else None
        if items or choice is not Resolution.SUPERSEDE or chosen is None:
            return items, ""
        return meant, chosen.relation.old

    async def _related(self, item: QueueItem) -> Sequence[EntryRelation]:
        """What an item is to others; looked up where nobody has yet."""
        if item.key not in self._marks:
            await self._see(item)
        return self._marks[item.key]

    async def _answer(self, choice: Resolution, items: Sequence[QueueItem]) -> ResolveRequest | None:
        """How to resolve, with what that way needs; None where the person thinks better of it."""
        if choice is Resolution.NARROW:
            hint = "Paths as globs, with spaces between: src/api/** docs/*.md."
            words = await self.push_screen_wait(AskDialog("Where does the new one hold?", hint, _paths(items)))
            return ResolveRequest(choice=choice, paths=tuple(words.split())) if words else None
        if choice is Resolution.KEEP_BOTH:
            words = await self.push_screen_wait(AskDialog("Why do both hold?", "The reason is kept with the new one."))
            return ResolveRequest(choice=choice, because=words) if words else None
        return ResolveRequest(choice=choice)

    def action_merge(self) -> None:
        """Merge."""
        self._act(self._merge)

    async def _merge(self) -> None:
        items = [item for item in self._meant() if not item.pair]
        ids = [item.key for item in items]
        if not ids:
            self.say("Two memories are not merged here: s supersedes, o keeps the old one.", loud=True)
            return
        current = self.queue.current
        if len(ids) > 1:
            into = current.key if current and current.key in ids else ids[0]
        else:
            into = await self._target(ids, await self._related(items[0])) or ""
        if not into:
            return
        done = await self._decide(items, lambda app: merge(app, ids, into))
        self.queue.selected -= set(ids)
        await self._renew(done.entry.memory.id)
        self.say(f"Merged {', '.join(done.merged)} into {done.entry.memory.id}. u undoes it.")

    async def _target(self, ids: Sequence[str], related: Sequence[EntryRelation]) -> str | None:
        def look(words: str) -> Coroutine[Any, Any, list[Entry]]:
            return self._ask(find_entries(words))

        near = [each.old for each in related]
        others = [item.entry for item in self.queue.items if not item.pair and item.key not in ids]
        return await self.push_screen_wait(PickDialog(f"Merge {ids[0]} into", [*near, *others][:50], look, ids))

    def action_edit(self) -> None:
        """Open the editor."""
        self._act(self._edit)

    async def _edit(self) -> None:
        item = self.queue.current
        if item is None:
            return
        name = item.entry.memory.id
        entry, text = await self._decide([], lambda app: _open_for_edit(app, name))
        trouble: HoldfastError | None = None
        after = text
        try:
            with self.suspend():
                # What is raised in here would leave the screen suspended.
                try:
                    after = self._editor(self._memory, text)
                except HoldfastError as error:
                    trouble = error
        except SuspendNotSupported:
            after = self._editor(self._memory, text)
        if trouble is not None:
            raise trouble
        saved = await self._ask(lambda app: save_text(app, entry, after))
        self._marks.pop(item.key, None)
        await self._renew()
        self.say(f"Nothing changed in {name}." if saved == entry else f"Changed {name}. u undoes it.")

    def action_undo(self) -> None:
        """Undo the last batch."""
        self._act(self._undo, on_nothing=True)

    async def _undo(self) -> None:
        done = await self._decide([], undo)
        await self._renew(done.ids[0] if done.ids else "")
        back = [name for name in done.ids if name in {item.key for item in self.queue.items}]
        if back:
            self._show_queue(back[0])
        self.say(f"Undone: {done.verb} of {_format_ids(done.ids)}.")


def _open_for_edit(app: App, name: str) -> tuple[Entry, str]:
    entry = find_entry(app, name)
    return entry, open_text(app, entry)


def _paths(items: Sequence[QueueItem]) -> str:
    return " ".join(items[0].entry.memory.paths) if len(items) == 1 else ""


def _format_ids(ids: Sequence[str]) -> str:
    return ", ".join(ids) if len(ids) <= 3 else f"{ids[0]} and {len(ids) - 1} more"


def _describe_settled(done: ReviewResult) -> str:
    """What left the queue with it."""
    return f"; {_format_ids([each.entry.memory.id for each in done.settled])} went with it" if done.settled else ""


def _describe_outcome(done: ReviewResult) -> str:
    """What became of candidates, in one line."""
    said = []
    if done.accepted:
        one = done.accepted[0].entry.memory
        many = (
            f"Accepted {one.id}: {one_line(one.title)}" if len(done.accepted) == 1 else f"{len(done.accepted)} accepted"
        )
        said.append(f"{many}{_describe_settled(done)}. u undoes it.")
    if done.turned_down:
        said.append(f"{_format_ids([entry.memory.id for entry in done.turned_down])} turned down. u undoes it.")
    if done.blocked:
        olds = _format_ids([each.relation.old for each in done.blocked[0].conflicts])
        many = f"Contradicts {olds}" if len(done.blocked) == 1 else f"{len(done.blocked)} contradict memories"
        said.append(f"{many}: {RESOLVE}.")
    return " ".join(said)
