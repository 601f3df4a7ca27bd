"""What a tool call brings into a project."""

from typing import Any

import pytest

from holdfast.records.dependencies import AddedPackages, find_added_packages
from holdfast.records.tool_steps import step_of

WORKSPACE = "/home/dev/proj"


def brought_in(given: dict[str, Any], tool: str = "Edit") -> AddedPackages:
    data = {"tool": tool, "input": given}
    return find_added_packages(step_of(data, "after_tool", "e1", "2026-11-15T09:00:00Z", WORKSPACE), given)


def written(path: str, content: str) -> AddedPackages:
    return brought_in({"file_path": f"{WORKSPACE}/{path}", "content": content}, "Write")


def edited(path: str, new: str, old: str = "") -> AddedPackages:
    return brought_in({"file_path": f"{WORKSPACE}/{path}", "old_string": old, "new_string": new})


def run(command: str) -> AddedPackages:
    return brought_in({"command": command}, "Bash")


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("pip install redis httpx==0.27", {"redis", "httpx"}),
        ("python -m pip install -U 'redis[hiredis]>=4'", {"redis"}),
        ("uv add redis && uv run pytest", {"redis"}),
        ("npm install --save-dev @types/node lodash@4", {"typesnode", "node", "lodash"}),
        ("go get example.invalid/x@v1", {"exampleinvalidx", "x"}),
        ("composer require monolog/monolog", {"monologmonolog", "monolog"}),
        ("conda install redis-py", {"redispy"}),
        ("sudo apt-get install -y redis-server", {"redisserver"}),
        ("pip install -r requirements.txt .", set()),
        ("pip uninstall redis", set()),
        ("git add redis.py", set()),
        ("echo install redis", set()),
    ],
)
def test_packages_that_a_command_installs(command: str, names: set[str]) -> None:
    assert run(command).names == dict.fromkeys(names, "installed")


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("a.py", "from redis.asyncio import Redis", "redis"),
        ("a.py", "        x = 1\n    import redis", "redis"),
        ("a.ts", "import x from 'lodash/fp'", "lodash"),
        ("a.ts", 'import { a } from "@scope/pkg/deep"', "scopepkg"),
        ("a.js", "const r = require('redis')", "redis"),
        ("a.rs", "use redis::Client;", "redis"),
        ("a.rb", "require 'redis'", "redis"),
        ("a.go", 'import "github.com/gin-gonic/gin"', "gin"),
    ],
)
def test_packages_that_code_imports(path: str, code: str, name: str) -> None:
    assert edited(path, code).names[name] == "imported"


def test_the_cell_of_a_notebook_is_code() -> None:
    found = brought_in({"notebook_path": f"{WORKSPACE}/a.ipynb", "new_source": "import redis"}, "NotebookEdit")

    assert found.names == {"redis": "imported"}


@pytest.mark.parametrize(
    ("path", "code"), [("a.py", "# import redis"), ("a.py", "from .redis import x"), ("a.md", "import redis")]
)
def test_what_imports_nothing(path: str, code: str) -> None:
    assert edited(path, code).names == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "redis\n"), ("pyproject.toml", '[project]\ndependencies = ["redis>=4"]\n'),
        ("package.json", '{"dependencies": {"redis": "4"}}'), ("composer.json", '{"require": {"predis/redis": "1"}}'),
        ("environment.yml", "dependencies:\n  - redis\n"), ("Dockerfile", "FROM redis:7\n"),
        ("compose.yaml", "services:\n  cache:\n    image: redis\n"), ("mix.exs", '{:redis, "~> 1"}'),
    ],
)  # fmt: skip
def test_names_that_a_manifest_is_written_with(path: str, text: str) -> None:
    assert written(path, text).names["redis"] == "written into a manifest"


def test_a_piece_counts_by_what_it_adds() -> None:
    assert "redis" in edited("package.json", '"redis": "4",').names
    assert "redis" not in edited("package.json", '"redis": "5",', old='"redis": "4",').names
    assert "redis" in run("cat >> requirements.txt <<EOF\nredis\nEOF").names


def test_other_files_of_the_same_call_are_no_manifests() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: requirements.txt\n@@\n+rich\n"
        "*** Update File: notes.md\n@@\n+redis\n*** End Patch"
    )

    assert set(brought_in({"input": patch}, "apply_patch").names) == {"rich"}


@pytest.mark.parametrize(
    ("path", "text"),
    [("package.json", '{"dependencies": '), ("environment.yml", "a: ["), ("pom.xml", "<a>"), ("compose.yaml", "a: ["),
     ("pyproject.toml", "[" + "x" * 10), ("requirements.txt", "x\n" * 200_000)],
)  # fmt: skip
def test_a_manifest_that_cannot_be_read_is_told(path: str, text: str) -> None:
    assert written(path, text) == AddedPackages(names={}, unread=(path,))
