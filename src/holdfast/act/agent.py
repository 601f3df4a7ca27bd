"""The agent: memory flows in before the plan, along with every task, and out again after."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from holdfast.act.budget import AdaptiveBudget
from holdfast.act.cancel_watch import RunCancelled, stream_until_cancelled
from holdfast.act.phases import Phases, RunSession, Said
from holdfast.act.ports import Carrier, Remembering, ToolRunner
from holdfast.act.run_files import CANCELLED, DONE, FAILED, PLANNED
from holdfast.core.errors import HoldfastError
from holdfast.core.model_port import Model
from holdfast.core.run import AgentEvent, EventType, Gate


class Agent:
    """A model, hands, a folder, a budget and gates. All else comes with the session and its memory."""

    def __init__(
        self, model: Model, tool_executor: ToolRunner, cwd: str = "", budget: AdaptiveBudget | None = None,
        gates: Sequence[Gate] = (),
    ) -> None:  # fmt: skip
        self.model = model
        self.tool_executor = tool_executor
        self.cwd = cwd
        self.budget = budget or AdaptiveBudget()
        self.gates = tuple(gates)

    async def run(
        self, session: RunSession, memory: Remembering, *, planner: str = "harmonic", plan_only: bool = False,
        carrier: Carrier | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:  # fmt: skip
        """Reach the session's goal. Every event is on disk before it is told; closing the iterator ends the run.

        `carrier` does the tasks instead of the model and its tools: a client that they are handed to.
        """
        run = Phases(self, session, memory, planner, carrier)
        status = CANCELLED
        try:
            async with (
                aclosing(_run_phases(run, plan_only=plan_only)) as phases,
                aclosing(stream_until_cancelled(phases, run.record)) as told,
            ):
                async for kind, data in told:
                    yield run.log_event(kind, data)
            status = PLANNED if plan_only else DONE if run.succeeded else FAILED
            yield run.log_event(EventType.COMPLETE, run.summary())
        except RunCancelled as asked:
            request = asked.request
            yield run.log_event(EventType.CANCELLED, {"message": request.words, "way": request.way, "by": request.by})
        except HoldfastError as error:
            status = FAILED
            yield run.log_event(EventType.ERROR, {"message": str(error), "hint": error.hint})
        finally:
            await self.tool_executor.close()
            run.end(status)


async def _run_phases(run: Phases, *, plan_only: bool) -> AsyncGenerator[Said, None]:
    for phase in (run.orient, run.plan, run.execute, run.validate, run.learn)[: 2 if plan_only else 5]:
        async with aclosing(phase()) as happening:
            async for said in happening:
                yield said
