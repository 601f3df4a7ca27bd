"""Calls of which nothing can be said: too large to be read, or made while the guard could not look."""

import os
import tomllib

from holdfast.core.home import OWN_POLICY

STERN = frozenset({"ask", "block"})
RULE = "too-large"
UNJUDGED = "Holdfast's guard could not look at this call, and you have rules that ask or block: please look yourself."
LARGEST_POLICY = 1 << 20


def has_stopping_rule(home: str) -> bool:
    """Whether the user's own policy stops anything; one that cannot be read as such may."""
    try:
        fd = os.open(os.path.join(home, OWN_POLICY), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        with os.fdopen(fd, "rb") as file:
            found = tomllib.loads(file.read(LARGEST_POLICY).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return True
    return any(_is_stern(rule) for key in ("rules", "own") for rule in _tables(found.get(key)))


def _tables(found: object) -> list[object]:
    return list(found.values()) if isinstance(found, dict) else []


def _is_stern(rule: object) -> bool:
    return isinstance(rule, dict) and rule.get("action") in STERN
