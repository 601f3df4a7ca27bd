"""A real proxy on loopback, and TLS before servers that speak none."""

import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# All of this machine's addresses: connecting to it reaches loopback, but it is no name that a client passes a proxy by
# for. So one address is reached with a proxy and without, and nothing leaves the machine.
HERE = "0.0.0.0"
Serve = Callable[[socket.socket], None]


class Proxy:
    """What it was asked, and all that went through it on the way to servers."""

    def __init__(self, answer: bytes = b"") -> None:
        self.port = 0
        self.heads: list[str] = []
        self.passed = b""
        self._answer = answer

    @property
    def url(self) -> str:
        return f"http://ann:s3%40cret@127.0.0.1:{self.port}"

    @property
    def asked(self) -> list[str]:
        """The first line of each request."""
        return [head.partition("\r\n")[0] for head in self.heads]

    def serve(self, came: socket.socket) -> None:
        head, rest = _head(came)
        self.heads.append(head)
        if self._answer:
            came.sendall(self._answer)
            return
        method, target, version = head.partition("\r\n")[0].split()
        address = target if method == "CONNECT" else urlsplit(target).netloc
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as there:
            if method == "CONNECT":
                came.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = target.removeprefix(f"http://{address}")
                there.sendall(f"{method} {path} {version}\r\n{head.partition(chr(10))[2]}\r\n\r\n".encode())
            there.sendall(rest)
            _relay(came, there, self._seen)

    def _seen(self, data: bytes) -> None:
        self.passed += data


@contextmanager
def proxy(answer: bytes = b"") -> Iterator[Proxy]:
    """One that runs; with an answer it says that to everybody, and lets nothing through."""
    made = Proxy(answer)
    with listening(made.serve) as made.port:
        yield made


@contextmanager
def with_tls(url: str, certificate: Path) -> Iterator[str]:
    """The address at which a server of plain HTTP is reached with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    parts = urlsplit(url)

    def serve(came: socket.socket) -> None:
        with (
            context.wrap_socket(came, server_side=True) as inner,
            socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20) as there,
        ):
            # One after the other: two threads may not use one TLS connection.
            there.sendall(read_request(inner))
            _pump(there, inner, len)

    with listening(serve) as port:
        yield f"https://{HERE}:{port}{parts.path}"


def make_certificate(folder: Path) -> Path:
    """A key and a certificate of its own for `HERE`, in one file."""
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")]), datetime.now(UTC)
    key = ec.generate_private_key(ec.SECP256R1())
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HERE))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "here.pem"
    path.write_bytes(plain + made.public_bytes(serialization.Encoding.PEM))
    return path


def _relay(one: socket.socket, other: socket.socket, seen: Callable[[bytes], object]) -> None:
    """Bytes both ways until either side ends; `seen` gets those of the first."""
    back = threading.Thread(target=_pump, args=(other, one, len), daemon=True)
    back.start()
    _pump(one, other, seen)
    back.join(20)


def _pump(source: socket.socket, target: socket.socket, seen: Callable[[bytes], object]) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            seen(data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def read_request(came: socket.socket) -> bytes:
    """A request to its end: who closes before has its answer lost on the way."""
    head, body = _head(came)
    found = re.search(r"(?i)\r\ncontent-length: *(\d+)", head)
    while found and len(body) < int(found[1]):
        body += came.recv(1 << 16)
    return head.encode() + b"\r\n\r\n" + body


def _head(came: socket.socket) -> tuple[str, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = came.recv(1 << 16)
        if not piece:
            raise OSError("nothing was asked")
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head.decode(), rest


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """The port on loopback where each connection is served by a thread."""
    opened = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def one(came: socket.socket) -> None:
        came.settimeout(20)
        with suppress(OSError), came:
            serve(came)

    def run() -> None:
        with suppress(OSError):
            while True:
                threads.append(threading.Thread(target=one, args=(opened.accept()[0],), daemon=True))
                threads[-1].start()

    main = threading.Thread(target=run, daemon=True)
    main.start()
    try:
        yield int(opened.getsockname()[1])
    finally:
        with suppress(OSError):
            opened.shutdown(socket.SHUT_RDWR)
        opened.close()
        for thread in (main, *threads):
            thread.join(20)
