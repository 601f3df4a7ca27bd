"""Events that wait in the user's home, one file each, because the journal's lock could not be had in time.

The next hook or command takes them into the journal, in order. They wait in the home folder and not in the workspace:
what lies there no repository can bring. Near the hook's cold path, so nothing slow is imported; a hook loads this only
where an event waits, or has to.
"""

import _json
import posix as os
import time
from _blake2 import blake2b

from holdfast.journal import append_records, journal_folder, line_format

MYPY = False
if MYPY:
    from typing import Any

FOLDER = "spool"
ENDING = ".event"
DAMAGED = ".damaged"
PREFIX = "spool:"
# As many are taken in at a time: a hook keeps its client waiting, and all of them wait for one lock.
AT_ONCE = 200
MOST_WAITING = 20_000


class SpoolFull(OSError):
    """So many events wait that something is wrong for good."""


def spool_path(home: str, folder: str) -> str:
    """Where the events of a workspace wait, by its folder of ours."""
    workspace = folder.rpartition("/")[0]
    digest = blake2b(workspace.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return f"{home}/{FOLDER}/{digest}"


def list_waiting(spool: str) -> list[str]:
    """The names of the events that wait, oldest first."""
    try:
        return sorted(name for name in os.listdir(spool) if name.endswith(ENDING))
    except OSError:
        return []


def count_spooled(home: str, folder: str) -> tuple[int, int]:
    """How many events of a workspace wait, and how many files of such are damaged."""
    try:
        names = os.listdir(spool_path(home, folder))
    except OSError:
        return 0, 0
    return sum(name.endswith(ENDING) for name in names), sum(name.endswith(DAMAGED) for name in names)


def put_event(spool: str, document: "dict[str, Any]", encode: "Any") -> None:
    """Keep an event durably. It gets a key where it has none, so that it can be in the journal but once."""
    if len(list_waiting(spool)) >= MOST_WAITING:
        raise SpoolFull(f"{MOST_WAITING} events wait in {spool}")
    mark = os.urandom(8).hex()
    document = {**document, "key": document["key"] or PREFIX + mark}
    data = line_format.frame(encode(document))
    name = f"{spool}/{time.time_ns():020d}-{mark}{ENDING}"
    while not _put_file(spool, name, data):
        # Whoever took the last event away took the folder with it.
        continue


def _put_file(spool: str, name: str, data: bytes) -> bool:
    journal_folder.make_folder(spool)
    try:
        journal_folder.replace_file(name, data)
        journal_folder.sync_folder(spool)
    except FileNotFoundError:
        return False
    return True


def keep_aside(home: str, folder: str, document: "dict[str, Any]", encode: "Any", error: Exception) -> bool:
    """Have an event wait that the journal did not take; whether there is nothing more to say of it."""
    from holdfast.journal.journal_errors import JournalBusy, JournalUnwritable

    if isinstance(error, JournalBusy | JournalUnwritable):
        put_event(spool_path(home, folder), document, encode)
    return isinstance(error, JournalBusy)


def read_waiting(spool: str) -> "list[tuple[str, tuple[str, str, bytes]]]":
    """The oldest events that wait, each with the path of its file; what is damaged is set aside, and reported."""
    found = []
    for name in list_waiting(spool)[:AT_ONCE]:
        entry = _read_entry(spool, name)
        if entry:
            found.append((f"{spool}/{name}", entry))
        else:
            os.rename(f"{spool}/{name}", f"{spool}/{name}{DAMAGED}")
    return found


def _read_entry(spool: str, name: str) -> "tuple[str, str, bytes] | None":
    try:
        fd = journal_folder.open_file(f"{spool}/{name}", os.O_RDONLY)
    except OSError:
        return None
    try:
        line = journal_folder.read_all(fd)
    finally:
        os.close(fd)
    body, stamp = line_format.unframe(line), name[:20]
    if body is None or not stamp.isdigit():
        return None
    # The key stands in the body already, as the journal writes it.
    return _key_in(body), line_format.stamp(int(stamp) // 1_000_000), body


def _key_in(body: bytes) -> str:
    at = body.find(b'"key":"') + 6
    return str(_json.scanstring(body[at:].decode("utf-8"), 1, False)[0]) if at > 5 else ""


def append_in_order(home: str, folder: str, document: "dict[str, Any]", encode: "Any", patience: float) -> str:
    """Take what waits into the journal, then an event; its id. It waits too where more does than is taken at a time."""
    spool = spool_path(home, folder)
    waiting = read_waiting(spool)
    entries = [entry for _, entry in waiting]
    waits = len(list_waiting(spool)) > len(waiting)
    if waits:
        put_event(spool, document, encode)
    else:
        entries.append((str(document["key"]), "", encode(document)))
    receipts = append_records.append(folder + "/journal", entries, patience=patience)
    drop_taken([path for path, _ in waiting])
    return "" if waits else receipts[-1][0]


def drop_taken(paths: list[str]) -> None:
    """Remove the files of events that the journal has now; another process may have done so."""
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
    spool = paths[0].rpartition("/")[0] if paths else ""
    try:
        if spool:
            os.rmdir(spool)
            os.rmdir(spool.rpartition("/")[0])
    except OSError:
        # Another event came meanwhile, or one waits for another journal.
        return


def take_in(home: str, folder: str, *, patience: float = 1.0) -> int:
    """Take what waits into the journal of a workspace; how many still wait then."""
    spool = spool_path(home, folder)
    try:
        while waiting := read_waiting(spool):
            append_records.append(folder + "/journal", [entry for _, entry in waiting], patience=patience)
            drop_taken([path for path, _ in waiting])
    except Exception:  # what waits, waits on
        return len(list_waiting(spool))
    return 0
