"""The server itself: who asks, how it is, what it can do. Everything of a workspace is in `routes`."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic.alias_generators import to_camel

from holdfast.core.errors import Unavailable
from holdfast.server.http import metrics
from holdfast.server.http.problems import NoToken
from holdfast.server.http.security.callers import Caller, Right
from holdfast.server.http.security.rights import require_right
from holdfast.server.http.security.studio_links import redeem
from holdfast.server.http.security.tickets import GOOD_FOR
from holdfast.server.http.server_state import Serving
from holdfast.server.http.shapes.health_shapes import TokenRow
from holdfast.server.http.shapes.workspace_shapes import (
    CallerView,
    LinkKeyBody,
    PageSessionView,
    ServerHealthView,
    TicketView,
)

router = APIRouter(generate_unique_id_function=lambda route: to_camel(route.name))

Reader = Annotated[Caller, Depends(require_right(Right.READ))]
Reviewer = Annotated[Caller, Depends(require_right(Right.REVIEW))]


class Stopping(Unavailable):
    """The server takes no new work."""

    def __init__(self) -> None:
        super().__init__("The server is about to stop.", "ask again when it is back.")


def serving_of(request: Request) -> Serving:
    """The server's parts; a dependency."""
    found: Serving = request.app.state.serving
    return found


Parts = Annotated[Serving, Depends(serving_of)]


@router.post("/api/session", tags=["server"], response_model=PageSessionView)
def begin_session(given: LinkKeyBody, request: Request, serving: Parts) -> PageSessionView:
    """Give the key of a one-time link, get the token. The only route that needs none. A key is good once, for 60 s."""
    by = redeem(serving.home, given.key)
    if by is None:
        serving.slow_down(request.client.host if request.client else "")
        raise NoToken
    token = serving.tokens.begin_session(by)
    caller = serving.tokens.caller(token)
    if caller is None:
        raise NoToken
    return PageSessionView(token=token, name=caller.name, rights=sorted(caller.rights))


@router.post("/api/tickets", tags=["server"], response_model=TicketView, status_code=201)
async def issue_ticket(caller: Reader, serving: Parts) -> TicketView:
    """A word that opens one socket (`?ticket=`), within 30 s, with the caller's own rights."""
    until = datetime.now(UTC) + timedelta(seconds=GOOD_FOR)
    return TicketView(ticket=serving.tickets.issue(caller), expires=until.isoformat(timespec="seconds"))


@router.get("/api/me", tags=["server"], response_model=CallerView)
async def who_asks(caller: Reader) -> CallerView:
    """Whose token this is, and what it may do."""
    return CallerView(name=caller.name, rights=sorted(caller.rights))


@router.get("/api/tokens", tags=["server"], response_model=list[TokenRow])
def list_tokens(_: Reviewer, serving: Parts) -> list[TokenRow]:
    """Who else holds a token. Tokens are made and removed by `holdfast serve token`, never over the network."""
    return [
        TokenRow.model_validate(
            {
                "name": each.name,
                "rights": sorted(each.rights),
                "created": each.created,
                "lastUsed": serving.tokens.last_used.get(each.name, ""),
            }
        )
        for each in serving.tokens.records()
    ]


@router.get("/api/health", tags=["server"], response_model=ServerHealthView)
async def health(_: Reader, serving: Parts) -> ServerHealthView:
    """Whether the server lives."""
    return ServerHealthView(
        status="stopping" if serving.stopping.is_set() else "ok",
        version=version("holdfast"),
        started=serving.started,
        workspaces=len(serving.workspaces.known()),
    )


@router.get("/api/health/ready", tags=["server"], response_model=ServerHealthView)
async def ready(caller: Reader, serving: Parts) -> ServerHealthView:
    """Whether the server takes work: 503 when it is about to stop."""
    if serving.stopping.is_set():
        raise Stopping
    return await health(caller, serving)


@router.get("/metrics", tags=["server"], responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
async def figures(_: Reader, serving: Parts) -> Response:
    """Figures for Prometheus."""
    return Response(serving.metrics.text(), media_type=metrics.CONTENT_TYPE)


@router.get("/api/openapi.json", tags=["server"])
async def contract(_: Reader, request: Request) -> dict[str, Any]:
    """This document: everything that can be asked, in OpenAPI 3.1."""
    found: dict[str, Any] = request.app.openapi()
    return found
