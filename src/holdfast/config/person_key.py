"""The key that a person holds: shown once, kept as a sum in `HOLDFAST_HOME/person.key`, given by the environment.

It stands for the person where they have no terminal: in a timed job, in CI, in tests. Whoever reads our home does not
get it. A home that nobody used yet takes the first key it is given for the person's.
"""

import json
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest

from holdfast.core.errors import BadRequest, Refused
from holdfast.system.safe_write import put_file

FILE = "person.key"
VARIABLE = "HOLDFAST_KEY"
PREFIX = "hfpk_"
SHORTEST = 32
SHOWN = 12


class WrongKey(Refused):
    """A key that is not the person's."""

    def __init__(self) -> None:
        super().__init__(
            f"{VARIABLE} does not hold the key of this memory's person.",
            "take it out of the environment, or make a new key in a terminal: holdfast config key new",
        )


class WeakKey(BadRequest):
    """A key that somebody could guess."""

    def __init__(self) -> None:
        super().__init__(
            f"{VARIABLE} holds fewer than {SHORTEST} characters.",
            "`holdfast config key new` makes one that nobody guesses.",
        )


def find_key(home: str, environment: Mapping[str, str]) -> str:
    """The mark of the person's key, where the environment holds it; an empty text where it holds none.

    Raises WrongKey.
    """
    given = environment.get(VARIABLE, "")
    if not given:
        return ""
    kept = read_key_mark(home)
    if not kept and not _is_used(home):
        keep_key(home, given)
        kept = _sum(given)
    if not compare_digest(kept, _sum(given)):
        raise WrongKey
    return kept[:SHOWN]


def make_key(home: str) -> str:
    """A new key in place of the one before; its text, which is kept nowhere."""
    key = PREFIX + secrets.token_urlsafe(32)
    keep_key(home, key)
    return key


def remove_key(home: str) -> bool:
    """Have no key count any more; whether there was one."""
    try:
        os.unlink(os.path.join(home, FILE))
    except FileNotFoundError:
        return False
    return True


def read_key_mark(home: str) -> str:
    """The sum of the person's key; empty where there is none, or none that can be read."""
    try:
        with open(os.path.join(home, FILE), encoding="ascii") as file:
            return str(json.load(file)["sha256"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def keep_key(home: str, key: str) -> None:
    """Have this key count, and no other."""
    if len(key) < SHORTEST:
        raise WeakKey
    form = {"v": 1, "sha256": _sum(key), "made": datetime.now(UTC).isoformat(timespec="seconds")}
    put_file(os.path.join(home, FILE), (json.dumps(form) + "\n").encode())


def _is_used(home: str) -> bool:
    """Whether memory was ever kept or allowed from here: then a key is made by a person, and not found."""
    return any(os.path.lexists(os.path.join(home, name)) for name in ("workspaces", "memory", "config.toml"))


def _sum(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
