"""A run that heeds who wants it to end: what is under way ends, what was said is told, nothing else changes."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from holdfast.act.cancel_watch import RunCancelled, stream_until_cancelled
from holdfast.act.run_files import CANCEL, AgentRun, make_run_name


@pytest.fixture
def run(tmp_path: Path) -> AgentRun:
    made = AgentRun(str(tmp_path), make_run_name())
    made.begin("a goal", {})
    return made


async def listened(run: AgentRun, happening: AsyncGenerator[str, None], heard: list[str]) -> None:
    async with aclosing(happening), aclosing(stream_until_cancelled(happening, run)) as told:
        async for each in told:
            heard += [each]


def test_what_waits_is_ended_and_cleans_up(run: AgentRun) -> None:
    heard: list[str] = []
    ended = False

    async def waits() -> AsyncGenerator[str, None]:
        nonlocal ended
        yield "begun"
        run.ask_to_cancel("server", "phone")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended = True

    with pytest.raises(RunCancelled) as caught:
        asyncio.run(listened(run, waits(), heard))

    assert (heard, ended) == (["begun"], True)
    assert caught.value.request.words == "cancelled over the server by the token 'phone'"


def test_what_nobody_ends_comes_to_its_end(run: AgentRun) -> None:
    heard: list[str] = []

    async def counts() -> AsyncGenerator[str, None]:
        for each in "abc":
            yield each

    asyncio.run(listened(run, counts(), heard))

    assert heard == ["a", "b", "c"]


def test_an_error_of_what_happens_goes_through(run: AgentRun) -> None:
    async def fails() -> AsyncGenerator[str, None]:
        yield "a"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(listened(run, fails(), []))


def test_who_listens_can_still_be_cancelled(run: AgentRun) -> None:
    ended: list[str] = []

    async def waits() -> AsyncGenerator[str, None]:
        yield "begun"
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("waits")

    async def work() -> None:
        heard: list[str] = []
        task = asyncio.create_task(listened(run, waits(), heard))
        while not heard:
            await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())

    assert ended == ["waits"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"way": 3}', "\x1b[31m"])
def test_a_request_that_cannot_be_read_counts_all_the_same(run: AgentRun, text: str) -> None:
    (Path(run.folder) / CANCEL).write_text(text)
    found = run.cancel_asked()

    assert found is not None
    assert found.words == "cancelled from outside"


def test_what_a_request_says_is_inert(run: AgentRun) -> None:
    run.ask_to_cancel("server", "a\x1b[2J\nb" + "c" * 500)
    found = run.cancel_asked()

    assert found is not None
    assert "\x1b" not in found.words
    assert "\n" not in found.words
    assert len(found.words) < 200


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_no_file_is_no_request(run: AgentRun, tmp_path: Path, kind: str) -> None:
    place = Path(run.folder) / CANCEL
    if kind == "link":
        (tmp_path / "secret").write_text('{"way": "server"}')
        place.symlink_to(tmp_path / "secret")
    else:
        place.mkdir()

    assert run.cancel_asked() is None


def test_a_request_counts_once_and_for_who_carries_it_then(run: AgentRun, tmp_path: Path) -> None:
    run.ask_to_cancel("server", "first")
    run.ask_to_cancel("terminal")
    found = run.cancel_asked()
    seen_from_outside = AgentRun(str(tmp_path), run.name).cancel_asked()
    run.end("cancelled")
    left_by_end = os.path.lexists(os.path.join(run.folder, CANCEL))
    run.ask_to_cancel("terminal")
    run.begin("a goal", {})

    assert found is not None
    assert found.by == "first"
    assert seen_from_outside is None
    assert not left_by_end
    assert run.cancel_asked() is None
