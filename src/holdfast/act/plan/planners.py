"""Planners: harmonic (several stances, the best sound plan that breaks nothing) and artifact-first."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from holdfast.act.ask_model import add_usage, ask_model
from holdfast.act.plan.plan_json import ARTIFACTS, TASKS, read_plan
from holdfast.act.plan.plan_score import WEIGHTS, Score, format_plan, list_paths, score_plan
from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.finding import Checked, Finding
from holdfast.core.model import Ask, Message, Reply, Role, Shape, Usage, reply_as_message
from holdfast.core.model_port import Model
from holdfast.core.run import Plan
from holdfast.core.value import Value

Check = Callable[[str, Sequence[str]], Checked]
STANCES: Mapping[str, str] = {
    "simple": "Take the smallest change that reaches the goal. No new dependency, no new layer.",
    "careful": "Take the plan that is least likely to break what works: tests first, small steps, what can be undone.",
    "parallel": "Take the plan whose tasks can be done at the same time, with clear borders between their files.",
}
MOST_TOKENS = 8000
PURPOSE = "plan"
MEND = "That is no plan that can be used:\n{problems}\nGive the whole JSON object again, mended."
REPAIR = (
    "This plan breaks what binds it:\n{findings}\n"
    "Give the whole JSON object again: another way that breaks none of it. Do not argue with it."
)


REVISE = (
    "This plan seems to go against what was decided or tried before:\n{findings}\n"
    "If it does, give the whole JSON object again: another way. If it does not, give it again as it is."
)
# From here on a warning is worth a question; below, too many are mistaken.
DOUBTED = 0.8


class NoPlan(Unavailable):
    """No planner gave a plan that can be used."""

    def __init__(self, why: Sequence[str]) -> None:
        shown = "; ".join(why) or "there was no answer"
        super().__init__(f"There is no plan: {shown}.", "say the goal in other words, or take another model: --model.")


class RejectedPlan(Value):
    """A plan that was not taken: whose, its score, and why."""

    stance: str
    why: str
    score: float | None = None


class ChosenPlan(Value):
    """The plan that was taken, its score, those that were not, and what planning took."""

    plan: Plan
    score: Score
    rejected: tuple[RejectedPlan, ...] = ()
    usage: Usage = Usage()
    cost: float = 0.0


class Planner(Protocol):
    """Makes a plan of a goal."""

    async def plan(self, goal: str, prompt: str, hazards: Sequence[str] = (), session: str = "") -> ChosenPlan:
        """The plan. `prompt` holds the project and its memory."""


class Attempt(Value):
    """What one stance came to."""

    stance: str
    plan: Plan | None = None
    findings: tuple[Finding, ...] = ()
    why: str = ""
    usage: Usage = Usage()
    cost: float = 0.0


class Harmonic:
    """Several plans at the same time, each from a stance of its own."""

    def __init__(self, model: Model, check: Check, stances: Mapping[str, str] = STANCES) -> None:
        self._model, self._check, self._stances = model, check, stances

    async def plan(self, goal: str, prompt: str, hazards: Sequence[str] = (), session: str = "") -> ChosenPlan:
        """The best of the plans that are sound and break nothing that is certain."""
        made = _Maker(self._model, self._check, TASKS, "planning.md", session)
        attempts = await _gather_attempts(
            made.attempt(name, f"{prompt}\n\n{words}") for name, words in self._stances.items()
        )
        return choose_plan(attempts, goal, hazards)


class ArtifactFirst:
    """What must exist comes first; the order of the work follows from what needs what."""

    def __init__(self, model: Model, check: Check) -> None:
        self._model, self._check = model, check

    async def plan(self, goal: str, prompt: str, hazards: Sequence[str] = (), session: str = "") -> ChosenPlan:
        """The plan that the artifacts give."""
        made = _Maker(self._model, self._check, ARTIFACTS, "artifacts.md", session)
        return choose_plan([await made.attempt("artifact-first", prompt)], goal, hazards)


PLANNERS: Mapping[str, Callable[[Model, Check], Planner]] = {"harmonic": Harmonic, "artifact": ArtifactFirst}


def choose_plan(attempts: Sequence[Attempt], goal: str, hazards: Sequence[str] = ()) -> ChosenPlan:
    """The best plan of some attempts; of equals, the first."""
    rated = [(each, score_plan(each.plan, goal, each.findings, hazards)) for each in attempts if each.plan is not None]
    sound = [pair for pair in rated if not any(found.severity == "error" for found in pair[0].findings)]
    if not sound:
        raise NoPlan([f"{each.stance}: {each.why or _describe_broken(each.findings)}" for each in attempts])
    best, score = max(sound, key=lambda pair: pair[1].total)
    turned_down = [RejectedPlan(stance=each.stance, why=each.why) for each in attempts if each.plan is None]
    for each, other in rated:
        if each is not best:
            why = _describe_broken(each.findings) if (each, other) not in sound else _explain_lower_score(other, score)
            turned_down.append(RejectedPlan(stance=each.stance, why=why, score=other.total))
    usage, cost = Usage(), 0.0
    for each in attempts:
        usage, cost = add_usage(usage, each.usage), cost + each.cost
    assert best.plan is not None
    return ChosenPlan(plan=best.plan, score=score, rejected=tuple(turned_down), usage=usage, cost=cost)


def _explain_lower_score(other: Score, best: Score) -> str:
    if other.total == best.total:
        return f"as good ({other.total}), and not the first"
    parts = [f"{name} {getattr(other, name)}" for name in WEIGHTS if getattr(other, name) < getattr(best, name)]
    return f"scored {other.total}, not {best.total}" + (f": {', '.join(parts)}" if parts else "")


class _Maker:
    """Asks for one plan, has it mended where it is none, and repaired where it breaks what binds."""

    def __init__(self, model: Model, check: Check, shape: Shape, instructions: str, session: str) -> None:
        self._model, self._check, self._shape, self._session = model, check, shape, session
        self._system = _instructions(instructions)

    async def attempt(self, stance: str, prompt: str) -> Attempt:
        messages = [Message(role=Role.USER, text=prompt)]
        usage, cost, why = Usage(), 0.0, ""
        findings: tuple[Finding, ...] = ()
        plan: Plan | None = None
        asked_again = False
        for _ in range(3):
            try:
                reply = await self._ask(messages)
            except HoldfastError as error:
                return Attempt(stance=stance, why=str(error), usage=usage, cost=cost)
            usage, cost = add_usage(usage, reply.usage), cost + (reply.cost or 0.0)
            plan, wrong = read_plan(reply.text, stance)
            if plan is None:
                why = "; ".join(wrong)
                messages += [
                    reply_as_message(reply),
                    Message(role=Role.USER, text=MEND.format(problems=_format_list(wrong))),
                ]
                continue
            checked = await asyncio.to_thread(self._check, format_plan(plan), list_paths(plan))
            findings, why = checked.findings, ""
            doubted = [] if asked_again else [each for each in checked.findings if each.confidence >= DOUBTED]
            if not checked.errors and not doubted:
                break
            asked_again = True
            words = REPAIR if checked.errors else REVISE
            broken = [f"{found.memory}: {found.reason}" for found in checked.errors or doubted]
            messages += [
                reply_as_message(reply),
                Message(role=Role.USER, text=words.format(findings=_format_list(broken))),
            ]
        return Attempt(stance=stance, plan=plan, findings=findings, why=why, usage=usage, cost=cost)

    async def _ask(self, messages: Sequence[Message]) -> Reply:
        return await ask_model(
            self._model,
            Ask(
                messages=tuple(messages), system=self._system, shape=self._shape, most_tokens=MOST_TOKENS,
                purpose=PURPOSE, session=self._session,
            ),
        )  # fmt: skip


async def _gather_attempts(attempts: Iterable[Coroutine[Any, Any, Attempt]]) -> list[Attempt]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in attempts]
    return [task.result() for task in tasks]


@cache
def _instructions(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _format_list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _describe_broken(findings: Sequence[Finding]) -> str:
    return "; ".join(f"breaks {found.memory}: {found.reason}" for found in findings if found.severity == "error")
