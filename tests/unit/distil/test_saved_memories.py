"""What was handed to a client's own memory in a session becomes a candidate, with who kept it."""

import pytest

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Known
from holdfast.core.memory import DOUBT, Memory, MemoryType, SaidBy
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.distil.saved_memories import SAVED_BY, find_saved


def found(*turns: Turn) -> list[Memory]:
    return list(find_saved(Conversation(session="s", client="gemini", turns=turns)))


def tool(name: str, failed: bool = False, **given: object) -> Turn:
    return Turn(id="T1", kind=TurnKind.TOOL, tool=name, input=given, failed=failed, ts="2026-11-10T10:00:00Z")


def prompt(text: str, *, foreign: bool = False) -> Turn:
    return Turn(id="P1", kind=TurnKind.PROMPT, text=text, foreign=foreign, ts="2026-11-10T10:00:00Z")


def test_a_saved_memory_is_the_agents_word_with_its_source() -> None:
    [made] = found(tool("save_memory", fact="The user prefers pnpm over npm in this project"))

    assert (made.type, made.said_by) == (MemoryType.PATTERN, SaidBy.AGENT)
    assert made.title == "The user prefers pnpm over npm in this project"
    assert made.extra[SAVED_BY] == "the agent's call of save_memory"
    assert made.evidence[0].event == "T1"


def test_a_hash_note_is_the_users_own_word() -> None:
    [made] = found(prompt("<user-memory-input>Always run the linter before a commit</user-memory-input>"))

    assert (made.type, made.said_by, made.extra[SAVED_BY]) == (MemoryType.PATTERN, SaidBy.USER, "a # note")


def test_what_follows_a_slash_command_may_be_anybodys() -> None:
    text = "<command-name>/remember</command-name>\n<command-args>Deploys go through the blue queue</command-args>"

    [made] = found(prompt(text, foreign=True))

    assert made.said_by is SaidBy.AGENT
    assert made.extra[SAVED_BY] == "/remember"
    assert made.extra[DOUBT]


@pytest.mark.parametrize(
    "turn",
    [
        tool("save_memory", failed=True, fact="The user prefers pnpm over npm"),
        tool("save_memory", fact=["no", "text"]),
        tool("save_memory", fact="short"),
        tool("save_memory", fact="x" * 5000),
        tool("mcp__other__save_memory", fact="Another server keeps this, and not the client"),
        tool("Write", file_path="notes.md", content="The user prefers pnpm over npm"),
        prompt("Tell me what <user-memory-input> means: <user-memory-input>a tag</user-memory-input>"),
        prompt("<command-name>/compact</command-name><command-args>Keep the names of files</command-args>"),
    ],
)
def test_nothing_else_is_taken(turn: Turn) -> None:
    assert found(turn) == []


def test_it_is_proposed_once_with_its_session() -> None:
    turns = tuple(
        Turn(id=f"T{n}", kind=TurnKind.TOOL, tool="save_memory", input={"fact": "The user prefers pnpm over npm"})
        for n in range(3)
    )

    made = RuleDistiller().distil(Conversation(session="s-7", client="gemini", turns=turns), Known())

    assert [(one.source, one.extra[SAVED_BY]) for one in made.candidates] == [
        ("s-7", "the agent's call of save_memory")
    ]
