"""The hands of a run: one tool call in, one result out, whatever is wrong with it; every change on record first."""

import asyncio
import os
import shlex
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from holdfast.act.execute import run_command
from holdfast.act.execute.bubblewrap import Sandbox, find_sandbox, wrap_command
from holdfast.act.execute.edit_log import FOLDER, RUNS, EditLog, LoggedEdit
from holdfast.act.execute.file_owners import Owners
from holdfast.act.execute.model_tools import MEMORY, TOOLS, check_arguments
from holdfast.act.execute.run_command import CommandResult, build_environment
from holdfast.act.execute.run_trust import READING, ApprovalRequest, Approve, Check, Gatekeeper, Guard
from holdfast.act.execute.text_files import Binary, escape_controls, read_text
from holdfast.act.execute.undo_run import diff_log
from holdfast.act.execute.workspace_files import Files, PlannedWrite
from holdfast.act.validate.gate_errors import find_error_line, hash_error
from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.fence import CLOSE, OPEN, fence_text
from holdfast.core.model import Tool, ToolCall, ToolResult
from holdfast.core.run import Gate, GateResult, Task, Trust
from holdfast.redact import clean as redact
from holdfast.system.bounded_regex import find_pattern_error, match_lines
from holdfast.system.safe_fs import FILE, PathState, SafeFolder

SHELL = "/bin/sh"
LONGEST_MEMORY = 12_000
LISTED = 20
MOST_THREADS = 64
CLIENT_ROOM = 200
SEARCH_SECONDS = 5.0
NOT_FOUND = 127
ENDED = {
    run_command.TIMEOUT: "it took longer than {seconds:g} s and was ended",
    run_command.CANCELLED: "it was cancelled",
    run_command.OUTPUT: "it printed without end and was ended",
    run_command.PROCESSES: "it started too many processes and was ended",
}

T = TypeVar("T")
Remember = Callable[[str], str]


class ElsewhereRun(BadRequest):
    """A folder for a run that is not one of the workspace's."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder!r} is no folder of a run.", f"a run lies in {FOLDER}/{RUNS}/NAME of its workspace.")


class ToolExecutor:
    """Carries out tool calls in one workspace, for one run. Close it: what still runs is ended then."""

    def __init__(  # noqa: PLR0913  # what a run is given, each with its default
        self,
        root: str,
        run_folder: str,
        trust: Trust = Trust.ASK,
        approve: Approve | None = None,
        memory: Remember | None = None,
        *,
        guard: Guard | None = None,
        check: Check | None = None,
        environment: Mapping[str, str] | None = None,
        sandbox: Sandbox | None = None,
        network: bool = False,
    ) -> None:
        self._below = SafeFolder(root)
        self.root = self._below.root
        try:
            self._log = EditLog(self._below, _run_of(run_folder, root))
        except BaseException:
            self._below.close()
            raise
        self._memory = memory
        self._environment = dict(os.environ if environment is None else environment)
        self._sandbox = find_sandbox(self._environment) if sandbox is None else sandbox
        self._network = network
        self._keeper = Gatekeeper(trust, approve, guard, check)
        self._files = Files(self._below, self._log, lambda pattern, lines: match_lines(pattern, lines, SEARCH_SECONDS))
        self.owners = Owners()
        self._pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="holdfast-hands")
        self._halts: set[threading.Event] = set()
        self._handing = asyncio.Lock()
        self._closed = False
        self._does: Mapping[str, Callable[[dict[str, Any], ToolCall, str], Awaitable[str]]] = {
            "read": self._look, "list": self._look, "grep": self._look, "edit": self._change, "write": self._change,
            "patch": self._change, "run": self._command, "memory": self._recall,
        }  # fmt: skip

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What a model may call under this trust."""
        reading = self._keeper.trust is Trust.READ_ONLY
        return tuple(
            tool
            for tool in TOOLS
            if (not reading or tool.name in READING) and (tool is not MEMORY or self._memory is not None)
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know of this run's hands."""
        if self._keeper.trust in {Trust.READ_ONLY, Trust.FULL} or self._sandbox.program:
            return ()
        return (f"Commands run without a sandbox: {self._sandbox.missing}. They can write outside the workspace.",)

    async def call(self, call: ToolCall, task: Task | None = None) -> ToolResult:
        """Carry out one call. Whatever is wrong with it is said in the result; only cancelling goes through."""
        try:
            given = check_arguments(call, {tool.name: tool for tool in TOOLS})
            self._keeper.allows(call.name)
            text = await self._does[call.name](given, call, task.id if task is not None else "")
        except _Failed as failed:
            return _result(call, str(failed), failed=True)
        except HoldfastError as error:
            return _result(call, f"{error} {error.hint}".strip(), failed=True)
        except OSError as error:
            return _result(call, f"The system says: {error.strerror or error}.", failed=True)
        except Exception as error:
            # Whatever it is: a model is answered, and the run goes on.
            return _result(call, f"That cannot be done: {type(error).__name__}.", failed=True)
        return _result(call, text)

    async def begin(self, task: Task) -> None:
        """A task starts: it owns what it produces, once no other does. Raises OwnedByOther."""
        await self.owners.begin(task.id, [_normalize_path(path, self.root) for path in task.produces])

    def end(self, task: Task) -> None:
        """A task is over: its files are anybody's again."""
        self.owners.end(task.id)

    async def gate(self, gate: Gate, seconds: float) -> GateResult:
        """Run a gate. It is the project's own, so a person is asked at most once for each."""
        line = shlex.join(gate.command)
        try:
            self._keeper.allows("run")
            await self._keeper.asked(
                ApprovalRequest(tool="run", what=f"gate {gate.name}", command=line, cwd=self.root), None, line
            )
            self._keeper.remember(line)
            ran, _ = await self._ran(list(gate.command), gate.cwd or ".", seconds, "")
        except (HoldfastError, OSError) as error:
            return GateResult(gate=gate.name, passed=False, error=str(error), missing=True)
        missing = ran.status == NOT_FOUND and not ran.ended
        output = ran.text if not ran.ended else f"{ran.text}\n{ENDED[ran.ended].format(seconds=seconds)}".lstrip()
        passed = ran.good
        return GateResult(
            gate=gate.name, passed=passed, output=output, error="" if passed else find_error_line(output),
            hash="" if passed else hash_error(gate.name, output), seconds=ran.seconds, missing=missing,
        )  # fmt: skip

    @property
    def trust(self) -> Trust:
        """How far the run may go."""
        return self._keeper.trust

    async def run_client(
        self, kind: str, words: Sequence[str], given: str, environment: Mapping[str, str], seconds: float, task: Task
    ) -> tuple[CommandResult, list[LoggedEdit]]:
        """Run a client on a task, one at a time. It has a sandbox of its own; what is asked is whether at all."""
        request = ApprovalRequest(
            tool=kind, what=f"hand to {kind}: {task.description}"[:400], cwd=self.root, task=task.id
        )
        await self._keeper.asked(request, None, f"hand {kind}")
        halt = threading.Event()

        def work() -> tuple[CommandResult, list[LoggedEdit]]:
            with self._below.folder(()) as folder:
                self._log.begin_command(f"{kind}: {task.description}", task.id)
                try:
                    whole = {**environment, "PWD": self.root}
                    ran = run_command.run(words, folder, whole, seconds, halt, given=given, room=CLIENT_ROOM)
                finally:
                    changed = self._log.end_command(task.id, kind)
                return ran, changed

        async with self._handing:
            self._halts.add(halt)
            try:
                return await self._whole(work, halt)
            finally:
                self._halts.discard(halt)

    async def broken_by(self, changed: Sequence[LoggedEdit]) -> str:
        """What memory has against files as they are now; empty where it has nothing certain."""

        def work() -> str:
            after = {change.path: self._kept_text(change.path, change.after) for change in changed}
            before = {change.path: self._kept_text(change.path, change.before) for change in changed}
            try:
                self._keeper.checked({path: text for path, text in after.items() if text is not None}, before=before)
            except HoldfastError as error:
                return f"{error} {error.hint}"
            return ""

        return await self._whole(work)

    def _kept_text(self, path: str, state: PathState | None) -> str | None:
        data = self._log.bytes_of(state) if state is not None and state.kind == FILE else None
        try:
            return None if data is None else read_text(data, path).text
        except Binary:
            return None

    def files_of(self, task_id: str) -> tuple[str, ...]:
        """The files that a task changed, folders not among them."""
        found = (change for change in self._log.changes if change.task == task_id)
        return tuple(dict.fromkeys(change.path for change in found if _is_file(change)))

    def diff(self) -> str:
        """All that was changed so far, as a unified diff."""
        with self._log.turn:
            return diff_log(self._log)

    async def close(self) -> None:
        """End what still runs, and release the run."""
        if self._closed:
            return
        self._closed = True
        for halt in list(self._halts):
            halt.set()
        await asyncio.to_thread(self._pool.shutdown, wait=True)
        self._log.close()
        self._below.close()

    # The tools

    async def _look(self, given: dict[str, Any], call: ToolCall, task: str) -> str:
        cut = {name: value for name, value in given.items() if name != "pattern"}
        verdict = await self._whole(lambda: self._keeper.guarded(call.name, cut, self.root))
        what = f"{call.name} {given.get('path', '.')}"
        request = ApprovalRequest(tool=call.name, what=what, why=verdict.reason if verdict else "", task=task)
        said = await self._keeper.asked(request, verdict, call.name)
        if call.name == "grep" and (slip := find_pattern_error(given["pattern"])):
            raise BadRequest(slip, "correct the pattern; it is searched for line by line.")
        looks: Mapping[str, Callable[..., str]] = {
            "read": self._files.read,
            "list": self._files.listed,
            "grep": self._files.grep,
        }
        text = await self._whole(lambda: looks[call.name](**given))
        # A file is read as it is, to be edited; a search may come upon what nobody asked for.
        return _add_notes(str(redact.clean(text).value) if call.name == "grep" else text, said)

    async def _change(self, given: dict[str, Any], call: ToolCall, task: str) -> str:
        paths = [each.path for each in await self._whole(lambda: self._planned(call.name, given))]
        async with self.owners.writing(task, paths):
            # Once more: whoever had these files until now may have changed them.
            planned = await self._whole(lambda: self._planned(call.name, given))
            warnings, verdict = await self._whole(lambda: self._judged(call.name, given, planned))
            request = ApprovalRequest(
                tool=call.name,
                what=f"{call.name} {', '.join(each.path for each in planned[:LISTED])}",
                diff=escape_controls("".join(each.diff for each in planned)),
                why=verdict.reason if verdict else "",
                task=task,
            )
            said = await self._keeper.asked(request, verdict, "change")
            await self._whole(lambda: self._files.commit(planned, task=task, tool=call.name, call=call.id))
        return _add_notes("\n".join(map(_describe_write, planned)), [*(f"Warning: {each}" for each in warnings), *said])

    def _planned(self, tool: str, given: dict[str, Any]) -> tuple[PlannedWrite, ...]:
        match tool:
            case "edit":
                every = bool(given.get("replace_all"))
                return (self._files.edited(given["path"], given["old_string"], given["new_string"], every=every),)
            case "write":
                return (self._files.written(given["path"], given["content"], executable=given.get("executable")),)
            case _:
                return self._files.patched(given["patch"])

    def _judged(self, tool: str, given: dict[str, Any], planned: Sequence[PlannedWrite]) -> tuple[list[str], Any]:
        texts = {each.path: _text(each) for each in planned}
        warnings = self._keeper.checked({path: text for path, text in texts.items() if text is not None})
        named = given if "path" in given else {**given, "files": [each.path for each in planned]}
        return warnings, self._keeper.guarded(tool, named, self.root)

    async def _command(self, given: dict[str, Any], call: ToolCall, task: str) -> str:
        words = list(given["argv"]) if "argv" in given else [SHELL, "-c", given["command"]]
        line = given.get("command") or shlex.join(words)
        cwd, seconds = given.get("cwd", "."), float(given.get("timeout", run_command.SECONDS))
        place = os.path.join(self.root, *self._files.parts(cwd, root=True))
        warnings = await self._whole(lambda: self._keeper.checked({}, line))
        verdict = await self._whole(lambda: self._keeper.guarded("Bash", {"command": line}, place))
        request = ApprovalRequest(
            tool=call.name, what=escape_controls(line)[:200], command=escape_controls(line), cwd=place,
            why=verdict.reason if verdict else "", task=task,
        )  # fmt: skip
        said = await self._keeper.asked(request, verdict, f"run {line}")
        ran, changed = await self._ran(words, cwd, seconds, task, line)
        notes = [*_describe_changes(changed), *self._trespassed(changed, task)]
        text = _add_notes(_format_outcome(ran, seconds), [*notes, *(f"Warning: {each}" for each in warnings), *said])
        if not ran.good:
            raise _Failed(text)
        return text

    async def _recall(self, given: dict[str, Any], _call: ToolCall, _task: str) -> str:
        if self._memory is None:
            raise BadRequest("There is no memory in this run.", "go on without.")
        # Not in a thread of ours: its index belongs to whoever opened it.
        text = self._memory(given["query"])
        whole = text.startswith(OPEN) and text.endswith(CLOSE) and text.count(CLOSE) == 1
        return text if whole else fence_text(text, LONGEST_MEMORY) or "(memory has nothing on this)"

    # Commands

    async def _ran(
        self, words: Sequence[str], cwd: str, seconds: float, task: str, line: str = ""
    ) -> tuple[CommandResult, list[LoggedEdit]]:
        """Run words in a folder of the workspace; what they change is on record."""
        parts = self._files.parts(cwd, root=True)
        halt = threading.Event()
        fixed = [path for path in self.owners.of_others(task) if not path.endswith("/")]

        def work() -> tuple[CommandResult, list[LoggedEdit]]:
            with self._below.folder(parts) as folder:
                self._log.begin_command(line or shlex.join(words), task)
                try:
                    ran = self._run(words, os.path.join(self.root, *parts), folder, seconds, halt, fixed)
                finally:
                    changed = self._log.end_command(task, "run")
                return ran, changed

        self._halts.add(halt)
        try:
            return await self._whole(work, halt)
        finally:
            self._halts.discard(halt)

    def _run(
        self, words: Sequence[str], cwd: str, folder: int, seconds: float, halt: threading.Event, fixed: Sequence[str]
    ) -> CommandResult:
        box = self._sandbox.program if self._keeper.trust is not Trust.FULL else ""
        environment = build_environment(self._environment, boxed=bool(box))
        if box:
            home = self._environment.get("HOME", "")
            ours = self._environment.get("HOLDFAST_HOME") or (os.path.join(home, ".holdfast") if home else "")
            words = wrap_command(box, self.root, cwd, words, home=home, ours=ours, network=self._network, fixed=fixed)
        return run_command.run(words, folder, {**environment, "PWD": cwd}, seconds, halt)

    def _trespassed(self, changed: Sequence[LoggedEdit], task: str) -> list[str]:
        owners = ((change.path, self.owners.owner_of(change.path)) for change in changed)
        return [
            f"Warning: '{path}' changed, and belongs to task '{owner}'."
            for path, owner in owners
            if owner not in {"", task}
        ]

    async def _whole(self, work: Callable[[], T], halt: threading.Event | None = None) -> T:
        """Work in a thread. Who is cancelled meanwhile waits for its end, so that nothing is left half done."""
        if self._closed:
            raise BadRequest("The run is over.", "start another one.")
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if halt is not None:
                halt.set()
            while not future.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({future})
            with suppress(BaseException):
                future.result()
            raise


class _Failed(Exception):
    """A command that ran and failed: its text is the result."""


def _result(call: ToolCall, text: str, *, failed: bool = False) -> ToolResult:
    return ToolResult(call=call.id, name=call.name, text=text, failed=failed)


def _run_of(folder: str, root: str) -> str:
    above, name = os.path.split(os.path.realpath(folder))
    if above != os.path.join(os.path.realpath(root), FOLDER, RUNS):
        raise ElsewhereRun(folder)
    return name


def _normalize_path(path: str, root: str) -> str:
    """A path that a plan names, as we name it."""
    plain = os.path.normpath(os.path.join(root, path))
    inside = os.path.relpath(plain, root).replace(os.sep, "/")
    return f"{inside}/" if path.endswith("/") else inside


def _is_file(change: LoggedEdit) -> bool:
    return any(state is not None and state.kind in {"file", "link"} for state in (change.before, change.after))


def _text(each: PlannedWrite) -> str | None:
    if each.after is None:
        return None
    try:
        return read_text(each.after, each.path).text
    except Binary:
        return None


def _describe_write(each: PlannedWrite) -> str:
    if each.after is None:
        return f"deleted {each.path}"
    lines = each.diff.splitlines()
    more = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    less = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return f"{'changed' if each.found else 'wrote'} {each.path} (+{more} −{less} lines)"


def _add_notes(text: str, notes: Sequence[str]) -> str:
    return "\n".join([text, *notes]) if notes else text


def _describe_changes(changed: Sequence[LoggedEdit]) -> list[str]:
    paths = [change.path for change in changed if _is_file(change)]
    if not paths:
        return []
    more = f", and {len(paths) - LISTED} more" if len(paths) > LISTED else ""
    return [f"[changed: {escape_controls(', '.join(paths[:LISTED]).encode('utf-8', 'replace').decode())}{more}]"]


def _format_outcome(ran: CommandResult, seconds: float) -> str:
    why = ENDED[ran.ended].format(seconds=seconds) if ran.ended else f"status {ran.status}"
    return f"{why}, {ran.seconds:.1f} s\n{ran.text}".rstrip("\n")
