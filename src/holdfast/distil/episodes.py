"""A conversation as episodes: what a person asked, and what was said and done until they spoke again."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.conversation import NOTHING, Conversation, Turn, TurnKind
from holdfast.core.value import Value
from holdfast.core.word_lists import split_phrases
from holdfast.distil.make_candidate import strip_fillers
from holdfast.distil.user_words import UserSentence, is_prompt, user_sentences
from holdfast.phrases.phrase_tables import VERBS
from holdfast.records.tool_steps import (
    LONGEST_COMMAND,
    LONGEST_OUTPUT,
    ToolStep,
    check_kind,
    command_of,
    reports_failure,
    step_of,
)
from holdfast.records.work_unit import first_sentence

# Tools that only look: what they return teaches nothing that their reader does not say better.
_LOOKS = frozenset(
    [
        "read",
        "grep",
        "glob",
        "ls",
        "list_directory",
        "read_file",
        "read_many_files",
        "search_file_content",
        "list",
        "view",
        "find_files",
        "notebookread",
        "codebase_search",
        "file_search",
        "grep_search",
        "read_file_v2",
        "list_dir",
        "todowrite",
        "todoread",
        "update_plan",
        "write_todos",
        "tasklist",
        "taskget",
        "askuserquestion",
        "exitplanmode",
        "toolsearch",
        "skill",
    ]
)
# Tools that change one file, which they name.
_EDITORS = frozenset(
    ["write", "edit", "multiedit", "write_file", "replace", "create_file", "str_replace", "search_replace", "edit_file"]
)
_ORDERS = frozenset(verb for verbs in VERBS.values() for verb in verbs)
_ASKS = re.compile(
    r"^(?:ok(?:ay)?,? |so |now |hey,? |and |then )*(?:please|can you|could you|would you|i want|i need|we need|we want|"
    r"i'd like|"
    r"let's (?:add|fix|build|make|write|start|implement)|bitte|kannst du|peux-tu|il faut|puedes|necesito)\b",
    re.IGNORECASE,
)
# A command that may be a check, and one that may write: only these are worth a closer look.
_CHECK_WORDS = split_phrases(
    "test|spec|check|lint|mypy|tsc|pyright|ruff|eslint|flake8|build|cargo|go |make|tox|nox|jest|mocha|gradle|mvn|"
    "clippy|verify|compile|prettier|./do|playwright|phpunit|bazel|dotnet|swift|mix |package|assemble| ci|"
    "e2e|fmt|format|style|ava"
)
_WRITE_WORDS = split_phrases(">|tee|sed |perl |mv|cp|rm|touch|patch|git |ln |truncate|install -|dd")
_WRITES = re.compile(
    r"[^2&]>|^>|\btee\b|\bsed -|\bperl -|\bmv\b|\bcp\b|\brm\b|\btouch\b|patch|\bgit (?:mv|rm|apply|checkout|restore|"
    r"stash|reset)|\bln\b|truncate|install -|\bdd\b"
)
_PARTS = re.compile(r"&&|\|\||[;|\n]")
_SHELL = re.compile(r"^(?:\S*/)?(?:ba|z)?sh -l?i?c (?=\S)")
_COMMAND_LIMIT = 4000


class Episode(Value):
    """What one message of the person set off. `before` is the answer it replies to; the first may have no prompt."""

    prompt: Turn | None
    sentences: tuple[UserSentence, ...] = ()
    wish: str = ""
    before: Turn | None = None
    steps: tuple[ToolStep, ...] = ()
    answers: tuple[Turn, ...] = ()
    tools: tuple[Turn, ...] = ()


def split_episodes(conversation: Conversation) -> list[Episode]:
    """The episodes of a conversation, in order."""
    found: list[Episode] = []
    prompt: Turn | None = None
    before: Turn | None = None
    turns: list[Turn] = []
    for turn in conversation.turns:
        if is_prompt(turn):
            if prompt is not None or turns:
                found.append(_episode(conversation, prompt, before, turns))
                before = _last_answer(turns) or (before if not turns else None)
            # A call that was refused in words is what the words answer to.
            prompt, turns = turn, [turn] if turn.kind is TurnKind.TOOL else []
        else:
            turns.append(turn)
    if prompt is not None or turns:
        found.append(_episode(conversation, prompt, before, turns))
    return found


def _episode(conversation: Conversation, prompt: Turn | None, before: Turn | None, turns: list[Turn]) -> Episode:
    tools = [turn for turn in turns if turn.kind is TurnKind.TOOL]
    spoken = tuple(user_sentences(prompt)) if prompt else ()
    return Episode(
        prompt=prompt,
        sentences=spoken,
        wish=_wish(spoken),
        before=before,
        steps=tuple(_steps(conversation, tools)),
        answers=tuple(turn for turn in turns if turn.kind is TurnKind.ANSWER and not turn.agent and turn.text),
        tools=tuple(tools),
    )


def _wish(spoken: tuple[UserSentence, ...]) -> str:
    """What a prompt asks for: its first sentence that is an order, else the first that only says something."""
    for one in spoken:
        if is_order(one.text):
            return first_sentence(one.text)
    plain = [one for one in spoken if not one.triggers] or list(spoken)
    return first_sentence(plain[0].text) if plain else ""


def is_order(text: str) -> bool:
    """Whether a sentence asks for something to be done."""
    first = strip_fillers(text).split(" ", 1)[0].strip(",.:").lower()
    return first in _ORDERS or _ASKS.match(text) is not None


def _steps(conversation: Conversation, tools: list[Turn]) -> Iterator[ToolStep]:
    for turn in tools:
        step = _step(conversation, turn)
        if step is not None:
            yield step


def _step(conversation: Conversation, turn: Turn) -> ToolStep | None:
    name = turn.tool.lower()
    if not turn.failed and name in _LOOKS:
        return None
    if not turn.failed and name in _EDITORS and (path := _path_in_workspace(conversation.workspace, turn.input)):
        return ToolStep(tool=turn.tool, kind="edit", at=turn.ts, event=turn.id, files=(path,))
    command = command_of(turn.input)
    if command and not _may_write(command[:_COMMAND_LIMIT]):
        return _command_step(conversation, turn, command)
    given = {name: _shorten_value(value) for name, value in turn.input.items()} if turn.input is not NOTHING else {}
    data = {"tool": turn.tool, "input": given, "output": turn.output}
    event = "tool_failed" if turn.failed else "after_tool"
    return step_of(data, event, turn.id, turn.ts, conversation.workspace, conversation.client)


def _may_write(command: str) -> bool:
    """Whether a command may write a file; plain searches first, for most do not."""
    return any(word in command for word in _WRITE_WORDS) and _WRITES.search(command) is not None


def _command_step(conversation: Conversation, turn: Turn, command: str) -> ToolStep:
    """The step of a command that changes no file: whether it was a check, and how it went."""
    short = command[:_COMMAND_LIMIT]
    telling = any(word in short for word in _CHECK_WORDS)
    check = (
        next(filter(None, map(check_kind, map(str.strip, _PARTS.split(_SHELL.sub("", short))))), "") if telling else ""
    )
    failed = turn.failed or reports_failure(turn.output, check, conversation.client, command)
    return ToolStep(
        tool=turn.tool,
        kind="check" if check else "run",
        at=turn.ts,
        event=turn.id,
        command=_SHELL.sub("", command)[:LONGEST_COMMAND],
        check=check,
        failed=failed,
        output=turn.output[-LONGEST_OUTPUT:] if check or failed else "",
    )


def _path_in_workspace(workspace: str, given: Mapping[str, Any]) -> str:
    """The path below the workspace that an editor's call names; nothing when that needs a closer look."""
    path = next((given[key] for key in ("file_path", "filePath", "path") if isinstance(given.get(key), str)), "")
    bare = path.removeprefix(f"{workspace}/") if workspace else path
    plain = (
        bare
        and not bare.startswith(("/", "~", ".holdfast/"))
        and ".." not in bare
        and "\\" not in bare
        and "./" not in bare
    )
    return bare if plain and "command" not in given else ""


def _shorten_value(value: object) -> object:
    """A value as far as it can tell what a step did: the insides of a file do not, a patch names its files."""
    if isinstance(value, str) and len(value) > _COMMAND_LIMIT and "*** " not in value[:200]:
        return value[:_COMMAND_LIMIT]
    return value


def _last_answer(turns: list[Turn]) -> Turn | None:
    return next(
        (turn for turn in reversed(turns) if turn.kind is TurnKind.ANSWER and not turn.agent and turn.text), None
    )
