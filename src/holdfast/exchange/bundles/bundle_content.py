"""What goes into a bundle: files and events, each through redaction once more; and what stays out."""

import io
import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from holdfast.config.settings import SETTINGS
from holdfast.config.toml_file import BrokenSettings, read_file
from holdfast.core.errors import HoldfastError
from holdfast.core.event import JournalRecord
from holdfast.core.run import ELSEWHERE
from holdfast.core.value import Value
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.write_bundle import BundleWriter
from holdfast.redact import bulk_gate
from holdfast.redact.clean import clean
from holdfast.system.safe_write import TEMPORARY
from holdfast.workspace import Progress

MOST_WHOLE = 64 << 20
IN_MEMORY = 4 << 20
PART = 4 << 20
OURS = "holdfast"
IMPORTED = "imported"
# Events without words of a conversation: that a session began or ended, and what Holdfast itself noted.
BARE = frozenset({"session_start", "session_end"})
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DUMP = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False)


class ExportableFile(Value):
    """A file that would go: its path below the scope's folder, and its kind."""

    path: str
    kind: str


def list_exportable_files(root: str) -> Iterator[ExportableFile]:
    """Every file of a scope's folder that bundles know, in order; hidden ones and links are passed over."""
    for top in ("memory", "candidates", *bundle_paths.RECORD_FOLDERS):
        yield from _list_below(root, top)
    for path in (*bundle_paths.RECORD_FILES, bundle_paths.CONFIG_FILE):
        if os.path.isfile(os.path.join(root, path)) and not os.path.islink(os.path.join(root, path)):
            yield ExportableFile(path=path, kind=bundle_paths.kind_of(path))


def _list_below(root: str, folder: str) -> Iterator[ExportableFile]:
    try:
        with os.scandir(os.path.join(root, folder)) as inside:
            entries = sorted(inside, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        path = f"{folder}/{entry.name}"
        if entry.name.startswith((".", TEMPORARY)):
            continue
        if entry.is_dir(follow_symlinks=False):
            # A run of another machine is that one's to give.
            if not os.path.lexists(os.path.join(entry.path, ELSEWHERE)):
                yield from _list_below(root, path)
        elif entry.is_file(follow_symlinks=False) and (kind := bundle_paths.kind_of(path)):
            yield ExportableFile(path=path, kind=kind)


class BundlePacker:
    """Files and events on their way into a bundle."""

    def __init__(self, writer: BundleWriter, progress: Progress | None = None) -> None:
        self._writer, self._progress = writer, progress
        self._suspects = bulk_gate.bulk_suspects()
        self._names: set[str] = set()

    def add_file(self, scope: str, root: str, found: ExportableFile, *, foreign: bool = False) -> bytes | None:
        """One file, redacted; its bytes where it holds memories, so that who asks need not read it again."""
        path = f"{scope}/{found.path}"
        with SpooledTemporaryFile(max_size=IN_MEMORY) as cleaned:
            try:
                bundle_paths.check_path(path, found.kind)
                self._require_unlike(path)
                mtime = self._copy(os.path.join(root, found.path), found, cleaned)
            except (OSError, ValueError, HoldfastError) as error:
                reason = error.strerror if isinstance(error, OSError) else ""
                self._writer.leave(path, reason or str(error))
                return None
            size = cleaned.tell()
            cleaned.seek(0)
            self._writer.add(path, found.kind, cleaned, size, mtime=mtime, foreign=foreign)
            if found.kind not in {bundle_paths.MEMORY, bundle_paths.CANDIDATE}:
                return None
            cleaned.seek(0)
            return cleaned.read()

    def add_bytes(self, path: str, kind: str, data: bytes) -> None:
        """A file of our own making."""
        self._writer.add(path, kind, io.BytesIO(data), len(data))

    def add_events(
        self, scope: str, journal: Iterator[JournalRecord], *, words: bool, total: int, sessions: Collection[str]
    ) -> dict[str, str]:
        """The events of a journal of so many bytes, in parts that fit in memory; the last one of some sessions."""
        last: dict[str, str] = {}
        part, lines, size, done = 0, [], 0, 0
        for record in journal:
            if record.kind != "event" or not (words or _is_bare(record)):
                continue
            line = self._event_line(record)
            if (session := str(record.data.get("session", ""))) in sessions:
                last[session] = record.id
            lines.append(line)
            size += len(line)
            if size >= PART:
                done += size
                part, lines, size = self._part(scope, part, lines), [], 0
                if self._progress:
                    self._progress("exporting", min(done, total), total)
        if lines:
            self._part(scope, part, lines)
        return last

    def _require_unlike(self, path: str) -> None:
        # Readers refuse such a pair, whatever disk they have.
        folded = bundle_paths.fold_path(path)
        if folded in self._names:
            raise ValueError("another file has the same name where case does not count")
        self._names.add(folded)

    def _part(self, scope: str, part: int, lines: list[bytes]) -> int:
        self.add_bytes(f"{scope}/journal/{part + 1:08d}.jsonl", bundle_paths.JOURNAL, b"".join(lines))
        return part + 1

    def _event_line(self, record: JournalRecord) -> bytes:
        data = record.data.get("data")
        data = dict(data) if isinstance(data, Mapping) else {}
        came = data.get(IMPORTED)
        own = str(came["id"]) if isinstance(came, Mapping) and "id" in came else record.id
        row = {name: str(record.data.get(name, "")) for name in ("client", "session", "name", "key")}
        held = {"id": own, "ts": record.ts, **row, "data": self._clean(data)}
        return _DUMP.encode(held).encode() + b"\n"

    def _copy(self, path: str, found: ExportableFile, out: IO[bytes]) -> int:
        """A file's words, redacted, into another; when it was last changed."""
        with os.fdopen(os.open(path, _READ), "rb") as file:
            seen = os.fstat(file.fileno())
            if not stat.S_ISREG(seen.st_mode):
                raise ValueError("no plain file")
            if found.kind == bundle_paths.CONFIG:
                out.write(_filter_settings(path))
            elif found.path.endswith(bundle_paths.LINES):
                for line in file:
                    out.write(self._line(line))
            elif seen.st_size > MOST_WHOLE:
                raise ValueError(f"more than {MOST_WHOLE:,} bytes")
            else:
                out.write(self._text(file.read()))
        return int(seen.st_mtime)

    def _line(self, line: bytes) -> bytes:
        """A line of JSON without secrets; the very same where there are none."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return self._text(line)
        bare = self._clean(value)
        return line if bare is value else _DUMP.encode(bare).encode() + b"\n"

    def _text(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        bare = self._clean(text)
        return data if bare is text else str(bare).encode("utf-8", "surrogateescape")

    def _clean(self, value: Any) -> Any:
        cleaned = clean(value, suspects=self._suspects)
        self._writer.redaction.update(cleaned.found)
        return cleaned.value


def _is_bare(record: JournalRecord) -> bool:
    return record.data.get("client") == OURS or record.data.get("name") in BARE


def _filter_settings(path: str) -> bytes:
    """Of a settings file, what a repository may set."""
    try:
        pairs = read_file(path)
    except BrokenSettings:
        return b""
    kept = {key: value for key, value in pairs.items() if key in SETTINGS and SETTINGS[key].harmless}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in sorted(kept.items())).encode()
