"""Bundles that are known: looked into, and taken away where they hold what is to be forgotten.

Known are those that were made of this workspace, and every backup in its store. A backup goes only after a fresh one
without the words was made.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum

from holdfast.domain.errors import HoldfastError
from holdfast.domain.value import Value
from holdfast.memory.bundles.backups import backup_folder, note_backup
from holdfast.memory.bundles.exchange import ALL, Keys, limits, locks_from, wanted
from holdfast.memory.bundles.log import Made, drop_made, made_bundles
from holdfast.memory.bundles.places import ENDINGS, STREAM, Aim, export_into
from holdfast.memory.bundles.sandboxes import HEAD, Conductor
from holdfast.memory.forgetting.sought import Sought, in_any_window
from holdfast.ports.objects import Objects
from holdfast.share import tar
from holdfast.share.layers import Locked, unpacking
from holdfast.share.parts import download, parts_of
from holdfast.share.tar import Readable
from holdfast.wiring.app import App
from holdfast.wiring.stores import open_store

__all__ = ["Bundle", "Stands", "conductors", "known_bundles", "look", "remove", "renew"]

CONDUCTORS = re.compile(r"(?P<name>.+)/bundles/[^/]+")


class Stands(StrEnum):
    """How a bundle stands to what is sought."""

    HOLDS = "holds"
    CLEAN = "clean"
    MISSING = "not found"
    CLOSED = "encrypted"
    AWAY = "not reached"


class Bundle(Value):
    """A bundle that is known, and how it stands. `why`: what keeps us from looking into it."""

    made: Made
    stands: Stands
    why: str = ""

    @property
    def place(self) -> str:
        """Where it lies."""
        return self.made.place


def look(app: App, sought: Sought, keys: Keys) -> list[Bundle]:
    """Every bundle that is known, and whether it holds what is sought. A store that is away is named."""
    known, trouble = known_bundles(app)
    found = [_looked(app, made, sought, keys) for made in known]
    # What is not in its store any more was pruned there, and need not be known; a file may have been moved.
    pruned = frozenset(each.place for each in found if each.stands is Stands.MISSING and each.made.store)
    if pruned:
        drop_made(app, pruned)
    return [*(each for each in found if each.place not in pruned), *trouble]


def known_bundles(app: App) -> tuple[list[Made], list[Bundle]]:
    """What was made of this workspace, and every backup in its store, each place once; and a store that is away."""
    found, trouble = {made.place: made for made in made_bundles(app)}, []
    try:
        for made in _in_backup_store(app):
            found.setdefault(made.place, made)
    except HoldfastError as error:
        away = Made(name="", store=str(app.settings["backup.store"]))
        trouble = [Bundle(made=away, stands=Stands.AWAY, why=f"{error} {error.hint}")]
    return sorted(found.values(), key=lambda made: made.place), trouble


def _in_backup_store(app: App) -> Iterator[Made]:
    if url := str(app.settings["backup.store"]):
        store = open_store(url)
        rows = store.list(f"{backup_folder(app)}/")
        yield from (Made(name=row.name, store=store.url, at=row.modified) for row in rows if row.name.endswith(ENDINGS))


def _looked(app: App, made: Made, sought: Sought, keys: Keys) -> Bundle:
    if made.name == STREAM and not made.store:
        return Bundle(made=made, stands=Stands.MISSING, why="it went to standard output")
    try:
        source = _opened(made)
        if source is None:
            return Bundle(made=made, stands=Stands.MISSING, why="it is not there any more: moved, or removed")
        held = _holds(app, source, sought, keys)
    except Locked as error:
        return Bundle(made=made, stands=Stands.CLOSED, why=f"{error} {error.hint}")
    except (HoldfastError, OSError) as error:
        return Bundle(made=made, stands=Stands.AWAY, why=str(error))
    return Bundle(made=made, stands=Stands.HOLDS if held else Stands.CLEAN)


def _opened(made: Made) -> Readable | None:
    if made.store:
        return download(open_store(made.store), made.name)
    try:
        return open(made.name, "rb")
    except FileNotFoundError:
        return None


def _holds(app: App, source: Readable, sought: Sought, keys: Keys) -> bool:
    try:
        with unpacking(source, keys, limits(app)) as inner:
            return any(
                sought.named(member.name) | in_any_window(pieces, _predicate(member.name, sought))
                for member, pieces in tar.members(inner)
            )
    finally:
        if close := getattr(source, "close", None):
            close()


def _predicate(name: str, sought: Sought) -> Callable[[str], bool]:
    """What tells that a file of a bundle holds it: the words, or the ids where such are kept."""
    pattern = None
    if sought.ids and ("/memory/" in name or "/candidates/" in name):
        pattern = re.compile(rf"^id:\s*[\"']?(?:{'|'.join(map(re.escape, sought.ids))})[\"']?\s*$", re.MULTILINE)
    elif sought.events and "/journal/" in name:
        pattern = re.compile(rf'"id":"(?:{"|".join(map(re.escape, sought.events))})"')
    words = sought.by_words or "/journal/" not in name
    return lambda text: (words and sought.holds(text)) or (pattern is not None and pattern.search(text) is not None)


# Taking them away


def conductors(app: App, found: Sequence[Bundle]) -> list[Conductor]:
    """The conductors in stores whose bundles hold it."""
    heads: dict[tuple[str, str], None] = {}
    for each in found:
        named = CONDUCTORS.fullmatch(each.made.name)
        if each.stands is Stands.HOLDS and each.made.store and named:
            store = open_store(each.made.store)
            if store.get(f"{named['name']}/{HEAD}") is not None:
                heads[(each.made.store, named["name"])] = None
    return [Conductor(app, url, name) for url, name in heads]


def renew(app: App, found: Sequence[Bundle]) -> list[str]:
    """A fresh backup in each store whose backups hold it; where they lie. Asks for memory without the words."""
    stores = {each.made.store for each in found if each.stands is Stands.HOLDS and _is_backup(app, each.made)}
    done = []
    for url in sorted(stores):
        store = open_store(url)
        aim = Aim(folder=backup_folder(app), fresh=True)
        written = export_into(app, store, wanted(app, ALL, conversations=True), locks_from(app, (), ""), aim)
        if str(app.settings["backup.store"]):
            note_backup(app, store.url, written)
        done.append(written.place)
    return done


def remove(app: App, found: Sequence[Bundle]) -> list[str]:
    """Take these bundles away; where they lay."""
    for each in found:
        if each.made.store:
            _remove_from(open_store(each.made.store), each.made.name)
        else:
            with suppress(FileNotFoundError):
                os.unlink(each.made.name)
    gone = frozenset(each.place for each in found)
    drop_made(app, gone)
    return sorted(gone)


def _remove_from(store: Objects, name: str) -> None:
    # The list goes first: parts without it are nothing, a list without parts is damage.
    store.delete([name])
    store.delete([row.name for row in store.list(parts_of(name))])


def _is_backup(app: App, made: Made) -> bool:
    return bool(made.store) and made.name.startswith(f"{backup_folder(app)}/")
