"""Which bundles were made of a workspace, and where they went: what is forgotten is looked for in them too.

`share/bundles/<workspace>.jsonl` in the home folder, one row a bundle. It is the user's own: a repository cannot name
files of this machine in it.
"""

import json
import os

from holdfast.domain.value import Value, as_dict
from holdfast.memory.forms import now
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.stores import place_in

PLACE = os.path.join("share", "bundles")
OWN = "user"
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class Made(Value):
    """A bundle that was made. `store`: where `name` is the name of an object; else it is a file's path, or `-`.

    `sending`: not empty while a store has not all of it.
    """

    name: str
    store: str = ""
    at: str = ""
    sha256: str = ""
    sending: str = ""

    @property
    def place(self) -> str:
        """Where it went, in one word."""
        return place_in(self.store, self.name) if self.store else self.name


def note_bundle(app: App, name: str, sha256: str, store: str = "", *, sending: bool = False) -> None:
    """Remember a bundle that was just made, or is about to be sent."""
    path = bundles_path(app)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    made = Made(name=name, store=store, at=now(app), sha256=sha256, sending="yes" if sending else "")
    row = json.dumps(as_dict(made), ensure_ascii=False)
    fd = os.open(path, _APPEND, 0o600)
    try:
        os.write(fd, f"{row}\n".encode("utf-8", "surrogateescape"))
        os.fsync(fd)
    finally:
        os.close(fd)


def made_bundles(app: App) -> list[Made]:
    """The bundles that were made, each place once, the last made there."""
    found: dict[str, Made] = {}
    try:
        with open(bundles_path(app), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            held = json.loads(line)
            made = Made(**{name: str(held.get(name, "")) for name in Made.__annotations__})
        except (ValueError, TypeError, AttributeError, RecursionError):
            continue
        found[made.place] = made
    return list(found.values())


def drop_made(app: App, places: frozenset[str]) -> None:
    """Forget bundles that are gone."""
    kept = [made for made in made_bundles(app) if made.place not in places]
    text = "".join(json.dumps(as_dict(made), ensure_ascii=False) + "\n" for made in kept)
    if kept or os.path.exists(bundles_path(app)):
        put_file(bundles_path(app), text.encode("utf-8", "surrogateescape"))


def bundles_path(app: App) -> str:
    """The file."""
    return os.path.join(app.home, PLACE, f"{app.workspace_id or OWN}.jsonl")
