"""The task runner: tests that need no browser and no Node bring none."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    loader = SourceFileLoader("task_runner", str(ROOT / "do"))
    spec = spec_from_loader("task_runner", loader)
    assert spec is not None
    made = module_from_spec(spec)
    loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    ("places", "needed"),
    [
        (["tests/unit/vault/test_split.py"], set()),
        (["tests/unit", "tests/properties", "tests/contracts"], set()),
        (["tests/serve"], set()),
        (["tests/browser/test_graph.py"], {"browser"}),
        (["tests/unit", "tests/studio"], {"studio"}),
        (["tests"], {"browser", "studio"}),
        (["."], {"browser", "studio"}),
    ],
)
def test_what_is_asked_for_says_what_is_installed(runner: ModuleType, places: list[str], needed: set[str]) -> None:
    assert runner._needed([ROOT / place for place in places]) == needed


def test_the_fast_run_needs_neither(runner: ModuleType) -> None:
    assert runner._needed([ROOT / place for place in runner.FAST]) == set()
    assert all((ROOT / place).is_dir() for place in runner.FAST)


@pytest.mark.parametrize("word", ["-k", "words", "--fast", "-x"])
def test_a_word_for_pytest_is_no_place(runner: ModuleType, word: str) -> None:
    assert not runner._is_place(word)
