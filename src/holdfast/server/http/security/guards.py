"""From where a request may come, and what a browser may do with an answer.

A page on any site can send requests to a loopback address, and a name it owns can be made to point there. So every
request must name a host that is ours, and where it says which site sent it, that must be this one.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.errors import BadRequest, HoldfastError, Refused
from holdfast.server.http.problems import render_problem, request_id
from holdfast.server.http.security.server_names import ServerNames

__all__ = ["Guards", "SecurityHeaders", "ServerNames", "is_private"]

SOCKETS = {"http": "ws", "https": "wss"}
SITES = frozenset({"same-origin", "none"})
REFUSED_SOCKET = 1008
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src {connect}; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_CONTROL = frozenset(map(chr, range(32))) | {"\x7f"}


class ForeignHost(Refused):
    """A request for a name that is not ours."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"This server does not answer to the name {host[:100]!r}.",
            "use the address that `holdfast serve` printed; names of a proxy are given with --behind-proxy.",
        )


class ForeignSite(Refused):
    """A request that a page of another site sent."""

    def __init__(self) -> None:
        super().__init__("A page of another site sent this.", "open Studio with `holdfast serve --open`.")


class BadAddress(BadRequest):
    """A path with characters that no path has."""

    def __init__(self) -> None:
        super().__init__("The path holds control characters.", "leave them out.")


class TwoLengths(BadRequest):
    """A body whose end is said in two ways: a proxy before us may see another request in what follows."""

    http_headers = {"Connection": "close"}  # noqa: RUF012  # never changed

    def __init__(self) -> None:
        super().__init__(
            "The request says in two ways where its body ends.",
            "send Content-Length or, with HTTP/1.1, Transfer-Encoding; not both, and each once.",
        )


class SecurityHeaders:
    """Puts on every answer, of a failure too, what a browser should keep to."""

    def __init__(self, app: ASGIApp, own: ServerNames) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and mark what comes back."""
        await self._app(scope, receive, self._told(scope, send) if scope["type"] == "http" else send)

    def _told(self, scope: Scope, send: Send) -> Send:
        host = Headers(scope=scope).get("host", "")
        own = f" {SOCKETS[self._own.scheme_of(host)]}://{host}" if self._own.answers_to(host) else ""
        told = {**HEADERS, "Content-Security-Policy": POLICY.format(connect=f"'self'{own}")}
        private = is_private(scope["path"])

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(told)
                if private:
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        return tell


class Guards:
    """Lets in what comes from here."""

    def __init__(self, app: ASGIApp, own: ServerNames) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        refused = self._refusal(scope, Headers(scope=scope)) if scope["type"] in {"http", "websocket"} else None
        if refused is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED_SOCKET})
        else:
            await render_problem(refused, request_id(scope))(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> HoldfastError | None:
        if _ends_twice(scope, headers):
            return TwoLengths()
        host = headers.get("host", "")
        local = scope.get("server") or ("", 0)
        if len(headers.getlist("host")) != 1 or not self._own.answers_to(host, str(local[0])):
            return ForeignHost(host)
        if any(not self._own.is_origin(origin, host) for origin in headers.getlist("origin")):
            return ForeignSite()
        if not _may_come(scope, headers):
            return ForeignSite()
        return BadAddress() if _CONTROL.intersection(scope["path"]) else None


def is_private(path: str) -> bool:
    """Whether a path is more than the page and its files: then it needs a token."""
    return any(path == root or path.startswith(f"{root}/") for root in ("/api", "/mcp", "/metrics"))


def _ends_twice(scope: Scope, headers: Headers) -> bool:
    coded, lengths = headers.getlist("transfer-encoding"), headers.getlist("content-length")
    return bool(coded and (lengths or scope.get("http_version") == "1.0")) or len(coded) + len(lengths) > 1


def _may_come(scope: Scope, headers: Headers) -> bool:
    """By what browsers say of themselves: other sites may lead a person to the page, and nothing else."""
    site = headers.get("sec-fetch-site")
    if site is None or site in SITES:
        return True
    leads = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and not is_private(scope["path"])
    return leads and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
