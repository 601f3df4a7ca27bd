"""Lists in pages: a cursor says where the next one begins, and stays right when rows come and go before it."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request, Response

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value

T = TypeVar("T")
Key = Callable[[T], str]
LIMIT, MOST = 100, 1000
LONGEST = 1000
TOTAL = "Holdfast-Total"
NEXT = {
    "Link": {
        "description": 'The next page: `<…?cursor=…>; rel="next"`; absent on the last one.',
        "schema": {"type": "string"},
    },
    TOTAL: {"description": "How many rows there are in all.", "schema": {"type": "integer"}},
}


class BadPageCursor(BadRequest):
    """A cursor that we did not give."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"The cursor {cursor[:60]!r} is none of ours.", "leave it out to begin with the first page.")


class PageRequest(Value):
    """Which page is asked for."""

    cursor: str
    limit: int
    request: Request
    response: Response


def read_page_request(
    request: Request,
    response: Response,
    cursor: Annotated[
        str, Query(max_length=LONGEST, description="Where the page begins: from the `Link` header of the one before.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many rows at most.")] = LIMIT,
) -> PageRequest:
    """The page that a request asks for; a dependency."""
    return PageRequest(cursor=cursor, limit=limit, request=request, response=response)


Paged = Annotated[PageRequest, Depends(read_page_request)]


def slice_page(rows: Sequence[T], cursor: str, limit: int, key: Key[T], at: int = 0) -> tuple[Sequence[T], str]:
    """A page of rows, and the cursor of the next one: empty when there is none. `at`: where one without cursor begins.

    The cursor holds the last row's key and place, so that a page goes on after that row though others came before it,
    and after its place where the row itself is gone.
    """
    begin = _begin(rows, cursor, key) if cursor else min(at, len(rows))
    end = begin + limit
    return rows[begin:end], _cursor(key(rows[end - 1]), end) if end < len(rows) else ""


def paginate(rows: Sequence[T], wanted: PageRequest, key: Key[T], at: int = 0) -> Sequence[T]:
    """A page of rows, with the headers that say how many there are and where the next is."""
    found, following = slice_page(rows, wanted.cursor, wanted.limit, key, at)
    set_page_headers(wanted, following, len(rows))
    return found


def set_page_headers(wanted: PageRequest, following: str, total: int) -> None:
    """Set the headers of a page that was cut elsewhere."""
    wanted.response.headers[TOTAL] = str(total)
    if following:
        address = wanted.request.url.include_query_params(cursor=following)
        wanted.response.headers["Link"] = f'<{address.path}?{address.query}>; rel="next"'


def _cursor(key: str, place: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, key]).encode()).decode().rstrip("=")


def _begin(rows: Sequence[T], cursor: str, key: Key[T]) -> int:
    place, last = _decode_cursor(cursor)
    if 0 < place <= len(rows) and key(rows[place - 1]) == last:
        return place
    for number, row in enumerate(rows, 1):
        if key(row) == last:
            return number
    return min(place, len(rows))


def _decode_cursor(cursor: str) -> tuple[int, str]:
    try:
        given: Any = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        place, key = given
    except (ValueError, TypeError, RecursionError, binascii.Error):
        raise BadPageCursor(cursor) from None
    if not isinstance(place, int) or isinstance(place, bool) or not isinstance(key, str) or place < 0:
        raise BadPageCursor(cursor)
    return place, key
