"""An entry as text for an editor, and back: what the user changed is changed in the file, and nothing else."""

import os

from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.ids import ulid
from holdfast.core.memory import Entry, Memory
from holdfast.core.value import as_dict
from holdfast.index.entries import is_candidate
from holdfast.review.remember import change_entry
from holdfast.system.safe_write import put_file
from holdfast.trust.presence import prove_person
from holdfast.vault.parse_memory import parse
from holdfast.vault.render_memory import render
from holdfast.workspace import App


class BadEdit(BadRequest):
    """An edit that cannot be read back; the user's words are kept beside."""

    def __init__(self, memory_id: str, reason: str, kept: str) -> None:
        super().__init__(
            f"The edit of {memory_id!r} was not taken: {reason}.", f"nothing was changed; your text is kept in '{kept}'"
        )


def open_text(app: App, entry: Entry) -> str:
    """An entry as a person edits it."""
    if not is_candidate(entry):
        prove_person(app, f"edit {entry.memory.id}")
    return render(entry.memory)


def save_text(app: App, entry: Entry, text: str, *, as_is: bool = False) -> Entry:
    """Take an edited text: the fields that differ are changed in the file; `as_is` as in a draft."""
    if text == render(entry.memory):
        return entry
    file = parse(text.encode("utf-8", "surrogateescape"), path="the edited text", scope=entry.scope)
    reason = _describe_errors(
        entry, [problem.reason for problem in file.problems], [found.memory for found in file.entries]
    )
    if reason:
        raise BadEdit(entry.memory.id, reason, _keep_text(app, entry, text))
    fields = as_dict(file.entries[0].memory)
    try:
        given = {name: value for name, value in fields.items() if name != "updated"}
        return change_entry(app, entry, given, as_is=as_is)
    except HoldfastError as error:
        error.hint = f"{error.hint.rstrip('.')}; your text is kept in '{_keep_text(app, entry, text)}'"
        raise


def _describe_errors(entry: Entry, problems: list[str], found: list[Memory]) -> str:
    if problems:
        return problems[0]
    if len(found) != 1:
        return f"it holds {len(found)} entries instead of one"
    if found[0].id != entry.memory.id:
        return f"its id became {found[0].id!r}"
    return ""


def _keep_text(app: App, entry: Entry, text: str) -> str:
    path = os.path.join(app.folder, "state", "edits", f"{entry.memory.id}-{ulid()}.md")
    put_file(path, text.encode("utf-8", "surrogateescape"))
    return path
