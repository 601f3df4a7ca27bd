"""Decisions about the design: each is in the index, and in our own memory."""

import re
from pathlib import Path

import pytest
from tests.architecture.folders import ROOT

ADRS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
INDEX = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+) \| \[(.+?)\]\((.+?)\) \| (.+?) \| (\d{4}-\d{2}-\d{2}) \| (.+?) \|$", re.MULTILINE)
HEADING = re.compile(r"# (\d+)\. (.+) \((\d{4}-\d{2}-\d{2})\)")
STATUS = re.compile(r"accepted|superseded by \d+")


@pytest.mark.parametrize("path", ADRS, ids=lambda path: path.name)
def test_a_decision_has_a_number_a_title_and_a_date_of_its_own(path: Path) -> None:
    heading = HEADING.fullmatch(path.read_text(encoding="utf-8").partition("\n")[0])

    assert heading, "the first line: # NUMBER. TITLE (DATE)"
    assert path.name.startswith(f"{int(heading[1]):04}-")


def test_the_index_has_every_decision_in_order_as_it_calls_itself() -> None:
    headings = [HEADING.match(path.read_text(encoding="utf-8")) for path in ADRS]
    rows = ROW.findall(INDEX)

    told = [(number, title, name, date) for number, title, name, _, date, _ in rows]
    assert told == [
        (*found.group(1, 2), path.name, found[3]) for found, path in zip(headings, ADRS, strict=True) if found
    ]
    assert all(line and STATUS.fullmatch(status) for *_, line, _, status in rows)
