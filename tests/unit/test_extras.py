"""What an error says to install is what the project declares."""

import tomllib
from pathlib import Path

import pytest

from holdfast.core.extras import EXTRAS, extra_command

DECLARED = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_names_the_packages_that_the_project_declares(extra: str) -> None:
    assert list(EXTRAS[extra]) == DECLARED[extra]


def test_bounds_survive_the_shell() -> None:
    assert extra_command("mcp").endswith(" install 'mcp>=2.3,<3'")
