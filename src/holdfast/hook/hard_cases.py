"""What few hooks come to: payloads nested too deep or not to be read, calls made elsewhere, calls nobody could judge.

None of these is a way past the user's own rules.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.app import build_app
from holdfast.clients.reply import build_decision
from holdfast.guard.unjudged import UNJUDGED, has_stopping_rule
from holdfast.guard.verdicts import judge_uncaptured_call
from holdfast.journal.capture_event import log_problem

# How a call about to run is told, in each dialect that takes a decision.
CALLS = (
    (b"PreToolUse", "claude-code"),
    (b"BeforeTool", "gemini"),
    (b"holdfast_client", "opencode"),
    (b"preToolUse", "cursor"),
)
DEEPEST = 200
TOO_DEEP = '"[elided: nested too deep]"'
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def ask_unreadable(raw: bytes, home: str) -> str:
    """The answer to a payload that cannot be read: where it is of a call, it may be any."""
    for mark, client in CALLS:
        if mark in raw:
            return ask_unjudged(home, client, {"hook_event_name": "PreToolUse"})
    return ""


def ask_unjudged(home: str, client: str, found: Any) -> str:
    """The answer to a call that nothing could be said of: a person is asked, where they have rules that stop."""
    return build_decision(client, "ask", UNJUDGED, found) if has_stopping_rule(home) else ""


def guard_elsewhere(client: str, event: Mapping[str, Any], found: Any, home: str) -> str:
    """The user's own rules hold wherever an agent goes. Nothing is captured there, so nothing is noted either."""
    try:
        verdict = judge_uncaptured_call(build_app(""), event)
    except Exception as error:  # a client must never suffer from us
        log_problem(home, f"{client}: {type(error).__name__}: {error}")
        return ask_unjudged(home, client, found)
    if verdict is None:
        return ""
    return build_decision(client, verdict.action, f"Holdfast's guard ({verdict.rule}): {verdict.reason}", found)


def cut_deep(raw: bytes) -> bytes:
    """JSON without what lies below a depth that parsers go to: words that say so stand there."""
    text = raw.decode("utf-8", "replace")
    pieces, depth, kept, cut = [], 0, 0, -1
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "[{":
            depth += 1
            if depth == DEEPEST + 1:
                cut = token.start()
        elif sign in "]}":
            if depth == DEEPEST + 1:
                pieces += [text[kept:cut], TOO_DEEP]
                kept = token.end()
            depth -= 1
    return "".join([*pieces, text[kept:]]).encode()
