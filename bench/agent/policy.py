"""Minds in a script: each plans the dead end unless something keeps it from it. No model is asked."""

import json
from collections.abc import AsyncGenerator
from enum import StrEnum

from bench.agent.cases import Case, Way
from holdfast.act.plan.planners import REPAIR, STANCES
from holdfast.core.model import Ask, Delta, Done, Reply, Stop, ToolCall
from holdfast.core.model_port import Traits
from holdfast.recall.pack import CHARACTERS_PER_TOKEN

TURNED_DOWN = REPAIR.partition("\n")[0]


class Temper(StrEnum):
    """What keeps a mind from the dead end beside an error that it sees.

    `READS`: words of its prompt that name it. `STUBBORN`: only that its plan is turned down. `SPLIT`: nothing, but
    one of its three plans goes another way.
    """

    READS = "reads"
    STUBBORN = "stubborn"
    SPLIT = "split"


class Policy:
    """A model with a temper. `asked`: all requests; `proposed`: each plan it gave; `took`: each way it went."""

    name = "scripted"
    traits = Traits(free=True)

    def __init__(self, case: Case, temper: Temper) -> None:
        self._case, self._temper = case, temper
        self.asked: list[Ask] = []
        self.proposed: list[Way] = []
        self.took: list[Way] = []

    def complete(self, ask: Ask) -> Reply:
        """The answer to a request."""
        self.asked.append(ask)
        match ask.purpose:
            case "plan":
                self.proposed.append(self._planned(_text(ask)))
                return Reply(text=_plan(self.proposed[-1]))
            case "learn":
                return Reply(text=json.dumps({"learnings": []}))
            case _:
                return self._worked(ask)

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """The answer, in one piece."""
        yield Done(reply=self.complete(ask))

    @property
    def prompts(self) -> list[str]:
        """What each stance was first told."""
        return [ask.messages[0].text for ask in self.asked if ask.purpose == "plan" and len(ask.messages) == 1]

    @property
    def repairs(self) -> int:
        """How often a plan was turned down because it breaks memory."""
        return sum(ask.purpose == "plan" and TURNED_DOWN in ask.messages[-1].text for ask in self.asked)

    @property
    def refused(self) -> bool:
        """Whether a change was refused."""
        return any(result.failed for ask in self.asked for result in ask.messages[-1].results)

    @property
    def tokens(self) -> int:
        """All that it read, about."""
        return sum(tokens(f"{ask.system}{_text(ask)}") for ask in self.asked)

    def _planned(self, text: str) -> Way:
        case = self._case
        if case.dead is None or TURNED_DOWN in text:
            return case.good
        match self._temper:
            case Temper.READS:
                return case.good if case.knows(text) else case.dead
            case Temper.STUBBORN:
                return case.dead
            case Temper.SPLIT:
                return case.good if STANCES["parallel"] in text else case.dead

    def _worked(self, ask: Ask) -> Reply:
        """Write what the task says, once; who sees the error of the dead end takes the other way."""
        if ask.messages[-1].results:
            return Reply(text="It is done.")
        case, text = self._case, _text(ask)
        way = case.good
        if case.dead is not None and case.dead.approach in text and not (case.error and f"gate: {case.error}" in text):
            way = case.dead
        self.took.append(way)
        calls = [_written(way.path, way.text)]
        if way is case.good and case.dead is not None and case.dead in self.took and case.dead.path != way.path:
            calls.append(_written(case.dead.path, case.files.get(case.dead.path, "")))
        return Reply(calls=tuple(calls), stop=Stop.TOOLS)


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _text(ask: Ask) -> str:
    return "\n".join(message.text for message in ask.messages)


def _written(path: str, text: str) -> ToolCall:
    return ToolCall(id=f"write_{path}", name="write", arguments={"path": path, "content": text})


def _plan(way: Way) -> str:
    task = {
        "id": "T1", "description": way.approach, "mode": "code", "target_path": way.path, "produces": [way.path],
        "reads": [], "depends_on": [],
    }  # fmt: skip
    return json.dumps({"approach": way.approach, "tasks": [task], "choices": [], "criteria": [], "anti_criteria": []})
