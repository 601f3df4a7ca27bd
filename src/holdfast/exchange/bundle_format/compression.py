"""Between a tar and the file that leaves: zstd, and age where it is asked for. Streams, in constant memory."""

import base64
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any, BinaryIO

from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.value import Value
from holdfast.exchange.bundle_format.bundle_values import BadBundle, BundleLimits, MissingExtra, NoBundle, TooMuch
from holdfast.exchange.bundle_format.tar_stream import BytesReader, BytesWriter

ZSTD = b"\x28\xb5\x2f\xfd"
AGE = b"age-encryption.org/v1\n"
PASSPHRASE = b"holdfast-passphrase-v1\n"
LEVEL = 3
WINDOW = 1 << 27
LONGEST_LINE = 4096


class BundleRecipients(Value):
    """For whom a bundle is closed: age recipients, or a passphrase."""

    recipients: tuple[str, ...] = ()
    passphrase: str = ""


class BundleKeys(Value):
    """What may open a bundle: texts of age identities, and a passphrase."""

    identities: tuple[str, ...] = ()
    passphrase: str = ""


class CannotDecrypt(BadRequest):
    """A bundle that nothing here opens."""

    def __init__(self, how: str) -> None:
        super().__init__(f"The bundle is encrypted, {how}.", "give --identity FILE or --passphrase-file FILE.")


class BadRecipient(BadRequest):
    """Something that nobody can be reached by."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:80]!r} is no age recipient.", "it looks like age1… or ssh-ed25519 ….")


class BadIdentity(BadRequest):
    """A file that holds no age identity."""

    def __init__(self) -> None:
        super().__init__("The identity given is none.", "it looks like AGE-SECRET-KEY-1… or a private SSH key.")


class CountingReader:
    """A source that knows how much of it was read. What was looked at ahead comes first."""

    def __init__(self, source: BytesReader, ahead: bytes = b"") -> None:
        self._source, self._ahead = source, ahead
        self.count = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        if self._ahead:
            size = len(self._ahead) if size < 0 else size
            piece, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            piece = self._source.read(1 << 20 if size < 0 else size)
        self.count += len(piece)
        return piece


class _Bounded:
    """Unpacked bytes, refused where they are too many for what was packed."""

    def __init__(self, unpacked: Any, packed: CountingReader, limits: BundleLimits) -> None:
        self._unpacked, self._packed, self._limits = unpacked, packed, limits
        self._count = 0

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        try:
            piece: bytes = self._unpacked.read(size)
        except HoldfastError:
            raise
        except Exception as error:
            raise BadBundle(str(error) or type(error).__name__) from error
        self._count += len(piece)
        if self._count > self._limits.bytes:
            raise TooMuch(f"it unpacks to more than {self._limits.bytes:,} bytes", "share.most_mb")
        if self._count > max(self._limits.floor, self._limits.ratio * self._packed.count):
            raise TooMuch(f"it unpacks to more than {self._limits.ratio} times its size", "share.most_ratio")
        return piece


def looks_packed(start: bytes) -> bool:
    """Whether these are the first bytes of a bundle."""
    return start.startswith((ZSTD, AGE, PASSPHRASE))


@contextmanager
def open_packer(out: BytesWriter, locks: BundleRecipients) -> Iterator[BytesWriter]:
    """A place for a tar, that packs it, closes it for its readers and passes it on."""
    with ExitStack() as stack:
        place = out
        if locks.recipients or locks.passphrase:
            place = stack.enter_context(_open_encryptor(out, locks))
        packer = _library("zstandard").ZstdCompressor(level=LEVEL, write_checksum=True)
        with packer.stream_writer(place, closefd=False) as writer:
            yield writer


@contextmanager
def open_unpacker(source: BytesReader, keys: BundleKeys, limits: BundleLimits) -> Iterator[BytesReader]:
    """The tar inside of what came."""
    start = _peek(source)
    with ExitStack() as stack:
        whole: BytesReader = CountingReader(source, start)
        if start.startswith((AGE, PASSPHRASE)):
            whole = stack.enter_context(_open_decryptor(whole, start, keys))
            start = _peek(whole)
            whole = CountingReader(whole, start)
        if not start.startswith(ZSTD):
            raise NoBundle
        packed = CountingReader(whole)
        reader = _library("zstandard").ZstdDecompressor(max_window_size=WINDOW)
        # Across frames, so that what follows the first one is seen, and refused.
        yield _Bounded(reader.stream_reader(packed, read_across_frames=True, closefd=False), packed, limits)


def _peek(source: BytesReader) -> bytes:
    start = b""
    while len(start) < len(PASSPHRASE):
        piece = source.read(len(PASSPHRASE) - len(start))
        if not piece:
            break
        start += piece
    return start


@contextmanager
def _open_encryptor(out: BytesWriter, locks: BundleRecipients) -> Iterator[BytesWriter]:
    age = _library("pyrage")
    if locks.passphrase:
        # A passphrase alone is taken in one piece by the library: it closes a key, and the key closes the stream.
        own = age.x25519.Identity.generate()
        closed = age.passphrase.encrypt(str(own).encode(), locks.passphrase)
        out.write(PASSPHRASE + base64.b64encode(closed) + b"\n")
        recipients = [own.to_public()]
    else:
        recipients = [_recipient(age, text) for text in locks.recipients]
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as end, os.fdopen(writing, "wb") as begin:
        kept = _Kept(out)
        work = _Beside(lambda: age.encrypt_io(end, kept, recipients), end)
        try:
            yield begin
            begin.close()
        except BrokenPipeError:
            # Whoever reads our pipe is gone: why, is what counts.
            work.join()
            kept.check()
            work.check()
            raise
        finally:
            with suppress(OSError):
                begin.close()
            work.join()
        kept.check()
        work.check()


class _Kept:
    """A place that keeps its own trouble: the library tells it in words only."""

    def __init__(self, out: BytesWriter) -> None:
        self._out = out
        self._error: OSError | None = None

    def write(self, data: bytes, /) -> object:
        """Take all of them."""
        try:
            return self._out.write(data)
        except OSError as error:
            self._error = error
            raise

    def flush(self) -> None:
        """Nothing is held back here."""

    def check(self) -> None:
        """Raise what stopped it."""
        if self._error is not None:
            raise self._error


@contextmanager
def _open_decryptor(source: BytesReader, start: bytes, keys: BundleKeys) -> Iterator[BinaryIO]:
    age = _library("pyrage")
    identities = _identities(age, source, start, keys)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as end, os.fdopen(writing, "wb") as begin:
        work = _Beside(lambda: age.decrypt_io(source, begin, identities), begin)
        try:
            yield _Checked(end, work)  # type: ignore[misc]  # reads like a file
        finally:
            with suppress(OSError):
                end.close()
            work.join()


class _Checked:
    """What another thread writes; at its end, that thread's trouble is ours."""

    def __init__(self, end: BinaryIO, work: "_Beside") -> None:
        self._end, self._work = end, work

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        piece = self._end.read(size)
        if not piece:
            self._work.join()
            if self._work.error is not None:
                raise BadBundle(f"it does not decrypt ({self._work.error})") from self._work.error
        return piece


class _Beside:
    """Work in a thread of its own, whose end of a pipe is closed when it is over."""

    def __init__(self, work: Callable[[], object], end: BinaryIO) -> None:
        self.error: Exception | None = None
        self._work, self._end = work, end
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # told by whoever waits
            self.error = error
        with suppress(OSError):
            self._end.close()

    def join(self) -> None:
        """Wait until it is over."""
        self._thread.join()

    def check(self) -> None:
        """Raise what stopped it."""
        if self.error is not None:
            raise self.error


def _identities(age: Any, source: BytesReader, start: bytes, keys: BundleKeys) -> Sequence[Any]:
    if not start.startswith(PASSPHRASE):
        if not keys.identities:
            raise CannotDecrypt("and no identity was given")
        return [_identity(age, text) for text in keys.identities]
    if not keys.passphrase:
        raise CannotDecrypt("and no passphrase was given")
    source.read(len(PASSPHRASE))
    try:
        inner = age.passphrase.decrypt(base64.b64decode(_line(source)), keys.passphrase)
        return [age.x25519.Identity.from_str(inner.decode())]
    except (ValueError, age.DecryptError, age.IdentityError):
        raise CannotDecrypt("and the passphrase does not open it") from None


def _line(source: BytesReader) -> bytes:
    line = b""
    while len(line) < LONGEST_LINE and not line.endswith(b"\n"):
        piece = source.read(1)
        if not piece:
            raise BadBundle("it is cut short")
        line += piece
    return line


def _recipient(age: Any, text: str) -> Any:
    kind = age.ssh if text.startswith("ssh-") else age.x25519
    try:
        return kind.Recipient.from_str(text)
    except age.RecipientError:
        raise BadRecipient(text) from None


def _identity(age: Any, text: str) -> Any:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        if lines and lines[0].startswith("AGE-SECRET-KEY-"):
            return age.x25519.Identity.from_str(lines[0])
        return age.ssh.Identity.from_buffer(text.encode())
    except (age.IdentityError, ValueError):
        raise BadIdentity from None


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(name) from None
