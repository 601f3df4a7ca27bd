"""One workspace (or the user's own memory outside any): where it is, what is set, the parts that `app.py` builds."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import NotFound, Refused
from holdfast.core.home import FOLDER, find_home, is_server_copy, read_environment
from holdfast.core.memory import Scope

if TYPE_CHECKING:
    from holdfast.config.registry import Registry
    from holdfast.config.settings import Settings
    from holdfast.config.teams import Membership
    from holdfast.core.candidate_store import Candidates
    from holdfast.core.index_store import LocalIndex
    from holdfast.core.journal_store import Journal
    from holdfast.core.presence import Presence
    from holdfast.core.vault_store import Vault
    from holdfast.system.processes import Process

Progress = Callable[[str, int, int], None]

# How to tell that a client's agent runs us, and not a person.
# Only marks that clients set for what their agent runs. Marks of an editor's own terminal
# (CURSOR_TRACE_ID, VSCODE_PID, CLAUDE_CODE_SSE_PORT) stand before people too, and CODEX_HOME is a person's setting.
MARKS: Mapping[str, tuple[str, ...]] = {
    "Claude Code": ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID"),
    "Codex": ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
    "Gemini CLI": ("GEMINI_CLI", "GEMINI_SESSION_ID"),
    "OpenCode": ("OPENCODE", "OPENCODE_CLIENT"),
    "Cursor": ("CURSOR_AGENT",),
    "Copilot": ("COPILOT_CLI", "COPILOT_AGENT"),
    "Cline": ("CLINE_ACTIVE",),
    "Augment": ("AUGMENT_AGENT",),
    "Antigravity": ("ANTIGRAVITY_AGENT",),
    "an agent": ("AI_AGENT", "AGENT"),
}

# Where a client names the session to what its agent runs.
SESSIONS = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "OPENCODE_SESSION_ID")
# What the clients' programs are called, for where their marks were taken out of the environment.
PROGRAMS: Mapping[str, str] = {
    "claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "OpenCode",
    "cursor-agent": "Cursor", "copilot": "Copilot", "cline": "Cline", "auggie": "Augment", "aider": "aider",
    "amp": "Amp", "goose": "Goose", "crush": "Crush", "droid": "Droid", "qwen": "Qwen Code",
}  # fmt: skip
RUNNERS = frozenset({"node", "bun", "deno", "python", "python3", "MainThread"})


def find_calling_client(environment: Mapping[str, str]) -> str:
    """The client whose agent runs this process, or an empty text for a person."""
    for client, names in MARKS.items():
        if any(environment.get(name) for name in names):
            return client
    return ""


def find_calling_session(environment: Mapping[str, str]) -> str:
    """The session whose agent runs this process, where its client says so; else an empty text."""
    return next((environment[name] for name in SESSIONS if environment.get(name)), "")


def find_client_above() -> str:
    """The client in whose process tree this runs, also where its marks were taken out; empty for none."""
    from holdfast.system.processes import list_above, read_process_environment

    return next(
        (found for each in list_above(os.getpid()) if (found := name_client(each, read_process_environment(each.pid)))),
        "",
    )


def name_client(process: "Process", environment: Mapping[str, str]) -> str:
    """The client that a process is, or that started it; an empty text for none."""
    names = set(process.names)
    ran = process.words[1:2] if names & RUNNERS else ()
    names.update(os.path.basename(word) for word in (*process.words[:1], *ran))
    found = next((PROGRAMS[name] for name in sorted(names) if name in PROGRAMS), "")
    return found or find_calling_client(environment)


def make_workspace_id(path: str) -> str:
    """The id of a workspace: a hash of its resolved path."""
    from hashlib import blake2b

    return blake2b(os.fsencode(os.path.realpath(path)), digest_size=8).hexdigest()


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


class App:
    """The parts of one workspace. `workspace` is empty outside any: then only the user's own memory is there.

    `folder` is where it keeps its files, if not in the workspace's `.holdfast`; `home` another home than the user's.
    """

    # False: its index lives in memory alone.
    keeps_index = True

    def __init__(
        self, workspace: str, flags: Mapping[str, str] | None = None, *, home: str = "", folder: str = ""
    ) -> None:
        self.workspace = workspace
        self.home = home or find_home()
        self.folder = folder or (os.path.join(workspace, FOLDER) if workspace else self.home)
        self.flags = flags or {}
        self.clock = SystemClock()
        self.notices: list[str] = []
        # Ids of the batches begun here, so that each can be undone by its own: review/batches.py.
        self.batches: list[str] = []
        self.progress: Progress | None = None
        self.client = find_calling_client(read_environment())
        # Who decides here, once that was asked: trust/presence.py.
        self.presence: Presence | None = None
        # In our own hook the journal knows the agent's tool calls, so that what an agent wrote is told from the user's.
        self.hooked = False

    @property
    def base(self) -> str:
        """The folder around `folder`, by which git knows our files: the workspace, unless they are kept elsewhere."""
        return os.path.dirname(self.folder) if self.workspace else ""

    @property
    def scope(self) -> Scope:
        """Whose memory `folder` is."""
        return Scope.WORKSPACE if self.workspace else Scope.USER

    @cached_property
    def is_copy(self) -> bool:
        """Whether this is a server's copy of a team's project: then the memory of who keeps it is out of reach."""
        return is_server_copy(self.home, self.workspace)

    @property
    def workspace_id(self) -> str:
        """The id of the workspace, or an empty text."""
        return make_workspace_id(self.workspace) if self.workspace else ""

    @cached_property
    def settings(self) -> "Settings":
        """The settings in force; what the repository may not set is a notice."""
        from holdfast.config.settings import load

        settings = load(self.home, self.folder if self.workspace else "", self.flags, _read_settings)
        self.notices.extend(settings.refused)
        return settings

    @cached_property
    def registry(self) -> "Registry":
        """The workspaces the user knows."""
        from holdfast.config.registry import Registry

        return Registry(self.home)

    @cached_property
    def team(self) -> "Membership | None":
        """The team that the user joined with this workspace."""
        from holdfast.config.teams import team_of

        return team_of(self.home, self.workspace_id) if self.workspace else None

    def root_of(self, scope: Scope) -> str:
        """The folder in which the memory of a scope lies, in `memory/`."""
        if scope is Scope.TEAM and self.team:
            return self.team.root
        return self.folder if scope is self.scope else self.home

    @cached_property
    def vaults(self) -> Mapping[Scope, "Vault"]:
        """The vaults in reach: the workspace's, the user's own, and the team's where they joined one."""
        raise NotImplementedError

    @cached_property
    def candidate_vault(self) -> "Vault":
        """The candidates' files, as the index reads them."""
        raise NotImplementedError

    @cached_property
    def candidates(self) -> "Candidates":
        """What waits for review."""
        raise NotImplementedError

    def note_proposed(self, sha256: str, before: str) -> None:
        """Note a candidate's file that Holdfast is about to write: others are somebody else's (trust/tracked_files.py).

        One that was somebody else's `before` stays so.
        """
        known = self.registry.proposed(self.workspace_id) if self.workspace else None
        if known is not None and (not before or before in known):
            self.registry.note_proposed(self.workspace_id, [sha256])

    @cached_property
    def journal(self) -> "Journal":
        """The journal of this workspace."""
        raise NotImplementedError

    @cached_property
    def index(self) -> "LocalIndex":
        """The index, refreshed from the files."""
        raise NotImplementedError

    def open_other(self, workspace: str) -> "App":
        """Another workspace of the same home, or this one opened again; an empty text is the user's own memory."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Forget the open index: the next look brings it up to date with what was just written."""
        self.__dict__.pop("index", None)

    def close(self) -> None:
        """Close what is open: a server opens an app for every request, and may run for days."""
        index: LocalIndex | None = self.__dict__.pop("index", None)
        if index is not None:
            index.close()


def _read_settings(path: str) -> Mapping[str, Any]:
    if not os.path.lexists(path):
        return {}
    from holdfast.config.toml_file import read_file

    return read_file(path)


class NoWorkspace(NotFound):
    """No workspace around this folder."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"There is no Holdfast workspace in {folder!r} or above it.",
            "run `holdfast init` in the folder that should have memory, or use --scope user for your own.",
        )


class PersonOnly(Refused):
    """A client's agent asked for what only a person may do."""

    def __init__(self, command: str, client: str) -> None:
        super().__init__(
            f"`holdfast {command}` is for a person, and this runs inside {client}.",
            f"ask the user to type it in a terminal of their own: holdfast {command}",
        )


def find_agent(app: App) -> str:
    """The client whose agent this is: by its marks, or by its process above us; empty where a person may be there.

    A key that the client itself did not have stands for the person, also below a client.
    """
    if app.client or app.presence is not None:
        return app.client
    return "" if holds_key(app) else find_client_above()


def holds_key(app: App) -> bool:
    """Whether the environment holds the person's key, and no client above us had it: then every agent would."""
    from holdfast.config.person_key import VARIABLE, find_key
    from holdfast.system.processes import list_above, read_process_environment

    if not find_key(app.home, read_environment()):
        return False
    above = [(each, read_process_environment(each.pid)) for each in list_above(os.getpid())]
    outermost = [at for at, (each, environment) in enumerate(above) if name_client(each, environment)][-1:]
    return not any(environment.get(VARIABLE) for at in outermost for _, environment in above[at:])


def need_person(app: App, command: str) -> None:
    """Refuse a client's agent."""
    if client := find_agent(app):
        raise PersonOnly(command, client)
