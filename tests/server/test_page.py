"""Studio's files, as a browser gets them."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.conftest import Threaded, threaded

SCRIPT = b"console.log('" + b"x" * 3000 + b"')\n"


@pytest.fixture
def paged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Threaded]:
    build = tmp_path / "build"
    (build / "assets").mkdir(parents=True)
    (build / "index.html").write_text("<!doctype html><title>Studio</title>")
    (build / "assets/app-1a2b3c4d.js").write_bytes(SCRIPT)
    (build / "mark.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    monkeypatch.setenv("HOLDFAST_PAGE", str(build))
    with threaded(tmp_path / "home") as made:
        yield made


def test_hashed_files_are_kept_for_ever_and_the_page_is_asked_for_again(paged: Threaded) -> None:
    page, script = paged.get("/", token=None), paged.get("/assets/app-1a2b3c4d.js", token=None)

    assert (page.headers["cache-control"], page.headers["content-type"]) == ("no-cache", "text/html; charset=utf-8")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert script.content == SCRIPT


def test_what_a_browser_has_is_not_sent_again(paged: Threaded) -> None:
    first = paged.get("/", token=None)
    tag = first.headers["etag"]

    for given in (tag, f'"other", {tag}', f"W/{tag}"):
        again = paged.get("/", token=None, headers={"If-None-Match": given})
        assert (again.status_code, again.content) == (304, b"")
    assert paged.get("/", token=None, headers={"If-None-Match": '"other"'}).status_code == 200


def test_scripts_are_sent_small_where_a_browser_takes_that(paged: Threaded) -> None:
    path = "/assets/app-1a2b3c4d.js"
    ask = f"GET {path} HTTP/1.1\r\nHost: {paged.host}\r\n"

    small = paged.raw(f"{ask}Accept-Encoding: br;q=1, gzip\r\n\r\n".encode())
    plain = paged.raw(f"{ask}\r\n".encode())

    assert gzip.decompress(small.partition(b"\r\n\r\n")[2]) == SCRIPT
    assert plain.partition(b"\r\n\r\n")[2] == SCRIPT
    assert b"vary: Accept-Encoding" in small


@pytest.mark.parametrize("path", ["/w/0123456789abcdef/review", "/w/x/lineage/src/app.py", "/nothing.here"])
def test_a_path_of_the_pages_own_gets_the_page(paged: Threaded, path: str) -> None:
    answer = paged.get(path, token=None)

    assert (answer.status_code, "Studio" in answer.text) == (200, True)


def test_a_file_that_is_gone_is_not_the_page(paged: Threaded) -> None:
    answer = paged.get("/assets/app-old.js", token=None)

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_head_has_no_body_and_nothing_else_is_taken(paged: Threaded) -> None:
    head = paged.ask("HEAD", "/", token=None)

    assert (head.status_code, head.content) == (200, b"")
    assert paged.ask("DELETE", "/", token=None).status_code == 405
    assert paged.ask("POST", "/w/x", token=None).status_code == 405


def test_a_build_without_studio_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HOLDFAST_PAGE", str(tmp_path / "empty"))
    with threaded(tmp_path / "home") as served:
        assert "has no Studio" in served.get("/", token=None).text
