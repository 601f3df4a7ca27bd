"""History: sessions as conversations, opened at any turn, short and very long."""

from playwright.sync_api import Page, expect
from tests.browser.conftest import Studio, looks, settled
from tests.browser.seeds import Project, being

from holdfast.app import build_app
from holdfast.core.event import Event

LONG = 5000
MOST_DRAWN = 120


def turns_of(page: Page) -> int:
    return page.get_by_role("list", name="Turns of the session").get_by_role("listitem").count()


def test_a_session_is_found_and_read_with_its_tools_folded(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "history")
    page.get_by_label("Find a session by its title").fill("upload")
    page.get_by_role("option", name="Make the upload test pass").click()

    expect(page.get_by_role("heading", name="Make the upload test pass.")).to_be_visible()
    call = page.get_by_role("button", name="Bash").first
    expect(call).to_contain_text("failed")
    expect(call).to_have_attribute("aria-expanded", "false")
    studio.picture(page, "history")
    call.click()
    expect(page.locator("pre").filter(has_text="ConnectionError: refused").first).to_be_visible()
    looks(page)

    page.get_by_label("Find in this session").fill("read the proxy")
    expect(page.get_by_text("1 found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("article[aria-current]")).to_contain_text("you did not read the proxy's log")
    page.get_by_text("Summary and").click()
    expect(page.locator("details a[href*='/review/'], details a[href*='/memory/']").first).to_be_visible()


def test_a_subagent_stands_below_the_call_that_started_it(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "history", "ce73b99e")

    group = page.get_by_role("button", name="Subagent")
    expect(group).to_have_attribute("aria-expanded", "true")
    before = turns_of(page)
    group.click()
    expect(group).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("list", name="Turns of the session").get_by_role("listitem")).not_to_have_count(before)
    looks(page)


def test_sessions_are_filtered_by_their_client(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "history")
    rows = page.get_by_role("option", name="turns")
    expect(rows.first).to_be_visible()

    page.get_by_label("Client").select_option("holdfast-agent")

    expect(rows).to_have_count(1)
    page.get_by_label("Client").select_option("")
    page.get_by_label("Find a session by its title").fill("no such words")
    expect(page.get_by_text("No session is like that")).to_be_visible()


def test_a_session_of_5000_turns_is_drawn_in_part_and_opened_in_its_middle(studio: Studio, workspace: Project) -> None:
    events = [
        Event(client="claude-code", session="long-one", name=name, data={name: f"{said} {number}." + more(number)})
        for number in range(LONG // 2)
        for name, said in (("prompt", "Question"), ("answer", "Answer"))
    ]
    with being(workspace.env):
        receipts = build_app(str(workspace.folder)).journal.append(events)
    wanted = 1800

    page = studio.open(workspace, "history", "long-one", turn=receipts[2 * wanted].id)

    here = page.locator("article[aria-current]")
    expect(here).to_contain_text(f"Question {wanted}.")
    expect(here).to_be_in_viewport()
    assert turns_of(page) < MOST_DRAWN
    page.get_by_role("list", name="Turns of the session").focus()
    page.keyboard.press("End")
    expect(page.get_by_text(f"Answer {LONG // 2 - 1}.")).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(page.get_by_text("Question 0.", exact=False).last).to_be_in_viewport()
    assert turns_of(page) < MOST_DRAWN
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("article[aria-current]")).to_contain_text(f"Question {wanted + 2}.")


def more(number: int) -> str:
    """Texts of many lengths, so that rows have many heights."""
    return " It goes on." * (number * 7 % 60)


def test_a_turn_that_is_not_there_is_told(studio: Studio, rich: Project) -> None:
    studio.expect("404")
    page = studio.open(rich, "history", "8b20e7f4-upload", turn="01ARZ3NDEKTSV4RRFFQ69G5FAV")

    expect(page.get_by_text("This session has no such turn.")).to_be_visible()


def test_a_session_that_goes_on_grows_on_the_page(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "history", "8b20e7f4-upload")
    expect(page.get_by_text("you did not read the proxy's log").last).to_be_visible()

    workspace.hook("UserPromptSubmit", "8b20e7f4-upload", prompt="Now raise the limit of the proxy.")

    expect(page.get_by_role("list", name="Turns of the session")).to_contain_text("Now raise the limit of the proxy.")
    settled(page)
