"""A workspace watched while somebody listens: what other processes do to it is told within a moment.

Memory is looked at by the workspace itself; here are the journal, the runs, the briefing and the settings. A pause
loses nothing: the next look goes on from what was last seen.
"""

import asyncio
import contextlib
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from holdfast.app import build_app
from holdfast.config.settings import FILE as SETTINGS_FILE
from holdfast.core.errors import HoldfastError
from holdfast.core.event import Cursor
from holdfast.core.run import RUN_NAME
from holdfast.server.http.streams.run_tail import NOFOLLOW, RunFeed
from holdfast.server.http.streams.run_watch import RunTracker, Stamp, read_stamp
from holdfast.server.http.streams.workspace_stream import Hub
from holdfast.workspace import App

PAUSE = 0.25
# Those who wake us, a run of our own for each of its events, do so no oftener than this.
LEAST_PAUSE = 0.02
BRIEFING = "briefing.json"
LARGEST = 1024 * 1024
EVENT = "event"

T = TypeVar("T")
logger = logging.getLogger("holdfast.server")


class Watched(Protocol):
    """What is needed of a workspace."""

    path: str
    flags: Mapping[str, str]
    hub: Hub

    async def do(self, verb: Callable[[App], T]) -> T:
        """Run a verb in the workspace's thread."""

    async def look(self) -> bool:
        """Look at memory, and publish what changed."""


class WorkspaceWatcher:
    """The eyes of one workspace, open while somebody holds them open."""

    def __init__(self, workspace: Watched) -> None:
        self._workspace = workspace
        self._held = 0
        self._task: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._turn = threading.Lock()
        self._seen: _Seen | None = None
        self._opening = asyncio.Lock()

    @property
    def held(self) -> int:
        """How many have it open."""
        return self._held

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Watch. What comes after this has begun is told."""
        self._held += 1
        try:
            await self._begin()
            yield
        finally:
            self._held -= 1
            if not self._held:
                self._pause()

    async def feed(self, run: str) -> RunFeed:
        """The stream of a run. Raises NoRun. Only while open."""
        return await self._in_thread(lambda: self._feed(run))

    def wake(self) -> None:
        """Look now; from any thread. Nothing where nobody watches."""
        loop = self._loop
        if loop is not None and self._held:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._woken.set)

    def close(self) -> None:
        """Watch no more, and release the thread."""
        self._pause()
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _pause(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._thread is not None:
            self._thread.submit(self._let_go)

    async def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with self._opening:
            if self._seen is None:
                end = await self._workspace.do(lambda app: app.index.cursor())
                self._seen = await self._in_thread(lambda: _Seen(self._workspace, end))
            if self._task is None:
                await self._look()
                await self._round()
                self._task = self._loop.create_task(self._watch(), name="watch")

    async def _watch(self) -> None:
        looking: asyncio.Task[None] | None = None
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), PAUSE)
                await asyncio.sleep(LEAST_PAUSE)
            self._woken.clear()
            # A long verb in the workspace's thread must not hold up what is seen here.
            if looking is None or looking.done():
                looking = asyncio.create_task(self._look())
            await self._round()

    async def _look(self) -> None:
        with _tolerate_errors():
            await self._workspace.look()

    async def _round(self) -> None:
        with _tolerate_errors():
            await self._in_thread(self._at_disk)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """A thread of its own: slow looks of others must not hold up what is seen here."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="watch")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _at_disk(self) -> None:
        with self._turn:
            assert self._seen is not None
            self._seen.look()

    def _let_go(self) -> None:
        with self._turn:
            if self._seen is not None and not self._held:
                self._seen.lives.let_go()

    def _feed(self, run: str) -> RunFeed:
        with self._turn:
            assert self._seen is not None
            return self._seen.lives.feed(run)


@contextlib.contextmanager
def _tolerate_errors() -> Iterator[None]:
    """What cannot be read now is read at the next look; whoever asks for it is told why."""
    try:
        yield
    except (HoldfastError, OSError):
        pass
    except Exception as error:
        # A mistake of ours in one look must not blind all who listen.
        logger.error("watching", exc_info=error)


class _Seen:
    """What was last seen of journal, runs, briefing and settings. For one thread at a time."""

    def __init__(self, workspace: Watched, end: Cursor) -> None:
        self._app, self._hub, self._end = build_app(workspace.path, workspace.flags), workspace.hub, end
        self.lives = RunTracker(self._app.folder, self._hub)
        self._briefing = os.path.join(self._app.folder, BRIEFING)
        self._briefed = read_stamp(self._briefing)
        self._config = [os.path.join(each, SETTINGS_FILE) for each in (self._app.home, self._app.folder)]
        self._configured = self._settings_stamps()
        self._settings: Mapping[str, Any] = {}
        # A file of settings that is broken is told by whoever needs one.
        with contextlib.suppress(HoldfastError):
            self._settings = self._app.settings.values

    def look(self) -> None:
        """Tell what moved."""
        self._journal()
        self.lives.look()
        if (now := read_stamp(self._briefing)) != self._briefed:
            self._briefed = now
            self._tell_briefing()
        if (then := self._settings_stamps()) != self._configured:
            self._configured = then
            self._tell_settings()

    def _journal(self) -> None:
        """One message for all that a session did since the last look: no words, only that it moved."""
        grown: dict[tuple[str, str], tuple[str, int]] = {}
        for record in self._app.journal.read(self._end):
            self._end = record.after
            if record.kind == EVENT and record.data.get("session"):
                key = str(record.data.get("client", "")), str(record.data.get("session", ""))
                grown[key] = str(record.data.get("name", "")), grown.get(key, ("", 0))[1] + 1
        for (client, session), (name, count) in grown.items():
            self._hub.publish("session_event", {"client": client, "session": session, "name": name, "count": count})

    def _tell_briefing(self) -> None:
        known = _read(self._briefing)
        session = str(known.get("session", ""))
        # A run tells of its briefing itself.
        if known and not RUN_NAME.fullmatch(session):
            told = {"session": session, "mission": known.get("mission", ""), "nextAction": known.get("nextAction", "")}
            self._hub.publish("briefing_updated", told)

    def _tell_settings(self) -> None:
        self._app.__dict__.pop("settings", None)
        before, self._settings = self._settings, self._app.settings.values
        for key in sorted(before.keys() | self._settings.keys()):
            if before.get(key) != self._settings.get(key):
                self._hub.publish("settings_changed", {"key": key})

    def _settings_stamps(self) -> list[Stamp]:
        return [read_stamp(path) for path in self._config]


def _read(path: str) -> Mapping[str, Any]:
    try:
        with open(os.open(path, NOFOLLOW), "rb") as file:
            found = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
