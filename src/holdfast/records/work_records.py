"""The records: work, todos, ratings, failures, research, goals. Read after the journal was followed to its end."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.event import Event
from holdfast.core.todo_calls import one_line
from holdfast.core.value import Value, replace
from holdfast.records.record_builder import RecordBuilder
from holdfast.records.refresh_records import read_todos, refresh_records
from holdfast.records.team_forms import build_rating_text
from holdfast.records.team_records import read_others_ratings
from holdfast.records.todo_items import USER, TodoItem, item_id
from holdfast.records.work_unit import ABANDONED, COMPLETED, read_yaml
from holdfast.redact import clean as redact
from holdfast.workspace import App, need_person

__all__ = ["RatingList", "RecordPage", "RecordedWork", "TodoItem"]

LARGEST = 4 * 1024 * 1024
RATINGS = ("learning", "signals", "ratings.jsonl")
LATEST = "latest"


class NoSuchRecord(NotFound):
    """A record that is not there."""

    def __init__(self, kind: str, wanted: str, hint: str) -> None:
        super().__init__(f"There is no {kind} {wanted!r}.", hint)


class AmbiguousRecord(BadRequest):
    """Words that mean more than one record."""

    def __init__(self, kind: str, wanted: str, found: Sequence[str]) -> None:
        shown = ", ".join(found[:4]) + (" …" if len(found) > 4 else "")
        super().__init__(f"{wanted!r} could be {len(found)} {kind}s: {shown}.", "write more of its name.")


class NoWordsGiven(BadRequest):
    """A command without the words it needs."""

    def __init__(self, example: str) -> None:
        super().__init__("Some words are missing.", f"for example: {example}")


class NothingToRate(BadRequest):
    """No answer to rate."""

    def __init__(self) -> None:
        super().__init__(
            "There is no answer to rate yet.", "once a client has answered in this workspace: holdfast log --rate 8"
        )


class RecordedWork(Value):
    """One work unit: META.yaml, and ISC.json where it was asked for."""

    meta: Mapping[str, Any]
    isc: Mapping[str, Any]
    path: str


class RatingList(Value):
    """All ratings, and how many lines could not be read."""

    ratings: tuple[Mapping[str, Any], ...]
    broken: int


class RecordPage(Value):
    """A record that is one Markdown text."""

    name: str
    head: Mapping[str, Any]
    text: str
    path: str


# Work


def list_works(app: App) -> list[RecordedWork]:
    """Every unit, the open ones first, the newest first."""
    refresh_records(app)
    folder = os.path.join(app.folder, "work")
    found = [find_work for name in _names(folder) if (find_work := _work(app, name)) is not None]
    return sorted(found, key=lambda w: (w.meta.get("status") == "open", str(w.meta.get("updated", ""))), reverse=True)


def find_work(app: App, wanted: str) -> RecordedWork:
    """One unit, by its id, a part of it that no other has, or `latest`."""
    builder = refresh_records(app)
    if wanted == LATEST and builder.latest:
        wanted = builder.latest
    name = _find_name(_names(os.path.join(app.folder, "work")), "work unit", wanted, "`holdfast work` lists them.")
    found = _work(app, name)
    if found is None:
        raise NoSuchRecord("work unit", wanted, "its META.yaml cannot be read.")
    return found


def close_work(app: App, wanted: str, *, abandoned: bool = False) -> RecordedWork:
    """Close a unit by hand."""
    need_person(app, f"work {'abandon' if abandoned else 'done'} {wanted}")
    found = find_work(app, wanted)
    status = ABANDONED if abandoned else COMPLETED
    _append_event(app, "work.closed", {"id": found.meta["id"], "status": status})
    return find_work(app, str(found.meta["id"]))


def verify_work(app: App, wanted: str, criterion: str, *, passed: bool) -> RecordedWork:
    """Say that a criterion of a unit holds, or does not."""
    need_person(app, f"work verify {wanted} {criterion}")
    found = find_work(app, wanted)
    ids = [str(one["id"]) for one in found.isc.get("criteria", [])]
    texts = {str(one["id"]): str(one["text"]) for one in found.isc.get("criteria", [])}
    chosen = [key for key in ids if key.startswith(criterion) or criterion.casefold() in texts[key].casefold()]
    if not chosen:
        raise NoSuchRecord("criterion", criterion, f"`holdfast work show {wanted}` lists them.")
    if len(chosen) > 1:
        raise AmbiguousRecord("criterion", criterion, [texts[key] for key in chosen])
    _append_event(app, "work.verified", {"id": found.meta["id"], "criterion": chosen[0], "passed": passed})
    return find_work(app, str(found.meta["id"]))


def _work(app: App, name: str) -> RecordedWork | None:
    folder = os.path.join(app.folder, "work", name)
    meta = read_yaml(_text(os.path.join(folder, "META.yaml")))
    if not meta.get("id"):
        return None
    try:
        isc = json.loads(_text(os.path.join(folder, "ISC.json")) or "{}")
    except ValueError:
        isc = {}
    return RecordedWork(meta=meta, isc=isc if isinstance(isc, dict) else {}, path=os.path.join("work", name))


# Todos


def list_todos(app: App) -> list[TodoItem]:
    """The items of the list, open ones first."""
    refresh_records(app)
    return sorted(read_todos(app), key=lambda item: item.done)


def add_todo(app: App, text: str) -> TodoItem:
    """Put an item on the list."""
    words = one_line(_clean(text))
    if not words:
        raise NoWordsGiven('holdfast todo add "ask Ada about the rate limit"')
    _append_event(app, "todo.added", {"text": words, "by": app.client.replace(" ", "-") or USER})
    return next(item for item in list_todos(app) if item.id == item_id(words))


def change_todos(app: App, verb: str, wanted: Sequence[str]) -> list[TodoItem]:
    """Tick items, open them again, or drop them: all or none."""
    items = list_todos(app)
    if not wanted:
        raise NoWordsGiven(f"holdfast todo {verb} {items[0].id if items else 'T-4KQ2M'}")
    chosen = [_item(items, each) for each in wanted]
    said = {"done": "todo.done", "open": "todo.opened", "drop": "todo.dropped"}[verb]
    app.journal.append([_event(said, {"id": item.id, "text": item.text}) for item in chosen])
    after = {item.id: item for item in list_todos(app)}
    return [after.get(item.id, item) for item in chosen]


def _item(items: Sequence[TodoItem], wanted: str) -> TodoItem:
    name = _find_name([item.id for item in items], "todo", wanted.upper(), "`holdfast todo` lists them.")
    return next(item for item in items if item.id == name)


# Ratings and failures


def rate_answer(app: App, rating: int, comment: str, session: str = "") -> Mapping[str, Any]:
    """Rate the newest answer (or a session's newest): the line it became."""
    need_person(app, f"log --rate {rating}")
    builder = refresh_records(app)
    chosen = _find_answer(builder, session)
    _append_event(app, "rated", {"rating": rating, "comment": _clean(comment), "of": chosen}, session=chosen)
    return list_own_ratings(app).ratings[-1]


def _find_answer(builder: RecordBuilder, session: str) -> str:
    found = [each for each in builder.sessions.values() if each.answer]
    if not found:
        raise NothingToRate
    if session:
        return _find_name([each.id for each in found], "session", session, "`holdfast timeline` shows the sessions.")
    return found[-1].id


def list_ratings(app: App) -> RatingList:
    """Every rating, oldest first: our own, and those of others that no event here tells of."""
    own = list_own_ratings(app)
    known = {build_rating_text(line)[0] for line in own.ratings}
    others = [json.loads(data) for path, data in read_others_ratings(app).items() if path not in known]
    if not others:
        return own
    return replace(own, ratings=tuple(sorted((*own.ratings, *others), key=lambda line: str(line.get("ts", "")))))


def list_own_ratings(app: App) -> RatingList:
    """The ratings that this journal tells of, oldest first."""
    refresh_records(app)
    found: list[Mapping[str, Any]] = []
    broken = 0
    for line in _text(os.path.join(app.folder, *RATINGS), LARGEST * 16).splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            data = None
        if isinstance(data, dict) and isinstance(data.get("rating"), int):
            found.append(data)
        elif line.strip():
            broken += 1
    return RatingList(ratings=tuple(found), broken=broken)


def list_failures(app: App) -> list[RecordPage]:
    """Every failure dump, newest first."""
    refresh_records(app)
    return _pages(app, os.path.join("learning", "failures"), "CONTEXT.md")


def find_failure(app: App, wanted: str) -> RecordPage:
    """One failure dump."""
    pages = list_failures(app)
    return _page(pages, "failure", wanted, "`holdfast report failures` lists them.")


def list_learnings(app: App) -> list[tuple[str, RecordPage]]:
    """Every learning that was written down, with its kind (system, algorithm), newest first."""
    refresh_records(app)
    kinds = ("system", "algorithm")
    return [(kind, page) for kind in kinds for page in _pages(app, os.path.join("learning", kind), "")]


# Research


def list_research(app: App, words: Sequence[str] = ()) -> list[RecordPage]:
    """What subagents answered, newest first; with words, only what holds them all."""
    refresh_records(app)
    wanted = [word.casefold() for word in words]
    pages = _pages(app, "research", "")
    return [page for page in pages if all(word in f"{page.name} {page.text}".casefold() for word in wanted)]


# Goals over many sessions


def list_goals(app: App) -> list[Mapping[str, Any]]:
    """Every goal, open ones first, newest first."""
    found = refresh_records(app).progress.goals.values()
    return sorted(found, key=lambda goal: (goal["status"] == "open", goal["updatedAt"]), reverse=True)


def change_goal(app: App, verb: str, name: str, text: str = "", steps: Sequence[str] = ()) -> Mapping[str, Any]:
    """Start a goal, note something, add or tick a step, close it."""
    if verb != "note":
        need_person(app, f"report progress {verb} {name}")
    names = [str(goal["name"]) for goal in list_goals(app)]
    words = one_line(_clean(text))
    if verb == "start":
        if not name.strip() or not words:
            raise NoWordsGiven('holdfast report progress start sso "Single sign-on for all customers"')
        name = one_line(name)
        if name in names:
            raise BadRequest(
                f"There is a goal {name!r} already.", "take another name, or `holdfast report progress note`."
            )
        _append_event(
            app, "progress.started", {"name": name, "goal": words, "steps": [one_line(_clean(s)) for s in steps]}
        )
    else:
        name = _find_name(names, "goal", name, "`holdfast report progress` lists them.")
        if verb in {"note", "step", "tick"} and not words:
            raise NoWordsGiven(f'holdfast report progress {verb} {name} "…"')
        said, data = _SAID[verb]
        _append_event(app, said, {"name": name, "text": words, **data})
    return next(goal for goal in list_goals(app) if goal["name"] == name)


_SAID: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "note": ("progress.noted", {}),
    "step": ("progress.step", {"done": False}),
    "tick": ("progress.step", {"done": True}),
    "done": ("progress.closed", {"status": "done"}),
    "drop": ("progress.closed", {"status": "dropped"}),
}


# Shared


def _append_event(app: App, name: str, data: Mapping[str, Any], session: str = "") -> None:
    app.journal.append([_event(name, data, session)])


def _event(name: str, data: Mapping[str, Any], session: str = "") -> Event:
    return Event(client="holdfast", name=name, session=session, data=data)


def _clean(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadRequest("The text holds a NUL or is not valid UTF-8.", "remove the binary part and try again.")
    return str(redact.clean(text.strip()).value)


def _find_name(names: Sequence[str], kind: str, wanted: str, hint: str) -> str:
    """The one name that is meant: whole, else its beginning, else a part."""
    for meant in (
        [name for name in names if name == wanted],
        [name for name in names if wanted and name.startswith(wanted)],
        [name for name in names if wanted and wanted in name],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise AmbiguousRecord(kind, wanted, meant)
    raise NoSuchRecord(kind, wanted, hint)


def _pages(app: App, folder: str, inner: str) -> list[RecordPage]:
    found: list[RecordPage] = []
    for month in sorted(_names(os.path.join(app.folder, folder)), reverse=True):
        for name in sorted(_names(os.path.join(app.folder, folder, month)), reverse=True):
            path = os.path.join(folder, month, name, inner) if inner else os.path.join(folder, month, name)
            text = _text(os.path.join(app.folder, path))
            if text:
                head, body = _split(text)
                found.append(RecordPage(name=name.removesuffix(".md"), head=head, text=body, path=path))
    return found


def _page(pages: Sequence[RecordPage], kind: str, wanted: str, hint: str) -> RecordPage:
    if wanted == LATEST and pages:
        return pages[0]
    name = _find_name([page.name for page in pages], kind, wanted, hint)
    return next(page for page in pages if page.name == name)


def _split(text: str) -> tuple[dict[str, Any], str]:
    if not text.startswith("---\n"):
        return {}, text
    head, _, body = text[4:].partition("\n---\n")
    return read_yaml(head), body.lstrip("\n")


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as inside:
            return sorted(entry.name for entry in inside if not entry.is_symlink() and not entry.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _text(path: str, most: int = LARGEST) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
