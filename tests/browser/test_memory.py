"""The memory explorer in a real browser: lists, search with reasons, time, one memory in full, edits."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Studio, fits, is_live, looks, settled
from tests.browser.seeds import Project, being

from holdfast import PersistentMemory

POSTGRES, SQLITE = "PostgreSQL holds the orders", "SQLite holds the orders"


def lines(page: Page) -> Locator:
    """The rows of the list of all."""
    return page.get_by_role("listbox", name="Memories").get_by_role("option")


def shown(page: Page) -> Locator:
    """The memory in full."""
    return page.get_by_role("region", name="The memory")


def id_of(project: Project, title: str) -> str:
    """The id of a memory by its title."""
    listed = project("list", "--json").json["memories"]
    return next(str(each["id"]) for each in listed if each["title"].startswith(title))


def test_a_memory_is_shown_in_full_by_its_link(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", id_of(rich, POSTGRES), tab="decisions")

    expect(shown(page).get_by_role("heading", level=2)).to_contain_text(POSTGRES)
    expect(shown(page)).to_contain_text("one writer at a time")
    expect(shown(page).get_by_role("heading", name="Its life")).to_be_visible()
    looks(page)
    fits(page)
    studio.picture(page, "memory")

    page = studio.open(rich, "memory", id_of(rich, "The pool holds 20"))
    expect(shown(page).get_by_text("changed since", exact=True)).to_be_visible()
    expect(shown(page).get_by_role("link", name="src/shop/db.py:1")).to_be_visible()
    looks(page)


def test_decisions_stand_by_month_joined_to_what_replaced_them(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", tab="decisions")

    october = page.get_by_role("region", name="October 2026").get_by_role("listitem")
    expect(october.filter(has_text=POSTGRES)).to_contain_text("not SQLite, MongoDB")
    old = october.filter(has_text=SQLITE)
    expect(old).to_contain_text(f"replaced by {id_of(rich, POSTGRES)}")
    looks(page)

    page.keyboard.press("j")
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text("A cache in the process")
    page.keyboard.press("j")
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text(POSTGRES)


def test_the_slider_takes_every_list_and_the_memory_back(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", tab="decisions")
    slider = page.get_by_role("slider", name="As of")
    expect(slider).to_be_enabled()

    page.get_by_label("Any day").fill("2026-10-01")
    expect(page).to_have_url(re.compile("asOf=2026-10-01"))
    expect(page.get_by_text(POSTGRES)).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile(SQLITE))).to_be_visible()
    page.get_by_role("link", name=re.compile(SQLITE)).click()
    expect(shown(page).get_by_text("It held then, in these words.")).to_be_visible()
    expect(shown(page).get_by_role("button", name="Edit")).to_have_count(0)
    looks(page)

    page.get_by_role("tab", name=re.compile("All")).click()
    expect(lines(page).filter(has_text=SQLITE)).to_be_visible()
    expect(lines(page).filter(has_text=POSTGRES)).to_have_count(0)
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("asOf=2026-10-12"))
    expect(lines(page).filter(has_text=POSTGRES)).to_be_visible()
    page.get_by_role("button", name="Back to now").click()
    expect(page).not_to_have_url(re.compile("asOf"))
    slider.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("asOf=2026-09-01"))


def test_failures_are_counted_by_error_and_by_cause(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", tab="failures")

    groups = page.locator("summary")
    expect(groups.first).to_contain_text("TimeoutError")
    expect(groups.first).to_contain_text("5×")
    expect(groups.nth(1)).to_contain_text("4×")
    page.get_by_role("button", name="root cause").click()
    expect(groups.first).to_contain_text("the proxy cuts bodies at 5 MB")
    looks(page)
    for tab in ("learnings", "rules"):
        page = studio.open(rich, "memory", tab=tab)
        expect(page.locator("a[data-row]").first).to_be_visible()


def test_search_answers_while_one_types_and_says_why(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/search") else None)

    page.keyboard.press("/")
    page.keyboard.type("the pool ran dry", delay=15)
    first = page.locator("a[data-row]").first
    expect(first).to_contain_text("Connection pool ran dry")
    assert len(asked) < len("the pool ran dry")
    page.locator("details", has_text="Why").first.locator("summary").click()
    expect(page.get_by_role("cell", name="together").first).to_be_visible()
    looks(page)
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text("Connection pool ran dry")

    page.get_by_role("searchbox").fill("zzqx vvkw")
    expect(page.get_by_text("Nothing found").or_(page.get_by_text("weak").first)).to_be_visible()


def test_typing_a_question_asks_once_and_keeps_the_socket(studio: Studio, rich: Project) -> None:
    page = is_live(studio.open(rich, "memory"))
    page.wait_for_load_state("networkidle")
    words = "connection pool ran d"
    assert len(words) == 21
    asked: list[str] = []
    sockets: list[str] = []
    # The browser fetches the page's icon when it likes.
    page.on("request", lambda request: asked.append(f"{request.method} {urlsplit(request.url).path}"))
    page.on("websocket", lambda socket: sockets.append(socket.url))

    page.keyboard.press("/")
    page.keyboard.type(words, delay=15)
    expect(page.locator("a[data-row]").first).to_contain_text("Connection pool ran dry")
    expect(page.get_by_text(f"for “{words}”")).to_be_visible()
    page.wait_for_load_state("networkidle")

    assert sockets == []
    # Nothing but the search is asked for; a slow machine may pause between two letters.
    asked = [each for each in asked if each != "GET /favicon.svg"]
    assert set(asked) == {f"POST /api/workspace/{rich.id}/search"}
    assert len(asked) < len(words) / 2, asked
    expect(page.locator(".connection")).to_contain_text("Live")


def test_an_edit_in_place_asks_when_the_file_moved(workspace: Project, studio: Studio) -> None:
    studio.expect("412")
    name = id_of(workspace, POSTGRES)
    page = is_live(studio.open(workspace, "memory", name))

    page.keyboard.press("e")
    area = page.get_by_role("region", name=f"Edit {name}").get_by_role("textbox")
    area.fill(area.input_value().replace(POSTGRES, "PostgreSQL 17 holds the orders", 1))
    page.keyboard.press("Control+s")
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text("PostgreSQL 17")
    assert "PostgreSQL 17" in workspace.file_of(name).read_text()

    page.keyboard.press("e")
    area.fill(area.input_value().replace("PostgreSQL 17", "PostgreSQL 18", 1))
    path = workspace.file_of(name)
    path.write_text(path.read_text().replace("PostgreSQL 17", "PostgreSQL 16", 1))
    expect(page.get_by_text(f"Somebody changed {name} meanwhile.")).to_be_visible()
    assert "PostgreSQL 18" in area.input_value()
    looks(page)
    page.get_by_role("button", name="Take the other").click()
    assert "PostgreSQL 16" in area.input_value()
    page.get_by_role("button", name="Close").click()
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text("PostgreSQL 16")


def test_a_memory_is_written_down_and_forgotten(workspace: Project, studio: Studio) -> None:
    studio.expect("404")
    page = is_live(studio.open(workspace, "memory"))

    page.keyboard.press("c")
    form = page.get_by_role("dialog", name="New memory")
    form.get_by_label("Type").select_option("failure")
    form.get_by_label("Text").fill("The nightly import ran twice.")
    form.get_by_label("Error").fill("IntegrityError")
    form.get_by_label("Tags").fill("import, nightly")
    looks(page)
    page.keyboard.press("Control+Enter")
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text("The nightly import ran twice")
    expect(lines(page).first).to_contain_text("The nightly import ran twice")
    name = page.url.split("/memory/")[1].split("?")[0]
    assert "IntegrityError" in workspace.file_of(name).read_text()

    shown(page).get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_text(f"Forgot {name}.")).to_be_visible()
    expect(lines(page).filter(has_text="The nightly import ran twice")).to_have_count(0)
    assert name not in workspace("list", "--json").out


def test_what_others_remember_appears_while_one_looks(workspace: Project, studio: Studio) -> None:
    page = is_live(studio.open(workspace, "memory"))
    count = lines(page).count()

    workspace("remember", "pattern", "Every import is idempotent.")

    expect(lines(page).filter(has_text="Every import is idempotent")).to_be_visible()
    assert count


def test_what_the_team_decided_is_marked_with_who_decided_it(workspace: Project, studio: Studio) -> None:
    workspace("team", "init", "acme", "--as", "Ada <b>L</b>")
    promoted = workspace("team", "promote", id_of(workspace, POSTGRES), "--json").json
    workspace("accept", *re.findall(r"CAND-\w+", str(promoted)))
    page = studio.open(workspace, "memory", id_of(workspace, POSTGRES))

    expect(shown(page).get_by_text("team, by Ada <b>L</b>", exact=True)).to_be_visible()
    expect(lines(page).filter(has_text=POSTGRES).get_by_text("team", exact=True)).to_be_visible()
    looks(page)


def test_a_long_list_is_loaded_as_one_scrolls_and_draws_few_rows(empty: Project, studio: Studio) -> None:
    with being(empty.env):
        memory = PersistentMemory.load(empty.folder)
        for number in range(240):
            memory.add_learning(f"Fact {number:04d} about the thing called {number:04d}.")
    page = studio.open(empty, "memory", sort="title")
    expect(lines(page).first).to_contain_text("Fact 0000")
    assert lines(page).count() < 60

    page.get_by_role("listbox", name="Memories").focus()
    page.keyboard.press("End")

    expect(lines(page).last).to_contain_text("Fact 0239")
    assert lines(page).count() < 60


def test_the_explorer_works_empty_in_the_dark_and_on_a_narrow_screen(
    rich: Project, empty: Project, studio: Studio
) -> None:
    page = studio.tab(color_scheme="dark", viewport={"width": 400, "height": 800})
    studio.go(page, rich, "memory", tab="decisions")
    fits(page)
    page.get_by_role("link", name=re.compile(POSTGRES)).click()
    expect(shown(page).get_by_role("heading", level=2)).to_contain_text(POSTGRES)
    looks(page)
    fits(page)
    page.get_by_role("button", name="To the list").click()
    expect(page.get_by_role("link", name=re.compile(POSTGRES))).to_be_visible()

    settled(studio.go(page, empty, "memory"))
    expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    fits(page)
