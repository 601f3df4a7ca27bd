"""Every session that clients keep on this machine, by the folder it lies in: names alone, hardly a file is opened."""

import os
import re
from collections.abc import Iterator
from contextlib import closing, suppress

import apsw

from holdfast.clients.client_table import CLIENTS
from holdfast.clients.install.install_plan import find_client_places
from holdfast.core.home import read_environment
from holdfast.harvest.find_transcripts import find_session_id, list_names
from holdfast.harvest.opencode_database import OpenCodeDatabase, find_databases, find_opencode_folder
from holdfast.workspace import App

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def list_stored_sessions(app: App) -> dict[str, list[str]]:
    """The sessions of each history folder."""
    env = read_environment()
    found: dict[str, list[str]] = {}
    for client in CLIENTS:
        folder = find_client_places(client, app.home, "", env)["client"]
        for place, session in _list_of_client(client.id, folder):
            found.setdefault(place, []).append(session)
    return found


def _list_of_client(client: str, folder: str) -> Iterator[tuple[str, str]]:
    match client:
        case "claude-code":
            yield from _list_claude(os.path.join(folder, "projects"))
        case "codex":
            for top in ("sessions", "archived_sessions"):
                yield from _list_codex(os.path.join(folder, top))
        case "gemini":
            yield from _list_gemini(os.path.join(folder, "tmp"))
        case "opencode":
            yield from _list_opencode(find_opencode_folder(read_environment()))


def _list_claude(projects: str) -> Iterator[tuple[str, str]]:
    for project in list_names(projects):
        place = os.path.join(projects, project)
        for name in list_names(place):
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                yield place, name.removesuffix(".jsonl")


def _list_codex(place: str) -> Iterator[tuple[str, str]]:
    for _, _, names in os.walk(place):
        for name in names:
            session = _UUID.findall(name) if name.startswith("rollout-") else []
            yield from [(place, session[-1])] if session else []


def _list_gemini(projects: str) -> Iterator[tuple[str, str]]:
    for project in list_names(projects):
        place = os.path.join(projects, project, "chats")
        for name in list_names(place):
            session = find_session_id(os.path.join(place, name)) if name.startswith("session-") else ""
            yield from [(place, session)] if session else []


def _list_opencode(folder: str) -> Iterator[tuple[str, str]]:
    for path in find_databases(folder):
        with suppress(apsw.Error), closing(OpenCodeDatabase(path)) as database:
            yield from ((os.path.dirname(path), row.id) for row in database.sessions())
