"""What a run may do by itself: by the user's trust, by the guard, and by what memory enforces."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from holdfast.check.check_installs import judge_installs
from holdfast.check.enforce_rules import REQUIRE_PATH
from holdfast.check.git_diff import UnreadFile, read_file_within, text_of
from holdfast.check.judge_changes import ChangeJudge
from holdfast.check.run_check import load_checkable_memory
from holdfast.check.tool_call import MOST_FILES, find_call_installs, find_written_files
from holdfast.check.workspace_packages import read_workspace_packages
from holdfast.core.errors import Refused
from holdfast.core.finding import Finding, Severity
from holdfast.core.plain_text import one_line
from holdfast.core.run import AGENT, Trust
from holdfast.core.value import Value
from holdfast.guard.policy import GuardVerdict
from holdfast.guard.verdicts import guard_call
from holdfast.system.bounded_regex import match_lines
from holdfast.workspace import App

READING = frozenset(("read", "list", "grep", "memory"))
YES, NO, ALWAYS = "yes", "no", "always"
# What no agent of ours does, whoever is asked: it is the person's, or nobody's.
NEVER = frozenset(("person-only", "edit-memory", "speak-as-user", "delete-root", "disk", "fork-bomb", "shutdown"))
SECONDS = 2.0
CLIENT = AGENT

Texts = Mapping[str, str]
# A tool, what it is given, and where → what the guard says; None where it says nothing.
Guard = Callable[[str, Mapping[str, Any], str], GuardVerdict | None]
# Files as they are to be, a command if there is one, files as they were if that is not on disk → what memory says.
Check = Callable[[Texts, str, Mapping[str, str | None] | None], Sequence[Finding]]


class ApprovalRequest(Value):
    """What a person is asked before it is done. `diff` or `command`: what would be done; `why`: what the guard says."""

    tool: str
    what: str
    diff: str = ""
    command: str = ""
    cwd: str = ""
    why: str = ""
    task: str = ""


class ApprovalAnswer(Value):
    """The person's answer: yes, no, or always for what is alike in this run."""

    answer: str
    reason: str = ""


Approve = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer]]


class NotTrusted(Refused):
    """More than the run is trusted with."""

    def __init__(self, tool: str, trust: Trust) -> None:
        super().__init__(
            f"{tool!r} is refused: this run is trusted with '{trust}' only.", "say what you would have done instead."
        )


class Denied(Refused):
    """The guard's no."""

    def __init__(self, verdict: GuardVerdict) -> None:
        super().__init__(
            f"The guard refuses this ({verdict.rule}): {one_line(verdict.reason)[:400]}.",
            "do it another way, or leave it to the user.",
        )


class TurnedDown(Refused):
    """The person's no."""

    def __init__(self, reason: str) -> None:
        said = f": {one_line(reason)[:400]}" if reason else ""
        super().__init__(f"The user does not want this{said}.", "do not try it again; do it another way, or stop.")


class Forbidden(Refused):
    """What memory enforces."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        listed = "\n".join(f"- {format_finding(found)}" for found in findings[:5])
        super().__init__(
            f"Project memory forbids this; nothing was changed.\n{listed}",
            "comply with it; only the user can supersede or narrow a memory.",
        )


class Gatekeeper:
    """Lets a call through, asks about it, or refuses it."""

    def __init__(self, trust: Trust, approve: Approve | None, guard: Guard | None, check: Check | None) -> None:
        self._trust, self._approve, self._guard, self._check = trust, approve, guard, check
        self._always: set[str] = set()
        self._asking = asyncio.Lock()

    @property
    def trust(self) -> Trust:
        """How far the run may go."""
        return self._trust

    def allows(self, tool: str) -> None:
        """Whether a tool may be used at all. Raises NotTrusted."""
        if self._trust is Trust.READ_ONLY and tool not in READING:
            raise NotTrusted(tool, self._trust)

    def checked(self, files: Texts, command: str = "", before: Mapping[str, str | None] | None = None) -> list[str]:
        """What memory says of a change, as warnings. Raises Forbidden for what is certain. May take a while."""
        findings = self._check(files, command, before) if self._check is not None else ()
        certain = [found for found in findings if found.severity is Severity.ERROR]
        if certain:
            raise Forbidden(certain)
        return [format_finding(found) for found in findings]

    def guarded(self, tool: str, given: Mapping[str, Any], cwd: str) -> GuardVerdict | None:
        """What the guard says. Raises Denied for what is never done. May take a while."""
        verdict = self._guard(tool, given, cwd) if self._guard is not None else None
        if verdict is not None and (verdict.action == "block" or verdict.rule in NEVER):
            raise Denied(verdict)
        return verdict

    def remember(self, alike: str) -> None:
        """Ask no more about what is alike."""
        self._always.add(alike)

    async def asked(self, request: ApprovalRequest, verdict: GuardVerdict | None, alike: str) -> list[str]:
        """Ask the person where trust or guard want it; what they said besides. `alike`: what `always` covers."""
        risky = verdict is not None and verdict.action in {"ask", "warn"}
        changes = request.tool not in READING
        if not risky and not (changes and self._trust is Trust.ASK):
            return []
        if not risky and alike in self._always:
            return []
        if self._approve is None:
            raise Denied(verdict) if verdict is not None and risky else TurnedDown("nobody is there to be asked")
        # One question at a time: tasks run side by side, the person does not.
        async with self._asking:
            if not risky and alike in self._always:
                return []
            approval = await self._approve(request)
            if approval.answer == ALWAYS and not risky:
                self._always.add(alike)
        if approval.answer not in {YES, ALWAYS}:
            raise TurnedDown(approval.reason)
        return [f"The user says: {one_line(approval.reason)[:400]}"] if approval.reason else []


def format_finding(found: Finding) -> str:
    """A finding in one line."""
    place = f"{found.place}: " if found.place else ""
    return one_line(f"{place}{found.memory} {found.reason}. “{found.title}”")[:500]


def make_guard(app: App, run: str) -> Guard:
    """The guard of a workspace; what it says is noted, as it is for clients."""

    def judge(tool: str, given: Mapping[str, Any], cwd: str) -> GuardVerdict | None:
        event = {"data": {"tool": tool, "input": dict(given)}, "cwd": cwd, "session": run, "client": CLIENT}
        return guard_call(app, event, "")

    return judge


def make_check(app: App) -> Check:
    """What the memory of a workspace has against changes and commands. Its rules are read once."""
    root = os.path.realpath(app.workspace or os.getcwd())
    rules = [rule for rule in load_checkable_memory(app).rules if rule.key != REQUIRE_PATH]

    def read(path: str) -> str | None:
        if not os.path.lexists(os.path.join(root, path)):
            return None
        try:
            return text_of(read_file_within(root, path)) or ""
        except UnreadFile:
            return ""

    def check(files: Texts, command: str, before: Mapping[str, str | None] | None) -> Sequence[Finding]:
        if not rules:
            return ()
        given: dict[str, Any] = {"command": command} if command else {}
        texts = [{"path": path, "content": text} for path, text in files.items()]
        had = read if before is None else before.get
        found: list[Finding] = []
        for at in range(0, max(1, len(texts)), MOST_FILES):
            changes = find_written_files({**given, "edits": texts[at : at + MOST_FILES]}, root, root, had)
            judge = ChangeJudge(
                changes, match=lambda pattern, lines: match_lines(pattern, lines, SECONDS), exists=lambda _: True
            )
            found += judge.judged(rules).findings if changes else ()
        packages = find_call_installs(given)
        if packages:
            named = read_workspace_packages(root).names
            found += (each for rule in rules for each in judge_installs(rule, packages, named))
        return tuple(dict.fromkeys(found))

    return check
