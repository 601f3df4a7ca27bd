"""Bytes of a memory file → memories, and the problems of those that do not read."""

import re
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, TypeVar

from holdfast.core.file_names import ID
from holdfast.core.memory import (
    PREFIXES,
    Citation,
    Entry,
    Evidence,
    Memory,
    MemoryFile,
    MemoryType,
    Problem,
    RejectedOption,
    SaidBy,
    Scope,
    Status,
)
from holdfast.vault.frontmatter import BadFrontmatter, Mapping, Node, Scalar, Sequence, read_block
from holdfast.vault.split_entries import EntrySpan, Layout, body_of, find_unmerged, split_bom, split_entries

_TYPE_OF_PREFIX = {prefix: kind for kind, prefix in PREFIXES.items()}
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,99})")
_COUNT = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_Member = TypeVar("_Member", bound=StrEnum)


def parse(data: bytes, *, path: str, scope: Scope) -> MemoryFile:
    """Everything a file holds. Never raises: what does not read is among the problems."""
    digest = sha256(data).hexdigest()
    try:
        _, text = split_bom(data.decode())
    except UnicodeDecodeError as error:
        return MemoryFile(path=path, sha256=digest, problems=(_utf8_problem(data, path, error),))
    layout = split_entries(text)
    entries: list[Entry] = []
    both = find_unmerged(text)
    problems = [] if both else _suspects(layout, path)
    problems += [_unmerged_problem(path, text, start) for start, _ in both]
    for span in layout.spans:
        if any(start < span.end and span.start < end for start, end in both):
            continue
        try:
            memory = read_entry(text, span)
        except BadFrontmatter as error:
            problems.append(_problem(path, span, error))
        else:
            entries.append(Entry(memory=memory, scope=scope, path=path, line=span.line, sha256=digest))
    return MemoryFile(path=path, sha256=digest, entries=tuple(entries), problems=tuple(problems))


def read_entry(text: str, span: EntrySpan) -> Memory:
    """The memory that stands in a span. Raises BadFrontmatter."""
    return memory_from(read_block(text[span.block : span.close]), body_of(text, span))


def memory_from(block: Mapping, body: str) -> Memory:
    """The memory that a block of keys and a body make. Raises BadFrontmatter."""
    fields: dict[str, Any] = {"body": body}
    extra: dict[str, Any] = {}
    for name, (_, node) in block.pairs.items():
        read = _READERS.get(name)
        if read is None:
            extra[name] = _read_any(node)
        else:
            fields[name] = read(name, node)
    if "id" not in fields:
        raise BadFrontmatter(0, "has no `id`", "add one, such as `id: DEC-001`")
    fields["type"] = fields.get("type") or _type_by_prefix(fields["id"])
    if fields.get("title") is None:
        fields["title"] = first_line(body)
    return Memory(**fields, extra=extra)


def first_line(body: str) -> str:
    """The first line of a body that says something: the title of an entry that has none."""
    return body.lstrip().partition("\n")[0].strip()


def _type_by_prefix(memory_id: str) -> MemoryType:
    kind = _TYPE_OF_PREFIX.get(memory_id.partition("-")[0])
    if kind is None:
        raise BadFrontmatter(0, f"has no `type`, and id '{memory_id}' does not tell it", _join_members(MemoryType))
    return kind


def _wrong_value(name: str, node: Node, wanted: str) -> BadFrontmatter:
    return BadFrontmatter(node.line, f"`{name}` is not {wanted}")


def _text(name: str, node: Node) -> str:
    if not isinstance(node, Scalar):
        raise _wrong_value(name, node, "text")
    return node.text


def _title(name: str, node: Node) -> str | None:
    text = _text(name, node)
    return None if not text and isinstance(node, Scalar) and node.plain else text


def _id(name: str, node: Node) -> str:
    text = _text(name, node)
    if not ID.fullmatch(text):
        raise _wrong_value(name, node, "an id: 1–64 letters, digits, `.`, `_`, `-`")
    return text


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.plain and node.text in _NULLS


def _list_of(name: str, node: Node, read: Callable[[str, Node], Any]) -> tuple[Any, ...]:
    if _is_null(node):
        return ()
    if isinstance(node, Sequence):
        return tuple(read(name, item) for item in node.items)
    if isinstance(node, Scalar):
        return (read(name, node),)
    raise _wrong_value(name, node, "a list")


def _texts(name: str, node: Node) -> tuple[str, ...]:
    return _list_of(name, node, _text)


def _ids(name: str, node: Node) -> tuple[str, ...]:
    return _list_of(name, node, _id)


def _rejected_options(name: str, node: Node) -> tuple[RejectedOption, ...]:
    return _list_of(name, node, _rejected_option)


def _evidence(name: str, node: Node) -> tuple[Evidence, ...]:
    return _list_of(name, node, _piece_of_evidence)


def _cites(name: str, node: Node) -> tuple[Citation, ...]:
    return _list_of(name, node, _citation)


def _rejected_option(name: str, node: Node) -> RejectedOption:
    if isinstance(node, Scalar):
        option, _, reason = node.text.partition(": ")
        return RejectedOption(option=option, reason=reason)
    if isinstance(node, Mapping) and "option" in node.pairs:
        return RejectedOption(option=_part(name, node, "option"), reason=_part(name, node, "reason"))
    if isinstance(node, Mapping) and len(node.pairs) == 1 and "reason" not in node.pairs:
        # `- Redux: too much ceremony` is text to a person and a mapping to YAML.
        [(option, (_, reason_node))] = node.pairs.items()
        return RejectedOption(option=option, reason=_text(name, reason_node))
    raise _wrong_value(name, node, "a list of `{option, reason}`")


def _piece_of_evidence(name: str, node: Node) -> Evidence:
    if isinstance(node, Mapping) and "event" in node.pairs:
        return Evidence(event=_part(name, node, "event"), quote=_part(name, node, "quote"))
    raise _wrong_value(name, node, "a list of `{event, quote}`")


def _citation(name: str, node: Node) -> Citation:
    if isinstance(node, Mapping) and "path" in node.pairs:
        path, lines, digest, marks = (_part(name, node, key) for key in ("path", "lines", "sha256", "marks"))
        return Citation(path=path, lines=lines, sha256=digest, marks=marks)
    raise _wrong_value(name, node, "a list of `{path, lines, sha256}`")


def _part(name: str, node: Mapping, key: str) -> str:
    return _text(f"{name}.{key}", node.pairs[key][1]) if key in node.pairs else ""


def _count(name: str, node: Node) -> int | None:
    if _is_null(node):
        return None
    text = _text(name, node)
    if not _COUNT.fullmatch(text):
        raise _wrong_value(name, node, "a whole number")
    return int(text)


def _share(name: str, node: Node) -> float | None:
    if _is_null(node):
        return None
    text = _text(name, node)
    if not _DECIMAL.fullmatch(text) or not 0 <= float(text) <= 1:
        raise _wrong_value(name, node, "a number from 0 to 1")
    return float(text)


def _date(name: str, node: Node) -> str:
    if _is_null(node):
        return ""
    text = _text(name, node)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise _wrong_value(name, node, "a date or time such as 2026-11-15 or 2026-11-15T09:30:00Z") from None
    return text


def _enum_reader(kind: type[_Member]) -> Callable[[str, Node], _Member]:
    members = {str(member): member for member in kind}

    def read(name: str, node: Node) -> _Member:
        text = _text(name, node)
        if text not in members:
            raise BadFrontmatter(node.line, f"`{name}` is '{text[:40]}'", _join_members(kind))
        return members[text]

    return read


def _join_members(kind: type[StrEnum]) -> str:
    return f"one of {', '.join(kind)}"


def _mapping(name: str, node: Node) -> dict[str, Any]:
    if _is_null(node):
        return {}
    if not isinstance(node, Mapping):
        raise _wrong_value(name, node, "a mapping")
    return {key: _read_any(value) for key, (_, value) in node.pairs.items()}


def _read_any(node: Node) -> Any:
    if isinstance(node, Scalar):
        return plain_value(node.text) if node.plain else node.text
    if isinstance(node, Sequence):
        return [_read_any(item) for item in node.items]
    return {key: _read_any(value) for key, (_, value) in node.pairs.items()}


def plain_value(text: str) -> Any:
    """What unquoted text stands for: null, a truth value, a number that is written as we would, else itself."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


_READERS: dict[str, Callable[[str, Node], Any]] = {
    "id": _id,
    "type": _enum_reader(MemoryType),
    "status": _enum_reader(Status),
    "title": _title,
    "category": _text,
    "tags": _texts,
    "paths": _texts,
    "subject": _text,
    "question": _text,
    "choice": _text,
    "rejected": _rejected_options,
    "enforce": _mapping,
    "error_type": _text,
    "error_message": _text,
    "root_cause": _text,
    "context": _text,
    "attempts": _count,
    "fact": _text,
    "confidence": _share,
    "said_by": _enum_reader(SaidBy),
    "evidence": _evidence,
    "cites": _cites,
    "supersedes": _ids,
    "valid_from": _date,
    "valid_until": _date,
    "source": _text,
    "updated": _date,
    "because": _text,
}


def _suspects(layout: Layout, path: str) -> list[Problem]:
    problems = [Problem(path=path, reason=each.reason, line=each.line, hint=each.hint) for each in layout.suspects]
    if not layout.spans and not problems:
        reason = "holds no memory: no `---` block with `id:` or `type:`"
        problems.append(Problem(path=path, reason=reason, line=1, hint="start its name with a dot if it is no memory"))
    return problems


def _problem(path: str, span: EntrySpan, error: BadFrontmatter) -> Problem:
    return Problem(path=path, reason=error.reason, line=span.line + 1 + error.line, hint=error.hint)


def _unmerged_problem(path: str, text: str, start: int) -> Problem:
    return Problem(
        path=path,
        reason="two branches changed this, and git could not merge it",
        line=text.count("\n", 0, start) + 1,
        hint="keep one side, take the lines of <<<<<<<, ======= and >>>>>>> out, then `git add` the file; "
        "a backslash before <<<<<<< makes it plain text",
    )


def _utf8_problem(data: bytes, path: str, error: UnicodeDecodeError) -> Problem:
    line = data.count(b"\n", 0, error.start) + 1
    reason = f"is not UTF-8: byte 0x{data[error.start]:02x}"
    return Problem(path=path, reason=reason, line=line, hint="save it as UTF-8")
