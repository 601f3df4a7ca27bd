"""Asking git, without letting a foreign repository run anything."""

from importlib import import_module

# Reading trees and logs only: no hook, filter, monitor or diff driver of a foreign repository gets to run.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
SECONDS = 20


def ask(folder: str, *words: str) -> str | None:
    """What git prints for some words in a folder; None when git is not there or does not answer."""
    # Loaded by name, when it is needed: it costs 10 ms, and a search asks git nothing.
    subprocess = import_module("subprocess")
    try:
        done = subprocess.run([*GIT, "-C", folder, *words], capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return str(done.stdout.decode(errors="replace"))
