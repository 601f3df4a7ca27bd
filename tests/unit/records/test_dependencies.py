"""What a tool call brings into a project."""

import pytest

from holdfast.records.dependencies import find_imported, find_installed, strip_name_marks


@pytest.mark.parametrize(
    ("command", "packages"),
    [
        ("pip install redis httpx==0.27", ["redis", "httpx"]),
        ("python -m pip install -U 'redis[hiredis]>=4'", ["redis"]),
        ("uv add redis && uv run pytest", ["redis"]),
        ("npm install --save-dev @types/node lodash@4", ["@types/node", "lodash"]),
        ("cargo add serde", ["serde"]),
        ("go get example.invalid/x@v1", ["example.invalid/x"]),
        ("sudo apt-get install -y redis-server", ["redis-server"]),
        ("pip install -r requirements.txt .", ["requirements.txt"]),
        ("pip uninstall redis", []),
        ("git add redis.py", []),
        ("echo install redis", []),
    ],
)
def test_packages_that_a_command_installs(command: str, packages: list[str]) -> None:
    assert list(find_installed(command)) == packages


@pytest.mark.parametrize(
    ("code", "packages"),
    [
        ("import redis", ["redis"]),
        ("from redis.asyncio import Redis", ["redis"]),
        ("import os, redis", ["os", "redis"]),
        ("import redis as r", ["redis"]),
        ("import x from 'lodash/fp'", ["lodash"]),
        ('import { a } from "@scope/pkg/deep"', ["@scope/pkg"]),
        ("const r = require('redis')", ["redis"]),
        ("use redis::Client;", ["redis"]),
        ("+import redis", ["redis"]),
        ("from .redis import x", [""]),
        ("# import redis", []),
        ("we import redis here", []),
    ],
)
def test_packages_that_code_imports(code: str, packages: list[str]) -> None:
    assert list(find_imported(code)) == packages


def test_ecosystems_spell_a_name_differently() -> None:
    assert strip_name_marks("Redis-Py") == strip_name_marks("redis_py") == "redispy"
