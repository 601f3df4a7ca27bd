"""The loop that ends a run: gates and criteria, fix, again; till all is well, nothing moves, or nothing is left."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from holdfast.act.budget import AdaptiveBudget
from holdfast.act.ports import Carrier, ToolRunner
from holdfast.act.validate.gate_errors import count_errors, find_error_line, hash_error
from holdfast.act.validate.success_criteria import judge_criteria
from holdfast.act.work_task import Note
from holdfast.core.fence import make_inert
from holdfast.core.model_port import Model
from holdfast.core.run import Criterion, EventType, Gate, GateResult, Task
from holdfast.core.value import Value, replace

LONGEST_OUTPUT = 3000
GATE_SECONDS = 600.0
Said = tuple[EventType, Mapping[str, Any]]


class DistinctError(Value):
    """One distinct error: how often it came, and the first event that shows it."""

    gate: str
    error: str
    hash: str
    count: int
    event: str


class Convergence:
    """Validates a run. What it came to is in `passed`, `why`, `criteria` and `failures` once it ended."""

    def __init__(
        self, model: Model, hands: ToolRunner, worker: Carrier, budget: AdaptiveBudget, note: Note, run: str = ""
    ) -> None:
        self._model, self._hands, self._worker, self._budget = model, hands, worker, budget
        self._note, self._run = note, run
        self.passed = False
        self.why = ""
        self.gates: list[GateResult] = []
        self.criteria: list[Criterion] = []
        self.failures: dict[str, DistinctError] = {}

    async def run(
        self, gates: Sequence[Gate], criteria: Sequence[Criterion], prompt: str
    ) -> AsyncGenerator[Said, None]:
        """Run gates, fix what fails, and again. `prompt`: what whoever fixes is told of the project."""
        self.criteria = list(criteria)
        seen: dict[frozenset[str], int] = {}
        before = -1
        while True:
            async for event in self._look(gates):
                yield event
            wrong = self._wrong()
            if not wrong:
                self.passed = True
                return
            errors = sum(count_errors(result.output) or 1 for result in self.gates if not result.passed) + len(
                self._unmet()
            )
            moved = before < 0 or errors < before
            before = errors
            self._budget.progressed(moved)
            key = frozenset(wrong)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > 2 and not moved:
                self.why = "the same errors came again and again"
                return
            if spent := self._budget.spent:
                self.why = f"the budget is used up: {spent}"
                return
            async for event in self._mend(wrong, prompt):
                yield event

    async def _look(self, gates: Sequence[Gate]) -> AsyncGenerator[Said, None]:
        self.gates = []
        for gate in gates:
            yield EventType.VALIDATION_START, {"gate": gate.name, "command": " ".join(gate.command)}
            result = await self._hands.gate(gate, GATE_SECONDS)
            if result.missing:
                yield (
                    EventType.SIGNAL,
                    {"level": "warning", "message": f"Gate {gate.name} could not run: {result.error}"},
                )
                continue
            if not result.passed:
                result = replace(
                    result, error=find_error_line(result.output), hash=hash_error(gate.name, result.output)
                )
            self.gates.append(result)
            event = self._note("validation", {"gate": gate.name, "passed": result.passed, "text": result.error})
            if result.passed:
                yield EventType.VALIDATION_PASSED, {"gate": gate.name, "seconds": round(result.seconds, 3)}
            else:
                self._count(result, event)
                yield EventType.VALIDATION_FAILED, {"gate": gate.name, "error": result.error, "hash": result.hash}
        if all(result.passed for result in self.gates) and self.criteria:
            self.criteria, reply = await judge_criteria(
                self._model, self.criteria, self._hands.diff(), self.gates, self._run
            )
            if reply is not None:
                self._budget.spend(reply.usage, reply.cost)

    def _count(self, result: GateResult, event: str) -> None:
        held = self.failures.get(result.hash)
        made = DistinctError(gate=result.gate, error=result.error, hash=result.hash, count=1, event=event)
        self.failures[result.hash] = replace(held, count=held.count + 1) if held else made

    def _unmet(self) -> list[Criterion]:
        return [each for each in self.criteria if each.met is False]

    def _wrong(self) -> dict[str, str]:
        """What is wrong, by what it is known again by."""
        found = {result.hash: f"{result.gate}: {result.error}" for result in self.gates if not result.passed}
        return found or {each.id: f"not met: {each.text}" for each in self._unmet()}

    async def _mend(self, wrong: Mapping[str, str], prompt: str) -> AsyncGenerator[Said, None]:
        self._budget.attempt()
        task = Task(id=f"fix-{self._budget.tried}", description=f"Fix: {'; '.join(wrong.values())}"[:400])
        yield EventType.TASK_START, {"task_id": task.id, "description": task.description, "mode": task.mode}
        outputs = [
            f"{result.gate} said:\n{make_inert(result.output)[-LONGEST_OUTPUT:]}"
            for result in self.gates
            if not result.passed
        ]
        words = "\n\n".join([prompt, f"Task {task.id}: {task.description}", *outputs])
        result = await self._worker.carry_out(task, words)
        yield (
            EventType.TASK_COMPLETE,
            {
                "task_id": task.id, "duration_ms": result.duration_ms, "files": list(result.files),
                "success": result.success, "error": result.error, "budget": self._budget.form(),
            },
        )  # fmt: skip
