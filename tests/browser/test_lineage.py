"""Lineage: which session or run changed a file, and what it was asked."""

from playwright.sync_api import expect
from tests.browser.conftest import Studio, looks
from tests.browser.seeds import Project


def test_a_files_story_leads_to_the_turn_that_changed_it(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "lineage")
    page.get_by_role("link", name="upload.py").click()

    expect(page.get_by_role("heading", name="src/shop/upload.py")).to_be_visible()
    story = page.locator("article ol > li")
    expect(story.filter(has_text="Make the upload test pass")).to_have_count(3)
    looks(page)
    studio.picture(page, "lineage")
    page.get_by_role("link", name="Open the turn").first.click()
    expect(page.locator("article[aria-current]")).to_contain_text("Edit")


def test_a_file_of_a_run_leads_to_the_run_and_its_task(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "lineage", "README.md")

    edit = page.locator("article ol > li").filter(has_text="T2")
    expect(edit).to_contain_text("page the list of orders")
    expect(edit).to_contain_text("test-1")
    edit.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("region", name="Tasks")).to_contain_text("Say it in the README")


def test_files_are_folded_found_and_listed_by_time(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "lineage")
    files = page.get_by_role("list", name="Files that agents changed").get_by_role("link")
    expect(files).to_have_count(4)

    page.get_by_role("button", name="src/shop").click()
    expect(files).to_have_count(1)
    page.get_by_label("Find a file by its path").fill("shop db")
    expect(files).to_have_count(1)
    expect(files).to_contain_text("src/shop/db.py")
    page.get_by_label("Find a file by its path").fill("nowhere")
    page.get_by_role("button", name="Show all files").click()
    page.get_by_role("button", name="Newest change first").click()
    expect(files).to_have_count(4)
    expect(files.last).to_contain_text("src/shop/db.py")


def test_a_file_without_a_story_says_so(studio: Studio, rich: Project) -> None:
    studio.expect("404")
    page = studio.open(rich, "lineage", "src/nobody.py")

    expect(page.get_by_role("alert")).to_contain_text("No agent's session is known to have changed")
