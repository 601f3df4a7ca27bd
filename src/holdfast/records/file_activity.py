"""What happened to files: changes by session and prompt, and the calls that failed. A pure function of events."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from holdfast.core.event import JournalRecord
from holdfast.core.value import Value
from holdfast.index.event_rows import ECHO
from holdfast.records.tool_steps import step_of
from holdfast.records.work_unit import first_sentence, one_line

OURS = "holdfast"
LONGEST_PROMPT = 200
LONGEST_LINE = 300
_TELLING = ("error", "exception", "failed", "failure", "fatal", "panic", "denied", "refused", "not found", "cannot")
_NO_TELLING = ("error count", "0 failed", "0 errors", "===", "exit code", "short test summary")


class AskedPrompt(Value):
    """A prompt."""

    event: str
    at: str
    text: str


class ToolFileWrite(Value):
    """A file that a tool call wrote, and what for."""

    path: str
    at: str
    session: str
    client: str
    prompt: AskedPrompt | None = None


class FailedCall(Value):
    """A call that failed, by the line that says why."""

    text: str
    at: str
    session: str
    command: str = ""


class ActivityHistory(Value):
    """A stretch of the journal: its sessions, prompts, changes and failures, oldest first."""

    sessions: tuple[str, ...] = ()
    prompts: int = 0
    changes: tuple[ToolFileWrite, ...] = ()
    failures: tuple[FailedCall, ...] = ()


def build_histories(
    records: Iterable[JournalRecord], workspace: str, spans: Sequence[tuple[str, str]]
) -> list[ActivityHistory]:
    """What some records tell of each span (from, up to). Earlier ones only say which prompt a change was for."""
    readers = [_ActivityReader(workspace.rstrip("/"), since, until) for since, until in spans]
    for record in records:
        for reader in readers:
            reader.take(record)
    return [reader.found() for reader in readers]


def find_error_line(output: str) -> str:
    """The line of an output that says what went wrong: the last that names an error, else the last."""
    lines = [line.strip().removeprefix("E ").strip() for line in output[-8000:].splitlines()]
    lines = [line for line in lines if line and not any(mark in line.lower() for mark in _NO_TELLING)]
    named = [line for line in lines if any(word in line.lower() for word in _TELLING)]
    return one_line((named or lines or [""])[-1], LONGEST_LINE)


class _ActivityReader:
    def __init__(self, workspace: str, since: str, until: str) -> None:
        self._workspace, self._since, self._until = workspace, since, until
        self._asked: dict[str, AskedPrompt] = {}
        self._said: list[tuple[str, str, str, str]] = []
        self._echoes: set[str] = set()
        self._sessions: dict[str, None] = {}
        self._prompts = 0
        self._changes: list[ToolFileWrite] = []
        self._failures: list[FailedCall] = []

    def take(self, record: JournalRecord) -> None:
        data = record.data.get("data")
        client = str(record.data.get("client", ""))
        if record.kind != "event" or not isinstance(data, Mapping) or client == OURS:
            return
        extra = data.get("extra")
        parent = extra.get("parent") if isinstance(extra, Mapping) else None
        session, at = str(parent or record.data.get("session", "")), f"{record.ts[:19]}Z"
        name = str(record.data.get("name", ""))
        if name == "prompt":
            self._prompt(session, client, str(data.get("prompt", "")), record.id, at)
        if session in self._echoes or not self._since <= at < self._until:
            return
        if session:
            self._sessions[session] = None
        if name in {"after_tool", "tool_failed"}:
            self._tool(name, data, session, client, record.id, at)

    def found(self) -> ActivityHistory:
        return ActivityHistory(
            sessions=tuple(self._sessions),
            prompts=self._prompts,
            changes=tuple(self._changes),
            failures=tuple(self._failures),
        )

    def _prompt(self, session: str, client: str, text: str, event: str, at: str) -> None:
        words = " ".join(text.split())
        if session not in self._asked and self._is_echo(session, client, words, at):
            self._echoes.add(session)
        self._said = [*self._said[-20:], (session, client, words, at)]
        self._asked[session] = AskedPrompt(event=event, at=at, text=one_line(first_sentence(text), LONGEST_PROMPT))
        self._prompts += session not in self._echoes and self._since <= at < self._until

    def _is_echo(self, session: str, client: str, words: str, at: str) -> bool:
        return any(
            words == said and session != other and client != by and _is_near_in_time(when, at)
            for other, by, said, when in self._said
            if other not in self._echoes
        )

    def _tool(self, name: str, data: Mapping[str, Any], session: str, client: str, event: str, at: str) -> None:
        step = step_of(data, name, event, at, self._workspace, client)
        if step.failed:
            text = find_error_line(step.output) or one_line(step.command or step.tool, LONGEST_LINE)
            self._failures.append(FailedCall(text=text, at=at, session=session, command=one_line(step.command, 100)))
            return
        for path in step.files:
            asked = self._asked.get(session)
            self._changes.append(ToolFileWrite(path=path, at=at, session=session, client=client, prompt=asked))


def _is_near_in_time(one: str, other: str) -> bool:
    try:
        return abs(datetime.fromisoformat(other) - datetime.fromisoformat(one)) <= ECHO
    except ValueError:
        return False
