"""Terminals inside others: what tmux and screen draw, any program of the user can type into.

A pane of tmux counts where the one who looks at it typed a moment ago, in a terminal that counts itself. screen does
not tell: there it counts while no client runs.
"""

import os
import subprocess
import time
from collections.abc import Callable

from holdfast.core.home import read_environment
from holdfast.system.processes import Process, list_processes, name_terminal, read_process
from holdfast.workspace import name_client

TMUX, SCREEN = "tmux", "screen"
# How long ago a key may have been pressed: a command begins a moment after Enter, and Python takes its time.
LATELY = 10
SECONDS = 3
LISTED = "#{client_pid} #{client_activity} #{client_control_mode} #{client_readonly} #{pane_tty} #{pid}"


def is_multiplexer(process: Process) -> bool:
    """Whether a process draws terminals inside others."""
    return bool(_kind_of(process))


def find_screen_problem(holder: Process, inside: Process, judge: Callable[[Process], str]) -> str:
    """What speaks against a person in a pane; `judge` says it of the terminal in which they look at it."""
    client = find_running_client()
    if _kind_of(holder) == SCREEN:
        return f"{client} runs, and could type into this screen" if client else ""
    looking = [(process, at) for process, at, pane in _list_watching(holder) if pane == name_terminal(inside.terminal)]
    if not looking:
        return "nobody looks at this pane of tmux"
    # Without a client nobody is there who would type for them.
    typing = [process for process, at in looking if not client or time.time() - at <= LATELY]
    if not typing:
        return f"{client} runs, and nobody typed into this pane of tmux just now"
    return min((judge(process) if process.terminal else "tmux has no terminal there" for process in typing), key=len)


def find_running_client() -> str:
    """A client that this user runs now, wherever; an empty text for none."""
    return next((found for each in list_processes() if (found := name_client(each, {}))), "")


def _kind_of(process: Process) -> str:
    if any(name.startswith("tmux") for name in process.names):
        return TMUX
    return SCREEN if any(name.lower() == SCREEN for name in process.names) else ""


def _list_watching(server: Process) -> list[tuple[Process, float, str]]:
    """Who looks at which pane of a tmux server, and when they last pressed a key."""
    socket = read_environment().get("TMUX", "").partition(",")[0]
    program = f"/proc/{server.pid}/exe"
    command = (program if os.path.exists(program) else TMUX, *(("-S", socket) if socket else ()))
    try:
        told = subprocess.run(  # the server's own program
            (*command, "list-clients", "-F", LISTED), capture_output=True, text=True, timeout=SECONDS, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    found: list[tuple[Process, float, str]] = []
    for line in told.splitlines():
        pid, at, control, readonly, pane, owner = (line.split(" ") + [""] * 6)[:6]
        if pid.isdigit() and at.isdigit() and owner == str(server.pid) and control != "1" and readonly != "1":
            process = read_process(int(pid))
            if process is not None:
                found.append((process, float(at), pane))
    return found
