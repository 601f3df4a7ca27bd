"""A person's word on what agents were told: wrong, not relevant, or to be told always. The journal keeps it.

`wrong` is told to nobody until it is taken back; `irrelevant` lowers a memory's chance a little each time; `always`
puts it at every session's start. A later word replaces an earlier one of its kind; `none` takes all back. One word
alone is undone by the id of its event: the memory then stands as if that word had never been said.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.event import Event
from holdfast.core.value import Value, replace
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.workspace import App, need_person

MARKED = "told.marked"
UNMARKED = "told.unmarked"
OURS = "holdfast"
FILE = os.path.join("state", "injection_marks.json")
VERSION = 1
# What one "not relevant" takes from the log odds, and how many count.
PENALTY = 0.7
MOST_COUNTED = 4


class InjectionVerdict(StrEnum):
    """What a person can say of a memory that was told."""

    WRONG = "wrong"
    IRRELEVANT = "irrelevant"
    ALWAYS = "always"
    NONE = "none"


class InjectionMark(Value):
    """What was said of one memory."""

    wrong: bool = False
    always: bool = False
    irrelevant: int = 0

    @property
    def penalty(self) -> float:
        """What is taken from the log odds that it matters."""
        return PENALTY * min(self.irrelevant, MOST_COUNTED)

    @property
    def counts_against(self) -> bool:
        """Whether it is told less than it would be, or not at all."""
        return self.wrong or self.irrelevant > 0

    def after(self, verdict: InjectionVerdict) -> "InjectionMark":
        """The mark after one more word."""
        match verdict:
            case InjectionVerdict.WRONG:
                return replace(self, wrong=True, always=False)
            case InjectionVerdict.ALWAYS:
                return replace(self, always=True, wrong=False)
            case InjectionVerdict.IRRELEVANT:
                return replace(self, irrelevant=self.irrelevant + 1)
            case InjectionVerdict.NONE:
                return NO_MARK

    def describe(self) -> str:
        """In words; nothing where nothing was said."""
        said = ["wrong"] if self.wrong else ["always"] if self.always else []
        return ", ".join([*said, *([f"not relevant {self.irrelevant}×"] if self.irrelevant else [])])


class MarkResult(Value):
    """One word that was kept, by its event in the journal, and the memory's mark after it."""

    event: str
    memory_id: str
    mark: InjectionMark


class _MarkWord(Value):
    """One word in the journal, and whether it was undone."""

    event: str
    memory_id: str
    verdict: InjectionVerdict
    session: str = ""
    undone: bool = False


NO_MARK = InjectionMark()
Marks = Mapping[str, InjectionMark]


class UnknownVerdict(BadRequest):
    """A word that is none of those."""

    def __init__(self, word: str) -> None:
        known = ", ".join(each.value for each in InjectionVerdict)
        super().__init__(f"{word!r} cannot be said of what was told.", f"one of: {known}.")


class NoSuchMark(NotFound):
    """Nothing was said of this memory by that event."""

    def __init__(self, memory_id: str, event: str) -> None:
        super().__init__(
            f"Nothing was said of {memory_id!r} as {event!r}.",
            f"`holdfast session told --none {memory_id}` takes back all that was said of it.",
        )


def mark_injection(app: App, memory_id: str, word: str, session: str = "") -> MarkResult:
    """Keep a person's word on a memory that was told; what is known of it after that."""
    need_person(app, f"session told --{word} {memory_id}")
    try:
        verdict = InjectionVerdict(word)
    except ValueError:
        raise UnknownVerdict(word) from None
    before = read_marks(app)
    data = {"id": memory_id, "verdict": verdict.value, "session": session}
    [receipt] = app.journal.append([Event(client=OURS, name=MARKED, session=session, data=data)])
    mark = before.get(memory_id, NO_MARK).after(verdict)
    _keep(app, {**before, memory_id: mark})
    return MarkResult(event=receipt.id, memory_id=memory_id, mark=mark)


def undo_mark(app: App, memory_id: str, event: str) -> MarkResult:
    """Take back one word, and that alone. A word that is undone already stays so."""
    need_person(app, f"session told --none {memory_id}")
    words = _read_words(app)
    found = next((each for each in words if (each.event, each.memory_id) == (event, memory_id)), None)
    if found is None:
        raise NoSuchMark(memory_id, event)
    if not found.undone:
        data = {"id": memory_id, "of": event}
        app.journal.append([Event(client=OURS, name=UNMARKED, session=found.session, data=data)])
    marks = _count(replace(each, undone=True) if each is found else each for each in words)
    _keep(app, marks)
    return MarkResult(event=event, memory_id=memory_id, mark=marks.get(memory_id, NO_MARK))


def read_marks(app: App) -> Marks:
    """Every memory of which something was said; counted anew from the journal where the counts are gone."""
    found = read_json_cache(os.path.join(app.folder, FILE))
    rows = found.get("marks")
    if found.get("v") == VERSION and isinstance(rows, dict):
        return {name: mark for name, row in rows.items() if (mark := _from_json(row)) != NO_MARK}
    if not os.path.isdir(os.path.join(app.folder, "journal")):
        return {}
    marks = _count(_read_words(app))
    _save(app, marks)
    return marks


def _read_words(app: App) -> list[_MarkWord]:
    """Every word in the journal, in the order said."""
    words: list[_MarkWord] = []
    undone: set[str] = set()
    for record in app.journal.read():
        data = record.data.get("data")
        if not isinstance(data, dict):
            continue
        if record.data.get("name") == UNMARKED:
            undone.add(str(data.get("of", "")))
        elif record.data.get("name") == MARKED and data.get("verdict") in InjectionVerdict.__members__.values():
            words.append(
                _MarkWord(
                    event=record.id, memory_id=str(data.get("id", "")), verdict=InjectionVerdict(str(data["verdict"])),
                    session=str(record.data.get("session", "")),
                )
            )  # fmt: skip
    return [replace(each, undone=each.event in undone) for each in words]


def _count(words: Iterable[_MarkWord]) -> dict[str, InjectionMark]:
    marks: dict[str, InjectionMark] = {}
    for each in words:
        if not each.undone:
            marks[each.memory_id] = marks.get(each.memory_id, NO_MARK).after(each.verdict)
    return {name: mark for name, mark in marks.items() if mark != NO_MARK}


def _keep(app: App, marks: Marks) -> None:
    _save(app, marks)
    with suppress(OSError):
        # What is important was reckoned without this.
        os.unlink(os.path.join(app.folder, "state", "known.json"))


def _save(app: App, marks: Marks) -> None:
    rows = {name: [mark.wrong, mark.always, mark.irrelevant] for name, mark in marks.items()}
    write_json_cache(os.path.join(app.folder, FILE), {"v": VERSION, "marks": rows})


def _from_json(row: Any) -> InjectionMark:
    match row:
        case [bool(wrong), bool(always), int(irrelevant)]:
            return InjectionMark(wrong=wrong, always=always, irrelevant=irrelevant)
    return NO_MARK
