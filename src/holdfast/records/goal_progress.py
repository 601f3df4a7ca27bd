"""Work over many sessions: a goal with its steps and notes, and the work units that served it."""

from collections.abc import Mapping
from typing import Any

from holdfast.records.content_words import content_words
from holdfast.records.work_unit import Unit

OPEN, DONE, DROPPED = "open", "done", "dropped"
_SHARED = 2
_MOST = 200


class GoalProgress:
    """Every goal, by its name."""

    def __init__(self) -> None:
        self.goals: dict[str, dict[str, Any]] = {}

    def take(self, verb: str, data: Mapping[str, Any], at: str) -> None:
        """What a person said about a goal."""
        name = str(data.get("name", ""))
        if verb == "started" and name:
            self.goals[name] = _goal(name, str(data.get("goal", "")), [str(s) for s in data.get("steps", [])], at)
            return
        goal = self.goals.get(name)
        if goal is None:
            return
        goal["updatedAt"] = at
        if verb == "noted":
            goal["notes"] = [*goal["notes"], {"at": at, "text": str(data.get("text", ""))}][-_MOST:]
        elif verb == "step":
            _mark_step(goal, str(data.get("text", "")), done=bool(data.get("done", False)))
        elif verb == "closed":
            goal["status"] = DROPPED if data.get("status") == DROPPED else DONE

    def opened(self, work: Unit, at: str) -> None:
        """Tie a new unit to the open goals that speak of the same thing."""
        words = content_words(f"{work.title} {work.isc.get('ideal', '')}")
        for goal in self.goals.values():
            named = content_words(f"{goal['name']} {goal['goal']} {' '.join(step['text'] for step in goal['steps'])}")
            if goal["status"] == OPEN and len(words & named) >= _SHARED:
                goal["works"] = [*goal["works"], work.id][-_MOST:]
                goal["sessions"] = list(dict.fromkeys([*goal["sessions"], work.session]))[-_MOST:]
                goal["updatedAt"] = at

    def to_state(self) -> dict[str, Any]:
        """All goals as JSON."""
        return self.goals

    @classmethod
    def from_state(cls, data: Mapping[str, Any]) -> "GoalProgress":
        """What `to_state` gave."""
        made = cls()
        made.goals = {name: dict(goal) for name, goal in data.items()}
        return made


def _goal(name: str, goal: str, steps: list[str], at: str) -> dict[str, Any]:
    return {
        "name": name,
        "goal": goal,
        "status": OPEN,
        "steps": [{"text": text, "done": False} for text in steps],
        "notes": [],
        "works": [],
        "sessions": [],
        "createdAt": at,
        "updatedAt": at,
    }


def _mark_step(goal: dict[str, Any], text: str, *, done: bool) -> None:
    known = [step for step in goal["steps"] if step["text"] == text]
    for step in known:
        step["done"] = done
    if not known and text:
        goal["steps"].append({"text": text, "done": done})
