"""Made-up memories, the same in every run."""

import os
import random
from collections.abc import Sequence

VOCABULARY = 30_000
FUNCTION_WORDS = [
    "the",
    "of",
    "to",
    "and",
    "a",
    "in",
    "is",
    "we",
    "for",
    "that",
    "it",
    "on",
    "with",
    "this",
    "by",
    "be",
    "are",
    "not",
    "when",
    "from",
    "or",
    "as",
    "at",
]
FOLDERS = ["src", "lib", "app", "core", "api", "db", "users", "auth", "cache", "jobs", "tests", "web"]
TYPES = (("DEC", "decision"), ("INV", "invariant"), ("LRN", "learning"), ("FAIL", "failure"), ("PAT", "pattern"))


class Generator:
    """Memories as a team writes them: Zipf's words, identifiers, paths. `then`: the same words, other texts."""

    def __init__(self, seed: int = 7, then: int | None = None) -> None:
        self._chance = random.Random(seed)
        made = {self._word() for _ in range(VOCABULARY * 2)}
        self._words = [*FUNCTION_WORDS, *sorted(made)[:VOCABULARY]]
        self._chance.shuffle(self._words[len(FUNCTION_WORDS) :])
        total, self._weights = 0.0, []
        for rank in range(len(self._words)):
            total += 1 / (rank + 1)
            self._weights.append(total)
        if then is not None:
            self._chance.seed(then)

    def memory(self, number: int) -> tuple[str, str, str]:
        """A path, a title and a body."""
        prefix, kind = TYPES[number % len(TYPES)]
        body = self.words(52) + [self._identifier() for _ in range(4)] + [self._path() for _ in range(2)]
        self._chance.shuffle(body)
        return f"{kind}s/{prefix}-{number:06}.md", " ".join(self.words(7)), " ".join(body)

    def query(self) -> str:
        """What somebody asks: two to six words, now and then an identifier."""
        asked = self.words(self._chance.randint(2, 6))
        return " ".join([*asked, self._identifier()] if self._chance.random() < 0.3 else asked)

    def words(self, count: int) -> list[str]:
        """Words as often as language has them."""
        return self._chance.choices(self._words, cum_weights=self._weights, k=count)

    def _word(self) -> str:
        beats = self._chance.randint(1, 4)
        return "".join(self._chance.choice("bcdfgklmnprstv") + self._chance.choice("aeiou") for _ in range(beats))

    def _identifier(self) -> str:
        parts = [word for word in self.words(3) if len(word) > 1] or ["x"]
        return "_".join(parts) if self._chance.random() < 0.5 else "".join(map(str.capitalize, parts))

    def _path(self) -> str:
        return f"{'/'.join(self._chance.sample(FOLDERS, 2))}/{self.words(1)[0]}.py"


def write(folder: str, memories: Sequence[tuple[str, str, str]]) -> None:
    """The memories as files of a vault below a folder."""
    for path, title, body in memories:
        whole = os.path.join(folder, "memory", path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        name = os.path.basename(path).removesuffix(".md")
        kind = os.path.dirname(path).removesuffix("s")
        with open(whole, "w", encoding="utf-8") as file:
            file.write(
                f"---\nid: {name}\ntype: {kind}\ntitle: {title}\ntags: [team]\nupdated: 2026-11-15\n---\n{body}\n"
            )
