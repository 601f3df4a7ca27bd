"""A workspace as others bring theirs together with it: its files by their sums, each changed only as it was seen."""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.domain.errors import BadRequest
from holdfast.domain.event import Event
from holdfast.domain.memory import Scope
from holdfast.memory.entries import CANDIDATES, MEMORY
from holdfast.ports.shared import GONE, Held
from holdfast.vault.disk import Place
from holdfast.vault.names import components
from holdfast.vault.write import AlreadyThere, Moved, locked, put_file, read_file, swap_file
from holdfast.wiring.app import App
from holdfast.wiring.reach import registered

__all__ = ["NotShared", "held_files", "read_shared", "swap_in", "take_events"]

AUTHORS = os.path.join("state", "sync", "authors.json")
PLACES = (MEMORY, CANDIDATES)
ENDING = ".md"
LONGEST_NAME = 200


class NotShared(BadRequest):
    """A path that is no memory's."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path[:200]!r} is not shared.", "paths are like memory/decisions/NAME.md or candidates/NAME.md."
        )


def held_files(app: App) -> dict[str, Held]:
    """Every file of memory and candidates, with its sum and who sent it, where that is known."""
    authors = _authors(app)
    return {
        path: Held(sha256=source.sha256, author=authors.get(path, ""))
        for (scope, path), source in app.index.sources().items()
        if scope == Scope.WORKSPACE and path.endswith(ENDING)
    }


def read_shared(app: App, path: str) -> bytes | None:
    """A file's bytes; None when it is gone."""
    return read_file(*_place(app, path))


def swap_in(app: App, path: str, data: bytes | None, then: str, author: str) -> str:
    """Put a file (None: remove it) if its sum is still `then` (empty: it is not there).

    Empty when done; otherwise the sum that it has instead, or `gone`: then nothing was written.
    """
    place, inner = _place(app, path)
    with locked(place):
        held = read_file(place, inner)
        now = sha256(held).hexdigest() if held is not None else ""
        if now != then:
            return now or GONE
        try:
            if data is not None or then:
                swap_file(place, inner, data, then=then)
        except Moved as moved:
            return moved.now or GONE
        except AlreadyThere:
            return GONE
    _note_author(app, path, author if data is not None else "")
    if data is not None and path.startswith(f"{MEMORY}/") and registered(app) is not None:
        app.registry.learn(app.workspace_id, [sha256(data).hexdigest()])
    return ""


def take_events(app: App, events: Sequence[Event]) -> int:
    """Put events of another machine into this journal; each once, by its key. How many were new."""
    return sum(receipt.fresh for receipt in app.journal.append(events))


def _place(app: App, path: str) -> tuple[Place, str]:
    place, _, inner = path.partition("/")
    if place not in PLACES or not inner.endswith(ENDING) or not all(map(_is_name, components(inner))):
        raise NotShared(path)
    return Place(root=os.path.join(app.folder, place), private=place == CANDIDATES), inner


def _is_name(part: str) -> bool:
    return part.isprintable() and not part.startswith(".") and len(part.encode("utf-8", "replace")) <= LONGEST_NAME


def _authors(app: App) -> Mapping[str, str]:
    try:
        with open(os.path.join(app.folder, AUTHORS), encoding="utf-8") as file:
            held: Any = json.load(file)
    except (OSError, ValueError):
        return {}
    return {str(path): str(name) for path, name in held.items()} if isinstance(held, dict) else {}


def _note_author(app: App, path: str, author: str) -> None:
    known = dict(_authors(app))
    if known.get(path, "") == author:
        return
    known.pop(path, None)
    known |= {path: author} if author else {}
    put_file(os.path.join(app.folder, AUTHORS), json.dumps(known, ensure_ascii=False).encode())
