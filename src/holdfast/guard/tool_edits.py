"""A tool call's input → the command lines in it, and the pieces of files that it writes, whichever client made it."""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.value import Value
from holdfast.guard.shell import ShellCommand, name_of, parse_pipelines
from holdfast.guard.touched_paths import PATCH, PATH_FIELDS, SCRIPT_FIELDS

WHOLE = ("content", "contents", "file_text", "new_source")
NEW = ("new_string", "new_str", "newString", "code_edit")
OLD = ("old_string", "old_str", "oldString")
PATCHES = ("input", "patch", "patchText", "command", "cmd")
LONGEST_SCRIPT = 200_000


class FileEdit(Value):
    """What a call puts into one file, which it names as it likes. `old`: the piece that `new` takes the place of.

    `whole`: `new` is all that the file will hold. `appends`: it comes after what the file holds. `every`: it takes the
    place of each such piece.
    """

    path: str
    new: str
    old: str = ""
    whole: bool = False
    appends: bool = False
    every: bool = False


def read_scripts(given: object) -> list[str]:
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


def read_edits(given: object) -> Iterator[FileEdit]:
    """What a call writes into files: by a patch, by a command, by fields of its input."""
    for text in _list_patches(given):
        yield from _read_patch(text)
    for script in read_scripts(given):
        if PATCH not in script and "\0" not in script:
            yield from _read_redirects(script[:LONGEST_SCRIPT])
    if isinstance(given, Mapping):
        yield from _read_fields(given, "")


def apply_edit(edit: FileEdit, before: str | None) -> str | None:
    """A file's text after an edit; None where the piece that it replaces is not in it."""
    if edit.whole:
        return edit.new
    if edit.appends:
        return (before or "") + ("" if not before or before.endswith("\n") else "\n") + edit.new
    if before is None or not edit.old:
        return edit.new if before is None else f"{before}\n{edit.new}"
    return before.replace(edit.old, edit.new, -1 if edit.every else 1) if edit.old in before else None


def _read_fields(given: Mapping[str, Any], above: str) -> Iterator[FileEdit]:
    path = next((held for field in PATH_FIELDS if isinstance(held := given.get(field), str)), above)
    whole = next((held for field in WHOLE if isinstance(held := given.get(field), str)), None)
    new = next((held for field in NEW if isinstance(held := given.get(field), str)), None)
    old = next((held for field in OLD if isinstance(held := given.get(field), str)), "")
    if path and whole is not None:
        yield FileEdit(path=path, new=whole, whole=True)
    elif path and new is not None:
        yield FileEdit(path=path, new=new, old=old, every=bool(given.get("replace_all")))
    for field in ("edits", "files", "changes"):
        inner = given.get(field)
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, Mapping):
                yield from _read_fields(each, path)


def _list_patches(given: object) -> Iterator[str]:
    if isinstance(given, str) and PATCH in given:
        yield given
    for field in PATCHES:
        held = given.get(field) if isinstance(given, Mapping) else None
        for text in held if isinstance(held, list) else [held]:
            if isinstance(text, str) and PATCH in text:
                yield text


def _read_patch(patch: str) -> Iterator[FileEdit]:
    """The files of Codex's patch form; each hunk is the piece that goes and the piece that comes."""
    path, adding = "", False
    old: list[str] = []
    new: list[str] = []
    for line in [*patch.splitlines(), "*** End Patch"]:
        if line.startswith(("*** ", "@@")):
            if path and new and adding:
                yield FileEdit(path=path, new="\n".join(new) + "\n", whole=True)
            elif path and new:
                yield FileEdit(path=path, new="\n".join(new), old="\n".join(old))
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


def _read_redirects(script: str) -> Iterator[FileEdit]:
    """What a shell writes with `cat > file <<EOF`, `tee file` and `echo … >> file`."""
    for pipeline in parse_pipelines(script):
        for command in pipeline:
            text = _printed(command)
            for operator, target in command.redirects if text else ():
                if operator in {">", ">>", ">|"}:
                    yield FileEdit(path=target, new=text, whole=operator != ">>", appends=operator == ">>")
            if text and command.words and name_of(command.words[0]) == "tee":
                adds = bool({"-a", "--append"}.intersection(command.words))
                targets = [word for word in command.words[1:] if not word.startswith("-")]
                yield from (FileEdit(path=target, new=text, whole=not adds, appends=adds) for target in targets)


def _printed(command: ShellCommand) -> str:
    program = name_of(command.words[0]) if command.words else ""
    if program in {"cat", "tee"} and command.fed:
        return command.fed + "\n"
    if program in {"echo", "printf"}:
        words = [word for word in command.words[1:] if word not in {"-e", "-n"}]
        return " ".join(words).replace("\\n", "\n") + ("\n" if program == "echo" else "")
    return ""
