"""A session as a conversation: who said what, which tool did what, and what follows what."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from holdfast.core.value import Value

NOTHING: Mapping[str, Any] = {}


class TurnKind(StrEnum):
    """What a turn is. `CUT` is where a client compacted what stood before; `OTHER` is kept and says nothing to us."""

    START = "start"
    PROMPT = "prompt"
    ANSWER = "answer"
    TOOL = "tool"
    CUT = "cut"
    END = "end"
    OTHER = "other"


class UserChoice(Value):
    """What the user answered to a question that the agent put to them in a form: the option they took, or words."""

    question: str
    choice: str
    options: tuple[str, ...] = ()
    note: str = ""


class Turn(Value):
    """One thing that was said or done.

    `id` is its event in the journal. `parent` is the turn that it follows (empty for a root); two turns with one
    parent are branches. `agent` names the subagent it belongs to, empty for the main thread. A tool's turn holds the
    call and, once it is known, how it went. `foreign` marks words in a user's turn that no person typed: text that
    Holdfast or another tool put there. `refusal` are words that the user typed where a client takes them as a tool's
    result: why they refused a call; `choices` what they answered in a form.
    """

    id: str
    kind: TurnKind
    ts: str = ""
    parent: str = ""
    agent: str = ""
    text: str = ""
    tool: str = ""
    call: str = ""
    input: Mapping[str, Any] = NOTHING
    output: str = ""
    failed: bool = False
    model: str = ""
    foreign: bool = False
    refusal: str = ""
    choices: tuple[UserChoice, ...] = ()
    extra: Mapping[str, Any] = NOTHING


class Conversation(Value):
    """A session of a client, its turns in the order in which they happened."""

    session: str
    client: str
    workspace: str = ""
    title: str = ""
    turns: tuple[Turn, ...] = ()
