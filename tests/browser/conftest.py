"""The ground of the browser tests: a real Chromium against a real `holdfast serve`.

    def test_something(studio: Studio, workspace: Project) -> None:
        page = studio.open(workspace, "review")          # /w/{wid}/review, signed in by a one-time link, settled
        workspace("accept", "CAND-…")                    # the command in that workspace, in a process of its own
        looks(page)                                      # axe: no violation of WCAG A and AA
        studio.picture(page, "review")                   # docs/pictures/studio-review.png, when pictures are wanted

- `rich`       a workspace with something of everything (seeds.py). Shared by all tests: read it, never change it.
- `workspace`  a copy of it that is the test's own. `empty`: one with nothing in it. Both cost 0.1 s.
- `server`     one server process for all tests of a worker; it serves every workspace. A test that stops its server
               starts one of its own: `with serving(home) as server`.
- `studio`     pages of that server. `studio.open(project, view, *rest, **query)` goes there in the test's first tab;
               `studio.another(…)` is a second browser with nothing shared; options of the context (`color_scheme`,
               `viewport`) go to `studio.tab(…)`.
- A request that leaves this machine, an error in the console, a script's error and a dialog fail the test. What a
  test means to cause it names before: `studio.expect("409")`, a part of the console's words.

Environment: HOLDFAST_CHROMIUM names the browser; HOLDFAST_BROWSER=required (or CI=1) makes a missing one a failure;
HOLDFAST_PAGE is a folder with another build of Studio; HOLDFAST_PICTURES=1 writes the guide's pictures.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    WebSocket,
    expect,
    sync_playwright,
)
from tests.browser.seeds import Project, copy_of, empty_project, rich_project
from tests.journeys.moulds import environment
from tests.waiting import LONG

from holdfast.core.presence import KEY, Presence
from holdfast.server.http.security.studio_links import new_link

# Read once: what a test sees of the environment is made for it.
ASKED = {name: os.environ.get(name, "") for name in ("HOLDFAST_CHROMIUM", "HOLDFAST_BROWSER", "HOLDFAST_PAGE", "CI")}
PICTURES = os.environ.get("HOLDFAST_PICTURES") == "1"
PICTURE_FOLDER = Path(__file__).parents[2] / "docs/pictures"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--force-color-profile=srgb",
    # Nothing leaves, whatever is asked for.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
GONE = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET", "WebSocket connection")
NOTHING: Mapping[str, str] = {}
# Colours on their way from one theme to the other are no colours to judge.
STILL = """() => Promise.all(document.getAnimations()
  .filter(each => each.effect?.getTiming().iterations !== Infinity).map(each => each.finished.catch(() => null)))"""
# A picture shows a project where people have theirs, not a test's folder.
HOMELY = r"""() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    node.data = node.data.replace(/\/\S*pytest-\S*?\/shop(?=\/|\s|$)/g, '/home/ann/shop')
  }
}"""
SETTLED = """() => {
  const main = document.querySelector('main')
  return !!main && !document.querySelector('.loading, [aria-busy="true"]') && main.innerText.trim().length > 0
}"""


def chromium() -> str:
    """The browser of this machine, or nothing."""
    named = ASKED["HOLDFAST_CHROMIUM"]
    if named:
        return named
    found = next(filter(None, map(shutil.which, NAMES)), "")
    return found or (MAC if os.access(MAC, os.X_OK) else "")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, once for the tests that follow each other: beside its loop no other test could run one."""
    path = chromium()
    if not path:
        reason = "no Chromium: install `chromium`, or name one in HOLDFAST_CHROMIUM"
        if ASKED["CI"] or ASKED["HOLDFAST_BROWSER"] == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield made
        made.close()


class Server:
    """A `holdfast serve` in a process of its own."""

    def __init__(self, home: Path, port: int = 0, env: Mapping[str, str] = NOTHING, words: Sequence[str] = ()) -> None:
        self.home = home
        page = {"HOLDFAST_PAGE": ASKED["HOLDFAST_PAGE"]} if ASKED["HOLDFAST_PAGE"] else {}
        self._errors = home.parent / f"{home.name}-serve.log"
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", str(port), "--json", *words],
                cwd=home, env={**environment(home), **page, **env}, stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self._errors.read_text()
        first = json.loads(line)
        self.url, self.token = str(first["url"]), str(first["token"])

    @property
    def port(self) -> int:
        found = urlsplit(self.url).port
        assert found
        return found

    def link(self) -> str:
        """A one-time link, as `holdfast serve --open` makes it for the person who holds the key."""
        return new_link(str(self.home), self.url, Presence(who="ann", how=KEY, where="a test"))

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What an address of the API answers: `server.ask("GET", "/api/workspaces")`."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=LONG) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def stop(self, *, kill: bool = False) -> None:
        """End it, kindly or not."""
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.process.kill()
        self.process.wait(5)
        assert self.process.stdout
        self.process.stdout.close()


@contextmanager
def serving(home: Path, port: int = 0, env: Mapping[str, str] = NOTHING, words: Sequence[str] = ()) -> Iterator[Server]:
    """A server for one test alone."""
    server = Server(home, port, env, words)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this worker's workspaces and its home lie."""
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The rich workspace, made by the first worker that needs it."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "browser-seed"
    shared.mkdir(exist_ok=True)
    home, folder, made = shared / "home", shared / "shop", shared / "made"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            home.mkdir()
            folder.mkdir()
            rich_project(folder, home)
            made.touch()
    return Project(folder, home)


@pytest.fixture(scope="session")
def server_home(ground: Path) -> Path:
    """The home of this worker's server and of all that works with it."""
    home = ground / "home"
    home.mkdir(exist_ok=True)
    return home


@pytest.fixture(autouse=True)
def home(server_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library in this process speaks with the same home."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in environment(server_home).items():
        monkeypatch.setenv(name, value)
    return server_home


@pytest.fixture(scope="session")
def server(server_home: Path) -> Iterator[Server]:
    """The worker's server."""
    with serving(server_home) as made:
        yield made


@pytest.fixture(scope="session")
def rich(seeded: Project, ground: Path, server_home: Path) -> Project:
    """A workspace with something of everything, to look at."""
    return copy_of(seeded, ground / "rich" / "shop", server_home)


@pytest.fixture
def passing() -> Iterator[list[Project]]:
    """Workspaces of one test. They are known until its pages are closed."""
    made: list[Project] = []
    yield made
    for project in made:
        _forget(project)


@pytest.fixture
def workspace(seeded: Project, tmp_path: Path, server_home: Path, passing: list[Project]) -> Project:
    """The same, for this test alone."""
    passing.append(copy_of(seeded, tmp_path / "shop", server_home))
    return passing[-1]


@pytest.fixture
def empty(tmp_path: Path, server_home: Path, passing: list[Project]) -> Project:
    """A workspace with nothing in it."""
    passing.append(empty_project(tmp_path / "blank", server_home))
    return passing[-1]


def _forget(project: Project) -> None:
    """Out of the registry, so that the next test's switcher does not show it."""
    for path in (project.home / "workspaces").glob(project.id + ".*"):
        path.unlink()


class Studio:
    """Studio in tabs of a browser, watched."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self._browser, self.server = browser, server
        self._contexts: list[BrowserContext] = []
        self._expected: list[str] = []
        self._trouble: list[str] = []
        self._page: Page | None = None

    def expect(self, *words: str) -> None:
        """Parts of what the console will say in this test, and is meant to. Regular expressions."""
        self._expected += words

    def open(self, project: Project, view: str = "overview", *rest: str, **query: str) -> Page:
        """The test's first tab, at a place of a workspace."""
        if self._page is None:
            self._page = self.tab()
        return self.go(self._page, project, view, *rest, **query)

    def another(self, project: Project, view: str = "overview", *rest: str, **query: str) -> Page:
        """A tab in a browser of its own, at a place of a workspace."""
        return self.go(self.tab(), project, view, *rest, **query)

    def tab(self, **options: Any) -> Page:
        """An empty tab in a fresh context."""
        chosen = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", "color_scheme": "light",
                  "locale": "en-GB", "timezone_id": "UTC", **options}  # fmt: skip
        context = self._browser.new_context(**chosen)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        self._watch(context)
        return context.new_page()

    def go(self, page: Page, project: Project, view: str = "overview", *rest: str, **query: str) -> Page:
        """Go to a place by its address, as from a bookmark; the first time with a one-time link."""
        path = "/".join(quote(part, safe="") for part in ("w", project.id, view, *rest))
        address = f"{self.server.url}/{path}" + (f"?{urlencode(query)}" if query else "")
        if not page.url.startswith(self.server.url):
            address += "#" + self.server.link().partition("#")[2]
        page.goto(address)
        settled(page)
        return page

    def picture(self, page: Page, name: str) -> None:
        """The guide's picture of what stands there, when pictures are wanted."""
        if PICTURES:
            path = PICTURE_FOLDER / f"studio-{name}.png"
            PICTURE_FOLDER.mkdir(exist_ok=True)
            is_live(page)
            page.evaluate(HOMELY)
            page.screenshot(path=path, animations="disabled", caret="hide")
            _shrink(path)

    def end(self) -> list[str]:
        """Close all; what went wrong and was not expected."""
        for context in self._contexts:
            context.close()
        return [words for words in self._trouble if not any(re.search(each, words) for each in self._expected)]

    def _watch(self, context: BrowserContext) -> None:
        own = {"127.0.0.1"}

        def asked(request: Request | WebSocket) -> None:
            parts = urlsplit(request.url)
            if parts.scheme not in {"data", "blob"} and parts.hostname not in own:
                self._trouble.append(f"request: {request.url[:200]}")

        def said(message: ConsoleMessage) -> None:
            if message.type == "error":
                self._trouble.append(f"console: {message.text[:2000]} ({message.location.get('url', '')[:200]})")

        def dialog(shown: Dialog) -> None:
            self._trouble.append(f"dialog: {shown.message[:200]}")
            shown.dismiss()

        context.on("request", asked)
        context.on("console", said)
        context.on("dialog", dialog)
        context.on("weberror", lambda error: self._trouble.append(f"error: {error.error.stack or error.error}"))
        context.on("page", lambda page: page.on("websocket", asked))


def settled(page: Page) -> Page:
    """Wait until the view stands: nothing is loading."""
    page.wait_for_function(SETTLED)
    return page


def step(page: Page, project: Project, *parts: str) -> Page:
    """Go to another place without loading the page anew."""
    page.evaluate(
        """parts => {
          history.pushState(null, '', '/' + parts.map(encodeURIComponent).join('/'))
          dispatchEvent(new PopStateEvent('popstate'))
        }""",
        ["w", project.id, *parts],
    )
    return settled(page)


def is_live(page: Page) -> Page:
    """Wait until the page hears what happens."""
    expect(page.locator(".connection")).to_contain_text("Live")
    return page


@pytest.fixture
def studio(browser: Browser, server: Server, passing: list[Project]) -> Iterator[Studio]:
    """Studio in a browser, with the worker's server."""
    made = Studio(browser, server)
    yield made
    trouble = made.end()
    assert not trouble, "\n".join(trouble)


@pytest.fixture
def own_studio(browser: Browser) -> Iterator[Callable[[Server], Studio]]:
    """The same with a server of the test's own, which may go away."""
    made: list[Studio] = []

    def make(server: Server) -> Studio:
        made.append(Studio(browser, server))
        made[-1].expect(*GONE)
        return made[-1]

    yield make
    trouble = [words for each in made for words in each.end()]
    assert not trouble, "\n".join(trouble)


def looks(page: Page) -> None:
    """No violation of WCAG A and AA, as axe finds them."""
    page.evaluate(STILL)
    page.evaluate(AXE)
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]}
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    assert not found, f"{page.url}\n" + "\n".join(map(_violation, found))


def _violation(found: Mapping[str, Any]) -> str:
    nodes = [f"    {node['html'][:200]}\n      {node['failureSummary']}" for node in found["nodes"][:5]]
    return "\n".join([f"{found['id']} ({found['impact']}, {len(found['nodes'])}×): {found['help']}", *nodes])


def fits(page: Page) -> None:
    """Nothing is wider than the window."""
    wide, there = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= there, f"{page.url} is {wide} px wide in a window of {there} px: {page.evaluate(WIDEST)}"


WIDEST = """() => [...document.querySelectorAll('body *')]
  .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 5).map(each => each.outerHTML.slice(0, 160))"""


def _shrink(path: Path) -> None:
    """Fewer colours: a page of text needs no more, and the repository keeps every version."""
    for tool in (["pngquant", "--force", "--skip-if-larger", "--output", str(path), "128", str(path)],):
        if shutil.which(tool[0]):
            subprocess.run(tool, check=False)
