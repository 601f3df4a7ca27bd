"""Our part in TOML, YAML and Markdown."""

import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdfast.clients.install import marked_text

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("marketplaces.holdfast", {"source": "/a b/ü"}),
    ('plugins."holdfast@holdfast"', {"enabled": True}),
]
NAMES = [name for name, _ in TABLES]
ENTRY = ".holdfast/context/active.md"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1\n",
        "a = 1",
        "# c",
        "[t]\nx = '''\n[not a table]\n'''\n",
        "[a]\r\nb = 1\r\n",
        '[plugins."o@m"]\nenabled = true\n',
    ],
)
def test_toml_tables_come_and_go(text: str) -> None:
    after = marked_text.put_tables(text, TABLES)

    read = tomllib.loads(after.replace("\r\n", "\n"))
    assert read["marketplaces"]["holdfast"] == {"source": "/a b/ü"}
    assert marked_text.put_tables(after, TABLES) == after
    assert marked_text.remove_tables(after, NAMES, "").rstrip() == text.rstrip()


def test_comments_below_our_table_belong_to_what_follows() -> None:
    text = marked_text.put_tables("", TABLES) + "\n# about x\n[x]\ny = 1\n"

    assert marked_text.remove_tables(text, NAMES, "") == "\n# about x\n[x]\ny = 1\n"


def test_a_table_of_ours_that_says_otherwise_is_refused() -> None:
    with pytest.raises(marked_text.ClientTextNotEditable, match="already"):
        marked_text.put_tables('[marketplaces.holdfast]\nsource = "x"\n', TABLES)


YAML = [
    ("", [ENTRY]),
    ("# only a comment\n", [ENTRY]),
    ("model: x", [ENTRY]),
    ("read: CONVENTIONS.md  # mine\n", ["CONVENTIONS.md", ENTRY]),
    ("read: [a.md, b.md]\nmodel: x\n", ["a.md", "b.md", ENTRY]),
    ("read: []\n", [ENTRY]),
    ("read:\n- a.md\n- b.md\nmodel: x\n", ["a.md", "b.md", ENTRY]),
    ("read:\n    - a.md # c\n\n# next\nmodel: x\n", ["a.md", ENTRY]),
    ("read:\r\n  - a.md\r\nmodel: x\r\n", ["a.md", ENTRY]),
    ("read:\n  - a.md", ["a.md", ENTRY]),
]


@pytest.mark.parametrize(("text", "read"), YAML)
def test_a_yaml_entry_comes_and_goes(text: str, read: list[str]) -> None:
    after = marked_text.put_entry(text, "read", ENTRY)

    assert yaml.safe_load(after)["read"] == read
    assert marked_text.put_entry(after, "read", ENTRY) == after
    back = yaml.safe_load(marked_text.remove_entry(after, "read", ENTRY)) or {}
    assert (back.get("read") or []) == [each for each in read if each != ENTRY]


@pytest.mark.parametrize("text", [text for text, _ in YAML if "read: CONV" not in text])
def test_taking_a_yaml_entry_out_leaves_the_same_lines(text: str) -> None:
    back = marked_text.remove_entry(marked_text.put_entry(text, "read", ENTRY), "read", ENTRY)

    assert back.splitlines() == text.splitlines()


def test_others_entries_stay_when_ours_is_gone_already() -> None:
    assert marked_text.remove_entry("read:\n  - a.md\n", "read", ENTRY) == "read:\n  - a.md\n"


@pytest.mark.parametrize(
    "text", ["read: {a: b}\n", "read: [a,\n b]\n", "- x\n", "read: 'a\n", "? read\n: - a\n", "read: &x [a]\n"]
)
def test_yaml_that_is_written_in_a_way_we_do_not_know_is_refused(text: str) -> None:
    with pytest.raises(marked_text.ClientTextNotEditable):
        marked_text.put_entry(text, "read", ENTRY)


words = st.text(alphabet="ab <>-#\n", max_size=40)


@given(text=words)
def test_a_markdown_block_comes_and_goes(text: str) -> None:
    after = marked_text.put_marked_block(text, "Read the memory.\n")

    assert marked_text.BEGIN in after
    assert marked_text.put_marked_block(after, "Read the memory.\n") == after
    assert marked_text.remove_marked_block(after).rstrip("\n") == text.rstrip("\n")


def test_a_block_is_renewed_in_its_place() -> None:
    text = f"# Mine\n\n{marked_text.BEGIN}\nold\n{marked_text.END}\n\nAfter.\n"

    assert (
        marked_text.put_marked_block(text, "new\n")
        == f"# Mine\n\n{marked_text.BEGIN}\nnew\n{marked_text.END}\n\nAfter.\n"
    )
    assert marked_text.remove_marked_block(text) == "# Mine\n\n\nAfter.\n"


def test_a_block_without_an_end_is_refused() -> None:
    with pytest.raises(marked_text.ClientTextNotEditable, match="without"):
        marked_text.put_marked_block(f"{marked_text.BEGIN}\nold\n", "new")


def test_values_of_any_kind_read_back() -> None:
    table: dict[str, Any] = {"a": 'q"uote\\', "b": True, "c": 3}

    assert tomllib.loads(marked_text.put_tables("", [("t", table)]))["t"] == table
