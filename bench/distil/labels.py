"""Labelled snippets of sessions: turns, and the candidates that a person would want of them.

One JSON object a line: `id`, `client`, `lang` (en when left out), `turns`, `want`. A turn is `{"user": text}`,
`{"agent": text}`, `{"foreign": text}` (words in a user's turn that no person typed) or `{"tool": name, "in": {…},
"out": text, "failed": true}`; `"sub": name` puts it into a subagent. A wanted candidate has a `type` ("a|b": either
will do), `has` (words that its text must hold) and any of the fields in FIELDS; `optional` ones may be missing.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.value import Value

FOLDER = Path(__file__).parent / "snippets"
SETS = ("tune", "held")
FIELDS = ("choice", "rejected", "why", "attempts", "paths", "said_by", "root_cause", "error_type")
WORKSPACE = "/home/dev/proj"
_KINDS = {"user": TurnKind.PROMPT, "agent": TurnKind.ANSWER, "foreign": TurnKind.PROMPT, "tool": TurnKind.TOOL}


class Snippet(Value):
    """A conversation and what is wanted of it."""

    id: str
    language: str
    conversation: Conversation
    want: tuple[Mapping[str, Any], ...]


def load(name: str) -> list[Snippet]:
    """The snippets of a set, in the order of their files."""
    files = sorted((FOLDER / name).glob("*.jsonl"))
    return [
        snippet(json.loads(line)) for file in files for line in file.read_text(encoding="utf-8").splitlines() if line
    ]


def snippet(data: Mapping[str, Any]) -> Snippet:
    """A snippet as its line says it."""
    turns = tuple(_turn(each, number) for number, each in enumerate(data["turns"], 1))
    talk = Conversation(session=data["id"], client=data["client"], workspace=WORKSPACE, turns=turns)
    return Snippet(id=data["id"], language=data.get("lang", "en"), conversation=talk, want=tuple(data["want"]))


def _turn(data: Mapping[str, Any], number: int) -> Turn:
    said = next(name for name in _KINDS if name in data)
    return Turn(
        id=f"e{number}",
        kind=_KINDS[said],
        ts=f"2026-11-15T09:{number:02d}:00Z",
        agent=data.get("sub", ""),
        text="" if said == "tool" else data[said],
        tool=data["tool"] if said == "tool" else "",
        input=data.get("in", {}),
        output=data.get("out", ""),
        failed=data.get("failed", False),
        foreign=said == "foreign",
    )
