"""The people's own page, `memory/overview.md`: the user's words, or somebody else's that the user allowed."""

import os
from datetime import UTC, datetime

from holdfast.domain.memory import Entry, Memory, MemoryType, Scope
from holdfast.index.times import moment
from holdfast.wiring.app import App
from holdfast.wiring.derived import read_derived, write_derived
from holdfast.wiring.reach import for_agents, registered

PAGE = "memory/overview.md"
LARGEST = 64 * 1024


def overview(app: App) -> str:
    """The text of the page, if it may reach agents; else nothing."""
    path = os.path.join(app.folder, PAGE)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with open(fd, "rb") as file:
        changed = os.fstat(fd).st_ctime
        text = file.read(LARGEST)
    return text.decode("utf-8", "replace") if text.strip() and _may_be_told(app, text, changed) else ""


def _may_be_told(app: App, text: bytes, changed: float) -> bool:
    """Whether the page stood so when the user said `allow` (which `init` does not say for it), or is the user's own."""
    known_as = registered(app)
    if known_as is None or not known_as.allowed:
        return False
    allowed_at = moment(known_as.allowed_at) if known_as.allowed_at != known_as.initialised else None
    if allowed_at is not None and datetime.fromtimestamp(changed, UTC) < allowed_at:
        return True
    from hashlib import sha256

    seen = os.path.join(app.home, "cache", f"page-{app.workspace_id}.json")
    now = sha256(text).hexdigest()
    if read_derived(seen).get("sha256") == now:
        return True
    told = _is_users(app, now)
    if told:
        # The user's own page stays theirs when they commit it; without this, git would then seem to have brought it.
        write_derived(seen, {"sha256": now})
    return told


def _is_users(app: App, sha256: str) -> bool:
    """What `reach` says of the file, asked as it is asked of a memory."""
    asked = Memory(id=PAGE, type=MemoryType.LEARNING)
    notices = len(app.notices)
    kept = for_agents(app, [Entry(memory=asked, scope=Scope.WORKSPACE, path=PAGE, line=1, sha256=sha256)])
    del app.notices[notices:]
    return bool(kept)
