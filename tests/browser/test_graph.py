"""Graph: the picture, the list that says the same, search, filters, and five thousand memories."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from tests.browser.conftest import Studio, looks, settled
from tests.browser.seeds import Project
from tests.waiting import wait_for

NODES, EDGES = 5000, 15_000
MOST_LABELS = 40


def drawn(page: Page) -> None:
    """The picture has settled."""
    expect(page.locator("[data-moving=false] canvas").first).to_be_visible()


def sharp(page: Page) -> Locator:
    """The picture, drawn for where one looks now."""
    place = page.locator("[data-moving=false][data-sharp=true]")
    expect(place).to_have_count(1, timeout=60_000)
    return place


def seen(page: Page) -> bytes:
    """What is drawn, without the frame's round corners: those may differ by a shade."""
    box = sharp(page).bounding_box()
    assert box
    wide, high = box["width"] - 32, box["height"] - 32
    return page.screenshot(clip=FloatRect(x=box["x"] + 16, y=box["y"] + 16, width=wide, height=high))


def labels(page: Page) -> int:
    """How many names are written in it."""
    return int(sharp(page).get_attribute("data-labels") or 0)


def test_the_picture_is_drawn_and_follows_the_theme(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    drawn(page)
    place = page.get_by_role("application")
    studio.picture(page, "graph")
    looks(page)
    light = place.screenshot()

    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    assert len(light) > 5000
    assert place.screenshot() != light
    looks(page)


def test_a_memory_is_found_shown_beside_and_its_neighbours_followed(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    drawn(page)

    page.get_by_label("Find a memory in the graph").fill("postgresql holds")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    beside = page.get_by_role("complementary", name="The chosen memory")
    expect(beside.get_by_role("heading", name="PostgreSQL holds the orders")).to_be_visible()
    expect(beside).to_contain_text("MongoDB")
    expect(beside).to_contain_text("takes the place of")
    looks(page)
    beside.get_by_role("button", name="SQLite holds the orders").click()
    expect(beside.get_by_role("heading", name="SQLite holds the orders")).to_be_visible()
    expect(beside).to_contain_text("was replaced by")
    # The address leads back here.
    page.reload()
    expect(beside.get_by_role("heading", name="SQLite holds the orders")).to_be_visible()
    beside.get_by_role("link", name="Open in Memory").click()
    expect(page).to_have_url(re.compile("/memory/DEC-"))


def test_types_and_edges_are_left_out(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    count = page.get_by_text("memories,")
    expect(count).to_contain_text("19 memories")

    page.get_by_label("learning").uncheck()
    expect(count).to_contain_text("12 memories")
    page.get_by_label("supersedes").uncheck()
    for kind in ("same name", "same file"):
        page.get_by_label(kind).uncheck()
    expect(count).to_contain_text("0 edges")
    page.reload()
    settled(page)
    expect(count).to_contain_text("12 memories, 0 edges")


def test_the_list_says_the_same_by_keyboard_alone(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    page.get_by_role("button", name="As a list").press("Enter")

    rows = page.get_by_role("listbox", name="Memories, the best bound first")
    expect(rows.get_by_role("option")).to_have_count(19)
    rows.focus()
    page.keyboard.press("ArrowDown")
    beside = page.get_by_role("complementary", name="The chosen memory")
    first = beside.get_by_role("heading").first
    expect(first).to_be_visible()
    before = first.inner_text()
    page.keyboard.press("ArrowDown")
    expect(first).not_to_have_text(before)
    looks(page)


def test_the_picture_moves_by_wheel_by_hand_and_by_keys_and_comes_back(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    whole = seen(page)
    box = sharp(page).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def wheel() -> None:
        page.mouse.move(x, y)
        page.mouse.wheel(0, -300)

    def drag() -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 90, y + 40, steps=4)
        page.mouse.up()

    def press(keys: str) -> Callable[[], None]:
        return lambda: page.get_by_role("application").press(keys)

    for moves in (wheel, drag, press("+"), press("-"), press("ArrowLeft"), press("ArrowUp")):
        moves()
        # Off the picture: what is pointed at is drawn otherwise, and so is what has the focus.
        page.mouse.move(5, 5)
        page.get_by_role("application").blur()
        wait_for(lambda: seen(page) != whole, "another picture", pause=0.1)
        page.get_by_role("application").press("0")
        page.get_by_role("application").blur()
        wait_for(lambda: seen(page) == whole, "the whole picture", pause=0.1)


def test_pointing_at_a_memory_names_its_neighbours_and_leaving_it_all_again(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    all_names = labels(page)
    page.get_by_label("Find a memory in the graph").fill("PostgreSQL holds")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Close", exact=True).click()
    place = sharp(page)
    box = place.bounding_box()
    assert box
    before = seen(page)

    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(place).to_have_css("cursor", "pointer")
    wait_for(lambda: seen(page) != before, "another picture", pause=0.1)
    page.mouse.move(5, 5)
    expect(place).to_have_css("cursor", "grab")
    page.get_by_role("button", name="Show all").click()
    assert labels(page) == all_names > 0


def test_a_click_on_a_node_opens_it(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "memory", "graph")
    drawn(page)
    place = page.get_by_role("application")
    page.get_by_label("Find a memory in the graph").fill("PostgreSQL holds")
    page.keyboard.press("Enter")
    beside = page.get_by_role("complementary", name="The chosen memory")
    expect(beside).to_be_visible()
    beside.get_by_role("button", name="Close").click()
    expect(beside).to_have_count(0)

    # The search brought it to the middle.
    after = place.bounding_box()
    assert after
    page.mouse.click(after["x"] + after["width"] / 2, after["y"] + after["height"] / 2)
    expect(beside.get_by_role("heading", name="PostgreSQL holds the orders")).to_be_visible()


@pytest.mark.heavy
def test_five_thousand_memories_are_drawn_and_answer(studio: Studio, rich: Project) -> None:
    body = json.dumps(large_graph())
    page = studio.tab()
    page.route("**/graph?*", lambda route: route.fulfill(status=200, content_type="application/json", body=body))
    studio.expect("404")  # These memories are nowhere else.
    studio.go(page, rich, "memory", "graph")

    expect(page.get_by_text("5,000 memories, 15,000 edges")).to_be_visible()
    expect(page.locator("[data-moving=false] canvas").first).to_be_visible(timeout=120_000)
    for key in ("", "+", "+", "+", "+", "0", "-", "0"):
        if key:
            page.get_by_role("application").press(key)
        assert 0 < labels(page) <= MOST_LABELS, key
    page.get_by_label("Find a memory in the graph").fill("number 4321")
    page.keyboard.press("Enter")
    beside = page.get_by_role("complementary", name="The chosen memory")
    expect(beside.get_by_role("heading", name="Memory number 4321")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="As a list").click()
    assert page.get_by_role("option").count() < 80


def large_graph() -> dict[str, Any]:
    chance = random.Random(1)
    types = ("decision", "failure", "learning", "invariant", "pattern", "assumption")
    nodes = [
        {"id": f"memory:MEM-{n}", "kind": "memory", "title": f"Memory number {n}", "type": chance.choice(types),
         "status": "accepted", "degree": 6}
        for n in range(NODES)
    ]  # fmt: skip
    kinds = ("same file", "same name", "same session", "supersedes")
    pairs = {(n, (n + chance.randint(1, 40)) % NODES) for n in range(NODES) for _ in range(4)}
    edges = [
        {"source": nodes[one]["id"], "target": nodes[other]["id"], "kind": chance.choice(kinds), "why": ""}
        for one, other in sorted(pairs)[:EDGES]
    ]
    return {"nodes": nodes, "edges": edges, "more": 0}
