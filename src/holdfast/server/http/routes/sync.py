"""Memory brought together with a checkout's: what `holdfast sync` speaks to."""

import base64
import binascii
from hashlib import sha256
from typing import Annotated

from fastapi import Query

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.event import Event
from holdfast.exchange.sync.serve_sync import (
    Swap,
    append_events,
    hash_shared_files,
    list_shared_files,
    read_shared_file,
    read_shared_files,
    swap_records,
    swap_shared_file,
)
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.routes.route_parts import Reads, Reviews, make_router
from holdfast.server.http.shapes import sync_shapes as shapes
from holdfast.workspace import App

ROUTER = make_router("sync")


class NoSuchFile(NotFound):
    """A file that is not there, or not any more."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no file {path[:200]!r}.", "ask for the files again.")


class NotBase64(BadRequest):
    """Bytes that are none."""

    def __init__(self) -> None:
        super().__init__("`data` is not base64.", "encode the file's bytes.")


@ROUTER.get("/sync", response_model=shapes.SharedState, operation_id="getShared")
async def state(
    workspace: Opened, _: Reads, since: Annotated[str, Query(max_length=200, description="A mark of before.")] = ""
) -> shapes.SharedState:
    """Every file with its sum; none of them where nothing moved since a mark."""
    found = await workspace.do(list_shared_files)
    mark = hash_shared_files(found)
    rows = found.items() if mark != since else ()
    files = [shapes.SharedFile(path=path, sha256=held.sha256, author=held.author) for path, held in rows]
    return shapes.SharedState(name=workspace.name, mark=mark, files=files)


@ROUTER.get("/sync/file", response_model=shapes.SharedBytes, operation_id="getSharedFile")
async def read(
    workspace: Opened, _: Reads, path: Annotated[str, Query(min_length=1, max_length=1000)]
) -> shapes.SharedBytes:
    """A file's bytes."""
    data = await workspace.do(lambda app: read_shared_file(app, path))
    if data is None:
        raise NoSuchFile(path)
    return _form(path, data)


@ROUTER.post("/sync/fetch", response_model=shapes.FetchedView, operation_id="fetchShared")
async def fetch(given: shapes.FetchBody, workspace: Opened, _: Reads) -> shapes.FetchedView:
    """The bytes of several files."""
    found, looked = await workspace.do(lambda app: read_shared_files(app, given.paths))
    return shapes.FetchedView(files=[_form(path, data) for path, data in found.items()], looked=looked)


@ROUTER.post("/sync/swaps", response_model=shapes.AllSwappedView, operation_id="swapAllShared")
async def swap_all(given: shapes.SwapsBody, workspace: Opened, caller: Reviews) -> shapes.AllSwappedView:
    """Keep several records of another machine, each if it is still as the sender saw it."""
    swaps = [Swap(path=each.path, data=_bytes(each.data), then=each.then) for each in given.swaps]
    now = await workspace.change(lambda app: swap_records(app, swaps, caller.name))
    return shapes.AllSwappedView(now=now)


@ROUTER.post("/sync/swap", response_model=shapes.SwappedView, operation_id="swapShared")
async def swap(given: shapes.SwapBody, workspace: Opened, caller: Reviews) -> shapes.SwappedView:
    """Put a file, or remove it, if it is still as the sender saw it."""
    data = _bytes(given.data)
    now = await workspace.change(lambda app: swap_shared_file(app, given.path, data, given.then, caller.name))
    return shapes.SwappedView(now=now)


@ROUTER.post("/sync/events", response_model=shapes.TakenEventsView, operation_id="sendEvents")
async def events(given: shapes.SentEventsBody, workspace: Opened, caller: Reviews) -> shapes.TakenEventsView:
    """Put events of another machine into the journal; each once, by its key."""
    sent = [_event(each, caller.name) for each in given.events]

    def take(app: App) -> int:
        return append_events(app, sent)

    return shapes.TakenEventsView(fresh=await workspace.change(take))


def _event(given: shapes.SentEventBody, who: str) -> Event:
    # The key names its machine: two machines may count alike.
    return Event(
        client=given.client, name=given.name, session=given.session, key=f"remote:{who}:{given.key}", ts=given.ts,
        data=given.data,
    )  # fmt: skip


def _form(path: str, data: bytes) -> shapes.SharedBytes:
    return shapes.SharedBytes(path=path, sha256=sha256(data).hexdigest(), data=base64.b64encode(data).decode())


def _bytes(data: str | None) -> bytes | None:
    if data is None:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotBase64 from error
