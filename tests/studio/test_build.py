"""Studio's own checks, with Node: types, components, and the same bundle byte for byte."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.studio.bundle import BUILT, PAGE, STUDIO, page_sums

REQUIRED = bool(os.environ.get("CI")) or os.environ.get("HOLDFAST_BROWSER") == "required"
MODULES = STUDIO / "node_modules"
THERE = shutil.which("npx") is not None and MODULES.is_dir()

pytestmark = pytest.mark.skipif(
    not THERE and not REQUIRED, reason="no Node, or no studio/node_modules: `./do check` brings the second"
)


def node(*command: str) -> str:
    """A tool of Studio's; what it said, where it failed."""
    return run(str(MODULES / ".bin" / command[0]), *command[1:], testing=command[0] == "vitest")


def run(*command: str, testing: bool = False) -> str:
    assert THERE, "Node and studio/node_modules are needed: install Node 20, then `./do check`"
    environment = {**os.environ, "NO_COLOR": "1", "NODE_ENV": "production", "FORCE_COLOR": "0"}
    if testing:
        environment.pop("NODE_ENV")
    done = subprocess.run(command, cwd=STUDIO, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def test_the_sources_are_well_typed() -> None:
    node("svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings", "--output", "human")


def test_the_components_do_what_they_should() -> None:
    assert "failed" not in node("vitest", "run").lower().split("test files")[-1]


def test_a_build_gives_the_bundle_that_is_committed(tmp_path: Path) -> None:
    node("vite", "build", "--outDir", str(tmp_path / "page"), "--emptyOutDir", "--logLevel", "warn")

    assert page_sums(tmp_path / "page") == page_sums(PAGE), "run `./do studio`, and commit what it writes"
    assert (PAGE / BUILT).is_file()


def test_the_types_are_those_of_the_api_description(tmp_path: Path) -> None:
    made = tmp_path / "schema.d.ts"
    run("node", "types.mjs", str(made))

    assert made.read_text(encoding="utf-8") == (STUDIO / "src/api/schema.d.ts").read_text(encoding="utf-8")
