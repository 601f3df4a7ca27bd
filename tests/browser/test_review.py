"""Review in a real browser: the queue, a candidate beside its evidence and its conflict, every decision by keyboard."""

import re
import time
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.conftest import Studio, fits, is_live, looks, settled
from tests.browser.seeds import Project

from holdfast.core.memory import MemoryType

REDIS = "Redis for the baskets"


def rows(page: Page) -> Locator:
    """The lines of the queue."""
    return page.get_by_role("listbox", name="Candidates").get_by_role("option")


def row(page: Page, title: str) -> Locator:
    """One line of the queue."""
    return rows(page).filter(has_text=title)


def read(page: Page) -> Locator:
    """What is read."""
    return page.get_by_role("region", name="The candidate")


def chosen(page: Page, title: str) -> None:
    """Read a candidate by its title."""
    row(page, title).click()
    expect(read(page).get_by_role("heading", level=2)).to_contain_text(title)


def toasts(page: Page) -> Locator:
    """What was just said."""
    return page.locator(".toasts")


def waiting(project: Project) -> set[str]:
    """The ids that wait, by the command."""
    return {each["id"] for each in project("list", "--candidates", "--json").json["candidates"]}


@pytest.fixture
def id_of() -> Callable[[Page], str]:
    """The id of what is read, from the address."""
    return lambda page: page.url.split("/review/")[1].split("?")[0]


def test_the_queue_shows_a_candidate_beside_its_evidence_and_what_it_contradicts(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "review")
    chosen(page, REDIS)

    conflict = read(page).get_by_role("article").first
    expect(conflict).to_contain_text("contradicts")
    expect(conflict).to_contain_text("A cache in the process")
    expect(conflict.locator("mark").first).to_be_visible()
    looks(page)
    fits(page)
    studio.picture(page, "review")

    chosen(page, "From now on, always run the tests")
    turns = read(page).get_by_role("listitem")
    expect(turns.filter(has=page.locator("mark"))).to_contain_text("always run the tests with TZ=UTC")
    expect(turns.filter(has_text="Perfect, thank you")).to_have_attribute("aria-current", "true")
    expect(read(page).get_by_role("link", name="Open the conversation here")).to_have_attribute(
        "href", re.compile(r"/history/3f6c1d2a-cache\?turn=\w+")
    )
    looks(page)


def test_a_conflict_is_resolved_by_keyboard_and_undone_to_the_same_bytes(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    page = studio.open(workspace, "review")
    before = {path: path.read_bytes() for path in (workspace.folder / ".holdfast/memory").rglob("*.md")}
    expect(rows(page).first).to_have_attribute("aria-selected", "true")
    # Conflicts are looked for aside: until one is found, only the server knows.
    expect(row(page, REDIS)).to_contain_text("contradicts")
    titles = rows(page).all_inner_texts()
    for _ in range(next(place for place, title in enumerate(titles) if REDIS in title)):
        page.keyboard.press("j")
    expect(read(page).get_by_role("heading", level=2)).to_contain_text(REDIS)
    # What is first in the queue is read without being opened: its address is that of the queue.
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/*")
    name = id_of(page)

    page.keyboard.press("a")
    expect(page.get_by_text("It contradicts what holds.")).to_be_visible()
    page.keyboard.press("s")
    expect(row(page, REDIS)).to_have_count(0)
    expect(page.get_by_text("Accepted as DEC-")).to_be_visible()

    assert name not in waiting(workspace)
    text = workspace.file_of(name.replace("CAND", "DEC")).read_text()
    assert "supersedes:" in text
    page.keyboard.press("u")
    expect(row(page, REDIS)).to_be_visible()
    expect(page.get_by_text("Undone: accept")).to_be_visible()
    assert {path: path.read_bytes() for path in (workspace.folder / ".holdfast/memory").rglob("*.md")} == before


def test_keep_old_narrow_and_keep_both_each_resolve(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    page = studio.open(workspace, "review")
    chosen(page, REDIS)
    name = id_of(page)

    page.keyboard.press("o")
    expect(row(page, REDIS)).to_have_count(0)
    expect(page.get_by_text("Rejected one")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(row(page, REDIS)).to_be_visible()

    chosen(page, REDIS)
    page.keyboard.press("n")
    page.get_by_label("Paths, one in a line").fill("src/shop/cache.py\nsrc/worker/**")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Accepted as DEC-")).to_be_visible()
    assert "src/worker/**" in workspace.file_of(name.replace("CAND", "DEC")).read_text()
    page.keyboard.press("u")
    expect(row(page, REDIS)).to_be_visible()

    chosen(page, REDIS)
    page.keyboard.press("b")
    why = page.get_by_label("Because")
    expect(page.get_by_role("button", name="Keep both", exact=True)).to_be_disabled()
    why.fill("one per worker, one for all")
    with page.expect_response("**/accept"):
        page.keyboard.press("Enter")
    expect(row(page, REDIS)).to_have_count(0)
    assert "one per worker, one for all" in workspace.file_of(name.replace("CAND", "DEC")).read_text()


def test_reject_asks_why_and_the_reason_stands_in_the_file(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    page = studio.open(workspace, "review")
    chosen(page, "it did not read the log")
    name = id_of(page)

    page.keyboard.press("r")
    page.get_by_label("Why not?").fill("too vague")
    page.keyboard.press("Enter")

    expect(row(page, "it did not read the log")).to_have_count(0)
    expect(page.get_by_text("Rejected one.")).to_be_visible()
    assert "because: too vague" in workspace.file_of(name).read_text()


def test_a_merge_folds_one_into_another(workspace: Project, studio: Studio, id_of: Callable[[Page], str]) -> None:
    page = studio.open(workspace, "review")
    chosen(page, "orders() had no limit before")
    merged = id_of(page)

    page.keyboard.press("m")
    page.get_by_label("Into which one?").fill("How are orders paged")
    expect(page.get_by_role("option", selected=True).filter(has_text="How are orders paged")).to_be_visible()
    page.keyboard.press("Enter")

    expect(row(page, "orders() had no limit before")).to_have_count(0)
    expect(page.get_by_text("Merged one.")).to_be_visible()
    assert "merged_into" in workspace.file_of(merged).read_text()


def test_many_are_accepted_at_once_and_one_undo_takes_them_back(workspace: Project, studio: Studio) -> None:
    page = studio.open(workspace, "review")
    all_of_them = waiting(workspace)
    marked = page.get_by_role("group", name="The selected ones")
    page.get_by_role("button", name="Select").click()
    page.get_by_role("menuitem", name=re.compile("All shown")).click()
    expect(marked).to_contain_text(f"{len(all_of_them)} selected")
    page.keyboard.press("Escape")

    for title in (REDIS, "orders() had no limit", "it did not read the log"):
        chosen(page, title)
        page.keyboard.press("x")
    expect(marked).to_contain_text("3 selected")
    page.keyboard.press("a")
    expect(page.get_by_text("in conflict with what holds")).to_be_visible()
    expect(rows(page)).to_have_count(len(all_of_them) - 2)
    assert len(waiting(workspace)) == len(all_of_them) - 2

    page.keyboard.press("u")
    expect(rows(page)).to_have_count(len(all_of_them))
    assert waiting(workspace) == all_of_them


def test_selecting_a_range_and_the_filter_work_together(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "review")
    rows(page).first.click()
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("X")
    expect(page.get_by_role("group", name="The selected ones")).to_contain_text("3 selected")
    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name="The selected ones")).to_have_count(0)

    page.keyboard.press("/")
    page.keyboard.type("baskets")
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_text("1 of ")).to_be_visible()
    page.reload()
    settled(page)
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Client").select_option("holdfast-agent")
    expect(rows(page)).to_have_count(2)
    page.get_by_label("Type").select_option("invariant")
    expect(page.get_by_text("Nothing that the filter means")).to_be_visible()


def test_what_was_said_again_or_taken_back_is_one_question_and_goes_with_the_answer(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    workspace("propose", "decision", "The snapshot goes to restore.db")
    # Which of two was said later is told by the second.
    time.sleep(1.1)
    workspace("propose", "decision", "The snapshot goes to sessions.db")
    page = is_live(studio.open(workspace, "review"))
    before = waiting(workspace)
    question = read(page).get_by_role("region", name="One question, 2 candidates")

    chosen(page, "The snapshot goes to sessions.db")
    expect(row(page, "The snapshot goes to")).to_have_count(1)
    expect(row(page, "The snapshot goes to")).to_contain_text("+1 asked with it")
    # What is suggested stands first.
    expect(question.get_by_role("listitem").first).to_contain_text("suggested The snapshot goes to sessions.db")
    expect(question.get_by_role("listitem").last).to_contain_text("taken back The snapshot goes to restore.db")
    looks(page)
    lead = id_of(page)
    page.keyboard.press("v")
    expect(read(page).get_by_role("heading", level=2)).to_contain_text("The snapshot goes to restore.db")
    expect(read(page).get_by_text("is about this one alone")).to_be_visible()
    other = id_of(page)
    page.keyboard.press("v")
    expect(read(page).get_by_role("heading", level=2)).to_contain_text("The snapshot goes to sessions.db")

    page.keyboard.press("a")
    expect(page.get_by_text("With it went one that it takes back.")).to_be_visible()
    # What the pointer is on stays.
    toasts(page).get_by_role("button", name="Undo").hover()
    expect(row(page, "The snapshot goes to")).to_have_count(0)
    assert waiting(workspace) == before - {lead, other}
    assert "taken back by DEC-" in workspace.file_of(other).read_text()

    toasts(page).get_by_role("button", name="Undo").click()
    expect(row(page, "The snapshot goes to sessions.db")).to_contain_text("+1 asked with it")
    assert waiting(workspace) == before


def test_undo_of_a_toast_takes_back_what_it_names_and_not_what_came_after(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    page = is_live(studio.open(workspace, "review"))
    before = waiting(workspace)
    chosen(page, "it did not read the log")
    mine = id_of(page)
    [theirs] = [each for each in before if "orders() had" in workspace.file_of(each).read_text()]

    page.keyboard.press("a")
    expect(page.get_by_text("Accepted as LRN-")).to_be_visible()
    offered = toasts(page).get_by_role("button", name="Undo")
    offered.hover()
    workspace("reject", theirs)
    expect(row(page, "orders() had no limit")).to_have_count(0)
    offered.click()

    expect(page.get_by_text("Undone: accept")).to_be_visible()
    expect(row(page, "it did not read the log")).to_be_visible()
    assert waiting(workspace) == before - {theirs}
    assert mine in waiting(workspace)
    expect(offered).to_have_count(0)


def test_a_toast_whose_change_is_undone_offers_nothing_any_more(workspace: Project, studio: Studio) -> None:
    page = studio.open(workspace, "review")
    chosen(page, "it did not read the log")
    page.keyboard.press("a")
    expect(toasts(page).get_by_role("button", name="Undo")).to_be_visible()

    page.keyboard.press("u")

    expect(page.get_by_text("Undone: accept")).to_be_visible()
    expect(toasts(page).get_by_role("button", name="Undo")).to_have_count(0)


def test_what_the_command_line_decides_leaves_and_the_place_stays(workspace: Project, studio: Studio) -> None:
    page = is_live(studio.open(workspace, "review"))
    chosen(page, "it did not read the log")
    [other] = [each for each in waiting(workspace) if "orders() had" in workspace.file_of(each).read_text()]

    workspace("accept", other)
    expect(row(page, "orders() had no limit")).to_have_count(0)
    expect(read(page).get_by_role("heading", level=2)).to_contain_text("it did not read the log")

    workspace("propose", "learning", "The basket's cookie is called sid.")
    expect(row(page, "The basket's cookie is called sid")).to_be_visible()
    expect(read(page).get_by_role("heading", level=2)).to_contain_text("it did not read the log")


def test_an_edit_is_saved_and_keeps_its_text_when_another_was_faster(
    workspace: Project, studio: Studio, id_of: Callable[[Page], str]
) -> None:
    studio.expect("412", "404")
    page = is_live(studio.open(workspace, "review"))
    chosen(page, "it did not read the log")
    name = id_of(page)

    page.keyboard.press("e")
    area = page.get_by_role("region", name=f"Edit {name}").get_by_role("textbox")
    area.fill(area.input_value().replace("it did not read the log", "Read the log first", 1))
    page.keyboard.press("Control+s")
    expect(page.get_by_text(f"Changed {name}.")).to_be_visible()
    expect(row(page, "Read the log first")).to_be_visible()
    assert "Read the log first" in workspace.file_of(name).read_text()

    page.keyboard.press("e")
    area.fill(area.input_value().replace("Read the log first", "My words", 1))
    workspace("edit", name, "--title", "Their words")
    expect(page.get_by_text(f"Somebody changed {name} meanwhile.")).to_be_visible()
    assert "My words" in area.input_value()
    page.get_by_role("button", name="Write mine over it").click()
    expect(row(page, "My words")).to_be_visible()
    assert "My words" in workspace.file_of(name).read_text()

    page.keyboard.press("e")
    area.fill(area.input_value().replace("My words", "Words of a lost one", 1))
    workspace("reject", name)
    expect(page.get_by_text(f"{name} is gone.")).to_be_visible()
    assert "Words of a lost one" in area.input_value()
    looks(page)
    page.get_by_role("button", name="Propose it anew").click()
    expect(row(page, "Words of a lost one")).to_be_visible()


def test_two_browsers_decide_the_same_and_one_is_told(workspace: Project, studio: Studio) -> None:
    studio.expect("404", "409")
    first = studio.open(workspace, "review")
    second = studio.another(workspace, "review")
    for page in (first, second):
        is_live(page)
        chosen(page, "it did not read the log")
    # The first decides between the second's key and its request.
    second.route("**/candidates/*/accept", partial(_overtaken, first))

    second.keyboard.press("a")

    expect(
        second.get_by_role("alert").or_(second.get_by_role("status")).filter(has_text="Somebody else decided it first")
    ).to_be_visible()
    expect(row(second, "it did not read the log")).to_have_count(0)


def _overtaken(page: Page, route: Route) -> None:
    page.keyboard.press("a")
    expect(page.get_by_text("Accepted as LRN-")).to_be_visible()
    route.continue_()


def test_an_empty_queue_is_calm_and_a_link_to_what_is_gone_says_so(
    workspace: Project, empty: Project, studio: Studio
) -> None:
    studio.expect("404")
    page = studio.open(empty, "review")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()

    page = studio.open(workspace, "review", "CAND-GONE00")
    expect(page.get_by_text("CAND-GONE00 does not wait any more")).to_be_visible()
    page.get_by_role("button", name="Go on with the queue").click()
    expect(read(page).get_by_role("heading", level=2)).to_be_visible()


def test_review_works_in_the_dark_and_on_a_narrow_screen(studio: Studio, rich: Project) -> None:
    page = studio.tab(color_scheme="dark", viewport={"width": 400, "height": 800})
    studio.go(page, rich, "review")
    fits(page)

    row(page, REDIS).click()
    expect(read(page).get_by_role("heading", level=2)).to_contain_text(REDIS)
    looks(page)
    fits(page)
    page.get_by_role("button", name="To the list").click()
    expect(rows(page).first).to_be_visible()


def test_two_memories_that_hold_and_contradict_stand_on_top_and_are_resolved(
    workspace: Project, studio: Studio
) -> None:
    new = workspace.merge(
        MemoryType.DECISION, "Baskets are cached in Redis.", title="A cache in Redis", question="Which cache?",
        choice="Redis", paths=("src/shop/cache.py",),
    )  # fmt: skip
    page = studio.open(workspace, "review")

    pair = rows(page).first
    expect(pair).to_contain_text("two that hold contradict")
    pair.click()
    expect(read(page).get_by_role("article")).to_contain_text("A cache in the process")
    looks(page)
    page.keyboard.press("s")

    expect(page.get_by_text("Resolved.")).to_be_visible()
    expect(rows(page).filter(has_text="two that hold")).to_have_count(0)
    assert "supersedes:" in workspace.file_of(new).read_text()
