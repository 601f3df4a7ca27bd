"""The guard for people: what it said, what it would say, and the policy it says it by. Nothing here steers it."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from holdfast.core.home import FOLDER
from holdfast.core.value import Value
from holdfast.guard.policy import ACTIONS, ALLOWED, BrokenPolicy, Policy, Verdict, load_policy, verdicts
from holdfast.guard.policy_tests import Outcome, PolicyTest, policy_tests, run_tests
from holdfast.guard.verdicts import NOTES, NOTES_FILE, call, default_text, file_bytes, own_path, own_text, policy
from holdfast.recall.find import BadTime
from holdfast.vault.entry_json import moment
from holdfast.workspace import App

__all__ = [
    "ACTIONS",
    "Checked",
    "InForce",
    "Log",
    "Noted",
    "Tested",
    "check",
    "in_force",
    "noted",
    "policy_problem",
    "run",
]

STERN = ("warn", "ask", "block")
_MONTH = re.compile(r"\d{4}-\d{2}")
_FIELDS = ("ts", "session", "client", "event", "tool", "action", "rule", "reason")


class Noted(Value):
    """One verdict as it was noted."""

    ts: str
    session: str
    client: str
    event: str
    tool: str
    action: str
    rule: str
    reason: str


class Log(Value):
    """The latest verdicts, newest last, and the lines among them that cannot be read, as path:line."""

    verdicts: tuple[Noted, ...]
    broken: tuple[str, ...]


class Checked(Value):
    """What the policy says about a call, and what else it found."""

    verdict: Verdict
    also: tuple[Verdict, ...]

    @property
    def stern(self) -> bool:
        """Whether the agent would hear of it."""
        return self.verdict.action in STERN


class InForce(Value):
    """The policy that counts, the user's file, and how many tests there are."""

    policy: Policy
    path: str
    exists: bool
    tests: int
    own_tests: int


class Tested(Value):
    """What the tests of one policy file came to."""

    path: str
    outcomes: tuple[Outcome, ...]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """Those in which the guard said something else."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def noted(app: App, *, since: str = "", actions: Sequence[str] = (), limit: int = 20) -> Log:
    """The latest verdicts of this workspace."""
    after = moment(since) if since else None
    if since and after is None:
        raise BadTime("--since", since)
    found: list[Noted] = []
    broken: list[str] = []
    for path in _files(app, after):
        rows = _rows(os.path.join(app.folder, path), path, broken)
        wanted = [row for row in rows if _wanted(row, after, actions)]
        found = [*wanted, *found]
        if len(found) >= limit:
            break
    return Log(verdicts=tuple(found[-limit:]), broken=tuple(broken))


def check(app: App, tool: str, given: object, cwd: str) -> Checked:
    """What the policy in force says about a tool call."""
    if not app.workspace:
        app.notices.append(f"There is no workspace here: judged as if {cwd!r} were one.")
    first, *rest = verdicts(call(app, tool, given, cwd), policy(app)) or [ALLOWED]
    return Checked(verdict=first, also=tuple(rest))


def in_force(app: App) -> InForce:
    """The policy that counts here and now."""
    tests, own = _tests(app)
    path = own_path(app)
    return InForce(policy=policy(app), path=path, exists=os.path.lexists(path), tests=len(tests), own_tests=len(own))


def run(app: App) -> list[Tested]:
    """Run the tests: the default's by the default alone, the user's by the policy in force."""
    tests, own = _tests(app)
    default = tuple(run_tests(tests, load_policy(default_text())))
    users = tuple(run_tests(own, policy(app), os.path.expanduser("~")))
    return [Tested(path="", outcomes=default), Tested(path=own_path(app), outcomes=users)]


def policy_problem(app: App) -> str:
    """Why the user's own policy cannot be used; empty where it can, or where there is none."""
    try:
        _tests(app)
    except BrokenPolicy as error:
        return str(error)
    return ""


def _tests(app: App) -> tuple[list[PolicyTest], list[PolicyTest]]:
    text = default_text()
    counts = policy(app)
    try:
        return policy_tests(text, load_policy(text)), policy_tests(own_text(app), counts)
    except BrokenPolicy as error:
        raise BrokenPolicy(error.reason, own_path(app)) from error


def _files(app: App, after: datetime | None) -> Iterator[str]:
    """The months' files below our folder, newest first."""
    try:
        months = [name for name in os.listdir(os.path.join(app.folder, NOTES)) if _MONTH.fullmatch(name)]
    except FileNotFoundError:
        return
    for month in sorted(months, reverse=True):
        path = os.path.join(NOTES, month, NOTES_FILE)
        if os.path.lexists(os.path.join(app.folder, path)) and not (after and month < after.strftime("%Y-%m")):
            yield path


def _rows(path: str, shown: str, broken: list[str]) -> Iterator[Noted]:
    for number, line in enumerate(file_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            broken.append(f"{FOLDER}/{shown}:{number}")
        else:
            yield row


def _row(line: bytes) -> Noted | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("action") not in ACTIONS or moment(str(found.get("ts"))) is None:
        return None
    return Noted(**{field: str(found.get(field, "")) for field in _FIELDS})


def _wanted(row: Noted, after: datetime | None, actions: Sequence[str]) -> bool:
    then = moment(row.ts)
    return (not actions or row.action in actions) and (after is None or (then is not None and then >= after))
