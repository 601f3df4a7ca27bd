"""The JSON form of a memory: what the command line prints, the index stores and programs read."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.memory import Citation, Evidence, Memory, MemoryType, RejectedOption, SaidBy, Status

TEXTS = (
    "category",
    "subject",
    "question",
    "choice",
    "error_type",
    "error_message",
    "root_cause",
    "context",
    "fact",
    "valid_from",
    "valid_until",
    "source",
    "updated",
    "because",
)
NUMBERS = ("attempts", "confidence")
MAPPINGS = ("enforce", "extra")
# Looking a value up costs a third of calling the enum, and the index reads thousands at a time.
_TYPES = {str(kind): kind for kind in MemoryType}
_STATUSES = {str(status): status for status in Status}
_SPEAKERS = {str(speaker): speaker for speaker in SaidBy}
_AS_THEY_ARE = ("id", "title", "body", *TEXTS, *NUMBERS, *MAPPINGS)


def to_json(memory: Memory) -> dict[str, Any]:
    """Every field that says something; id, type, status, title, body, tags, paths and said_by always."""
    data: dict[str, Any] = {
        "id": memory.id,
        "type": memory.type.value,
        "status": memory.status.value,
        "title": memory.title,
        "body": memory.body,
        "tags": list(memory.tags),
        "paths": list(memory.paths),
        "said_by": memory.said_by.value,
    }
    _put_plain(data, memory)
    _put_lists(data, memory)
    return data


def from_json(data: Mapping[str, Any]) -> Memory:
    """The memory that `to_json` wrote."""
    fields: dict[str, Any] = {name: data[name] for name in _AS_THEY_ARE if name in data}
    fields["type"] = _TYPES[data["type"]]
    fields["status"] = _STATUSES[data["status"]]
    fields["said_by"] = _SPEAKERS[data["said_by"]]
    fields["tags"] = tuple(data["tags"])
    fields["paths"] = tuple(data["paths"])
    if "supersedes" in data:
        fields["supersedes"] = tuple(data["supersedes"])
    if "rejected" in data:
        fields["rejected"] = tuple(RejectedOption(**each) for each in data["rejected"])
    if "evidence" in data:
        fields["evidence"] = tuple(Evidence(**each) for each in data["evidence"])
    if "cites" in data:
        fields["cites"] = tuple(Citation(**each) for each in data["cites"])
    return Memory(**fields)


def _put_plain(data: dict[str, Any], memory: Memory) -> None:
    for name in TEXTS:
        if text := getattr(memory, name):
            data[name] = text
    for name in NUMBERS:
        if (number := getattr(memory, name)) is not None:
            data[name] = number
    for name in MAPPINGS:
        if mapping := getattr(memory, name):
            data[name] = dict(mapping)


def _put_lists(data: dict[str, Any], memory: Memory) -> None:
    if memory.supersedes:
        data["supersedes"] = list(memory.supersedes)
    if memory.rejected:
        data["rejected"] = [{"option": each.option, "reason": each.reason} for each in memory.rejected]
    if memory.evidence:
        data["evidence"] = [{"event": each.event, "quote": each.quote} for each in memory.evidence]
    if memory.cites:
        data["cites"] = [_citation(each) for each in memory.cites]


def _citation(cite: Citation) -> dict[str, str]:
    form = {"path": cite.path, "lines": cite.lines, "sha256": cite.sha256}
    return form | {"marks": cite.marks} if cite.marks else form
