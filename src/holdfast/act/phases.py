"""The five phases of a run, each a stream of what happens in it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, Protocol

from holdfast.act.budget import AdaptiveBudget
from holdfast.act.learn.run_candidates import RunCandidate, propose_decisions, propose_failures, propose_learnings
from holdfast.act.plan.plan_json import plan_json
from holdfast.act.plan.planners import PLANNERS
from holdfast.act.plan.task_graph import build_waves
from holdfast.act.ports import Carrier, Remembering, ToolRunner
from holdfast.act.run_files import AgentRun, Runs, make_run_name
from holdfast.act.validate.converge import Convergence
from holdfast.act.validate.success_criteria import list_criteria
from holdfast.act.work_task import Worker
from holdfast.core.distilled import Briefing
from holdfast.core.memory_json import to_json
from holdfast.core.model_port import Model
from holdfast.core.run import RUN_NAME, AgentEvent, EventType, Gate, Plan, Task, TaskResult, Trust
from holdfast.library.persistent_memory import MemoryContext

AT_ONCE = 3
Said = tuple[EventType, Mapping[str, Any]]


class RunSession(Protocol):
    """What a run is told of its workspace and goal: a SessionContext."""

    session_id: str
    goal: str
    trust: Trust
    briefing: Briefing | None
    tasks: list[Task]
    current_task: Task | None
    artifacts_created: list[str]
    files_modified: list[str]

    def to_planning_prompt(self) -> str:
        """The goal and the project, for whoever plans."""

    def to_task_prompt(self, task: Task) -> str:
        """A task and the project, for whoever carries it out."""


class AgentParts(Protocol):
    """What a run is done with: an Agent."""

    model: Model
    tool_executor: ToolRunner
    budget: AdaptiveBudget
    gates: tuple[Gate, ...]


class Phases:
    """One run of one agent."""

    def __init__(
        self, agent: AgentParts, session: RunSession, memory: Remembering, planner: str = "harmonic",
        carrier: Carrier | None = None,
    ) -> None:  # fmt: skip
        self._agent, self._session, self._memory, self._planner = agent, session, memory, planner
        name = session.session_id if RUN_NAME.fullmatch(session.session_id) else make_run_name()
        session.session_id = name
        self.record: AgentRun = Runs(memory.folder).run(name)
        own = Worker(agent.model, agent.tool_executor, agent.budget, name, self._note)
        self._carrier: Carrier = carrier or own
        self._known = MemoryContext()
        self._taken: Plan = Plan(tasks=())
        self._planned_at = ""
        self._results: dict[str, TaskResult] = {}
        self._answers: list[tuple[str, str]] = []
        self._given: list[RunCandidate] = []
        self._checked: Convergence | None = None

    # What happens

    async def orient(self) -> AsyncGenerator[Said, None]:
        """What do we know? What must be kept in mind?"""
        about = {"model": self._agent.model.name, "planner": self._planner, "trust": str(self._session.trust)}
        self.record.begin(self._session.goal, about)
        asked = await asyncio.to_thread(self._note, "prompt", {"prompt": self._session.goal})
        self._known = await asyncio.to_thread(self._memory.get_relevant, self._session.goal)
        await asyncio.to_thread(self._memory.record_injected, self.record.name, self._known.pack, asked)
        known = self._known
        yield (
            EventType.ORIENT,
            {
                "learnings": len(known.learnings), "constraints": len(known.constraints),
                "dead_ends": len(known.dead_ends), "team_decisions": len(known.team_decisions),
                "patterns": len(known.patterns), "ids": list(known.pack.ids()),
            },
        )  # fmt: skip

    async def plan(self) -> AsyncGenerator[Said, None]:
        """Decompose the goal into tasks, told what was decided and what failed. A run that goes on keeps its plan."""
        held = self.record.plan
        yield EventType.PLAN_START, {"planner": self._planner, "resumed": held is not None}
        turned_down: list[dict[str, Any]] = []
        if held is None:
            planner = PLANNERS[self._planner](self._agent.model, self._memory.checker())
            prompt = "\n\n".join(filter(None, (self._session.to_planning_prompt(), self._known.to_prompt())))
            hazards = self._session.briefing.hazards if self._session.briefing else ()
            made = await planner.plan(self._session.goal, prompt, hazards, self.record.name)
            self._agent.budget.spend(made.usage, made.cost)
            held = made.plan
            turned_down = [{"stance": r.stance, "why": r.why, "score": r.score} for r in made.rejected]
            self.record.keep_plan(held, {"score": made.score.total, "rejected_plans": turned_down})
        self._taken = held
        self._session.tasks = list(held.tasks)
        self._planned_at = await asyncio.to_thread(self._note, "answer", {"answer": _format_plan(held)})
        added = {"added": list(held.criteria), "forbidden": list(held.anti_criteria)}
        await asyncio.to_thread(self._note, "criteria", added)
        form = plan_json(held)
        gates = [gate.name for gate in self._agent.gates]
        yield EventType.PLAN_COMPLETE, {**form, "gates": gates, "rejected_plans": turned_down}

    async def execute(self) -> AsyncGenerator[Said, None]:
        """Carry the tasks out, those of a wave side by side, each with the memory that binds it."""
        done = self.record.done_tasks()
        for task_id, files in done.items():
            self._results[task_id] = TaskResult(task_id=task_id, success=True, files=files)
        for wave in build_waves(self._taken.tasks):
            ready = []
            for task in wave:
                lacking = [name for name in task.depends_on if not self._results[name].success]
                if task.id in done:
                    continue
                if lacking:
                    result = TaskResult(task_id=task.id, success=False, error=f"needs {', '.join(lacking)}")
                    self._results[task.id] = result
                    yield self._complete(result)
                else:
                    ready.append(task)
            async with aclosing(self._side_by_side(ready)) as happening:
                async for said in happening:
                    yield said

    async def validate(self) -> AsyncGenerator[Said, None]:
        """Gates and criteria, fixed until all is well, nothing moves, or the budget is spent."""
        agent = self._agent
        self._checked = Convergence(
            agent.model, agent.tool_executor, self._carrier, agent.budget, self._note, self.record.name
        )
        if not agent.gates:
            yield (
                EventType.SIGNAL,
                {"level": "warning", "message": "No gate was found: nothing but criteria is checked."},
            )
        prompt = "\n\n".join(filter(None, (self._session.to_planning_prompt(), self._known.to_prompt())))
        async with aclosing(self._checked.run(agent.gates, list_criteria(self._taken), prompt)) as happening:
            async for kind, data in happening:
                if kind is EventType.TASK_COMPLETE:
                    self._touch(data["files"])
                yield kind, data
        marked: dict[str, list[str]] = {"verified": [], "failed": []}
        for each in self._checked.criteria:
            if each.met is not None and not each.anti:
                marked["verified" if each.met else "failed"].append(each.text)
        await asyncio.to_thread(self._note, "criteria", marked)

    async def learn(self) -> AsyncGenerator[Said, None]:
        """What was decided, what failed, what was found out: candidates. Then the session is over."""
        run, memory = self.record.name, self._memory
        failed = list(self._checked.failures.values()) if self._checked else []
        given = list(propose_decisions(memory, self._taken, self._planned_at, run))
        given += list(propose_failures(memory, failed, list(self._results.values()), run))
        more, reply = await propose_learnings(self._agent.model, memory, self._answers, run)
        if reply is not None:
            self._agent.budget.spend(reply.usage, reply.cost)
        self._given = [*given, *more]
        for each in self._given:
            yield each.type, {"candidate": to_json(each.memory)}
        over = await asyncio.to_thread(memory.record_session, run)
        yield EventType.BRIEFING_UPDATED, dict(over)

    # What came of it

    @property
    def succeeded(self) -> bool:
        """Whether every task was done and every gate and criterion is as it should be."""
        tasks = all(result.success for result in self._results.values())
        return tasks and self._checked is not None and self._checked.passed

    def summary(self) -> dict[str, Any]:
        """The run in numbers."""
        checked = self._checked
        return {
            "success": self.succeeded, "why": checked.why if checked else "",
            "tasks": len(self._results), "done": sum(result.success for result in self._results.values()),
            "gates": len(checked.gates) if checked else 0,
            "criteria": [
                {"text": c.text, "anti": c.anti, "met": c.met, "evidence": c.evidence}
                for c in (checked.criteria if checked else ())
            ],
            "learnings": sum(each.type is EventType.LEARNING_ADDED for each in self._given),
            "decisions": sum(each.type is EventType.DECISION_MADE for each in self._given),
            "failures": sum(each.type is EventType.FAILURE_RECORDED for each in self._given),
            "files": list(self._session.files_modified), "budget": self._agent.budget.form(),
        }  # fmt: skip

    def log_event(self, kind: EventType, data: Mapping[str, Any]) -> AgentEvent:
        """An event, on disk."""
        ts = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        event = AgentEvent(type=kind, data=data, ts=ts, run=self.record.name)
        self.record.add(event)
        return event

    def end(self, status: str) -> None:
        """Write down how it ended."""
        self.record.end(status, {"budget": self._agent.budget.form()})

    async def _side_by_side(self, tasks: Sequence[Task]) -> AsyncGenerator[Said, None]:
        """Tasks at the same time; what happens in each, as it happens. Whoever stops listening ends them."""
        heard: asyncio.Queue[Said | None] = asyncio.Queue()
        room = asyncio.Semaphore(AT_ONCE)

        async def one(task: Task) -> None:
            try:
                async with room:
                    heard.put_nowait((
                        EventType.TASK_START, {"task_id": task.id, "description": task.description, "mode": task.mode}
                    ))  # fmt: skip
                    heard.put_nowait(self._complete(await self._carry_out(task)))
            finally:
                heard.put_nowait(None)

        running = [asyncio.create_task(one(task)) for task in tasks]
        try:
            left = len(running)
            while left:
                said = await heard.get()
                if said is None:
                    left -= 1
                else:
                    yield said
            await asyncio.gather(*running)
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _carry_out(self, task: Task) -> TaskResult:
        self._session.current_task = task
        bound = await asyncio.to_thread(self._memory.get_task_context, task)
        prompt = "\n\n".join(filter(None, (self._session.to_task_prompt(task), bound.to_prompt())))
        await self._agent.tool_executor.begin(task)
        try:
            result = await self._carrier.carry_out(task, prompt)
        finally:
            self._agent.tool_executor.end(task)
        self._results[task.id] = result
        self._touch(result.files)
        return result

    def _touch(self, files: Sequence[str]) -> None:
        new = [path for path in files if path not in self._session.files_modified]
        self._session.files_modified += new
        self._session.artifacts_created += [path for path in new if path not in self._session.artifacts_created]

    def _complete(self, result: TaskResult) -> Said:
        return (
            EventType.TASK_COMPLETE,
            {
                "task_id": result.task_id, "duration_ms": result.duration_ms, "files": list(result.files),
                "success": result.success, "summary": result.summary, "error": result.error,
                "budget": self._agent.budget.form(),
            },
        )  # fmt: skip

    def _note(self, name: str, data: Mapping[str, Any]) -> str:
        event = self._memory.record_event(self.record.name, name, data)
        if name == "answer" and self._planned_at:
            self._answers.append((event, str(data["answer"])))
        return event


def _format_plan(plan: Plan) -> str:
    lines = [f"Plan ({plan.stance}): {plan.approach}"]
    lines += [f"- {task.id}: {task.description}" for task in plan.tasks]
    for choice in plan.choices:
        lines.append(f"{choice.question} {choice.choice}: {choice.because}")
        lines += [f"Rejected {option}: {reason}" for option, reason in choice.rejected]
    return "\n".join(lines)
