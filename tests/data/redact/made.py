"""Texts from the templates of the rules: secrets are made at run time, so that no scanner finds one in a file."""

import random
import re
from collections.abc import Callable

ALPHABETS = {
    "": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "d": "0123456789",
    "h": "0123456789abcdef",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "c": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
}
_SLOT = re.compile(r"\{(\d+)([dhulwbc]?)\}")

Choice = Callable[[str, int], str]


def make(template: str, chance: random.Random) -> str:
    """The template with its slots filled."""
    return parts(template, lambda alphabet, count: "".join(chance.choices(alphabet, k=count)))[0]


def parts(template: str, choose: Choice) -> tuple[str, tuple[str, ...]]:
    """The template with its slots filled, and what filled those that can be secrets: eight or more, not all digits."""
    filled: list[str] = []

    def fill(slot: re.Match[str]) -> str:
        made = choose(ALPHABETS[slot[2]], int(slot[1]))
        if len(made) >= 8 and slot[2] != "d":
            filled.append(made)
        return made

    text = _SLOT.sub(fill, template)
    return text.replace("{{", "{").replace("}}", "}"), tuple(filled)
