"""The table of tools: name, words for the model, hints for the client, arguments, answer, and what runs."""

from collections.abc import Mapping
from typing import Any

from mcp import types
from pydantic import TypeAdapter

from holdfast.server.mcp import memory_tools, tool_answers, tool_arguments

READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# The same words twice are one candidate.
PROPOSES = READS.model_copy(update={"read_only_hint": False})


class McpTool:
    """One tool."""

    def __init__(
        self, title: str, about: str, hints: types.ToolAnnotations, takes: type[tool_arguments.Arguments], gives: type,
        run: memory_tools.Run,
    ) -> None:  # fmt: skip
        self.title = title
        self.about = about
        self.hints = hints
        self.takes = takes
        self.gives = gives
        self.run = run

    @property
    def writes(self) -> bool:
        """Whether it may change a file."""
        return not self.hints.read_only_hint

    def described(self, name: str) -> types.Tool:
        """The tool as a client sees it."""
        return types.Tool(
            name=name,
            title=self.title,
            description=self.about,
            input_schema=_strip_titles(self.takes.model_json_schema()),
            output_schema=_strip_titles(TypeAdapter(self.gives).json_schema()),
            annotations=self.hints.model_copy(update={"title": self.title}),
        )


def _strip_titles(schema: Any) -> Any:
    """A schema without the titles that repeat each name: models read all of it, in every session."""
    if isinstance(schema, dict):
        return {key: _strip_titles(held) for key, held in schema.items() if key != "title" or not isinstance(held, str)}
    return [_strip_titles(each) for each in schema] if isinstance(schema, list) else schema


TOOLS: Mapping[str, McpTool] = {
    "search": McpTool(
        "Search memory",
        "Find what this project and its user already know: decisions, dead ends, invariants, learnings. Gives ids and "
        "titles, best first; `show` gives the full text. Search before you decide something or debug something.",
        READS, tool_arguments.SearchArguments, tool_answers.SearchAnswer, memory_tools.search,
    ),
    "timeline": McpTool(
        "Timeline",
        "What happened around a memory, an event or a date: prompts, answers and memories in their order.",
        READS, tool_arguments.TimelineArguments, tool_answers.TimelineAnswer, memory_tools.timeline,
    ),
    "show": McpTool(
        "Show memories",
        "Memories in full, by id: the words, the reason, what was rejected, where it applies, what replaced it.",
        READS, tool_arguments.ShowArguments, tool_answers.ShowAnswer, memory_tools.show,
    ),
    "pack": McpTool(
        "Pack for a goal",
        "What matters to something you are about to do: constraints, dead ends, facts, patterns, within a budget of "
        "tokens. Call it before you plan. An empty pack means that nothing kept matters to the goal.",
        READS, tool_arguments.PackArguments, tool_answers.PackAnswer, memory_tools.pack,
    ),
    "check_plan": McpTool(
        "Check a plan",
        "Whether a plan breaks what was decided: rejected options, invariants, dead ends, forbidden dependencies. Call "
        "it with your plan and its commands first. Errors are certain; warnings say how sure they are.",
        READS, tool_arguments.CheckPlanArguments, tool_answers.CheckAnswer, memory_tools.check_plan,
    ),
    "remember": McpTool(
        "Propose a memory",
        "Propose something worth knowing in later sessions. It becomes a candidate: a person accepts it or not.",
        PROPOSES, tool_arguments.RememberArguments, tool_answers.KeptAnswer, memory_tools.remember,
    ),
    "record_decision": McpTool(
        "Propose a decision",
        "Propose a decision with its question, choice, reason and the options that were rejected. It becomes a "
        "candidate: a person accepts it or not.",
        PROPOSES, tool_arguments.DecisionArguments, tool_answers.KeptAnswer, memory_tools.record_decision,
    ),
    "record_failure": McpTool(
        "Propose a dead end",
        "Propose what was tried and did not work, with its root cause, so that nobody tries it again. It becomes a "
        "candidate: a person accepts it or not.",
        PROPOSES, tool_arguments.FailureArguments, tool_answers.KeptAnswer, memory_tools.record_failure,
    ),
    "briefing": McpTool(
        "Briefing",
        "What a session is told at its start: overview, what the user said lately, today's log, open todos, and what "
        "holds everywhere.",
        READS, tool_arguments.BriefingArguments, tool_answers.BriefingAnswer, memory_tools.briefing,
    ),
    "review": McpTool(
        "Review candidates",
        "List the candidates that wait for a person. With `decide` you get the words that the user types in a terminal "
        "of their own to accept one: nobody can for them, and no answer that comes through you counts.",
        READS, tool_arguments.ReviewArguments, tool_answers.ReviewAnswer, memory_tools.review,
    ),
}  # fmt: skip
