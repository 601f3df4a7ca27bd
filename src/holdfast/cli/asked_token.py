"""A server's token, asked for so that nobody who lists processes sees it."""

import getpass
import sys

from holdfast.core.errors import BadRequest


class NoTokenGiven(BadRequest):
    """An empty answer."""

    def __init__(self) -> None:
        super().__init__("No token was given.", "the server's keeper makes one: `holdfast serve token add NAME`.")


def asked_token(path: str) -> str:
    """The token in a file, else the first line of standard input, else what a person types. Raises NoTokenGiven."""
    found = _read(path) if path else _asked()
    if not found:
        raise NoTokenGiven
    return found


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path!r} cannot be read: {error}.") from error


def _asked() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return getpass.getpass("Token: ").strip()
