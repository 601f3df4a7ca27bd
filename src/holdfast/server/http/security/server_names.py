"""The names that this server answers to. Loads no web library."""

from ipaddress import ip_address

from holdfast.core.value import Value

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PORTS = {"http": 80, "https": 443}


class ServerNames(Value):
    """How this server is reached: its scheme and port, the host it is bound to, and names a proxy gives it."""

    scheme: str
    port: int
    bound: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    behind_proxy: bool = False

    @property
    def url(self) -> str:
        """The bare origin, as a person on this machine types it."""
        host = "127.0.0.1" if self.bound in {"", "0.0.0.0", "::"} else self.bound  # noqa: S104  # to tell them
        shown = f"[{host}]" if ":" in host else host
        return f"{self.scheme}://{shown}:{self.port}"

    def answers_to(self, host: str, local: str = "") -> bool:
        """Whether a Host names us. `local`: the address that the connection came in on."""
        scheme = self.scheme_of(host)
        name, port = _split(host, scheme)
        if self._is_named(host):
            return True
        ours = name in LOOPBACK or name == self.bound.lower() or _same_address(name, local)
        return ours and port == self.port

    def is_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin is this server, as the same request's Host names it."""
        scheme = self.scheme_of(host)
        given, _, rest = origin.partition("://")
        return given == scheme and _split(rest, scheme) == _split(host, scheme)

    def scheme_of(self, host: str) -> str:
        """How a browser speaks to this name: a proxy always has TLS."""
        return "https" if self.behind_proxy and self._is_named(host) else self.scheme

    def _is_named(self, host: str) -> bool:
        """Whether a Host is one of the given names: with their own port, or with ours where a name has none."""
        scheme = "https" if self.behind_proxy else self.scheme
        name, port = _split(host, scheme)
        return any(
            name == _split(each, scheme)[0] and port in {_split(each, scheme)[1], 0 if self.behind_proxy else self.port}
            for each in self.names
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host.lower() in LOOPBACK or host.startswith("127.")


def _split(host: str, scheme: str) -> tuple[str, int]:
    """A host's name and port, the scheme's own where it has none; -1 where that is no port."""
    low = host.lower()
    name, _, rest = low[1:].partition("]") if low.startswith("[") else (low.partition(":")[0], "", "")
    port = rest if low.startswith("[") else low[len(name) :]
    if not port:
        return name, PORTS[scheme]
    digits = port[1:]
    return name, int(digits) if port[0] == ":" and digits.isascii() and digits.isdigit() and len(digits) < 6 else -1


def _same_address(name: str, local: str) -> bool:
    try:
        return ip_address(name) == ip_address(local.partition("%")[0])
    except ValueError:
        return False
