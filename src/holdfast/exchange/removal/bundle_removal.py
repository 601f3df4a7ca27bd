"""Bundles that are known: looked into, and taken away where they hold what is to be forgotten.

Known are those that were made of this workspace, every backup in its store, and every bundle of a conductor that was
worked with here, whichever sandbox wrote it. A backup goes only after a fresh one without the words was made. Parts of
uploads that were cut short go in any case: nobody can look into them, and nobody needs them.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from enum import StrEnum

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value, replace
from holdfast.exchange.bundle_format import tar_stream
from holdfast.exchange.bundle_format.bundle_parts import download, list_stray_parts, owner_of, parts_prefix
from holdfast.exchange.bundle_format.compression import CannotDecrypt, open_unpacker
from holdfast.exchange.bundle_format.tar_stream import BytesReader
from holdfast.exchange.bundles.backups import backup_folder, note_backup
from holdfast.exchange.bundles.bundle_log import LoggedBundle, drop_logged_bundles, list_logged_bundles
from holdfast.exchange.bundles.bundle_outbox import is_sending
from holdfast.exchange.bundles.bundle_places import ENDINGS, STREAM, StoreDestination, export_into_store
from holdfast.exchange.bundles.export_import import (
    ALL,
    BundleKeys,
    SummedSource,
    build_export_request,
    locks_from,
    read_limits,
)
from holdfast.exchange.bundles.sandboxes import BUNDLES, HEAD, Conductor
from holdfast.exchange.open_store import open_store
from holdfast.forget.removal_query import ForgetQuery, is_in_any_window
from holdfast.forget.tombstones import mark_files, note_marks, read_own_marks
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

__all__ = [
    "BundleMatch",
    "RemovedBundles",
    "SearchedBundle",
    "conductor_of",
    "describe_given_up",
    "find_conductors",
    "find_remaining",
    "list_known_bundles",
    "mark_bundles",
    "remove_bundles",
    "search_bundles",
    "write_fresh_backups",
]

CONDUCTORS = re.compile(r"(?P<name>.+)/bundles/[^/]+")
ELSEWHERE = "elsewhere"
PIECE = 1 << 20
GONE, UNPROVEN = "a store that you said is gone for good", "not looked into, and not proven removed"
# An upload that was cut short goes on within this time.
AT_WORK = timedelta(hours=1)


class BundleMatch(StrEnum):
    """How a bundle stands to what is sought."""

    HOLDS = "holds"
    CLEAN = "clean"
    MISSING = "not found"
    CLOSED = "encrypted"
    AWAY = "not reached"
    UNSENT = "not sent"
    CUT = "cut short"
    GIVEN_UP = "given up"


class SearchedBundle(Value):
    """A bundle that is known, and how it stands. `why`: what keeps us from looking into it.

    `strays`: how many parts lie there that no bundle has.
    """

    made: LoggedBundle
    stands: BundleMatch
    why: str = ""
    strays: int = 0

    @property
    def place(self) -> str:
        """Where it lies."""
        return self.made.place

    @property
    def is_begun(self) -> bool:
        """Whether an upload began, and nothing of it is seen: what a killed writer left may be."""
        return self.stands is BundleMatch.MISSING and bool(self.made.sending)

    @property
    def leaves(self) -> bool:
        """Whether parts lie there that are to go, although no bundle that holds it does."""
        return bool(self.strays) and self.stands is not BundleMatch.HOLDS


class RemovedBundles(Value):
    """What was taken away: places of bundles, places and numbers of parts that no bundle had; and what could not be."""

    went: tuple[str, ...] = ()
    parts: tuple[tuple[str, int], ...] = ()
    left: tuple[SearchedBundle, ...] = ()


def search_bundles(app: App, sought: ForgetQuery, keys: BundleKeys) -> list[SearchedBundle]:
    """Every bundle that is known, and whether it holds what is sought. A store that is away is named."""
    known, trouble = list_known_bundles(app)
    found = [_search_bundle(app, made, sought, keys) for made in known]
    # What is not in its store any more was pruned there, and need not be known; a file may have been moved.
    pruned = frozenset(each.place for each in found if each.stands is BundleMatch.MISSING and _was_sent(each.made))
    if gone := pruned - _last_of_conductors(app):
        drop_logged_bundles(app, gone)
    return [*(each for each in found if each.place not in pruned), *trouble]


def _was_sent(made: LoggedBundle) -> bool:
    return bool(made.store) and not made.sending


def list_known_bundles(app: App) -> tuple[list[LoggedBundle], list[SearchedBundle]]:
    """What was made of this workspace, and every backup in its store, each place once; and a store that is away."""
    found, trouble = {made.place: made for made in list_logged_bundles(app)}, list[SearchedBundle]()
    for url, folder in _list_folders(app, list(found.values())):
        try:
            for made in _list_bundles_in(url, folder):
                known = found.setdefault(made.place, made)
                # What a store shows is there, whatever was said of it.
                found[made.place] = replace(known, gone="")
        except HoldfastError as error:
            away = LoggedBundle(name=folder, store=url)
            trouble.append(SearchedBundle(made=away, stands=BundleMatch.AWAY, why=f"{error} {error.hint}"))
    return sorted(found.values(), key=lambda made: made.place), trouble


def _list_folders(app: App, known: Sequence[LoggedBundle]) -> Iterator[tuple[str, str]]:
    """Where in stores more may lie than was made here: backups, and what other sandboxes wrote of a conductor."""
    if url := str(app.settings["backup.store"]):
        yield url, backup_folder(app)
    sent = (made for made in known if made.store and not made.sending and not made.gone)
    yield from dict.fromkeys((each.store, f"{name}/{BUNDLES}") for each in sent if (name := conductor_of(each)))


def _list_bundles_in(url: str, folder: str) -> Iterator[LoggedBundle]:
    store = open_store(url)
    rows = store.list(f"{folder}/")
    whole = {row.name for row in rows if row.name.endswith(ENDINGS)}
    yield from (LoggedBundle(name=row.name, store=store.url, at=row.modified) for row in rows if row.name in whole)
    begun: dict[str, str] = {}
    for row in rows:
        if (owner := owner_of(row.name)) and owner not in whole:
            begun[owner] = max(begun.get(owner, ""), row.modified)
    yield from (LoggedBundle(name=name, store=store.url, at=at, sending=ELSEWHERE) for name, at in begun.items())


def conductor_of(made: LoggedBundle) -> str:
    """The conductor whose memory a bundle in a store is; empty where it is none's."""
    named = CONDUCTORS.fullmatch(made.name) if made.store else None
    return named["name"] if named else ""


def _last_of_conductors(app: App) -> frozenset[str]:
    """One bundle of each conductor, by which its folder is known, even when that bundle was pruned there."""
    last = {(made.store, name): made.place for made in list_logged_bundles(app) if (name := conductor_of(made))}
    return frozenset(last.values())


def _search_bundle(app: App, made: LoggedBundle, sought: ForgetQuery, keys: BundleKeys) -> SearchedBundle:
    if made.name == STREAM and not made.store:
        return SearchedBundle(made=made, stands=BundleMatch.MISSING, why="it went to standard output")
    if made.gone:
        return SearchedBundle(made=made, stands=BundleMatch.GIVEN_UP, why=f"{GONE} ({made.gone[:10]}): {UNPROVEN}")
    try:
        left = len(list_stray_parts(open_store(made.store), made.name)) if made.store else 0
        source = _open_bundle(made)
        if source is None:
            return _describe_begun(app, made, left)
        held, digest = _search_contents(app, source, sought, keys)
    except CannotDecrypt as error:
        return SearchedBundle(made=made, stands=BundleMatch.CLOSED, why=f"{error} {error.hint}")
    except (HoldfastError, OSError) as error:
        return _describe_away(made, str(error))
    stands = BundleMatch.HOLDS if held else BundleMatch.CLEAN
    made = replace(made, sha256=digest) if held else made
    return SearchedBundle(made=made, stands=stands, strays=left, why=_parts(left) if left and not held else "")


def _describe_begun(app: App, made: LoggedBundle, left: int) -> SearchedBundle:
    """A bundle that is not there, and of which parts may be: of an upload that was cut short, or is at work."""
    if not left:
        return SearchedBundle(made=made, stands=BundleMatch.MISSING, why="it is not there any more: moved, or removed")
    when = parse_moment(made.at)
    young = made.sending == ELSEWHERE and when is not None and app.clock.now() - when < AT_WORK
    if young or is_sending(app, made.place):
        return SearchedBundle(made=made, stands=BundleMatch.AWAY, why="it is being sent, or was less than an hour ago")
    return SearchedBundle(made=made, stands=BundleMatch.CUT, strays=left, why=_parts(left))


def _parts(number: int) -> str:
    return f"{number} part{'s' * (number != 1)} of an upload that was cut short; nobody can look into them"


def _describe_away(made: LoggedBundle, why: str) -> SearchedBundle:
    """A bundle whose store does not answer; one that never got there whole stops nobody."""
    if made.sending:
        cut = f"its upload was cut short, and what waits here goes; parts of it may lie there ({why})"
        return SearchedBundle(made=made, stands=BundleMatch.UNSENT, why=cut)
    return SearchedBundle(made=made, stands=BundleMatch.AWAY, why=why)


def _open_bundle(made: LoggedBundle) -> BytesReader | None:
    if made.store:
        return download(open_store(made.store), made.name)
    try:
        return open(made.name, "rb")
    except FileNotFoundError:
        return None


def _search_contents(app: App, source: BytesReader, sought: ForgetQuery, keys: BundleKeys) -> tuple[bool, str]:
    """Whether a bundle holds it, and then the sum of all its bytes."""
    summed = SummedSource(source)
    try:
        with open_unpacker(summed, keys, read_limits(app)) as inner:
            held = any(
                sought.named(member.name) | is_in_any_window(pieces, _predicate(member.name, sought))
                for member, pieces in tar_stream.read_members(inner)
            )
        while held and summed.read(PIECE):
            pass
        return held, str(summed.sum_and_size["sha256"])
    finally:
        if close := getattr(source, "close", None):
            close()


def _predicate(name: str, sought: ForgetQuery) -> Callable[[str], bool]:
    """What tells that a file of a bundle holds it: the words, or the ids where such are kept."""
    pattern = None
    if sought.ids and ("/memory/" in name or "/candidates/" in name):
        pattern = re.compile(rf"^id:\s*[\"']?(?:{'|'.join(map(re.escape, sought.ids))})[\"']?\s*$", re.MULTILINE)
    elif sought.events and "/journal/" in name:
        pattern = re.compile(rf'"id":"(?:{"|".join(map(re.escape, sought.events))})"')
    words = sought.by_words or "/journal/" not in name
    return lambda text: (words and sought.holds(text)) or (pattern is not None and pattern.search(text) is not None)


# Taking them away


def find_conductors(app: App, found: Sequence[SearchedBundle]) -> list[Conductor]:
    """The conductors in stores whose bundles hold it."""
    heads: dict[tuple[str, str], None] = {}
    for each in found:
        name = conductor_of(each.made)
        if each.stands is BundleMatch.HOLDS and name:
            store = open_store(each.made.store)
            if store.list(f"{name}/{HEAD}"):
                heads[(each.made.store, name)] = None
    return [Conductor(app, url, name) for url, name in heads]


def write_fresh_backups(app: App, found: Sequence[SearchedBundle]) -> list[str]:
    """A fresh backup in each store whose backups hold it; where they lie. Asks for memory without the words."""
    stores = {each.made.store for each in found if each.stands is BundleMatch.HOLDS and _is_backup(app, each.made)}
    done = []
    for url in sorted(stores):
        store = open_store(url)
        aim = StoreDestination(folder=backup_folder(app), fresh=True)
        written = export_into_store(
            app, store, build_export_request(app, ALL, conversations=True), locks_from(app, (), ""), aim
        )
        if str(app.settings["backup.store"]):
            note_backup(app, store.url, written)
        done.append(written.place)
    return done


def mark_bundles(app: App, found: Sequence[SearchedBundle]) -> None:
    """Keep the sums of bundles that were looked into and are to go: no copy of one is imported again."""
    sums = mark_files(each.made.sha256 for each in found if each.stands is BundleMatch.HOLDS)
    # A copy may come to another workspace of the user's too.
    for side in (app, app.open_other("")) if app.workspace else (app,):
        note_marks(side, sums - read_own_marks(side))


def remove_bundles(app: App, found: Sequence[SearchedBundle]) -> RemovedBundles:
    """Take bundles and parts away. One that cannot be reached stops no other."""
    went, parts, left, dropped = list[str](), list[tuple[str, int]](), list[SearchedBundle](), set[str]()
    for each in found:
        try:
            there, strayed = (
                _remove_spare_parts(each.made) if each.stands is BundleMatch.CLEAN else _remove_bundle(each.made)
            )
        except HoldfastError as error:
            left.append(_describe_away(each.made, f"{error} {error.hint}".strip()))
            continue
        except OSError as error:
            left.append(_describe_away(each.made, error.strerror or str(error)))
            continue
        went += [each.place] if there else []
        parts += [(each.place, strayed)] if strayed else []
        dropped |= {each.place} if each.stands is not BundleMatch.CLEAN else set()
    drop_logged_bundles(app, frozenset(dropped))
    return RemovedBundles(went=tuple(sorted(went)), parts=tuple(sorted(parts)), left=tuple(left))


def _remove_bundle(made: LoggedBundle) -> tuple[bool, int]:
    """Take a bundle away with its parts: whether it was there, else how many parts were."""
    if not made.store:
        try:
            os.unlink(made.name)
        except FileNotFoundError:
            return False, 0
        return True, 0
    store = open_store(made.store)
    there = any(row.name == made.name for row in store.list(made.name))
    # The list goes first: parts without it are nothing, a list without parts is damage.
    store.delete([made.name])
    parts = [row.name for row in store.list(parts_prefix(made.name))]
    store.delete(parts)
    return there, 0 if there else len(parts)


def _remove_spare_parts(made: LoggedBundle) -> tuple[bool, int]:
    """Take away the parts that a bundle does not have; the bundle stays."""
    store = open_store(made.store)
    parts = [row.name for row in list_stray_parts(store, made.name)]
    store.delete(parts)
    return False, len(parts)


def find_remaining(found: Sequence[SearchedBundle]) -> list[SearchedBundle]:
    """Those of some bundles of which something is still there, or whose store does not answer any more."""
    left = []
    for each in found:
        made = each.made
        try:
            rows = open_store(made.store).list(made.name) if made.store else ()
        except HoldfastError as error:
            left.append(_describe_away(made, f"{error} {error.hint}".strip()))
            continue
        of_it = [row for row in rows if row.name == made.name or row.name.startswith(parts_prefix(made.name))]
        if of_it or (not made.store and os.path.lexists(made.name)):
            left.append(SearchedBundle(made=made, stands=BundleMatch.HOLDS))
    return left


def describe_given_up(found: Iterable[LoggedBundle]) -> list[str]:
    """What is said of bundles in stores that are gone for good."""
    lost = Counter((made.store, made.gone[:10]) for made in found if made.gone)
    return [
        f"{count} bundle{'s' * (count != 1)} in {url!r}, {GONE} ({day}): {UNPROVEN}"
        for (url, day), count in sorted(lost.items())
    ]


def _is_backup(app: App, made: LoggedBundle) -> bool:
    return bool(made.store) and made.name.startswith(f"{backup_folder(app)}/")
