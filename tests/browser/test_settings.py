"""Settings: where each value comes from, changed in the user's file or the project's, and what cannot be changed."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.conftest import Server, Studio, fits, looks, serving
from tests.browser.seeds import Project, empty_project


def project_file(project: Project) -> Path:
    return project.folder / ".holdfast/config.toml"


def test_the_projects_file_is_changed_where_that_can_do_no_harm(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "settings")
    page.get_by_role("tab", name="This project’s file").click()

    expect(page.get_by_text("is made when you set something here")).to_be_visible()
    expect(page.get_by_label("search.limit", exact=True)).to_be_visible()
    expect(page.get_by_label("run.trust", exact=True)).to_have_count(0)
    page.get_by_label("search.limit", exact=True).fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("this project", exact=True)).to_be_visible()
    assert project_file(workspace).read_text() == "[search]\nlimit = 7\n"
    page.get_by_label("packs.budget_tokens", exact=True).fill("700")
    page.keyboard.press("Enter")
    expect(page.get_by_text("this project", exact=True)).to_have_count(2)
    looks(page)

    page.get_by_role("tab", name="Your file").click()
    expect(page.get_by_text("This project’s file says 7, and that counts here.")).to_be_visible()
    page.get_by_role("tab", name="This project’s file").click()
    page.get_by_role("button", name=re.compile("Back to the default: 10")).click()
    expect(page.get_by_text("this project", exact=True)).to_have_count(1)
    assert "limit" not in project_file(workspace).read_text()


def test_a_file_that_somebody_changed_meanwhile_is_read_again(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "settings", **{"in": "project", "q": "search.limit"})
    entry = page.get_by_label("search.limit", exact=True)
    expect(entry).to_be_visible()
    entry.fill("9")
    # A line that changes no setting: nothing is told to the page.
    project_file(workspace).write_text("# ours\n")
    studio.expect("412")
    page.keyboard.press("Enter")

    expect(page.get_by_text("Somebody else changed the file meanwhile.")).to_be_visible()
    expect(entry).to_have_value("9")
    assert project_file(workspace).read_text() == "# ours\n"
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("this project", exact=True)).to_be_visible()
    assert project_file(workspace).read_text() == "# ours\n\n[search]\nlimit = 9\n"


def test_what_cannot_be_changed_here_says_why(studio: Studio, workspace: Project) -> None:
    project_file(workspace).write_text('[run]\ntrust = "full"\n')
    page = studio.open(workspace, "settings", q="run.trust")

    expect(page.get_by_label("run.trust", exact=True)).to_be_disabled()
    expect(page.get_by_label("run.trust", exact=True)).to_have_value("ask")
    expect(page.get_by_text("Type it in a terminal: holdfast config run.trust VALUE")).to_be_visible()
    page.get_by_role("tab", name="This project’s file").click()
    expect(page.get_by_label("run.trust", exact=True)).to_be_disabled()
    expect(page.get_by_text("what a repository brings must not change what Holdfast may do")).to_be_visible()
    looks(page)
    page.get_by_role("button", name="Take it out of this file").click()
    expect(page.get_by_text("No setting with these words")).to_be_visible()
    assert "trust" not in project_file(workspace).read_text()


def test_the_command_line_and_the_environment_are_named(own_studio: Callable[[Server], Studio], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    project = empty_project(tmp_path / "shop", home)
    with serving(home, env={"HOLDFAST_SEARCH_LIMIT": "4"}, words=("--set", "packs.budget_tokens=900")) as server:
        page = own_studio(server).open(project, "settings", changed="1")

        expect(page.get_by_text("command line", exact=True)).to_be_visible()
        expect(page.get_by_text("The server was started with --set packs.budget_tokens=900")).to_be_visible()
        expect(page.get_by_text("environment", exact=True).first).to_be_visible()
        expect(page.get_by_text("HOLDFAST_SEARCH_LIMIT says 4 where the server runs")).to_be_visible()
        page.get_by_label("packs.budget_tokens", exact=True).fill("800")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Saved, and not in force.")).to_be_visible()
        page.set_viewport_size({"width": 400, "height": 800})
        fits(page)
        looks(page)
    assert "budget_tokens = 800" in (home / "config.toml").read_text()
