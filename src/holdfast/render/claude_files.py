"""Top memories in Claude Code's own memory folder, for sessions that run without our hook."""

import os

from holdfast.clients.client_table import CLAUDE_CODE
from holdfast.clients.install.install_plan import places_for
from holdfast.clients.instruction_files import TOPICS
from holdfast.clients.other_instructions import CLAUDES_INDEX, claude_memory_folder
from holdfast.core.errors import NotFound, Refused
from holdfast.core.home import environment
from holdfast.core.memory import Memory
from holdfast.render import place_block
from holdfast.render.claude_topics import INDEX, MOST, PREFIX, index_block, is_ours, topic, topic_name
from holdfast.render.client_files import Change, Left, Plan, bytes_of, leaving, text_of
from holdfast.system.peek import names_in
from holdfast.workspace import App


class NoClaude(NotFound):
    """Claude Code keeps no memory here."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"Claude Code keeps no memory for this workspace (looked for {folder!r}).",
            "start Claude Code once, with its own memory switched on; `autoMemoryEnabled` and "
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY switch it off.",
        )


class NotOurs(Refused):
    """A topic file of our name that is somebody else's."""

    def __init__(self) -> None:
        super().__init__("it is not ours: it lacks our mark.", "rename it, or take it away.")


def plan_files(app: App, memories: list[Memory], *, removing: bool = False) -> Plan:
    """A file for each of the top memories, a line for each in the index; others of ours go."""
    places = places_for(CLAUDE_CODE, app.home, app.workspace, environment())
    folder = claude_memory_folder(places, environment())
    if not folder or not os.path.isdir(places["client"]):
        if removing:
            return Plan()
        raise NoClaude(folder or places["client"])
    top = [] if removing else memories[:MOST]
    wanted = {topic_name(memory): memory for memory in top}
    standing = [name for name in names_in(folder) if name.startswith(PREFIX) and name.endswith(".md")]
    changes, left = list[Change](), list[Left]()
    for name in sorted({*wanted, *standing}):
        with leaving(name, left):
            if change := _topic(folder, name, wanted.get(name)):
                changes.append(change)
    with leaving(INDEX, left):
        changes += _index(folder, top, removing=removing)
    notes = _notes(folder) if top else ()
    return Plan(changes=tuple(changes), left=tuple(left), targets=(TOPICS,), notes=notes)


def _topic(folder: str, name: str, memory: Memory | None) -> Change | None:
    before = bytes_of(folder, name)
    ours = before is None or is_ours(before.decode("utf-8", "replace"))
    if memory is None:
        if before is None or not ours:
            return None
        return Change(root=folder, name=name, target=TOPICS, before=before, after=None)
    if not ours:
        raise NotOurs
    after = topic(memory).encode("utf-8", "replace")
    return Change(root=folder, name=name, target=TOPICS, before=before, after=after, ids=(memory.id,))


def _index(folder: str, top: list[Memory], *, removing: bool) -> list[Change]:
    before = bytes_of(folder, INDEX)
    if before is None and removing:
        return []
    text = "" if before is None else text_of(before)
    changed = place_block.take(text) if removing else place_block.put(text, index_block(top))
    after = changed.encode() if changed or not removing else None
    ids = tuple(memory.id for memory in top)
    change = Change(root=folder, name=INDEX, target=TOPICS, before=before, after=after, ids=ids)
    return [change] if change.news or not removing else []


def _notes(folder: str) -> tuple[str, ...]:
    before = bytes_of(folder, INDEX) or b""
    lines, characters = CLAUDES_INDEX
    if before.count(b"\n") + MOST > lines or len(before) > characters:
        return (f"Claude Code reads only {lines} lines and {characters:,} characters of {INDEX}; ours stand last.",)
    return ()
