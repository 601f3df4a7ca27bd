"""Whole stories: memory that arrives, is decided and undone while somebody looks, over restarts and side by side."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Route, ViewportSize, expect
from tests.browser.conftest import Server, Studio, fits, is_live, looks, serving
from tests.browser.seeds import Project, copy_of, empty_project
from tests.journeys.test_run import Agent as Mind
from tests.journeys.test_run import once
from tests.journeys.test_three_sessions import AUTH, CACHE, LEARNED, REDIS_TEST, with_choice
from tests.minds import Heard, Say, minding

SQLITE = "Let's use SQLite for the orders, not PostgreSQL, PostgreSQL is too much to run for us."
GONE = (
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
    "WebSocket connection",
    "Failed to load",
)
TOLD = "Redis refused the connection"


def queue(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Candidates")


def row(page: Page, words: str) -> Locator:
    return queue(page).get_by_role("option", name=re.compile(re.escape(words)))


def files_of(project: Project) -> dict[str, bytes]:
    """Every file that a person's decision may touch."""
    base = project.folder / ".holdfast"
    found = [path for folder in ("memory", "candidates") for path in (base / folder).rglob("*.md")]
    return {str(path.relative_to(base)): path.read_bytes() for path in found}


def a_session(project: Project, session: str, words: str) -> None:
    """Somebody works with Claude Code here, and says something worth keeping."""
    project.hook("SessionStart", session, source="startup")
    project.hook("UserPromptSubmit", session, prompt=words)
    project.hook("Stop", session, last_assistant_message="Done.")
    project.hook("SessionEnd", session, reason="exit")
    project("distil")


def go_to(page: Page, words: str) -> None:
    """Through the queue by keys until it is this one."""
    target = row(page, words)
    expect(target).to_be_visible()
    for _ in range(30):
        if target.get_attribute("aria-selected") == "true":
            return
        above = target.evaluate(ABOVE)
        page.keyboard.press("k" if above else "j")
    raise AssertionError(f"{words} was not reached by keys")


# Whether it stands above the row that is current.
ABOVE = """row => {
  const current = row.closest('[role=listbox]').querySelector('[aria-selected=true]')
  return !!current && !!(row.compareDocumentPosition(current) & Node.DOCUMENT_POSITION_FOLLOWING)
}"""


def test_a_candidate_comes_by_a_hook_and_its_conflict_is_resolved_by_keys(studio: Studio, workspace: Project) -> None:
    page = is_live(studio.open(workspace, "review"))
    old = next(each for each in workspace.memory.decisions if each.choice == "PostgreSQL")

    a_session(workspace, "5e55104a-live", SQLITE)
    expect(row(page, "Use SQLite for the orders")).to_be_visible()
    before = files_of(workspace)
    go_to(page, "Use SQLite for the orders")
    pane = page.get_by_role("region", name="The candidate")
    expect(pane).to_contain_text("too much to run for us")
    expect(pane).to_contain_text(old.id)
    looks(page)
    page.keyboard.press("a")
    expect(page.get_by_text("contradicts what holds")).to_be_visible()
    assert files_of(workspace) == before
    page.keyboard.press("s")

    expect(row(page, "Use SQLite for the orders")).to_have_count(0)
    expect(page.get_by_text("Accepted as DEC-")).to_be_visible()
    memory = workspace.memory
    new = next(each for each in memory.decisions if each.title.startswith("Use SQLite for the orders"))
    assert new.supersedes == (old.id,)
    assert b"supersedes" in workspace.file_of(new.id).read_bytes()
    assert b"valid_until" in workspace.file_of(old.id).read_bytes()

    page.keyboard.press("u")
    expect(row(page, "Use SQLite for the orders")).to_be_visible()
    assert files_of(workspace) == before


def test_many_are_decided_at_once_and_come_back_at_once(studio: Studio, workspace: Project) -> None:
    page = is_live(studio.open(workspace, "review"))
    before = files_of(workspace)
    waiting = len(workspace.memory.candidates())

    page.get_by_role("button", name="Select").click()
    page.get_by_role("menuitem", name=re.compile("without a conflict", re.IGNORECASE)).click()
    page.keyboard.press("a")
    expect(page.get_by_text(re.compile("Accepted [2-9]"))).to_be_visible()
    assert 0 < len(workspace.memory.candidates()) < waiting
    page.keyboard.press("u")
    expect(page.get_by_text(f"{waiting} to review")).to_be_visible()

    assert files_of(workspace) == before


def test_what_the_command_decides_is_seen_at_once(studio: Studio, workspace: Project) -> None:
    page = is_live(studio.open(workspace, "review"))
    candidate = next(each for each in workspace.memory.candidates() if each.title.startswith("Invoices are numbered"))
    expect(row(page, candidate.title)).to_be_visible()

    workspace("accept", candidate.id)
    expect(row(page, candidate.title)).to_have_count(0)
    added = workspace.keep("propose", "learning", "Proposed while the page is open")
    expect(row(page, "Proposed while the page is open")).to_be_visible()
    workspace("reject", added, "--because", "not so")
    expect(row(page, "Proposed while the page is open")).to_have_count(0)

    studio.open(workspace, "memory")
    expect(page.locator("main").get_by_text(candidate.title).first).to_be_visible()
    workspace("remember", "learning", "Remembered while the page is open")
    expect(page.locator("main").get_by_text("Remembered while the page is open").first).to_be_visible()


def test_two_browsers_see_each_other_and_only_one_accepts(studio: Studio, workspace: Project) -> None:
    studio.expect("404", "409")
    one = is_live(studio.open(workspace, "review"))
    two = is_live(studio.another(workspace, "review"))
    first, second = "Invoices are numbered", "Every verb of the domain"
    for page in (one, two):
        expect(row(page, first)).to_be_visible()

    # What one decides leaves the other's queue.
    go_to(one, first)
    one.keyboard.press("a")
    expect(one.get_by_text("Accepted as")).to_be_visible()
    expect(row(two, first)).to_have_count(0)

    # Both decide on the same: the second one's word is on its way when the first one's arrives.
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    two.route("**/accept", hold)
    go_to(two, second)
    two.keyboard.press("a")
    go_to(one, second)
    one.keyboard.press("a")
    expect(row(one, second)).to_have_count(0)
    expect(one.get_by_text("Accepted as PAT-")).to_be_visible()
    [route] = held
    route.continue_()
    expect(two.get_by_text("Somebody else decided it first")).to_be_visible()
    assert sum(each.title.startswith(second) for each in workspace.memory.patterns) == 1


def test_a_client_that_runs_with_old_memory_is_named_after_an_acceptance(studio: Studio, workspace: Project) -> None:
    workspace("render")
    workspace.hook("SessionStart", "0pen5e55-live", source="startup")
    workspace.hook("UserPromptSubmit", "0pen5e55-live", prompt="hello")
    page = is_live(studio.open(workspace, "review"))
    expect(page.locator(".banner")).to_have_count(0)

    go_to(page, "Every verb of the domain")
    page.keyboard.press("a")

    banner = page.locator(".banner")
    expect(banner).to_contain_text("Claude Code")
    looks(page)
    banner.get_by_role("button", name="Dismiss").click()
    expect(banner).to_have_count(0)


@contextmanager
def a_place(seeded: Project, tmp_path: Path) -> Iterator[tuple[Project, Server]]:
    """A workspace and a server of the test's own."""
    home = tmp_path / "own-home"
    home.mkdir()
    project = copy_of(seeded, tmp_path / "shop", home)
    with serving(home) as server:
        yield project, server


def test_after_a_restart_of_the_server_the_page_goes_on_without_loading_anew(
    own_studio: Callable[[Server], Studio], seeded: Project, tmp_path: Path
) -> None:
    with a_place(seeded, tmp_path) as (project, server):
        studio = own_studio(server)
        page = is_live(studio.open(project, "review"))
        page.evaluate("window.kept = 1")
        server.stop(kill=True)
        expect(page.locator(".connection")).to_contain_text("Offline")
        project.keep("propose", "learning", "Proposed while the server was away")

        with serving(server.home, server.port):
            is_live(page)
            expect(row(page, "Proposed while the server was away")).to_be_visible()
            project.keep("propose", "learning", "Proposed after it came back")
            expect(row(page, "Proposed after it came back")).to_be_visible()
            go_to(page, "Proposed after it came back")
            page.keyboard.press("a")
            expect(page.get_by_text("Accepted as")).to_be_visible()
        assert page.evaluate("window.kept") == 1


def test_on_a_narrow_dark_screen_a_candidate_is_read_and_accepted(studio: Studio, workspace: Project) -> None:
    page = studio.tab(color_scheme="dark", viewport=ViewportSize(width=400, height=800), has_touch=True)
    studio.go(page, workspace, "review")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    fits(page)
    row(page, "Every verb of the domain").tap()
    pane = page.get_by_role("region", name="The candidate")
    expect(pane.get_by_role("heading", name="Every verb of the domain")).to_be_visible()
    fits(page)
    looks(page)
    pane.get_by_role("button", name="Accept").first.tap()
    expect(page.get_by_text("Accepted as PAT-")).to_be_visible()
    page.get_by_role("button", name="Navigation").tap()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Memory").tap()
    expect(page.locator("main h1")).to_have_text("Memory")
    fits(page)


class Changing:
    """A mind that is another one for each session."""

    def __init__(self) -> None:
        self.now: Any = None

    def __call__(self, heard: Heard) -> Say:
        said: Say = self.now(heard)
        return said


def test_three_sessions_over_http_with_new_memory_seen_live(
    own_studio: Callable[[Server], Studio], tmp_path: Path
) -> None:
    home = tmp_path / "own-home"
    home.mkdir()
    project = empty_project(tmp_path / "shop", home)
    project.git("init")
    (project.folder / "pyproject.toml").write_text('[project]\nname = "shop"\nversion = "1"\n')
    mind, path = Changing(), f"{Path(sys.executable).parent}:{project.env.get('PATH', '')}"
    with minding(mind) as model, serving(home, env={"PATH": path, **model.environment("anthropic")}) as server:
        studio = own_studio(server)
        page = is_live(studio.open(project, "runs"))

        # The first decides about logins, and finds something out.
        mind.now = Mind(
            lambda _: Say(text=with_choice("Add auth by OAuth", AUTH)),
            once(("write", {"path": "x.py", "content": "a = 1\n"}), then="Pydantic v2 is used for every model here."),
            [LEARNED],
        )
        run_in(page, "add auth", "Complete")
        expect(page.locator("main").get_by_text("OAuth").first).to_be_visible()
        accept_all(studio, project, 2)

        # The second tries Redis, which does not work.
        (project.folder / "pytest.ini").write_text("[pytest]\n")
        (project.folder / "test_cache.py").write_text(REDIS_TEST)
        mind.now = Mind(
            lambda _: Say(text=with_choice("Add caching with Redis")),
            once(("write", {"path": "x.py", "content": "c = 1\n"})),
        )
        studio.open(project, "runs")
        run_in(page, "add caching", "Failed")
        accept_all(studio, project, 1)
        (project.folder / "pytest.ini").unlink()
        (project.folder / "test_cache.py").unlink()

        # Its second try is told, and chooses something else.
        def plan(heard: Heard) -> Say:
            return Say(text=with_choice("Cache with dogpile.cache", CACHE) if TOLD in heard.text else "{}")

        mind.now = third = Mind(plan, once(("write", {"path": "x.py", "content": "cache = 2\n"})))
        studio.open(project, "runs")
        run_in(page, "add caching, perhaps with Redis", "Complete")
        expect(page.locator("main").get_by_text("dogpile").first).to_be_visible()
        assert all("KNOWN DEAD ENDS" in heard.text for heard in third.planned)
        accept_all(studio, project, 1)

        memory = project.memory
        assert {each.choice for each in memory.decisions} == {"OAuth", "dogpile.cache"}
        assert any(TOLD in each.title + each.body for each in memory.failures)
        studio.open(project, "memory")
        for words in ("OAuth", "dogpile"):
            expect(page.locator("main").get_by_text(words).first).to_be_visible()


def run_in(page: Page, goal: str, ends: str) -> None:
    """Start a run by the form, and see it end."""
    page.get_by_role("button", name="New run").click()
    page.get_by_label("Goal").fill(goal)
    page.get_by_label("Trust").select_option("workspace")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name=goal, exact=True)).to_be_visible()
    expect(page.locator("main header").get_by_text(ends).first).to_be_visible(timeout=60_000)


def accept_all(studio: Studio, project: Project, least: int) -> None:
    """The user looks at what a run gave, and takes it."""
    page = studio.open(project, "review")
    expect(queue(page).get_by_role("option").nth(least - 1)).to_be_visible()
    page.get_by_role("button", name="Select").click()
    page.get_by_role("menuitem", name=re.compile("all shown", re.IGNORECASE)).click()
    page.keyboard.press("a")
    expect(page.get_by_text(re.compile("^Accepted"))).to_be_visible()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
