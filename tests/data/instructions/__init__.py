"""Instruction files, labelled by hand before they were read: what of them is a rule.

Each line begins with its label and a bar: `R` a rule begins here, `F` a fact that may be kept, `C` commands that may be
kept as one learning of their heading, a space for what is nothing.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from holdfast.importers.foreign_text import strip_markdown

DATA = Path(__file__).parent
NAMES = ("bullets", "prose", "mixed")


class LabelledLine(NamedTuple):
    """A line of an instruction file, and what it is."""

    label: str
    text: str


class InstructionScore(NamedTuple):
    """What was found of an instruction file: rules missed, and what was taken that is none."""

    rules: int
    taken: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def precision(self) -> float:
        """The share of what was taken that should be."""
        return 1 - len(self.wrong) / self.taken if self.taken else 0.0

    @property
    def recall(self) -> float:
        """The share of the rules that was taken."""
        return 1 - len(self.missed) / self.rules


def read_labelled(path: Path) -> list[LabelledLine]:
    """The lines of a labelled file."""
    return [LabelledLine(line[0].strip(), line[2:]) for line in path.read_text(encoding="utf-8").splitlines()]


def text_of(lines: Sequence[LabelledLine]) -> str:
    """The file as its people wrote it."""
    return "\n".join(line.text for line in lines) + "\n"


def score_titles(lines: Sequence[LabelledLine], titles: Iterable[str]) -> InstructionScore:
    """Compare titles with the labels: a title is at home in the line that has its words."""
    given = list(titles)
    homes = [next((line for line in lines if _is_in(title, line.text)), None) for title in given]
    rules = [line for line in lines if line.label == "R"]
    missed = tuple(line.text for line in rules if not any(home is line for home in homes))
    commands = [title for title in given if title.startswith("Commands: ")]
    pairs = zip(given, homes, strict=True)
    told = [title for title, home in pairs if title not in commands and not (home and home.label)]
    wrong = (*told, *commands[sum(line.label == "C" for line in lines) :])
    return InstructionScore(len(rules), len(given), missed, wrong)


def _is_in(title: str, line: str) -> bool:
    return _plain(title)[:40] in _plain(line)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", strip_markdown(text.replace("…", "")).lower()).strip()
