"""How long the engine takes on made-up collections, and where the time goes. Nothing of the disk is in it.

python -m bench.recall.latency                 10,000 and 100,000 passages
python -m bench.recall.latency 1000 50000      others
"""

import argparse
import gc
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.table import table
from holdfast.backends.ram.shelf import RamShelf
from holdfast.index.words import terms
from holdfast.ports.embed import Floats
from holdfast.ports.shelf import Text
from holdfast.recall.engine.find import find
from holdfast.recall.engine.recipes import DEFAULT, WORDS
from holdfast.recall.engine.values import Recipe

SIZES = (10_000, 100_000)
VOCABULARY = 30_000
NAMES_PER_PASSAGE = 2
WORDS_IN_PASSAGE = 30
PASSAGES_IN_GROUP = 20
QUESTIONS = 100
SYLLABLES = tuple(f"{first}{second}" for first in "bdfgklmnprst" for second in "aeiou")[:20]


class Made:
    """A static embedder of made-up words, one token each."""

    name, dims, vocabulary = "static:made", 256, VOCABULARY

    def __init__(self, words: Sequence[str]) -> None:
        self._ids = {word: place for place, word in enumerate(words)}
        found = np.random.default_rng(7).standard_normal((len(words), self.dims)).astype(np.float32)
        self._table: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[self._ids[word] for word in text.lower().split() if word in self._ids] for text in texts]

    def mean(self, ids: Sequence[int], weights: Floats | None = None) -> Floats:
        found: Floats = np.average(self._table[list(ids)], axis=0, weights=weights).astype(np.float32)
        return found

    def words(self, words: Sequence[str]) -> Floats:
        found: Floats = self._table[[self._ids.get(word, 0) for word in words]]
        return found

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's
        means = np.stack([self.mean(ids) for ids in self.tokens(texts)])
        found: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return found


class Timed:
    """A shelf that adds up how long each of its answers takes."""

    def __init__(self, shelf: RamShelf) -> None:
        self._shelf = shelf
        self.spent: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answer = getattr(self._shelf, name)

        def timed(*given: Any) -> Any:
            start = time.perf_counter()
            found = answer(*given)
            self.spent[name] += time.perf_counter() - start  # type: ignore[assignment]  # seconds, not counts
            return found

        return timed


def main() -> None:
    """Measure the sizes asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    rows = []
    for size in parser.parse_args().sizes:
        made = _collection(size)
        rows += [(f"{size:,}", recipe.name, *_measured(recipe, *made)) for recipe in (WORDS, DEFAULT)]
    columns = ("passages", "recipe", "p50 ms", "p95 ms", "engine alone p50", "of the shelf, ms a question")
    print(table(f"The engine over a shelf in memory ({QUESTIONS} questions, warm)", columns, rows))


def _collection(size: int) -> tuple[RamShelf, Made, list[str]]:
    chance = random.Random(11)
    words = [f"{a}{b}{c}{d}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES for d in SYLLABLES[:4]]
    chance.shuffle(words)
    words = words[:VOCABULARY]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    said = [chance.choices(words, weights, k=WORDS_IN_PASSAGE) for _ in range(size)]
    called = [f"name{number}" for number in range(size // 20)]
    names = {row: chance.choices(called, k=NAMES_PER_PASSAGE) for row in range(size)}
    said = [[*names[row], *each] for row, each in enumerate(said)]
    static = Made([*words, *called])
    texts = [_text(row, each) for row, each in enumerate(said)]
    vectors = {static.name: static.embed([" ".join(each) for each in said])}
    tokens = static.tokens([" ".join(each) for each in said])
    asked = [chance.choice(said) for _ in range(QUESTIONS)]
    # Some of a passage's words and others, a common one and a name among them.
    questions = [" ".join([each[0], *chance.sample(each, 4), words[3], *chance.sample(words, 2)]) for each in asked]
    shelf = RamShelf(texts, names=names, vectors=vectors, tokens=tokens)
    # A shelf on disk holds no such heap of objects for the collector to go through.
    gc.collect()
    gc.freeze()
    return shelf, static, questions


def _text(row: int, said: Sequence[str]) -> Text:
    return Text(
        row=row,
        group=row // PASSAGES_IN_GROUP,
        at=row,
        said_by="user",
        title="",
        terms=tuple(terms(" ".join(said))),
        words=tuple(dict.fromkeys(said)),
        length=len(said),
    )


def _measured(recipe: Recipe, shelf: RamShelf, static: Made, questions: Sequence[str]) -> tuple[str, ...]:
    given = static if recipe.needs else None
    whole, alone = [], []
    timed = Timed(shelf)
    for again in (False, True):
        timed.spent.clear()
        for question in questions:
            before, start = sum(timed.spent.values()), time.perf_counter()
            find(question, timed, given, None, recipe)
            spent = time.perf_counter() - start
            if again:
                whole.append(1000 * spent)
                alone.append(1000 * (spent - (sum(timed.spent.values()) - before)))
    most = ", ".join(f"{name} {1000 * spent / len(questions):.1f}" for name, spent in timed.spent.most_common(4))
    return f"{np.percentile(whole, 50):.1f}", f"{np.percentile(whole, 95):.1f}", f"{np.percentile(alone, 50):.1f}", most


if __name__ == "__main__":
    main()
