"""Processes of this machine, as far as the system lets us read them: `/proc` on Linux, `ps` elsewhere."""

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from holdfast.core.value import Value

PROC = "/proc"
MOST_ABOVE = 64
# The devices of pseudo-terminals on Linux: any program can be at the other end of one.
PSEUDO = range(136, 144)
PS = ("ps", "-axo", "pid=,ppid=,tty=,comm=")
SECONDS = 5


class Process(Value):
    """A process. `names`: the program's own, and that of its file; `words`: its command line.

    `terminal`: its controlling terminal, 0 without one. `foreground`: the group of processes that the terminal's keys
    go to, 0 where nobody tells.
    """

    pid: int
    parent: int
    session: int
    terminal: int
    names: frozenset[str]
    words: tuple[str, ...] = ()
    group: int = 0
    foreground: int = 0


def read_process(pid: int) -> Process | None:
    """A process by its number; None where there is none."""
    return _read_from_proc(pid) if os.path.isdir(f"{PROC}/self") else _read_with_ps().get(pid)


def list_above(pid: int) -> list[Process]:
    """The processes above one: its parent first."""
    found: list[Process] = []
    at = read_process(pid)
    while at is not None and at.parent > 0 and len(found) < MOST_ABOVE:
        at = read_process(at.parent)
        if at is not None:
            found.append(at)
    return found


def list_processes() -> Iterator[Process]:
    """The user's own processes."""
    if not os.path.isdir(f"{PROC}/self"):
        yield from _read_with_ps().values()
        return
    for name in os.listdir(PROC):
        with suppress(OSError):
            if name.isdigit() and os.stat(f"{PROC}/{name}").st_uid == os.getuid():
                found = _read_from_proc(int(name))
                if found is not None:
                    yield found


def read_process_environment(pid: int) -> Mapping[str, str]:
    """The environment that a process began with; empty where that may not be read."""
    pairs = (part.partition("=") for part in _read_text(f"{PROC}/{pid}/environ").split("\0"))
    return {name: value for name, sign, value in pairs if sign}


def is_pseudo_terminal(terminal: int) -> bool:
    """Whether a program is at the other end of a terminal, and no screen or line of the machine."""
    return os.major(terminal) in PSEUDO if os.path.isdir(f"{PROC}/self") else True


def find_terminal_holder(terminal: int) -> Process | None:
    """The user's process that holds the other end of a pseudo-terminal; None where it cannot be seen."""
    number = (os.major(terminal) - PSEUDO.start) * 256 + os.minor(terminal)
    for process in list_processes():
        if _holds_other_end(process.pid, number):
            return process
    return None


def name_terminal(terminal: int) -> str:
    """A terminal's device."""
    if os.path.isdir(f"{PROC}/self") and is_pseudo_terminal(terminal):
        return f"/dev/pts/{(os.major(terminal) - PSEUDO.start) * 256 + os.minor(terminal)}"
    with suppress(OSError):
        return os.ttyname(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    return f"terminal {os.major(terminal)}:{os.minor(terminal)}"


def _holds_other_end(pid: int, number: int) -> bool:
    with suppress(OSError):
        for name in os.listdir(f"{PROC}/{pid}/fd"):
            with suppress(OSError):
                if os.readlink(f"{PROC}/{pid}/fd/{name}") in {"/dev/ptmx", "/dev/pts/ptmx"}:
                    told = _read_text(f"{PROC}/{pid}/fdinfo/{name}").split()
                    if "tty-index:" in told and told[told.index("tty-index:") + 1] == str(number):
                        return True
    return False


def _read_from_proc(pid: int) -> Process | None:
    told = _read_text(f"{PROC}/{pid}/stat")
    # The name stands in parentheses, and may hold some itself.
    name, _, rest = told.partition("(")[2].rpartition(") ")
    fields = rest.split()
    if len(fields) < 6:
        return None
    words = tuple(_read_text(f"{PROC}/{pid}/cmdline").rstrip("\0").split("\0"))
    with suppress(OSError):
        name = f"{name}\0{os.path.basename(os.readlink(f'{PROC}/{pid}/exe')).removesuffix(' (deleted)')}"
    return Process(
        pid=pid, parent=int(fields[1]), session=int(fields[3]), terminal=int(fields[4]), group=int(fields[2]),
        foreground=int(fields[5]), names=frozenset(name.split("\0")) - {""}, words=words,
    )  # fmt: skip


@cache
def _read_with_ps() -> Mapping[int, Process]:
    """All processes, read once: a command that asks is over soon."""
    try:
        told = subprocess.run(PS, capture_output=True, text=True, timeout=SECONDS, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    found = (_parse_ps_line(line) for line in told.splitlines())
    return {each.pid: each for each in found if each is not None}


def _parse_ps_line(line: str) -> Process | None:
    fields = line.split(None, 3)
    if len(fields) < 4 or not fields[0].isdigit() or not fields[1].isdigit():
        return None
    pid, session = int(fields[0]), 0
    with suppress(OSError):
        session = os.getsid(pid)
    names = frozenset({os.path.basename(fields[3].strip()).lstrip("-")})
    return Process(
        pid=pid, parent=int(fields[1]), session=session, terminal=_find_device(fields[2]), names=names,
        words=(fields[3].strip(),),
    )  # fmt: skip


def _find_device(name: str) -> int:
    """The number of a terminal by the name that `ps` gives it."""
    for path in (f"/dev/{name}", f"/dev/tty{name}"):
        with suppress(OSError):
            found = os.stat(path)
            if stat.S_ISCHR(found.st_mode):
                return found.st_rdev
    return 0


def _read_text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(1024 * 1024).decode("utf-8", "replace")
    except OSError:
        return ""
