"""Which proxy the environment names for a host: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, in either case."""

import base64
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from holdfast.core.value import Value
from holdfast.system.http_errors import UnusableProxy

SPOKEN = frozenset({"http", "https"})
DEFAULT_PORT = 80


class HttpProxy(Value):
    """Where a proxy is, and the header that says who asks."""

    name: str
    port: int
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return f"HttpProxy({self.host!r})"

    @property
    def host(self) -> str:
        """The proxy, without a password."""
        return f"{bracketed(self.name)}:{self.port}"


def proxy_for(scheme: str, name: str, port: int) -> HttpProxy | None:
    """The proxy to ask for a host; None for this machine, and where the environment names none."""
    if is_loopback(name):
        return None
    named = getproxies()
    said = named.get(scheme) or named.get("all")
    if not said or proxy_bypass(f"{name}:{port}"):
        return None
    return _read(said, name)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or number alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(name: str) -> str:
    """A host's name as it stands in an address."""
    return f"[{name}]" if ":" in name else name


def _read(said: str, asked: str) -> HttpProxy:
    try:
        parts = urlsplit(said if "://" in said else f"http://{said}")
        name, port = parts.hostname, parts.port
    except ValueError:
        raise UnusableProxy(asked, "has no address") from None
    if not name:
        raise UnusableProxy(asked, "has no address")
    if parts.scheme not in SPOKEN:
        raise UnusableProxy(asked, f"is one of {parts.scheme!r}, which is not spoken here")
    return HttpProxy(name=name, port=port or DEFAULT_PORT, headers=_who(parts.username, parts.password))


def _who(name: str | None, password: str | None) -> dict[str, str]:
    if not name:
        return {}
    pair = f"{unquote(name)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}
