"""Text of memories on its way to an agent: inert, cut to a size, and paged."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeVar

from holdfast.core.errors import BadRequest
from holdfast.review.agent_access import make_inert

LONGEST_TITLE = 200
MOST_NOTICES = 10

Each = TypeVar("Each")


class ForeignCursor(BadRequest):
    """A cursor of another question, or none of ours."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"{cursor[:40]!r} is no cursor of this question.", "leave it out to begin again.")


def inert_json(value: Any) -> Any:
    """A JSON value whose texts steer nothing: no tags, no escape codes, in keys and values."""
    if isinstance(value, str):
        return make_inert(value)
    if isinstance(value, dict):
        return {make_inert(str(key)): inert_json(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [inert_json(each) for each in value]
    return value


def one_line(text: str, longest: int = LONGEST_TITLE) -> str:
    """Text on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def limit_notices(notices: Sequence[str]) -> list[str]:
    """Notices, each once, not many, none long."""
    return [one_line(notice, 300) for notice in dict.fromkeys(notices)][:MOST_NOTICES]


def slice_page(found: Sequence[Each], question: object, cursor: str, limit: int) -> tuple[Sequence[Each], str]:
    """The page after a cursor, and the cursor of the next; empty when this is the last."""
    start = _start(cursor, question)
    more = start + limit < len(found)
    return found[start : start + limit], f"{start + limit}.{_mark(question)}" if more else ""


def _start(cursor: str, question: object) -> int:
    if not cursor:
        return 0
    start, _, mark = cursor.partition(".")
    if mark != _mark(question) or not start.isascii() or not start.isdigit():
        raise ForeignCursor(cursor)
    return int(start)


def _mark(question: object) -> str:
    """Ties a cursor to its question: pages of one cannot be taken for pages of another."""
    return blake2b(repr(question).encode("utf-8", "replace"), digest_size=4).hexdigest()
