"""A page of another site in a real browser, which knows a good token, a ticket and a key, and gets nothing by them."""

import json
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import Server, chromium
from tests.browser.seeds import Project
from tests.waiting import LONG
from websockets.sync.client import connect

TRIES = """async ({url, token, ticket, key, wid}) => {
  const said = async promise => { try { return (await promise).type } catch { return 'refused' } }
  const socket = new Promise(told => {
    const made = new WebSocket(`${url.replace('http', 'ws')}/api/workspace/${wid}/events?ticket=${ticket}`)
    made.onopen = () => told('opened')
    made.onerror = () => told('refused')
  })
  const loaded = (tag, address) => new Promise(told => {
    const made = document.createElement(tag)
    made.onload = () => told('loaded')
    made.onerror = () => told('refused')
    made.src = address
    document.body.append(made)
  })
  return {
    read: await said(fetch(`${url}/api/me`, {headers: {Authorization: `Bearer ${token}`}})),
    page: await said(fetch(`${url}/`)),
    key: await said(fetch(`${url}/api/session`, {method: 'POST', mode: 'no-cors', body: JSON.stringify({key})})),
    socket: await socket,
    script: await loaded('script', `${url}/`),
    image: await loaded('img', `${url}/mark.svg`),
  }
}"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Another site: a page on another port, which is another origin."""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<!doctype html><title>win a prize</title><body>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Evil) as site:
        thread = Thread(target=site.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{site.server_address[1]}/"
        site.shutdown()
        thread.join()


@pytest.fixture
def evil(browser: Browser, elsewhere: str) -> Iterator[Page]:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(elsewhere)
        yield page


def test_another_site_reads_nothing_and_spends_nothing(evil: Page, server: Server, rich: Project) -> None:
    ticket = server.ask("POST", "/api/tickets")["ticket"]
    key = server.link().partition("#key=")[2]
    known = {"url": server.url, "token": server.token, "ticket": ticket, "key": key, "wid": rich.id}

    got = evil.evaluate(TRIES, known)

    assert got == dict.fromkeys(("read", "page", "key", "socket", "script", "image"), "refused")
    assert server.ask("POST", "/api/session", {"key": key})["name"] == "owner"
    with connect(f"ws://{server.url[7:]}/api/workspace/{rich.id}/events?ticket={ticket}", proxy=None) as opened:
        assert json.loads(opened.recv(LONG))["type"] == "snapshot"


def test_another_site_cannot_show_studio_inside_its_page(evil: Page, server: Server) -> None:
    evil.evaluate(
        """url => new Promise(told => {
          const frame = document.createElement('iframe')
          frame.onload = told
          frame.src = url
          document.body.append(frame)
        })""",
        server.url,
    )

    inside = evil.frames[1]
    assert inside.locator("main").count() == 0
    assert "Holdfast" not in inside.content()


def test_another_site_keeps_no_hold_of_a_studio_that_it_opens(evil: Page, server: Server) -> None:
    with evil.context.expect_page() as opened:
        evil.evaluate("url => { window.opened = window.open(url) }", server.url)
    opened.value.wait_for_load_state()

    assert evil.evaluate("() => window.opened.closed")
    assert opened.value.evaluate("() => window.opener") is None


def test_a_name_that_was_made_to_point_here_gets_nothing(browser: Browser, server: Server) -> None:
    flags = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP evil.test 127.0.0.1"]
    with closing(browser.browser_type.launch(executable_path=chromium(), args=flags)) as rebound:
        page = rebound.new_page()
        answer = page.goto(f"http://evil.test:{server.port}/")
        # To the browser this is the page's own origin, so no rule of its own stands in the way.
        asked = page.evaluate(
            "async token => (await fetch('/api/me', {headers: {Authorization: `Bearer ${token}`}})).status",
            server.token,
        )

        assert answer
        assert (answer.status, asked) == (403, 403)
        assert page.locator("main").count() == 0
