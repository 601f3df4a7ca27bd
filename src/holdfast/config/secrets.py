"""Secrets that settings name and never hold."""

import os

from holdfast.core.errors import BadRequest
from holdfast.core.home import read_environment

LARGEST = 1 << 16


class NoSecret(BadRequest):
    """A place where a secret should be, and is not."""

    def __init__(self, setting: str, place: str, reason: str) -> None:
        super().__init__(f"The secret that {setting} names is not there: {place!r} {reason}.", "put it there first.")


def read_secret(place: str, setting: str) -> str:
    """What `env:NAME` or `file:PATH` holds."""
    kind, _, rest = place.partition(":")
    if kind == "env":
        found = read_environment().get(rest, "")
    else:
        try:
            # Without O_NONBLOCK, a FIFO would wait for ever.
            with open(os.open(os.path.expanduser(rest), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                found = file.read(LARGEST).decode("utf-8", "replace")
        except OSError as error:
            raise NoSecret(setting, place, f"cannot be read: {error.strerror}") from error
    if not found.strip():
        raise NoSecret(setting, place, "is empty")
    return found
