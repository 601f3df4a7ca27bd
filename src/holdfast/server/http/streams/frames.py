"""Sockets that take whole frames: one group of messages is built once and written to every connection as it is."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.types import Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.http11 import Request

from holdfast.server.http.streams.message_feed import MessageGroup

EXTENSION = "holdfast.frames"
# How long a connection that takes nothing may take to say goodbye.
PATIENCE = 5.0


class FrameProtocol(WebSocketsSansIOProtocol):
    """uvicorn's socket, with two more verbs for those who send to hundreds. A full one can be dropped."""

    def handle_connect(self, event: Request) -> None:
        """A socket opens: what it can do besides is among its extensions."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"] = {**(self.scope["extensions"] or {}), EXTENSION: {"socket": self}}

    async def send(self, message: Any) -> None:
        """As uvicorn does it. One that was dropped is gone, whatever is still said to it."""
        if self.close_sent and self.handshake_complete:
            raise ClientDisconnected
        await super().send(message)

    async def write_frames(self, frames: bytes) -> None:
        """Send frames as they are, once the connection has room."""
        await self.writable.wait()
        if self.disconnected or self.close_sent or self.transport.is_closing():
            raise ClientDisconnected
        self.transport.write(frames)

    def drop(self, code: int, reason: str) -> None:
        """Close a connection that takes nothing: the goodbye stands behind what it did not read, for a while."""
        if self.close_sent or self.transport.is_closing():
            return
        try:
            self.conn.send_close(code, reason)
        except InvalidState:
            return
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(PATIENCE, self.transport.abort)

    def keepalive_timeout(self) -> None:
        """A ping was not answered: the peer is gone, whatever still waits for it."""
        super().keepalive_timeout()
        self.loop.call_later(PATIENCE, self.transport.abort)


async def close_socket(scope: Scope, send: Send, code: int, reason: str) -> None:
    """Close a socket from outside of what serves it, also one that takes nothing."""
    extension: Any = (scope.get("extensions") or {}).get(EXTENSION)
    if extension:
        extension["socket"].drop(code, reason)
    else:
        await send({"type": "websocket.close", "code": code, "reason": reason})


class Outlet:
    """Where messages leave: frames where the server can take them, else one text at a time."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        extension: Any = (websocket.scope.get("extensions") or {}).get(EXTENSION)
        self._socket: FrameProtocol | None = extension["socket"] if extension else None

    async def send(self, group: MessageGroup) -> None:
        """Send messages. Raises WebSocketDisconnect."""
        if self._socket is None:
            for text in group.texts:
                await self.say(text)
        else:
            await _write_frames(self._socket.write_frames, group.frames)

    async def say(self, text: bytes) -> None:
        """Send one message. Raises WebSocketDisconnect."""
        await self._websocket.send_text(text.decode())

    async def drop(self, code: int, reason: str) -> None:
        """Close a connection that takes nothing."""
        if self._socket is None:
            await self._websocket.close(code, reason)
        else:
            self._socket.drop(code, reason)


async def _write_frames(write: Callable[[bytes], Awaitable[None]], frames: bytes) -> None:
    try:
        await write(frames)
    except ClientDisconnected:
        raise WebSocketDisconnect(1006) from None
