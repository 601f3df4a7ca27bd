"""OpenCode's database: sessions, their messages, and the parts of these. Opened so that nothing of it is changed."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import apsw

from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.transcript_pieces import (
    Redactor,
    TranscriptPiece,
    encode_field,
    encode_fields,
    object_in,
    text_in,
    words_key,
)
from holdfast.harvest.transcript_reader import TranscriptReader

SKIPPED = frozenset({
    "reasoning", "step-start", "step-finish", "snapshot", "patch", "file", "agent", "retry",
})  # fmt: skip
BUSY_MS = 2000
_SESSIONS = "SELECT id, directory, parent_id, time_created, time_updated, agent FROM session ORDER BY time_created, id"
_MESSAGES = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT id, time_created, data FROM part WHERE message_id = ? ORDER BY id"
_ENDS = frozenset({"stop", "length", "content-filter", "end_turn", "other"})


class OpenCodeSession(NamedTuple):
    """A session as the database lists it; times in milliseconds."""

    id: str
    directory: str
    parent: str
    since: int
    changed: int
    agent: str


def find_opencode_folder(env: Mapping[str, str]) -> str:
    """Where OpenCode keeps its databases."""
    data = env.get("XDG_DATA_HOME") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".local/share")
    return os.path.join(data, "opencode")


def find_databases(folder: str) -> list[str]:
    """The databases in OpenCode's folder: one, and one more for each channel that is not the release."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.startswith("opencode") and name.endswith(".db")]


class OpenCodeDatabase:
    """An open database. Raises apsw.Error where it is none, or not OpenCode's."""

    def __init__(self, path: str) -> None:
        quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        # With a log, somebody may be writing: read beside them. Without one, the file alone is all there is.
        how = "readonly_shm=1" if _file_size(f"{path}-wal") else "immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        self._db = apsw.Connection(f"file:{quoted}?mode=ro&{how}", flags=flags)
        self._db.set_busy_timeout(BUSY_MS)

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def sessions(self) -> list[OpenCodeSession]:
        """All sessions, oldest first."""
        return [
            OpenCodeSession(str(a), str(b or ""), str(c or ""), _int_or_zero(d), _int_or_zero(e), str(f or ""))
            for a, b, c, d, e, f in self._db.execute(_SESSIONS)
        ]

    def messages(self, session: str) -> Iterator[tuple[str, int, str, list[tuple[str, int, str]]]]:
        """The messages of a session with their parts. No transaction stays open between them."""
        rows = self._db.execute(_MESSAGES, (session,)).fetchall()
        for identity, created, data in rows:
            parts = self._db.execute(_PARTS, (identity,)).fetchall()
            yield (
                str(identity),
                _int_or_zero(created),
                str(data),
                [(str(a), _int_or_zero(b), str(c)) for a, b, c in parts],
            )


class OpenCodeReader(TranscriptReader):
    """Turns messages into pieces. `broken` are those whose JSON is none."""

    def __init__(self, redactor: Redactor, session: str) -> None:
        super().__init__(redactor, session)
        self.broken: list[str] = []
        self._turn = ""

    def read(
        self, identity: str, created: int, data: str, parts: list[tuple[str, int, str]]
    ) -> Iterator[TranscriptPiece]:
        """What a message says; nothing of one that is still being written."""
        message = self._object(data, identity)
        if message is None:
            return
        held = [(name, at, found) for name, at, text in parts if (found := self._object(text, name)) is not None]
        role = text_in(message, "role")
        base = TranscriptPiece(
            kind=of.NODE, at=0, after=0, ts=iso_time(created), session=self.session, id=identity, group=identity
        )
        if role == "user":
            self._turn = self.redact.id(identity)
            yield from self._user(held, base._replace(turn=self._turn))
        elif role == "assistant":
            turn = self.redact.id(text_in(message, "parentID")) or self._turn
            yield from self._assistant(message, held, base._replace(turn=turn))
        else:
            yield self._other(role or "message", message, base)

    def is_open(self, data: str) -> bool:
        """Whether a message is still being written."""
        message = self._object(data, "")
        if message is None or text_in(message, "role") != "assistant":
            return False
        return not object_in(message, "time").get("completed") and not message.get("error")

    def _user(self, parts: list[tuple[str, int, dict[str, Any]]], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        texts = [
            text_in(part, "text") for _, _, part in parts if part.get("type") == "text" and not part.get("synthetic")
        ]
        text = "\n".join(filter(None, texts))
        for name, at, part in parts:
            if part.get("type") == "compaction":
                yield base._replace(
                    kind=of.CUT,
                    id=name,
                    ts=iso_time(at),
                    body=encode_fields({"trigger": "auto" if part.get("auto") else "manual"}),
                )
            elif part.get("type") == "text" and part.get("synthetic"):
                words = str(self.redact.value("output", text_in(part, "text"))).strip()
                if words:
                    made = base._replace(kind=of.FOREIGN, id=name, name="synthetic", turn="")
                    yield made._replace(words=words_key(words), body=encode_field("prompt", words))
        if text.strip():
            yield self._prompt(text, base)

    def _assistant(
        self, message: dict[str, Any], parts: list[tuple[str, int, dict[str, Any]]], base: TranscriptPiece
    ) -> Iterator[TranscriptPiece]:
        stop = of.ENDS if text_in(message, "finish") in _ENDS else of.GOES_ON
        model = self.redact.id(message.get("modelID"))
        texts = [
            (name, at, part) for name, at, part in parts if part.get("type") == "text" and text_in(part, "text").strip()
        ]
        for name, at, part in parts:
            kind = text_in(part, "type")
            if kind == "tool":
                yield from self._tool(name, at, part, base)
            elif kind == "text" and stop == of.GOES_ON and text_in(part, "text").strip():
                yield self._text(text_in(part, "text"), base._replace(id=name, ts=iso_time(at), stop=stop, name=model))
            elif kind and kind != "text" and kind not in SKIPPED:
                yield self._other(kind, part, base._replace(id=name, ts=iso_time(at)))
        if texts and stop == of.ENDS:
            # As the hook hears them: all words of the last message at once.
            joined = "\n".join(text_in(part, "text") for _, _, part in texts)
            yield self._text(joined, base._replace(ts=iso_time(texts[-1][1]), stop=stop, name=model))

    def _tool(self, name: str, at: int, part: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        state = object_in(part, "state")
        call = self.redact.id(part.get("callID")) or self.redact.id(name)
        made = base._replace(call=call, id=name, ts=iso_time(at))
        yield self._call(part.get("tool"), state.get("input"), made)
        status = state.get("status")
        ended = object_in(state, "time").get("end")
        made = made._replace(ts=iso_time(ended) if isinstance(ended, int) else made.ts)
        if status == "completed":
            yield made._replace(
                kind=of.RESULT, body=encode_field("output", self.redact.value("output", state.get("output")))
            )
        elif status == "error":
            error = self.redact.value("error", state.get("error"))
            yield made._replace(kind=of.RESULT, failed=True, body=encode_field("error", error))

    def _object(self, text: str, name: str) -> dict[str, Any] | None:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        if name:
            self.broken.append(name)
        return None


def iso_time(milliseconds: int) -> str:
    """A time in milliseconds as text; empty where there is none."""
    try:
        found = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z" if milliseconds > 0 else ""


def _int_or_zero(value: object) -> int:
    return value if isinstance(value, int) else 0


def _file_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
