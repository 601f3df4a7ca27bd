"""Memory brought together with a checkout's: files by their sums, and events."""

from typing import Annotated

from pydantic import Field

from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json

SUM = "^([0-9a-f]{64})?$"
BASE64 = "^[A-Za-z0-9+/]*={0,2}$"
PATH = Field(min_length=1, max_length=1000)
LARGEST = 24_000_000


class SharedFile(ApiView):
    """A file, and who sent it, where that is known."""

    path: str
    sha256: str
    author: str = ""


class SharedState(ApiView):
    """Every file of memory and candidates, and every record. None of them where `mark` is the one asked with."""

    name: str
    mark: str
    files: list[SharedFile]


class SharedBytes(ApiView):
    """A file's bytes."""

    path: str
    sha256: str
    data: str = Field(description="In base64.")


class FetchBody(ApiBody):
    """The files that are wanted."""

    paths: list[Annotated[str, PATH]] = Field(max_length=500)


class FetchedView(ApiView):
    """Their bytes, without those that are gone. `looked`: of how many; ask again for the rest."""

    files: list[SharedBytes]
    looked: int


class SwapBody(ApiBody):
    """A file as it shall be (null: gone), if its sum is still `then` (empty: it is not there)."""

    path: str = PATH
    then: str = Field(max_length=64, pattern=SUM)
    data: str | None = Field(max_length=LARGEST, pattern=BASE64, description="In base64.")


class SwappedView(ApiView):
    """Empty `now`: it is done. Otherwise the sum that the file has instead, or `gone`; then nothing was written."""

    now: str


class SwapsBody(ApiBody):
    """Several swaps of records, each for itself."""

    swaps: list[SwapBody] = Field(max_length=500)


class AllSwappedView(ApiView):
    """An answer for each, as of one swap."""

    now: list[str]


class SentEventBody(ApiBody):
    """An event of another machine's journal; `key` is its id there."""

    client: str = Field(max_length=200)
    name: str = Field(max_length=200)
    session: str = Field(default="", max_length=500)
    key: str = Field(min_length=1, max_length=200)
    ts: str = Field(default="", max_length=60)
    data: Json = {}


class SentEventsBody(ApiBody):
    """Events, in order."""

    events: list[SentEventBody] = Field(max_length=1000)


class TakenEventsView(ApiView):
    """How many were new."""

    fresh: int
