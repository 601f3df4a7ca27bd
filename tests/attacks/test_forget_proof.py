"""What a purge leaves behind: in another case, another spelling, an escape, a page of the index (CWE-212)."""

import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.conftest import Ran, run_in
from tests.journeys.hooking import Client
from tests.journeys.moulds import set_up

from holdfast.app import build_app
from holdfast.forget.removal_query import build_subject_query, build_text_query
from holdfast.journal.capture_event import capture_event

SECRET = "Projekt Zéphyr-Ünit7"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    set_up(path)
    return path


def spellings(text: str) -> list[str]:
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)
    return [text, text.lower(), text.upper(), text.casefold(), unicodedata.normalize("NFD", text), wide]


def holding(*roots: Path) -> Iterator[str]:
    """Every file that still has it, by a search that shares nothing with the one under test."""
    plain = unicodedata.normalize("NFKD", SECRET).casefold()
    for path in (each for root in roots for each in sorted(root.rglob("*")) if each.is_file()):
        text = path.read_bytes().decode("utf-8", "replace")
        for seen in (text, _unescaped(text), _unescaped(_unescaped(text))):
            folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())
            if plain in folded or plain.replace("-", " ") in folded:
                yield str(path)
                break


def _unescaped(text: str) -> str:
    pieces = text.split("\\u")
    return pieces[0] + "".join(
        chr(int(piece[:4], 16)) + piece[4:]
        if all(char in "0123456789abcdefABCDEF" for char in piece[:4]) and piece[:4]
        else piece
        for piece in pieces[1:]
    )


def plant(folder: Path) -> None:
    """The words in every spelling: said, told, remembered, proposed, logged, put off."""
    client = Client(folder)
    client.start()
    for number, words in enumerate(spellings(SECRET)):
        client.says(f"{words} ships in week {number}. We must never rename {words}.")
        client.runs(f"grep -r '{words}' .")
        client.send("Stop", last_assistant_message=f"I looked for {words}.")
    run_in(folder, "remember", "decision", f"{SECRET} is written in Rust", "--because", f"{SECRET.upper()} is small")
    run_in(folder, "propose", "learning", f"{SECRET.lower()} needs two cores")
    run_in(folder, "todo", "add", f"rename {SECRET.upper()}")
    run_in(folder, "log", "--rate", "3", f"{SECRET} was late")
    client.says(f"What do we know of {SECRET}?")
    nested = json.dumps({"answer": json.dumps({"about": SECRET.upper()})})
    event = {"client": "codex", "session": "s9", "name": "after_tool", "key": "", "data": {"output": nested}}
    capture_event(str(folder / ".holdfast"), event)


def purge(folder: Path, *words: str) -> Ran:
    return run_in(folder, "forget", *words, "--purge", "--yes")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["--text", "--subject"])
def test_a_purge_leaves_the_words_in_no_case_and_no_spelling(folder: Path, home: Path, way: str) -> None:
    plant(folder)
    places = (folder / ".holdfast", home)
    assert any("journal" in place for place in holding(*places))

    ran = purge(folder, way, SECRET)

    assert (ran.status, ran.err) == (0, "")
    assert list(holding(*places)) == []
    assert "found in 0" in ran.out


@pytest.mark.slow
def test_any_spelling_asks_for_all_of_them(folder: Path, home: Path) -> None:
    plant(folder)

    assert purge(folder, "--text", unicodedata.normalize("NFD", SECRET.upper())).status == 0

    assert list(holding(folder / ".holdfast", home)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [SECRET.lower(), unicodedata.normalize("NFD", SECRET).upper(), json.dumps(json.dumps(SECRET.upper()))]
)
def test_what_a_purge_cannot_take_away_is_named_and_fails(folder: Path, text: str) -> None:
    run_in(folder, "remember", "decision", f"{SECRET} is written in Rust")
    left = folder / ".holdfast" / "memory" / "attachment.bin"
    left.write_bytes(b"\x00\x01" + text.encode() + b"\xff")

    ran = purge(folder, "--text", SECRET)

    assert ran.status == 5
    assert "memory/attachment.bin" in ran.err


@pytest.mark.slow
def test_the_pages_of_the_index_are_searched_too(folder: Path) -> None:
    run_in(folder, "remember", "decision", f"{SECRET} is written in Rust")
    # As a page that SQLite freed and never wrote again.
    stray = folder / ".holdfast" / "index.db-journal.old"
    stray.write_bytes(b"\x0d\x00" + SECRET.lower().encode())

    ran = purge(folder, "--text", SECRET)

    assert ran.status == 5
    assert "index.db-journal.old" in ran.err


def test_an_event_that_waits_beside_the_journal_goes_too(folder: Path, home: Path) -> None:
    import fcntl

    client = Client(folder)
    client.start()
    with (folder / ".holdfast/journal/lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        client.says(f"{SECRET} ships in week 7.")
    assert any("spool" in place for place in holding(home))

    assert purge(folder, "--text", SECRET.lower()).status == 0

    assert list(holding(folder / ".holdfast", home)) == []


@pytest.mark.parametrize("written", [*spellings(SECRET), json.dumps(SECRET), json.dumps(json.dumps(SECRET.upper()))])
def test_a_query_knows_every_spelling(written: str) -> None:
    assert build_text_query(SECRET).holds(f"… {written} …")
    assert build_subject_query(SECRET).holds(f"… {written} …")


@pytest.mark.no_attack
def test_a_word_that_only_begins_alike_is_another(folder: Path) -> None:
    app = build_app(str(folder))
    assert not build_text_query("Zephyr-7").matches("zephyr-8")
    assert not build_subject_query("Ann Lee").matches("annlee, anne lee")
    assert os.path.isdir(app.folder)
