"""Which paths a tool call is about to touch: those it is given, those of a patch, those a command names."""

import os
from collections.abc import Iterable, Iterator, Mapping

from holdfast.core.word_lists import word_set
from holdfast.guard.shell import name_of, parse_pipelines

PATH_FIELDS = (
    "file_path", "path", "notebook_path", "filePath", "absolute_path", "dir_path", "file", "paths", "files",
    "target_file", "relative_workspace_path",
)  # fmt: skip
SCRIPT_FIELDS = ("command", "cmd", "command_line", "script")
INNER_FIELDS = ("edits", "files", "changes")
PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
PATCH = "*** Begin Patch"
# What these are given is no path, or is only looked at: a folder that one of them names is not changed below it.
SAYING = word_set("echo printf cd pushd export alias which type man kill sleep")
READING = word_set("ls cat head tail less more wc tree du stat file grep egrep fgrep rg ag fd bat diff test [ pwd")
MOST = 40
LONGEST = 1024
LONGEST_PROSE = 4000


def find_touched_paths(given: object, cwd: str, workspace: str) -> tuple[str, ...]:
    """The paths of the workspace that a tool's input names, from its root, each once; without the root itself.

    A folder ends in `/` where a command may change what is below it.
    """
    found: dict[str, None] = {}
    for name in _find_given_paths(given, cwd):
        inside = _relative_to_workspace(name, cwd, workspace)
        if inside:
            found[inside] = None
        if len(found) >= MOST:
            break
    return tuple(found)


def find_prose_paths(text: str, cwd: str, workspace: str) -> tuple[str, ...]:
    """The paths of the workspace that somebody's words name: with a slash in them, or the name of a file there."""
    words = (_strip_word(word.strip("`'\"“”‘’()[]{},;:!?*")) for word in text[:LONGEST_PROSE].split())
    named = (word.rstrip(".") for word in words if "/" in word or "." in word[1:-1])
    found = (_relative_to_workspace(word, cwd, workspace) for word in named if _is_path(word, os.path.join(cwd, word)))
    return tuple(dict.fromkeys(path for path in found if path))[:MOST]


def _find_given_paths(given: object, cwd: str) -> Iterator[str]:
    if isinstance(given, str):
        yield from _find_in_text(given, cwd)
    if not isinstance(given, Mapping):
        return
    for field in PATH_FIELDS:
        yield from _texts(given.get(field))
    for field in INNER_FIELDS:
        inner = given.get(field)
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, Mapping):
                yield from _find_given_paths(each, cwd)
    for field in (*SCRIPT_FIELDS, "input", "patch", "patchText"):
        for text in _scripts(given.get(field)):
            yield from _find_in_text(text, cwd)


def _find_in_text(text: str, cwd: str) -> Iterator[str]:
    if PATCH in text:
        yield from (
            line[len(start) :].strip() for line in text.splitlines() for start in PATCH_LINES if line.startswith(start)
        )
    else:
        yield from _find_in_command(text, cwd)


def _find_in_command(script: str, cwd: str) -> Iterator[str]:
    """The words of a command that are paths, from where it stands when it comes to them."""
    here = cwd
    for command in (command for pipeline in parse_pipelines(script) for command in pipeline):
        program = name_of(command.words[0]) if command.words else ""
        if program == "cd" and len(command.words) > 1:
            here = os.path.join(here, command.words[1])
        words = command.words[1:] if program not in SAYING else []
        for word in [*words, *(target for _, target in command.redirects)]:
            named = os.path.join(here, _strip_word(word))
            if _is_path(_strip_word(word), named):
                yield f"{named}/" if program not in READING and os.path.isdir(named) else named


def _strip_word(word: str) -> str:
    """A word without what stands around a path: an option before `=`, pytest's `::test`, a `file:line`."""
    if word.startswith("-") and "=" in word:
        word = word.partition("=")[2]
    word = word.partition("::")[0]
    name, _, line = word.rpartition(":")
    return (name if name and line.isdigit() else word).rstrip("/")


def _is_path(word: str, named: str) -> bool:
    if not word or word.startswith("-") or len(word) > LONGEST or "\0" in word or "://" in word or "\n" in word:
        return False
    if word[0] in "$~@" or any(mark in word for mark in "(){}|<>;&"):
        return False
    return "/" in word.strip("/") or os.path.lexists(named)


def _relative_to_workspace(name: str, cwd: str, workspace: str) -> str:
    if not name or "\0" in name or len(name) > LONGEST * 4:
        return ""
    inside = os.path.relpath(os.path.normpath(os.path.join(cwd, name)), workspace).replace(os.sep, "/")
    if inside in {".", ".."} or inside.startswith("../"):
        return ""
    return f"{inside}/" if name.endswith("/") else inside


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else ()


def _scripts(value: object) -> Iterable[str]:
    """A command as text; Codex and others give it as words: a shell's `-c` text, or a program and its arguments."""
    if isinstance(value, str):
        return (value,)
    words = list(_texts(value))
    if len(words) > 2 and words[1] in {"-c", "-lc"}:
        return (words[2],)
    return (" ".join(words),) if words else ()
