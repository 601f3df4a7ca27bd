"""One case carried out by the whole agent: orient, plan, execute, validate, learn."""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path

from bench.agent.cases import Case, Way
from bench.agent.policy import Policy, Temper, tokens
from holdfast.act.agent import Agent
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.run_trust import make_check
from holdfast.app import build_app
from holdfast.context.session_context import SessionContext
from holdfast.core.finding import Severity
from holdfast.core.run import AgentEvent, EventType, RunOptions, Trust
from holdfast.core.value import Value
from holdfast.library.persistent_memory import PersistentMemory


class Trial(Value):
    """What came of a case in an arm.

    `planned`: the plan that was taken is the dead end; `refused`: its change was not let through; `repeated`: it was
    made, and the gate failed. `outvoted`: it was proposed, and another plan won. `prompt` and `read` are tokens: of one
    planning prompt, of all requests.
    """

    case: Case
    planned: bool
    refused: bool
    repeated: bool
    first: bool
    reached: bool
    repairs: int
    outvoted: bool
    told: bool
    prompt: int
    read: int
    calls: int


class Spent(Value):
    """Seconds from the start of a run to its plan, none of them a model's: of the clock and of the processor."""

    wall: float
    cpu: float


@contextmanager
def at_home() -> Iterator[Path]:
    """An empty folder, with a home of Holdfast's of its own."""
    before = os.environ.get("HOLDFAST_HOME")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as top:
        os.environ["HOLDFAST_HOME"] = os.path.join(top, "home")
        try:
            yield Path(os.path.realpath(top))
        finally:
            del os.environ["HOLDFAST_HOME"]
            if before is not None:
                os.environ["HOLDFAST_HOME"] = before


def laid_out(case: Case, top: Path, name: str = "repository", *, remembers: bool) -> Path:
    """The case's repository, with its index built, as a user's is before a run starts. Its path tells nothing."""
    folder = top / name
    folder.mkdir()
    case.lay_out(folder, remembers=remembers)
    PersistentMemory.load(folder).get_relevant(case.goal)
    return folder


def trial(case: Case, temper: Temper, *, remembers: bool) -> Trial:
    """Carry a case out, in a fresh copy of its repository."""
    policy = Policy(case, temper)
    with at_home() as top:
        folder = laid_out(case, top, remembers=remembers)
        memory = PersistentMemory.load(folder)
        agent, session = _opened(folder, case, policy, memory)
        events = asyncio.run(_until(agent.run(session, memory)))
    data: Mapping[EventType, AgentEvent] = {event.type: event for event in events}
    kinds = [event.type for event in events]
    plan = data[EventType.PLAN_COMPLETE].data if EventType.PLAN_COMPLETE in data else {}
    planned = case.dead is not None and plan.get("approach") == case.dead.approach
    return Trial(
        case=case, planned=planned, refused=policy.refused, repeated=_failed_by(case, events),
        first=EventType.VALIDATION_PASSED in kinds and EventType.VALIDATION_FAILED not in kinds,
        reached=bool(data[EventType.COMPLETE].data["success"]) if EventType.COMPLETE in data else False,
        repairs=policy.repairs,
        outvoted=case.dead in policy.proposed and not planned and not policy.repairs and bool(plan),
        told=any(map(case.knows, policy.prompts)),
        prompt=tokens(policy.prompts[0]), read=policy.tokens, calls=len(policy.asked),
    )  # fmt: skip


def said_of(case: Case, way: Way) -> tuple[Severity, ...]:
    """What `check` has against a way, in the case's repository."""
    with at_home() as top:
        memory = PersistentMemory.load(laid_out(case, top, remembers=True))
        return tuple(found.severity for found in memory.check(way.approach, [way.path]).findings)


def _failed_by(case: Case, events: Sequence[AgentEvent]) -> bool:
    failed = [str(event.data["error"]) for event in events if event.type is EventType.VALIDATION_FAILED]
    return case.dead is not None and any(case.error in error for error in failed)


def planning(folder: Path, case: Case, load: Callable[[Path], PersistentMemory]) -> Spent:
    """How long it takes to the plan: memory loaded, session built, memory asked, the plans checked."""
    policy = Policy(case, Temper.READS)
    wall, cpu = time.perf_counter(), time.process_time()
    memory = load(folder)
    agent, session = _opened(folder, case, policy, memory)
    events = asyncio.run(_until(agent.run(session, memory), EventType.PLAN_COMPLETE))
    spent = Spent(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)
    assert events[-1].type is EventType.PLAN_COMPLETE, events[-1].data
    return spent


async def _until(run: AsyncGenerator[AgentEvent, None], last: EventType | None = None) -> list[AgentEvent]:
    """What happens in a run; all of it, or to the first event of a kind."""
    events = []
    async with aclosing(run) as happening:
        async for event in happening:
            events.append(event)
            if event.type is last:
                break
    return events


def _opened(folder: Path, case: Case, policy: Policy, memory: PersistentMemory) -> tuple[Agent, SessionContext]:
    session = SessionContext.build(folder, case.goal, RunOptions(trust=Trust.WORKSPACE))
    run = os.path.join(memory.folder, "runs", session.session_id)
    os.makedirs(run)
    hands = ToolExecutor(str(folder), run, Trust.WORKSPACE, check=make_check(build_app(str(folder))))
    return Agent(policy, hands, str(folder), gates=(case.gate,)), session
