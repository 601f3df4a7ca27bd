"""Our part of a client's file, put in and taken out. What was put in is noted, so that it can be taken out by the note.

`put` works on the file as it is, and leaves it alone where all of our part is in it. `take` leaves what is not ours.
"""

import json
from collections.abc import Mapping
from typing import Any

from holdfast.clients.client_spec import JsonPart, MarkdownPart, OwnFile, TomlPart, YamlPart
from holdfast.clients.install import marked_text
from holdfast.core.errors import BadRequest
from holdfast.system import jsonc
from holdfast.system.package_files import render_source

Note = dict[str, Any]
FilePart = JsonPart | TomlPart | MarkdownPart | YamlPart | OwnFile


class ClientFileNotUnderstood(BadRequest):
    """A client's file that we cannot change safely; nothing of it was touched."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} was left alone, for we do not understand it: {reason}.", "fix it, then run this again."
        )


def put_part(part: FilePart, before: bytes | None, places: Mapping[str, str]) -> tuple[bytes, Note]:
    """The file with our part in it, and the note to take it out by."""
    path = fill_places(part.path, places)
    try:
        text = None if before is None else before.decode("utf-8")
        match part:
            case JsonPart():
                after, note = _put_json(part, text, places)
            case TomlPart():
                tables = [(name, fill_places(dict(table), places)) for name, table in part.tables]
                after = marked_text.put_tables(text or "", tables)
                note = {"kind": "toml", "tables": [name for name, _ in tables], "also": part.also}
            case MarkdownPart():
                after = marked_text.put_marked_block(text if text is not None else part.head, part.text)
                note = {"kind": "markdown", "head": part.head}
            case YamlPart():
                after = marked_text.put_entry(text or "", part.key, part.entry)
                note = {"kind": "yaml", "key": part.key, "entry": part.entry}
            case OwnFile():
                return render_source(part.source, places), {"kind": "own"}
    except (jsonc.UnusableJsonText, marked_text.ClientTextNotEditable) as error:
        raise ClientFileNotUnderstood(path, _explain_error(error)) from None
    except UnicodeDecodeError:
        raise ClientFileNotUnderstood(path, "it is not UTF-8") from None
    return after.encode("utf-8"), note


def remove_part(path: str, note: Note, data: bytes) -> bytes:
    """The file without our part."""
    try:
        text = data.decode("utf-8")
        match note["kind"]:
            case "json":
                text = _remove_json(text, note)
            case "toml":
                text = marked_text.remove_tables(text, note["tables"], note["also"])
            case "markdown":
                text = marked_text.remove_marked_block(text)
            case "yaml":
                text = marked_text.remove_entry(text, note["key"], note["entry"])
            case _:
                text = ""
    except (jsonc.UnusableJsonText, marked_text.ClientTextNotEditable) as error:
        raise ClientFileNotUnderstood(path, _explain_error(error)) from None
    except UnicodeDecodeError:
        raise ClientFileNotUnderstood(path, "it is not UTF-8") from None
    return text.encode("utf-8")


def is_bare(note: Note, data: bytes) -> bool:
    """Whether nothing is left in a file that we once made."""
    text = data.decode("utf-8").strip()
    if note["kind"] == "json" and "//" not in text and "/*" not in text:
        return jsonc.parse_jsonc(text).value in ({}, note["bare"])
    return text in {"", note.get("head", "").strip()}


def fill_places(value: Any, places: Mapping[str, str]) -> Any:
    """A value of the table with its places filled in."""
    match value:
        case str():
            for name, place in places.items():
                value = value.replace(f"{{{name}}}", place)
            return value
        case dict():
            return {key: fill_places(inner, places) for key, inner in value.items()}
        case list():
            return [fill_places(inner, places) for inner in value]
    return value


def _explain_error(error: jsonc.UnusableJsonText | marked_text.ClientTextNotEditable) -> str:
    return f"line {error.line}, {error.reason}" if isinstance(error, jsonc.UnusableJsonText) else error.reason


def _put_json(part: JsonPart, text: str | None, places: Mapping[str, str]) -> tuple[str, Note]:
    note: Note = {
        "kind": "json",
        "bare": dict(part.bare),
        "command": places["command"],
        "members": [list(path) for path, _ in part.members],
        "lists": [list(path) for path, _ in part.items],
        "made": [],
    }
    text = text if text and text.strip() else json.dumps(dict(part.bare), indent=2) + "\n"
    for path, value in part.members:
        there = jsonc.find_member(jsonc.parse_jsonc(text), path)
        # Where it says false, the user has switched us off.
        if there is None or there.node.value not in (False, fill_places(value, places)):
            text, made = jsonc.put_member(text, path, fill_places(value, places))
            note["made"] += [list(each) for each in made]
    for path, item in part.items:
        there = jsonc.find_member(jsonc.parse_jsonc(text), path)
        if there is None or not runs_hook(there.node.value, places["command"]):
            text, made = jsonc.append_item(text, path, fill_places(item, places))
            note["made"] += [list(each) for each in made]
    return text, note


def runs_hook(value: Any, command: str) -> bool:
    """Whether a command in here runs our hook."""
    if isinstance(value, dict):
        return any(runs_hook(inner, command) for key, inner in value.items() if key in {"hooks", "command"})
    if isinstance(value, list):
        return any(runs_hook(inner, command) for inner in value)
    return isinstance(value, str) and command in value


def _remove_json(text: str, note: Note) -> str:
    for path in _lists_beside(text, note["lists"]):
        text = _remove_handlers(text, path, note["command"])
    for path in reversed(note["members"]):
        text = jsonc.remove_member(text, path)
    for path in reversed(note["made"]):
        made = jsonc.find_member(jsonc.parse_jsonc(text), path)
        if made is not None and not made.node.elements:
            text = jsonc.remove_member(text, path)
    return text


def _lists_beside(text: str, lists: list[list[str]]) -> list[list[str]]:
    """Every list that stands beside one of ours: the user may have moved an entry of ours to another event."""
    root = jsonc.parse_jsonc(text)
    parents = {tuple(path[:-1]) for path in lists}
    found = [(parent, jsonc.find_member(root, parent)) for parent in sorted(parents)]
    return [
        [*parent, each.key]
        for parent, there in found
        for each in (there.node.elements if there else [])
        if isinstance(each.node.value, list)
    ]


def _remove_handlers(text: str, path: list[str], command: str) -> str:
    """The list at `path` without the entries that run our hook; others in one entry with ours stay."""
    there = jsonc.find_member(jsonc.parse_jsonc(text), path)
    if there is None:
        return text
    for at, entry in reversed(list(enumerate(there.node.elements))):
        inner = jsonc.find_member(entry.node, ["hooks"])
        ours = [runs_hook(each.node.value, command) for each in inner.node.elements] if inner else []
        if inner is not None and any(ours) and not all(ours):
            for place in reversed([n for n, each in enumerate(ours) if each]):
                text = jsonc.remove_item(text, inner.node, place)
        elif runs_hook(entry.node.value, command):
            text = jsonc.remove_item(text, there.node, at)
    return text
