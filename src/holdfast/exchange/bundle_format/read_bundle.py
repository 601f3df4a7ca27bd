"""Reading a bundle: everything into a folder of our own, under numbers, checked whole before anybody uses it."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from holdfast.core.value import Value
from holdfast.exchange.bundle_format import bundle_paths, tar_stream
from holdfast.exchange.bundle_format.bundle_values import (
    FORMAT,
    HEAD,
    MANIFEST,
    SEAL,
    VERSION,
    BadBundle,
    BundleLimits,
    BundleManifest,
    FileRow,
    FutureVersion,
    NoBundle,
    TooMuch,
    UnsafeBundle,
)
from holdfast.exchange.bundle_format.compression import BundleKeys, open_unpacker
from holdfast.exchange.bundle_format.seal import verify_seal
from holdfast.exchange.bundle_format.tar_stream import BytesReader, Member

# How long the small files may be, the manifest by the number of files that came.
MOST_HEAD, MOST_PLAIN, MOST_ROW = 1 << 16, 4 << 20, 8 << 10
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ROW = {"path": str, "kind": str, "size": int, "sha256": str, "mtime": int, "name": str, "foreign": bool}


class Unpacked(Value):
    """A bundle in a folder: its manifest, where each file lies, whether a key of ours proves it."""

    manifest: BundleManifest
    places: Mapping[str, str]
    proven: bool


def unpack(
    source: BytesReader, folder: str, keys: BundleKeys, seals: tuple[bytes, ...], limits: BundleLimits
) -> Unpacked:
    """Unpack all of a bundle into a folder, or raise; nothing in it counts before this returns."""
    with open_unpacker(source, keys, limits) as inner:
        found = _Unpacking(folder, limits)
        for member, pieces in tar_stream.read_members(inner):
            found.take(member, pieces)
    return found.checked(seals)


class _Staged(Value):
    """A file that came: where it lies, its size, its sum and the number of its lines."""

    place: str
    size: int
    sha256: str
    lines: int = 0


class _Unpacking:
    """What came so far."""

    def __init__(self, folder: str, limits: BundleLimits) -> None:
        self._folder, self._limits = folder, limits
        self._staged: dict[str, _Staged] = {}
        self._own: dict[str, bytes] = {}

    def take(self, member: Member, pieces: Iterator[bytes]) -> None:
        """The next file."""
        if SEAL in self._own:
            raise BadBundle("something follows its seal")
        if not self._own and member.name != HEAD:
            raise NoBundle
        if member.name in self._own or member.name in self._staged:
            raise UnsafeBundle(f"the name {member.name[:120]!r} comes twice")
        if member.name in {HEAD, MANIFEST, SEAL}:
            self._take_own(member, pieces)
        else:
            self._stage(member, pieces)

    def _take_own(self, member: Member, pieces: Iterator[bytes]) -> None:
        most = MOST_HEAD
        if member.name == MANIFEST:
            most = min(self._limits.manifest_bytes, MOST_PLAIN + MOST_ROW * len(self._staged))
        if member.size > most:
            raise TooMuch(f"its {member.name} has {member.size:,} bytes", "share.most_files")
        if member.name == SEAL and MANIFEST not in self._own:
            raise BadBundle("it has no manifest")
        self._own[member.name] = b"".join(pieces)
        if member.name == HEAD:
            _check_version(_object(self._own[HEAD], HEAD))

    def _stage(self, member: Member, pieces: Iterator[bytes]) -> None:
        if MANIFEST in self._own:
            raise BadBundle("a file follows its manifest")
        if len(self._staged) >= self._limits.files:
            raise TooMuch(f"it holds more than {self._limits.files:,} files", "share.most_files")
        if member.size > self._limits.file_bytes:
            raise TooMuch(f"{member.name[:120]!r} has {member.size:,} bytes", "share.most_file_mb")
        place = os.path.join(self._folder, f"{len(self._staged):08d}")
        held, lines = sha256(), 0
        with os.fdopen(os.open(place, _NEW, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
                held.update(piece)
                lines += piece.count(b"\n")
        self._staged[member.name] = _Staged(place=place, size=member.size, sha256=held.hexdigest(), lines=lines)

    def checked(self, seals: tuple[bytes, ...]) -> Unpacked:
        """The bundle, if it is whole and all of it is as the manifest says."""
        if SEAL not in self._own:
            raise BadBundle("it has no seal")
        raw = self._own[MANIFEST]
        told = _object(raw, MANIFEST)
        _check_version(told)
        manifest = _manifest(told)
        if told.get("id") != _object(self._own[HEAD], HEAD).get("id"):
            raise BadBundle("its head and its manifest are of two bundles")
        places = {row.path: self._place(row) for row in manifest.files}
        if len(places) != len(manifest.files) or len(places) != len(self._staged):
            raise BadBundle("it holds files that its manifest does not name, or one twice")
        bundle_paths.check_distinct(places)
        self._check_counts(manifest)
        return Unpacked(
            manifest=manifest, places=places, proven=any(verify_seal(self._own[SEAL], raw, key) for key in seals)
        )

    def _check_counts(self, manifest: BundleManifest) -> None:
        """What a bundle says it holds is what it holds: people decide by it."""
        found = Counter(row.kind for row in manifest.files if row.kind in bundle_paths.COUNTED)
        journal = [self._staged[row.name or row.path] for row in manifest.files if row.kind == bundle_paths.JOURNAL]
        found[bundle_paths.EVENTS] = sum(each.lines for each in journal)
        told = {kind: number for kind, number in manifest.counts.items() if number}
        if told != {kind: number for kind, number in found.items() if number}:
            raise BadBundle("it holds another number of things than it says")

    def _place(self, row: FileRow) -> str:
        bundle_paths.check_path(row.path, row.kind)
        staged = self._staged.get(row.name or row.path)
        if staged is None:
            raise BadBundle(f"{row.path[:120]!r} is missing")
        if (staged.size, staged.sha256) != (row.size, row.sha256):
            raise BadBundle(f"{row.path[:120]!r} has a bad sum")
        return staged.place


def _object(raw: bytes, name: str) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadBundle(f"its {name} is no JSON") from None
    if not isinstance(found, dict):
        raise BadBundle(f"its {name} is no object")
    return found


def _check_version(told: Mapping[str, Any]) -> None:
    version = told.get("version")
    if told.get("format") != FORMAT or type(version) is not int:
        raise NoBundle
    if version > VERSION:
        raise FutureVersion(version)


def _manifest(told: Mapping[str, Any]) -> BundleManifest:
    try:
        return BundleManifest(
            id=str(told["id"])[:200], created=str(told["created"])[:200],
            workspace={str(name): str(held)[:200] for name, held in told["workspace"].items()},
            scopes=tuple(map(str, told["scopes"])), contains=tuple(map(str, told["contains"])),
            counts=_numbers(told["counts"]), redaction=_numbers(told["redaction"]), left_out=(),
            files=tuple(_row(row) for row in told["files"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadBundle("its manifest is not in our form") from None


def _numbers(table: Mapping[str, Any]) -> dict[str, int]:
    if any(type(number) is not int or number < 0 for number in table.values()):
        raise TypeError
    return {str(name)[:200]: number for name, number in table.items()}


def _row(row: Any) -> FileRow:
    if not isinstance(row, dict):
        raise TypeError
    held = {name: row[name] for name in _ROW if name in row}
    if any(type(value) is not _ROW[name] for name, value in held.items()):
        raise TypeError
    found = FileRow(**held)
    if not (0 <= found.size <= tar_stream.MOST and 0 <= found.mtime <= tar_stream.MOST):
        raise ValueError
    return found
