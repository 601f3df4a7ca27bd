"""The guard at work: every verdict that is not a plain yes is one line in `security/`."""

import json
import os
from collections.abc import Mapping
from typing import Any

from holdfast.capture import guard
from holdfast.capture.risks import survey
from holdfast.redact import values as redact
from holdfast.wiring.app import App

OWN_POLICY = "guard.toml"


def guarded(app: App, event: Mapping[str, Any], event_id: str) -> guard.Verdict | None:
    """The guard's verdict on a tool call, noted; None where there is nothing to say."""
    data = event["data"]
    tool, given, cwd = str(data.get("tool", "")), data.get("input"), str(event["cwd"] or app.workspace)
    own = _text_at(os.path.join(app.home, OWN_POLICY))
    if not own and not survey(tool, given, cwd, app.workspace).risks:
        return None
    verdict = guard.judge(tool, given, cwd, app.workspace, _policy(app, own))
    if verdict.action == "allow":
        return None
    reason = str(redact.clean(verdict.reason).value)
    told = guard.Verdict(action=verdict.action, rule=verdict.rule, reason=reason)
    _note(app, event, event_id, told)
    return told


def _policy(app: App, own: str) -> guard.Policy:
    default = _text_at(os.path.join(os.path.dirname(guard.__file__), "guard.toml"))
    try:
        return guard.load_policy(default, own)
    except guard.BrokenPolicy as error:
        # A slip in the user's file must not leave everything unguarded.
        app.notices.append(str(error))
        return guard.load_policy(default)


def _note(app: App, event: Mapping[str, Any], event_id: str, verdict: guard.Verdict) -> None:
    now = app.clock.now()
    folder = os.path.join(app.folder, "security", now.strftime("%Y-%m"))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    line = {
        "ts": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "session": event["session"], "client": event["client"],
        "event": event_id, "tool": event["data"].get("tool", ""), "action": verdict.action, "rule": verdict.rule,
        "reason": verdict.reason,
    }  # fmt: skip
    fd = os.open(os.path.join(folder, "security.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.write(fd, (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
        os.fsync(fd)
    finally:
        os.close(fd)


def _text_at(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
