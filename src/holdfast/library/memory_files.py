"""Memories as files below /memories, for the Claude API's memory tool (`memory_20250818`) and programs like it.

Reading shows memory that may reach agents. Writing never changes memory: a new file is a candidate, an edit of an
accepted memory is a candidate that would supersede it. What was proposed here may be changed here and taken back.
"""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from holdfast.core.errors import Conflict, HoldfastError, NotFound
from holdfast.core.file_names import file_name
from holdfast.core.memory import FOLDERS, Entry, Memory, SaidBy, Status
from holdfast.core.search import Question
from holdfast.core.value import Value, as_dict
from holdfast.index.entries import is_candidate, to_vault_entry
from holdfast.library.memory_file_paths import (
    ROOT,
    ToolCommandRefused,
    find_lines,
    format_size,
    list_parents,
    number_lines,
    place_of,
    text_of,
)
from holdfast.recall.find import list_entries
from holdfast.redact.clean import clean
from holdfast.review.agent_access import list_visible_candidates, open_for_agent, propose_words
from holdfast.review.remember import MemoryDraft, change_entry, journal_entry_change, propose, title_of
from holdfast.vault.parse_memory import parse
from holdfast.vault.render_memory import render
from holdfast.workspace import App, NoWorkspace, PersonOnly

CLIENT = "the Claude API"
PROPOSED = "proposed"
# What a candidate made here says of itself: it is a file with these very words, or an edit of the memory at a path.
FILE, EDIT = "tool_file", "tool_edit"
KINDS = {folder: kind for kind, folder in FOLDERS.items()}
NOT_EDITED = frozenset({"id", "status", "type", "said_by", "updated", "valid_from", "supersedes", "evidence", "extra"})
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
MAY_LACK = ("view_range", "new_str")


class NoSuchToolFile(NotFound):
    """A path where nothing is."""


class ToolPathTaken(Conflict):
    """A path or words that are there already."""


class ToolFile(Value):
    """One file: its path below the root, its text, and the entry behind it."""

    path: str
    text: str
    entry: Entry


class MemoryFiles:
    """The six commands of the memory tool over a workspace's memory. Failures are `HoldfastError`s in its words."""

    def __init__(self, workspace: str | PathLike[str], *, client: str = CLIENT) -> None:
        self._workspace = os.fspath(workspace)
        self._client = client

    def execute(self, command: Mapping[str, Any]) -> str:
        """Carry out one command as the API sends it: `{"command": "view", "path": "/memories"}`."""
        name = command.get("command")
        if not isinstance(name, str) or name not in COMMANDS:
            raise ToolCommandRefused(f"Unknown command: {name}")
        given = {each: command[each] for each in COMMANDS[name] if command.get(each) is not None}
        if missing := [each for each in COMMANDS[name] if each not in given and each not in MAY_LACK]:
            raise ToolCommandRefused(f"The command {name} needs {', '.join(missing)}.")
        return str(getattr(self, name)(**given))

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A directory two levels deep, or a file with line numbers."""
        place, files = self._looked(path)
        shown = path.rstrip("/")
        if place in files:
            lines = number_lines(shown, files[place].text, view_range)
            return f"Here's the content of {shown} with line numbers:\n{lines}"
        inside = _list_inside(files, place)
        if place and not inside:
            raise NoSuchToolFile(f"The path {path} does not exist. Please provide a valid path.")
        rows = [
            (_format_total_size(inside), shown),
            *((size, f"{shown}/{name}") for size, name in _tree(inside, place)),
        ]
        head = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
        return "\n".join([head, *(f"{size}\t{name}" for size, name in rows)])

    def create(self, path: str, file_text: str) -> str:
        """A new file: a candidate with these words."""
        place, files = self._looked(path)
        if not place or place in files or _list_inside(files, place):
            raise ToolPathTaken(f"File {path} already exists")
        if any(each in files for each in list_parents(place)):
            raise ToolCommandRefused(f"The path {path} is inside a file.")
        app = self._opened()
        words = {"body": text_of(file_text), "title": _title(file_text, place), "extra": {FILE: place}}
        entry = propose_words(app, _kind(place), file_text, words)
        if entry.memory.extra.get(FILE) != place:
            raise ToolPathTaken(f"The same words are there already, as {_find_path(app, entry)}: nothing was added.")
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace words that stand in a file once."""
        file = self._file(path)
        found = file.text.count(text_of(old_str)) if old_str else 0
        if found == 0:
            raise ToolCommandRefused(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
            )
        if found > 1:
            raise ToolCommandRefused(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
                f"{', '.join(map(str, find_lines(file.text, old_str)))}. Please ensure it is unique"
            )
        at = file.text.index(old_str)
        new = file.text.replace(old_str, text_of(new_str))
        said = self._write(file, new)
        line = new[:at].count("\n")
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([head, number_lines(path, new, (max(1, line - 1), line + 3)), *said])

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put lines after a line; 0 is the top."""
        file = self._file(path)
        lines = file.text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not isinstance(insert_line, int) or not 0 <= insert_line <= len(lines):
            raise ToolCommandRefused(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, text_of(insert_text).rstrip("\n"))
        new = "\n".join(lines)
        said = self._write(file, new if new.endswith("\n") else f"{new}\n")
        return "\n".join([f"The file {path} has been edited.", *said])

    def delete(self, path: str) -> str:
        """Take back what was proposed here. Memory that a person accepted, a person removes."""
        place, files = self._looked(path)
        if not place:
            raise ToolCommandRefused("Cannot delete the /memories directory itself")
        for file in self._own(path, place, files, "forget"):
            self._withdraw(file)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move what was proposed here. The name of accepted memory is a person's business."""
        place, files = self._looked(old_path)
        target = place_of(new_path)
        if not place:
            raise ToolCommandRefused("Cannot rename the /memories directory itself")
        own = self._own(old_path, place, files, "edit")
        if not target or target in files or _list_inside(files, target):
            raise ToolPathTaken(f"The destination {new_path} already exists")
        if any(each in files for each in list_parents(target)):
            raise ToolCommandRefused(f"The path {new_path} is inside a file.")
        for file in own:
            moved = target + file.path.removeprefix(place)
            change_entry(self._opened(), file.entry, {"extra": {**file.entry.memory.extra, FILE: moved}})
        return f"Successfully renamed {old_path} to {new_path}"

    def _opened(self) -> App:
        app = open_for_agent(self._workspace, self._client)
        if not app.workspace:
            raise NoWorkspace(self._workspace)
        return app

    def _looked(self, path: str) -> tuple[str, dict[str, ToolFile]]:
        """A path below the root, and every file there is."""
        place, app = place_of(path), self._opened()
        try:
            return place, _files(app)
        finally:
            app.close()

    def _file(self, path: str) -> ToolFile:
        place, files = self._looked(path)
        if place in files:
            return files[place]
        if not place or _list_inside(files, place):
            raise ToolCommandRefused(f"The path {path} is not a file.")
        raise NoSuchToolFile(f"The path {path} does not exist. Please provide a valid path.")

    def _own(self, path: str, place: str, files: Mapping[str, ToolFile], verb: str) -> list[ToolFile]:
        """The files at or below a path, all of them proposed here and not decided yet."""
        found = [files[place]] if place in files else _list_inside(files, place)
        if not found:
            raise NoSuchToolFile(f"The path {path} does not exist")
        for file in found:
            if not is_candidate(file.entry):
                raise PersonOnly(f"{verb} {file.entry.memory.id}", self._client)
        return found

    def _write(self, file: ToolFile, text: str) -> list[str]:
        """Change a proposal, or propose a change; what must be said besides the tool's own words."""
        app, memory = self._opened(), file.entry.memory
        cleaned = str(clean(text).value)
        note_of = {"body": cleaned, "title": _title(cleaned, file.path)}
        fields = note_of if FILE in memory.extra else _parse_edit(file, cleaned)
        if is_candidate(file.entry):
            change_entry(app, file.entry, fields)
            return []
        entry = propose(app, _revision(file, fields), said_by=SaidBy.AGENT)
        if not is_candidate(entry):
            raise ToolPathTaken(f"The same words are there already, as {_find_path(app, entry)}: nothing was added.")
        return [f"This is a proposal ({_find_path(app, entry)}): until a person accepts it, the file reads as before."]

    def _withdraw(self, file: ToolFile) -> None:
        app = self._opened()
        app.candidates.remove(to_vault_entry(file.entry))
        journal_entry_change(app, "candidate.withdrawn", file.entry)


def _files(app: App) -> dict[str, ToolFile]:
    """Every file by its path: memory first, so that no proposal takes the place of what a person accepted."""
    files: dict[str, ToolFile] = {}
    folders: set[str] = set()
    own = [entry for entry in list_visible_candidates(app) if {FILE, EDIT} & entry.memory.extra.keys()]
    for entry in [*list_entries(app, Question(text="")), *own]:
        place = _choose_path(entry)
        if place in files or place in folders or any(each in files for each in list_parents(place)):
            place = _fallback(entry)
        folders.update(list_parents(place))
        files.setdefault(place, ToolFile(path=place, text=_render_file(entry.memory), entry=entry))
    return files


def _choose_path(entry: Entry) -> str:
    """The path an entry asks for, if it is one; else the one it has by its id."""
    asked = entry.memory.extra.get(FILE)
    try:
        return place_of(f"{ROOT}/{asked}") if isinstance(asked, str) and asked else _fallback(entry)
    except HoldfastError:
        return _fallback(entry)


def _fallback(entry: Entry) -> str:
    if is_candidate(entry):
        return f"{PROPOSED}/{file_name(entry.memory.id)}"
    return f"{FOLDERS[entry.memory.type]}/{file_name(entry.memory.id, entry.memory.title)}"


def _render_file(memory: Memory) -> str:
    """The text of a file: the agent's own words as they were, or a memory as its file has it."""
    return memory.body if FILE in memory.extra else render(memory)


def _parse_edit(file: ToolFile, text: str) -> dict[str, Any]:
    """The fields of a memory whose file was edited."""
    parsed = parse(text.encode("utf-8", "replace"), path=file.path, scope=file.entry.scope)
    if parsed.problems or len(parsed.entries) != 1:
        reason = parsed.problems[0].reason if parsed.problems else f"it holds {len(parsed.entries)} entries, not one"
        raise ToolCommandRefused(f"The file {ROOT}/{file.path} would not be a memory any more: {reason}.")
    fields = as_dict(parsed.entries[0].memory)
    return {name: value for name, value in fields.items() if name not in NOT_EDITED}


def _revision(file: ToolFile, fields: Mapping[str, Any]) -> MemoryDraft:
    memory = file.entry.memory
    mark = {FILE: file.path} if FILE in memory.extra else {EDIT: file.path}
    given = {name: value for name, value in fields.items() if value not in ("", (), {}, None)}
    return MemoryDraft(
        type=memory.type,
        text=str(fields["body"]) or memory.title,
        fields={**given, "supersedes": (memory.id,), "extra": {**memory.extra, **mark}},
    )


def _find_path(app: App, entry: Entry) -> str:
    """The path of an entry, or its id where it has none."""
    found = next((file.path for file in _files(app).values() if file.entry.memory.id == entry.memory.id), "")
    rejected = ", which the user rejected" if entry.memory.status is Status.REJECTED else ""
    return f"{ROOT}/{found}" if found else f"{entry.memory.id}{rejected}"


def _kind(place: str) -> str:
    """The type of a new memory, by the folder it is put in."""
    return KINDS.get(place.partition("/")[0], "learning")


def _title(text: object, place: str) -> str:
    return title_of(str(text)) or place.rpartition("/")[2].removesuffix(".md")


def _list_inside(files: Mapping[str, ToolFile], folder: str) -> list[ToolFile]:
    """The files below a folder."""
    return [file for path, file in files.items() if not folder or path.startswith(f"{folder}/")]


def _tree(files: Sequence[ToolFile], folder: str) -> list[tuple[str, str]]:
    """What stands in a folder, two levels deep, each with its size."""
    begin = len(folder) + 1 if folder else 0
    rows: dict[str, list[ToolFile]] = {}
    for file in files:
        parts = file.path[begin:].split("/")
        for depth in range(1, min(2, len(parts)) + 1):
            end = "/" if depth < len(parts) else ""
            rows.setdefault("/".join(parts[:depth]) + end, []).append(file)
    return [
        (_format_total_size(rows[name]), name) for name in sorted(rows, key=lambda name: name.rstrip("/").split("/"))
    ]


def _format_total_size(files: Sequence[ToolFile]) -> str:
    return format_size(sum(len(file.text.encode("utf-8", "replace")) for file in files))
