"""What happens, as it happens: the sockets of a workspace and of a run."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, WebSocket, WebSocketDisconnect

from holdfast.act.run_files import AgentRun
from holdfast.core.errors import HoldfastError, NotFound
from holdfast.server.http.metrics import EVENTS_DROPPED, EVENTS_SENT
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.routes.route_parts import PREFIX
from holdfast.server.http.routes.snapshots import take_run_snapshot, take_workspace_snapshot
from holdfast.server.http.security.rights import Right, authorize_socket
from holdfast.server.http.server_state import Serving
from holdfast.server.http.streams.frames import Outlet
from holdfast.server.http.streams.message_feed import (
    Feed,
    FeedEnded,
    FeedSubscriber,
    MessageGroup,
    SubscriberTooSlow,
    encode_frame,
    encode_message,
)
from holdfast.server.http.streams.run_tail import (
    NumberedEvent,
    RunFeed,
    format_cursor,
    is_end,
    parse_cursor,
    place_of,
    read_events,
)

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

    async def follow(socket: Socket, workspace: OpenWorkspace) -> None:
        await socket.stream_from(workspace.hub, await _begin_stream(socket, workspace, cursor))

    await _serve_socket(websocket, wid, follow)


@ROUTER.websocket("/run/{rid}/events")
async def run_stream(websocket: WebSocket, wid: Id, rid: Id, cursor: At = "") -> None:
    """A run's stream: a snapshot and what follows, or what followed a cursor, through restarts of the server too."""

    async def follow(socket: Socket, workspace: OpenWorkspace) -> None:
        feed = await workspace.watcher.feed(rid)
        run = workspace.runs.named(rid)
        await socket.stream_from(feed, await _begin_run_stream(socket, workspace, run, feed, cursor))

    await _serve_socket(websocket, wid, follow)


class Socket:
    """One socket, and what is sent to it."""

    def __init__(self, websocket: WebSocket, serving: Serving) -> None:
        self._websocket, self._serving = websocket, serving
        self._outlet = Outlet(websocket)

    async def say(self, kind: str, cursor: str, data: Mapping[str, Any]) -> None:
        """One message for this socket alone."""
        await self._outlet.say(encode_message(kind, cursor, data))

    async def send(self, group: MessageGroup) -> None:
        """Messages that others get too."""
        await self._outlet.send(group)
        self._serving.metrics.count(EVENTS_SENT, len(group.texts))

    async def stream_from(self, feed: Feed, place: int) -> None:
        """All that follows a place, until one side has enough."""
        with feed.subscribe(place) as subscriber:
            sending = subscriber.task = asyncio.create_task(self._sent(feed, subscriber))
            heard = asyncio.create_task(self._heard())
            stopping = asyncio.create_task(self._serving.stopping.wait())
            try:
                await asyncio.wait({sending, heard, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if stopping.done() and not sending.done():
                    await self._last_words(feed, subscriber, sending)
                await self._parted(subscriber, sending)
            finally:
                await _cancel_tasks({sending, heard, stopping})

    async def _sent(self, feed: Feed, subscriber: FeedSubscriber) -> None:
        while True:
            group = feed.group(subscriber.place)
            if group is not None:
                subscriber.sending = True
                await self.send(group)
                subscriber.sending = False
                subscriber.place = group.last
            elif feed.over:
                raise FeedEnded
            else:
                await subscriber.more.wait()
                subscriber.more.clear()

    async def _heard(self) -> None:
        """Nothing that is said here counts; only that the other side is gone."""
        while (await self._websocket.receive())["type"] != "websocket.disconnect":
            pass

    async def _last_words(self, feed: Feed, subscriber: FeedSubscriber, sending: "asyncio.Task[None]") -> None:
        """The server stops: what is there leaves before the goodbye."""
        feed.close()
        subscriber.more.set()
        await asyncio.wait({sending}, timeout=LAST_SECONDS)

    async def _parted(self, subscriber: FeedSubscriber, sending: "asyncio.Task[None]") -> None:
        error = sending.exception() if sending.done() and not sending.cancelled() else None
        if subscriber.slow or isinstance(error, SubscriberTooSlow):
            self._serving.metrics.count(EVENTS_DROPPED)
            await self._outlet.drop(TOO_SLOW, "too slow: come back with your cursor")
        elif isinstance(error, FeedEnded) or self._serving.stopping.is_set():
            await _close_socket(self._websocket, RESTART, "come back with your cursor")
        elif error is not None and not isinstance(error, WebSocketDisconnect):
            raise error


async def _cancel_tasks(tasks: "set[asyncio.Task[Any]]") -> None:
    """End tasks whose end nobody waits for any more, whatever it is."""
    for task in tasks:
        task.cancel()
    done, _ = await asyncio.wait(tasks)
    for task in done:
        if not task.cancelled():
            task.exception()


async def _serve_socket(
    websocket: WebSocket, wid: str, follow: Callable[[Socket, OpenWorkspace], Awaitable[None]]
) -> None:
    if await authorize_socket(websocket, Right.READ) is None:
        return
    serving: Serving = websocket.app.state.serving
    try:
        workspace = await serving.workspaces.opened(wid)
        async with workspace.watcher.open():
            await follow(Socket(websocket, serving), workspace)
    except WebSocketDisconnect:
        return
    except NotFound as error:
        await _close_socket(websocket, NOTHING_THERE, str(error))
    except HoldfastError as error:
        await _close_socket(websocket, FAILED, str(error))


async def _begin_stream(socket: Socket, workspace: OpenWorkspace, cursor: str) -> int:
    """Say how things are, or that what was missed follows; the place to go on from."""
    hub = workspace.hub
    place = hub.place(cursor)
    if place is not None:
        await socket.say("resumed", cursor, {"missed": len(hub.after(place) or ())})
        return place
    # The place first: what changes while the snapshot is taken comes after it once more, and nothing is missed.
    place = hub.last
    await socket.say("snapshot", hub.cursor(place), await take_workspace_snapshot(workspace))
    return place


async def _begin_run_stream(socket: Socket, workspace: OpenWorkspace, run: AgentRun, feed: RunFeed, cursor: str) -> int:
    place, now = parse_cursor(cursor), feed.last
    if place is None or place > now:
        await socket.say("snapshot", format_cursor(now), await take_run_snapshot(workspace, run, now // 2))
        return now
    if feed.reaches(place):
        await socket.say("resumed", cursor, {"missed": len(feed.after(place) or ()), "status": run.status})
        return place
    missed = await asyncio.to_thread(_collect_missed, run, place, now)
    await socket.say("resumed", cursor, {"missed": len(missed), "status": run.status})
    if missed:
        await socket.send(MessageGroup(texts=tuple(missed), frames=b"".join(map(encode_frame, missed)), last=now))
    return now


def _collect_missed(run: AgentRun, place: int, now: int) -> Sequence[bytes]:
    """What a file says of the time between two places: the events, and the end if that was one of them."""
    found = [_text(event) for event in read_events(run) if place < place_of(event.line) <= now]
    if is_end(now):
        found.append(encode_message("run_complete", format_cursor(now), {"runId": run.name, "status": run.status}))
    return found


def _text(event: NumberedEvent) -> bytes:
    return encode_message(event.type, str(event.line), event.data, event.ts)


async def _close_socket(websocket: WebSocket, code: int, reason: str) -> None:
    # The other side may be gone by now, which is all that was wanted.
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await websocket.close(code, reason.encode()[:LONGEST_REASON].decode(errors="ignore"))
