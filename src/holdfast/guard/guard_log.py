"""The guard for people: what it said, what it would say, and the policy it says it by. Nothing here steers it."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from holdfast.core.home import FOLDER
from holdfast.core.times import BadTime
from holdfast.core.value import Value
from holdfast.guard.policy import ACTIONS, ALLOWED, BrokenPolicy, GuardPolicy, GuardVerdict, list_verdicts, load_policy
from holdfast.guard.policy_tests import PolicyTest, PolicyTestResult, read_policy_tests, run_tests
from holdfast.guard.verdicts import (
    NOTES,
    NOTES_FILE,
    build_call,
    load_active_policy,
    own_policy_path,
    read_default_policy,
    read_file_bytes,
    read_own_policy,
)
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

__all__ = [
    "ACTIONS",
    "ActiveGuardPolicy",
    "GuardCheck",
    "GuardLog",
    "NotedVerdict",
    "PolicyTestRun",
    "check_call",
    "find_policy_problem",
    "read_active_policy",
    "read_guard_log",
    "run",
]

STERN = ("warn", "ask", "block")
_MONTH = re.compile(r"\d{4}-\d{2}")
_FIELDS = ("ts", "session", "client", "event", "tool", "action", "rule", "reason")


class NotedVerdict(Value):
    """One verdict as it was noted."""

    ts: str
    session: str
    client: str
    event: str
    tool: str
    action: str
    rule: str
    reason: str


class GuardLog(Value):
    """The latest verdicts, newest last, and the lines among them that cannot be read, as path:line."""

    verdicts: tuple[NotedVerdict, ...]
    broken: tuple[str, ...]


class GuardCheck(Value):
    """What the policy says about a call, and what else it found."""

    verdict: GuardVerdict
    also: tuple[GuardVerdict, ...]

    @property
    def reaches_agent(self) -> bool:
        """Whether the agent would hear of it."""
        return self.verdict.action in STERN


class ActiveGuardPolicy(Value):
    """The policy that counts, the user's file, and how many tests there are."""

    policy: GuardPolicy
    path: str
    exists: bool
    tests: int
    own_tests: int


class PolicyTestRun(Value):
    """What the tests of one policy file came to."""

    path: str
    outcomes: tuple[PolicyTestResult, ...]

    @property
    def failed(self) -> tuple[PolicyTestResult, ...]:
        """Those in which the guard said something else."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def read_guard_log(app: App, *, since: str = "", actions: Sequence[str] = (), limit: int = 20) -> GuardLog:
    """The latest verdicts of this workspace."""
    after = parse_moment(since) if since else None
    if since and after is None:
        raise BadTime("--since", since)
    found: list[NotedVerdict] = []
    broken: list[str] = []
    for path in _list_log_files(app, after):
        rows = _rows(os.path.join(app.folder, path), path, broken)
        wanted = [row for row in rows if _is_wanted(row, after, actions)]
        found = [*wanted, *found]
        if len(found) >= limit:
            break
    return GuardLog(verdicts=tuple(found[-limit:]), broken=tuple(broken))


def check_call(app: App, tool: str, given: object, cwd: str) -> GuardCheck:
    """What the policy in force says about a tool call."""
    if not app.workspace:
        app.notices.append(f"There is no workspace here: judged as if {cwd!r} were one.")
    first, *rest = list_verdicts(build_call(app, tool, given, cwd), load_active_policy(app)) or [ALLOWED]
    return GuardCheck(verdict=first, also=tuple(rest))


def read_active_policy(app: App) -> ActiveGuardPolicy:
    """The policy that counts here and now."""
    tests, own = _read_tests(app)
    path = own_policy_path(app)
    return ActiveGuardPolicy(
        policy=load_active_policy(app), path=path, exists=os.path.lexists(path), tests=len(tests), own_tests=len(own)
    )


def run(app: App) -> list[PolicyTestRun]:
    """Run the tests: the default's by the default alone, the user's by the policy in force."""
    tests, own = _read_tests(app)
    default = tuple(run_tests(tests, load_policy(read_default_policy())))
    users = tuple(run_tests(own, load_active_policy(app), os.path.expanduser("~")))
    return [PolicyTestRun(path="", outcomes=default), PolicyTestRun(path=own_policy_path(app), outcomes=users)]


def find_policy_problem(app: App) -> str:
    """Why the user's own policy cannot be used; empty where it can, or where there is none."""
    try:
        _read_tests(app)
    except BrokenPolicy as error:
        return str(error)
    return ""


def _read_tests(app: App) -> tuple[list[PolicyTest], list[PolicyTest]]:
    text = read_default_policy()
    counts = load_active_policy(app)
    try:
        return read_policy_tests(text, load_policy(text)), read_policy_tests(read_own_policy(app), counts)
    except BrokenPolicy as error:
        raise BrokenPolicy(error.reason, own_policy_path(app)) from error


def _list_log_files(app: App, after: datetime | None) -> Iterator[str]:
    """The months' files below our folder, newest first."""
    try:
        months = [name for name in os.listdir(os.path.join(app.folder, NOTES)) if _MONTH.fullmatch(name)]
    except FileNotFoundError:
        return
    for month in sorted(months, reverse=True):
        path = os.path.join(NOTES, month, NOTES_FILE)
        if os.path.lexists(os.path.join(app.folder, path)) and not (after and month < after.strftime("%Y-%m")):
            yield path


def _rows(path: str, shown: str, broken: list[str]) -> Iterator[NotedVerdict]:
    for number, line in enumerate(read_file_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            broken.append(f"{FOLDER}/{shown}:{number}")
        else:
            yield row


def _row(line: bytes) -> NotedVerdict | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("action") not in ACTIONS or parse_moment(str(found.get("ts"))) is None:
        return None
    return NotedVerdict(**{field: str(found.get(field, "")) for field in _FIELDS})


def _is_wanted(row: NotedVerdict, after: datetime | None, actions: Sequence[str]) -> bool:
    then = parse_moment(row.ts)
    return (not actions or row.action in actions) and (after is None or (then is not None and then >= after))
