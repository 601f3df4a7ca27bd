"""Bundles that are known: looked into, and taken away where they hold what is to be forgotten.

Known are those that were made of this workspace, every backup in its store, and every bundle of a conductor that was
worked with here, whichever sandbox wrote it. A backup goes only after a fresh one without the words was made.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from holdfast.domain.errors import HoldfastError
from holdfast.domain.value import Value
from holdfast.memory.bundles.backups import backup_folder, note_backup
from holdfast.memory.bundles.exchange import ALL, Keys, limits, locks_from, wanted
from holdfast.memory.bundles.log import Made, drop_made, made_bundles
from holdfast.memory.bundles.places import ENDINGS, STREAM, Aim, export_into
from holdfast.memory.bundles.sandboxes import BUNDLES, HEAD, Conductor
from holdfast.memory.forgetting.sought import Sought, in_any_window
from holdfast.share import tar
from holdfast.share.layers import Locked, unpacking
from holdfast.share.parts import download, parts_of
from holdfast.share.tar import Readable
from holdfast.wiring.app import App
from holdfast.wiring.stores import open_store

__all__ = ["Bundle", "Stands", "conductor_of", "conductors", "known_bundles", "look", "remove", "renew"]

CONDUCTORS = re.compile(r"(?P<name>.+)/bundles/[^/]+")


class Stands(StrEnum):
    """How a bundle stands to what is sought."""

    HOLDS = "holds"
    CLEAN = "clean"
    MISSING = "not found"
    CLOSED = "encrypted"
    AWAY = "not reached"
    UNSENT = "not sent"


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
    if gone := pruned - _last_of_conductors(app):
        drop_made(app, gone)
    return [*(each for each in found if each.place not in pruned), *trouble]


def known_bundles(app: App) -> tuple[list[Made], list[Bundle]]:
    """What was made of this workspace, and every backup in its store, each place once; and a store that is away."""
    found, trouble = {made.place: made for made in made_bundles(app)}, list[Bundle]()
    for url, folder in _folders(app, list(found.values())):
        try:
            for made in _in_folder(url, folder):
                found.setdefault(made.place, made)
        except HoldfastError as error:
            away = Made(name=folder, store=url)
            trouble.append(Bundle(made=away, stands=Stands.AWAY, why=f"{error} {error.hint}"))
    return sorted(found.values(), key=lambda made: made.place), trouble


def _folders(app: App, known: Sequence[Made]) -> Iterator[tuple[str, str]]:
    """Where in stores more may lie than was made here: backups, and what other sandboxes wrote of a conductor."""
    if url := str(app.settings["backup.store"]):
        yield url, backup_folder(app)
    sent = (made for made in known if made.store and not made.sending)
    yield from dict.fromkeys((each.store, f"{name}/{BUNDLES}") for each in sent if (name := conductor_of(each)))


def _in_folder(url: str, folder: str) -> Iterator[Made]:
    store = open_store(url)
    rows = store.list(f"{folder}/")
    yield from (Made(name=row.name, store=store.url, at=row.modified) for row in rows if row.name.endswith(ENDINGS))


def conductor_of(made: Made) -> str:
    """The conductor whose memory a bundle in a store is; empty where it is none's."""
    named = CONDUCTORS.fullmatch(made.name) if made.store else None
    return named["name"] if named else ""


def _last_of_conductors(app: App) -> frozenset[str]:
    """One bundle of each conductor, by which its folder is known, even when that bundle was pruned there."""
    last = {(made.store, name): made.place for made in made_bundles(app) if (name := conductor_of(made))}
    return frozenset(last.values())


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
        return _away(made, str(error))
    return Bundle(made=made, stands=Stands.HOLDS if held else Stands.CLEAN)


def _away(made: Made, why: str) -> Bundle:
    """A bundle whose store does not answer; one that never got there whole stops nobody."""
    if made.sending:
        cut = f"its upload was cut short, and what waits here goes; parts of it may lie there ({why})"
        return Bundle(made=made, stands=Stands.UNSENT, why=cut)
    return Bundle(made=made, stands=Stands.AWAY, why=why)


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
        name = conductor_of(each.made)
        if each.stands is Stands.HOLDS and name:
            store = open_store(each.made.store)
            if store.get(f"{name}/{HEAD}") is not None:
                heads[(each.made.store, name)] = None
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


def remove(app: App, found: Sequence[Bundle]) -> tuple[list[str], list[Bundle]]:
    """Take these bundles away: where those lay that went, and those that could not be reached. One stops no other."""
    went, left, dropped = list[str](), list[Bundle](), set[str]()
    for each in found:
        try:
            went += [each.place] if _removed(each.made) else []
            dropped.add(each.place)
        except HoldfastError as error:
            left.append(_away(each.made, f"{error} {error.hint}".strip()))
        except OSError as error:
            left.append(_away(each.made, error.strerror or str(error)))
    dropped |= {each.place for each in left if each.stands is Stands.UNSENT}
    drop_made(app, frozenset(dropped))
    return sorted(went), left


def _removed(made: Made) -> bool:
    """Take a bundle away; False where it was gone before."""
    if not made.store:
        try:
            os.unlink(made.name)
        except FileNotFoundError:
            return False
        return True
    store = open_store(made.store)
    there = [row.name for row in store.list(made.name) if row.name == made.name]
    # The list goes first: parts without it are nothing, a list without parts is damage.
    store.delete([made.name])
    store.delete([row.name for row in store.list(parts_of(made.name))])
    return bool(there)


def _is_backup(app: App, made: Made) -> bool:
    return bool(made.store) and made.name.startswith(f"{backup_folder(app)}/")
