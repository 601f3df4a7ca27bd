"""A plan as JSON: what is asked for, and what is made of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.act.model_rows import build_object_schema, read_json
from holdfast.act.plan.task_graph import find_problems
from holdfast.core.model import Shape
from holdfast.core.run import Choice, Plan, Task

LONGEST = 2000
MODES = ("code", "test", "docs", "command", "research")
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return build_object_schema(properties)


_CHOICES = {
    "type": "array",
    "items": _object(
        question=_TEXT, choice=_TEXT, because=_TEXT,
        rejected={"type": "array", "items": _object(option=_TEXT, reason=_TEXT)},
    ),
}  # fmt: skip
_TASKS = {
    "type": "array",
    "items": _object(
        id=_TEXT, description=_TEXT, mode={"type": "string", "enum": list(MODES)}, target_path=_TEXT, produces=_TEXTS,
        reads=_TEXTS, depends_on=_TEXTS,
    ),
}  # fmt: skip
_ARTIFACTS = {
    "type": "array",
    "items": _object(path=_TEXT, what=_TEXT, mode={"type": "string", "enum": list(MODES)}, needs=_TEXTS),
}
TASKS = Shape(
    name="plan",
    schema=_object(approach=_TEXT, tasks=_TASKS, choices=_CHOICES, criteria=_TEXTS, anti_criteria=_TEXTS),
)
ARTIFACTS = Shape(
    name="artifacts",
    schema=_object(approach=_TEXT, artifacts=_ARTIFACTS, choices=_CHOICES, criteria=_TEXTS, anti_criteria=_TEXTS),
)


def read_plan(text: str, stance: str = "") -> tuple[Plan | None, list[str]]:
    """The plan in a reply, and what is wrong with it; where anything is, there is no plan."""
    try:
        found = read_json(text)
    except ValueError:
        return None, ["it is no JSON"]
    if not isinstance(found, dict):
        return None, ["it is no JSON object"]
    tasks = tuple(_tasks(found) if "tasks" in found else _read_artifacts(found))
    wrong = find_problems(tasks)
    if wrong:
        return None, wrong
    return Plan(
        tasks=tasks, approach=_text(found.get("approach")), stance=stance, choices=tuple(_choices(found)),
        criteria=_texts(found.get("criteria")), anti_criteria=_texts(found.get("anti_criteria")),
    ), []  # fmt: skip


def plan_json(plan: Plan) -> dict[str, Any]:
    """A plan as it is kept with its run."""
    return {
        "stance": plan.stance, "approach": plan.approach,
        "tasks": [task_json(task) for task in plan.tasks],
        "choices": [
            {
                "question": each.question, "choice": each.choice, "because": each.because,
                "rejected": [{"option": option, "reason": reason} for option, reason in each.rejected],
            }
            for each in plan.choices
        ],
        "criteria": list(plan.criteria), "anti_criteria": list(plan.anti_criteria),
    }  # fmt: skip


def task_json(task: Task) -> dict[str, Any]:
    """A task as it is kept with its run."""
    return {
        "id": task.id, "description": task.description, "mode": task.mode, "target_path": task.target_path,
        "produces": list(task.produces), "reads": list(task.reads), "depends_on": list(task.depends_on),
    }  # fmt: skip


def _tasks(found: Mapping[str, Any]) -> Iterator[Task]:
    for row in _rows(found.get("tasks")):
        mode = _text(row.get("mode"))
        yield Task(
            id=_text(row.get("id")), description=_text(row.get("description")), mode=mode if mode in MODES else "code",
            target_path=_path(row.get("target_path")), produces=_paths(row.get("produces")),
            reads=_paths(row.get("reads")), depends_on=_texts(row.get("depends_on")),
        )  # fmt: skip


def _read_artifacts(found: Mapping[str, Any]) -> Iterator[Task]:
    """What must exist, as tasks: each artifact is one, and waits for those it needs."""
    rows = _rows(found.get("artifacts"))
    names = {_path(row.get("path")): f"A{number}" for number, row in enumerate(rows, start=1)}
    for row in rows:
        path, mode = _path(row.get("path")), _text(row.get("mode"))
        needs = _paths(row.get("needs"))
        yield Task(
            id=names[path], description=f"Make {path}: {_text(row.get('what'))}",
            mode=mode if mode in MODES else "code",
            target_path=path, produces=(path,) if path else (),
            reads=tuple(need for need in needs if need not in names),
            depends_on=tuple(names[need] for need in needs if need in names and need != path),
        )  # fmt: skip


def _choices(found: Mapping[str, Any]) -> Iterator[Choice]:
    for row in _rows(found.get("choices")):
        options = ((_text(each.get("option")), _text(each.get("reason"))) for each in _rows(row.get("rejected")))
        made = Choice(
            question=_text(row.get("question")), choice=_text(row.get("choice")), because=_text(row.get("because")),
            rejected=tuple(option for option in options if option[0]),
        )  # fmt: skip
        if made.question and made.choice:
            yield made


def _rows(value: Any) -> Sequence[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value.strip()[:LONGEST] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    found = (_text(each) for each in value) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(each for each in found if each))


def _path(value: Any) -> str:
    return _text(value).removeprefix("./").rstrip("/")


def _paths(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for each in _texts(value) if (path := _path(each))))
