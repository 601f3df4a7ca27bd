"""What a store should have and has not yet: bundles on their way, and a conductor's memory that waits.

`state/share/outbox/<target>/`: a bundle and where it goes. `state/share/unsent/<target>/unsent.json`: memory that a
store should have and did not take. Both are ours: a file that a repository brings is not read.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

from holdfast.app import LinkInWorkspace
from holdfast.core.errors import Conflict
from holdfast.core.value import Value, as_dict
from holdfast.exchange.bundles.share_key import read_signed, write_signed
from holdfast.exchange.open_store import join_address, split_address
from holdfast.system.folders import translate_os_errors
from holdfast.system.lock import try_lock
from holdfast.vault.entry_json import now
from holdfast.workspace import App

OUTBOX = os.path.join("state", "share", "outbox")
UNSENT = os.path.join("state", "share", "unsent")
BUNDLE, TARGET, NOTE, LOCK = "bundle", "target.json", "unsent.json", ".lock"
STALE = 86400


class OutboxItem(Value):
    """Something that a store should have. `bytes`: of a bundle that lies ready; 0 where it is rebuilt."""

    place: str
    at: str
    bytes: int = 0
    reason: str = ""


class ExportRunning(Conflict):
    """Two exports to one place at once."""

    def __init__(self, place: str) -> None:
        super().__init__(f"Another export to {place!r} is at work.", "wait until it is done.")


@contextmanager
def open_outbox(app: App, url: str, target: str) -> Iterator[str]:
    """The folder of a target, kept from others while it is used. What nobody sent on for a day goes."""
    box = os.path.join(app.folder, OUTBOX, _name(target))
    _require_no_link(app, box)
    with translate_os_errors(box):
        os.makedirs(box, mode=0o700, exist_ok=True)
        with _lock_box(box) as held:
            if not held:
                raise ExportRunning(url)
            _sweep(os.path.dirname(box), box)
            yield box


def list_outbox(app: App) -> list[OutboxItem]:
    """What is not in its store yet, by place."""
    found = []
    for box in _list_inside(app, OUTBOX):
        held = read_signed(app, os.path.join(box, TARGET))
        if held is not None and os.path.exists(os.path.join(box, BUNDLE)):
            url = str(held.get("target", "")).partition("\n")[0]
            told = held["told"]
            place = join_address(url, str(held["name"]))
            found.append(OutboxItem(place=place, at=str(told["created"]), bytes=int(told["bytes"]), reason="cut short"))
    for box in _list_inside(app, UNSENT):
        held = read_signed(app, os.path.join(box, NOTE))
        if held is not None:
            found.append(OutboxItem(place=str(held["place"]), at=str(held["at"]), reason=str(held["reason"])))
    return sorted(found, key=lambda each: each.place)


def drop_for_other_stores(app: App, folder: str, url: str) -> list[str]:
    """Take away bundles for a folder of other stores than this one; where they should have gone."""
    return drop_boxes(app, lambda store, inside: store != url and inside == folder)


def drop_boxes(app: App, is_meant: Callable[[str, str], bool]) -> list[str]:
    """Take away bundles that wait, by store and folder; where they should have gone."""
    dropped = []
    for box in _list_inside(app, OUTBOX):
        held = read_signed(app, os.path.join(box, TARGET)) or {}
        there, _, rest = str(held.get("target", "")).partition("\n")
        if not there or not is_meant(there, rest.partition("\n")[0]):
            continue
        with _lock_box(box) as alone_here:
            if alone_here:
                shutil.rmtree(box, ignore_errors=True)
                dropped.append(join_address(there, str(held["name"])))
    return sorted(dropped)


def drop_for_store(app: App, url: str) -> list[str]:
    """Take away all that waits for a store, bundles and notes; where it should have gone."""
    dropped = drop_boxes(app, lambda store, _: store == url)
    for box in _list_inside(app, UNSENT):
        place = str((read_signed(app, os.path.join(box, NOTE)) or {}).get("place", ""))
        if place and _store_of_head(place) == url:
            shutil.rmtree(box, ignore_errors=True)
            dropped.append(place)
    return sorted(dropped)


def list_awaited_stores(app: App) -> frozenset[str]:
    """The stores that something waits for."""
    boxes = [read_signed(app, os.path.join(box, TARGET)) or {} for box in _list_inside(app, OUTBOX)]
    notes = [read_signed(app, os.path.join(box, NOTE)) or {} for box in _list_inside(app, UNSENT)]
    found = [str(each.get("target", "")).partition("\n")[0] for each in boxes]
    found += [_store_of_head(str(each.get("place", ""))) for each in notes]
    return frozenset(found) - {""}


def _store_of_head(place: str) -> str:
    """The store of a conductor's head, which lies in a folder of the conductor's name."""
    return split_address(split_address(place)[0])[0]


def is_sending(app: App, place: str) -> bool:
    """Whether another export sends a bundle to this place just now."""
    for box in _list_inside(app, OUTBOX):
        held = read_signed(app, os.path.join(box, TARGET)) or {}
        url = str(held.get("target", "")).partition("\n")[0]
        if url and join_address(url, str(held.get("name", ""))) == place:
            with _lock_box(box) as alone_here:
                return not alone_here
    return False


def note_unsent(app: App, place: str, reason: str) -> None:
    """Remember that a store did not take what it should have; since when stays."""
    path = _unsent_note_path(app, place)
    before = read_signed(app, path) or {}
    held = OutboxItem(place=place, at=str(before.get("at", "")) or now(app), reason=reason)
    write_signed(app, path, as_dict(held))


def note_sent(app: App, place: str) -> None:
    """It has it now."""
    with suppress(FileNotFoundError):
        os.unlink(_unsent_note_path(app, place))


def is_unsent(app: App, place: str) -> bool:
    """Whether a store did not take what it should have."""
    return read_signed(app, _unsent_note_path(app, place)) is not None


def _unsent_note_path(app: App, place: str) -> str:
    folder = os.path.join(app.folder, UNSENT, _name(place))
    _require_no_link(app, folder)
    return os.path.join(folder, NOTE)


def _name(target: str) -> str:
    return sha256(target.encode()).hexdigest()[:16]


def _require_no_link(app: App, folder: str) -> None:
    while folder != app.folder:
        if os.path.islink(folder):
            raise LinkInWorkspace(folder)
        folder = os.path.dirname(folder)


@contextmanager
def _lock_box(box: str) -> Iterator[bool]:
    with try_lock(f"{box}{LOCK}") as held:
        yield held >= 0


def _sweep(folder: str, own: str) -> None:
    """Take away bundles that nobody sent on: what they hold is still here, and is packed again."""
    for name in os.listdir(folder):
        box = os.path.join(folder, name)
        if box == own or name.endswith(LOCK) or time.time() - os.lstat(box).st_mtime < STALE:
            continue
        with _lock_box(box) as held:
            if held:
                shutil.rmtree(box, ignore_errors=True)


def _list_inside(app: App, place: str) -> list[str]:
    folder = os.path.join(app.folder, place)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.endswith(LOCK)]
    except OSError:
        return []
