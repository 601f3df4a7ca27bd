"""What the loop needs of hands and of memory. Each is given to it, and loads nothing by itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from holdfast.core.finding import Checked
from holdfast.core.memory import Memory
from holdfast.core.model import Tool, ToolCall, ToolResult
from holdfast.core.run import Gate, GateResult, Task, TaskResult
from holdfast.library.persistent_memory import MemoryContext, TaskMemoryContext
from holdfast.recall.pack import MemoryPack


class ToolRunner(Protocol):
    """What carries out tool calls, within what the user trusts it with."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What a model may call."""

    async def begin(self, task: Task) -> None:
        """A task starts: it owns what it produces, once no other does."""

    def end(self, task: Task) -> None:
        """A task is over: its files are anybody's again."""

    async def call(self, call: ToolCall, task: Task | None = None) -> ToolResult:
        """Carry out one call. Whatever is wrong with it is said in the result."""

    async def gate(self, gate: Gate, seconds: float) -> GateResult:
        """Run a gate."""

    def files_of(self, task_id: str) -> tuple[str, ...]:
        """The files that a task changed."""

    def diff(self) -> str:
        """All that was changed so far."""

    async def close(self) -> None:
        """End what still runs."""


class Carrier(Protocol):
    """Who carries tasks out: our own worker, or a client that they are handed to."""

    async def carry_out(self, task: Task, prompt: str) -> TaskResult:
        """Do a task. What goes wrong is in the result; only cancelling goes through."""


class Remembering(Protocol):
    """What the loop asks memory for, and gives to it."""

    def get_relevant(self, goal: str) -> MemoryContext:
        """What matters to a goal."""

    def get_task_context(self, task: Task) -> TaskMemoryContext:
        """What binds a task."""

    def checker(self) -> Callable[[str, Sequence[str]], Checked]:
        """What says what a plan in words, at some paths, would break; for many plans of one moment."""

    def record_event(self, run: str, name: str, data: Mapping[str, Any]) -> str:
        """Keep what happened in a run, as the journal keeps sessions; the event's id."""

    def record_injected(self, run: str, pack: MemoryPack, event: str, at: str = "prompt") -> None:
        """Keep which memory a run was told."""

    @property
    def folder(self) -> str:
        """Where the workspace keeps its runs."""

    def record_decision(self, text: str, **fields: Any) -> Memory:
        """Propose a decision that a run took."""

    def record_failure(self, text: str, **fields: Any) -> Memory:
        """Propose what a run tried in vain."""

    def record_learning(self, text: str, **fields: Any) -> Memory:
        """Propose what a run learned."""

    def record_session(self, run: str) -> Mapping[str, Any]:
        """A run is over: its summary, briefing, lineage and what it gave besides."""
