"""Answers that need not be sent again, and changes that must not meet another's."""

import hashlib
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from holdfast.core.errors import BadRequest, Conflict

M = TypeVar("M", bound=BaseModel)
LONGEST = 2000
BATCH_HEADER = "Holdfast-Batch"
# Of the request under way: the batch that it made, by which `undo` takes back this change and no other.
made_batch: ContextVar[str] = ContextVar("made_batch", default="")
IF_NONE_MATCH = {
    "name": "If-None-Match", "in": "header", "required": False, "schema": {"type": "string", "maxLength": LONGEST},
    "description": "The `ETag` of an answer that the caller has: 304 while it would be the same.",
}  # fmt: skip
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "As the `If-None-Match` given says: nothing new."}}


class ChangedSinceRead(Conflict):
    """Not what the caller read any more."""

    http_status = 412

    def __init__(self, what: str, now: str) -> None:
        super().__init__(
            f"{what!r} changed since it was read: its sha256 is {now} now.", "read it again, and redo the change."
        )
        self.http_headers = {"ETag": quote_tag(now)}


class NoSum(BadRequest):
    """A change that does not say what it is made to."""

    def __init__(self) -> None:
        super().__init__(
            "This change does not say what was read.", "send the sha256 that was read in the body, or as `If-Match`."
        )


def quote_tag(tag: str) -> str:
    """A tag as headers carry it."""
    return f'"{tag}"'


def compute_tag(body: bytes) -> str:
    """The tag of an answer: a sum of its bytes."""
    return quote_tag(hashlib.blake2b(body, digest_size=16).hexdigest())


def compute_file_tag(sha256: str, answer: BaseModel | None = None) -> str:
    """The tag of an answer about a file: its sum first, which alone is enough for `If-Match`."""
    rest = hashlib.blake2b(answer.model_dump_json().encode(), digest_size=8).hexdigest() if answer is not None else ""
    return quote_tag(f"{sha256}.{rest}".rstrip("."))


def names_tag(header: str, tag: str) -> bool:
    """Whether a header names this tag, or any. A weak one counts: what it names has the same bytes here."""
    named = [each.strip().removeprefix("W/") for each in header.split(",")]
    return "*" in named or tag in named


def if_match(header: Annotated[str, Header(alias="If-Match", max_length=LONGEST)] = "") -> str:
    """The `If-Match` header; a dependency."""
    return header


Matching = Annotated[str, Depends(if_match)]


def check_match(what: str, now: str, header: str, in_body: str = "") -> None:
    """Raise Changed unless the caller speaks of what is there now. One of header and body must say so."""
    if not header and not in_body:
        raise NoSum
    if (in_body and in_body != now) or (header and not _names_sum(header, now)):
        raise ChangedSinceRead(what, now)


def _names_sum(header: str, sha256: str) -> bool:
    named = (each.strip().removeprefix("W/").strip('"') for each in header.split(","))
    return any(each == "*" or each.partition(".")[0] == sha256 for each in named)


class TaggedRoute(APIRoute):
    """A route whose GET answers carry an ETag, and are not sent to who has them; the others carry their batch."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        if "GET" in (more.get("methods") or ("GET",)):
            more["responses"] = {**UNCHANGED, **(more.get("responses") or {})}
            more["openapi_extra"] = {"parameters": [IF_NONE_MATCH], **(more.get("openapi_extra") or {})}
        super().__init__(path, endpoint, **more)

    def get_route_handler(self) -> Any:
        """What FastAPI calls for a request."""
        answer = super().get_route_handler()

        async def tagged(request: Request) -> Response:
            made_batch.set("")
            response: Response = await answer(request)
            if batch := made_batch.get():
                response.headers[BATCH_HEADER] = batch
            return add_tag(request, response) if request.method in {"GET", "HEAD"} else response

        return tagged


def add_tag(request: Request, response: Response) -> Response:
    """The answer with its tag, or the short word that nothing changed."""
    if response.status_code != 200 or not isinstance(body := getattr(response, "body", None), bytes):
        return response
    tag = response.headers.setdefault("ETag", compute_tag(body))
    if not names_tag(request.headers.get("If-None-Match", ""), tag):
        return response
    kept = {name: value for name, value in response.headers.items() if name not in {"content-length", "content-type"}}
    return Response(status_code=304, headers=kept)
