"""Where clients keep their sessions, and which session each file holds: looked at, bounded, never written."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from holdfast.harvest.transcript_lines import open_file

PEEK = 256 * 1024
LARGEST_NOTE = 64 * 1024
# So many transcripts are asked for their folder where one names none.
MOST_BESIDE = 50
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_TIME = re.compile(rb'"(?:timestamp|startTime)"\s*:\s*"([0-9T:.Z+-]{10,40})"')
_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_PARENT = re.compile(rb'"parent_thread_id"\s*:\s*"([^"\\]{1,200})"')
_KIND = re.compile(rb'"kind"\s*:\s*"subagent"')
_NO_FOLDER = "it does not say in which folder it ran"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

Inside = Callable[[str], str]


class FoundTranscript(NamedTuple):
    """A transcript: whose, of which session, where that ran, and its first and last times; `parent` as hooks say it."""

    client: str
    path: str
    session: str
    workspace: str
    cwd: str
    size: int
    changed: float
    inode: int
    since: str = ""
    until: str = ""
    agent: str = ""
    agent_type: str = ""
    parent: str = ""


def find_claude(folder: str, slugs: Mapping[str, str], inside: Inside) -> Iterator[FoundTranscript]:
    """Claude Code's transcripts of folders whose slugs begin like one of these, and of their subagents.

    `slugs` maps each slug to its folder: where a transcript does not say where it ran, the name of its folder does.
    """
    projects = os.path.join(folder, "projects")
    for name in list_names(projects):
        if any(
            name == slug or name.startswith(f"{slug}-") or (len(slug) >= 200 and name.startswith(slug))
            for slug in slugs
        ):
            project = os.path.join(projects, name)
            yield from _claude_project(project, _SlugFolder(inside, slugs.get(name, ""), project))


class _SlugFolder(NamedTuple):
    """Who looks for a transcript's workspace, and which folder its place stands for if it names none itself."""

    inside: Inside
    folder: str = ""
    path: str = ""

    def guess_cwd(self) -> str:
        """The folder that a slug is made of; nothing where a transcript beside it ran in another of the same slug."""
        named = (_find_cwd(_ends(os.path.join(self.path, name))[0]) for name in list_names(self.path)[:MOST_BESIDE])
        own = self.inside(self.folder) if self.folder else ""
        return self.folder if own and all(self.inside(cwd) == own for cwd in named if cwd) else ""


def _claude_project(project: str, place: _SlugFolder) -> Iterator[FoundTranscript]:
    for name in list_names(project):
        path = os.path.join(project, name)
        if name.endswith(".jsonl") and not name.startswith("agent-"):
            yield from _peek_transcript("claude-code", path, name.removesuffix(".jsonl"), place)
        elif name.startswith("agent-") and name.endswith(".jsonl"):
            yield from _claude_agent(path, "", place)
        elif os.path.isdir(os.path.join(path, "subagents")) and not os.path.islink(path):
            for parent, folders, names in os.walk(os.path.join(path, "subagents")):
                folders.sort()
                for agent in sorted(names):
                    if agent.startswith("agent-") and agent.endswith(".jsonl"):
                        yield from _claude_agent(os.path.join(parent, agent), name, place)


def _claude_agent(path: str, session: str, place: _SlugFolder) -> Iterator[FoundTranscript]:
    agent = os.path.basename(path).removeprefix("agent-").removesuffix(".jsonl")
    kind = _note(path.removesuffix(".jsonl") + ".meta.json").get("agentType")
    for found in _peek_transcript("claude-code", path, session, place):
        about = kind if isinstance(kind, str) else ""
        yield found._replace(agent=agent, agent_type=about) if found.workspace else found


def find_codex(folder: str, inside: Inside) -> Iterator[FoundTranscript]:
    """Codex's rollouts, also the archived ones. Those it compressed are only counted."""
    packed = 0
    for top in ("sessions", "archived_sessions"):
        for parent, folders, names in os.walk(os.path.join(folder, top)):
            folders.sort()
            for name in sorted(names):
                packed += name.startswith("rollout-") and name.endswith(".jsonl.zst")
                if name.startswith("rollout-") and name.endswith(".jsonl"):
                    session = _UUID.findall(name)
                    yield from _peek_transcript(
                        "codex", os.path.join(parent, name), session[-1] if session else "", _SlugFolder(inside)
                    )
    if packed:
        yield unread_transcript(
            "codex", os.path.join(folder, "sessions"), f"{packed} compressed; unpack them with `zstd -d`"
        )


def unread_transcript(client: str, path: str, why: str) -> FoundTranscript:
    """What cannot be read: it belongs to no workspace, and says why."""
    return FoundTranscript(client, path, "", "", "", 0, 0.0, 0, agent_type=why)


def find_gemini(folder: str, inside: Inside, workspaces: tuple[str, ...]) -> Iterator[FoundTranscript]:
    """Gemini CLI's chats: the folder of a project is named in a list, or after the hash of its path."""
    for name, cwd in _gemini_projects(folder, inside, workspaces).items():
        chats = os.path.join(folder, "tmp", name, "chats")
        for chat in list_names(chats):
            if chat.startswith("session-") and chat.endswith((".jsonl", ".json")):
                yield from _peek_transcript("gemini", os.path.join(chats, chat), "", _SlugFolder(inside), cwd)


def _gemini_projects(folder: str, inside: Inside, workspaces: tuple[str, ...]) -> dict[str, str]:
    known = _note(os.path.join(folder, "projects.json")).get("projects")
    listed = known.items() if isinstance(known, dict) else ()
    found = {name: path for path, name in listed if isinstance(name, str) and _is_plain_name(name) and inside(path)}
    hashes = {sha256(path.encode("utf-8", "surrogateescape")).hexdigest(): path for path in workspaces}
    return found | hashes


def _is_plain_name(name: str) -> bool:
    return "/" not in name and bool(name.strip("."))


def _peek_transcript(
    client: str, path: str, session: str, place: _SlugFolder, cwd: str = ""
) -> Iterator[FoundTranscript]:
    """A transcript, if it ran in a workspace that is asked for; or that nothing says where it did."""
    head, tail, status = _ends(path)
    if status is None:
        yield unread_transcript(client, path, "it cannot be opened")
        return
    cwd = cwd or _find_cwd(head) or _find_cwd(tail) or place.guess_cwd()
    workspace = place.inside(cwd) if cwd else ""
    if not cwd and _TIME.search(head + tail):
        yield unread_transcript(client, path, _NO_FOLDER)
    if not workspace:
        return
    own, since = _ID.search(head), _TIME.search(head)
    first_line = head.partition(b"\n")[0]
    session = session or (own[1].decode("utf-8", "replace") if own else "")
    below = client == "gemini" and _KIND.search(first_line)
    parent = _PARENT.search(first_line) if client == "codex" else None
    yield FoundTranscript(
        client=client,
        path=path,
        session=session,
        workspace=workspace,
        cwd=cwd,
        size=status.st_size,
        changed=status.st_mtime,
        inode=status.st_ino,
        since=since[1].decode() if since else "",
        until=max((time.decode() for time in _TIME.findall(tail)), default=""),
        agent=session[:8] if below else "",
        parent=parent[1].decode("utf-8", "replace") if parent else "",
    )


def _find_cwd(part: bytes) -> str:
    """The first folder that a part of a transcript names."""
    said = _CWD.search(part)
    return _parse_text(said[1]) if said else ""


def _ends(path: str) -> tuple[bytes, bytes, os.stat_result | None]:
    """The beginning and the end of a file."""
    try:
        with open_file(path) as file:
            head, status = file.read(PEEK), os.fstat(file.fileno())
            file.seek(max(0, status.st_size - LARGEST_NOTE))
            return head, file.read(LARGEST_NOTE), status
    except (OSError, ValueError):
        return b"", b"", None


def _parse_text(text: bytes) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    return found if isinstance(found, str) and "\0" not in found else ""


def _note(path: str) -> Mapping[str, object]:
    try:
        with open_file(path) as file:
            found = json.loads(file.read(LARGEST_NOTE))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def find_session_id(path: str) -> str:
    """The session that a transcript names at its beginning."""
    try:
        with open_file(path) as file:
            own = _ID.search(file.read(LARGEST_NOTE))
    except (OSError, ValueError):
        return ""
    return own[1].decode("utf-8", "replace") if own else ""


def list_names(folder: str) -> list[str]:
    """The names in a folder, in order; none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []
