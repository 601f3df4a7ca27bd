"""Gates that are found, errors that are known again, and a budget that moves."""

import json
from pathlib import Path

import pytest

from holdfast.act.budget import AdaptiveBudget
from holdfast.act.validate.gate_errors import count_errors, find_error_line, hash_error
from holdfast.act.validate.gates import detect_gates, parse_gates
from holdfast.core.model import Usage


def _names(root: Path) -> list[str]:
    return [gate.name for gate in detect_gates(str(root))]


@pytest.mark.parametrize(
    ("files", "gates"),
    [
        ({"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pytest.ini_options]\n"}, ["ruff", "mypy", "pytest"]),
        ({"setup.py": "", "tests/test_a.py": ""}, ["pytest"]),
        ({"pyproject.toml": "[project]\nname='x'\n"}, []),
        ({"package.json": '{"scripts": {"test": "vitest run", "lint": "eslint ."}}'}, ["npm lint", "npm test"]),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, []),
        (
            {"package.json": '{"devDependencies": {"typescript": "5"}}', "node_modules/.bin/tsc": "", "yarn.lock": ""},
            ["tsc"],
        ),
        ({"Cargo.toml": "[package]\n"}, ["cargo check", "cargo test"]),
        ({"go.mod": "module x\n"}, ["go vet", "go test"]),
        ({"pom.xml": "<project/>"}, ["maven"]),
        ({"build.gradle.kts": ""}, ["gradle"]),
        ({"Gemfile": "", ".rspec": ""}, ["rspec"]),
        ({"Makefile": "all:\n\tcc x.c\ntest: all\n\t./t\n"}, ["make test"]),
        ({"README.md": ""}, []),
        ({"pyproject.toml": "not [ toml", "package.json": "{"}, []),
    ],
)
def test_gates_are_found_from_the_projects_files(tmp_path: Path, files: dict[str, str], gates: list[str]) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert _names(tmp_path) == gates


def test_a_projects_own_environment_runs_its_tools(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").write_text("")
    (tmp_path / "pytest.ini").write_text("")

    [gate] = detect_gates(str(tmp_path))

    assert gate.command == (".venv/bin/python", "-m", "pytest", "-q")


def test_gates_as_a_user_names_them() -> None:
    found = parse_gates("test=pytest -q 'a b'; lint = ruff check . ; junk; =x")

    assert [(gate.name, gate.command) for gate in found] == [
        ("test", ("pytest", "-q", "a b")),
        ("lint", ("ruff", "check", ".")),
    ]


PYTEST = """\
F                                                                        [100%]
=================================== FAILURES ===================================
    def test_a():
>       assert add(1, 2) == 4
E       assert 3 == 4
E        +  where 3 = add(1, 2)
tests/test_a.py:{line}: AssertionError
FAILED tests/test_a.py::test_a - assert 3 == 4
1 failed in {seconds}s
"""


def test_the_same_error_is_known_again_and_another_one_is_not() -> None:
    first, second = PYTEST.format(line=5, seconds=0.12), PYTEST.format(line=9, seconds=3.4)

    assert hash_error("pytest", first) == hash_error("pytest", second)
    assert hash_error("pytest", first) != hash_error("pytest", first.replace("AssertionError", "KeyError"))
    assert hash_error("pytest", first) != hash_error("mypy", first)


def test_the_error_is_told_in_one_line() -> None:
    assert find_error_line("src/a.py:3: error: Name 'x' is not defined  [name-defined]\nFound 1 error") == (
        "src/a.py:3: error: Name 'x' is not defined  [name-defined]"
    )
    assert find_error_line('>   raise KeyError("x")\nE       KeyError: "x"\n') == 'KeyError: "x"'
    assert find_error_line("") == "it said nothing"
    assert find_error_line("something\nwent wrong") == "went wrong"
    assert count_errors(PYTEST.format(line=5, seconds=1)) > count_errors("1 passed")


def test_a_budget_shrinks_where_nothing_moves_and_grows_where_it_does() -> None:
    now = [0.0]
    budget = AdaptiveBudget(tokens=100, cents=5, seconds=60, attempts=4, clock=lambda: now[0])

    budget.progressed(True)
    assert budget.attempts == 5
    budget.attempt()
    budget.progressed(False)
    budget.progressed(False)
    assert budget.attempts == 1.25
    assert not budget.spent
    budget.attempt()
    assert "2 attempts" in budget.spent
    budget.progressed(False)
    assert budget.attempts == 2


@pytest.mark.parametrize(
    ("usage", "cost", "seconds", "why"),
    [(Usage(input=90, output=10), 0.0, 0, "tokens"), (Usage(), 0.05, 0, "cents"), (Usage(), None, 61, "seconds")],
)
def test_a_budget_is_spent_by_whatever_runs_out_first(usage: Usage, cost: float | None, seconds: int, why: str) -> None:
    now = [0.0]
    budget = AdaptiveBudget(tokens=100, cents=5, seconds=60, attempts=4, clock=lambda: now[0])

    budget.spend(usage, cost)
    now[0] = float(seconds)

    assert why in budget.spent
    assert json.dumps(budget.form())
