"""Failures as answers: problem JSON as in RFC 9457, one kind per family of errors."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from holdfast.core.errors import BadRequest, Conflict, Damaged, HoldfastError, NotFound, Refused, Unavailable
from holdfast.core.plain_text import make_inert
from holdfast.server.http.shapes.memory_shapes import RelationView

MEDIA = "application/problem+json"
LONGEST = 2_000
MOST_ERRORS = 20
STATUSES: Mapping[type[HoldfastError], int] = {
    BadRequest: 400,
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    Damaged: 500,
    Unavailable: 503,
}
KINDS: Mapping[int, tuple[str, str]] = {
    400: ("bad_request", "Asked for what cannot be"),
    401: ("unauthenticated", "No good token"),
    403: ("refused", "Not allowed"),
    404: ("not_found", "Not there"),
    405: ("method_not_allowed", "Not done this way"),
    409: ("conflict", "It changed, or contradicts"),
    412: ("changed", "It is not what you read any more"),
    413: ("too_large", "Too large"),
    422: ("invalid", "The request does not fit"),
    429: ("too_many", "Too many requests"),
    500: ("failed", "Holdfast failed"),
    503: ("unavailable", "Something did not answer"),
}


class FieldError(BaseModel):
    """One thing that does not fit: where, and why."""

    where: str
    why: str


class ProblemDetails(BaseModel):
    """A failure: what happened, and what to do."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "/problems/not_found",
                "title": "Not there",
                "status": 404,
                "detail": "There is no memory 'DEC-7K2MQ4'.",
                "instance": "01K9ZB7T3N5V8Q2X4C6M0R1S2T",
                "hint": "`holdfast list` shows all ids.",
            }
        }
    )

    type: str = Field(description="the kind: /problems/<family>")
    title: str
    status: int
    detail: str = Field(description="what happened, to which thing")
    instance: str = Field(description="the request's id, as in the log")
    hint: str | None = Field(default=None, description="what to do")
    errors: list[FieldError] | None = Field(default=None, description="what does not fit, by field")
    run: str | None = Field(default=None, description="the run that is under way, where that is in the way")
    conflicts: list[RelationView] | None = Field(
        default=None, description="what a candidate contradicts, where that blocks it"
    )


class NoToken(Refused):
    """No token, or none of ours: told alike."""

    http_status = 401
    http_headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}

    def __init__(self) -> None:
        super().__init__(
            "This needs a good token.",
            "send `Authorization: Bearer TOKEN`; `holdfast serve --json` prints yours, `serve token` makes more.",
        )


def _answer(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    return {"description": KINDS[status][1], "content": {MEDIA: {"schema": schema}}}


# What every route may answer besides its own; part of OpenAPI.
ANSWERS: dict[int | str, dict[str, Any]] = {status: _answer(status) for status in KINDS}


def status_of(error: HoldfastError) -> int:
    """The HTTP status of a failure: its own where it has one, else its family's."""
    own = getattr(error, "http_status", None)
    if isinstance(own, int):
        return own
    return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500)


def render_problem(error: HoldfastError, instance: str) -> JSONResponse:
    """A failure of ours as an answer."""
    headers = getattr(error, "http_headers", None)
    more = getattr(error, "http_more", None)
    return _response(
        status_of(error), make_inert(str(error)), instance, hint=make_inert(error.hint), headers=headers, more=more
    )


def render_error(error: BaseException, instance: str) -> JSONResponse:
    """Any failure as an answer. What a crash says itself stays here: it may hold paths and captured text."""
    match error:
        case HoldfastError():
            return render_problem(error, instance)
        case UnicodeError():
            return render_problem(
                BadRequest("Some text given is not valid Unicode.", "send whole characters."), instance
            )
        case OSError():
            why = Unavailable(f"The file system refused: {error.strerror}.", "look with `holdfast doctor`.")
            return render_problem(why, instance)
        case _:
            said = f"Holdfast failed ({type(error).__name__})."
            return _response(500, said, instance, hint="this is a mistake in Holdfast; its log has this request's id.")


def register(app: FastAPI) -> None:
    """Have the app answer its failures as problems."""

    def known(request: Request, error: Exception) -> JSONResponse:
        return render_error(error, request_id(request.scope))

    for kind in (HoldfastError, UnicodeError, OSError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, _render_invalid_request)
    app.add_exception_handler(HTTPException, _render_http_error)


def request_id(scope: Mapping[str, Any]) -> str:
    """The id that the log has of a request."""
    return str(scope.get("state", {}).get("request_id", ""))


def _render_invalid_request(request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    errors = [
        FieldError(where=make_inert(".".join(map(str, each["loc"])))[:200], why=make_inert(str(each["msg"]))[:200])
        for each in found[:MOST_ERRORS]
    ]
    said = "; ".join(f"{each.where}: {each.why}" for each in errors[:3])
    return _response(422, f"The request does not fit: {said}.", request_id(request.scope), errors=errors)


def _render_http_error(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses: an unknown path, a method that a path does not take."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    said = HTTPStatus(status).phrase + "."
    return _response(status, said, request_id(request.scope), headers=headers)


def _response(
    status: int,
    detail: str,
    instance: str,
    *,
    hint: str = "",
    errors: list[FieldError] | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> JSONResponse:
    name, title = KINDS.get(status, ("refused" if status < 500 else "failed", HTTPStatus(status).phrase))
    body = ProblemDetails(
        type=f"/problems/{name}",
        title=title,
        status=status,
        detail=detail[:LONGEST],
        instance=instance,
        hint=hint[:LONGEST] or None,
        errors=errors or None,
        **(more or {}),
    )
    return JSONResponse(
        body.model_dump(exclude_none=True, by_alias=True), status, dict(headers or {}), media_type=MEDIA
    )
