"""What a session was told, in Studio: as it was heard, why, and what came of it; and one key that says otherwise."""

from typing import Any

from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Studio, fits, is_live, looks
from tests.browser.seeds import Project

SESSION = "3f6c1d2a-cache"
SIZES = ((1440, 900), (1280, 800), (768, 1024), (390, 844))


def told_in(project: Project, session: str = SESSION) -> Any:
    """What the command line says of it."""
    return project("session", "told", session, "--json").json


def marks_of(project: Project, memory: str) -> set[str]:
    tellings = told_in(project)["tellings"]
    return {each["marked"] for telling in tellings for each in telling["memories"] if each["id"] == memory}


def here(page: Page) -> Locator:
    """The memory that the keys mean."""
    return page.locator("li[aria-current]")


def id_of(page: Page) -> str:
    return here(page).locator("code").inner_text()


def toast(page: Page, words: str) -> Locator:
    return page.locator(".toast").filter(has_text=words)


def hears(project: Project) -> None:
    """One more session, told something at its start and at a prompt."""
    project.hook("SessionStart", "77aa-told", source="startup")
    project.hook("UserPromptSubmit", "77aa-told", prompt="Why did the connection pool run dry under load?")


def test_a_session_shows_what_it_heard_when_why_and_what_came_of_it(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "history", SESSION)
    page.get_by_role("tab", name="Told").click()

    expect(page).to_have_url(f"{studio.server.url}/w/{rich.id}/history/{SESSION}/told")
    start = page.get_by_role("article").first
    expect(start.get_by_role("heading", name="At the start")).to_be_visible()
    first = told_in(rich)["tellings"][0]
    expect(start.get_by_label("As it was heard")).to_contain_text(first["text"].splitlines()[-1].strip())
    expect(start).to_contain_text(f"{first['tokens']:,} tokens")
    for memory in first["memories"]:
        expect(start.locator("li").filter(has_text=memory["id"])).to_have_count(1)
    assert {each["came_of_it"].partition(":")[0] for each in first["memories"]} >= {"used"}
    expect(start.locator("li").filter(has_text="used").first).to_be_visible()
    studio.picture(page, "told")
    looks(page)
    start.locator("li a").first.click()
    expect(page).to_have_url(f"{studio.server.url}/w/{rich.id}/memory/{first['memories'][0]['id']}")


def test_keys_say_wrong_not_relevant_and_always_and_undo_takes_back_one_word(
    studio: Studio, workspace: Project
) -> None:
    page = is_live(studio.open(workspace, "history", SESSION, "told"))
    expect(here(page)).to_have_count(1)
    page.keyboard.press("j")
    expect(here(page)).to_be_focused()
    memory = id_of(page)

    page.keyboard.press("n")
    expect(toast(page, f"{memory} will be told less readily.")).to_be_visible()
    expect(here(page)).to_contain_text("You said: not relevant 1×")
    page.keyboard.press("a")
    expect(here(page)).to_contain_text("You said: always, not relevant 1×")
    assert marks_of(workspace, memory) == {"always, not relevant 1×"}
    looks(page)

    # Undo belongs to the word it stands beside, whatever was said since.
    toast(page, "told less readily").get_by_role("button", name="Undo").click()
    expect(here(page)).to_contain_text("You said: always")
    expect(here(page)).not_to_contain_text("not relevant 1×")
    assert marks_of(workspace, memory) == {"always"}

    page.keyboard.press("w")
    expect(toast(page, f"{memory} is told to no agent any more.")).to_be_visible()
    expect(here(page).get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    expect(here(page).get_by_role("button", name="Always")).to_have_attribute("aria-pressed", "false")
    assert marks_of(workspace, memory) == {"wrong"}
    assert memory not in workspace.hook("SessionStart", "another-session", source="startup")

    page.keyboard.press("u")
    expect(toast(page, "as if nothing had been said of it")).to_be_visible()
    expect(here(page)).not_to_contain_text("You said")
    assert marks_of(workspace, memory) == {""}
    toast(page, "as if nothing had been said of it").get_by_role("button", name="Undo").click()
    expect(here(page)).to_contain_text("You said: wrong")
    assert marks_of(workspace, memory) == {"wrong"}


def test_undo_of_a_mark_leaves_every_other_action_alone(studio: Studio, workspace: Project) -> None:
    page = is_live(studio.open(workspace, "history", SESSION, "told"))
    expect(here(page)).to_have_count(1)
    memory = id_of(page)
    page.keyboard.press("n")
    expect(toast(page, "told less readily")).to_be_visible()
    waiting = workspace.keep("propose", "learning", "Refunds are paid on Fridays.")
    workspace("accept", waiting)

    toast(page, "told less readily").get_by_role("button", name="Undo").click()

    expect(toast(page, f"Undone for {memory}: nothing is said of it.")).to_be_visible()
    assert marks_of(workspace, memory) == {""}
    assert "Refunds are paid on Fridays." in workspace("show", waiting.replace("CAND", "LRN")).out


def test_j_and_k_go_from_memory_to_memory_over_tellings_and_buttons_do_the_same(
    studio: Studio, workspace: Project
) -> None:
    hears(workspace)
    page = studio.open(workspace, "history", "77aa-told", "told")
    places = [
        each["id"] for telling in told_in(workspace, "77aa-told")["tellings"] for each in telling["memories"]
    ]  # fmt: skip
    expect(here(page)).to_have_count(1)

    assert id_of(page) == places[0]
    for wanted in places[1:]:
        page.keyboard.press("j")
        expect(here(page).locator("code")).to_have_text(wanted)
        expect(here(page)).to_be_in_viewport()
        expect(here(page)).to_be_focused()
    page.keyboard.press("j")
    expect(here(page).locator("code")).to_have_text(places[-1])
    page.keyboard.press("k")
    expect(here(page).locator("code")).to_have_text(places[-2])

    row = page.locator("li").filter(has_text=places[0]).first
    row.get_by_role("button", name="Not relevant").click()
    expect(row).to_contain_text("You said: not relevant 1×")
    row.get_by_role("button", name="Take back").click()
    expect(row).not_to_contain_text("You said")


def test_a_prompt_stands_above_what_was_told_for_it_and_a_session_that_goes_on_grows(
    studio: Studio, workspace: Project
) -> None:
    workspace.hook("SessionStart", "88bb-told", source="startup")
    page = is_live(studio.open(workspace, "history", "88bb-told", "told"))
    expect(page.get_by_role("article")).to_have_count(1)
    marked = workspace.keep("remember", "learning", "Gift vouchers expire after exactly 400 days.")

    workspace.hook("UserPromptSubmit", "88bb-told", prompt="After how many days do gift vouchers expire?")

    expect(page.get_by_text("Told 2 times")).to_be_visible()
    page.get_by_role("list", name="What the session was told").focus()
    page.keyboard.press("End")
    prompt = page.get_by_role("article").filter(has=page.locator("blockquote"))
    expect(prompt.get_by_role("heading", name="For a prompt")).to_be_visible()
    expect(prompt.locator("blockquote")).to_have_text("After how many days do gift vouchers expire?")
    expect(prompt.locator("li")).to_contain_text(marked)
    expect(prompt.locator("li")).to_contain_text("Why: ")


def test_a_session_that_was_told_nothing_says_what_to_do(studio: Studio, empty: Project) -> None:
    empty.hook("UserPromptSubmit", "99cc-silent", prompt="hello there")
    page = studio.open(empty, "history", "99cc-silent", "told")

    expect(page.get_by_text("This session was told nothing")).to_be_visible()
    expect(page.get_by_text("holdfast doctor")).to_be_visible()
    expect(page.get_by_role("link", name="Review what waits")).to_be_visible()
    looks(page)


def test_the_tab_is_reached_and_left_by_a_key_and_stays_from_session_to_session(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "history", SESSION)
    expect(page.get_by_role("list", name="Turns of the session")).to_be_visible()

    page.keyboard.press("o")
    expect(page.get_by_role("list", name="What the session was told")).to_be_visible()
    page.get_by_role("option", name="Make the upload test pass").click()
    expect(page).to_have_url(f"{studio.server.url}/w/{rich.id}/history/8b20e7f4-upload/told")
    page.keyboard.press("o")
    expect(page.get_by_role("list", name="Turns of the session")).to_be_visible()


def test_it_fits_and_reads_in_every_width_light_and_dark(studio: Studio, rich: Project) -> None:
    for scheme in ("light", "dark"):
        page = studio.tab(color_scheme=scheme)
        studio.go(page, rich, "history", SESSION, "told")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect(page.get_by_role("article").first).to_be_visible()
            fits(page)
            looks(page)


def test_what_an_agent_would_be_told_for_a_goal_is_shown_with_reasons_and_what_is_left_out(
    studio: Studio, workspace: Project
) -> None:
    page = studio.open(workspace, "overview")
    card = page.get_by_role("region", name="What would an agent be told?")
    page.get_by_label("A goal or a path").fill("Why did the connection pool run dry? See src/shop/db.py")
    page.keyboard.press("Enter")

    pool = card.get_by_role("listitem").filter(has_text="one session per request")
    expect(pool).to_contain_text("Why: holds for this path")
    expect(card.get_by_text("What holds at src/shop/db.py is among it.")).to_be_visible()
    card.get_by_text("As it would be heard").click()
    expect(card.locator("pre")).to_contain_text("KNOWN DEAD ENDS")
    card.get_by_text("Left out:").click()
    expect(card.locator("details").first).to_contain_text("not near enough to the goal")
    looks(page)
    fits(page)

    memory = pool.locator("a").inner_text()
    workspace("session", "told", "--wrong", memory)
    page.reload()
    expect(page.get_by_label("A goal or a path")).to_have_value(
        "Why did the connection pool run dry? See src/shop/db.py"
    )
    card.get_by_text("Left out:").click()
    left = card.locator("details li").filter(has_text="Connection pool ran dry")
    expect(left).to_contain_text("you said: wrong")
    page.set_viewport_size({"width": 390, "height": 844})
    fits(page)
    looks(page)


def test_a_goal_that_nothing_matters_to_says_so(studio: Studio, empty: Project) -> None:
    page = studio.open(empty, "overview", goal="knit a scarf")

    expect(page.get_by_text("Nothing would be told: nothing kept matters to it.")).to_be_visible()
    looks(page)
