"""The pieces of one transcript, woven into events: calls and results, words that end a turn, what follows what."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from holdfast.clients.payload import hash_json, is_unique_id, key_of
from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.claude_transcript import SIDE
from holdfast.harvest.hook_events import MARK, SessionHookEvents, parse_seconds
from holdfast.harvest.transcript_pieces import TranscriptPiece, encode_field

MOST_NODES = 50_000
MOST_PENDING = 500
FARTHEST = 8 * 1024 * 1024
# A hook comes within moments of what the transcript says; what has no key of the hook's waits so long for it.
SETTLES = 20.0
_EVENTS = {
    "session_start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "answer": "Stop",
    "before_tool": "PreToolUse",
    "after_tool": "PostToolUse",
    "tool_failed": "PostToolUseFailure",
}
# These say of a payload all that its hook's key is made of.
_KEYED = frozenset({"claude-code", "codex", "opencode"})
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_TURNS = frozenset({of.PROMPT, of.TEXT, of.CALL, of.CUT, of.FOREIGN, of.OTHER})


class HarvestedEvent(NamedTuple):
    """An event for the journal: its key, its time, its name, and its record as JSON."""

    key: str
    ts: str
    name: str
    body: bytes


class _ThreadPlace(NamedTuple):
    """Where a record stands: the turn it is or hangs on, the turn before that, and its thread."""

    ref: str
    before: str
    thread: str


class TranscriptSource(NamedTuple):
    """What is known of a transcript besides its lines."""

    client: str
    session: str
    path: str
    cwd: str = ""
    agent: str = ""
    agent_type: str = ""
    parent: str = ""


class EventAssembler:
    """Takes pieces in the order of the file. `state` is what an earlier reading left."""

    def __init__(
        self, source: TranscriptSource, heard: SessionHookEvents, state: Mapping[str, Any], now: float
    ) -> None:
        self.source = source
        self.hook_events = heard
        self.now = now
        self.offset = int(state.get("offset", 0))
        self.private = int(state.get("private", 0))
        self.entries: list[HarvestedEvent] = []
        self.known = 0
        self.waits = False
        self._turn = str(state.get("turn", ""))
        self._model = str(state.get("model", ""))
        self._started = bool(state.get("started")) or heard.started or bool(source.agent and not source.parent)
        self._ts = str(state.get("ts", ""))
        self._last: OrderedDict[str, str] = OrderedDict(state.get("last", {}))
        self._knots: OrderedDict[str, _ThreadPlace] = OrderedDict()
        for uuid, knot in state.get("knots", {}).items():
            self._knots[uuid] = _ThreadPlace(*knot)
        self._pending: dict[str, TranscriptPiece] = {}
        self._held: dict[str, TranscriptPiece] = {}
        self._mark: dict[str, Any] | None = None
        self._rewound: str | None = None
        self._groups: OrderedDict[str, str] = OrderedDict()
        self._aliases: OrderedDict[str, str] = OrderedDict()
        self._session = source.session
        self._ways: Mapping[str, Callable[[TranscriptPiece, str], None]] = {
            of.PROMPT: self._prompt,
            of.TEXT: self._text,
            of.CALL: self._call,
            of.RESULT: self._result,
            of.CUT: self._cut,
            of.FOREIGN: self._foreign,
            of.OTHER: self._other,
            of.REWIND: self._rewind,
        }

    # What comes in

    def take(self, pieces: Iterable[TranscriptPiece]) -> list[HarvestedEvent]:
        """Weave some pieces in; the events that they complete."""
        for piece in pieces:
            if self.waits:
                break
            self._take(piece)
        made, self.entries = self.entries, []
        return made

    def finish(
        self, quiet_for: float, *, words_after: float = 30.0, calls_after: float = 3600.0
    ) -> list[HarvestedEvent]:
        """The end of the file, as far as it goes: what still waits is taken if nothing was written for long.

        A call without a result is told soon, for its session may have been killed, and waits on: a result may come.
        """
        if not self.waits:
            if words_after <= quiet_for < calls_after:
                for call, piece in self._pending.items():
                    self._ask(call, piece)
            if quiet_for >= words_after and not self._pending:
                for piece in list(self._held.values()):
                    self._speak(piece, ends=True)
            if quiet_for >= calls_after:
                self._give_up()
                for piece in list(self._held.values()):
                    self._speak(piece, ends=True)
            self._unmark()
        made, self.entries = self.entries, []
        return made

    def state(self) -> dict[str, Any]:
        """Where the next reading begins, and what it must know."""
        return self._mark if self._mark is not None else self._snapshot(self.offset)

    def _take(self, piece: TranscriptPiece) -> None:
        if piece.ts:
            self._ts = _stamp(piece.ts) or self._ts
        if self._too_young(piece):
            self.waits = True
            self._hold(piece)
            return
        if not self._started and (piece.ts or piece.kind == of.START):
            self._start(piece)
        if piece.turn and (not piece.thread or self.source.agent):
            self._turn = piece.turn
        thread = self._thread(piece)
        if piece.kind in _TURNS:
            self._speak_held(thread, ends=piece.kind == of.PROMPT)
        self._ways.get(piece.kind, self._node)(piece, thread)
        self.offset = piece.after
        if self._mark and piece.after - int(self._mark["offset"]) > FARTHEST:
            self._give_up()
        self._unmark()

    # Kinds of pieces

    def _start(self, piece: TranscriptPiece) -> None:
        self._started = True
        name = "subagent_start" if self.source.parent else "session_start"
        body = [
            encode_field("source", "startup"),
            encode_field("cwd", self.source.cwd),
            encode_field("transcript", self.source.path),
        ]
        body += [piece.body] if piece.kind == of.START and piece.body else []
        key = self._live_key(name, {"source": "startup"}) if self.source.client in {"claude-code", "codex"} else ""
        self._emit(name, key or self._key(name, ["start"]), [*body, *self._kin()])

    def _prompt(self, piece: TranscriptPiece, thread: str) -> None:
        self._give_up(thread)
        self.private = piece.private
        turn = piece.turn or self._turn
        told = self.hook_events.prompt(piece.turn, piece.words, self._ts)
        name = "subagent_prompt" if self.source.parent else "prompt"
        live = self._live_key(name, {"turn": turn, "prompt": piece.raw}, piece.id)
        self._turned(piece, thread, told, name, piece.body, live)

    def _text(self, piece: TranscriptPiece, thread: str) -> None:
        agent = thread or self.source.parent
        told = self.hook_events.answer(piece.turn or self._turn, piece.words, self._ts, agent)
        if told:
            self._turned(piece, thread, told, "answer", b"")
        elif piece.stop == of.UNKNOWN:
            self._hold(piece)
            self._held[thread] = piece
            self._follow(piece, thread, _placeholder(piece))
        else:
            self._say(piece, thread, ends=piece.stop == of.ENDS)

    def _speak_held(self, thread: str, *, ends: bool) -> None:
        piece = self._held.get(thread)
        if piece is not None:
            self._speak(piece, ends=ends)

    def _speak(self, piece: TranscriptPiece, *, ends: bool) -> None:
        """Words that waited: now it is known whether they were the last of their turn."""
        thread = self._thread(piece)
        del self._held[thread]
        ts, self._ts = self._ts, _stamp(piece.ts) or self._ts
        ref = self._said(piece, thread, ends=ends)
        self._ts = ts
        self._aliases[_placeholder(piece)] = ref
        _drop_oldest(self._aliases, 1000)
        if self._last.get(thread) == _placeholder(piece):
            self._last[thread] = ref

    def _say(self, piece: TranscriptPiece, thread: str, *, ends: bool) -> None:
        self._follow(piece, thread, self._said(piece, thread, ends=ends))

    def _said(self, piece: TranscriptPiece, thread: str, *, ends: bool) -> str:
        turn = piece.turn or self._turn
        about = [encode_field("model", piece.name or self._model)] if piece.name or self._model else []
        about += self._about(piece, thread)
        if not ends:
            key = self._own_key("message", piece)
            self._emit("message", key, [piece.body, *about])
            return key
        body = b'"answer":' + piece.body.removeprefix(b'"text":')
        if thread or self.source.parent:
            key = self._live_key("subagent_stop", {"turn": turn, "answer": piece.raw}, piece.group)
            key = key or self._own_key("subagent_stop", piece)
            self._emit("subagent_stop", key, [body, *about])
            return key
        key = self._live_key("answer", {"turn": turn, "answer": piece.raw}, piece.group) or self._own_key(
            "answer", piece
        )
        self._emit("answer", key, [body, *about])
        return key

    def _call(self, piece: TranscriptPiece, thread: str) -> None:
        self._hold(piece)
        if len(self._pending) >= MOST_PENDING:
            self._give_up()
        self._pending[piece.call] = piece._replace(thread=thread, turn=piece.turn or self._turn)
        ref = f"@{piece.call}"
        if piece.group:
            self._groups[ref] = piece.group
            _drop_oldest(self._groups, 1000)
        self._follow(piece, thread, ref)

    def _result(self, piece: TranscriptPiece, thread: str) -> None:
        call = self._pending.pop(piece.call, None)
        name = "tool_failed" if piece.failed else "after_tool"
        words, tool = (call.words, call.name) if call else (b"", "")
        told = self.hook_events.tool(piece.call, tool, words, self._ts, telling=is_unique_id(piece.call))
        if told:
            self.known += 1
        else:
            turn = (call.turn if call else "") or piece.turn or self._turn
            identity = piece.id if piece.failed and self.source.client == "opencode" else piece.call
            live = self._live_key(name, {"turn": turn, "call": piece.call}, identity)
            key = live or self._key(name, [piece.call, piece.id or piece.ts])
            about = self._about(piece._replace(turn=turn), call.thread if call else thread)
            parts = [encode_field("tool", tool), call.body] if call else []
            self._emit(name, key, [*parts, piece.body, encode_field("call", piece.call), *about])
        self._knot(piece, _ThreadPlace(f"@{piece.call}", "", thread))

    def _give_up(self, thread: str | None = None) -> None:
        """Calls that get no result any more: what was asked for is kept."""
        for call, piece in list(self._pending.items()):
            if thread is None or piece.thread == thread:
                del self._pending[call]
                self._ask(call, piece)

    def _ask(self, call: str, piece: TranscriptPiece) -> None:
        """What a call asked for, at its own time."""
        live = self._live_key("before_tool", {"turn": piece.turn, "call": call}, call)
        key = live or self._key("before_tool", [call, piece.id or piece.ts])
        parts = [encode_field("tool", piece.name), piece.body, encode_field("call", call)]
        ts, self._ts = self._ts, _stamp(piece.ts) or self._ts
        self._emit("before_tool", key, [*parts, *self._about(piece, piece.thread)])
        self._ts = ts

    def _foreign(self, piece: TranscriptPiece, thread: str) -> None:
        agent = piece.name == "subagent"
        told = self.hook_events.find_foreign(piece, self._ts) if not agent else ""
        if told and self.hook_events.has_words(told, piece):
            # The hook took it for the user's: from now on the journal knows better.
            self._emit(MARK, f"{MARK}:{told}", [encode_field("of", told), encode_field("why", piece.name)])
        name = "subagent_prompt" if agent else MARK
        body = piece.body + b"," + encode_field("why", piece.name)
        self._turned(piece, thread, told, name, body)

    def _cut(self, piece: TranscriptPiece, thread: str) -> None:
        self._turned(piece, thread, self.hook_events.cut(self._ts), "after_compact", piece.body)

    def _other(self, piece: TranscriptPiece, thread: str) -> None:
        self._emit(piece.name, self._own_key(piece.name, piece), [piece.body, *self._about(piece, thread)])
        self._skip(piece, thread)

    def _rewind(self, piece: TranscriptPiece, thread: str) -> None:
        del thread
        knot = self._knots.get(piece.id)
        self._rewound = knot.before if knot else None

    def _node(self, piece: TranscriptPiece, thread: str) -> None:
        if piece.name:
            self._model = piece.name
        if piece.stop == of.ENDS:
            self._speak_held(thread, ends=True)
        self._skip(piece, thread)

    # What follows what

    def _thread(self, piece: TranscriptPiece) -> str:
        if piece.thread != SIDE:
            return piece.thread
        above = self._knots.get(piece.parent or "")
        return above.thread if above and above.thread.startswith("side-") else f"side-{piece.id[:8]}"

    def _turned(self, piece: TranscriptPiece, thread: str, told: str, name: str, body: bytes, live: str = "") -> None:
        """A piece that is a turn of its own: written, unless the journal has it."""
        if told:
            self.known += 1
            self._follow(piece, thread, f"#{told}")
            return
        key = live or self._own_key(name, piece)
        self._emit(name, key, [body, *self._about(piece, thread)])
        self._follow(piece, thread, key)

    def _follow(self, piece: TranscriptPiece, thread: str, ref: str) -> None:
        """Note which turn a piece follows, and say so where it is not the one before it."""
        before = self._real(self._last.get(thread, ""))
        above = self._above(piece, before)
        if self._rewound is not None:
            above, self._rewound = self._real(self._rewound), None
        if above != before and not self._together(above, before):
            parts = [encode_field("of", ref), encode_field("parent", above)]
            self._emit(
                "link", self._key("link", [piece.id, ref, above]), [*parts, *self._about(piece, thread, turn=False)]
            )
        self._last[thread] = ref
        self._last.move_to_end(thread)
        _drop_oldest(self._last, 64)
        self._knot(piece, _ThreadPlace(ref, above, thread))

    def _above(self, piece: TranscriptPiece, before: str) -> str:
        if self.source.client != "claude-code" or not piece.id:
            return before
        if piece.parent is None:
            return ""
        knot = self._knots.get(piece.parent)
        return self._real(knot.ref) if knot else before

    def _together(self, one: str, other: str) -> bool:
        """Whether two calls were made at once: neither branches off the other."""
        group = self._groups.get(one)
        return group is not None and group == self._groups.get(other)

    def _skip(self, piece: TranscriptPiece, thread: str) -> None:
        if piece.id:
            above = self._knots.get(piece.parent or "")
            self._knot(
                piece, above._replace(thread=thread) if above else _ThreadPlace(self._last.get(thread, ""), "", thread)
            )

    def _knot(self, piece: TranscriptPiece, knot: _ThreadPlace) -> None:
        if piece.id:
            self._knots[piece.id] = knot
            _drop_oldest(self._knots, MOST_NODES)

    def _real(self, ref: str) -> str:
        return self._aliases.get(ref, ref)

    # What goes out

    def _emit(self, name: str, key: str, parts: list[bytes]) -> None:
        head = (
            b'{"kind":"event",'
            + encode_field("client", self.source.client)
            + b","
            + encode_field("session", self._session)
            + b","
            + encode_field("name", name)
            + b","
            + encode_field("key", key)
        )
        data = b",".join([part for part in parts if part] + [b'"harvested":true'])
        self.entries.append(HarvestedEvent(key, self._ts, name, head + b',"data":{' + data + b"}}"))

    def _about(self, piece: TranscriptPiece, thread: str, *, turn: bool = True) -> list[bytes]:
        parts = [encode_field("turn", piece.turn or self._turn)] if turn and (piece.turn or self._turn) else []
        if thread:
            parts.append(encode_field("agent", thread))
        return parts + self._kin()

    def _kin(self) -> list[bytes]:
        parts = [encode_field("agent_type", self.source.agent_type)] if self.source.agent_type else []
        return parts + ([encode_field("extra", {"parent": self.source.parent})] if self.source.parent else [])

    def _live_key(self, name: str, data: dict[str, Any], identity: str = "") -> str:
        """The key that the hook gives this event, where the transcript says enough to know it."""
        client = self.source.client
        if client == "opencode":
            return key_of(client, name, name, self._session, {"turn": data.get("turn", "")}, {"id": identity})
        if client not in _KEYED or name not in _EVENTS:
            return ""
        return key_of(client, _EVENTS[name], name, self._session, data, {})

    def _own_key(self, name: str, piece: TranscriptPiece) -> str:
        return self._key(name, [piece.id or piece.ts, piece.words.hex() or piece.call or piece.body.hex()[:200]])

    def _key(self, name: str, identity: list[Any]) -> str:
        return f"{name}:{hash_json([self.source.client, self._session, 'transcript', *identity])}"

    # Where to begin again

    def _too_young(self, piece: TranscriptPiece) -> bool:
        if piece.kind not in _TURNS and piece.kind != of.RESULT:
            return False
        if not piece.ts or self.now - parse_seconds(piece.ts) > SETTLES or self.now < parse_seconds(piece.ts):
            return False
        counted = bool(piece.call) and not is_unique_id(piece.call)
        return self.source.client == "gemini" or counted or (bool(piece.thread) and piece.kind == of.TEXT)

    def _hold(self, piece: TranscriptPiece) -> None:
        if self._mark is None:
            self._mark = self._snapshot(piece.at, piece.parent or "")

    def _unmark(self) -> None:
        if not self._pending and not self._held and not self.waits:
            self._mark = None

    def _snapshot(self, offset: int, above: str = "") -> dict[str, Any]:
        uuid = above if above in self._knots else next(reversed(self._knots), "")
        return {
            "offset": offset,
            "private": self.private,
            "turn": self._turn,
            "model": self._model,
            "started": self._started,
            "ts": self._ts,
            "last": {thread: self._real(ref) for thread, ref in list(self._last.items())[-8:]},
            "knots": {uuid: list(self._knots[uuid])} if uuid else {},
        }


def _placeholder(piece: TranscriptPiece) -> str:
    return f"?{piece.at}"


def _stamp(ts: str) -> str:
    """A time as the journal writes it; empty where it is none."""
    try:
        found = datetime.fromisoformat(ts)
    except ValueError:
        return ""
    if _STAMP.fullmatch(ts):
        return ts
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{found.microsecond // 1000:03d}Z"
    except (OverflowError, ValueError):
        return ""


def _drop_oldest(held: OrderedDict[str, Any], most: int) -> None:
    while len(held) > most:
        held.popitem(last=False)
