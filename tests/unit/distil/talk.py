"""Conversations for tests, in a few words."""

from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Distilled, Known
from holdfast.distil.rule_distiller import RuleDistiller

WORKSPACE = "/home/dev/proj"


def user(text: str, **fields: Any) -> Turn:
    return Turn(id="", kind=TurnKind.PROMPT, text=text, **fields)


def agent(text: str, **fields: Any) -> Turn:
    return Turn(id="", kind=TurnKind.ANSWER, text=text, **fields)


def tool(name: str, given: dict[str, Any], output: str = "ok", *, failed: bool = False, **fields: Any) -> Turn:
    return Turn(id="", kind=TurnKind.TOOL, tool=name, input=given, output=output, failed=failed, **fields)


def bash(command: str, output: str = "", *, failed: bool = False) -> Turn:
    return tool("Bash", {"command": command}, output, failed=failed)


def edit(path: str) -> Turn:
    return tool("Edit", {"file_path": f"{WORKSPACE}/{path}", "old_string": "a", "new_string": "b"})


def talk(*turns: Turn, client: str = "claude-code", session: str = "s-1") -> Conversation:
    numbered = tuple(
        turn.__replace__(id=turn.id or f"e{number}", ts=turn.ts or f"2026-11-15T09:{number:02d}:00Z")
        for number, turn in enumerate(turns, 1)
    )
    return Conversation(session=session, client=client, workspace=WORKSPACE, turns=numbered)


def distil(*turns: Turn, known: Known | None = None, client: str = "claude-code") -> Distilled:
    return RuleDistiller().distil(talk(*turns, client=client), known or Known())
