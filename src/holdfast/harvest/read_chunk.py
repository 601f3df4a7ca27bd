"""One range of a transcript, read and redacted: the work that is done in many processes at once."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from json import JSONDecoder
from typing import Any, BinaryIO, NamedTuple, Protocol

from holdfast.harvest import claude_transcript, codex_transcript, gemini_transcript
from holdfast.harvest.transcript_lines import LONGEST, TranscriptLine, open_file, read_lines
from holdfast.harvest.transcript_pieces import Redactor, TranscriptPiece
from holdfast.redact import bulk_gate

READERS: Mapping[str, Callable[..., "RecordReader"]] = {
    "claude-code": claude_transcript.ClaudeReader,
    "codex": codex_transcript.CodexReader,
    "gemini": gemini_transcript.GeminiReader,
}
SHOWN = 100
LOOKS = 0.5


class RecordReader(Protocol):
    """Turns records of one client into pieces."""

    skipped_starts: tuple[bytes, ...]

    def read(self, record: dict[str, Any], at: int, after: int) -> Any:
        """What a record says."""


class ChunkTask(NamedTuple):
    """What to read: the lines of a file that begin in a range, with what is known before it."""

    client: str
    path: str
    start: int
    end: int
    first: int
    session: str
    agent: str
    private: int
    limits: tuple[tuple[str, int], ...]


class UnusableLine(NamedTuple):
    """A line that could not be used: which of the chunk, and why."""

    line: int
    why: str


class TranscriptChunk(NamedTuple):
    """What a range held. `after` is where the next line begins; an unfinished last line is not part of it."""

    pieces: list[TranscriptPiece]
    lines: int
    after: int
    broken: list[UnusableLine]
    damaged: int
    problem: str
    redacted: dict[str, int]


def read_chunk(task: ChunkTask) -> TranscriptChunk:
    """Read a range. Never raises for what a file holds."""
    redactor = Redactor(dict(task.limits), bulk_gate.bulk_suspects(), task.private)
    reader = READERS[task.client](redactor, redactor.id(task.session), redactor.id(task.agent))
    pieces: list[TranscriptPiece] = []
    broken: list[UnusableLine] = []
    lines, damaged, after = 0, 0, task.start
    try:
        with open_file(task.path) as file:
            if task.path.endswith(".json"):
                return _read_whole_file(reader, file, pieces)._replace(redacted=redactor.found)
            for line in read_lines(file, task.start, task.end, task.first):
                if not line.whole and not _is_object(line):
                    break
                lines += 1
                after = line.after
                why = _take_line(reader, line, pieces)
                if why:
                    damaged += 1
                    if len(broken) < SHOWN:
                        broken.append(UnusableLine(lines, why))
    except OSError as error:
        problem = error.strerror or str(error)
        return TranscriptChunk(pieces, lines, after, broken, damaged, problem, redactor.found)
    return TranscriptChunk(pieces, lines, after, broken, damaged, "", redactor.found)


def _read_whole_file(reader: RecordReader, file: BinaryIO, pieces: list[TranscriptPiece]) -> TranscriptChunk:
    """A file that is one document, as older clients wrote it."""
    raw = file.read(LONGEST + 1)
    line = TranscriptLine(0, len(raw), raw if len(raw) <= LONGEST else None, True)
    why = _take_line(reader, line, pieces)
    return TranscriptChunk(pieces, 1, len(raw), [UnusableLine(1, why)] if why else [], int(bool(why)), "", {})


def _take_line(reader: RecordReader, line: TranscriptLine, pieces: list[TranscriptPiece]) -> str:
    """Read one line; why it could not be used, or nothing."""
    if line.raw is None:
        return "it is longer than 64 MB"
    if line.raw.startswith(reader.skipped_starts) or not line.raw.strip():
        return ""
    record = decode_object(line.raw)
    if not isinstance(record, dict):
        return record if isinstance(record, str) else "it is no JSON object"
    try:
        pieces.extend(reader.read(record, line.at, line.after))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        return f"its form is not known ({type(error).__name__})"
    return ""


def decode_object(raw: bytes) -> dict[str, Any] | str | None:
    """The JSON object in some bytes; else why there is none, or None for JSON of another kind."""
    if _fast is not None:
        try:
            quick = _fast(raw)
            return quick if isinstance(quick, dict) else None
        except (ValueError, RecursionError):
            # It is stricter than clients are; and only json says why.
            pass
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
    try:
        found = _DECODER.decode(text)
    except RecursionError:
        return "it is nested too deep"
    except ValueError:
        return "it is no JSON"
    return found if isinstance(found, dict) else None


def _is_object(line: TranscriptLine) -> bool:
    """Whether a line without an end is whole nevertheless: half an object never is one."""
    return line.raw is not None and isinstance(decode_object(line.raw), dict)


def _no_constant(_: str) -> None:
    """NaN and Infinity are no JSON; nothing stands for them."""


def _fast_decoder() -> Callable[[bytes], Any] | None:
    try:
        decode: Callable[[bytes], Any] = import_module("msgspec.json").decode
    except ImportError:
        return None
    return decode


_fast = _fast_decoder()
_DECODER = JSONDecoder(strict=False, parse_constant=_no_constant)


def begin_worker(parent: int, locks: tuple[int, ...]) -> None:
    """Leave Ctrl-C to the process that started this one, and live no longer than it.

    Locks that were inherited are let go: they are the parent's, and must fall with it.
    """
    for lock in locks:
        os.close(lock)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Records have no cycles: looking for some costs, and finds none.
    gc.disable()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKS)
    os._exit(1)
