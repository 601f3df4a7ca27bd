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
# What `git rev-parse --local-env-vars` names, and programs.
ELSEWHERE = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_ATTR_SOURCE",
    "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
    "GIT_PAGER", "GIT_EDITOR", "GIT_PROXY_COMMAND", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
})  # fmt: skip
GIVEN = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_PARAMETERS", "GIT_TRACE")


def ask_git(folder: str, *words: str) -> str | None:
    """What git prints for some words in a folder; None when git is not there or does not answer."""
    told = _run_git(folder, words, "")
    return told[1] if told else None


def ask_git_with_input(folder: str, *words: str, given: str = "") -> str | None:
    """The same, given some lines; None also when git refuses."""
    told = _run_git(folder, words, given)
    return told[1] if told and told[0] == 0 else None


def ask_git_for_bytes(folder: str, *words: str, given: str = "") -> bytes | None:
    """The same, as bytes."""
    told = _run_git_for_bytes(folder, words, given)
    return told[1] if told and told[0] == 0 else None


def _run_git(folder: str, words: tuple[str, ...], given: str) -> tuple[int, str] | None:
    told = _run_git_for_bytes(folder, words, given)
    return (told[0], told[1].decode(errors="replace")) if told else None


def _run_git_for_bytes(folder: str, words: tuple[str, ...], given: str) -> tuple[int, bytes] | None:
    # Loaded by name, when it is needed: it costs 10 ms, and a search asks git nothing.
    subprocess = import_module("subprocess")
    try:
        done = subprocess.run(
            [*GIT, "-C", folder, *words], input=given.encode(), capture_output=True, timeout=SECONDS,
            env={**find_own_environment(), **OFFLINE},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, bytes(done.stdout)


def find_own_environment() -> dict[str, str]:
    """The environment without what would have git look at another repository, or name programs for it.

    Git itself sets some of it for hooks; a client may take it from a repository's own settings.
    """
    return {name: value for name, value in os.environ.items() if name not in ELSEWHERE and not name.startswith(GIVEN)}
