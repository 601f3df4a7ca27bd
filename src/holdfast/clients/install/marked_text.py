"""Our part in TOML, YAML and Markdown files that are not ours: put in and taken out as text, proven by a parser.

A file that cannot be changed by a small edit is refused, never rewritten.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from holdfast.core.errors import BadRequest

BEGIN = "<!-- holdfast:begin v1 -->"
END = "<!-- holdfast:end -->"
_OURS = "# holdfast: `holdfast uninstall` takes this out again"
_HEADER = re.compile(r"^\s*\[\[?(.+?)\]\]?\s*(?:#.*)?$")
_MARKED = "  # holdfast"


class ClientTextNotEditable(BadRequest):
    """A file in which our part cannot be put in, or taken out, by a small edit."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"It cannot be changed by a small edit: {reason}.", "change it by hand, then run this again.")
        self.reason = reason


# TOML


def put_tables(text: str, tables: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The text with these tables at its end; those that are there already stay as they are."""
    before = _toml(text)
    missing = [(name, table) for name, table in tables if _table(before, name) != table]
    if not missing:
        return text
    for name, _ in missing:
        if _table(before, name) is not None:
            raise ClientTextNotEditable(f"it has a table {name!r} already, and otherwise than we need it")
    newline = _newline(text)
    blocks = [newline.join([_OURS, f"[{name}]", *_lines(table)]) + newline for name, table in missing]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    after = text + gap + newline.join(blocks)
    if any(_table(_toml(after), name) != dict(table) for name, table in tables):
        raise ClientTextNotEditable("the change would not hold")
    return after


def remove_tables(text: str, names: Sequence[str], also: str) -> str:
    """The text without these tables and those whose names begin with `also`."""
    kept: list[str] = []
    held: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line)
        if header:
            ours = header[1].strip() in names or bool(also and header[1].strip().startswith(also))
            kept += _keep_comments(held)
            held = []
        if line.strip() == _OURS:
            continue
        if not ours:
            kept.append(line)
        elif not header and (not line.strip() or line.lstrip().startswith("#")):
            held.append(line)
    after = "".join(kept + _keep_comments(held))
    _toml(after)
    if any(_table(_toml(after), name) is not None for name in names):
        raise ClientTextNotEditable("our tables are not spelled as we wrote them")
    return after


def _keep_comments(held: list[str]) -> list[str]:
    """Comments below a table of ours belong to what follows; blank lines alone do not."""
    return held if any(line.strip() for line in held) else []


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ClientTextNotEditable(f"it is no TOML ({error})") from None


def _table(document: Mapping[str, Any], name: str) -> Any:
    found: Any = document
    for key in re.findall(r'"[^"]*"|[^.]+', name):
        found = found.get(key.strip('"')) if isinstance(found, Mapping) else None
    return found


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]


# YAML


def put_entry(text: str, key: str, entry: str) -> str:
    """The text with one more entry in a list at its top level."""
    before = _yaml(text)
    known = before.get(key)
    listed = [known] if isinstance(known, str) else known or []
    if not isinstance(listed, list):
        raise ClientTextNotEditable(f"{key!r} is no list")
    if entry in listed:
        return text
    after = _add_entry(text, key, entry, there=key in before)
    if _yaml(after) != {**before, key: [*listed, entry]}:
        raise ClientTextNotEditable(f"{key!r} is written in a way we do not know")
    return after


def remove_entry(text: str, key: str, entry: str) -> str:
    """The text without that entry."""
    before = _yaml(text)
    if entry not in (before.get(key) or []):
        return text
    block = _own_block(_newline(text), key, entry)
    after = text.replace(block, "") if block in text else _remove_entry(text, key, entry)
    rest = [each for each in before[key] if each != entry]
    if {**_yaml(after), key: _yaml(after).get(key) or []} != {**before, key: rest}:
        raise ClientTextNotEditable(f"{key!r} is written in a way we do not know")
    return after


def _add_entry(text: str, key: str, entry: str, *, there: bool) -> str:
    newline = _newline(text)
    if not there:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + _own_block(newline, key, entry)
    lines = text.splitlines(keepends=True)
    at, value = _find_key_line(lines, key)
    if value.startswith("["):
        head, bracket, tail = lines[at].rpartition("]")
        comma = "" if head.rstrip().endswith(("[", ",")) else ", "
        lines[at] = head + comma + entry + bracket + tail
    elif value:
        lines[at] = lines[at].replace(value, f"[{value}, {entry}]", 1)
    else:
        _append_below(lines, at, entry, newline)
    return "".join(lines)


def _append_below(lines: list[str], at: int, entry: str, newline: str) -> None:
    items = [n for n in range(at + 1, _find_block_end(lines, at)) if lines[n].lstrip().startswith("- ")]
    if not items:
        raise ClientTextNotEditable("the list has no entry of its own line")
    last = items[-1]
    if not lines[last].endswith("\n"):
        lines[last] += newline
    indent = lines[last][: len(lines[last]) - len(lines[last].lstrip())]
    lines.insert(last + 1, f"{indent}- {entry}{_MARKED}{newline}")


def _find_block_end(lines: list[str], at: int) -> int:
    """Where the block below a key at the top level ends: at the next line that begins with a word."""
    for n in range(at + 1, len(lines)):
        if lines[n][:1].strip() and lines[n][:1] not in {"-", "#"}:
            return n
    return len(lines)


def _remove_entry(text: str, key: str, entry: str) -> str:
    lines = text.splitlines(keepends=True)
    at, value = _find_key_line(lines, key)
    if value.startswith("["):
        line = lines[at]
        for form in (f", {entry}", f",{entry}", f"{entry}, ", f"{entry},", entry):
            if form in line:
                lines[at] = line.replace(form, "", 1)
                break
        return "".join(lines)
    return "".join(line for line in lines if line.strip() not in {f"- {entry}{_MARKED}", f"- {entry}"})


def _find_key_line(lines: list[str], key: str) -> tuple[int, str]:
    for at, line in enumerate(lines):
        found = re.match(rf"{re.escape(key)}\s*:(?:\s+(?P<value>[^#\s][^#]*?))?\s*(?:#.*)?$", line)
        if found:
            return at, found["value"] or ""
    raise ClientTextNotEditable(f"{key!r} is not where we would look for it")


def _own_block(newline: str, key: str, entry: str) -> str:
    return newline.join([_OURS, f"{key}:", f"  - {entry}", ""])


def _yaml(text: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ClientTextNotEditable(f"it is no YAML ({str(error).splitlines()[0]})") from None
    if found is not None and not isinstance(found, dict):
        raise ClientTextNotEditable("it is no mapping")
    return found or {}


# Markdown


def put_marked_block(text: str, block: str) -> str:
    """The text with our marked block: in its old place, or at the end."""
    newline = _newline(text)
    marked = f"{BEGIN}\n{block.rstrip()}\n{END}".replace("\n", newline)
    start, end = _find_block_span(text)
    if start >= 0:
        return text[:start] + marked + text[end:]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return text + gap + marked + newline


def remove_marked_block(text: str) -> str:
    """The text without our marked block and the blank line that came with it."""
    start, end = _find_block_span(text)
    if start < 0:
        return text
    newline = _newline(text)
    before, after = text[:start], text[end:].removeprefix(newline)
    return (before.removesuffix(newline) if before.endswith(newline * 2) and not after.strip() else before) + after


def _find_block_span(text: str) -> tuple[int, int]:
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start >= 0 and end < 0:
        raise ClientTextNotEditable(f"it has {BEGIN!r} without {END!r}")
    if start < 0:
        return -1, -1
    return start, end + len(END)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
