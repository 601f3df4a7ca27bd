"""What hooks told the journal of some sessions, so that a transcript's account of the same is known as such."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from holdfast.harvest.journal_events import read_session_events
from holdfast.harvest.transcript_pieces import TranscriptPiece, text_in, value_key, words_key

# Words in the user's place that nobody typed; with `of`, the prompt in which a hook told them.
MARK = "foreign_prompt"
NEAR = 600.0
_FAR = 1e12


class HookEventRecord(NamedTuple):
    """An event that a hook told: its record, when, its turn, and by what its content is known again."""

    id: str
    at: float
    turn: str
    words: bytes


class SessionHookEvents:
    """The events of one session that hooks told. Each stands for one event of a transcript, and then is used up."""

    def __init__(self) -> None:
        self.started = False
        # From when to when the transcript reaches. Of an event told at another time, its time says nothing.
        self.reach = (0.0, 0.0)
        self._prompts: list[HookEventRecord] = []
        self._words: dict[str, bytes] = {}
        self._answers: list[HookEventRecord] = []
        self._ends: dict[str, list[HookEventRecord]] = {}
        self._calls: dict[str, list[HookEventRecord]] = {}
        self._tools: dict[tuple[str, bytes], list[HookEventRecord]] = {}
        self._cuts: list[HookEventRecord] = []

    def note(self, record_id: str, ts: str, name: str, data: Mapping[str, Any]) -> None:
        """Take an event of the journal."""
        extra = data.get("extra")
        own = text_in(extra, "timestamp") if isinstance(extra, dict) else ""
        at, turn = parse_seconds(own) or parse_seconds(ts), text_in(data, "turn")
        match name:
            case "session_start" | "subagent_start":
                self.started = True
            case "prompt" | "subagent_prompt":
                self._words[record_id] = words_key(text_in(data, "prompt"))
                self._prompts.append(HookEventRecord(record_id, at, turn, self._words[record_id]))
            case "answer":
                self._answers.append(HookEventRecord(record_id, at, turn, words_key(text_in(data, "answer"))))
            case "subagent_stop":
                told = HookEventRecord(record_id, at, turn, words_key(text_in(data, "answer")))
                self._ends.setdefault(text_in(data, "agent"), []).append(told)
            case "after_tool" | "tool_failed":
                self._note_tool(record_id, at, turn, data)
            case "after_compact":
                self._cuts.append(HookEventRecord(record_id, at, turn, b""))

    def _note_tool(self, record_id: str, at: float, turn: str, data: Mapping[str, Any]) -> None:
        call, words = text_in(data, "call"), value_key(data.get("input"))
        told = HookEventRecord(record_id, at, turn, words)
        if call:
            self._calls.setdefault(call, []).append(told)
        else:
            self._tools.setdefault((text_in(data, "tool"), words), []).append(told)

    def prompt(self, turn: str, words: bytes, ts: str) -> str:
        """The record of a prompt, or nothing."""
        same = [told for told in self._prompts if turn and told.turn == turn]
        return self._used(self._prompts, same, _FAR, ts) or self._by_words(self._prompts, words, ts)

    def has_words(self, record_id: str, piece: TranscriptPiece) -> bool:
        """Whether a prompt says what a piece of a transcript does, and not only stands in the same turn."""
        whole = words_key(piece.raw) if piece.raw else piece.words
        return self._words.get(record_id) in {piece.words, whole}

    def find_foreign(self, piece: TranscriptPiece, ts: str) -> str:
        """The record in which a hook told words that nobody typed, or nothing."""
        told = self.prompt(piece.turn, piece.words, ts)
        return told or (self.prompt("", words_key(piece.raw), ts) if piece.raw else "")

    def answer(self, turn: str, words: bytes, ts: str, agent: str = "") -> str:
        """The record of an answer, or nothing."""
        if agent:
            ends = self._ends.get(agent, []) or self._ends.get("", [])
            return self._by_words(ends, words, ts)
        same = [told for told in self._answers if turn and told.turn == turn and told.words == words]
        return self._used(self._answers, same, _FAR, ts) or self._by_words(self._answers, words, ts)

    def tool(self, call: str, tool: str, words: bytes, ts: str, *, telling: bool) -> str:
        """The record of a tool step, or nothing."""
        told = self._calls.get(call, [])
        if told:
            return self._used(told, told, _FAR if telling else NEAR, ts)
        same = self._tools.get((tool, words), [])
        return self._used(same, same, NEAR, ts)

    def cut(self, ts: str) -> str:
        """The record of a compaction, or nothing."""
        return self._used(self._cuts, self._cuts, NEAR, ts)

    def _used(self, among: list[HookEventRecord], fitting: Iterable[HookEventRecord], within: float, ts: str) -> str:
        """The nearest in time of those that fit, taken out; else the first of those whose time says nothing."""
        at, fits = parse_seconds(ts), list(fitting)
        best = min(fits, key=lambda told: abs(told.at - at), default=None)
        if best is not None and at and abs(best.at - at) > within:
            best = next((told for told in fits if not self._reached(told.at)), None)
        if best is None:
            return ""
        among.remove(best)
        return best.id

    def _reached(self, at: float) -> bool:
        first, last = self.reach
        return not first or not last or first - NEAR <= at <= last + NEAR

    def _by_words(self, among: list[HookEventRecord], words: bytes, ts: str) -> str:
        return self._used(among, [told for told in among if told.words == words], NEAR, ts)


def load_hook_events(folder: str, sessions: Collection[str]) -> dict[str, SessionHookEvents]:
    """What hooks told of some sessions. Deleted events count too: what was forgotten does not come back."""
    found: dict[str, SessionHookEvents] = {}
    for record in read_session_events(folder, sessions, deleted=True):
        data = record.data.get("data")
        if isinstance(data, dict) and data.get("harvested") is not True:
            heard = found.setdefault(str(record.data.get("session", "")), SessionHookEvents())
            heard.note(record.id, record.ts, str(record.data.get("name", "")), data)
    return found


def parse_seconds(ts: str) -> float:
    """A time as seconds; 0 where it is none."""
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return 0.0
