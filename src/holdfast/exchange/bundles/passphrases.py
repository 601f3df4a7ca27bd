"""Passphrases and identities that a command names: in a file or a variable, never among its words."""

import os

from holdfast.config.secrets import read_secret
from holdfast.core.errors import BadRequest

ENV = "env:"
SHORTEST = 8


class PassphraseTooShort(BadRequest):
    """A passphrase that anybody guesses."""

    def __init__(self) -> None:
        super().__init__("The passphrase is too short.", f"take at least {SHORTEST} characters.")


def read_passphrase(place: str) -> str:
    """The first line of a file, or a variable; empty where nothing is named."""
    if not place:
        return ""
    held = read_secret(place if place.startswith(ENV) else f"file:{os.path.abspath(place)}", "--passphrase-file")
    words = held.splitlines()[0] if held else ""
    if len(words) < SHORTEST:
        raise PassphraseTooShort
    return words


def read_identities(places: list[str]) -> tuple[str, ...]:
    """The texts of identity files."""
    named = (place if place.startswith(ENV) else f"file:{os.path.abspath(place)}" for place in places)
    return tuple(read_secret(place, "--identity") for place in named)
