"""What is said through tools: the user's answers in a form, why they refused a call, the agent's list of todos."""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.todo_calls import TodoAdded, TodoListed, TodoMarked, read_todo_call
from holdfast.core.tool_text import text_of
from holdfast.core.user_answers import describe_choice, read_choices, read_refusal

REFUSES = "The user doesn't want to "
USER, AGENT = "user", "agent"


def list_tool_words(tool: str, given: Mapping[str, Any], result: object) -> Iterator[tuple[str, str]]:
    """Who says what by a call and its result, line by line; of most calls nothing."""
    output = text_of(result)
    for choice in read_choices(tool, given, result, output):
        yield USER, describe_choice(choice)
    # Where it begins so: what a command printed may hold the same words further down.
    if output.lstrip().startswith(REFUSES) and (refusal := read_refusal(output)):
        yield USER, f"refused {tool}: {refusal}"
    match read_todo_call({"tool": tool, "input": given, "output": result}):
        case TodoListed(items=items):
            yield from ((AGENT, f"[{'x' if done else ' '}] {text}") for text, done in items)
        case TodoAdded(text=text):
            yield AGENT, f"[ ] {text}"
        case TodoMarked(done=done, text=text) if text:
            yield AGENT, f"[{'x' if done else ' '}] {text}"
