"""What happens, as it happens: the sockets of a workspace and of a run."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, WebSocket, WebSocketDisconnect

from holdfast.act.run_files import Run
from holdfast.core.errors import HoldfastError, NotFound
from holdfast.server.http.metrics import EVENTS_DROPPED, EVENTS_SENT
from holdfast.server.http.open_workspace import Workspace
from holdfast.server.http.routes.route_parts import PREFIX
from holdfast.server.http.routes.snapshots import run_snapshot, workspace_snapshot
from holdfast.server.http.security.rights import Right, socket_caller
from holdfast.server.http.server_state import Serving
from holdfast.server.http.streams.frames import Outlet
from holdfast.server.http.streams.message_feed import Feed, Follower, Group, Over, TooSlow, framed, told
from holdfast.server.http.streams.run_tail import Happened, RunFeed, cursor_of, events_of, is_end, place_at, place_of

NOTHING_THERE, TOO_SLOW, RESTART, FAILED = 4404, 4408, 1012, 1011
# How long what is left may take to leave when the server stops.
LAST_SECONDS = 2.0
LONGEST_REASON = 120

ROUTER = APIRouter(prefix=PREFIX)

Id = Annotated[str, Path(max_length=100)]
At = Annotated[str, Query(max_length=100)]


@ROUTER.websocket("/events")
async def workspace_stream(websocket: WebSocket, wid: Id, cursor: At = "") -> None:
    """A workspace's stream: a snapshot and what follows, or what followed a cursor."""

    async def follow(socket: Socket, workspace: Workspace) -> None:
        await socket.follow(workspace.hub, await _begun(socket, workspace, cursor))

    await _served(websocket, wid, follow)


@ROUTER.websocket("/run/{rid}/events")
async def run_stream(websocket: WebSocket, wid: Id, rid: Id, cursor: At = "") -> None:
    """A run's stream: a snapshot and what follows, or what followed a cursor, through restarts of the server too."""

    async def follow(socket: Socket, workspace: Workspace) -> None:
        feed = await workspace.watcher.feed(rid)
        run = workspace.runs.named(rid)
        await socket.follow(feed, await _run_begun(socket, workspace, run, feed, cursor))

    await _served(websocket, wid, follow)


class Socket:
    """One socket, and what is sent to it."""

    def __init__(self, websocket: WebSocket, serving: Serving) -> None:
        self._websocket, self._serving = websocket, serving
        self._outlet = Outlet(websocket)

    async def say(self, kind: str, cursor: str, data: Mapping[str, Any]) -> None:
        """One message for this socket alone."""
        await self._outlet.say(told(kind, cursor, data))

    async def send(self, group: Group) -> None:
        """Messages that others get too."""
        await self._outlet.send(group)
        self._serving.metrics.count(EVENTS_SENT, len(group.texts))

    async def follow(self, feed: Feed, place: int) -> None:
        """All that follows a place, until one side has enough."""
        with feed.followed(place) as follower:
            sending = follower.task = asyncio.create_task(self._sent(feed, follower))
            heard = asyncio.create_task(self._heard())
            stopping = asyncio.create_task(self._serving.stopping.wait())
            try:
                await asyncio.wait({sending, heard, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if stopping.done() and not sending.done():
                    await self._last_words(feed, follower, sending)
                await self._parted(follower, sending)
            finally:
                await _put_down({sending, heard, stopping})

    async def _sent(self, feed: Feed, follower: Follower) -> None:
        while True:
            group = feed.group(follower.place)
            if group is not None:
                follower.sending = True
                await self.send(group)
                follower.sending = False
                follower.place = group.last
            elif feed.over:
                raise Over
            else:
                await follower.more.wait()
                follower.more.clear()

    async def _heard(self) -> None:
        """Nothing that is said here counts; only that the other side is gone."""
        while (await self._websocket.receive())["type"] != "websocket.disconnect":
            pass

    async def _last_words(self, feed: Feed, follower: Follower, sending: "asyncio.Task[None]") -> None:
        """The server stops: what is there leaves before the goodbye."""
        feed.close()
        follower.more.set()
        await asyncio.wait({sending}, timeout=LAST_SECONDS)

    async def _parted(self, follower: Follower, sending: "asyncio.Task[None]") -> None:
        error = sending.exception() if sending.done() and not sending.cancelled() else None
        if follower.slow or isinstance(error, TooSlow):
            self._serving.metrics.count(EVENTS_DROPPED)
            await self._outlet.drop(TOO_SLOW, "too slow: come back with your cursor")
        elif isinstance(error, Over) or self._serving.stopping.is_set():
            await _closed(self._websocket, RESTART, "come back with your cursor")
        elif error is not None and not isinstance(error, WebSocketDisconnect):
            raise error


async def _put_down(tasks: "set[asyncio.Task[Any]]") -> None:
    """End tasks whose end nobody waits for any more, whatever it is."""
    for task in tasks:
        task.cancel()
    done, _ = await asyncio.wait(tasks)
    for task in done:
        if not task.cancelled():
            task.exception()


async def _served(websocket: WebSocket, wid: str, follow: Callable[[Socket, Workspace], Awaitable[None]]) -> None:
    if await socket_caller(websocket, Right.READ) is None:
        return
    serving: Serving = websocket.app.state.serving
    try:
        workspace = await serving.workspaces.opened(wid)
        async with workspace.watcher.open():
            await follow(Socket(websocket, serving), workspace)
    except WebSocketDisconnect:
        return
    except NotFound as error:
        await _closed(websocket, NOTHING_THERE, str(error))
    except HoldfastError as error:
        await _closed(websocket, FAILED, str(error))


async def _begun(socket: Socket, workspace: Workspace, cursor: str) -> int:
    """Say how things are, or that what was missed follows; the place to go on from."""
    hub = workspace.hub
    place = hub.place(cursor)
    if place is not None:
        await socket.say("resumed", cursor, {"missed": len(hub.after(place) or ())})
        return place
    # The place first: what changes while the snapshot is taken comes after it once more, and nothing is missed.
    place = hub.last
    await socket.say("snapshot", hub.cursor(place), await workspace_snapshot(workspace))
    return place


async def _run_begun(socket: Socket, workspace: Workspace, run: Run, feed: RunFeed, cursor: str) -> int:
    place, now = place_at(cursor), feed.last
    if place is None or place > now:
        await socket.say("snapshot", cursor_of(now), await run_snapshot(workspace, run, now // 2))
        return now
    if feed.reaches(place):
        await socket.say("resumed", cursor, {"missed": len(feed.after(place) or ()), "status": run.status})
        return place
    missed = await asyncio.to_thread(_missed, run, place, now)
    await socket.say("resumed", cursor, {"missed": len(missed), "status": run.status})
    if missed:
        await socket.send(Group(texts=tuple(missed), frames=b"".join(map(framed, missed)), last=now))
    return now


def _missed(run: Run, place: int, now: int) -> Sequence[bytes]:
    """What a file says of the time between two places: the events, and the end if that was one of them."""
    found = [_text(event) for event in events_of(run) if place < place_of(event.line) <= now]
    if is_end(now):
        found.append(told("run_complete", cursor_of(now), {"runId": run.name, "status": run.status}))
    return found


def _text(event: Happened) -> bytes:
    return told(event.type, str(event.line), event.data, event.ts)


async def _closed(websocket: WebSocket, code: int, reason: str) -> None:
    # The other side may be gone by now, which is all that was wanted.
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await websocket.close(code, reason.encode()[:LONGEST_REASON].decode(errors="ignore"))
