"""What a new file looks like."""

import pytest

from holdfast.core.memory import Citation, Evidence, Memory, MemoryType, RejectedOption, SaidBy
from holdfast.core.value import names_of
from holdfast.vault.render_memory import KEY_ORDER, render, render_scalar

FULL = """\
---
id: DEC-7K2MQ4
type: decision
status: accepted
title: Use Textual for the UI
category: ui
tags: [ui, "a, b"]
paths: [src/tui/**, "**/*.tcss"]
question: Which toolkit?
choice: Textual
rejected:
  - option: Qt
    reason: "too heavy: 40 MB"
  - option: urwid
enforce:
  forbid: [import urwid]
  level: {warn: true}
attempts: 2
confidence: 0.9
said_by: agent
evidence:
  - event: 01JABC
    quote: let's use "Textual"
cites:
  - path: src/tui/app.py
    lines: "12"
supersedes: [DEC-001]
valid_from: 2026-11-15
source: run-7
updated: 2026-11-15T09:30:00Z
owner: Jo
---

It is fast.
\\---
Really.
"""


def test_a_new_file_reads_well() -> None:
    memory = Memory(
        id="DEC-7K2MQ4",
        type=MemoryType.DECISION,
        title="Use Textual for the UI",
        category="ui",
        tags=("ui", "a, b"),
        paths=("src/tui/**", "**/*.tcss"),
        question="Which toolkit?",
        choice="Textual",
        rejected=(RejectedOption(option="Qt", reason="too heavy: 40 MB"), RejectedOption(option="urwid")),
        enforce={"forbid": ["import urwid"], "level": {"warn": True}},
        attempts=2,
        confidence=0.9,
        said_by=SaidBy.AGENT,
        evidence=(Evidence(event="01JABC", quote='let\'s use "Textual"'),),
        cites=(Citation(path="src/tui/app.py", lines="12"),),
        supersedes=("DEC-001",),
        valid_from="2026-11-15",
        source="run-7",
        updated="2026-11-15T09:30:00Z",
        extra={"owner": "Jo"},
        body="It is fast.\n---\nReally.",
    )

    assert render(memory) == FULL


def test_what_is_empty_is_left_out() -> None:
    memory = Memory(id="LRN-1", type=MemoryType.LEARNING)

    assert render(memory) == "---\nid: LRN-1\ntype: learning\nstatus: accepted\nsaid_by: user\n---\n"


def test_an_empty_title_is_written_when_the_body_would_become_it() -> None:
    assert 'title: ""' in render(Memory(id="LRN-1", type=MemoryType.LEARNING, body="Text"))


def test_every_field_has_its_place_in_the_order() -> None:
    assert set(KEY_ORDER) == set(names_of(Memory)) - {"body", "extra"}


@pytest.mark.parametrize(
    "text", ["Use Textual", "src/**", "a:b", "it's", "100% sure", "Größe", "日本語", "C#", "v1.2.3-beta", "(a)"]
)
def test_text_that_is_safe_stands_plain(text: str) -> None:
    assert render_scalar(text, flow=False) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("no", '"no"'),
        ("1.10", '"1.10"'),
        ("2026-11-15", '"2026-11-15"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("*x", '"*x"'),
        (" x", '" x"'),
        ("", '""'),
        ("a\nb", '"a\\nb"'),
        ("\x1b[0m\0", '"\\x1b[0m\\0"'),
        ("\u2028\u202e", '"\\u2028\\u202e"'),
        ("\U000e0001", '"\\U000e0001"'),
        ('\\"', '"\\\\\\""'),
    ],
)
def test_text_that_is_not_stands_in_double_quotes_on_one_line(text: str, written: str) -> None:
    assert render_scalar(text, flow=False) == written


@pytest.mark.parametrize("text", ["a, b", "a]", "{a", "a:b"])
def test_in_a_list_more_must_be_quoted(text: str) -> None:
    assert render_scalar(text, flow=True) == f'"{text}"'
