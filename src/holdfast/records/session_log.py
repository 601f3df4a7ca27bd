"""What each context was told, on disk: one file of lines for a session, and one for each of its subagents."""

import os
import time
from _blake2 import blake2b
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.records.injected_context import PROMPT, RENEWED, STARTED, InjectedContext, read_context
from holdfast.system.folders import open_own_file

FOLDER = "told"
MOST_FILES = 500
OLD_SECONDS = 30 * 24 * 60 * 60
TASK = "!task"
ASKED = "!asked"
LONGEST_TASK = 1000


class SessionLog:
    """The list of one context. Nothing is said twice, unless the context was lost."""

    def __init__(self, folder: str, session: str, agent: str = "") -> None:
        whose = f"{session}\n{agent}" if agent else session
        name = blake2b(whose.encode("utf-8", "replace"), digest_size=8).hexdigest()
        self._folder = os.path.join(folder, "state", FOLDER)
        self._path = os.path.join(self._folder, name)

    def context(self) -> InjectedContext:
        """What the context was told and still knows."""
        lines, written = self._lines()
        return read_context(filter(None, lines), time.time() - written) if lines else InjectedContext()

    def start(self, source: str = "") -> None:
        """A new context, which knows nothing of what was told before."""
        self._prune()
        self._write(f"{STARTED} {source}".rstrip())

    def prompt(self) -> None:
        """The user spoke: the context lives."""
        self._write(PROMPT)

    def refresh(self) -> None:
        """Memory changed, and the user wants it told anew: the next prompt is answered like the first after a cut."""
        if self._lines()[0]:
            self._write(RENEWED)

    def task(self, words: str) -> None:
        """The agent is about to hand a task to a subagent, which is not told it by its client."""
        self._write(f"{TASK} {' '.join(words.split())[:LONGEST_TASK]}")

    def last_task(self) -> str:
        """The task that was handed over last."""
        return next((line.partition(" ")[2] for line in reversed(self._lines()[0]) if line.startswith(f"{TASK} ")), "")

    def was_asked(self) -> bool:
        """Whether the agent was asked once more for what is unsaid."""
        return ASKED in self._lines()[0]

    def note_asked(self) -> None:
        """The agent is asked now, and not again in this session."""
        self._write(ASKED)

    def add(self, ids: Iterable[str]) -> None:
        """Note what was told."""
        self._write(*ids)

    def _lines(self) -> tuple[list[str], float]:
        """The lines of the list, and when it was last written."""
        try:
            with open(open_own_file(self._path, os.O_RDONLY), encoding="utf-8", errors="replace") as file:
                return file.read().split("\n"), os.fstat(file.fileno()).st_mtime
        except OSError:
            return [], 0.0

    def _write(self, *lines: str) -> None:
        fd = open_own_file(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        finally:
            os.close(fd)

    def _prune(self) -> None:
        """Sessions do not come back after a month; their lists go when there are many."""
        try:
            names = os.listdir(self._folder)
            for name in names if len(names) > MOST_FILES else ():
                path = os.path.join(self._folder, name)
                if os.stat(path).st_mtime < time.time() - OLD_SECONDS:
                    os.unlink(path)
        except OSError:
            return


def open_session_log(folder: str, event: Mapping[str, Any], event_id: str) -> SessionLog:
    """The list of the context that an event belongs to: a subagent has one of its own."""
    agent = str(event["data"].get("agent", ""))
    if event["name"] == "subagent_start":
        agent = agent or event_id
    return SessionLog(folder, str(event["session"]), agent)
