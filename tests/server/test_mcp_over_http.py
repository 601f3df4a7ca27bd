"""MCP over HTTP, through the SDK's own client, on the old and on the new protocol."""

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from tests.server.conftest import Threaded, holdfast, new_workspace, threaded

from holdfast.server.http.security.callers import Right

OLD, NEW = "legacy", "2026-07-28"
T = TypeVar("T")
both = pytest.mark.parametrize("mode", [OLD, NEW])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    root = tmp_path_factory.mktemp("mcp")
    wid = new_workspace(root / "project", root / "home")
    new_workspace(root / "other", root / "home")
    said = holdfast(
        root / "home", root / "project", "remember", "decision", "Use Postgres for the ledger", "--choice", "Postgres"
    )
    assert said.returncode == 0, said.stderr
    assert holdfast(root / "home", root / "project", "allow").returncode == 0
    return root / "home", root / "project", wid


@pytest.fixture(autouse=True)
def _same_home(home: Path, place: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's thread and the test see the same home."""
    monkeypatch.setenv("HOLDFAST_HOME", str(place[0]))


@pytest.fixture(scope="module")
def mcp_server(place: tuple[Path, Path, str]) -> Iterator[Threaded]:
    with threaded(place[0]) as made:
        yield made


def talk(
    served: Threaded,
    path: str,
    mode: str,
    conversation: Callable[[Client], Awaitable[T]],
    *,
    token: str = "",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> T:
    """Hold a conversation over HTTP."""

    async def speak() -> T:
        given = {"Authorization": f"Bearer {token or served.token}", **(headers or {})}
        async with httpx2.AsyncClient(headers=given) as http:
            transport = streamable_http_client(served.url + path, http_client=http)
            async with Client(transport, mode=mode, **more) as client:
                return await conversation(client)

    return anyio.run(speak)


async def tools(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@both
def test_a_client_finds_what_is_kept_in_the_workspace_it_names(
    mcp_server: Threaded, place: tuple[Path, Path, str], mode: str
) -> None:
    async def search(client: Client) -> Any:
        return (await client.call_tool("search", {"query": "postgres ledger"})).structured_content

    by_path = talk(mcp_server, f"/mcp/{place[2]}", mode, search)
    by_header = talk(mcp_server, "/mcp", mode, search, headers={"Holdfast-Workspace": place[2]})

    assert [hit["title"] for hit in by_path["hits"]] == ["Use Postgres for the ledger"]
    assert by_header == by_path


@both
def test_a_token_that_reads_may_propose_and_what_it_proposes_is_an_agents(
    mcp_server: Threaded, place: tuple[Path, Path, str], mode: str
) -> None:
    home, folder, wid = place
    token = mcp_server.serving.tokens.add(f"agent-{mode}", ())

    async def propose(client: Client) -> Any:
        given = {"type": "learning", "text": f"The ledger is append only, as {mode} says"}
        return (await client.call_tool("remember", given)).structured_content

    made = talk(mcp_server, f"/mcp/{wid}", mode, propose, token=token)

    waiting = json.loads(holdfast(home, folder, "list", "--candidates", "--json").stdout)["candidates"]
    found = next(each for each in waiting if each["id"] == made["id"])
    assert (made["status"], found["said_by"]) == ("candidate", "agent")


@both
def test_no_token_makes_an_agent_a_person(mcp_server: Threaded, place: tuple[Path, Path, str], mode: str) -> None:
    home, folder, wid = place
    asked: list[str] = []

    async def says_yes(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": "accept"})

    async def decide(client: Client) -> types.CallToolResult:
        given = {"type": "learning", "text": f"Decide about me over {mode}"}
        made: Any = (await client.call_tool("remember", given)).structured_content
        return await client.call_tool("review", {"decide": made["id"]})

    token = mcp_server.serving.tokens.add(f"all-{mode}", Right)
    answer = talk(mcp_server, f"/mcp/{wid}", mode, decide, token=token, elicitation_callback=says_yes)

    assert answer.is_error
    assert "for a person" in str(answer.content)
    assert asked == []
    accepted = json.loads(holdfast(home, folder, "list", "--json").stdout)["memories"]
    assert [memory["title"] for memory in accepted] == ["Use Postgres for the ledger"]


def test_a_request_says_which_workspace_where_there_are_several(mcp_server: Threaded) -> None:
    unnamed = mcp_server.post("/mcp", json={})
    unknown = mcp_server.post("/mcp/0123456789abcdef", json={})
    crooked = mcp_server.post("/mcp", json={}, headers={"Holdfast-Workspace": "../../etc"})

    assert (unnamed.status_code, unknown.status_code, crooked.status_code) == (400, 404, 404)
    assert "Holdfast-Workspace" in unnamed.json()["hint"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_nothing_is_kept_open_and_no_session_is_kept(
    mcp_server: Threaded, place: tuple[Path, Path, str], method: str
) -> None:
    answer = mcp_server.ask(method, f"/mcp/{place[2]}", headers={"Accept": "text/event-stream"})

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_another_site_does_not_speak_mcp(mcp_server: Threaded, place: tuple[Path, Path, str]) -> None:
    answer = mcp_server.post(f"/mcp/{place[2]}", json={}, headers={"Origin": "https://evil.example"})

    assert answer.status_code == 403


def test_one_workspace_need_not_be_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    new_workspace(tmp_path / "project", home)
    with threaded(home) as served:
        assert "search" in talk(served, "/mcp", NEW, tools)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0", "method": 1}', b"\xff" * 100])
def test_what_is_no_mcp_is_refused(mcp_server: Threaded, place: tuple[Path, Path, str], body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    answer = mcp_server.post(f"/mcp/{place[2]}", content=body, headers=headers)

    assert 400 <= answer.status_code < 500
