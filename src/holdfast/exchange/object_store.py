"""Stores of objects: a folder, or a service that keeps bytes under names."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.errors import Conflict, Damaged, NotFound, Refused, Unavailable
from holdfast.core.value import Value

ANY: str | None = None
ABSENT = ""
SMALL = 1 << 20


class Unreachable(Unavailable):
    """A store that does not answer."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"The store {url!r} does not answer: {reason[:300]}.",
            "check the address and the network, then run this again: what was sent is not sent twice.",
        )


class NotLetIn(Refused):
    """A store that does not know us."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"The store {url!r} refuses us: {reason[:300]}.",
            "give the credentials in the usual variables (for S3: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).",
        )


class NoBucket(NotFound):
    """A store whose bucket or container nobody made."""

    def __init__(self, url: str) -> None:
        super().__init__(f"There is no bucket at {url!r}.", "make it first, or check its name and the endpoint.")


class Lost(Conflict):
    """Somebody else was first."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} changed in the store meanwhile.", "read it again and redo the change.")


class TooLarge(Damaged):
    """An object that is larger than one of its kind can be: a store is not trusted."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__(
            f"{name[:200]!r} in the store is larger than {most:,} bytes: it is nothing that Holdfast wrote.",
            "look at it in the store, and remove it there or name another place.",
        )


class Stored(Value):
    """An object: its name, size, and when it was last changed (ISO 8601)."""

    name: str
    size: int
    modified: str


class ByteSource(Protocol):
    """Bytes of an object, in turn."""

    def read(self, size: int, /) -> bytes:
        """At most so many; none at the end."""


class Objects(Protocol):
    """Bytes under names. Each object is there whole or not at all."""

    @property
    def url(self) -> str:
        """The store as a person named it, without secrets."""

    def get(self, name: str, most: int = SMALL) -> tuple[bytes, str] | None:
        """A small object and its tag; None where there is none. One of more bytes is not read: TooLarge."""

    def open(self, name: str) -> ByteSource | None:
        """An object to read in turn; None where there is none."""

    def put(self, name: str, data: bytes, tag: str | None = ANY) -> str:
        """Keep bytes; durable on return; the new tag. With a tag: only if the object has that one, else Lost.

        `ABSENT` as tag: only if there is none yet.
        """

    def list(self, prefix: str) -> Sequence[Stored]:
        """The objects whose names begin so, by name."""

    def delete(self, names: Sequence[str]) -> None:
        """Take objects away; those that are not there too."""


def read_whole(source: ByteSource, name: str, most: int) -> bytes:
    """All bytes of an object that has no more than so many. Raises TooLarge, and reads one byte more at most."""
    pieces, left = [], most + 1
    while left and (piece := source.read(min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise TooLarge(name, most)
    return b"".join(pieces)
