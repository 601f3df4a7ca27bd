"""Reading a settings file."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.domain.errors import BadRequest


class BrokenSettings(BadRequest):
    """A settings file that is not TOML."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Settings file {path!r} cannot be read: {reason}.", "mend the file, or move it away.")


def read_file(path: str) -> dict[str, Any]:
    """The keys of a settings file, dotted. A file that is not there sets nothing."""
    try:
        with open(path, "rb") as file:
            return dict(_dotted(tomllib.load(file)))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenSettings(path, str(error)) from error
    except OSError as error:
        raise BrokenSettings(path, error.strerror or str(error)) from error


def _dotted(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
