"""Where to listen, and whether that is safe. Loads no web library: what is refused is refused at once."""

import socket
import ssl

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.value import Value
from holdfast.server.http.security.server_names import is_loopback

QUEUE = 256


class PortTaken(Unavailable):
    """Another program listens there."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"Cannot listen on {host}:{port}: {reason}.",
            "take another port with --port, or --port 0 for any; `holdfast serve --open` opens the one that runs.",
        )


class BadCertificate(BadRequest):
    """Files that give no TLS."""

    def __init__(self, certificate: str, reason: str) -> None:
        super().__init__(
            f"{certificate!r} and its key cannot be used: {reason}.", "give a certificate and its key, both in PEM."
        )


class NotRemote(BadRequest):
    """A host that others can reach, without the say-so."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host!r} can be reached from other machines.",
            "add --allow-remote with --tls-cert and --tls-key, or with --behind-proxy NAME; without, it is 127.0.0.1.",
        )


class NoTls(BadRequest):
    """Remote access that anybody on the way could read."""

    def __init__(self) -> None:
        super().__init__(
            "Remote access needs TLS: the token would pass the network in the clear.",
            "add --tls-cert and --tls-key, or --behind-proxy NAME for a proxy that has them.",
        )


class ServeOptions(Value):
    """How to serve. `names`: further names in use; `proxied`: names of a proxy that has TLS."""

    host: str = "127.0.0.1"
    port: int = 0
    remote: bool = False
    certificate: str = ""
    key: str = ""
    proxied: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def check_binding(wanted: ServeOptions) -> None:
    """Refuse what would let others in, or read along."""
    if bool(wanted.certificate) != bool(wanted.key):
        raise BadCertificate(wanted.certificate or wanted.key, "one of the two is missing")
    if not is_loopback(wanted.host) and not wanted.remote:
        raise NotRemote(wanted.host)
    if wanted.remote and not (wanted.certificate or wanted.proxied):
        raise NoTls
    if wanted.certificate:
        _load_certificate(wanted)


def bind_socket(wanted: ServeOptions) -> socket.socket:
    """A socket that listens there."""
    try:
        family = socket.getaddrinfo(wanted.host, wanted.port, type=socket.SOCK_STREAM)[0][0]
        # Without the protocol's number asyncio leaves Nagle's algorithm on, and an answer waits 40 ms for a receipt.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise PortTaken(wanted.host, wanted.port, _reason(error)) from error
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((wanted.host, wanted.port))
        made.listen(QUEUE)
    except (OSError, OverflowError) as error:
        made.close()
        raise PortTaken(wanted.host, wanted.port, _reason(error)) from error
    return made


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _load_certificate(wanted: ServeOptions) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(wanted.certificate, wanted.key, password=_no_password)
    except (OSError, ValueError) as error:
        raise BadCertificate(wanted.certificate, _reason(error)) from error


def _no_password() -> str:
    # Without this, a locked key would have a server wait at a prompt.
    return ""
