"""Speaking MCP with the real server: through the SDK's own client, or line by line."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters, types
from mcp.client import ClientRequestContext
from tests import warm
from tests.waiting import LONG

Answered = TypeVar("Answered")
Elicit = Callable[[ClientRequestContext, types.ElicitRequestParams], Awaitable[types.ElicitResult]]
SERVER = ("-m", "holdfast.cli.main", "mcp")
PATIENCE = LONG


def talk(
    folder: Path,
    mode: str,
    conversation: Callable[[Client], Awaitable[Answered]],
    *words: str,
    env: Mapping[str, str] | None = None,
    **more: Any,
) -> Answered:
    """Have a conversation with a server of its own, started in a folder."""
    given = {**os.environ, **(env or {})}
    command, *first = warm.command(given)
    server = StdioServerParameters(command=command, args=[*first, "mcp", *words], env=given, cwd=folder)

    async def run() -> Answered:
        with anyio.fail_after(PATIENCE):
            async with Client(server, mode=mode, **more) as client:
                return await conversation(client)

    return anyio.run(run)


def call(
    folder: Path,
    mode: str,
    tool: str,
    *,
    env: Mapping[str, str] | None = None,
    words: tuple[str, ...] = (),
    **given: Any,
) -> types.CallToolResult:
    """One call of a tool."""

    async def conversation(client: Client) -> types.CallToolResult:
        return await client.call_tool(tool, given)

    return talk(folder, mode, conversation, *words, env=env)


def text_in(result: types.CallToolResult) -> str:
    """All that a model could read of a result: its text, and its structure."""
    words = [block.text for block in result.content if isinstance(block, types.TextContent)]
    return "\n".join([*words, json.dumps(result.structured_content, ensure_ascii=False)])


class Wire:
    """A connection by hand, as a client that follows no rules would have it."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *SERVER], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._id = 0
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
        assert "result" in self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Mapping[str, Any]) -> None:
        self.write(json.dumps(message).encode())

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self.answer(self._id)

    def answer(self, wanted: int) -> Any:
        assert self.process.stdout
        while line := self.process.stdout.readline():
            if (found := json.loads(line)).get("id") == wanted:
                return found
        raise AssertionError("the server hung up")

    def call(self, tool: str, **given: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": given})["result"]

    def end(self) -> int:
        """Hang up; the exit status of the server."""
        _, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode
