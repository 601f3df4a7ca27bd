"""What was found in a tool call so far: risks, commands, and the files it would read and write."""

from holdfast.guard.path_kinds import (
    home_of,
    is_history,
    is_memory,
    is_run_automatically,
    is_secret,
    is_temporary,
    is_within,
    resolve_path,
)


class GuardRisk:
    """One finding: the rule it falls under, and the command or path that made it."""

    __slots__ = ("rule", "what")

    def __init__(self, rule: str, what: str) -> None:
        self.rule, self.what = rule, what


class ToolCallSurvey:
    """What a tool call would do: findings, simple commands, files read and written."""

    __slots__ = (
        "_noted", "commands", "cwd", "fetched", "home", "known", "own", "reads", "risks", "unread",
        "workspace", "writes",
    )  # fmt: skip

    def __init__(self, cwd: str, workspace: str, own: str = "") -> None:
        self.workspace = workspace.rstrip("/")
        self.own = own.rstrip("/")
        self.home = home_of(self.workspace)
        self.cwd = cwd.rstrip("/") or self.workspace
        self.risks: list[GuardRisk] = []
        self.commands: list[str] = []
        self.reads: list[str] = []
        self.writes: list[str] = []
        # What variables were set to, and which files came from the network.
        self.known: dict[str, str] = {}
        self.fetched: list[str] = []
        # Something in it was too long, or nested too deep, to be looked at.
        self.unread = False
        self._noted: set[tuple[str, str]] = set()

    def add(self, rule: str, what: str) -> None:
        """Note a finding, once per rule and cause."""
        if (rule, what) not in self._noted:
            self._noted.add((rule, what))
            self.risks.append(GuardRisk(rule, what))

    def path(self, word: str) -> str:
        """A word as an absolute path, or an empty text."""
        for mark in ("$HOLDFAST_HOME", "${HOLDFAST_HOME}"):
            if word.startswith(mark):
                word = (self.own or "~/.holdfast") + word.removeprefix(mark)
        return resolve_path(word, self.cwd, self.home)

    def is_memory(self, path: str) -> bool:
        """Whether a path is part of Holdfast's memory, or of its own home folder."""
        return is_memory(path) or is_within(path, self.own)

    def write(self, word: str) -> None:
        """Note that a file would be written."""
        path = self.path(word)
        if not path or path.startswith(("/dev/null", "/dev/std", "/dev/fd", "/dev/tty")):
            return
        self.writes.append(path)
        if is_history(path):
            self.add("speak-as-user", path)
        if self.is_memory(path):
            self.add("edit-memory", path)
        elif path.startswith("/dev/") and not is_temporary(path):
            self.add("disk", path)
        elif is_run_automatically(path):
            self.add("write-startup", path)
        elif not is_within(path, self.workspace) and not is_temporary(path):
            self.add("write-outside", path)

    def read(self, word: str) -> None:
        """Note that a file would be read."""
        path = self.path(word) or word
        self.reads.append(path)
        if is_secret(path) or (self.own and is_within(path, f"{self.own}/serve")):
            self.add("read-secret", path)
