"""Prompts: what a user picks in their client to begin, to wrap up, to decide, and to learn from what went wrong."""

from collections.abc import Mapping

from mcp import types

from holdfast.core.errors import BadRequest
from holdfast.review.agent_access import make_inert

LONGEST = 2_000

START = """\
Begin with what is known. Call `briefing`. {about}Then say in a few lines what holds here, what was tried and did not \
work, and what is open; name the ids. Plan only after that, and plan nothing that a constraint forbids.\
"""
WRAP_UP = """\
We are done for now. Go through this session and propose what a later one must know, one call each:
- what was decided, with the question, the reason and what was rejected: `record_decision`
- what was tried and did not work, with its root cause: `record_failure`
- what was learned about this code, its tools or its users, and rules that must hold: `remember`
Search first, and leave out what is known already, what the code itself says, and what will be wrong next week. \
Where something kept is not true any more, propose what replaces it with `supersedes`. Then call `review` and tell \
me what waits.\
"""
DECIDE = """\
We have to decide: {question}
Search for what was decided before and call `pack` with the question. Lay out the options with what speaks for and \
against each, name the memories (ids) that bind us, and recommend one. When I have chosen, call `record_decision` \
with the question, the choice, the reason, and every option that was rejected with its reason.\
"""
POST_MORTEM = """\
Something went wrong: {what}
Call `timeline` and `search` to see what happened before, and whether it happened before. Find the root cause; do not \
stop at the first thing that looks wrong. Then call `record_failure` with what was tried, the error, the root cause \
and the circumstances, and `remember` an invariant if a rule would have prevented it.\
"""


class NoSuchPrompt(BadRequest):
    """A prompt that is none of ours, or lacks what it needs."""

    def __init__(self, name: str, trouble: str) -> None:
        super().__init__(f"The prompt {name[:60]!r} {trouble}.")


def _argument(name: str, about: str, *, required: bool = True) -> list[types.PromptArgument]:
    return [types.PromptArgument(name=name, description=about, required=required)]


PROMPTS: Mapping[str, types.Prompt] = {
    prompt.name: prompt
    for prompt in (
        types.Prompt(
            name="start", title="Start a session", description="Begin with what is known.",
            arguments=_argument("goal", "what you want to do", required=False),
        ),
        types.Prompt(name="wrap_up", title="Wrap up", description="Propose what a later session must know."),
        types.Prompt(
            name="decide", title="Decide", description="Decide something in the light of what was decided before.",
            arguments=_argument("question", "what has to be decided"),
        ),
        types.Prompt(
            name="post_mortem", title="Post-mortem", description="Learn from what went wrong.",
            arguments=_argument("what", "what went wrong"),
        ),
    )
}  # fmt: skip


def build_prompt(name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """A prompt, filled in."""
    known = PROMPTS.get(name)
    if known is None:
        raise NoSuchPrompt(name, "is not there")
    for argument in known.arguments or ():
        if argument.required and not given.get(argument.name, "").strip():
            raise NoSuchPrompt(name, f"needs {argument.name!r}")
    text = _text(name, {key: make_inert(value)[:LONGEST] for key, value in given.items()})
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=known.description, messages=[message])


def _text(name: str, given: Mapping[str, str]) -> str:
    match name:
        case "start":
            goal = given.get("goal", "").strip()
            return START.format(about=f"Call `pack` with this goal: {goal}\n" if goal else "")
        case "decide":
            return DECIDE.format(question=given["question"])
        case "post_mortem":
            return POST_MORTEM.format(what=given["what"])
        case _:
            return WRAP_UP
