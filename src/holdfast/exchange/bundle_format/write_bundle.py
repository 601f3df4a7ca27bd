"""Writing a bundle: one file after the other, each with its sum; the manifest and the seal at the end."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from holdfast.exchange.bundle_format import bundle_paths, tar_stream
from holdfast.exchange.bundle_format.bundle_values import HEAD, MANIFEST, SEAL, BundleManifest, FileRow, Head
from holdfast.exchange.bundle_format.compression import BundleRecipients, open_packer
from holdfast.exchange.bundle_format.seal import seal
from holdfast.exchange.bundle_format.tar_stream import BytesReader, BytesWriter, Member

LONG = "long"
MOST_LEFT_OUT, LONGEST_LEFT_OUT = 1000, 200


class HashingWriter:
    """A place for bytes that knows their number and sum."""

    def __init__(self, out: BytesWriter) -> None:
        self._out, self._sum = out, sha256()
        self.count = 0

    def write(self, data: bytes, /) -> int:
        """Take all of them."""
        self._out.write(data)
        self._sum.update(data)
        self.count += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back here."""

    @property
    def sha256(self) -> str:
        """The sum of all that came."""
        return self._sum.hexdigest()


class BundleWriter:
    """A bundle in the making. What is added is on its way at once; nothing of it is kept."""

    def __init__(self, out: BytesWriter, head: Head) -> None:
        self._out, self._head = out, head
        self._rows: list[FileRow] = []
        self._left = 0
        self.counts: Counter[str] = Counter()
        self.redaction: Counter[str] = Counter()
        self.left_out: list[Mapping[str, str]] = []
        self._plain(HEAD, _json(head.to_json()))

    def add(self, path: str, kind: str, data: BytesReader, size: int, *, mtime: int = 0, foreign: bool = False) -> None:
        """A file of so many bytes."""
        name = path if tar_stream.fits_header(path) else f"{LONG}/{len(self._rows):08d}"
        mtime = min(max(mtime, 0), tar_stream.MOST)
        self._out.write(tar_stream.build_header(Member(name=name, size=size, mtime=mtime)))
        held, left = sha256(), size
        while left:
            piece = data.read(min(left, tar_stream.PIECE))
            if not piece:
                raise ValueError(path)
            self._out.write(piece)
            held.update(piece)
            left -= len(piece)
            if kind == bundle_paths.JOURNAL:
                self.counts[bundle_paths.EVENTS] += piece.count(b"\n")
        if kind in bundle_paths.COUNTED:
            self.counts[kind] += 1
        self._out.write(tar_stream.pad_block(size))
        shown = "" if name == path else name
        row = FileRow(
            path=path, kind=kind, size=size, sha256=held.hexdigest(), mtime=mtime, name=shown, foreign=foreign
        )  # fmt: skip
        self._rows.append(row)

    def leave(self, path: str, reason: str) -> None:
        """A file that stays out, and why; of very many the first."""
        self._left += 1
        if self._left <= MOST_LEFT_OUT:
            self.left_out.append({"path": path[:LONGEST_LEFT_OUT], "reason": reason[:LONGEST_LEFT_OUT]})

    def finish(self, key: bytes) -> BundleManifest:
        """The manifest, the seal and the end."""
        head = self._head
        if self._left > MOST_LEFT_OUT:
            self.left_out.append({"path": "…", "reason": f"{self._left - MOST_LEFT_OUT:,} files more"})
        manifest = BundleManifest(
            id=head.id, created=head.created, workspace=head.workspace, scopes=head.scopes, contains=head.contains,
            counts=dict(self.counts), redaction=dict(self.redaction), left_out=tuple(self.left_out),
            files=tuple(self._rows),
        )  # fmt: skip
        told = _json(manifest.to_json())
        self._plain(MANIFEST, told)
        self._plain(SEAL, seal(told, key))
        self._out.write(tar_stream.ZEROS * 2)
        return manifest

    def _plain(self, name: str, data: bytes) -> None:
        self._out.write(tar_stream.build_header(Member(name=name, size=len(data), mtime=0)))
        self._out.write(data + tar_stream.pad_block(len(data)))


@contextmanager
def open_bundle_writer(out: BytesWriter, head: Head, locks: BundleRecipients) -> Iterator[BundleWriter]:
    """A bundle that goes to a place as it is written."""
    with open_packer(out, locks) as packed:
        yield BundleWriter(packed, head)


def _json(value: Mapping[str, Any] | Sequence[Any]) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
