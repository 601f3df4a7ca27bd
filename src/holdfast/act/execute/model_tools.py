"""The tools a model may call, and the check of what it gives them: what is wrong is said so that it can do better."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from holdfast.act.execute.run_command import MOST_SECONDS, SECONDS
from holdfast.act.execute.workspace_files import MOST_LINES
from holdfast.core.errors import BadRequest
from holdfast.core.model import Tool, ToolCall

LONGEST_TEXT = 8 * 1024 * 1024
_PATH = {"type": "string", "description": "A path from the workspace's root, such as src/app.py."}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "boolean": (bool,), "array": (list, tuple)
}  # fmt: skip


_MAY_BE_EMPTY = frozenset(("content", "new_string", "glob"))


class BadCall(BadRequest):
    """A call that does not fit its tool."""

    def __init__(self, tool: str, why: str) -> None:
        super().__init__(f"The call of {tool!r} cannot be carried out: {why}.", "correct the arguments and call again.")


def _tool(name: str, description: str, required: tuple[str, ...], **fields: Mapping[str, Any]) -> Tool:
    schema = {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}
    return Tool(name=name, description=description, schema=schema)


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _flag(description: str) -> dict[str, Any]:
    return {"type": "boolean", "description": description}


def _number(description: str, least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "description": description, "minimum": least, "maximum": most}


READ = _tool(
    "read", "Read a text file. Lines come with their numbers and a tab; those are not part of the file.", ("path",),
    path=_PATH,
    offset=_number("The first line to read; 1 is the first.", 1, 10_000_000),
    limit=_number(f"How many lines, at most {MOST_LINES}.", 1, MOST_LINES),
)  # fmt: skip
LIST = _tool(
    "list", "List a folder. Folders end in /, links in @.", (),
    path=_text("A folder; the workspace's root if left out."),
    depth=_number("How many levels deep; 1 if left out.", 1, 6),
)  # fmt: skip
GREP = _tool(
    "grep", "Search text files for a regular expression. What git ignores is left out.", ("pattern",),
    pattern=_text("A regular expression, tried on each line."),
    path=_text("A file or folder; the whole workspace if left out."),
    glob=_text("Only files whose path or name matches, such as *.py."),
    ignore_case=_flag("Upper and lower case are alike."),
)  # fmt: skip
EDIT = _tool(
    "edit",
    "Replace a piece of a file. old_string must be in the file exactly once, to the last space; give enough lines "
    "around it.",
    ("path", "old_string", "new_string"),
    path=_PATH,
    old_string=_text("The text as it is now, without line numbers."),
    new_string=_text("The text to put in its place."),
    replace_all=_flag("Replace it wherever it is."),
)  # fmt: skip
WRITE = _tool(
    "write", "Write a whole file, new or in the place of one. Folders are made. Prefer edit for small changes.",
    ("path", "content"),
    path=_PATH, content=_text("All of the file's text."), executable=_flag("Whether it may be run as a program."),
)  # fmt: skip
PATCH = _tool(
    "patch",
    "Change several files at once, all or none: a unified diff, or the form that starts with '*** Begin Patch'. It can "
    "add, change, delete and move files.",
    ("patch",),
    patch=_text("The patch."),
)
RUN = _tool(
    "run",
    "Run a command in the workspace and get its output and status. Give either command (run by /bin/sh) or argv. "
    "Nobody can type into it. What it leaves running is ended.",
    (),
    command=_text("A shell command line."),
    argv={"type": "array", "items": {"type": "string"}, "description": "A program and its arguments, without a shell."},
    cwd=_text("A folder of the workspace to run it in; the root if left out."),
    timeout=_number(f"Seconds until it is ended; {SECONDS} if left out.", 1, MOST_SECONDS),
)  # fmt: skip
MEMORY = _tool(
    "memory", "Ask the project's memory: decisions, rejected options, failures, learnings.", ("query",),
    query=_text("What you want to know."),
)  # fmt: skip

TOOLS = (READ, LIST, GREP, EDIT, WRITE, PATCH, RUN, MEMORY)


def check_arguments(call: ToolCall, tools: Mapping[str, Tool]) -> dict[str, Any]:
    """A call's arguments, fit for its tool. Raises BadCall."""
    tool = tools.get(call.name)
    if tool is None:
        raise BadCall(call.name[:60], f"there is no such tool; there are {', '.join(sorted(tools))}")
    if call.broken:
        raise BadCall(tool.name, f"its arguments are no JSON object: {call.broken[:200]!r}")
    if not isinstance(call.arguments, Mapping):
        raise BadCall(tool.name, "its arguments are no JSON object")
    fields: Mapping[str, Any] = tool.schema["properties"]
    for name in call.arguments:
        if name not in fields:
            near = get_close_matches(str(name), fields, 1)
            more = f"; did you mean {near[0]!r}?" if near else f"; it takes {', '.join(fields)}"
            raise BadCall(tool.name, f"it takes no {str(name)[:60]!r}{more}")
    for name in tool.schema["required"]:
        if name not in call.arguments:
            raise BadCall(tool.name, f"{name!r} is missing")
    # A model may say null for what it leaves out.
    given = {
        name: value for name, value in call.arguments.items() if value is not None or name in tool.schema["required"]
    }
    for name, value in given.items():
        _check_value(tool.name, name, value, fields[name])
    if tool is RUN and ("command" in given) == ("argv" in given):
        raise BadCall(tool.name, "give either command or argv")
    return given


def _check_value(tool: str, name: str, value: object, schema: Mapping[str, Any]) -> None:
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        raise BadCall(tool, f"{name!r} must be of type {kind}, not {type(value).__name__}")
    if kind == "integer" and isinstance(value, int) and not schema["minimum"] <= value <= schema["maximum"]:
        raise BadCall(tool, f"{name!r} must be from {schema['minimum']} to {schema['maximum']}")
    if kind == "array" and isinstance(value, list | tuple):
        if not value or not all(isinstance(each, str) and "\0" not in each and _is_whole(each) for each in value):
            raise BadCall(tool, f"{name!r} must be a list of texts, with at least one")
    elif isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise BadCall(tool, f"{name!r} has {len(value)} characters; at most {LONGEST_TEXT} are taken")
        if not value and name not in _MAY_BE_EMPTY:
            raise BadCall(tool, f"{name!r} is empty")
        if not _is_whole(value):
            raise BadCall(tool, f"{name!r} holds half of a character")
        if name in {"command", "path", "cwd"} and "\0" in value:
            raise BadCall(tool, f"{name!r} holds a NUL")


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
