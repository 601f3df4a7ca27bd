"""Requests that bring no answer. Every word is ours or the system's: what the other side sent is in none, nor a secret.

Who asked maps them to failures of its own; one that nobody mapped is still told in full.
"""

from holdfast.core.errors import Unavailable

BROKEN = range(500, 600)
NEEDS_NAME = 407


class NoExchange(Unavailable):
    """A request without an answer. `again`: asking again may help, with nothing changed here or there."""

    again = False

    def __init__(self, host: str, why: str, hint: str = "", proxy: str = "") -> None:
        self.why = f"{why} (through the proxy {proxy!r})" if proxy else why
        super().__init__(f"{host!r} was not reached: {self.why}.", hint)


class NobodyListens(NoExchange):
    """The connection was refused."""

    def __init__(self, host: str, proxy: str = "") -> None:
        super().__init__(host, "the connection was refused", proxy=proxy)


class UnknownHost(NoExchange):
    """A name that has no address."""

    def __init__(self, host: str, proxy: str = "") -> None:
        super().__init__(host, "there is no such host, or no network", proxy=proxy)


class CertificateRejected(NoExchange):
    """A certificate that proves nothing. `reason` is what the check says."""

    def __init__(self, host: str, reason: str, proxy: str = "") -> None:
        super().__init__(
            host,
            f"its certificate is not trusted: {reason}",
            "nothing was sent. Behind a proxy of your company, name its certificate in SSL_CERT_FILE.",
            proxy,
        )
        self.reason = reason


class TlsFailed(NoExchange):
    """What answers does not speak TLS as we do."""

    def __init__(self, host: str, reason: str, proxy: str = "") -> None:
        super().__init__(host, f"TLS failed ({reason})", "is it https at all?", proxy)


class NothingCame(NoExchange):
    """No connection, or no next piece, in its time."""

    again = True

    def __init__(self, host: str, proxy: str = "") -> None:
        super().__init__(host, "nothing came in time", "try again.", proxy)


class NoEndInTime(NoExchange):
    """The time for all of it is over."""

    again = True

    def __init__(self, host: str, seconds: float, proxy: str = "") -> None:
        super().__init__(host, f"no end after {seconds:.0f} s", "try again.", proxy)


class LineBroke(NoExchange):
    """The connection broke, or what came over it is no HTTP."""

    again = True

    def __init__(self, host: str, why: str, proxy: str = "") -> None:
        super().__init__(host, why, "try again.", proxy)


class AnswerTooLarge(NoExchange):
    """More than was to be read."""

    def __init__(self, host: str, most: int) -> None:
        super().__init__(host, f"its answer is larger than {most} bytes", "see that the address is right.")


class ProxyRefused(NoExchange):
    """The proxy does not let the request through."""

    def __init__(self, host: str, proxy: str, status: int) -> None:
        hint = "see what the proxy in HTTPS_PROXY allows, or name the host in NO_PROXY."
        if status == NEEDS_NAME:
            hint = "the proxy wants a name and a password: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT."
        super().__init__(host, f"the proxy {proxy!r} answered with status {status}", hint)
        self.again = status in BROKEN


class UnusableProxy(NoExchange):
    """The environment names a proxy that we cannot ask. Its address may hold a password and is not told."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(
            host,
            f"the proxy that the environment names {why}",
            "HTTPS_PROXY and HTTP_PROXY are written like http://HOST:PORT; NO_PROXY names hosts that need none.",
        )


class UnsendableRequest(NoExchange):
    """An address or a header that HTTP cannot carry. What it holds may be a secret and is not told."""

    def __init__(self, host: str) -> None:
        super().__init__(host, "the address or the key holds characters that no request can", "write them anew.")


class RequestGivenUp(NoExchange):
    """Whoever asked went away."""

    def __init__(self, host: str) -> None:
        super().__init__(host, "the request was given up")


def one_line(text: str, secret: str = "", most: int = 300) -> str:
    """Words of the other side on one line, cut, without the secret."""
    plain = " ".join(text.split())
    plain = "".join(character if character.isprintable() else "?" for character in plain)
    return (plain.replace(secret, "…") if secret else plain)[:most]
