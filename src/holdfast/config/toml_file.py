"""Reading a settings file."""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.errors import BadRequest


class BrokenSettings(BadRequest):
    """A settings file that is not TOML."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Settings file {path!r} cannot be read: {reason}.", "fix the file, or move it away.")


def read_file(path: str) -> dict[str, Any]:
    """The keys of a settings file, dotted. A file that is not there sets nothing."""
    try:
        # A pipe in its place must not be waited for.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BrokenSettings(path, "it is not a regular file")
            return dict(_flatten_keys(tomllib.load(file)))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenSettings(path, str(error)) from error
    except OSError as error:
        raise BrokenSettings(path, error.strerror or str(error)) from error


def _flatten_keys(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flatten_keys(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
