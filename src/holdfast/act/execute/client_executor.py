"""A task handed to an installed client, with nobody at the keyboard; what it changes is on record like ours."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence

from holdfast.act.execute.edit_log import LoggedEdit
from holdfast.act.execute.executor import ENDED, ToolExecutor
from holdfast.act.execute.run_command import TIMEOUT, CommandResult
from holdfast.core.errors import HoldfastError, NotFound
from holdfast.core.plain_text import one_line
from holdfast.core.run import Task, TaskResult, Trust
from holdfast.core.value import Value
from holdfast.llm.client_model import PROGRAMS, QUIET, find_program
from holdfast.llm.dialect import object_or_empty, parse_json, text_or_empty
from holdfast.redact import clean as redact
from holdfast.workspace import MARKS

LONGEST = 8000
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_OPENCODE_DENIED = {"edit": "deny", "bash": "deny", "webfetch": "deny", "external_directory": "deny"}
_OPENCODE_ALLOWED = {"edit": "allow", "bash": "allow", "external_directory": "deny"}


class NoClient(NotFound):
    """A client that is not installed, or that takes no tasks."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"There is no client {kind!r} to hand tasks to.",
            f"install it so that it is on your PATH; {', '.join(CLIENTS)} are known.",
        )


class TaskClient(Value):
    """How a client is given a task. `words` by trust; `environment` by trust; `read`: what it said, or ValueError."""

    words: Callable[[Trust, str], list[str]]
    read: Callable[[str], str]
    environment: Callable[[Trust], Mapping[str, str]]


def _claude(trust: Trust, model: str) -> list[str]:
    words = ["-p", "--output-format", "json", *(["--model", model] if model else [])]
    if trust is Trust.READ_ONLY:
        return [*words, "--permission-mode", "plan", "--disallowedTools", "Bash", *_EDITS]
    # Not --dangerously-skip-permissions: it is refused for root, and says more than is meant.
    return [*words, "--permission-mode", "acceptEdits", "--allowedTools", "Bash", *_EDITS]


def _codex(trust: Trust, model: str) -> list[str]:
    box = {Trust.READ_ONLY: "read-only", Trust.FULL: "danger-full-access"}.get(trust, "workspace-write")
    words = ["exec", "--json", "--skip-git-repo-check", "--color", "never", "--sandbox", box]
    return [*words, "-c", 'approval_policy="never"', *(["--model", model] if model else []), "-"]


def _opencode(_: Trust, model: str) -> list[str]:
    return ["run", "--format", "json", *(["--model", model] if model else [])]


def _opencode_permits(trust: Trust) -> Mapping[str, str]:
    permits = _OPENCODE_DENIED if trust is Trust.READ_ONLY else _OPENCODE_ALLOWED
    if trust is Trust.FULL:
        permits = {**permits, "external_directory": "allow"}
    return {"OPENCODE_PERMISSION": json.dumps(permits)}


def _read_claude(out: str) -> str:
    rows = [line for line in out.splitlines() if object_or_empty(parse_json(line)).get("type") == "result"]
    return PROGRAMS["claude"].read(rows[-1] if rows else out).text


def _read_opencode(out: str) -> str:
    said, error = [], ""
    for line in out.splitlines():
        event = object_or_empty(parse_json(line))
        if event.get("type") == "text":
            said.append(text_or_empty(object_or_empty(event.get("part")).get("text")))
        elif event.get("type") == "error":
            held = object_or_empty(event.get("error"))
            error = (
                text_or_empty(object_or_empty(held.get("data")).get("message"))
                or text_or_empty(held.get("name"))
                or "an error"
            )
    if error or not said:
        raise ValueError(error or "it printed no message")
    return said[-1]


def _empty_environment(_: Trust) -> Mapping[str, str]:
    return {}


CLIENTS: Mapping[str, TaskClient] = {
    "claude": TaskClient(words=_claude, read=_read_claude, environment=_empty_environment),
    "codex": TaskClient(
        words=_codex, read=lambda out: PROGRAMS["codex"].read(out).text, environment=_empty_environment
    ),
    "opencode": TaskClient(words=_opencode, read=_read_opencode, environment=_opencode_permits),
}


class HandedTasks:
    """Hands tasks to one client, one at a time: two at once could not be told apart by what they change."""

    def __init__(self, kind: str, hands: ToolExecutor, environment: Mapping[str, str], model: str = "") -> None:
        """Raises NoClient."""
        program = find_program(kind, environment) if kind in CLIENTS else ""
        if not program:
            raise NoClient(kind)
        self._kind, self._client, self._program, self._model = kind, CLIENTS[kind], program, model
        self._hands, self._environment = hands, environment

    async def carry_out(self, task: Task, prompt: str, seconds: float) -> TaskResult:
        """Have a task done. What goes wrong is in the result; only cancelling goes through."""
        trust = self._hands.trust
        words = [self._program, *self._client.words(trust, self._model)]
        folder = tempfile.mkdtemp(prefix="holdfast-")
        try:
            given = os.path.join(folder, "prompt")
            with open(given, "w", encoding="utf-8", errors="replace") as file:
                file.write(prompt)
            environment = self._surroundings(trust)
            ran, changed = await self._hands.run_client(self._kind, words, given, environment, seconds, task)
        except HoldfastError as error:
            return TaskResult(task_id=task.id, success=False, error=f"{error} {error.hint}".strip())
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return await self._result(task, ran, changed, seconds)

    async def _result(
        self, task: Task, ran: CommandResult, changed: Sequence[LoggedEdit], seconds: float
    ) -> TaskResult:
        error = ENDED[ran.ended].format(seconds=seconds) if ran.ended else ""
        text = ""
        try:
            text = self._client.read(ran.text)
        except ValueError as wrong:
            tail = one_line(ran.text.strip()[-300:])
            said = str(wrong) if ran.text.strip() else f"it ended with status {ran.status} and printed nothing"
            error = error or f"{self._kind}: {said}" + (f" ({tail})" if ran.ended != TIMEOUT and tail else "")
        if not error and ran.status:
            error = f"{self._kind} ended with status {ran.status}"
        error = error or await self._hands.broken_by(changed)
        return TaskResult(
            task_id=task.id, success=not error, files=self._hands.files_of(task.id),
            summary=str(redact.clean(text).value)[:LONGEST], error=str(redact.clean(error).value)[:LONGEST],
            duration_ms=int(1000 * ran.seconds),
        )  # fmt: skip

    def _surroundings(self, trust: Trust) -> dict[str, str]:
        """The user's own environment, for the client is the user's own; without marks of a client around us."""
        marks = {name for names in MARKS.values() for name in names}
        own = {name: value for name, value in self._environment.items() if name not in marks}
        return {**own, **QUIET, **self._client.environment(trust)}
