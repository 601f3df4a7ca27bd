"""What readers give: things to import, things turned down, and the readers themselves."""

from collections.abc import Callable, Iterator

from holdfast.core.memory import Memory
from holdfast.core.value import Value

SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded_by"


class ImportSource(Value):
    """What to read. `label` names the path in places and ids: relative to the workspace or to the user's home.

    `project` and `workspace` narrow stores that hold many projects; empty: everything.
    """

    path: str
    label: str
    project: str = ""
    workspace: str = ""


class ImportLink(Value):
    """What a thing says of another one of its source, by any name that the other has."""

    kind: str
    to: str


class ImportedItem(Value):
    """One thing of a source. `memory` has no id yet; it gets one when it is kept.

    `key` is the source's own id for it, `names` are others that links may use, `raw` is the text it came from. `waits`
    says why it should wait for a person even when the rest is accepted. `over`: the source says it no longer holds.
    """

    key: str
    place: str
    memory: Memory
    raw: str
    names: tuple[str, ...] = ()
    links: tuple[ImportLink, ...] = ()
    waits: str = ""
    over: bool = False


class RejectedItem(Value):
    """Something of a source that no memory is made of: where it stands (`path:line`), and why."""

    place: str
    reason: str


Read = Iterator[ImportedItem | RejectedItem]


class Importer(Value):
    """A kind of source: its name, what it reads, where that usually lies.

    `detect` says how sure it is that a path is of its kind, from 0 to 1. `read` yields whatever is there, in order.
    """

    name: str
    reads: str
    lies: str
    detect: Callable[[str], float]
    read: Callable[[ImportSource], Read]
