"""Transcripts for tests: recorded ones laid out as clients keep them, and made ones, record by record."""

import json
import os
import sqlite3
import uuid
from pathlib import Path
from typing import Any

from holdfast.app import build_app
from holdfast.clients.client_traces import make_project_slug
from holdfast.harvest.harvest_transcripts import HarvestRequest, HarvestResult, harvest
from holdfast.harvest.journal_events import read_all_events

DATA = Path(__file__).parent / "data" / "transcripts"
LONG_AGO = 1_794_730_000
RECORDED_AT = "/home/dev/proj"


def project_folder(project: Path, user: Path) -> Path:
    """Where Claude Code keeps the sessions of a project."""
    return user / ".claude" / "projects" / make_project_slug(str(project))


def lay_out(project: Path, user: Path) -> None:
    """The recorded transcripts of four clients, as if their sessions had run in a project."""
    claude = project_folder(project, user)
    for path in (DATA / "claude").glob("*-*-*.jsonl"):
        put(claude / path.name, path.read_text(), project)
    for path in (DATA / "claude").glob("agent-*"):
        put(claude / "ce73b99e-2035-4ffd-9641-03eadd36455d/subagents" / path.name, path.read_text(), project)
    for path in (DATA / "codex").glob("rollout-*"):
        put(user / ".codex/sessions/2026/11/15" / path.name, path.read_text(), project)
    for path in (DATA / "gemini").glob("session-*"):
        put(user / ".gemini/tmp/proj/chats" / path.name, path.read_text(), project)
    (user / ".gemini/projects.json").write_text(json.dumps({"projects": {str(project): "proj"}}))
    opencode(project, user).close()


def opencode(project: Path, user: Path) -> sqlite3.Connection:
    """OpenCode's database, open as OpenCode has it."""
    folder = user / ".local/share/opencode"
    folder.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(folder / "opencode.db")
    database.execute("PRAGMA journal_mode=WAL")
    database.executescript((DATA / "opencode/db.sql").read_text().replace(RECORDED_AT, str(project)))
    return database


def payloads(project: Path) -> list[dict[str, Any]]:
    """What hooks were told in the same sessions, in order."""
    paths = [
        DATA / name
        for name in ("claude/hooks.jsonl", "claude/hooks-more.jsonl", "codex/hooks.jsonl", "gemini/hooks.jsonl")
    ]
    lines = [line for path in paths for line in path.read_text().splitlines()]
    return [json.loads(line.replace(RECORDED_AT, str(project))) for line in lines]


def put(path: Path, text: str, project: Path | None = None) -> Path:
    """A file that nobody wrote to for long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(RECORDED_AT, str(project)) if project else text)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


class Claude:
    """A session of Claude Code, written record by record."""

    def __init__(self, project: Path, user: Path, session: str = "") -> None:
        self.session = session or str(uuid.uuid4())
        self.path = project_folder(project, user) / f"{self.session}.jsonl"
        self.cwd = str(project)
        self.turn = ""
        self.last: str | None = None
        self._clock = 0
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def record(self, kind: str, *, parent: str | None = "", **more: Any) -> str:
        """Write a record; its uuid."""
        self._clock += 1
        made = str(uuid.uuid4())
        record = {
            "parentUuid": self.last if parent == "" else parent, "isSidechain": False, "type": kind, "uuid": made,
            "timestamp": f"2026-11-14T09:{self._clock // 60:02d}:{self._clock % 60:02d}.000Z", "cwd": self.cwd,
            "sessionId": self.session, "version": "2.1.325", **more,
        }  # fmt: skip
        self.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.last = made
        return made

    def write(self, text: str) -> None:
        """Add bytes as they are."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text)
        os.utime(self.path, (LONG_AGO, LONG_AGO))

    def prompt(self, text: str, **more: Any) -> str:
        """The user says something."""
        self.turn = str(uuid.uuid4())
        return self.record("user", promptId=self.turn, message={"role": "user", "content": text}, **more)

    def says(self, text: str, stop: str | None = "end_turn", **more: Any) -> str:
        """The agent says something."""
        content = [{"type": "text", "text": text}]
        return self.record("assistant", message=self._message(content, stop), **more)

    def calls(self, tool: str = "Bash", call: str = "", **given: Any) -> str:
        """The agent calls a tool; the call's id."""
        call = call or f"toolu_{uuid.uuid4().hex}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        self.record("assistant", message=self._message([block], "tool_use"))
        return call

    def gets(self, call: str, output: Any = "fine", *, failed: bool = False) -> str:
        """The tool gives something back."""
        block = {"type": "tool_result", "tool_use_id": call, "content": str(output), "is_error": failed}
        result = f"Error: {output}" if failed else {"stdout": output, "stderr": ""}
        return self.record(
            "user", promptId=self.turn, message={"role": "user", "content": [block]}, toolUseResult=result
        )

    @staticmethod
    def _message(content: list[Any], stop: str | None) -> dict[str, Any]:
        return {
            "id": f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": stop,
        }


def reap(project: Path, **more: Any) -> HarvestResult:
    """Harvest a project in this process."""
    folder = str(project)
    return harvest(build_app(folder), HarvestRequest(folders={folder: folder}, **more))


def kept(project: Path) -> list[dict[str, Any]]:
    """The events in a project's journal, as they stand there."""
    return [dict(record.data) for record in read_all_events(str(project / ".holdfast" / "journal"))]


def named(project: Path, *names: str) -> list[dict[str, Any]]:
    """The content of events of some names."""
    return [event["data"] for event in kept(project) if event["name"] in names]
