"""What a caller may do, and how a route says what it needs."""

from collections.abc import Callable
from functools import cache
from typing import Annotated

from fastapi import Depends, Request, WebSocket
from fastapi.security import HTTPBearer

from holdfast.core.errors import Refused
from holdfast.server.http.problems import NoToken
from holdfast.server.http.security.callers import Caller, Right

__all__ = ["Caller", "LacksRight", "Right", "authorize_socket", "caller_of", "require_right"]

LACKS_RIGHT = 4403

# Only for OpenAPI: tokens are looked at before any route is reached.
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="The token of `holdfast serve`.")


class LacksRight(Refused):
    """A token that is good, but not for this."""

    def __init__(self, caller: Caller, right: Right) -> None:
        super().__init__(
            f"The token {caller.name!r} has no right to {right}.",
            f"take one that has it: `holdfast serve token add NAME --right {right}`.",
        )


@cache
def require_right(right: Right) -> Callable[..., Caller]:
    """The dependency of a route that needs a right; it gives the caller."""

    def caller_with_right(request: Request, _: Annotated[object, Depends(_bearer)]) -> Caller:
        caller = caller_of(request)
        if not caller.may(right):
            raise LacksRight(caller, right)
        return caller

    return caller_with_right


def caller_of(request: Request) -> Caller:
    """Who asks. Requests without a good token do not come this far."""
    caller = getattr(request.state, "caller", None)
    if not isinstance(caller, Caller):
        raise NoToken
    return caller


async def authorize_socket(websocket: WebSocket, right: Right) -> Caller | None:
    """Who opened a socket, accepted; None when it was closed for want of the right."""
    caller = getattr(websocket.state, "caller", None)
    await websocket.accept()
    if isinstance(caller, Caller) and caller.may(right):
        return caller
    await websocket.close(LACKS_RIGHT, f"this needs the right to {right}")
    return None
