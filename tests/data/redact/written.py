"""Corpora written without knowledge of the rules: secrets in context, look-alikes, private keys as they come."""

import random
import re
from pathlib import Path
from typing import NamedTuple

from tests.data.redact.key_forms import FORMS, LABELS, key_lines
from tests.data.redact.made import make

HALVES = ("tuned", "held out")
_HERE = Path(__file__).parent
_MARKED = re.compile("«(.*?)»", re.DOTALL)
_MARKER = re.compile(r"\[redacted:\w+\]")
_LEAST = 8


class Written(NamedTuple):
    """One text: of which kind and half it is, and the secrets in it, none of which may be left."""

    half: str
    kind: str
    text: str
    secrets: tuple[str, ...]

    def left_in(self, text: str) -> list[str]:
        """The secrets of which a part is left in a text."""
        shown = _MARKER.sub(" ", text)
        return [secret for secret in self.secrets if any(part in shown for part in _windows(secret))]


def written_secrets() -> list[Written]:
    """The secrets in context, in both halves."""
    return [_filled(half, kind, template) for half, kind, template in _lines("secrets.txt")]


def written_lookalikes() -> list[Written]:
    """What only looks like a secret, in both halves."""
    chance = random.Random(11)
    return [Written(half, kind, make(template, chance), ()) for half, kind, template in _lines("lookalikes.txt")]


def written_keys() -> list[Written]:
    """A private key in each form; of each second one, the form is held out."""
    chance = random.Random(12)
    return [_key(HALVES[at % 2], name, chance) for at, name in enumerate(FORMS) for _ in range(2)]


def _key(half: str, name: str, chance: random.Random) -> Written:
    lines = key_lines(chance, chance.choice(LABELS))
    text = FORMS[name](lines)
    body = tuple(line for line in lines if len(line) > 30 and "-----" not in line and line in text)
    return Written(half, name, text, body)


def _filled(half: str, kind: str, template: str) -> Written:
    chance = random.Random(template)
    made = make(template, chance)
    secrets = tuple(_MARKED.findall(made))
    return Written(half, kind, _MARKED.sub(lambda found: found[1], made), secrets)


def _windows(secret: str) -> list[str]:
    size = min(len(secret), _LEAST)
    return [secret[at : at + size] for at in range(len(secret) - size + 1)]


def _lines(name: str) -> list[tuple[str, str, str]]:
    """Each line's half, kind and template."""
    lines = [line for line in (_HERE / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    split = [line.partition("\t") for line in lines]
    return [
        (HALVES[at % 2], kind, template.replace("\\n", "\n").replace("\\t", "\t"))
        for at, (kind, _, template) in enumerate(split)
    ]
