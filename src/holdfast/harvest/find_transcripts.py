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
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_TIME = re.compile(rb'"(?:timestamp|startTime)"\s*:\s*"([0-9T:.Z+-]{10,40})"')
_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_PARENT = re.compile(rb'"parent_thread_id"\s*:\s*"([^"\\]{1,200})"')
_KIND = re.compile(rb'"kind"\s*:\s*"subagent"')
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


def find_claude(folder: str, slugs: tuple[str, ...], inside: Inside) -> Iterator[FoundTranscript]:
    """Claude Code's transcripts of folders whose slugs begin like one of these, and of their subagents."""
    projects = os.path.join(folder, "projects")
    for name in _list_names(projects):
        if any(
            name == slug or name.startswith(f"{slug}-") or (len(slug) >= 200 and name.startswith(slug))
            for slug in slugs
        ):
            yield from _claude_project(os.path.join(projects, name), inside)


def _claude_project(project: str, inside: Inside) -> Iterator[FoundTranscript]:
    for name in _list_names(project):
        path = os.path.join(project, name)
        if name.endswith(".jsonl") and not name.startswith("agent-"):
            yield from _peek_transcript("claude-code", path, name.removesuffix(".jsonl"), inside)
        elif name.startswith("agent-") and name.endswith(".jsonl"):
            yield from _claude_agent(path, "", inside)
        elif os.path.isdir(os.path.join(path, "subagents")) and not os.path.islink(path):
            for parent, folders, names in os.walk(os.path.join(path, "subagents")):
                folders.sort()
                for agent in sorted(names):
                    if agent.startswith("agent-") and agent.endswith(".jsonl"):
                        yield from _claude_agent(os.path.join(parent, agent), name, inside)


def _claude_agent(path: str, session: str, inside: Inside) -> Iterator[FoundTranscript]:
    agent = os.path.basename(path).removeprefix("agent-").removesuffix(".jsonl")
    kind = _note(path.removesuffix(".jsonl") + ".meta.json").get("agentType")
    for found in _peek_transcript("claude-code", path, session, inside):
        yield found._replace(agent=agent, agent_type=kind if isinstance(kind, str) else "")


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
                        "codex", os.path.join(parent, name), session[-1] if session else "", inside
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
        for chat in _list_names(chats):
            if chat.startswith("session-") and chat.endswith((".jsonl", ".json")):
                yield from _peek_transcript("gemini", os.path.join(chats, chat), "", inside, cwd)


def _gemini_projects(folder: str, inside: Inside, workspaces: tuple[str, ...]) -> dict[str, str]:
    known = _note(os.path.join(folder, "projects.json")).get("projects")
    listed = known.items() if isinstance(known, dict) else ()
    found = {name: path for path, name in listed if isinstance(name, str) and _is_plain_name(name) and inside(path)}
    hashes = {sha256(path.encode("utf-8", "surrogateescape")).hexdigest(): path for path in workspaces}
    return found | hashes


def _is_plain_name(name: str) -> bool:
    return "/" not in name and bool(name.strip("."))


def _peek_transcript(client: str, path: str, session: str, inside: Inside, cwd: str = "") -> Iterator[FoundTranscript]:
    """A transcript, if it ran in a workspace that is asked for."""
    head, tail, status = _ends(path)
    if status is None:
        return
    said = _CWD.search(head)
    cwd = cwd or (_parse_text(said[1]) if said else "")
    workspace = inside(cwd) if cwd else ""
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


def _list_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []
