"""Memory brought together with a checkout's: files by their sums, and events."""

from pydantic import Field

from holdfast.serve.http.shapes.base import Body, Json, Shape

SUM = "^([0-9a-f]{64})?$"
BASE64 = "^[A-Za-z0-9+/]*={0,2}$"


class SharedFile(Shape):
    """A file, and who sent it, where that is known."""

    path: str
    sha256: str
    author: str = ""


class SharedState(Shape):
    """Every file of memory and candidates."""

    name: str
    files: list[SharedFile]


class SharedBytes(Shape):
    """A file's bytes."""

    path: str
    sha256: str
    data: str = Field(description="In base64.")


class Swap(Body):
    """A file as it shall be (null: gone), if its sum is still `then` (empty: it is not there)."""

    path: str = Field(min_length=1, max_length=1000)
    then: str = Field(max_length=64, pattern=SUM)
    data: str | None = Field(max_length=1_000_000, pattern=BASE64, description="In base64.")


class Swapped(Shape):
    """Empty `now`: it is done. Otherwise the sum that the file has instead, or `gone`; then nothing was written."""

    now: str


class SentEvent(Body):
    """An event of another machine's journal; `key` is its id there."""

    client: str = Field(max_length=200)
    name: str = Field(max_length=200)
    session: str = Field(default="", max_length=500)
    key: str = Field(min_length=1, max_length=200)
    ts: str = Field(default="", max_length=60)
    data: Json = {}


class SentEvents(Body):
    """Events, in order."""

    events: list[SentEvent] = Field(max_length=1000)


class Taken(Shape):
    """How many were new."""

    fresh: int
