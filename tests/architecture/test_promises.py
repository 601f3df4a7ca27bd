"""Each promise of docs/security.md names the test that shows it, and the test is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/security.md"
# `tests/attacks/test_acceptance.py::test_what_cron_runs_proves_nobody`; a file alone is all of its tests.
NAMED = re.compile(r"`(tests/[\w./-]+\.py)(?:::(\w+))?`")
PROMISED = re.compile(r"^## Promised.*?(?=^## )", re.MULTILINE | re.DOTALL)


def rows() -> list[str]:
    """The rows of every table of promises, without their heads."""
    parts = PROMISED.findall(PAGE.read_text(encoding="utf-8"))
    lines = [line for part in parts for line in part.splitlines()]
    return [line for line in lines if line.startswith("| ") and not line.startswith("| |")]


def list_tests(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_names_a_test() -> None:
    assert len(rows()) >= 30
    assert [row for row in rows() if not NAMED.search(row)] == []


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED.findall(PAGE.read_text(encoding="utf-8"))}))
def test_every_test_that_is_named_is_there(path: str) -> None:
    wanted = {name for named, name in NAMED.findall(PAGE.read_text(encoding="utf-8")) if named == path and name}

    assert sorted(wanted - list_tests(path)) == []


def test_the_page_is_reached_from_the_guide_and_from_where_holes_are_told() -> None:
    assert "](../security.md)" in (ROOT / "docs/guide/README.md").read_text(encoding="utf-8")
    assert "](docs/security.md)" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_family_of_attacks_names_where_it_was_published() -> None:
    source = re.compile(r"CVE-\d|CWE-\d|arXiv|ATT&CK|OWASP|\(\w[\w ,&]*\d{4}\)|published|Published")
    files = sorted((ROOT / "tests/attacks").glob("test_*.py"))
    said = {path.name: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in files}

    assert [name for name, text in said.items() if not source.search(text)] == []
