"""Server-sent events: lines in pieces of any size → data of events."""

from collections.abc import Iterable, Iterator


class EventTooLong(Exception):
    """An event without an end."""


def read_events(pieces: Iterable[bytes], most: int) -> Iterator[str]:
    """The data of each event. A piece may end anywhere, also inside a character; bad UTF-8 is replaced.

    What stands after the last blank line is given too: some servers leave that line out.
    """
    data: list[bytes] = []
    size = 0
    for line in _lines(pieces, most):
        if not line:
            if data:
                yield _text(data)
            data, size = [], 0
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
            size += len(line)
            if size > most:
                raise EventTooLong
    if data:
        yield _text(data)


def _lines(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if b"\n" in piece:
            *whole, rest = b"".join(held).split(b"\n")
            for line in whole:
                yield line.removesuffix(b"\r")
            held, size = [rest], len(rest)
        if size > most:
            raise EventTooLong
    if last := b"".join(held).strip():
        yield last


def _text(data: list[bytes]) -> str:
    return b"\n".join(data).decode("utf-8", "replace")
