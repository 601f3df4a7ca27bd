"""What forges, editors and hooks read of this repository can be read, and names what is there."""

import re
from pathlib import Path

import pytest
import yaml
from tests.architecture.folders import ROOT

WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
PLACES = (
    "*.md",
    "docs/*.md",
    "docs/adr/*.md",
    ".github/**/*.yml",
    ".github/*.md",
    ".pre-commit-config.yaml",
    ".ci/run",
)
PAGES = [path for place in PLACES for path in sorted(ROOT.glob(place))]


def test_ci_runs_what_a_clone_runs() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]

    runs = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert runs["check"] == [".ci/run"]
    assert runs["fast"] == ["./do test --fast"]
    assert runs["decisions"][-2:] == ["holdfast allow", 'holdfast check --diff "origin/$BASE"']
    assert "3.11" in jobs["fast"]["strategy"]["matrix"]["python"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_asks_for_something(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))

    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert {"name", "description", "body"} <= form.keys()
    assert all(field["id"] and field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)


def test_hooks_before_a_commit_run_what_is_installed() -> None:
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))

    hooks = [hook for each in settings["repos"] for hook in each["hooks"]]
    assert {each["repo"] for each in settings["repos"]} == {"local"}
    assert [hook["entry"].split()[1:2] for hook in hooks] == [["format"], ["check"], ["check"]]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)


def test_every_verb_that_a_page_names_is_there() -> None:
    verbs = set(re.findall(r"^def verb_(\w+)\(", (ROOT / "do").read_text(encoding="utf-8"), re.MULTILINE))

    # What changed long ago may name what was.
    today = [path for path in PAGES if path.name != "CHANGELOG.md"]
    named = {
        (path.name, verb) for path in today for verb in re.findall(r"\./do ([a-z_]+)", path.read_text(encoding="utf-8"))
    }
    assert sorted((page, verb) for page, verb in named if verb not in verbs) == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "AGENTS.md"])
def test_every_place_that_a_page_for_newcomers_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").partition("\n## Recipes\n")[0]
    # What stands in the block of memory is not the page's.
    text = text.partition("<!-- holdfast:begin")[0]

    named = re.findall(r"`((?:src|tests|docs|bench|studio|changes|integrations|\.holdfast)/[\w/.-]*)`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", [path for path in PAGES if path.suffix == ".md"], ids=lambda path: path.name)
def test_every_file_that_a_page_leads_to_is_there(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []
