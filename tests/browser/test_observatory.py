"""Observatory: a run started, followed live, asked, cancelled, undone, and played again."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Server, Studio, is_live, looks, serving
from tests.browser.seeds import Agent, Project, empty_project, once, plan_of
from tests.journeys.terminal import Terminal
from tests.minds import Heard, Say, minding

TASK = {"id": "T1", "description": "Write the limits", "target_path": "limits.py", "produces": ["limits.py"]}
WRITE = ("write", {"path": "limits.py", "content": "LIMIT = 5\n"})


def start(page: Page, goal: str, trust: str) -> None:
    page.get_by_role("button", name="New run").click()
    page.get_by_label("Goal").fill(goal)
    page.get_by_label("Trust").select_option(trust)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name=goal)).to_be_visible()


@contextmanager
def with_model(own: Callable[[Server], Studio], folder: Path, mind: Agent) -> Iterator[tuple[Studio, Project]]:
    home = folder / "own-home"
    home.mkdir()
    project = empty_project(folder / "shop", home)
    project.git("init")
    with minding(mind) as model, serving(home, env=model.environment("anthropic")) as server:
        yield own(server), project


def test_a_past_run_is_shown_and_played_again(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "runs")
    page.get_by_role("option", name="page the list of orders").click()

    expect(page.get_by_role("heading", name="page the list of orders")).to_be_visible()
    phases = page.get_by_role("list", name="Phases").get_by_role("listitem")
    expect(phases).to_have_count(5)
    expect(phases.nth(4)).to_contain_text("done")
    tasks = page.get_by_role("region", name="Tasks").get_by_role("listitem")
    expect(tasks.nth(1)).to_contain_text("after T1")
    studio.picture(page, "observatory")

    place = page.get_by_label("Place in the run")
    expect(place).to_have_attribute("aria-valuetext", "event 12 of 12")
    place.fill("0")
    expect(place).to_have_attribute("aria-valuetext", "event 1 of 12")
    expect(phases.nth(0)).to_have_attribute("aria-current", "step")
    expect(page.get_by_text("There is no plan yet.")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("]")
    expect(place).to_have_attribute("aria-valuetext", "event 2 of 12")
    looks(page)
    page.get_by_label("Speed").select_option("16×")
    page.get_by_role("button", name="Play the run again").click()
    expect(place).to_have_attribute("aria-valuetext", "event 12 of 12")
    expect(phases.nth(4)).to_contain_text("done")


def test_its_events_can_be_filtered_and_its_memory_and_files_opened(studio: Studio, rich: Project) -> None:
    run = rich("runs", "--json").json["runs"][0]["run"]
    page = studio.open(rich, "runs", run)

    events = page.get_by_role("list", name="Events of the run").get_by_role("listitem")
    page.get_by_label("Which events").select_option("tasks")
    expect(events).to_have_count(4)
    page.get_by_label("Filter events by words").fill("README")
    expect(events).to_have_count(1)
    page.get_by_role("button", name="Show the diff").click()
    expect(page.get_by_role("group", name="Changes of README.md")).to_contain_text("Orders are paged by cursor.")
    page.get_by_role("region", name="Memory added").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/review/"))
    page.go_back()
    page.get_by_role("region", name="Tasks").get_by_role("link", name="src/shop/api.py").click()
    expect(page.get_by_role("heading", name="src/shop/api.py")).to_be_visible()


def test_a_run_asks_goes_on_and_is_undone(own_studio: Callable[[Server], Studio], tmp_path: Path) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Add limits", [TASK])), once(WRITE))
    with with_model(own_studio, tmp_path, mind) as (studio, project):
        page = is_live(studio.open(project, "runs"))
        start(page, "add limits", "ask")

        asked = page.get_by_role("region", name="The run asks you")
        expect(asked).to_contain_text("LIMIT = 5", timeout=60_000)
        assert not (project.folder / "limits.py").exists()
        looks(page)
        asked.get_by_role("button", name="Yes", exact=True).click()
        expect(page.locator("main .run header").get_by_text("complete")).to_be_visible(timeout=60_000)
        expect(asked).to_have_count(0)
        assert (project.folder / "limits.py").read_text() == "LIMIT = 5\n"
        page.locator("nav a[href$='/signals']").click()
        cost = page.get_by_role("region", name="What models cost")
        expect(cost.get_by_role("row", name="anthropic:test-1")).to_be_visible()
        page.go_back()

        page.get_by_role("button", name="Undo").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("limits.py")
        dialog.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("1 file is as before")).to_be_visible()
        assert not (project.folder / "limits.py").exists()


def test_a_run_is_cancelled_and_can_go_on(own_studio: Callable[[Server], Studio], tmp_path: Path) -> None:
    begun, free = threading.Event(), threading.Event()

    def work(heard: Heard) -> Say:
        begun.set()
        free.wait(60)
        return once(WRITE)(heard)

    mind = Agent(lambda _: Say(text=plan_of("Add limits", [TASK])), work)
    with with_model(own_studio, tmp_path, mind) as (studio, project):
        page = is_live(studio.open(project, "runs"))
        start(page, "add limits", "workspace")
        assert begun.wait(60)
        running = page.get_by_role("list", name="Phases").locator("[aria-current=step]")
        expect(running).to_contain_text("execute", ignore_case=True)
        expect(page.get_by_role("region", name="Tasks").get_by_role("listitem")).to_contain_text("runs")

        page.get_by_role("button", name="Cancel").click()
        header = page.locator("main .run header")
        expect(header.get_by_text("cancelled", exact=True)).to_be_visible(timeout=60_000)
        free.set()
        page.get_by_role("button", name="Resume").click()
        expect(page.locator("main .run header").get_by_text("complete")).to_be_visible(timeout=60_000)
        assert (project.folder / "limits.py").exists()


def test_a_run_of_a_terminal_is_followed_and_cancelled(own_studio: Callable[[Server], Studio], tmp_path: Path) -> None:
    home = tmp_path / "own-home"
    home.mkdir()
    project = empty_project(tmp_path / "shop", home)
    project.git("init")
    mind = Agent(lambda _: Say(text=plan_of("Add limits", [TASK])), once(WRITE))
    with minding(mind) as model, serving(home) as server:
        page = is_live(own_studio(server).open(project, "runs"))
        env = {**project.env, **model.environment("anthropic"), "NO_COLOR": ""}
        terminal = Terminal(project.folder, "run", "add limits", "--set", "run.gates=none", env=env)
        terminal.see("Do it?")
        page.get_by_role("option", name="add limits").click()
        header = page.locator("main .run header")
        expect(header.get_by_text("in a terminal")).to_be_visible()
        looks(page)

        page.get_by_role("button", name="Cancel").click()
        expect(header.get_by_text("cancelled over the server by the token 'owner'")).to_be_visible(timeout=60_000)
        terminal.see("Cancelled over the server by the token 'owner'.")

        assert terminal.end() == 1
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        expect(page.get_by_role("list", name="Events of the run")).to_contain_text("Cancelled")
        assert not (project.folder / "limits.py").exists()


def test_a_run_of_the_page_is_cancelled_in_a_terminal(own_studio: Callable[[Server], Studio], tmp_path: Path) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Add limits", [TASK])), once(WRITE))
    with with_model(own_studio, tmp_path, mind) as (studio, project):
        page = is_live(studio.open(project, "runs"))
        start(page, "add limits", "ask")
        asked = page.get_by_role("region", name="The run asks you")
        expect(asked).to_contain_text("LIMIT = 5", timeout=60_000)

        done = project("runs", "cancel")
        header = page.locator("main .run header")
        expect(header.get_by_text("cancelled from another terminal")).to_be_visible(timeout=60_000)
        expect(asked).to_have_count(0)

        assert "Cancelled: run-" in done.out
        assert not (project.folder / "limits.py").exists()


@pytest.mark.parametrize("goal", ["<img src=x onerror=alert(1)>", "one\x1b[31m two"])
def test_a_goal_is_only_words(own_studio: Callable[[Server], Studio], tmp_path: Path, goal: str) -> None:
    mind = Agent(lambda _: Say(text="{}"), once(WRITE))
    with with_model(own_studio, tmp_path, mind) as (studio, project):
        page = studio.open(project, "runs")
        page.get_by_label("Goal").fill(goal)
        page.get_by_role("button", name="Start", exact=True).click()

        shown = goal.replace("\x1b[31m", "")
        expect(page.get_by_role("heading", name=shown)).to_be_visible()
