"""Which bundles were made of a workspace, and where they went: what is forgotten is looked for in them too.

`share/bundles/<workspace>.jsonl` in the home folder, one row a bundle. It is the user's own: a repository cannot name
files of this machine in it.
"""

import json
import os
from collections.abc import Iterable

from holdfast.core.value import Value, as_dict, replace
from holdfast.exchange.open_store import join_address
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now
from holdfast.workspace import App

PLACE = os.path.join("share", "bundles")
OWN, ENDING = "user", ".jsonl"
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class LoggedBundle(Value):
    """A bundle that was made. `store`: where `name` is the name of an object; else it is a file's path, or `-`.

    `sending`: not empty while a store has not all of it. `gone`: when the user said that its store is gone for good.
    """

    name: str
    store: str = ""
    at: str = ""
    sha256: str = ""
    sending: str = ""
    gone: str = ""

    @property
    def place(self) -> str:
        """Where it went, in one word."""
        return join_address(self.store, self.name) if self.store else self.name


def note_bundle(app: App, name: str, sha256: str, store: str = "", *, sending: bool = False) -> None:
    """Remember a bundle that was just made, or is about to be sent."""
    path = bundles_path(app)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    made = LoggedBundle(name=name, store=store, at=now(app), sha256=sha256, sending="yes" if sending else "")
    row = json.dumps(as_dict(made), ensure_ascii=False)
    fd = os.open(path, _APPEND, 0o600)
    try:
        os.write(fd, f"{row}\n".encode("utf-8", "surrogateescape"))
        os.fsync(fd)
    finally:
        os.close(fd)


def list_logged_bundles(app: App) -> list[LoggedBundle]:
    """The bundles that were made, each place once, the last made there."""
    return _read(bundles_path(app))


def list_logged_bundles_of(app: App, workspace_id: str) -> list[LoggedBundle]:
    """The bundles that were made of another workspace of the user's."""
    return _read(os.path.join(app.home, PLACE, f"{workspace_id}{ENDING}"))


def drop_logged_bundles(app: App, places: frozenset[str]) -> None:
    """Forget bundles that are gone."""
    path = bundles_path(app)
    kept = [made for made in _read(path) if made.place not in places]
    if kept or os.path.exists(path):
        _write(path, kept)


def list_known_stores(app: App) -> frozenset[str]:
    """The stores that bundles of any workspace of the user's went to."""
    return frozenset(made.store for path in _paths(app) for made in _read(path) if made.store and not made.gone)


def give_up_store(app: App, url: str) -> int:
    """Note that a store is gone for good, for every workspace; how many bundles it had."""
    count = 0
    for path in _paths(app):
        held = _read(path)
        lost = frozenset(made.place for made in held if made.store == url and not made.gone)
        if lost:
            _write(path, [replace(made, gone=now(app)) if made.place in lost else made for made in held])
            count += len(lost)
    return count


def _paths(app: App) -> list[str]:
    folder = os.path.join(app.home, PLACE)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(ENDING)]
    except FileNotFoundError:
        return []


def _read(path: str) -> list[LoggedBundle]:
    found: dict[str, LoggedBundle] = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            held = json.loads(line)
            made = LoggedBundle(**{name: str(held.get(name, "")) for name in LoggedBundle.__annotations__})
        except (ValueError, TypeError, AttributeError, RecursionError):
            continue
        found[made.place] = made
    # A store that took something after it was given up is there.
    alive = {made.store for made in found.values() if made.store and not made.gone and not made.sending}
    return [replace(made, gone="") if made.store in alive else made for made in found.values()]


def _write(path: str, rows: Iterable[LoggedBundle]) -> None:
    text = "".join(json.dumps(as_dict(made), ensure_ascii=False) + "\n" for made in rows)
    put_file(path, text.encode("utf-8", "surrogateescape"))


def bundles_path(app: App) -> str:
    """The file."""
    return os.path.join(app.home, PLACE, f"{app.workspace_id or OWN}{ENDING}")
