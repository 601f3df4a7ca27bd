"""Small changes in JSON files that people own."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.system import jsonc

COMMENTS = ["", " ", "\n", "\t", "\r\n", " /* c */ ", "/**/", " // c\n", "\n  // c, ] }\r\n  ", "\n\n    "]
KEYS = ["hooks", "SessionStart", "a", "b", 'q"uote', "ü", "//"]
scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@st.composite
def jsonc_texts(draw: st.DrawFn, depth: int = 3, *, kind: str = "any") -> str:
    """JSON with comments, odd blanks and trailing commas, as people may write it."""
    blank = st.sampled_from(COMMENTS)
    kind = kind if kind != "any" or depth <= 0 else draw(st.sampled_from(["scalar", "object", "list"]))
    if kind == "object":
        keys = draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True))
        inner = [
            f"{json.dumps(key)}{draw(blank)}:{draw(blank)}{draw(_member(key, depth))}" for key in keys
        ]  # fmt: skip
        return _joined(draw, "{", inner, "}")
    if kind == "list":
        return _joined(draw, "[", draw(st.lists(jsonc_texts(depth - 1), max_size=3)), "]")
    return json.dumps(draw(scalars), ensure_ascii=draw(st.booleans()))


def _member(key: str, depth: int) -> st.SearchStrategy[str]:
    # So that the paths we write to are often there, and of the right kind.
    kinds = {"hooks": "object", "SessionStart": "list"}
    return jsonc_texts(max(depth - 1, 0), kind=kinds.get(key, "any"))


def _joined(draw: st.DrawFn, opening: str, inner: list[str], closing: str) -> str:
    blank = st.sampled_from(COMMENTS)
    padded = [draw(blank) + each + draw(blank) for each in inner]
    trailing: bool = draw(st.booleans())
    end = "," + draw(blank) if inner and trailing else ""
    return opening + (",".join(padded) if inner else draw(blank)) + end + closing


@st.composite
def files(draw: st.DrawFn) -> str:
    blank = st.sampled_from(COMMENTS)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(blank) + draw(jsonc_texts(kind="object")) + draw(blank)


ITEM = {"hooks": [{"type": "command", "command": "/home/ann/.holdfast/bin/hook", "timeout": 10}]}


@settings(max_examples=examples(400), deadline=None)
@given(text=files())
def test_putting_an_item_in_and_taking_it_out_leaves_the_same_bytes(text: str) -> None:
    changed, made = jsonc.append_item(text, ("hooks", "SessionStart"), ITEM)

    element = jsonc.find_member(jsonc.parse_jsonc(changed), ("hooks", "SessionStart"))
    assert element is not None
    back = jsonc.remove_item(changed, element.node, len(element.node.elements) - 1)
    for path in reversed(made):
        back = jsonc.remove_member(back, path)
    assert back == text


@settings(max_examples=examples(400), deadline=None)
@given(text=files())
def test_putting_members_in_and_taking_them_out_leaves_the_same_bytes(text: str) -> None:
    wanted: list[tuple[tuple[str, ...], Any]] = [(("markets", "holdfast"), {"path": "/x"}), (("on", "h@h"), True)]

    changed, undo = text, list[tuple[str, ...]]()
    for path, value in wanted:
        changed, made = jsonc.put_member(changed, path, value)
        undo += [*made, path]

    for path in reversed(undo):
        changed = jsonc.remove_member(changed, path)
    assert changed == text


@settings(max_examples=examples(300), deadline=None)
@given(text=files())
def test_nothing_else_changes(text: str) -> None:
    before = jsonc.parse_jsonc(text).value

    changed, _ = jsonc.append_item(text, ("hooks", "SessionStart"), ITEM)

    after = jsonc.parse_jsonc(changed).value
    assert after["hooks"].pop("SessionStart") == [*before.get("hooks", {}).get("SessionStart", []), ITEM]
    before.setdefault("hooks", {}).pop("SessionStart", None)
    assert after == before


@given(value=st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_plain_json_is_read_as_python_reads_it(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert jsonc.parse_jsonc(text).value == value


def test_an_entry_takes_the_indentation_of_its_neighbours() -> None:
    text = '{\n\t"hooks": {\n\t\t"Stop": [] // none yet\n\t}\n}\n'

    changed, _ = jsonc.append_item(text, ("hooks", "Start"), {"command": "x"})

    assert changed == (
        '{\n\t"hooks": {\n\t\t"Stop": [], // none yet\n\t\t"Start": [\n\t\t\t{\n\t\t\t\t"command": "x"\n\t\t\t}\n'
        '\t\t]\n\t}\n}\n'
    )  # fmt: skip


def test_a_list_on_one_line_stays_on_it() -> None:
    changed, _ = jsonc.append_item('{"a": [1, 2]}', ("a",), 3)

    assert changed == '{"a": [1, 2, 3]}'


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a" 1}', '{"a": 1,, "b": 2}', "[1 2]", "{a: 1}", "{} {}", '{"a": "\n"}', "nul", "{/* }", "[" * 5000],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(jsonc.UnusableJsonText):
        jsonc.parse_jsonc(text)


def test_a_list_where_an_object_should_be_is_refused_with_its_line() -> None:
    with pytest.raises(jsonc.UnusableJsonText, match="Line 2") as caught:
        jsonc.append_item('{\n"hooks": []}', ("hooks", "Stop"), 1)

    assert caught.value.line == 2
