"""Rules in plain words: what is read from them, what breaks them, and what is left to be told."""

from typing import Any

import pytest

from holdfast.check.compile_rule import compile_memory, compile_text
from holdfast.check.enforce_rules import EnforceRule, rules_of
from holdfast.check.file_change import ProposedFile
from holdfast.check.judge_changes import ChangeJudge
from holdfast.core.finding import Severity
from holdfast.core.memory import Memory, MemoryType
from holdfast.system.bounded_regex import match_lines


def memory(title: str, **more: Any) -> Memory:
    return Memory(id="INV-1", type=MemoryType.INVARIANT, title=title, **more)


def found_by(rule: str, *changes: ProposedFile) -> list[str]:
    """The keys by which a rule in words turns changes down."""
    compiled = compile_text(rule)
    assert compiled is not None, f"nothing was read from {rule!r}"
    rules = [each for each in rules_of(memory(rule), proposed=compiled.enforce) if isinstance(each, EnforceRule)]
    judge = ChangeJudge(changes, match=match_lines, exists=lambda _: False)
    return [each.rule for each in judge.judged(rules).findings]


def new(path: str, text: str) -> ProposedFile:
    return ProposedFile(path=path, after=text, new=True)


@pytest.mark.parametrize(
    ("rule", "breaks", "obeys"),
    [
        ("Never call time.sleep in httpx/ code",
         new("httpx/a.py", "from time import sleep\nsleep(2)\n"), new("tools/a.py", "import time\ntime.sleep(2)\n")),
        ("tests never touch the network", new("tests/test_a.py", "import requests\n"), new("src/a.py",
        "import requests\n")),
        ("Only src/db talks SQL", new("src/api/a.py", "import sqlite3\n"), new("src/db/a.py", "import sqlite3\n")),
        ("Use httpx instead of requests", new("a.py", "import requests\n"), new("a.py", "import httpx\n")),
        ("Do not import from `app.db` in `src/ui`",
         new("src/ui/a.py", "from app.db import x\n"), new("src/api/a.py", "from app.db import x\n")),
        ("The UI must not import the database layer",
         new("app/ui/a.py", "from app.database import x\n"), new("app/ui/a.py", "from app.views import x\n")),
        ("No print statements in library code", new("src/a.py", "print('a')\n"), new("tests/test_a.py",
        "print('a')\n")),
        ("eval is forbidden", new("a.py", "eval(x)\n"), new("a.py", "# eval(x) was here\nre.compile(x)\n")),
        ("Avoid default exports in TypeScript",
         new("a.ts", "export default 1\n"), new("a.ts", "export const a = 1 // no export default\n")),
        ("no wildcard imports", new("a.py", "from os import *\n"), new("a.py", "from os import path\n")),
        ("Don't commit .env files", new("app/.env", "A=1\n"), new("app/env.py", "A = 1\n")),
        ("Nothing outside core/clock.py may read the system clock",
         new("a.py", "from datetime import datetime\ndatetime.now()\n"),
         new("core/clock.py", "from datetime import datetime\ndatetime.now()\n")),
        ("Every shell script starts with `set -euo pipefail`",
         new("a.sh", "#!/bin/sh\necho a\n"), new("a.sh", "set -euo pipefail\n")),
        ("Never use `datetime.now()` without a timezone",
         new("a.py", "from datetime import datetime\ndatetime.now()\n"),
         new("a.py", "from datetime import UTC, datetime\ndatetime.now(UTC)\n")),
        ("Use SQLite for the job queue, never Redis, because it is one file",
         new("a.py", "import redis\n"), new("a.py", "import sqlite3\n")),
        ("console.log must not be used in production code because it leaks",
         new("src/a.ts", "console.log(1)\n"), new("src/a.test.ts", "console.log(1)\n")),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_and_what_obeys_it(rule: str, breaks: ProposedFile, obeys: ProposedFile) -> None:
    assert found_by(rule, breaks)
    assert found_by(rule, obeys) == []


def test_a_runtime_dependency_is_told_from_one_for_development() -> None:
    before = '[project]\ndependencies = [\n  "httpx",\n]\n[dependency-groups]\ndev = [\n  "pytest",\n]\n'
    grown = before.replace('  "pytest",', '  "pytest",\n  "ruff",')
    heavier = before.replace('  "httpx",', '  "httpx",\n  "rich",')

    for after, keys in ((grown, []), (heavier, ["approve_new_runtime_dependency"])):
        change = ProposedFile(path="pyproject.toml", after=after, before=before)
        assert found_by("no new runtime dependency", change) == keys


def test_files_that_must_not_change_may_be_new() -> None:
    rule = "Migrations must never be modified once merged"
    edited = ProposedFile(path="app/migrations/1.py", after="a\nb\n", before="a\n", added=frozenset({2}))

    assert found_by(rule, edited) == ["forbid_change"]
    assert found_by(rule, new("app/migrations/2.py", "a\n")) == []


def test_a_change_that_must_come_with_another() -> None:
    rule = "Every change to src/api must update docs/openapi.json"
    api = ProposedFile(path="src/api/a.py", after="a\n", before="", added=frozenset({1}))
    docs = ProposedFile(path="docs/openapi.json", after="{}\n", before="", added=frozenset({1}))

    assert found_by(rule, api) == ["require_change"]
    assert found_by(rule, api, docs) == []


@pytest.mark.parametrize(
    "words",
    ["Prices are integers in cents", "Never deploy on Fridays", "We never log passwords",
     "Prefer composition over inheritance",
     "Never use floats for money", "Keep money as integers, never float", "Should we use Redis?",
     "Use Textual for the TUI"],
)  # fmt: skip
def test_what_cannot_be_checked_is_told_only(words: str) -> None:
    assert compile_text(words) is None


def test_own_keys_and_facts_are_left_alone() -> None:
    assert compile_memory(memory("Never call eval", enforce={"forbid_call": ["exec"]})) is None
    assert (
        compile_memory(memory("Never call eval").__class__(id="L", type=MemoryType.LEARNING, title="Never call eval"))
        is None
    )


def test_what_nobody_confirmed_is_a_warning() -> None:
    compiled = compile_memory(memory("eval is forbidden"))
    assert compiled is not None
    rules = [each for each in rules_of(memory("x"), proposed=compiled.enforce) if isinstance(each, EnforceRule)]

    found = ChangeJudge([new("a.py", "eval(x)\n")], match=match_lines, exists=lambda _: False).judged(rules).findings

    assert [(each.severity, each.confidence) for each in found] == [(Severity.WARNING, 0.8)]
