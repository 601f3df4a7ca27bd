"""The hook that clients run: one small file in our home folder, whose path never changes."""

import os

from holdfast.core.errors import BadRequest
from holdfast.system.folders import translate_os_errors
from holdfast.system.safe_write import put_file

# What the system reads of a first line is 127 bytes on older Linux.
_LONGEST = 120
RUNNABLE = 0o755
_BODY = '''\
"""Holdfast's hook, written by `holdfast init`. Clients run it on every event; it never fails."""
import gc
import sys

gc.disable()
sys.path.insert(0, {root})
try:
    from holdfast.hook.run_hook import main

    try:
        main()
    except SystemExit:
        pass
    sys.stdout.flush()
except BaseException:
    pass
try:
    from posix import _exit

    _exit(0)
except BaseException:
    pass
'''


class OddInterpreter(BadRequest):
    """A path that cannot be written into the hook."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The path of Python has a quote or a line break in it: {path!r}.", "install holdfast somewhere else."
        )


def hook_path(home: str) -> str:
    """Where the hook is."""
    return os.path.join(home, "bin", "hook")


def build_shim(python: str, package_root: str) -> bytes:
    """The hook's text: the same in every release, but for the paths of Python and of the package."""
    body = _BODY.format(root=_literal(package_root))
    first = f"#!{python} -IS"
    if " " not in python and "\t" not in python and len(os.fsencode(first)) <= _LONGEST and "\n" not in python:
        return os.fsencode(f"{first}\n{body}")
    if "'" in python or "\n" in python or "\\" in python:
        raise OddInterpreter(python)
    # A shell takes the third line for a command, Python the same line for the start of a text in quotes.
    return os.fsencode(
        f"#!/bin/sh\n# Python's path is too long, or has a blank in it.\n'''exec' '{python}' -IS \"$0\"\n' '''\n{body}"
    )


def write_shim(home: str, python: str, package_root: str) -> str:
    """Write the hook, unless it is there as it should be; its path. No client ever meets half of it."""
    path, text = hook_path(home), build_shim(python, package_root)
    with translate_os_errors(path):
        if _bytes_of(path) != text or not os.access(path, os.X_OK):
            put_file(path, text, mode=RUNNABLE)
    return path


def _bytes_of(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _literal(path: str) -> str:
    """A path as Python reads it back, whatever bytes it holds."""
    return repr(path) if path.isprintable() and path.isascii() else ascii(path)
