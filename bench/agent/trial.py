"""One case carried out by the whole agent: orient, plan, execute, validate, learn."""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.agent.cases import Case
from bench.agent.policy import Policy, Temper, tokens
from holdfast.act.agent import Agent
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.trust import check_of
from holdfast.domain.act import AgentEvent, EventType, RunOptions, Trust
from holdfast.domain.value import Value
from holdfast.memory.persistent import PersistentMemory
from holdfast.memory.session import SessionContext
from holdfast.wiring.app import App


class Trial(Value):
    """What came of a case in an arm. `prompt` and `read` are tokens: of one planning prompt, of all requests."""

    case: Case
    planned: bool
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
def workspace(case: Case, *, remembers: bool = True) -> Iterator[Path]:
    """The case's repository in a folder of its own, with a home of its own."""
    before = os.environ.get("HOLDFAST_HOME")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as top:
        os.environ["HOLDFAST_HOME"] = os.path.join(top, "home")
        folder = Path(os.path.realpath(top), case.name)
        folder.mkdir()
        try:
            case.lay_out(folder, remembers=remembers)
            # The index is built once; a user's is there before a run starts.
            PersistentMemory.load(folder).get_relevant(case.goal)
            yield folder
        finally:
            if before is None:
                del os.environ["HOLDFAST_HOME"]
            else:
                os.environ["HOLDFAST_HOME"] = before


def trial(case: Case, temper: Temper, *, remembers: bool) -> Trial:
    """Carry a case out, in a fresh copy of its repository."""
    with workspace(case, remembers=remembers) as folder:
        policy = Policy(case, temper)
        events = _ran(folder, case, policy, PersistentMemory.load(folder))
    data: Mapping[EventType, AgentEvent] = {event.type: event for event in events}
    kinds = [event.type for event in events]
    plan = data[EventType.PLAN_COMPLETE].data if EventType.PLAN_COMPLETE in data else {}
    planned = case.dead is not None and plan.get("approach") == case.dead.approach
    return Trial(
        case=case, planned=planned, repeated=case.dead in policy.took,
        first=EventType.VALIDATION_PASSED in kinds and EventType.VALIDATION_FAILED not in kinds,
        reached=bool(data[EventType.COMPLETE].data["success"]) if EventType.COMPLETE in data else False,
        repairs=policy.repairs, outvoted=not planned and not policy.repairs and bool(plan),
        told=any(map(case.knows, policy.prompts)),
        prompt=tokens(policy.prompts[0]), read=policy.tokens, calls=len(policy.asked),
    )  # fmt: skip


def planning(folder: Path, case: Case, load: Callable[[Path], PersistentMemory]) -> Spent:
    """How long it takes to the plan: memory loaded, session built, memory asked, the plans checked."""
    policy = Policy(case, Temper.READS)
    wall, cpu = time.perf_counter(), time.process_time()
    _ran(folder, case, policy, load(folder), plan_only=True)
    return Spent(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)


def _ran(
    folder: Path, case: Case, policy: Policy, memory: PersistentMemory, *, plan_only: bool = False
) -> list[AgentEvent]:
    session = SessionContext.build(folder, case.goal, RunOptions(trust=Trust.WORKSPACE))
    run = os.path.join(memory.folder, "runs", session.session_id)
    os.makedirs(run)
    check = None if plan_only else check_of(App(str(folder)))
    hands = ToolExecutor(str(folder), run, Trust.WORKSPACE, check=check)
    agent = Agent(policy, hands, str(folder), gates=(case.gate,))

    async def all_of_it() -> list[AgentEvent]:
        return [event async for event in agent.run(session, memory, plan_only=plan_only)]

    return asyncio.run(all_of_it())
