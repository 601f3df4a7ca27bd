"""Top memories in Claude Code's own memory folder, for sessions that run without our hook."""

import os

from holdfast.clients.client_table import CLAUDE_CODE
from holdfast.clients.install.install_plan import find_client_places
from holdfast.clients.instruction_files import TOPICS
from holdfast.clients.other_instructions import CLAUDES_INDEX, find_claude_memory_folder
from holdfast.core.errors import NotFound, Refused
from holdfast.core.home import read_environment
from holdfast.core.memory import Memory
from holdfast.render import place_block
from holdfast.render.claude_topics import INDEX, MOST, PREFIX, has_our_mark, render_index, render_topic, topic_name
from holdfast.render.client_files import (
    ClientFileChange,
    RenderPlan,
    SkipOnFailure,
    SkippedClientFile,
    bytes_of,
    text_of,
)
from holdfast.system.peek import list_names
from holdfast.workspace import App


class NoClaudeMemory(NotFound):
    """Claude Code keeps no memory here."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"Claude Code keeps no memory for this workspace (looked for {folder!r}).",
            "start Claude Code once, with its own memory switched on; `autoMemoryEnabled` and "
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY switch it off.",
        )


class ForeignTopicFile(Refused):
    """A topic file of our name that is somebody else's."""

    def __init__(self) -> None:
        super().__init__("it is not ours: it lacks our mark.", "rename it, or take it away.")


def plan_files(app: App, memories: list[Memory], *, removing: bool = False) -> RenderPlan:
    """A file for each of the top memories, a line for each in the index; others of ours go."""
    places = find_client_places(CLAUDE_CODE, app.home, app.workspace, read_environment())
    folder = find_claude_memory_folder(places, read_environment())
    if not folder or not os.path.isdir(places["client"]):
        if removing:
            return RenderPlan()
        raise NoClaudeMemory(folder or places["client"])
    top = [] if removing else memories[:MOST]
    wanted = {topic_name(memory): memory for memory in top}
    standing = [name for name in list_names(folder) if name.startswith(PREFIX) and name.endswith(".md")]
    changes, left = list[ClientFileChange](), list[SkippedClientFile]()
    for name in sorted({*wanted, *standing}):
        with SkipOnFailure(name, left):
            if change := _topic(folder, name, wanted.get(name)):
                changes.append(change)
    with SkipOnFailure(INDEX, left):
        changes += _index(folder, top, removing=removing)
    notes = _notes(folder) if top else ()
    return RenderPlan(changes=tuple(changes), left=tuple(left), targets=(TOPICS,), notes=notes)


def _topic(folder: str, name: str, memory: Memory | None) -> ClientFileChange | None:
    before = bytes_of(folder, name)
    ours = before is None or has_our_mark(before.decode("utf-8", "replace"))
    if memory is None:
        if before is None or not ours:
            return None
        return ClientFileChange(root=folder, name=name, target=TOPICS, before=before, after=None)
    if not ours:
        raise ForeignTopicFile
    after = render_topic(memory).encode("utf-8", "replace")
    return ClientFileChange(root=folder, name=name, target=TOPICS, before=before, after=after, ids=(memory.id,))


def _index(folder: str, top: list[Memory], *, removing: bool) -> list[ClientFileChange]:
    before = bytes_of(folder, INDEX)
    if before is None and removing:
        return []
    text = "" if before is None else text_of(before)
    changed = place_block.remove_block(text) if removing else place_block.put_block(text, render_index(top))
    after = changed.encode() if changed or not removing else None
    ids = tuple(memory.id for memory in top)
    change = ClientFileChange(root=folder, name=INDEX, target=TOPICS, before=before, after=after, ids=ids)
    return [change] if change.changes or not removing else []


def _notes(folder: str) -> tuple[str, ...]:
    before = bytes_of(folder, INDEX) or b""
    lines, characters = CLAUDES_INDEX
    if before.count(b"\n") + MOST > lines or len(before) > characters:
        return (f"Claude Code reads only {lines} lines and {characters:,} characters of {INDEX}; ours stand last.",)
    return ()
