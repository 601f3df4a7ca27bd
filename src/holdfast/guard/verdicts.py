"""The guard at work: every verdict that is not a plain yes is one line in `security/`."""

import errno
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

from holdfast.core.home import OWN_POLICY
from holdfast.guard import policy as guard
from holdfast.guard.risks import survey_call
from holdfast.journal.capture_event import find_link, log_problem
from holdfast.redact import clean as redact
from holdfast.system.folders import open_own_file
from holdfast.system.safe_write import hold_lock
from holdfast.system.written_sums import note_written
from holdfast.workspace import App

NOTES = "security"
NOTES_FILE = "security.jsonl"


def guard_call(app: App, event: Mapping[str, Any], event_id: str) -> guard.GuardVerdict | None:
    """The guard's verdict on a tool call, noted; None where there is nothing to say."""
    data = event["data"]
    tool, given, cwd = str(data.get("tool", "")), data.get("input"), str(event["cwd"] or app.workspace)
    if not os.path.lexists(own_policy_path(app)) and not survey_call(tool, given, cwd, app.workspace, app.home).risks:
        return None
    counts, slip = _load_policy_or_default(app)
    found = guard.list_verdicts(build_call(app, tool, given, cwd), counts)
    if not found:
        return None
    reason = str(redact.clean(found[0].reason + slip).value)
    told = guard.GuardVerdict(action=found[0].action, rule=found[0].rule, reason=reason)
    try:
        _note(app, event, event_id, told)
    except OSError as error:
        # What the user denies stays denied, also where it cannot be written down.
        log_problem(app.home, f"the guard's verdict ({told.rule}) could not be noted: {error}")
    return told


def judge_uncaptured_call(app: App, event: Mapping[str, Any]) -> guard.GuardVerdict | None:
    """What the user's own policy says of a call where nothing is captured: only what stops it, and noted nowhere."""
    data = event["data"]
    counts, slip = _load_policy_or_default(app)
    call = build_call(app, str(data.get("tool", "")), data.get("input"), str(event["cwd"] or os.getcwd()))
    first = next(iter(guard.list_verdicts(call, counts)), None)
    if first is None or first.action not in guard.STERN:
        return None
    reason = str(redact.clean(first.reason + slip).value)
    return guard.GuardVerdict(action=first.action, rule=first.rule, reason=reason)


def build_call(app: App, tool: str, given: object, cwd: str) -> guard.GuardedCall:
    """A tool call in this workspace, as the guard judges it."""
    home = os.path.expanduser("~")
    return guard.GuardedCall(tool=tool, given=given, cwd=cwd, workspace=app.workspace or cwd, own=app.home, home=home)


def own_policy_path(app: App) -> str:
    """Where the user's own policy lies, if there is one."""
    return os.path.join(app.home, OWN_POLICY)


def read_default_policy() -> str:
    """The policy that comes with Holdfast."""
    with open(os.path.join(os.path.dirname(guard.__file__), OWN_POLICY), encoding="utf-8") as file:
        return file.read()


def read_own_policy(app: App) -> str:
    """The user's own policy; empty where there is none. Raises BrokenPolicy for one that cannot be read."""
    path = own_policy_path(app)
    try:
        return read_file_bytes(path).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise guard.BrokenPolicy(f"it is not UTF-8 (byte {error.start})", path) from error
    except OSError as error:
        raise guard.BrokenPolicy(f"it cannot be read: {error.strerror}", path) from error


def read_file_bytes(path: str) -> bytes:
    """What a file holds. A pipe or folder in its place is an OSError, and is not waited for."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(fd)


def load_active_policy(app: App) -> guard.GuardPolicy:
    """The policy in force. Raises BrokenPolicy, with the user's file, for one that cannot be used."""
    try:
        return guard.load_policy(read_default_policy(), read_own_policy(app))
    except guard.BrokenPolicy as error:
        raise guard.BrokenPolicy(error.reason, own_policy_path(app)) from error


def _load_policy_or_default(app: App) -> tuple[guard.GuardPolicy, str]:
    """The policy that counts now; where the user's own is broken that is the default, with the words for it."""
    try:
        return load_active_policy(app), ""
    except guard.BrokenPolicy as error:
        # A slip in the user's file must not leave everything unguarded.
        slip = f" ({OWN_POLICY} cannot be used: {error.reason}; the default policy counts)"
        return guard.load_policy(read_default_policy()), slip


def _note(app: App, event: Mapping[str, Any], event_id: str, verdict: guard.GuardVerdict) -> None:
    now = app.clock.now()
    folder = os.path.join(app.folder, NOTES, now.strftime("%Y-%m"))
    if find_link(app.folder):
        raise OSError(errno.ELOOP, "links are not followed", app.folder)
    line = {
        "ts": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "session": event["session"], "client": event["client"],
        "event": event_id, "tool": event["data"].get("tool", ""), "action": verdict.action, "rule": verdict.rule,
        "reason": verdict.reason,
    }  # fmt: skip
    fd = open_own_file(os.path.join(folder, NOTES_FILE), os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        hold_lock(fd, 1.0)
        size = os.fstat(fd).st_size
        # A line that a crash cut short must not swallow this one.
        start = "\n" if size and os.pread(fd, 1, size - 1) != b"\n" else ""
        added = (start + json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        note_written(os.path.join(folder, NOTES_FILE), added, size)
        os.write(fd, added)
        os.fsync(fd)
    finally:
        os.close(fd)
