"""The bundle that is committed: of these sources, small, and asking nobody but our own server."""

import gzip
import json
import re

from tests.architecture import openapi
from tests.studio.bundle import BUILT, PAGE, STUDIO, page_sums, source_sum

MOST_SCRIPT = 300_000
BEHIND = "run `./do studio`, and commit what it writes"
# Named in the libraries' texts: namespaces, and pages that an error message points at. Nobody fetches them.
NAMED = re.compile(r"https?://(?:www\.w3\.org/|svelte\.dev/e/|here\b|\"|'|`|\$|$)")


def test_the_bundle_was_built_of_these_sources() -> None:
    said = json.loads((PAGE / BUILT).read_text(encoding="utf-8"))

    assert said["sources"] == source_sum(), f"studio/ changed since it was built: {BEHIND}"
    assert said["files"] == page_sums(), f"the bundle is not what was built: {BEHIND}"


def test_the_api_description_is_in_step_with_the_routes() -> None:
    assert openapi.PAGE.read_text(encoding="utf-8") == openapi.text(), f"docs/openapi.json is behind: {BEHIND}"


def test_all_script_that_a_page_begins_with_is_small() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    first = re.findall(r'(?:src|href)="/(assets/[^"]+\.js)"', index)

    assert first
    assert sum(len(gzip.compress((PAGE / name).read_bytes(), 9)) for name in first) < MOST_SCRIPT / 2
    every = sum(len(gzip.compress(path.read_bytes(), 9)) for path in PAGE.rglob("*.js"))
    assert every < MOST_SCRIPT, "all views together"


def test_the_page_has_no_inline_script_or_style() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")

    assert not re.search(r"<script(?![^>]*\bsrc=)", index)
    assert not re.search(r"<style|\sstyle=|\son\w+=", index)


def test_nothing_in_the_bundle_names_another_server() -> None:
    for path in PAGE.rglob("*"):
        if path.suffix in {".js", ".css", ".html", ".svg"}:
            text = path.read_text(encoding="utf-8")
            found = [text[at.start() : at.start() + 80] for at in re.finditer(r"https?://", text)]
            assert [each for each in found if not NAMED.match(each)] == [], path.name
            assert not re.search(r"""url\(["']?(?:https?:)?//""", text), path.name


def test_no_text_is_ever_drawn_as_html() -> None:
    forbidden = re.compile(
        r"\{@html|\.innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(|srcdoc"
    )
    for path in (STUDIO / "src").rglob("*"):
        if path.suffix in {".svelte", ".ts"} and not path.name.endswith(".test.ts"):
            assert not forbidden.search(path.read_text(encoding="utf-8")), path.name


def test_no_style_stands_in_an_attribute() -> None:
    for path in (STUDIO / "src").rglob("*.svelte"):
        assert not re.search(r"\sstyle=", path.read_text(encoding="utf-8")), (
            f"{path.name}: the policy allows style:name only"
        )


def test_the_lock_names_no_registry_and_every_version_is_exact() -> None:
    lock = (STUDIO / "package-lock.json").read_text(encoding="utf-8")
    package = json.loads((STUDIO / "package.json").read_text(encoding="utf-8"))

    assert '"resolved"' not in lock
    for name, wanted in {**package["dependencies"], **package["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", wanted), name
