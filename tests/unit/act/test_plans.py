"""Plans: read, held to be sound, scored, checked against memory, and chosen."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from holdfast.act.plan.plan_json import plan_json, read_plan
from holdfast.act.plan.plan_score import format_plan, score_plan
from holdfast.act.plan.planners import ArtifactFirst, ChosenPlan, Harmonic, NoPlan
from holdfast.act.plan.task_graph import build_waves, find_problems
from holdfast.core.finding import Checked, Finding, Severity
from holdfast.core.model import Reply
from holdfast.core.run import Choice, Plan, Task
from holdfast.llm.scripted_model import ScriptedModel, ScriptLine

GOAL = "Add caching to the API"


def _task(name: str, *needs: str, **more: Any) -> Task:
    return Task(id=name, description=f"Do {name}", depends_on=needs, **more)


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ([], "no task"),
        ([_task("T1", "T2"), _task("T2", "T1")], "circle"),
        ([_task("T1", "T1")], "circle"),
        ([_task("T1", "T9")], "no task"),
        ([_task("T1"), _task("T1")], "two tasks"),
        ([_task("T1", produces=("a.py",)), _task("T2", produces=("a.py",))], "both write"),
        ([_task("T1", produces=("../a.py",))], "not inside"),
        ([_task("T1", target_path="/etc/passwd")], "not inside"),
        ([_task("")], "no id"),
    ],
)
def test_a_graph_that_is_not_sound_says_why(tasks: list[Task], why: str) -> None:
    assert any(why in each for each in find_problems(tasks))


def test_a_sound_graph_comes_in_waves() -> None:
    tasks = [_task("T3", "T1", "T2"), _task("T1"), _task("T2"), _task("T4", "T3", produces=("x",))]

    assert find_problems(tasks) == []
    assert [[task.id for task in wave] for wave in build_waves(tasks)] == [["T1", "T2"], ["T3"], ["T4"]]


def test_two_may_write_one_file_after_each_other() -> None:
    assert find_problems([_task("T1", produces=("a",)), _task("T2", "T1"), _task("T3", "T2", produces=("a",))]) == []


def test_a_plan_survives_being_kept() -> None:
    plan = Plan(
        tasks=(_task("T1", produces=("a.py",), reads=("b.py",), mode="test"), _task("T2", "T1")), approach="How",
        stance="simple",
        choices=(Choice(question="Which?", choice="this", because="so", rejected=(("that", "slow"),)),),
        criteria=("It is cached",), anti_criteria=("Redis runs",),
    )  # fmt: skip

    assert read_plan(json.dumps(plan_json(plan)), "simple") == (plan, [])


@pytest.mark.parametrize(
    "text", ["", "no", "[1]", "{", '{"tasks": 3}', '{"tasks": [3]}', '{"artifacts": []}', "null", '{"tasks": []}']
)
def test_rubbish_is_no_plan(text: str) -> None:
    plan, wrong = read_plan(text)

    assert plan is None
    assert wrong


def test_artifacts_become_tasks_that_wait_for_what_they_need() -> None:
    made = {
        "approach": "Files first", "choices": [], "criteria": [], "anti_criteria": [],
        "artifacts": [
            {"path": "api.py", "what": "uses the cache", "mode": "code", "needs": ["cache.py", "old.py"]},
            {"path": "./cache.py", "what": "a cache", "mode": "code", "needs": []},
        ],
    }  # fmt: skip
    plan, wrong = read_plan(json.dumps(made))

    assert wrong == []
    assert plan is not None
    assert [(task.id, task.depends_on, task.produces, task.reads) for task in plan.tasks] == [
        ("A1", ("A2",), ("api.py",), ("old.py",)),
        ("A2", (), ("cache.py",), ()),
    ]


def _finding(severity: Severity) -> Finding:
    return Finding(memory="DEC-1", severity=severity, rule="rejected", reason="rejected 'Redis'", confidence=0.8)


def test_what_breaks_memory_is_worth_less_than_what_does_not() -> None:
    good = Plan(tasks=(_task("T1", produces=("a.py",)),), approach="Add caching to the API in memory")
    poor = Plan(tasks=tuple(_task(f"T{n}", mode="command") for n in range(12)))

    assert score_plan(good, GOAL, [_finding(Severity.ERROR)]).total < score_plan(poor, GOAL, []).total
    assert score_plan(good, GOAL, [_finding(Severity.WARNING)]).total < score_plan(good, GOAL, []).total
    assert score_plan(good, GOAL, []).coverage > score_plan(poor, GOAL, []).coverage


def test_what_a_plan_turns_down_is_not_what_it_does() -> None:
    choice = Choice(question="Which cache?", choice="dogpile", rejected=(("Redis", "failed before"),))

    assert "Redis" not in format_plan(Plan(tasks=(_task("T1"),), choices=(choice,)))


def _plan(words: str, *names: str) -> str:
    tasks = [
        {"id": name, "description": f"{words} {name}", "mode": "code", "target_path": f"{name}.py",
         "produces": [f"{name}.py"], "reads": [], "depends_on": []}
        for name in names or ("T1",)
    ]  # fmt: skip
    return json.dumps({"approach": words, "tasks": tasks, "choices": [], "criteria": [], "anti_criteria": []})


def no_redis(text: str, _: Sequence[str]) -> Checked:
    found = (_finding(Severity.ERROR),) if "Redis" in text else ()
    return Checked(findings=found)


def _made(lines: Sequence[ScriptLine]) -> tuple[ChosenPlan, ScriptedModel]:
    model = ScriptedModel(lines)
    return asyncio.run(Harmonic(model, no_redis).plan(GOAL, "A project")), model


def _reply(text: str, when: str = "") -> ScriptLine:
    return ScriptLine(reply=Reply(text=text), when=when)


def test_the_best_plan_is_taken_and_the_others_are_kept_with_the_reason() -> None:
    made, model = _made([
        _reply(_plan("Add caching to the API"), when="smallest change"),
        _reply(_plan("Do something", "T1", "T2", "T3", "T4"), when="least likely to break"),
        _reply("no JSON at all", when="at the same time"),
    ])  # fmt: skip

    assert made.plan.stance == "simple"
    assert {each.stance: each.why for each in made.rejected}["parallel"] == "it is no JSON"
    assert "scored" in {each.stance: each.why for each in made.rejected}["careful"]
    assert all("A project" in ask.messages[0].text for ask in model.asked)


def test_a_plan_that_breaks_memory_is_repaired() -> None:
    made, model = _made([
        _reply(_plan("Add caching to the API by dogpile"), when="breaks what binds it"),
        _reply(_plan("Use Redis for caching in the API"), when="A project"),
    ])  # fmt: skip

    assert "dogpile" in made.plan.approach
    told = [ask.messages[-1].text for ask in model.asked if len(ask.messages) > 1]
    assert any("DEC-1: rejected 'Redis'" in text for text in told)


def test_a_plan_that_seems_to_go_against_memory_is_asked_about_once() -> None:
    def doubts(text: str, _: Sequence[str]) -> Checked:
        found = Finding(memory="FAIL-1", severity=Severity.WARNING, rule="dead_end", reason="failed", confidence=0.85)
        return Checked(findings=(found,) if "Redis" in text else ())

    model = ScriptedModel([
        _reply(_plan("Add caching to the API by dogpile"), when="seems to go against"),
        _reply(_plan("Use Redis for caching in the API"), when="A project"),
    ])  # fmt: skip

    made = asyncio.run(Harmonic(model, doubts).plan(GOAL, "A project"))
    stubborn = ScriptedModel([_reply(_plan("Use Redis for caching in the API"), when="A project")])
    taken = asyncio.run(Harmonic(stubborn, doubts).plan(GOAL, "A project"))

    assert "dogpile" in made.plan.approach
    assert "Redis" in taken.plan.approach
    assert len(stubborn.asked) == 6


def test_plans_that_break_memory_whatever_is_said_are_no_plans() -> None:
    with pytest.raises(NoPlan, match="breaks DEC-1"):
        _made([_reply(_plan("Use Redis"), when="A project")])


def test_a_model_that_fails_says_so() -> None:
    with pytest.raises(NoPlan, match="overloaded"):
        _made([ScriptLine(error="overloaded", when="A project")])


def test_artifact_first_asks_once() -> None:
    made = json.dumps({"approach": "x", "artifacts": [{"path": "a.py", "what": "a", "mode": "code", "needs": []}]})
    model = ScriptedModel([_reply(made)])

    planned = asyncio.run(ArtifactFirst(model, no_redis).plan(GOAL, "A project"))

    assert [task.produces for task in planned.plan.tasks] == [("a.py",)]
    assert len(model.asked) == 1
