"""A run put together: memory, session, model, hands, gates and budget, from the settings and what the user said."""

from collections.abc import Sequence

from holdfast.act.agent import Agent
from holdfast.act.budget import AdaptiveBudget
from holdfast.act.execute.client_executor import HandedTasks
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.run_trust import Approve, make_check, make_guard
from holdfast.act.ports import Carrier
from holdfast.act.run_files import DONE, AgentRun, RunIsHeld, RunOfAnother, Runs
from holdfast.act.validate.gates import detect_gates, parse_gates
from holdfast.context.session_context import SessionContext
from holdfast.core.errors import BadRequest, Conflict, Unavailable
from holdfast.core.home import read_environment
from holdfast.core.model_port import NoModel
from holdfast.core.run import Gate, RunOptions, Task, TaskResult, Trust
from holdfast.core.value import Value
from holdfast.library.persistent_memory import PersistentMemory
from holdfast.llm.app_model import open_paid_model
from holdfast.system.folders import make_folder
from holdfast.workspace import App, need_person


class RunNeedsModel(Unavailable):
    """A run needs a model."""

    def __init__(self, found: NoModel) -> None:
        super().__init__(
            f"A run needs a model: {found.reason}.",
            found.hint or "name one: --model anthropic:NAME, or `holdfast config model`.",
        )


class RunIsOver(Conflict):
    """A run that was done cannot go on."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Run {name!r} is complete.", f"`holdfast runs show {name}` shows it; start another one.")


class UnknownTrust(BadRequest):
    """A level of trust that there is not."""

    def __init__(self, said: str) -> None:
        super().__init__(f"There is no trust {said!r}.", f"it is one of {', '.join(Trust)}.")


class PreparedRun(Value):
    """A run ready to start."""

    agent: Agent
    session: SessionContext
    memory: PersistentMemory
    run: AgentRun
    planner: str
    carrier: Carrier | None = None
    notices: tuple[str, ...] = ()


def read_options(app: App, **said: str) -> RunOptions:
    """The options of a run: what was said, else the settings. An empty word says nothing."""
    trust = said.get("trust") or str(app.settings["run.trust"])
    if trust not in set(Trust):
        raise UnknownTrust(trust)
    return RunOptions(
        trust=Trust(trust), timeout_seconds=int(app.settings["run.seconds"]), model=str(app.settings["model"]),
        lens=said.get("lens", ""), planner=said.get("planner") or str(app.settings["run.planner"]),
    )  # fmt: skip


class ClientCarrier:
    """Tasks handed to a client that is installed, each with the memory that binds it in its prompt."""

    def __init__(self, handing: HandedTasks, seconds: float) -> None:
        self._handing, self._seconds = handing, seconds

    async def carry_out(self, task: Task, prompt: str) -> TaskResult:
        """Have it done by the client."""
        return await self._handing.carry_out(task, prompt, self._seconds)


def open_run(
    app: App, goal: str, options: RunOptions, approve: Approve | None = None, resume: str = "", executor: str = ""
) -> PreparedRun:
    """Put a run together. Opening sends nothing to the model and changes no file of the project.

    `executor`: the client (claude, codex, opencode) that carries the tasks out instead of our own tools.
    """
    need_person(app, "run")
    runs = Runs(app.folder)
    held = runs.named(resume) if resume else None
    if held is not None and held.elsewhere:
        raise RunOfAnother(held.name)
    if held is not None and held.state().get("status") == DONE:
        raise RunIsOver(held.name)
    if held is not None and held.alive:
        raise RunIsHeld(held.name)
    model = open_paid_model(app)
    if isinstance(model, NoModel):
        raise RunNeedsModel(model)
    memory = PersistentMemory(app.open_other(app.workspace))
    goal = str(held.state().get("goal", goal)) if held else goal
    session = SessionContext.build(app.workspace, goal, options, app.flags)
    if held is not None:
        session.session_id = held.name
    run = runs.run(session.session_id)
    hands = _hands(app, run, options, approve, memory)
    gates = read_gates(app)
    agent = Agent(model=model, tool_executor=hands, cwd=app.workspace, budget=read_budget(app), gates=gates)
    handed = (
        ClientCarrier(HandedTasks(executor, hands, read_environment()), float(options.timeout_seconds))
        if executor
        else None
    )
    return PreparedRun(
        agent=agent, session=session, memory=memory, run=run, planner=options.planner, carrier=handed,
        notices=hands.notices,
    )  # fmt: skip


def read_gates(app: App) -> Sequence[Gate]:
    """The gates that the user named, else those that the project's files tell of."""
    named = str(app.settings["run.gates"]).strip()
    if named == "none":
        return []
    return parse_gates(named) if named else detect_gates(app.workspace)


def read_budget(app: App) -> AdaptiveBudget:
    """What a run may take, by the settings."""
    return AdaptiveBudget(
        tokens=int(app.settings["run.tokens"]), cents=float(app.settings["run.cents"]),
        seconds=float(app.settings["run.seconds"]), attempts=int(app.settings["run.attempts"]),
    )  # fmt: skip


def _hands(
    app: App, run: AgentRun, options: RunOptions, approve: Approve | None, memory: PersistentMemory
) -> ToolExecutor:
    def recall(query: str) -> str:
        return memory.get_relevant(query).to_prompt()

    make_folder(run.folder)
    return ToolExecutor(
        app.workspace,
        run.folder,
        options.trust,
        approve,
        recall,
        guard=make_guard(app, run.name),
        check=make_check(app),
    )
