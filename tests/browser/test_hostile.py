"""Captured text is hostile: whatever was planted, no script of it runs, nothing is asked for, and the page lives."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Studio, settled, step
from tests.browser.seeds import Project, empty_project
from tests.journeys.moulds import being
from tests.journeys.test_run import Agent, once, plan_of
from tests.minds import Say, minding

from holdfast import PersistentMemory

MARK = "zqx"
RAN = "window.ran=(window.ran||0)+1"
# One line, for titles, names and paths.
LINE = (
    f'{MARK} <img src=x onerror="{RAN}"> <script>{RAN}</script> [go](javascript:{RAN}) \u202egnp.exe {{{{7*7}}}} "\'>'
)
# A whole text: what markdown, a terminal, a template and an editor would act on.
TEXT = f"""{LINE}

<script>{RAN}</script>
<svg onload="{RAN}"><iframe src="javascript:{RAN}"></iframe><object data="https://evil.example/x"></object>
![picture](https://evil.example/p.png) [link](https://evil.example/) <https://evil.example/auto>
[data](data:text/html,<script>{RAN}</script>) [vb](vbscript:x) [ref]: javascript:{RAN}
</textarea></pre></title><style>*{{display:none}}</style><base href="https://evil.example/"><meta http-equiv="refresh">
{{{{constructor.constructor('{RAN}')()}}}} ${{{RAN}}} {{@html '<script>{RAN}</script>'}}
`</code><script>{RAN}</script>` עברית \u202brtl\u2067 isolate
"""
ESCAPES = "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x9b2J \x08\x08"
LONG = "A" * 100_000
NAME = '<img src=x onerror="window.ran=1">'

# What text may turn into, whatever it says.
FOUND = """() => ({
  ran: window.ran ?? 0,
  planted: [...document.querySelectorAll(
    'main script, main iframe, main object, main embed, main base, main meta, main style, [onerror], [onload], ' +
    'main img[src^="http"], a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]'
  )].map(each => each.outerHTML.slice(0, 200)),
  foreign: [...document.querySelectorAll('a[href]')]
    .filter(a => a.origin !== location.origin && !/noreferrer/.test(a.rel)).map(a => a.outerHTML.slice(0, 200)),
  raw: (document.body.innerText
    .match(/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]/g) ?? [])
    .map(each => each.codePointAt(0).toString(16)),
  title: document.title,
})"""

UNFOLD = """() => document.querySelectorAll(
  'main details:not([open]) > summary, main button[aria-expanded="false"]:not([aria-haspopup])'
).forEach(each => each.click())"""


@pytest.fixture(scope="module")
def planted(ground: Path, server_home: Path) -> Project:
    """A workspace whose every field was written by somebody who means harm, its folder's name too."""
    project = empty_project(ground / "hostile" / NAME.replace("/", ""), server_home)
    (project.folder / "pyproject.toml").write_text(f"[project]\nname = {json.dumps(LINE)}\nversion = '1'\n")
    (project.folder / "README.md").write_text(TEXT)
    (project.folder / "AGENTS.md").write_text("# Rules\n")
    project.git("init")
    with being(project.env):
        _memories(PersistentMemory.load(project.folder))
    subprocess.run(["git", "-C", project.folder, "config", "user.name", f"{MARK}{NAME}"], check=True)
    project.git("add", ".")
    project.git("commit", "-m", LINE)
    _session(project)
    _run(project)
    _records(project)
    return project


def _memories(memory: PersistentMemory) -> None:
    fields: dict[str, Any] = {
        "title": LINE,
        "tags": (f"{MARK}{NAME}",),
        "paths": (f"src/{MARK}{NAME}/**",),
        "category": LINE,
    }
    first = memory.add_decision(
        TEXT, question=LINE, choice=f"{MARK} {NAME}", because=TEXT, rejected=[f"{NAME}: {LINE}"], **fields
    )
    memory.add_decision(TEXT, question=LINE, choice="other", supersedes=(first.id,), **fields)
    memory.add_failure(TEXT, error_type=LINE, root_cause=LINE, error_message=TEXT, context=TEXT, **fields)
    for add in (memory.add_learning, memory.add_invariant, memory.add_assumption, memory.add_pattern):
        add(TEXT, source=LINE, **fields)
    memory.add_pattern(f"{MARK} {LONG}", title=f"{MARK} long")
    memory.record_decision(TEXT, question=LINE, choice=f"{MARK} {NAME} third", rejected=[f"other: {LINE}"], **fields)
    memory.record_learning(f"{TEXT} learned", **fields)


def _session(project: Project) -> None:
    session = f"{MARK}-<b>s</b>"
    path = str(project.folder / f"src/{MARK}{NAME}.py")
    project.hook("SessionStart", session, source="startup", model=LINE)
    project.hook("UserPromptSubmit", session, prompt=f"Let's use {MARK}SQLite, not Redis. {TEXT}{ESCAPES}")
    project.tool(session, "Edit", {"file_path": path, "old_string": TEXT, "new_string": TEXT})
    project.tool(session, f"mcp__{MARK}<b>__x", {LINE: TEXT}, output=TEXT + ESCAPES)
    project.tool(session, "Bash", {"command": LINE}, error=f"Exit code 1\nE   {TEXT}{ESCAPES}\n1 failed")
    project.tool(session, "Bash", {"command": "cat"}, output=f"{MARK} \u0000 binary")
    project.tool(session, "Bash", {"command": f"cat {LONG}"}, output=f"{MARK} {LONG}")
    project.hook("SubagentStop", session, agent_id=LINE, agent_type=LINE, last_assistant_message=TEXT)
    project.hook("Stop", session, last_assistant_message=f"We must always {TEXT}{ESCAPES}")
    project.hook("SessionEnd", session, reason=LINE)
    project("distil")


def _run(project: Project) -> None:
    tasks = [{"id": "T1", "description": LINE, "produces": ["x.txt"], "target_path": "x.txt"}]
    choice = {"question": LINE, "choice": f"{MARK} by plan", "because": TEXT, "rejected": []}
    mind = Agent(
        lambda _: Say(text=plan_of(LINE, tasks, [choice], [LINE])),
        once(("write", {"path": f"{MARK}<b>.txt", "content": TEXT}), then=TEXT),
        [{"fact": LINE, "category": LINE, "paths": [], "quote": MARK}],
    )
    with minding(mind) as server:
        project.try_("run", LINE, "--yes", "--json", "--set", "run.gates=none", **server.environment("anthropic"))


def _records(project: Project) -> None:
    project("log", "--rate", "2", LINE)
    project("todo", "add", LINE)
    project("log", "add", LINE)
    settings = project.folder / ".holdfast/config.toml"
    settings.write_text(f"{json.dumps(LINE)} = 1\ndefault_lens = {json.dumps(LINE)}\n")
    # Hands other than ours write files too.
    (project.folder / ".holdfast/memory/learnings").mkdir(exist_ok=True)
    broken = project.folder / f".holdfast/memory/learnings/{MARK}{NAME}.md".replace("/onerror", "")
    broken.write_text(f"---\nid: LRN-{NAME}\ntype: learning\ntitle: {json.dumps(TEXT[:5000])}\n---\n{TEXT}")


def inert(page: Page) -> str:
    """Nothing planted acts; the words that stand there."""
    found = page.evaluate(FOUND)
    assert (found["ran"], found["planted"], found["foreign"], found["raw"]) == (0, [], [], []), (page.url, found)
    assert found["title"].endswith("Holdfast Studio")
    return str(page.locator("main").inner_text())


def seen(page: Page, project: Project, *parts: str) -> str:
    """The words of a place, all of them unfolded, none of which does anything."""
    step(page, project, *parts)
    inert(page)
    # What is folded is text as well.
    page.evaluate(UNFOLD)
    settled(page)
    return inert(page)


def test_planted_text_is_shown_and_does_nothing(studio: Studio, planted: Project) -> None:
    page = studio.open(planted, "overview")
    memory = planted.memory
    stores = (memory.decisions, memory.failures, memory.learnings, memory.patterns, memory.invariants)
    run = planted("runs", "--json").json["runs"][0]["run"]
    places = [
        *(("memory", each.id) for store in stores for each in store),
        *(("review", each.id) for each in memory.candidates()),
        ("runs", run), ("history", f"{MARK}-<b>s</b>"), ("lineage", f"{MARK}‹b›.txt"),
        ("lineage", f"src/{MARK}{NAME}.py".replace("<", "‹").replace(">", "›")),
    ]  # fmt: skip

    said = {view: seen(page, planted, view) for view in ("review", "memory", "runs", "lineage", "history", "signals")}
    said |= {view: seen(page, planted, view) for view in ("health", "settings", "overview")}
    seen(page, planted, "memory", "graph")
    for place in places:
        assert MARK in seen(page, planted, *place), place

    for view in ("memory", "runs", "lineage", "history", "overview"):
        assert MARK in said[view], view
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_what_is_searched_for_is_text_too(studio: Studio, planted: Project) -> None:
    studio.expect("404", "401", "403", "422")
    page = studio.open(planted, "memory", q=LINE)
    inert(page)
    for place in ((LINE,), *((view, LINE) for view in ("memory", "review", "runs", "history", "lineage"))):
        seen(page, planted, *place)
    page.goto(f"{studio.server.url}/w/{planted.id}/memory#key={'x' * 50}{LINE}")
    inert(settled(page))


def test_an_editor_holds_planted_text_as_it_is(studio: Studio, planted: Project) -> None:
    decision = planted.memory.decisions
    name = next(each.id for each in decision)
    page = studio.open(planted, "memory", name)
    page.get_by_role("button", name="Edit").first.click()
    box = page.locator("main textarea, dialog textarea").first
    expect(box).to_be_visible()

    assert MARK in box.input_value()
    inert(page)
    assert os.path.exists(planted.file_of(name))
