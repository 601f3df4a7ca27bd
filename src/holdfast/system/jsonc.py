"""Small changes in a JSON file that is not ours: everything but the change keeps its bytes.

Reads JSON with comments and trailing commas, as some clients' settings have them. Taking out what was put in gives
back the same bytes, if nothing else changed in between; a property test says so.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from holdfast.core.errors import BadRequest

_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n]*")
_SAME_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))+")
_DEEPEST = 100
_BOM = "\ufeff"


class UnusableJsonText(BadRequest):
    """A text that is no JSON, or not of the shape we need."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"Line {line} cannot be read as JSON: {reason}.", "fix the file, then run this again.")
        self.reason = reason
        self.line = line


class JsonElement:
    """An entry of an object or list. `lead`: where the blanks before it begin; `comma`: where its comma is, or -1."""

    __slots__ = ("comma", "key", "lead", "node", "start")

    def __init__(self, lead: int, start: int, key: str, node: "JsonNode") -> None:
        self.lead = lead
        self.start = start
        self.key = key
        self.node = node
        self.comma = -1

    @property
    def end(self) -> int:
        """After the value and its comma."""
        return self.comma + 1 if self.comma >= 0 else self.node.end


class JsonNode:
    """A value and where it stands: from `start` to before `end`."""

    __slots__ = ("elements", "end", "start", "value")

    def __init__(self, start: int, end: int, value: Any, elements: list[JsonElement]) -> None:
        self.start = start
        self.end = end
        self.value = value
        self.elements = elements


def parse_jsonc(text: str) -> JsonNode:
    """The text as a tree. Raises NotJson."""
    return _Reader(text).document()


def find_member(node: JsonNode, path: Sequence[str]) -> JsonElement | None:
    """The member at a path of keys; of two with one key the last, as every reader of JSON has it."""
    found = None
    for key in path:
        found = next((each for each in reversed(node.elements) if each.key == key), None)
        if found is None or not isinstance(node.value, dict):
            return None
        node = found.node
    return found


def put_member(text: str, path: tuple[str, ...], value: Any) -> tuple[str, list[tuple[str, ...]]]:
    """The text with a member set, and the paths of the objects that were made for it."""
    root = parse_jsonc(text)
    there = find_member(root, path)
    if there is not None:
        entry = _entry(None, value, text, _indent_of(text, there.start))
        changed = text[: there.node.start] + entry + text[there.node.end :]
        return _check_edit(changed, _set_member_value(root.value, path, value)), []
    known = next(
        depth for depth in reversed(range(len(path))) if depth == 0 or find_member(root, path[:depth]) is not None
    )
    node = _node(find_member(root, path[:known])) or root
    _require_kind(text, node, dict, path[:known])
    inner = value
    for key in reversed(path[known + 1 :]):
        inner = {key: inner}
    changed = _insert_entry(text, node, path[known], inner)
    return _check_edit(changed, _set_member_value(root.value, path, value)), [
        path[:at] for at in range(known + 1, len(path))
    ]


def append_item(text: str, path: tuple[str, ...], item: Any) -> tuple[str, list[tuple[str, ...]]]:
    """The text with an item at the end of a list, and the paths of the lists and objects that were made for it."""
    root = parse_jsonc(text)
    there = find_member(root, path)
    if there is None:
        changed, made = put_member(text, path, [item])
        return changed, [*made, path]
    _require_kind(text, there.node, list, path)
    changed = _insert_entry(text, there.node, None, item)
    return _check_edit(changed, _set_member_value(root.value, path, [*there.node.value, item])), []


def remove_member(text: str, path: Sequence[str]) -> str:
    """The text without a member; as it is when there is none."""
    root = parse_jsonc(text)
    parent = root if len(path) == 1 else _node(find_member(root, path[:-1]))
    element = find_member(root, path)
    return text if element is None or parent is None else _remove_element(text, parent, element)


def remove_item(text: str, node: JsonNode, index: int) -> str:
    """The text without one item of a list in it."""
    return _remove_element(text, node, node.elements[index])


def _node(element: JsonElement | None) -> JsonNode | None:
    return None if element is None else element.node


class _Reader:
    """Reads a text once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith(_BOM) else 0

    def document(self) -> JsonNode:
        self.blanks()
        node = self.value(0)
        self.blanks()
        if self.at < len(self.text):
            raise self.wrong("something follows the end")
        return node

    def blanks(self) -> int:
        """Pass over blanks and comments; where the last blanks began."""
        while True:
            lead = self.at
            self.at = self.match(_BLANK).end()
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return lead
            self.at = comment.end()

    def value(self, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            raise self.wrong("it is nested too deep")
        opening = self.text[self.at : self.at + 1]
        if opening == "{":
            return self.container("}", depth)
        if opening == "[":
            return self.container("]", depth)
        found = (_STRING if opening == '"' else _SCALAR).match(self.text, self.at)
        if found is None:
            raise self.wrong("a value should stand here")
        start, self.at = self.at, found.end()
        return JsonNode(start, self.at, self.scalar(found[0]), [])

    def scalar(self, token: str) -> Any:
        try:
            return json.loads(token)
        except ValueError:
            raise self.wrong("a value is spelled wrong") from None

    def container(self, closing: str, depth: int) -> JsonNode:
        start, elements = self.at, list[JsonElement]()
        self.at += 1
        lead = self.blanks()
        while self.text[self.at : self.at + 1] != closing:
            if elements and elements[-1].comma < 0:
                raise self.wrong(f"a comma or {closing} should stand here")
            elements.append(self.element(lead, keyed=closing == "}", depth=depth))
            lead = self.blanks()
            if self.text[self.at : self.at + 1] == ",":
                elements[-1].comma = self.at
                self.at += 1
                lead = self.blanks()
        self.at += 1
        value: Any = [each.node.value for each in elements]
        if closing == "}":
            value = {each.key: each.node.value for each in elements}
        return JsonNode(start, self.at, value, elements)

    def element(self, lead: int, *, keyed: bool, depth: int) -> JsonElement:
        start, key = self.at, ""
        if keyed:
            found = _STRING.match(self.text, self.at)
            if found is None:
                raise self.wrong("a key in quotes should stand here")
            key, self.at = self.scalar(found[0]), found.end()
            self.blanks()
            if self.text[self.at : self.at + 1] != ":":
                raise self.wrong("a colon should stand here")
            self.at += 1
            self.blanks()
        return JsonElement(lead, start, key, self.value(depth + 1))

    def match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        assert found is not None, "a pattern that may be empty always matches"
        return found

    def wrong(self, reason: str) -> UnusableJsonText:
        return UnusableJsonText(reason, self.text.count("\n", 0, self.at) + 1)


def _require_kind(text: str, node: JsonNode, kind: type, path: Sequence[str]) -> None:
    if not isinstance(node.value, kind):
        wanted = "an object" if kind is dict else "a list"
        place = repr(".".join(path)) if path else "the whole"
        raise UnusableJsonText(f"{place} should be {wanted}", text.count("\n", 0, node.start) + 1)


def _set_member_value(root: Any, path: Sequence[str], value: Any) -> Any:
    """What the whole should read as, once the member at the path is set."""
    if not path:
        return value
    return {**root, path[0]: _set_member_value(root.get(path[0], {}), path[1:], value)}


def _check_edit(text: str, value: Any) -> str:
    """The changed text, once it is sure that it reads as it should."""
    if parse_jsonc(text).value != value:
        raise UnusableJsonText("the change would not hold", 1)
    return text


def _insert_entry(text: str, node: JsonNode, key: str | None, value: Any) -> str:
    if not node.elements:
        return _insert_into_empty(text, node, key, value)
    last = node.elements[-1]
    at = last.end
    comment = _SAME_LINE.match(text, at)
    if comment:
        at = comment.end()
    own_line = "\n" in text[node.start : last.start] or (comment is not None and "//" in comment[0])
    if own_line:
        indent = (
            _indent_of(text, node.elements[0].start)
            if _starts_line(text, node.elements[0])
            else _deeper_indent(text, node)
        )
        entry = _newline(text) + indent + _entry(key, value, text, indent)
    else:
        entry = " " + _entry(key, value, text, None)
    if last.comma >= 0:
        return text[:at] + entry + "," + text[at:]
    return text[: last.end] + "," + text[last.end : at] + entry + text[at:]


def _insert_into_empty(text: str, node: JsonNode, key: str | None, value: Any) -> str:
    indent = _deeper_indent(text, node)
    entry = _entry(key, value, text, indent)
    close = node.end - 1
    if close > node.start + 1:
        # Blanks or comments stand inside. They stay, and no blank follows the entry: so it can be told when it goes.
        return text[:close] + entry + text[close:]
    newline = _newline(text)
    return text[:close] + newline + indent + entry + newline + _indent_of(text, node.start) + text[close:]


def _remove_element(text: str, node: JsonNode, element: JsonElement) -> str:
    at = node.elements.index(element)
    if len(node.elements) == 1:
        return _remove_only_element(text, node, element)
    if at == len(node.elements) - 1 and element.comma < 0:
        comma = node.elements[at - 1].comma
        return text[:comma] + text[comma + 1 : element.lead] + text[element.end :]
    return text[: element.lead] + text[element.end :]


def _remove_only_element(text: str, node: JsonNode, element: JsonElement) -> str:
    close = node.end - 1
    after = text[element.end : close]
    if not after:
        return text[: element.start] + text[close:]
    if not after.strip() and element.lead == node.start + 1:
        return text[: node.start + 1] + text[close:]
    return text[: element.lead] + text[element.end :]


def _entry(key: str | None, value: Any, text: str, indent: str | None) -> str:
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if indent is None:
        return head + json.dumps(value, ensure_ascii=False)
    rendered = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return head + rendered.replace("\n", _newline(text) + indent)


def _unit(text: str) -> str:
    """One step of indentation, as the file has it."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _deeper_indent(text: str, node: JsonNode) -> str:
    return _indent_of(text, node.start) + _unit(text)


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_line(text: str, element: JsonElement) -> bool:
    return not text[text.rfind("\n", 0, element.start) + 1 : element.start].strip(" \t")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
