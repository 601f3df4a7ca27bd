"""How good a plan is: what it covers, what can run side by side, what it costs and risks, and what it breaks."""

from collections.abc import Mapping, Sequence

from holdfast.act.plan.task_graph import build_waves
from holdfast.core.finding import Finding, Severity
from holdfast.core.run import Plan
from holdfast.core.value import Value
from holdfast.index.terms import query_terms

WEIGHTS: Mapping[str, float] = {"coverage": 0.5, "parallelism": 0.15, "cost": 0.15, "risk": 0.2}
# A plan that breaks what is certain is worth less than any that does not.
BROKEN = 1.0
DOUBTED = 0.3
MANY_TASKS = 12
MANY_FILES = 4


class Score(Value):
    """A plan's worth, from 0 to 1 less what it breaks, and its parts."""

    total: float
    coverage: float
    parallelism: float
    cost: float
    risk: float
    violations: float
    reasons: tuple[str, ...] = ()


def score_plan(plan: Plan, goal: str, findings: Sequence[Finding], hazards: Sequence[str] = ()) -> Score:
    """Score a sound plan. `hazards`: files that the briefing warns of."""
    parts = {
        "coverage": _coverage(plan, goal),
        "parallelism": _parallelism(plan),
        "cost": max(0.0, 1 - len(plan.tasks) / MANY_TASKS),
        "risk": 1 - _risk(plan, hazards),
    }
    broken = [found for found in findings if found.severity is Severity.ERROR]
    doubted = [found for found in findings if found.severity is Severity.WARNING]
    violations = BROKEN * len(broken) + DOUBTED * sum(found.confidence for found in doubted)
    total = sum(WEIGHTS[name] * value for name, value in parts.items()) - violations
    reasons = tuple(f"{found.memory}: {found.reason}" for found in (*broken, *doubted))
    return Score(
        total=round(total, 3), violations=round(violations, 3), reasons=reasons,
        **{name: round(value, 3) for name, value in parts.items()},
    )  # fmt: skip


def format_plan(plan: Plan) -> str:
    """A plan in words, as `check` reads it: what is done, and what is chosen. What it turns down is not in it."""
    lines = [plan.approach]
    lines += [f"- {task.description}" for task in plan.tasks]
    lines += [f"- Use {choice.choice} for {choice.question.rstrip('?')}" for choice in plan.choices if choice.choice]
    return "\n".join(line for line in lines if line.strip())


def list_paths(plan: Plan) -> list[str]:
    """The files that a plan says it will touch."""
    named = (path for task in plan.tasks for path in (*task.produces, task.target_path) if path)
    return list(dict.fromkeys(named))


def _coverage(plan: Plan, goal: str) -> float:
    wanted = set(query_terms(goal))
    said = set(query_terms("\n".join([format_plan(plan), *plan.criteria, *list_paths(plan)])))
    return len(wanted & said) / len(wanted) if wanted else 1.0


def _parallelism(plan: Plan) -> float:
    if len(plan.tasks) < 2:
        return 1.0
    return 1 - (len(build_waves(plan.tasks)) - 1) / (len(plan.tasks) - 1)


def _risk(plan: Plan, hazards: Sequence[str]) -> float:
    """Tasks that say no file they write, that run commands, that write many files, or one that is warned of."""
    risky = 0.0
    for task in plan.tasks:
        unclear = task.mode == "code" and not task.produces and not task.target_path
        near = any(path and any(path in hazard for hazard in hazards) for path in (*task.produces, task.target_path))
        risky += 0.5 * unclear + 0.3 * (task.mode == "command") + 0.3 * (len(task.produces) > MANY_FILES) + 0.4 * near
    return min(1.0, risky / max(1, len(plan.tasks)))
