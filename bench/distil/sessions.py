"""Real sessions of people at work, read as Holdfast reads them: harvested into a workspace, one per project."""

import os
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import zstandard

from holdfast.app import build_app
from holdfast.core.conversation import Conversation
from holdfast.core.event import JournalRecord
from holdfast.core.value import Value
from holdfast.records.build_conversation import build_conversation

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(ROOT, "..", "shared", "sessions")
# Which archives hold a project's sessions, and where the client keeps such files.
ARCHIVES = {
    "git-sync": {
        "git-sync.tar.zst": ".claude/projects/-home-dev-git-sync",
        "git-sync-codex.tar.zst": ".codex/sessions/2026/05/01",
    },
    "specstory": {"specstory.tar.zst": ".claude/projects/-home-dev-specstory"},
}


class Project(Value):
    """A project, its workspace, and its sessions in the order they began."""

    name: str
    workspace: str
    sessions: tuple[Conversation, ...]


def read_projects(folder: Path, shared: str = SHARED) -> Iterator[Project]:
    """Every project; its workspace is made below a folder, or read again where it is there already."""
    home = folder / "home"
    os.environ |= {"HOME": str(home), "HOLDFAST_HOME": str(home / ".holdfast")}
    os.environ |= {"HOLDFAST_DISTIL_AUTO": "false", "HOLDFAST_EMBED_AUTO": "false"}
    for name, archives in ARCHIVES.items():
        workspace = folder / name
        if not workspace.is_dir():
            for archive, place in archives.items():
                unpack(Path(shared, archive), home / place)
            workspace.mkdir(parents=True)
            _run(workspace, "init", "--yes", "--client", "none")
            _run(workspace, "harvest", "--project", f"/home/dev/{name}")
        yield Project(name=name, workspace=str(workspace), sessions=tuple(_read_sessions(str(workspace))))


def unpack(archive: Path, place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with (
        archive.open("rb") as packed,
        zstandard.ZstdDecompressor().stream_reader(packed) as whole,
        tarfile.open(fileobj=whole, mode="r|") as members,
    ):
        for member in members:
            held = members.extractfile(member)
            if held is not None:
                (place / os.path.basename(member.name)).write_bytes(held.read())


def _run(workspace: Path, *words: str) -> None:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    subprocess.run([holdfast, *words], cwd=workspace, check=True, stdout=subprocess.DEVNULL)


def _read_sessions(workspace: str) -> list[Conversation]:
    events: dict[str, list[JournalRecord]] = defaultdict(list)
    for record in build_app(workspace).journal.read():
        if record.kind == "event" and record.data.get("session"):
            session, parent = str(record.data["session"]), _parent(record)
            events[session].append(record)
            if parent and parent != session:
                events[parent].append(record)
    found = [
        build_conversation(records, session, workspace)
        for session, records in events.items()
        if not all(_parent(record) for record in records if record.data.get("session") == session)
    ]
    return sorted(found, key=lambda talk: min((turn.ts for turn in talk.turns if turn.ts), default=""))


def _parent(record: JournalRecord) -> str:
    data = record.data.get("data")
    extra = data.get("extra") if isinstance(data, dict) else None
    return str(extra.get("parent") or "") if isinstance(extra, dict) else ""
