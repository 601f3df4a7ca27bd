"""Every view: opened by its address, in both themes, from a phone to 4K, with nothing to show and with no server."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect
from tests.browser.conftest import Server, Studio, fits, looks, serving, settled, step
from tests.browser.seeds import Project, copy_of

VIEWS = {
    "overview": "Overview", "review": "Review", "memory": "Memory", "memory/graph": "Graph", "runs": "Observatory",
    "lineage": "Lineage", "history": "History", "signals": "Signals", "health": "Health", "settings": "Settings",
}  # fmt: skip
NARROW, WIDE = ViewportSize(width=400, height=800), ViewportSize(width=1280, height=800)
LARGE = ViewportSize(width=3840, height=2160)
GONE = (
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
    "WebSocket connection",
    "Failed to load",
)

# How wide the widest paragraph of several sentences is.
LONGEST = """() => Math.max(0, ...[...document.querySelectorAll('main p')]
  .filter(each => each.innerText.length > 240).map(each => each.clientWidth))"""


def titled(page: Page, title: str) -> None:
    expect(page).to_have_title(re.compile(" · Holdfast Studio$"))
    expect(page.locator("nav a[aria-current=page]")).to_contain_text(title if title != "Graph" else "Memory")
    expect(page.locator("main h1").first).to_be_visible()


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_opens_by_its_address_in_both_themes_and_every_size(studio: Studio, rich: Project, view: str) -> None:
    page = studio.open(rich, *view.split("/"))

    titled(page, VIEWS[view])
    expect(page.get_by_role("alert")).to_have_count(0)
    looks(page)
    if view in {"overview", "health", "settings"}:
        # The others take theirs where they show more than a view at rest.
        studio.picture(page, view)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    looks(page)
    page.set_viewport_size(NARROW)
    fits(page)
    looks(page)
    page.set_viewport_size(LARGE)
    fits(page)
    # Lines of text stay readable: a paragraph never runs over the whole of a 4K screen.
    assert page.evaluate(LONGEST) < 1600


def test_every_view_of_an_empty_workspace_says_what_to_do(studio: Studio, empty: Project) -> None:
    page = studio.open(empty)

    for view, title in VIEWS.items():
        step(page, empty, *view.split("/"))
        titled(page, title)
        expect(page.get_by_role("alert")).to_have_count(0)
        assert len(page.locator("main").inner_text()) > len(title) + 20
        looks(page)
        page.set_viewport_size(NARROW)
        fits(page)
        page.set_viewport_size(WIDE)


def test_deep_links_lead_to_the_thing_itself(studio: Studio, rich: Project) -> None:
    memory = rich.memory
    decision = next(each for each in memory.decisions if each.choice == "PostgreSQL")
    candidate = next(each for each in memory.candidates() if each.title == "Redis for the baskets")
    run = rich("runs", "--json").json["runs"][0]["run"]

    for address, words in (
        (("memory", decision.id), "two writers now"),
        (("review", candidate.id), "each worker has its own"),
        (("runs", run), "Page the list of orders"),
        (("lineage", "src/shop/db.py"), "db.py"),
        (("history", "8b20e7f4-upload"), "Make the upload test pass"),
    ):
        page = studio.open(rich, *address)
        expect(page.locator("main").get_by_text(words).first).to_be_visible()
        looks(page)


def test_an_address_that_leads_nowhere_says_so(studio: Studio, rich: Project) -> None:
    studio.expect("404")

    for address in (("nothing",), ("memory", "DEC-NOPE00"), ("runs", "run-nope"), ("history", "nope"), ("review", "x")):
        page = studio.open(rich, *address)
        assert len(page.locator("main").inner_text()) > 20
        looks(page)
    page.goto(f"{studio.server.url}/w/0000000000000000/review")
    expect(page.get_by_text("not known here")).to_be_visible()


def test_a_view_that_waits_shows_that_it_loads(studio: Studio, rich: Project) -> None:
    page = studio.tab()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    studio.go(page, rich, "settings")
    page.route("**/api/workspace/**", hold)

    for view in ("overview", "review", "memory", "runs", "lineage", "history", "signals", "health"):
        page.locator(f"nav a[href$='/{view}']").click()
        expect(page.locator("main .loading, main [aria-busy=true]").first).to_be_visible()
    for route in held:
        route.abort()
    page.unroute_all(behavior="ignoreErrors")
    studio.expect("ERR_FAILED")


def test_without_a_server_every_view_says_so_and_comes_back(
    own_studio: Callable[[Server], Studio], seeded: Project, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    project = copy_of(seeded, tmp_path / "shop", home)
    with serving(home) as server:
        studio = own_studio(server)
        page = studio.open(project, "settings")
        # The views' code is there already: only the data is missing.
        for view in VIEWS:
            if "/" not in view:
                page.locator(f"nav a[href$='/{view}']").click()
                settled(page)
        server.stop()
        page.locator("nav a[href$='/lineage']").click()
        expect(page.get_by_text("Offline")).to_be_visible()
        for view in ("review", "memory", "history", "signals", "health"):
            page.locator(f"nav a[href$='/{view}']").click()
            alert = page.get_by_role("alert").first
            expect(alert).to_be_visible()
            expect(alert.get_by_role("button", name="Retry")).to_be_visible()
        looks(page)

        with serving(home, server.port):
            page.get_by_role("button", name="Retry").first.click()
            expect(page.get_by_role("alert")).to_have_count(0)
            expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_a_page_without_a_token_shows_nothing_and_tells_how_to_open_it(studio: Studio, rich: Project) -> None:
    studio.expect("401")
    page = studio.tab()
    page.goto(f"{studio.server.url}/w/{rich.id}/review")

    expect(page.get_by_text("holdfast serve --open")).to_be_visible()
    assert "Redis" not in page.content()
    looks(page)
    link = studio.server.link()
    page.goto(link)
    settled(page)
    assert "key=" not in page.url
    again = studio.tab()
    again.goto(link)
    expect(again.get_by_text("used already")).to_be_visible()
