"""What is around every view, and the views Overview, Health and Settings: used as a person would."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.conftest import Server, Studio, is_live, looks, serving, settled
from tests.browser.seeds import Project, copy_of

from holdfast.core.memory import MemoryType


def test_every_view_is_reached_by_keys_and_by_the_palette(studio: Studio, rich: Project) -> None:
    page = is_live(studio.open(rich))

    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/review**")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("^Go to a view")).fill("healt")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Health")
    page.go_back()
    page.wait_for_url("**/review**")


def test_the_palette_finds_a_memory(studio: Studio, rich: Project) -> None:
    page = studio.open(rich)

    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("^Go to a view")).fill("prices cents")
    found = page.get_by_role("option").filter(has_text="Prices are integers in cents")
    expect(found).to_be_visible()
    looks(page)
    found.click()
    page.wait_for_url("**/memory/INV-*")


def test_the_keys_that_hold_are_listed(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "health")

    page.keyboard.press("?")
    shown = page.get_by_role("dialog", name="Keys")
    expect(shown).to_contain_text("Verify every record")
    expect(shown).to_contain_text("Go to Review")
    looks(page)
    page.keyboard.press("Escape")
    expect(shown).to_be_hidden()


def test_the_theme_is_kept(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "settings")

    page.get_by_label("Dark", exact=True).check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    settled(page)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_link_holds_once_and_leaves_no_trace(studio: Studio, rich: Project) -> None:
    link = studio.server.link()
    studio.expect("401", "403", "404")
    page = studio.tab()
    page.goto(link)
    settled(page)

    assert "key=" not in page.url
    assert "key=" not in page.evaluate("JSON.stringify(performance.getEntries().map(e => e.name))").replace(link, "")
    other = studio.tab()
    other.goto(link)
    expect(other.get_by_role("heading", level=1)).to_have_text("Signed out")
    expect(other.get_by_text("holdfast serve --open")).to_be_visible()
    looks(other)


def test_a_new_tab_is_signed_in_by_the_one_beside_it(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "health")

    beside = page.context.new_page()
    beside.goto(page.url)
    expect(beside.get_by_role("heading", level=1)).to_have_text("Health")


def test_without_a_link_the_page_says_how_to_get_in(studio: Studio, rich: Project) -> None:
    page = studio.tab()
    page.goto(studio.server.url)

    expect(page.get_by_role("heading", level=1)).to_have_text("Open Studio from your terminal")
    looks(page)


def test_the_page_comes_back_when_the_server_does(
    own_studio: Callable[[Server], Studio], seeded: Project, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shop = copy_of(seeded, tmp_path / "shop", home)
    with serving(home) as server:
        studio = own_studio(server)
        studio.expect("ERR_CONNECTION", "WebSocket", "Failed to load", "ERR_EMPTY")
        page = is_live(studio.open(shop))
        server.stop(kill=True)
        expect(page.locator(".connection")).to_contain_text("Offline")
        with serving(home, server.port):
            is_live(page)
            shop("propose", "learning", "The page came back by itself")
            expect(page.get_by_text("The page came back by itself")).to_be_visible()


def test_the_overview_shows_where_the_work_stands_and_what_comes_in(studio: Studio, workspace: Project) -> None:
    page = is_live(studio.open(workspace))

    expect(page.get_by_role("region", name="Briefing")).to_contain_text("Hot files")
    waits = page.get_by_role("region", name="Waiting for you")
    expect(waits.get_by_role("link", name=re.compile(r"and \d+ more"))).to_be_visible()
    expect(page.get_by_role("link", name="Review 9 waiting")).to_be_visible()
    workspace("propose", "decision", "Queue mails with RQ", "--choice", "RQ")
    expect(waits.get_by_role("link", name=re.compile("Queue mails with RQ"))).to_be_visible()
    expect(page.get_by_role("link", name="Review 10 waiting")).to_be_visible()


def test_open_work_is_added_and_done(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace)
    work = page.get_by_role("region", name="Open work")

    work.get_by_label("New work").fill("look at <b>the</b> proxy")
    page.keyboard.press("Enter")
    expect(work.get_by_text("look at <b>the</b> proxy")).to_be_visible()
    assert "proxy" in workspace("todo").out
    work.get_by_role("button", name=re.compile("Done: look at")).click()
    expect(work.get_by_text("look at <b>the</b> proxy")).to_be_hidden()


def test_health_verifies_every_record_and_says_what_is_broken(studio: Studio, workspace: Project) -> None:
    broken = workspace.folder / ".holdfast/memory/decisions/broken.md"
    broken.write_text("---\nid: [\n---\n", encoding="utf-8")
    page = studio.open(workspace, "health")

    expect(page.get_by_role("region", name="Broken files")).to_contain_text("broken.md")
    broken.unlink()
    page.keyboard.press("v")
    expect(page.get_by_role("region", name="Journal")).to_contain_text("every record agrees with its sum")


def test_a_finding_of_the_curator_is_carried_out_and_undone(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "health")
    curator = page.get_by_role("region", name="Curator")
    finding = curator.get_by_role("listitem").filter(has_text="SQLite holds the orders").first

    finding.get_by_role("button", name="end").click()
    expect(curator.get_by_text("SQLite holds the orders")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(curator.get_by_text("SQLite holds the orders")).to_be_visible()


def test_a_setting_is_changed_refused_and_taken_back(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "settings", q="search.limit")
    field = page.get_by_label("search.limit")

    field.fill("many")
    studio.expect("400", "422")
    page.keyboard.press("Enter")
    expect(page.get_by_text("'many'")).to_be_visible()
    expect(field).to_have_value("many")
    field.fill("25")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("your file", exact=True)).to_be_visible()
    assert "25" in workspace("config", "search.limit", "--json").out
    page.get_by_role("button", name=re.compile("Back to the default")).click()
    expect(field).to_have_value("10")


def test_two_memories_that_contradict_each_other_are_settled(studio: Studio, workspace: Project) -> None:
    new = workspace.merge(
        MemoryType.DECISION, "Use Memcached for the cache", question="Which cache?", choice="Memcached"
    )
    page = studio.open(workspace, "health")
    conflicts = page.get_by_role("region", name="Conflicts")

    expect(page.get_by_text("1 conflict to fix")).to_be_visible()
    conflicts.get_by_role("button", name="Settle…").click()
    dialog = page.get_by_role("dialog", name="Settle the conflict")
    dialog.get_by_label(re.compile("Both hold")).check()
    expect(dialog.get_by_role("button", name="Settle", exact=True)).to_be_disabled()
    dialog.get_by_label(re.compile("^The newer one holds")).check()
    looks(page)
    dialog.get_by_role("button", name="Settle", exact=True).click()
    expect(conflicts).to_be_hidden()
    assert "supersedes" in workspace.file_of(new).read_text(encoding="utf-8")
