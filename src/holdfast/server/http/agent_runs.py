"""Runs of our own agent: started, followed, approved, cancelled. Each has a thread and a loop of its own."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any, Protocol

from holdfast.act.cancel_request import PATIENCE, DidNotEnd, request_cancel, wait_for_end
from holdfast.act.execute.run_trust import ApprovalAnswer, ApprovalRequest
from holdfast.act.open_run import PreparedRun, open_run, read_options
from holdfast.act.run_files import AgentRun, NoRun, Runs
from holdfast.app import build_app
from holdfast.core.errors import Conflict, HoldfastError, NotFound, Refused, Unavailable
from holdfast.core.ids import random_part
from holdfast.core.run import AgentEvent, EventType, RunOptions, Trust
from holdfast.core.value import Value, replace
from holdfast.redact.clean import clean
from holdfast.server.http.streams.workspace_watch import WorkspaceWatcher
from holdfast.workspace import App

BOUND = "serve.trust"
# Of a diff or a command as it is kept; who is asked sees all of it in the run's `approvals`.
LONGEST = 100_000
_LEVELS = tuple(Trust)
logger = logging.getLogger("holdfast.server")


class RunWorkspace(Protocol):
    """What a keeper needs of its workspace."""

    id: str
    path: str
    flags: Mapping[str, str]
    watcher: WorkspaceWatcher

    @property
    def folder(self) -> str:
        """Where it keeps its files."""

    def touched(self, why: str) -> None:
        """Look at the files at once."""


class AlreadyRunning(Conflict):
    """One run at a time."""

    def __init__(self, run: str) -> None:
        self.http_more = {"run": run} if run else {}
        super().__init__(
            f"{f'Run {run!r}' if run else 'A run'} is under way in this workspace; one goes on at a time.",
            f"wait until it ends, or cancel it: DELETE run/{run or 'ID'}.",
        )


class TooMuchTrust(Refused):
    """More than a run that is started over the network may be trusted with."""

    def __init__(self, asked: str, bound: str) -> None:
        super().__init__(
            f"Runs that are started here are trusted with {bound!r} at most, not {asked!r}.",
            f"raise the bound in a terminal: holdfast config {BOUND} {asked}; or say less.",
        )


class NoApproval(NotFound):
    """Nothing waits by this name."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"Nothing waits for an answer as {wanted[:40]!r}.",
            "it was answered, or its run has ended: look at the run.",
        )


class DidNotBegin(Unavailable):
    """A run that ended before it was there."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The run did not begin: {why}.", "try again; the server's log may say more.")


class RunRequest(Value):
    """What a caller asks of a run."""

    goal: str
    trust: str = ""
    model: str = ""
    lens: str = ""
    planner: str = ""
    plan_only: bool = False
    resume: str = ""


class PendingApproval(Value):
    """What a run waits for a person to say."""

    id: str
    request: ApprovalRequest


class LiveRun:
    """A run that this server carries."""

    def __init__(self) -> None:
        self.name = ""
        self.begun: Future[str] = Future()
        self.ended: Future[None] = Future()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.task: asyncio.Task[None] | None = None
        self.stopped = False
        self.asked: dict[str, tuple[ApprovalRequest, asyncio.Future[ApprovalAnswer]]] = {}

    def stop(self) -> None:
        """End it at its next breath; from any thread. It can go on later."""
        self.stopped = True
        if self.loop is not None and self.task is not None:
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self.task.cancel)


class WorkspaceRuns:
    """The runs of one workspace. `active`: the name of the one that this server carries, or None."""

    def __init__(self, workspace: RunWorkspace) -> None:
        self._workspace = workspace
        self._live: LiveRun | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def active(self) -> str | None:
        """The run that this server carries now."""
        live = self._live
        return live.name or None if live is not None else None

    @property
    def busy(self) -> bool:
        """Whether a run goes on, or begins."""
        return self._live is not None

    @property
    def runs(self) -> Runs:
        """All runs, whoever carries them."""
        return Runs(self._workspace.folder)

    def named(self, name: str) -> AgentRun:
        """A run by its whole name. Raises NoRun."""
        run = self.runs.run(name)
        if not run.state():
            raise NoRun(name)
        return run

    def going(self) -> list[AgentRun]:
        """The runs that some process carries now, oldest first; no conversations."""
        return self.runs.going()

    def waiting(self, name: str) -> list[PendingApproval]:
        """What a run waits for a person to say."""
        live = self._live
        if live is None or live.name != name:
            return []
        return [PendingApproval(id=each, request=request) for each, (request, _) in list(live.asked.items())]

    async def start(self, wanted: RunRequest) -> str:
        """Begin a run; its name, once it is on disk. Raises AlreadyRunning, TooMuchTrust, NoModelSet."""
        if self._live is not None:
            raise AlreadyRunning(self._live.name)
        live = self._live = LiveRun()
        self._loop = asyncio.get_running_loop()
        try:
            others = await asyncio.to_thread(self.going)
            if others:
                raise AlreadyRunning(others[-1].name)
        except BaseException:
            self._live = None
            live.ended.set_result(None)
            raise
        # A daemon: one that will not end must not keep the server from ending. It counts as interrupted then.
        threading.Thread(target=self._carry, args=(live, wanted), name="run", daemon=True).start()
        return await asyncio.shield(asyncio.wrap_future(live.begun))

    async def answer(self, name: str, approval: str, said: ApprovalAnswer) -> None:
        """A person's answer. Raises NoApproval."""
        live = self._live
        found = live.asked.get(approval) if live is not None and live.name == name else None
        if live is None or live.loop is None or found is None or found[1].done():
            raise NoApproval(approval)
        live.loop.call_soon_threadsafe(_settle, found[1], said)

    async def cancel(self, name: str, by: str) -> None:
        """End a run, whoever carries it; one that has ended stays as it is. `by`: the token's name.

        Raises NoRun, IsConversation, RunOfAnother, DidNotEnd.
        """
        live = self._live
        if live is None or live.name != name:
            run = await asyncio.to_thread(self.named, name)
            if await asyncio.to_thread(request_cancel, run, "server", by):
                await asyncio.to_thread(wait_for_end, run)
            return
        await asyncio.to_thread(self._end, live, by)
        if not await _wait_for_end(live):
            raise DidNotEnd(name)

    def _end(self, live: LiveRun, by: str) -> None:
        """Ask a run of ours to end, so that it says by whom; where that cannot be written it is cut off."""
        try:
            asked = live.begun.done() and request_cancel(self.runs.run(live.name), "server", by)
        except HoldfastError:
            asked = False
        if not asked:
            live.stop()

    async def close(self) -> None:
        """End what runs, so that it can go on later."""
        live = self._live
        if live is not None:
            live.stop()
            await _wait_for_end(live)

    # In the run's thread

    def _carry(self, live: LiveRun, wanted: RunRequest) -> None:
        try:
            asyncio.run(self._carried(live, wanted))
        except HoldfastError as error:
            _fail(live.begun, error)
        except Exception as error:
            # A mistake of ours: the run says `cancelled` and can go on; what it was stands in the log.
            logger.error("run", exc_info=error)
            _fail(live.begun, error)
        finally:
            self._live = None
            _fail(live.begun, None)
            live.ended.set_result(None)
            self._workspace.watcher.wake()
            if self._loop is not None:
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._workspace.touched, "a run ended")

    async def _carried(self, live: LiveRun, wanted: RunRequest) -> None:
        model = {"model": wanted.model} if wanted.model else {}
        app = build_app(self._workspace.path, {**self._workspace.flags, **model})
        try:
            await self._followed(live, self._opened(live, app, wanted), plan_only=wanted.plan_only)
        finally:
            app.close()

    def _opened(self, live: LiveRun, app: App, wanted: RunRequest) -> PreparedRun:
        said = {"trust": wanted.trust, "lens": wanted.lens, "planner": wanted.planner}
        options = limit_trust(app, wanted, read_options(app, **said))
        asking = _Asking(self, live)
        made = open_run(app, wanted.goal, options, asking.approve, wanted.resume)
        asking.run = made.run
        live.name = made.run.name
        live.loop, live.task = asyncio.get_running_loop(), asyncio.current_task()
        return made

    async def _followed(self, live: LiveRun, made: PreparedRun, *, plan_only: bool) -> None:
        if live.stopped:
            raise asyncio.CancelledError
        events = made.agent.run(made.session, made.memory, planner=made.planner, plan_only=plan_only)
        try:
            async with contextlib.aclosing(events):
                async for _ in events:
                    if not live.begun.done():
                        live.begun.set_result(live.name)
                    self._workspace.watcher.wake()
        except asyncio.CancelledError:
            if not live.stopped:
                raise

    def log_event(self, run: AgentRun, kind: EventType, data: Mapping[str, object]) -> None:
        """Put an event of ours among those of a run: without secrets, for it goes to the disk."""
        ts = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        cleaned: Any = clean(dict(data), limit=LONGEST).value
        run.add(AgentEvent(type=kind, data=cleaned, ts=ts, run=run.name))
        self._workspace.watcher.wake()


class _Asking:
    """Asks the person who watches: an event in the stream, and an answer by another request."""

    def __init__(self, keeper: WorkspaceRuns, live: LiveRun) -> None:
        self._keeper, self._live = keeper, live
        self.run: AgentRun | None = None

    async def approve(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Wait for the answer, however long it takes."""
        assert self.run is not None
        name = f"A-{random_part(8)}"
        answer: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self._live.asked[name] = request, answer
        try:
            shown = {"what": request.what, "diff": request.diff, "command": request.command, "why": request.why}
            more = {"tool": request.tool, "task_id": request.task}
            self._keeper.log_event(self.run, EventType.APPROVAL_NEEDED, {"approvalId": name, **shown, **more})
            given = await answer
        finally:
            del self._live.asked[name]
        said = {"approvalId": name, "answer": given.answer, "reason": given.reason}
        self._keeper.log_event(self.run, EventType.APPROVAL_GIVEN, said)
        return given


def limit_trust(app: App, wanted: RunRequest, options: RunOptions) -> RunOptions:
    """The options, within what runs over the network are trusted with. Raises TooMuchTrust for what was asked."""
    bound = Trust(str(app.settings[BOUND]))
    if _LEVELS.index(options.trust) <= _LEVELS.index(bound):
        return options
    if wanted.trust:
        raise TooMuchTrust(str(options.trust), str(bound))
    return replace(options, trust=bound)


async def _wait_for_end(live: LiveRun) -> bool:
    try:
        await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(live.ended)), PATIENCE)
    except TimeoutError:
        return False
    return True


def _settle(waiting: "asyncio.Future[ApprovalAnswer]", said: ApprovalAnswer) -> None:
    if not waiting.done():
        waiting.set_result(said)


def _fail(begun: "Future[str]", error: Exception | None) -> None:
    if begun.done():
        return
    if isinstance(error, HoldfastError):
        begun.set_exception(error)
    else:
        begun.set_exception(DidNotBegin(type(error).__name__ if error else "it was cancelled"))
