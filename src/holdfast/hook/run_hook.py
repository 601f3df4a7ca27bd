"""The hook: a client's payload on standard input → one event in the journal → what that client may be told.

Clients run this on every event in a process of its own, so the way of most events (capture) loads nothing but what
stands here: no json, no re, no typing, no os. What tells the client something loads more, and only then. Whatever goes
wrong is logged; it never fails.
"""

import _json
import posix as os
import sys
import time
from _blake2 import blake2b
from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]  # C's own, which `signal` wraps

from holdfast.clients import payload as payloads
from holdfast.journal import journal_folder
from holdfast.journal.capture_event import (
    AGAIN,
    LONGEST_WAIT,
    LOST,
    RUNNING,
    capture_event,
    drop_file,
    find_link,
    is_folder,
    log_problem,
    make_folder,
    path_exists,
)
from holdfast.journal.journal_folder import open_file
from holdfast.redact import clean as redact

# Type checkers know this name; `typing` would cost a third of a bare Python start.
MYPY = False
if MYPY:
    from collections.abc import Mapping
    from typing import Any

FOLDER = ".holdfast"
SHIM = "/bin/hook"
LARGEST_PAYLOAD = 256 * 1024 * 1024
TELLING = frozenset({"session_start", "prompt", "before_tool", "subagent_start", "before_compact"})
# After these a session may have lost what it was told; noted on its list, for the next prompt to see.
LOSING = frozenset({"before_compact", "after_compact", "session_end"})
LONGEST_CALL = 3600
# Clients end a hook after ten seconds, and then nobody could say what became of its event.
TIME_LIMIT = 8.0
# With these all calls of a session are over.
OVER = frozenset({"answer", "session_end", "session_start"})
# After these the records are refreshed: once a turn, never between an agent's tool calls.
FOLLOWED = frozenset({"answer", "session_end", "subagent_stop", "session_start", "before_compact"})
# At these a session may be over that was not distilled yet: this one, or one that was killed.
ENDING = frozenset({"session_end", "session_start"})


class _Reading:
    """What `_json`'s scanner asks for."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(_: str) -> None:
        """NaN and Infinity are no JSON; nothing stands for them."""


# Workspaces in which a session ended: they have something to distil.
_ended: "list[str]" = []
# Whether the event of this process is in the journal, or waits for it.
_kept: "list[str]" = []


class TimeIsOver(BaseException):
    """The hook's time limit came; nothing on the way may take it for an error of its own."""


def main() -> None:
    """Take one payload. Never raises and never exits with anything but 0."""
    env = _environment()
    if env.get("HOLDFAST_CAPTURE") == "off":
        # A client that we ask ourselves: no session of the user's.
        return
    home = _home(env)
    try:
        limit_time()
        told = capture_payload(_read_stdin(), env, home)
        if told:
            _print(told.encode("utf-8", "replace"))
        while _ended:
            # The client has its answer: what takes a process of its own starts now.
            from holdfast.distil.autostart import start_distilling_from_hook

            start_distilling_from_hook(_ended.pop())
    except BaseException as error:  # a client must never suffer from us
        _log_end(home, "hook", error)


def limit_time(seconds: float = TIME_LIMIT) -> None:
    """Have this process end in time, whatever it waits for; and wait for locks for a moment only."""
    journal_folder.limit_waits(LONGEST_WAIT)
    signal(SIGALRM, _stop)
    setitimer(ITIMER_REAL, seconds, AGAIN)


def _stop(_number: int, _frame: object) -> None:
    raise TimeIsOver


def _log_end(home: str, client: str, error: BaseException) -> None:
    """Note what ended this hook; where that was its time limit, whether its event is kept."""
    setitimer(ITIMER_REAL, 0.0)
    if not isinstance(error, TimeIsOver):
        log_problem(home, f"{client}: {type(error).__name__}: {error}")
    elif _kept:
        log_problem(home, f"{client}: the time limit came before an answer; the event is kept")
    else:
        log_problem(home, f"{client}: the time limit came; {LOST}")


def capture_payload(raw: bytes, env: "Mapping[str, str]", home: str) -> str:
    """Capture a payload; what the client may be told, or nothing."""
    if not raw.strip():
        return ""
    found = parse_json(raw)
    if not isinstance(found, dict):
        found = parse_json(_load_hard_cases().cut_deep(raw))
    client = payloads.detect_client(found, env)
    event = payloads.normalise_payload(client, found) if client else None
    if event is None:
        if isinstance(found, dict):
            return ""
        log_problem(home, "a payload that is no JSON object")
        return str(_load_hard_cases().ask_unreadable(raw, home))
    workspace = find_captured_workspace(str(event["cwd"] or "."), home)
    if not workspace:
        stops = event["name"] == "before_tool" and path_exists(home + "/guard.toml")
        return str(_load_hard_cases().guard_elsewhere(client, event, found, home)) if stops else ""
    # The client's words like all others, and in every file that is kept of the session.
    event["session"], event["name"] = redact.clean([event["session"], event["name"]]).value  # type: ignore[misc]  # a list in, a list out
    try:
        return _answer_event(workspace, client, event, found, home)
    except BaseException as error:  # logged with its client, for `holdfast status`
        _log_end(home, client, error)
        return str(_load_hard_cases().ask_unjudged(home, client, found)) if event["name"] == "before_tool" else ""


def _load_hard_cases() -> "Any":
    import site

    site.main()
    from holdfast.hook import hard_cases

    return hard_cases


def _answer_event(workspace: str, client: str, event: "dict[str, Any]", found: "Any", home: str) -> str:
    folder = workspace + "/" + FOLDER
    name = str(event["name"])
    # A start has to tell what is known; the records are only refreshed where a kill left them behind.
    follows = name in FOLLOWED and (name != "session_start" or _are_records_behind(folder))
    _follow_calls(folder, event)
    event_id = _capture_or_guard(folder, event, client, home)
    _kept.append(event_id)
    if name in LOSING:
        _mark_told_log(folder, event)
    telling = name in TELLING and (name == "before_tool" or _may_inject(client, name))
    if not telling and not follows:
        return ""
    # Only what tells the client something pays for the rest: other packages, which `-S` left out, and the index.
    import site

    site.main()
    if journal_folder.WAITS:
        from holdfast.hook.own_process import settle_in

        settle_in(folder, home)
    link = find_link(folder)
    if link:
        log_problem(home, f"{client}: {folder}/{link} is a link: links are not followed, nothing is told")
    if follows and not link:
        from holdfast.records.refresh_records import refresh_from_hook

        refresh_from_hook(workspace)
        if name in ENDING:
            _ended.append(workspace)
    if name == "answer":
        return "" if link else _ask_again(workspace, client, event, found)
    if not telling or (link and name != "before_tool"):
        return ""
    from holdfast.clients import reply as replies
    from holdfast.inject.answer import answer_event

    told = answer_event(workspace, event, event_id, limit=replies.injection_limit(client, name))
    if told.action:
        return replies.build_decision(client, told.action, told.text, found)
    return replies.build_reply(client, name, told.text, found, told.shown) if told.text or told.shown else ""


def _ask_again(workspace: str, client: str, event: "dict[str, Any]", found: "Any") -> str:
    """What an agent whose turn ends is asked for, where its client can be asked."""
    from holdfast.clients import reply as replies

    if not replies.may_ask(client):
        return ""
    from holdfast.inject.ask import ask_again

    return replies.build_question(client, ask_again(workspace, event), found)


def _may_inject(client: str, name: str) -> bool:
    from holdfast.clients.reply import may_inject

    return may_inject(client, name)


def _capture_or_guard(folder: str, event: "dict[str, Any]", client: str, home: str) -> str:
    """The event's id in the journal. A tool call is guarded even where the journal cannot be written."""
    try:
        return capture_event(folder, event, home)
    except Exception as error:
        if event["name"] != "before_tool":
            raise
        log_problem(home, f"{client}: {type(error).__name__}: {error}")
        return ""


def find_captured_workspace(cwd: str, home: str) -> str:
    """The workspace around a folder, if the user turned capture on for it; else an empty text.

    A `.holdfast` that the user never registered is none: an agent can make one anywhere below their workspace.
    """
    folder = _resolve_folder(cwd)
    while folder:
        if home.startswith(folder + "/") and is_folder(folder + "/" + FOLDER) and folder + "/" + FOLDER != home:
            # A home that lies in a workspace is none of the user's (config/foreign_environment.py).
            return ""
        registered = is_folder(folder + "/" + FOLDER) and folder + "/" + FOLDER != home and _registration(folder, home)
        if registered:
            return folder if b'"capture": true' in registered else ""
        folder = folder.rpartition("/")[0]
    return ""


def _registration(folder: str, home: str) -> bytes:
    """What our home keeps of a workspace; nothing where it is unknown."""
    name = blake2b(folder.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    try:
        fd = open_file(home + "/workspaces/" + name + ".json", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(fd, 65536)
    finally:
        os.close(fd)


def parse_json(raw: bytes) -> "Any":
    """The JSON document in some bytes; None when it is none."""
    text = raw.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return _json.make_scanner(_Reading())(text, 0)[0]  # type: ignore[arg-type]  # the stub knows json's own only
    except (StopIteration, ValueError, RecursionError, SystemError):
        return None


def _environment() -> "dict[str, str]":
    return {_text(name): _text(value) for name, value in os.environ.items()}


def _text(raw: "bytes | str") -> str:
    return raw if isinstance(raw, str) else raw.decode("utf-8", "surrogateescape")


def _home(env: "Mapping[str, str]") -> str:
    given = env.get("HOLDFAST_HOME") or "~/.holdfast"
    path = env.get("HOME", "") + given[1:] if given.startswith("~/") else given
    named, own = _resolve_folder(path) or path, _installed_home()
    if not own or own == named:
        return named
    log_problem(own, f"HOLDFAST_HOME is {named}, and this hook was installed in {own}: that one counts")
    # What is loaded later reads the environment again.
    os.environ[b"HOLDFAST_HOME"] = own.encode("utf-8", "surrogateescape")
    return own


def _installed_home() -> str:
    """The home in which the hook lies that a client runs; empty where this is run otherwise."""
    begun = sys.argv[0] if sys.argv else ""
    return _resolve_folder(begun[: -len(SHIM)]) if begun.endswith(SHIM) and begun.startswith("/") else ""


def _resolve_folder(path: str) -> str:
    """The real path of a folder; empty when it is none. This process is ours alone, so it may go there."""
    try:
        os.chdir(path)
        return os.getcwd()
    except OSError:
        return ""


def _read_stdin() -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < LARGEST_PAYLOAD and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _print(told: bytes) -> None:
    while told:
        told = told[os.write(1, told) :]


def _are_records_behind(folder: str) -> bool:
    """Whether the journal has events that the records have not seen (records/refresh_records.py keeps their place)."""
    try:
        fd = open_file(folder + "/state/records.place", os.O_RDONLY)
        try:
            segment, _, offset = os.read(fd, 64).decode().partition(" ")
        finally:
            os.close(fd)
        newest = max(name for name in os.listdir(folder + "/journal") if name.endswith(".jsonl"))
        return newest != segment or os.stat(folder + "/journal/" + newest).st_size != int(offset)
    except (OSError, ValueError):
        return True


def _follow_calls(folder: str, event: "dict[str, Any]") -> None:
    """Keep which calls that run commands are open, and mark a prompt that comes meanwhile.

    Only its own end, or the end of its session's turn, closes a call: another prompt does not.
    """
    name, data, calls = event["name"], event["data"], folder + "/state/calls"
    try:
        if name == "before_tool" and _runs_commands(data):
            _open_call(folder, calls + "/" + _call_name(event))
        elif not is_folder(folder + "/state") or not is_folder(calls):
            # None was ever open; or a repository put a link there, which is not followed.
            return
        elif name in ("after_tool", "tool_failed"):
            drop_file(calls + "/" + _call_name(event))
        elif name == "prompt" or name in OVER:
            _look_at_calls(calls, event)
    except OSError as error:
        # Not to be told apart any more: rather none of the user's words than an agent's for theirs.
        if name == "prompt" and not isinstance(error, FileNotFoundError):
            data[payloads.AMID_CALL] = True


def _look_at_calls(calls: str, event: "dict[str, Any]") -> None:
    mine, now = _short(str(event["session"])), time.time()
    for name in os.listdir(calls):
        path = calls + "/" + name
        if (event["name"] in OVER and name.startswith(mine)) or _modified_time(path) < now - LONGEST_CALL:
            drop_file(path)
        elif event["name"] == "prompt":
            event["data"][payloads.AMID_CALL] = True


def _modified_time(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _runs_commands(data: "Mapping[str, Any]") -> bool:
    given = data.get("input")
    if not isinstance(given, dict):
        return isinstance(given, str)
    return not RUNNING.isdisjoint(given) or str(data.get("tool", "")).startswith("mcp__")


def _open_call(folder: str, path: str) -> None:
    for place in (folder + "/state", folder + "/state/calls"):
        if not is_folder(place):
            if path_exists(place):
                return
            make_folder(place)
    os.close(open_file(path, os.O_WRONLY | os.O_CREAT))


def _call_name(event: "dict[str, Any]") -> str:
    """A call by its session and its id; by its tool, where a client gives calls none."""
    data = event["data"]
    return _short(str(event["session"])) + "." + _short(str(data.get("call") or data.get("tool", "")))


def _short(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _mark_told_log(folder: str, event: "dict[str, Any]") -> None:
    """Add a line to what a session was told (records/injected_context.py); without a list it was told nothing."""
    name = blake2b(str(event["session"]).encode("utf-8", "replace"), digest_size=8).hexdigest()
    line = f"!{event['name']} {event['client']} {event['data'].get('trigger', '')}"
    try:
        fd = open_file(folder + "/state/told/" + name, os.O_WRONLY | os.O_APPEND)
    except OSError:
        return
    try:
        os.write(fd, " ".join(line.split()).encode("utf-8", "replace") + b"\n")
    finally:
        os.close(fd)
