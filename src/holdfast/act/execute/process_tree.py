"""A process between us and a command: when it or we end, all that the command started ends, wherever it went.

Run by itself (`python -I -S keeper.py GRACE PROCESSES INPUT COMMAND…`), so it loads nothing of ours.
Its standard input is a pipe that we hold open: when that closes, on purpose or because we died, everything ends.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time

STOPPED, TOO_MANY, NOT_FOUND, NOT_RUN = 250, 251, 127, 126
LOOK = 0.1
_SUBREAPER = 36


def main() -> int:
    """Start the command, watch it, and clear up after it."""
    grace, most, given, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    _adopt_orphans()
    _limit_processes(most)
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    try:
        child = _start_command(command, given)
    except FileNotFoundError:
        return _report_failure(f"{command[0]}: not found", NOT_FOUND)
    except OSError as error:
        # A folder of the PATH that we may not look into says the same as a program that we may not run.
        status = NOT_RUN if _is_there(command[0]) else NOT_FOUND
        return _report_failure(f"{command[0]}: {error.strerror if status == NOT_RUN else 'not found'}", status)
    status = _watch_command(child, read, most)
    # What is left after a command that ended gets no grace, nor does what multiplies.
    _end_all(child, grace if status == STOPPED else 0.0)
    return status


def _is_there(program: str) -> bool:
    folders = [""] if "/" in program else os.environ.get("PATH", "").split(os.pathsep)
    return any(os.path.exists(os.path.join(folder, program)) for folder in folders)


def _report_failure(text: str, status: int) -> int:
    os.write(2, f"{text}\n".encode("utf-8", "replace"))
    return status


def _adopt_orphans() -> None:
    """Whatever loses its parent becomes our child, so that we know of it. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _limit_processes(most: int) -> None:
    """No more processes of this user than there are now and a few: what forks without end meets it. Not for root."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            tasks = int(file.read().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = tasks + 4 * most
    limits = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_NPROC, (min(limits), hard))


def _start_command(command: list[str], given: str) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, os.open(given or os.devnull, os.O_RDONLY), 0)]
    mask = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ)
    # A session of its own: it has no terminal to write to, and its group can be ended.
    return os.posix_spawnp(command[0], command, os.environ, file_actions=actions, setsid=True, setsigdef=mask)


def _watch_command(child: int, wake: int, most: int) -> int:
    """The command's status, or why it was ended."""
    looked = 0.0
    while True:
        status = _reap_children(child)
        if status is not None:
            return status
        ready, _, _ = select.select([0, wake], [], [], LOOK)
        if wake in ready:
            os.read(wake, 4096)
        if 0 in ready and not os.read(0, 4096):
            return STOPPED
        if time.monotonic() - looked > LOOK:
            looked = time.monotonic()
            if len(_descendants()) > most:
                return TOO_MANY


def _reap_children(child: int) -> int | None:
    """Take note of all that ended; the command's own status if it is among them."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if not ended:
            return None
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_all(child: int, grace: float) -> None:
    """Ask everything to end, then make it: whole groups at once, for what forks fast outruns a list of processes."""
    if grace:
        _end_groups(child, signal.SIGTERM)
    ends = time.monotonic() + grace
    while time.monotonic() < ends and _has_descendants():
        time.sleep(0.02)
    _end_groups(child, signal.SIGKILL)
    gives_up = time.monotonic() + 10
    while _has_descendants() and time.monotonic() < gives_up:
        _end_groups(child, signal.SIGKILL)
        time.sleep(0.01)


def _end_groups(child: int, number: int) -> None:
    """A signal to every group below us; the system delivers it to all of a group before any of it forks again."""
    own = os.getpgrp()
    _signal_group(child, number, own)
    for group in {group for _, group in _descendants()}:
        _signal_group(group, number, own)


def _signal_group(group: int, number: int, own: int) -> None:
    if group in {0, 1, own}:
        return
    try:
        os.killpg(group, number)
    except OSError:
        return


def _has_descendants() -> bool:
    _reap_children(-1)
    return bool(_descendants())


def _descendants() -> list[tuple[int, int]]:
    """Every process below us with its group, as far as /proc tells. Where it does not, the command's own is all."""
    parents: dict[int, tuple[int, int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] != b"Z":
                parents[int(name)] = int(fields[1]), int(fields[2])
    found: set[int] = {os.getpid()}
    while True:
        more = {process for process, (parent, _) in parents.items() if parent in found and process not in found}
        if not more:
            return [(process, parents[process][1]) for process in sorted(found - {os.getpid()})]
        found |= more


if __name__ == "__main__":
    sys.exit(main())
