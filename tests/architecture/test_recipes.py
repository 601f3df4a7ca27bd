"""The recipes of CONTRIBUTING.md do what they say: carried out on a copy, what each makes works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.recipes import carry_out, copy_repository, recipe, titles

CLIENT, LANE, IMPORTER, COMMAND = "Add a client", "Add a search lane", "Add an importer", "Add a command"


class Copy:
    """A copy of the repository with recipes carried out, and a workspace to try them in."""

    def __init__(self, folder: Path, *titles: str) -> None:
        self.root, self.workspace = folder / "copy", folder / "workspace"
        copy_repository(self.root)
        self.blocks = [block for title in titles for block in recipe(title)]
        carry_out(self.blocks, self.root)
        self.workspace.mkdir()

    def python(self, *words: str, given: str = "", cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run Python on the copy."""
        environment = os.environ | {"PYTHONPATH": str(self.root / "src")}
        return subprocess.run(
            [sys.executable, *words], cwd=cwd or self.workspace, env=environment, input=given, capture_output=True,
            text=True, timeout=120,
        )  # fmt: skip

    def run(self, *words: str, given: str = "") -> str:
        """Run the copy's `holdfast` in the workspace; what it printed."""
        done = self.python("-c", "from holdfast.cli.entry import main; main()", *words, given=given)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def test(self) -> None:
        """The tests that the recipe brings pass."""
        tests = [block.path for block in self.blocks if block.path.startswith("tests/")]
        assert tests
        done = self.python("-m", "pytest", "-q", "-n", "0", *tests, cwd=self.root)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Copy:
    made = Copy(tmp_path, request.param)
    made.run("init", "--yes", "--client", "none")
    return made


def test_every_recipe_is_proven_here() -> None:
    assert titles() == [CLIENT, LANE, IMPORTER, COMMAND]
    assert all(recipe(title) for title in titles())


def test_all_together_are_in_our_form_and_keep_to_the_layers(tmp_path: Path) -> None:
    copy = Copy(tmp_path, *titles())
    touched = sorted({block.path for block in copy.blocks if block.path.endswith(".py")})
    steps = (
        ("-m", "ruff", "format", "--check", "--no-cache", *touched),
        ("-m", "ruff", "check", "--no-cache", *touched),
        (str(Path(sys.executable).with_name("lint-imports")), "--no-cache"),
    )

    for step in steps:
        done = copy.python(*step, cwd=copy.root)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("copy", [CLIENT], indirect=True)
def test_a_new_client_is_set_up_heard_and_shown(copy: Copy) -> None:
    home = Path(os.environ["HOME"]) / ".kestrel"
    home.mkdir()

    copy.run("init", "--yes", "--client", "kestrel")
    payload = {
        "hook_event_name": "PromptSent",
        "session_id": "s-1",
        "cwd": str(copy.workspace),
        "kestrel_version": "2.1",
    }
    copy.run("hook", given=json.dumps(payload | {"prompt": "We decided to use apsw for the index, not sqlite3."}))

    assert "PromptSent" in json.loads((home / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert "kestrel" in copy.run("status").lower()
    told = json.loads(copy.run("timeline", "--json"))["items"]
    assert [(item["client"], item["title"]) for item in told if item["kind"] == "event"][-1] == (
        "kestrel", "prompt: We decided to use apsw for the index, not sqlite3.",
    )  # fmt: skip
    assert copy.run("uninstall", "--client", "kestrel", "--yes")
    copy.test()


@pytest.mark.parametrize("copy", [LANE], indirect=True)
def test_a_new_lane_takes_part_in_a_search(copy: Copy) -> None:
    copy.run("remember", "learning", "The pool of connections is small", "--title", "Pool of connections")
    copy.run("remember", "learning", "Tea is better than a pool of connections", "--title", "Tea")

    found = json.loads(copy.run("search", "connections", "pool", "--recipe", "default", "--json"))["hits"]

    lanes = {hit["title"]: sorted(hit["lanes"]) for hit in found}
    assert "titled" in lanes["Pool of connections"]
    assert "titled" not in lanes["Tea"]
    copy.test()


@pytest.mark.parametrize("copy", [IMPORTER], indirect=True)
def test_a_new_importer_brings_candidates(copy: Copy) -> None:
    notes = copy.workspace / "notes.margin"
    notes.write_text("[decision] Use apsw for the index of every workspace\nno kind\n", encoding="utf-8")

    assert "margin" in copy.run("import", "--list")
    first = json.loads(copy.run("import", "notes.margin", "--yes", "--json"))
    again = json.loads(copy.run("import", "notes.margin", "--yes", "--json"))

    assert (first["counts"]["new"], first["counts"]["rejected"], again["counts"]["new"]) == (1, 1, 0)
    assert "Use apsw for the index" in copy.run("list", "--candidates")
    copy.test()


@pytest.mark.parametrize("copy", [COMMAND], indirect=True)
def test_a_new_command_runs_and_is_in_the_help(copy: Copy) -> None:
    copy.run("remember", "learning", "Tests need TZ=UTC to pass")

    assert "Tests need TZ=UTC" in copy.run("oldest")
    assert json.loads(copy.run("oldest", "--json"))["memories"][0]["title"].startswith("Tests need")
    assert "oldest" in copy.run("help", "find")
    assert "holdfast oldest -n 3" in copy.run("oldest", "--help")
    assert "oldest" in copy.python("-c", "import holdfast.recall; print(holdfast.recall.__doc__)").stdout
    copy.test()
