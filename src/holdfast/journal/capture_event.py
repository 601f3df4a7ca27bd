"""An event into the journal, without what must not reach the disk. On the hook's cold path: loads next to nothing."""

import _json
import posix as os
import time
from _blake2 import blake2b
from _signal import ITIMER_REAL, setitimer  # type: ignore[import-not-found]  # C's own, which `signal` wraps

from holdfast.journal import append_records as journal
from holdfast.journal.journal_folder import open_file
from holdfast.redact import clean as redact

# Type checkers know this name; `typing` would cost a third of a bare Python start.
MYPY = False
if MYPY:
    from typing import Any

# A call with one of these runs commands, which may do whatever their user can: also call this hook.
RUNNING = frozenset({"command", "cmd", "script", "commands", "code", "command_line"})
LONGEST_LOG = 1024 * 1024
# `holdfast doctor` counts the lines of the hook's log that end so.
LOST = "the event was lost"
# So long a capture waits for the journal's lock.
LONGEST_WAIT = 1.0
# A time limit that fell into a clean-up comes again.
AGAIN = 0.5


# Prompts and answers are kept whole; of what tools take and give, the beginning, the end, and the hash of it all.
TOOL_LIMITS = (("input", 32_000), ("output", 16_000), ("error", 16_000), ("extra", 8_000))


def capture_event(folder: str, event: "dict[str, Any]", home: str = "") -> str:
    """Put an event into the journal, without what must not reach the disk; its id once it is there.

    With our home folder given, an event waits there where the journal's lock cannot be had: then it has no id yet.
    """
    # In this order: another process may make it between the two looks.
    if path_exists(folder + "/journal") and not is_folder(folder + "/journal"):
        raise OSError(f"{folder}/journal is no folder; links are not followed")
    document = {
        "kind": "event",
        "client": event["client"],
        "session": event["session"],
        "name": event["name"],
        "key": event["key"],
        "data": redact_event(folder, event),
    }
    # What is written from here on is written whole: a hook's time limit waits until it is.
    left = setitimer(ITIMER_REAL, 0.0)[0]
    try:
        return _append_or_spool(folder, document, home)
    finally:
        if left:
            setitimer(ITIMER_REAL, left, AGAIN)


def _append_or_spool(folder: str, document: "dict[str, Any]", home: str) -> str:
    try:
        if home and is_folder(home + "/spool"):
            from holdfast.journal import spool

            return spool.append_in_order(home, folder, document, encode_json, LONGEST_WAIT)
        entry = (str(document["key"]), "", encode_json(document))
        [(event_id, _)] = journal.append(folder + "/journal", [entry], patience=LONGEST_WAIT)
    except Exception as error:
        if home:
            from holdfast.journal import spool

            if spool.keep_aside(home, folder, document, encode_json, error):
                return ""
        raise
    return event_id


def redact_event(folder: str, event: "dict[str, Any]") -> "dict[str, Any]":
    """The event's content, redacted; private text that began in an earlier event of the session is remembered."""
    data = dict(event["data"])
    before = _private_state(folder, str(event["session"]))
    state = before
    result: dict[str, Any] = {}
    limits = dict(TOOL_LIMITS)
    found: dict[str, int] = {}
    for name, value in data.items():
        commands = RUNNING if name == "input" else frozenset[str]()
        cleaned = redact.clean(value, state=before, limit=limits.get(name), commands=commands)
        result[name] = cleaned.value
        # Only the user's own words open and close it: a tool that merely prints the tag must not silence a session.
        state = cleaned.state if name == "prompt" else state
        for kind, count in cleaned.found.items():
            found[kind] = found.get(kind, 0) + count
    if found:
        result["redacted"] = found
    if state != before:
        _keep_private_state(folder, str(event["session"]), state)
    return result


def encode_json(document: "dict[str, Any]") -> bytes:
    """A document as JSON on one line."""
    encode = _json.make_encoder(None, str, _json.encode_basestring, None, ":", ",", False, True, False)
    text = "".join(encode(document, 0))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair is JSON's to say and not UTF-8's.
        ascii_only = _json.make_encoder(None, str, _json.encode_basestring_ascii, None, ":", ",", False, True, False)
        return "".join(ascii_only(document, 0)).encode()


def log_problem(home: str, trouble: str) -> None:
    """Note our own trouble where `holdfast doctor` shows it."""
    try:
        if not is_folder(home):
            return
        make_folder(home + "/logs")
        path = home + "/logs/hook.log"
        if _size(path) > LONGEST_LOG:
            os.rename(path, path + ".1")
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = stamp + " " + " ".join(trouble.split())[:500] + "\n"
        fd = open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, line.encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:
        return


def is_folder(path: str) -> bool:
    """Whether a path is a folder itself, and no link to one."""
    try:
        return os.lstat(path).st_mode & 0o170000 == 0o040000
    except OSError:
        return False


def find_link(folder: str) -> str:
    """The first link where our files belong, or nothing: a repository could point our writes anywhere by one."""
    with os.scandir(folder) as inside:
        return next((entry.name for entry in inside if entry.is_symlink()), "")


def path_exists(path: str) -> bool:
    """Whether anything stands at a path, a broken link included."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def make_folder(folder: str) -> None:
    """Make a folder for its owner alone, unless it is there."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return


def _private_state(folder: str, session: str) -> int:
    try:
        fd = open_file(_private_path(folder, session), os.O_RDONLY)
    except OSError:
        return 0
    try:
        found = os.read(fd, 16)
    finally:
        os.close(fd)
    return int(found) if found.isdigit() else 0


def _keep_private_state(folder: str, session: str, state: int) -> None:
    path = _private_path(folder, session)
    if not state:
        drop_file(path)
        return
    make_folder(folder + "/state")
    make_folder(folder + "/state/private")
    fd = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(fd, str(state).encode())
    finally:
        os.close(fd)


def drop_file(path: str) -> None:
    """Remove a file, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _private_path(folder: str, session: str) -> str:
    return folder + "/state/private/" + blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
