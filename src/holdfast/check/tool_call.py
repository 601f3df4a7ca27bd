"""A tool call before it runs → the files as they are to be, and the packages that it installs."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.check.file_change import ProposedFile
from holdfast.check.install_commands import find_installs
from holdfast.check.package_names import NamedPackage
from holdfast.check.touched_paths import PATCH, PATH_FIELDS, SCRIPT_FIELDS
from holdfast.guard.shell import ShellCommand, name_of, parse_pipelines

WHOLE = ("content", "contents", "file_text", "new_source")
NEW = ("new_string", "new_str", "newString", "code_edit")
OLD = ("old_string", "old_str", "oldString")
PATCHES = ("input", "patch", "patchText", "command", "cmd")
MOST_FILES = 40
LONGEST = 2_000_000

# The text of a file of the workspace; None where there is none that can be read.
Read = Callable[[str], str | None]


def find_scripts(given: object) -> list[str]:
    """The command lines of a tool's input; Codex gives them as words."""
    if isinstance(given, str):
        return [given]
    found: list[str] = []
    for field in SCRIPT_FIELDS:
        held = given.get(field) if isinstance(given, Mapping) else None
        if isinstance(held, str):
            found.append(held)
        elif isinstance(held, list):
            words = [str(word) for word in held]
            found.append(words[2] if len(words) > 2 and words[1] in {"-c", "-lc"} else " ".join(words))
    return found


def find_call_installs(given: object) -> tuple[NamedPackage, ...]:
    """The packages that a call installs."""
    return tuple(
        named for script in find_scripts(given) if PATCH not in script for named in find_installs(script[:20_000])
    )


def find_written_files(given: object, cwd: str, workspace: str, read: Read) -> tuple[ProposedFile, ...]:
    """The files that a call writes, as they will be."""
    texts: dict[str, str | None] = {}
    for name, edit in _edits(given):
        path = _path_in_workspace(name, cwd, workspace)
        if not path or len(texts) >= MOST_FILES:
            continue
        before = texts[path] if path in texts else read(path)
        after = edit(before)
        if after is not None and len(after) <= LONGEST:
            texts[path] = after
    return tuple(_change(path, after, read(path)) for path, after in texts.items() if after is not None)


Edit = Callable[[str | None], str | None]


def _edits(given: object) -> Iterator[tuple[str, Edit]]:
    """Each file that is named, with what turns its text into the next."""
    for text in _patches(given):
        yield from _edits_in_patch(text)
    for script in find_scripts(given):
        if PATCH not in script and "\0" not in script:
            yield from _edits_in_shell(script[:200_000])
    if isinstance(given, Mapping):
        yield from _edits_in_fields(given, "")


def _edits_in_fields(given: Mapping[str, Any], above: str) -> Iterator[tuple[str, Edit]]:
    path = next((held for field in PATH_FIELDS if isinstance(held := given.get(field), str)), above)
    whole = next((held for field in WHOLE if isinstance(held := given.get(field), str)), None)
    new = next((held for field in NEW if isinstance(held := given.get(field), str)), None)
    old = next((held for field in OLD if isinstance(held := given.get(field), str)), "")
    if path and whole is not None:
        yield path, _replace_all(whole)
    elif path and new is not None:
        yield path, _replace_piece(old, new, every=bool(given.get("replace_all")))
    for field in ("edits", "files", "changes"):
        inner = given.get(field)
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, Mapping):
                yield from _edits_in_fields(each, path)


def _replace_all(whole: str) -> Edit:
    return lambda _: whole


def _replace_piece(old: str, new: str, *, every: bool = False) -> Edit:
    """A piece put in the place of another; where that is not found, the new piece is looked at by itself."""

    def edit(text: str | None) -> str | None:
        if text is None or not old:
            return new if text is None else f"{text}\n{new}"
        return text.replace(old, new, -1 if every else 1) if old in text else None

    return edit


def _patches(given: object) -> Iterator[str]:
    if isinstance(given, str) and PATCH in given:
        yield given
    for field in PATCHES:
        held = given.get(field) if isinstance(given, Mapping) else None
        for text in held if isinstance(held, list) else [held]:
            if isinstance(text, str) and PATCH in text:
                yield text


def _edits_in_patch(patch: str) -> Iterator[tuple[str, Edit]]:
    """The files of Codex's patch form; each hunk is the piece that goes and the piece that comes."""
    path, adding = "", False
    old: list[str] = []
    new: list[str] = []
    for line in [*patch.splitlines(), "*** End Patch"]:
        if line.startswith(("*** ", "@@")):
            if path and new:
                yield (
                    path,
                    _replace_all("\n".join(new) + "\n") if adding else _replace_piece("\n".join(old), "\n".join(new)),
                )
            old, new = [], []
        if line.startswith(("*** Add File: ", "*** Update File: ")):
            path, adding = line.partition(": ")[2].strip(), line.startswith("*** Add")
        elif line.startswith(("*** Delete File: ", "*** End Patch")):
            path = ""
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith(" ") or not line:
            old.append(line[1:])
            new.append(line[1:])


def _edits_in_shell(script: str) -> Iterator[tuple[str, Edit]]:
    """What a shell writes with `cat > file <<EOF`, `tee file` and `echo … >> file`."""
    for pipeline in parse_pipelines(script):
        for command in pipeline:
            text = _printed_text(command)
            for operator, target in command.redirects if text else ():
                if operator in {">", ">>", ">|"}:
                    yield target, _replace_all(text) if operator != ">>" else _append_piece(text)
            if text and command.words and name_of(command.words[0]) == "tee":
                targets = [word for word in command.words[1:] if not word.startswith("-")]
                adds = {"-a", "--append"}.intersection(command.words)
                yield from ((target, _append_piece(text) if adds else _replace_all(text)) for target in targets)


def _printed_text(command: ShellCommand) -> str:
    program = name_of(command.words[0]) if command.words else ""
    if program in {"cat", "tee"} and command.fed:
        return command.fed + "\n"
    if program in {"echo", "printf"}:
        words = [word for word in command.words[1:] if word not in {"-e", "-n"}]
        return " ".join(words).replace("\\n", "\n") + ("\n" if program == "echo" else "")
    return ""


def _append_piece(text: str) -> Edit:
    return lambda before: (before or "") + ("" if not before or before.endswith("\n") else "\n") + text


def _path_in_workspace(name: str, cwd: str, workspace: str) -> str:
    if not name or "\0" in name or len(name) > 4096 or name[0] in "$~":
        return ""
    inside = os.path.relpath(os.path.normpath(os.path.join(cwd, name)), workspace).replace(os.sep, "/")
    return "" if inside in {".", ".."} or inside.startswith("../") else inside


def _change(path: str, after: str, before: str | None) -> ProposedFile:
    """A file that is to be; its new lines are those that did not stand in it before."""
    had = Counter((before or "").split("\n"))
    added: set[int] = set()
    for number, line in enumerate(after.split("\n"), start=1):
        if had[line]:
            had[line] -= 1
        else:
            added.add(number)
    return ProposedFile(path=path, after=after, before=before, added=frozenset(added), new=before is None)
