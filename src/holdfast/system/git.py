"""Asking git, without letting a foreign repository run anything."""

import os
from importlib import import_module

# Reading trees and logs only: no hook, filter, monitor, diff driver or signature check of a foreign repository runs.
GIT = (
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
    "--no-optional-locks",
)  # fmt: skip
# Nor is anything fetched: a partial clone names the program that would fetch what is missing.
OFFLINE = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
SECONDS = 20


def ask_git(folder: str, *words: str) -> str | None:
    """What git prints for some words in a folder; None when git is not there or does not answer."""
    told = _run_git(folder, words, "")
    return told[1] if told else None


def ask_git_with_input(folder: str, *words: str, given: str = "") -> str | None:
    """The same, given some lines; None also when git refuses."""
    told = _run_git(folder, words, given)
    return told[1] if told and told[0] == 0 else None


def _run_git(folder: str, words: tuple[str, ...], given: str) -> tuple[int, str] | None:
    # Loaded by name, when it is needed: it costs 10 ms, and a search asks git nothing.
    subprocess = import_module("subprocess")
    try:
        done = subprocess.run(
            [*GIT, "-C", folder, *words], input=given.encode(), capture_output=True, timeout=SECONDS,
            env={**os.environ, **OFFLINE},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, str(done.stdout.decode(errors="replace"))
