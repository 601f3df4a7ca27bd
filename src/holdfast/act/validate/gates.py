"""Gates: the project's own lint, type and test commands, found from its files or named by the user."""

import json
import os
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.core.run import Gate

LINT, TYPES, TEST, BUILD = "lint", "types", "test", "build"
LARGEST = 1024 * 1024
_NPM = (
    ("lint", LINT, ("eslint", "biome")), ("typecheck", TYPES, ("tsc",)), ("test", TEST, ("vitest", "jest", "mocha"))
)  # fmt: skip
_NO_TEST = "no test specified"


def parse_gates(text: str) -> list[Gate]:
    """Gates as the user names them: `test=pytest -q; lint=ruff check .`."""
    found = []
    for part in text.split(";"):
        name, sign, command = part.strip().partition("=")
        if sign and name.strip() and command.strip():
            found.append(Gate(name=name.strip(), command=tuple(shlex.split(command)), kind=name.strip()))
    return found


def detect_gates(root: str) -> list[Gate]:
    """The gates that a project's files tell of: the quick ones first. What cannot be read tells nothing."""
    found = [*_python(root), *_node(root), *_rust(root), *_go(root), *_java(root), *_ruby(root), *_make(root)]
    order = (LINT, TYPES, BUILD, TEST)
    return sorted(dict.fromkeys(found), key=lambda gate: order.index(gate.kind))


def _python(root: str) -> Iterator[Gate]:
    tables, text = _toml(root, "pyproject.toml"), _text(root, "pyproject.toml")
    tools = tables.get("tool", {}) if isinstance(tables.get("tool"), dict) else {}
    run = _python_runner(root)
    if "ruff" in tools or _any_exists(root, "ruff.toml", ".ruff.toml"):
        yield Gate(name="ruff", command=(*run("ruff"), "check", "."), kind=LINT)
    if "mypy" in tools or _any_exists(root, "mypy.ini", ".mypy.ini"):
        yield Gate(name="mypy", command=(*run("mypy"), "."), kind=TYPES)
    tested = (
        "pytest" in tools or "pytest" in text or _any_exists(root, "pytest.ini", "conftest.py", "tests/conftest.py")
    )
    if tested or (_any_exists(root, "pyproject.toml", "setup.py", "requirements.txt") and _has_tests(root)):
        yield Gate(name="pytest", command=(*run("pytest"), "-q"), kind=TEST)


def _python_runner(root: str) -> Callable[[str], tuple[str, ...]]:
    """How a tool of a Python project is run: its own environment first."""
    own = next((path for path in (".venv/bin/python", "venv/bin/python") if _any_exists(root, path)), "")
    if own:
        return lambda tool: (own, "-m", tool)
    if _any_exists(root, "uv.lock") and shutil.which("uv"):
        return lambda tool: ("uv", "run", tool)
    if _any_exists(root, "poetry.lock") and shutil.which("poetry"):
        return lambda tool: ("poetry", "run", tool)
    return lambda tool: (tool,) if shutil.which(tool) else ("python3", "-m", tool)


def _node(root: str) -> Iterator[Gate]:
    package = _json(root, "package.json")
    if not package:
        return
    scripts: dict[str, Any] = package["scripts"] if isinstance(package.get("scripts"), dict) else {}
    needs: dict[str, Any] = {}
    for name in ("dependencies", "devDependencies"):
        needs |= package[name] if isinstance(package.get(name), dict) else {}
    runner = "pnpm" if _any_exists(root, "pnpm-lock.yaml") else "yarn" if _any_exists(root, "yarn.lock") else "npm"
    for script, kind, tools in _NPM:
        if script in scripts and _NO_TEST not in str(scripts[script]):
            yield Gate(name=f"{runner} {script}", command=(runner, "run", script), kind=kind)
            continue
        for tool in tools:
            if (tool in needs or (tool == "tsc" and "typescript" in needs)) and _any_exists(
                root, f"node_modules/.bin/{tool}"
            ):
                more = {"eslint": (".",), "tsc": ("--noEmit",), "vitest": ("run",)}.get(tool, ())
                yield Gate(name=tool, command=(f"node_modules/.bin/{tool}", *more), kind=kind)
                break


def _rust(root: str) -> Iterator[Gate]:
    if _any_exists(root, "Cargo.toml"):
        yield Gate(name="cargo check", command=("cargo", "check", "--quiet"), kind=TYPES)
        yield Gate(name="cargo test", command=("cargo", "test", "--quiet"), kind=TEST)


def _go(root: str) -> Iterator[Gate]:
    if _any_exists(root, "go.mod"):
        yield Gate(name="go vet", command=("go", "vet", "./..."), kind=LINT)
        yield Gate(name="go test", command=("go", "test", "./..."), kind=TEST)


def _java(root: str) -> Iterator[Gate]:
    if _any_exists(root, "pom.xml"):
        maven = "./mvnw" if _any_exists(root, "mvnw") else "mvn"
        yield Gate(name="maven", command=(maven, "-q", "-B", "test"), kind=TEST)
    elif _any_exists(root, "build.gradle", "build.gradle.kts"):
        gradle = "./gradlew" if _any_exists(root, "gradlew") else "gradle"
        yield Gate(name="gradle", command=(gradle, "-q", "test"), kind=TEST)


def _ruby(root: str) -> Iterator[Gate]:
    if not _any_exists(root, "Gemfile"):
        return
    if _any_exists(root, ".rubocop.yml"):
        yield Gate(name="rubocop", command=("bundle", "exec", "rubocop"), kind=LINT)
    if _any_exists(root, ".rspec", "spec"):
        yield Gate(name="rspec", command=("bundle", "exec", "rspec"), kind=TEST)
    elif _any_exists(root, "test", "Rakefile"):
        yield Gate(name="rake test", command=("bundle", "exec", "rake", "test"), kind=TEST)


def _make(root: str) -> Iterator[Gate]:
    """C and C++, and whatever else is built by make: only where nothing else tests it."""
    if _any_exists(root, "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "Gemfile"):
        return
    for line in _text(root, "Makefile").splitlines():
        target, colon, _ = line.partition(":")
        if colon and target.strip() in {"test", "check"}:
            yield Gate(name=f"make {target.strip()}", command=("make", target.strip()), kind=TEST)
            return


def _any_exists(root: str, *names: str) -> bool:
    return any(os.path.exists(os.path.join(root, name)) for name in names)


def _has_tests(root: str) -> bool:
    for folder in ("tests", "test"):
        try:
            names = os.listdir(os.path.join(root, folder))
        except OSError:
            continue
        if any(name.startswith("test_") and name.endswith(".py") for name in names):
            return True
    return False


def _text(root: str, name: str) -> str:
    try:
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
        return ""


def _toml(root: str, name: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_text(root, name))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(root: str, name: str) -> Mapping[str, Any]:
    try:
        found = json.loads(_text(root, name) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
