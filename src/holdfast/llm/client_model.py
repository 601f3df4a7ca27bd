"""The user's own client as a model: one prompt in, one answer printed, in an empty folder, for a bounded time."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import suppress
from typing import IO

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.model import Ask, Delta, Done, Message, Reply, Role, Stop, TextDelta, Usage
from holdfast.core.model_port import Traits
from holdfast.core.value import Value, replace
from holdfast.llm import model_errors
from holdfast.llm.dialect import ask_in_words, count_or_zero, object_or_empty, parse_json, text_or_empty
from holdfast.llm.threaded_reply import read_in_thread
from holdfast.system.http import Halt
from holdfast.system.http_errors import one_line

LARGEST = 32 << 20
BETWEEN_LOOKS = 0.05
BARE = re.compile(r"[A-Za-z0-9_-]+")
CODEX_FEATURES = ("hooks", "shell_tool", "unified_exec", "multi_agent", "apps", "plugins", "goals", "image_generation")
# Our own hook does nothing where this is set: what we ask a client is no session of the user's.
QUIET = {"HOLDFAST_CAPTURE": "off"}


class NothingPrinted(Unavailable):
    """The client ended without an answer."""

    def __init__(self, model: str, why: str) -> None:
        super().__init__(
            f"Model {model!r} gave no answer: {why}.",
            "run the client once by hand: it may want to log in, or an update.",
        )


class NoTools(BadRequest):
    """A client has tools of its own, and takes none of ours."""

    def __init__(self, model: str) -> None:
        super().__init__(f"Model {model!r} takes no tools.", "name a model of an API: anthropic:NAME, openai:NAME, …")


class PrintProgram(Value):
    """How a client is asked in print mode, and how its answer is read."""

    words: Callable[[str, Mapping[str, str]], list[str]]
    read: Callable[[str], Reply]


def _claude(model: str, _: Mapping[str, str]) -> list[str]:
    # No tools, no servers, no hooks, no trace of it in the user's history.
    words = ["-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--no-session-persistence"]
    settings = json.dumps({"disableAllHooks": True})
    return [*words, "--settings", settings, *(["--model", model] if model else [])]


def _codex(model: str, environment: Mapping[str, str]) -> list[str]:
    # Whatever it could do on its own is off: the words it gets are not to be trusted.
    words = ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only", "--color", "never"]
    off = [word for feature in CODEX_FEATURES for word in ("--disable", feature)]
    settings = ['web_search="disabled"', 'approval_policy="never"', *_servers_off(environment)]
    given = [word for pair in settings for word in ("-c", pair)]
    return [*words, *off, *given, *(["--model", model] if model else []), "-"]


def _servers_off(environment: Mapping[str, str]) -> list[str]:
    """Settings that switch the user's MCP servers off, one by one: Codex has none for all of them."""
    folder = environment.get("CODEX_HOME") or os.path.join(environment.get("HOME", ""), ".codex")
    try:
        with open(os.path.join(folder, "config.toml"), "rb") as file:
            names = object_or_empty(tomllib.load(file).get("mcp_servers"))
    except (OSError, ValueError):
        return []
    # It takes no server of another name.
    return [f"mcp_servers.{name}.enabled=false" for name in names if BARE.fullmatch(name)]


def _parse_claude(out: str) -> Reply:
    found = object_or_empty(parse_json(out.strip().rpartition("\n")[2]) or parse_json(out))
    if found.get("is_error") or found.get("type") != "result":
        raise ValueError(text_or_empty(found.get("result")) or "it printed no result")
    said = object_or_empty(found.get("usage"))
    cached, written = (
        count_or_zero(said.get("cache_read_input_tokens")),
        count_or_zero(said.get("cache_creation_input_tokens")),
    )
    spent = found.get("total_cost_usd")
    return Reply(
        text=text_or_empty(found.get("result")),
        usage=Usage(
            input=count_or_zero(said.get("input_tokens")) + cached + written,
            output=count_or_zero(said.get("output_tokens")),
            cached=cached,
            written=written,
        ),
        model=next(iter(object_or_empty(found.get("modelUsage"))), ""),
        cost=float(spent) if isinstance(spent, int | float) else None,
    )


def _parse_codex(out: str) -> Reply:
    text, usage, error = "", Usage(), ""
    for line in out.splitlines():
        event = object_or_empty(parse_json(line))
        item = object_or_empty(event.get("item"))
        match event.get("type"):
            case "item.completed" if item.get("type") == "agent_message":
                text = text_or_empty(item.get("text"))
            case "turn.completed":
                said = object_or_empty(event.get("usage"))
                usage = Usage(
                    input=count_or_zero(said.get("input_tokens")),
                    output=count_or_zero(said.get("output_tokens")),
                    cached=count_or_zero(said.get("cached_input_tokens")),
                )
            case "turn.failed" | "error":
                error = text_or_empty(object_or_empty(event.get("error")).get("message")) or text_or_empty(
                    event.get("message")
                )
    if not text:
        raise ValueError(error or "it printed no message")
    return Reply(text=text, usage=usage)


PROGRAMS: Mapping[str, PrintProgram] = {
    "claude": PrintProgram(words=_claude, read=_parse_claude),
    "codex": PrintProgram(words=_codex, read=_parse_codex),
}


def find_program(kind: str, environment: Mapping[str, str]) -> str:
    """The client's program on the user's PATH, or an empty text."""
    return shutil.which(kind, path=environment.get("PATH", "")) or ""


class PrintModel:
    """A client in print mode."""

    def __init__(self, kind: str, path: str, model: str, environment: Mapping[str, str], seconds: float) -> None:
        self._program, self._path, self._model = PROGRAMS[kind], path, model
        self._environment = {**environment, **QUIET}
        self._seconds = seconds
        self.name = f"client:{kind}" + (f":{model}" if model else "")
        self.traits = Traits(tools=False)

    def __repr__(self) -> str:
        return f"Printed({self.name!r})"

    def complete(self, ask: Ask) -> Reply:
        """What the client prints."""
        return self._asked(ask, Halt())

    def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """What the client prints, all at once."""
        return read_in_thread(lambda halt: self._pieces(ask, halt))

    def _pieces(self, ask: Ask, halt: Halt) -> Iterator[Delta]:
        reply = self._asked(ask, halt)
        if reply.text:
            yield TextDelta(text=reply.text)
        yield Done(reply=reply)

    def _asked(self, ask: Ask, halt: Halt) -> Reply:
        if ask.tools:
            raise NoTools(self.name)
        prompt = _prompt(ask_in_words(ask, ask.shape) if ask.shape is not None else ask)
        out, err, status = self._run(prompt, halt)
        try:
            reply = self._program.read(out)
        except ValueError as error:
            why = str(error) if out.strip() else err.strip() or f"it ended with status {status} and printed nothing"
            raise NothingPrinted(self.name, one_line(why)) from None
        return replace(reply, model=reply.model or self.name, stop=Stop.END)

    def _run(self, prompt: str, halt: Halt) -> tuple[str, str, int]:
        folder = tempfile.mkdtemp(prefix="holdfast-")
        try:
            empty = os.path.join(folder, "empty")
            os.mkdir(empty)
            with (
                _file(folder, "in", prompt) as given,
                _file(folder, "out") as out,
                _file(folder, "err") as err,
            ):
                status = self._to_the_end(empty, given, out, err, halt)
                return _read_output(out), _read_output(err), status
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _to_the_end(self, folder: str, given: IO[bytes], out: IO[bytes], err: IO[bytes], halt: Halt) -> int:
        process = subprocess.Popen(
            [self._path, *self._program.words(self._model, self._environment)],
            cwd=folder,
            env={**self._environment, "PWD": folder},
            stdin=given,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        ends = time.monotonic() + self._seconds
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(BETWEEN_LOOKS)
                if halt:
                    raise model_errors.RequestHalted(self.name)
                if time.monotonic() > ends:
                    raise model_errors.ModelTooSlow(self.name, self._path, f"no end after {self._seconds:.0f} s")
                if max(os.fstat(out.fileno()).st_size, os.fstat(err.fileno()).st_size) > LARGEST:
                    raise NothingPrinted(self.name, "it printed more than an answer can be")
        finally:
            # Whatever it started ends with it.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _prompt(ask: Ask) -> str:
    """The request as one text: a client takes no roles."""
    parts = [ask.system] if ask.system else []
    alone = len(ask.messages) == 1
    parts += [_turn(message, alone=alone) for message in ask.messages]
    return "\n\n".join(parts)


def _turn(message: Message, *, alone: bool) -> str:
    if alone:
        return message.text
    return f"{'You said' if message.role is Role.ASSISTANT else 'The user said'}:\n{message.text}"


def _file(folder: str, name: str, text: str = "") -> IO[bytes]:
    file = open(os.path.join(folder, name), "w+b", buffering=0)  # noqa: SIM115  # closed by the caller
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[file.write(data) or 0 :]
    file.seek(0)
    return file


def _read_output(file: IO[bytes]) -> str:
    file.seek(0)
    return (file.read(LARGEST) or b"").decode("utf-8", "replace")
