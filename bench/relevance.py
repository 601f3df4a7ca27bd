"""The model of relevance: learned on the half of our coding set that weights may see, with real prompts as the noise.

    python -m bench.relevance            how well it tells what matters, on the half it has not seen
    python -m bench.relevance --fit      learn it anew, and write src/holdfast/recall/engine/relevance.json

Stores of five sizes: 5 and 25 memories, one project (70), four projects (280), and those among decision records of
public repositories (1,000). What is asked and has an answer must be told; prompts that people gave agents in other
projects, and questions about the world at large, must be met with silence. All of it is split: no project, repository
or set of questions is in both halves.
"""

import argparse
import io
import json
import os
import random
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from bench import abstain
from bench.recall import data
from bench.recall.data import Asked, Passage
from bench.recall.encoders import Kept, static, stronger
from bench.recall.shelves import shelf
from bench.table import Row, table
from holdfast.core.embedder import Embedder, StaticEmbedder
from holdfast.core.passage_store import embedded_words
from holdfast.core.value import Value, replace
from holdfast.recall.engine import relevance
from holdfast.recall.engine.engine_values import PassageContext, Recipe
from holdfast.recall.engine.find_passages import judge_candidates
from holdfast.recall.engine.recipes import DEFAULT, MEANING, WORDS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(ROOT, "..", "shared")
HALVES = ("tune", "test")
SESSIONS = {"tune": ("specstory",), "test": ("git-sync",)}
OTHERS = {"tune": "HotpotQA", "test": "MuSiQue"}
SIZES = ("5", "25", "70", "280", "1,000")
# What each model looks at; `×` is a product.
FEATURES: Mapping[str, Sequence[str]] = {
    "meaning": (
        "near", "covered", "title", "words", "path", "passages", "shared", "near × covered", "near × words",
        "near × passages", "covered × passages", "covered × words", "rare", "names", "near × rare",
    ),
    "static": (
        "static", "soft", "covered", "title", "words", "path", "passages", "shared", "static × covered",
        "static × words", "static × passages", "covered × passages", "covered × words", "rare", "names",
    ),
    "words": (
        "covered", "title", "words", "path", "passages", "shared", "covered × passages", "covered × words", "rare",
        "names", "rare × words", "rare × title", "rare × passages",
    ),
}  # fmt: skip
RECIPES: Mapping[str, Recipe] = {"meaning": MEANING, "static": DEFAULT, "words": WORDS}
# Lines in a pack that fit 400 tokens, and how far below the best they may stand.
MOST_TOLD = 10
BELOW = 5.0
# Of prompts that nothing matters to, the share that must be met with silence.
SILENT = {"meaning": 0.92, "static": 0.85, "words": 0.85}
NOISE = {"5": 8, "280": 250, "1,000": 250}
PENALTY = 1e-4
STEPS = 60

Doubles = npt.NDArray[np.float64]


class Pair(Value):
    """One prompt at one store: the candidates with their features, and which of them are gold."""

    half: str
    size: str
    text: str
    rows: tuple[int, ...]
    features: tuple[Mapping[str, float], ...]
    gold: frozenset[int]
    noise: bool


class Store(Value):
    """Passages, what is asked of them, and a name for their number."""

    size: str
    passages: Sequence[Passage]
    asked: Sequence[Asked]


def main() -> None:
    """Measure, or fit."""
    args = _arguments()
    table_of_words, encoder = static(), stronger("granite")
    kept: Embedder = Kept(encoder, args.keep) if args.keep else encoder
    if args.fit:
        _fit(args, table_of_words, kept)
    rows: list[Row] = []
    for name in FEATURES:
        pairs = list(read_pairs(args, "test", name, table_of_words, kept))
        rows += [_row(name, size, pairs) for size in SIZES]
    head = ("model", "memories", "asked", "told", "told a prompt", "prompts of others", "silent", "AUROC")
    print(table("Relevance: what is told, on the half that was not learned from", head, rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--fit", action="store_true", help="learn the numbers anew and write them")
    parser.add_argument("--data", default=os.path.join(SHARED, "bench-data"), metavar="DIR", help="the public sets")
    parser.add_argument("--sessions", default=os.path.join(SHARED, "sessions"), metavar="DIR", help="real sessions")
    parser.add_argument("--keep", metavar="DIR", help="keep vectors here between runs")
    return parser.parse_args()


def read_pairs(
    args: argparse.Namespace, half: str, model: str, table_of_words: StaticEmbedder, encoder: Embedder
) -> Iterator[Pair]:
    """Every prompt of a half at every store, as a model sees it."""
    noise = list(read_prompts(args.sessions, half))
    random.Random(9).shuffle(noise)
    # One in six is about something else than software.
    others = [asked.text for asked in data.multihop(args.data, OTHERS[half]).asked]
    noise = [
        text for at, text in enumerate(noise) for text in ((text, others.pop()) if not at % 5 and others else (text,))
    ]
    words = table_of_words if model != "words" else None
    meaning = encoder if model == "meaning" else None
    for store in stores(args.data, half):
        seen = _Seen(store, half, RECIPES[model], words, meaning)
        for asked in store.asked:
            if asked.passages or asked.category == "nothing":
                yield seen.pair(asked, noise=not asked.passages)
        for text in noise[: NOISE.get(store.size, 60)]:
            yield seen.pair(Asked(text=text, store=0), noise=True)


class _Seen:
    """A store as a model sees it."""

    def __init__(
        self, store: Store, half: str, recipe: Recipe, words: StaticEmbedder | None, meaning: Embedder | None
    ) -> None:
        self._store, self._half, self._recipe = store, half, recipe
        self._words, self._meaning = words, meaning
        self._shelf = shelf(store.passages, words, meaning)

    def pair(self, asked: Asked, *, noise: bool) -> Pair:
        around = PassageContext(paths=(asked.path,) if asked.path else (), globs_of=self._globs)
        judged = judge_candidates(
            asked.text, self._shelf, self._words, self._meaning, self._recipe, standing=around
        )  # fmt: skip
        found = zip(judged.rows, judged.relevance.features, strict=True)
        seen = [(row, about) for row, about in found if row not in asked.hidden]
        return Pair(
            half=self._half, size=self._store.size, text=asked.text, rows=tuple(row for row, _ in seen),
            features=tuple(about for _, about in seen), gold=frozenset(asked.passages), noise=noise,
        )  # fmt: skip

    def _globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        return {row: self._store.passages[row].paths for row in rows}


def stores(folder: str, half: str) -> Iterator[Store]:
    """Stores of all sizes."""
    four = data.coding(half)
    yield Store(size="280", passages=four.stores[0], asked=four.asked)
    records = list(read_records(folder, half))
    random.Random(7).shuffle(records)
    many = [*four.stores[0], *records[: 1000 - len(four.stores[0])]]
    yield Store(size="1,000", passages=_regrouped(many), asked=four.asked)
    apart = data.coding(half, apart=True)
    for number, passages in enumerate(apart.stores):
        asked = [each for each in apart.asked if each.store == number]
        yield Store(size="70", passages=passages, asked=asked)
        yield _few(passages, asked, random.Random(number), 25, 8)
        for again in range(12):
            yield _few(passages, asked, random.Random(100 * number + again), 5, 2)
    if half == "tune":
        yield _goals()


def _few(
    passages: Sequence[Passage], asked: Sequence[Asked], chance: random.Random, memories: int, questions: int
) -> Store:
    """What answers some questions of a project, and others beside it."""
    chosen = chance.sample([each for each in asked if 1 <= len(each.passages) <= 2], questions)
    needed = sorted({place for each in chosen for place in each.passages})
    others = [place for place in range(len(passages)) if place not in needed]
    kept = sorted([*needed, *chance.sample(others, memories - len(needed))])
    place_of = {old: new for new, old in enumerate(kept)}
    moved = [
        replace(
            each,
            passages=tuple(place_of[place] for place in each.passages),
            hidden=frozenset(place_of[place] for place in each.hidden if place in place_of),
        )
        for each in chosen
    ]
    return Store(size=str(memories), passages=_regrouped([passages[place] for place in kept]), asked=moved)


def _goals() -> Store:
    """A shop's memory and goals in the shape of tasks; some that nothing matters to."""
    memories = list(abstain.memories())
    passages = [
        Passage(text=embedded_words(memory), title=memory.title, group=at, paths=memory.paths)
        for at, memory in enumerate(memories)
    ]
    place_of = {memory.id: at for at, memory in enumerate(memories)}
    asked = [
        Asked(text=goal, store=0, passages=(place_of[wanted],) if wanted in place_of else (), category="nothing")
        for goal, wanted in abstain.goals()
    ]
    return Store(size="70", passages=passages, asked=asked)


def _regrouped(passages: Sequence[Passage]) -> list[Passage]:
    return [replace(passage, group=at) for at, passage in enumerate(passages)]


def read_records(folder: str, half: str) -> Iterator[Passage]:
    """Decision records of every other repository, short as memories are."""
    docs, _ = data.read_records(folder)
    repositories = sorted(docs)
    random.Random(5).shuffle(repositories)
    for repository in repositories[HALVES.index(half) :: 2]:
        for title, text in docs[repository]:
            body = " ".join(text.split())[:400]
            yield Passage(text=body, title=title or body[:60], group=0)


def read_prompts(folder: str, half: str) -> Iterator[str]:
    """What people typed in real sessions, each once."""
    seen: set[str] = set()
    for name in SESSIONS[half]:
        with open(os.path.join(folder, f"{name}.tar.zst"), "rb") as packed:
            whole = zstandard.ZstdDecompressor().stream_reader(packed).read()
        with tarfile.open(fileobj=io.BytesIO(whole)) as files:
            for member in sorted(files.getmembers(), key=lambda each: each.name):
                file = files.extractfile(member) if member.name.endswith(".jsonl") else None
                for line in file or ():
                    text = _typed(json.loads(line))
                    if text and text not in seen:
                        seen.add(text)
                        yield text


def _typed(line: Mapping[str, Any]) -> str:
    """The words of a line that somebody typed; of other lines nothing."""
    if line.get("type") != "user" or line.get("isMeta") or line.get("isSidechain"):
        return ""
    content = line.get("message", {}).get("content")
    if isinstance(content, list):
        if any(part.get("type") == "tool_result" for part in content):
            return ""
        content = " ".join(part.get("text", "") for part in content if part.get("type") == "text")
    text = content.strip() if isinstance(content, str) else ""
    return "" if text.startswith(("<", "[Request", "This session is being", "Caveat")) else text[:4000]


def _fit(args: argparse.Namespace, table_of_words: StaticEmbedder, encoder: Embedder) -> None:
    usual = {each.name: _usual(args, each) for each in (table_of_words, encoder)}
    known: dict[str, Any] = {"usual": usual, "models": {name: _blank(name) for name in FEATURES}}
    _write(known)
    for name, features in FEATURES.items():
        pairs = list(read_pairs(args, "tune", name, table_of_words, encoder))
        known["models"][name] = _learn(name, features, pairs)
        _write(known)


def _usual(args: argparse.Namespace, embedder: Embedder) -> dict[str, list[float]]:
    """The mean vector of memories and of prompts, of the half that may be learned from."""
    four = data.coding("tune")
    documents = [each.whole for each in (*four.stores[0], *list(read_records(args.data, "tune"))[:660])]
    prompts = list(read_prompts(args.sessions, "tune"))
    random.Random(9).shuffle(prompts)
    asked = [*(each.text for each in four.asked), *prompts[:250]]
    means = {"document": embedder.embed(documents).mean(0), "query": embedder.embed(asked, query=True).mean(0)}
    return {name: [round(float(value), 5) for value in mean] for name, mean in means.items()}


def _blank(name: str) -> dict[str, Any]:
    return {"bias": 0.0, "weights": dict.fromkeys(FEATURES[name], 0.0), "gate": _gate(0.0, 1.0, 0.0, 0.0)}


def _gate(bias: float, best: float, few: float, floor: float) -> dict[str, float]:
    numbers = {"bias": bias, "best": best, "few": few, "floor": floor}
    return {name: round(float(value), 4) for name, value in numbers.items()} | {"below": BELOW}


def _learn(name: str, features: Sequence[str], pairs: Sequence[Pair]) -> dict[str, Any]:
    seen = [pair for pair in pairs if pair.rows]
    values = np.array(
        [[relevance.value_of(each, feature) for feature in features] for p in seen for each in p.features]
    )
    gold = np.array([row in pair.gold for pair in seen for row in pair.rows], np.float64)
    rows_of = {size: sum(len(pair.rows) for pair in seen if pair.size == size) for size in SIZES}
    shares = np.concatenate([np.full(len(pair.rows), 1 / rows_of[pair.size]) for pair in seen])
    bias, weights = _logistic(values, gold, shares * len(gold) / shares.sum())
    model = relevance.RelevanceModel(name=name, bias=bias, weights=dict(zip(features, weights, strict=True)))
    gate = _learn_gate(model, pairs)
    rounded = {feature: round(weight, 4) for feature, weight in model.weights.items()}
    return {"bias": round(bias, 4), "weights": rounded, "gate": gate}


def _learn_gate(model: relevance.RelevanceModel, pairs: Sequence[Pair]) -> dict[str, float]:
    best = {id(pair): _best(model, pair) for pair in pairs}
    values = np.array([best[id(pair)] for pair in pairs])
    wanted = np.array([not pair.noise for pair in pairs], np.float64)
    of_a_kind = [sum(1 for other in pairs if (other.size, other.noise) == (p.size, p.noise)) for p in pairs]
    shares = 1 / np.array(of_a_kind, np.float64)
    bias, (first, few) = _logistic(values, wanted, shares * len(pairs) / shares.sum())
    floors = []
    for size in SIZES:
        noise = [best[id(pair)] for pair in pairs if pair.noise and pair.size == size]
        floors.append(np.quantile([bias + first * one + few * three for one, three in noise], SILENT[model.name]))
    return _gate(bias, first, few, float(np.mean(floors)))


def _best(model: relevance.RelevanceModel, pair: Pair) -> tuple[float, float]:
    ordered = sorted((model.logit(each) for each in pair.features), reverse=True) or [relevance.NOTHING]
    few = ordered[: relevance.BEST_FEW]
    return ordered[0], sum(few) / len(few)


def _logistic(values: Doubles, gold: Doubles, shares: Doubles) -> tuple[float, list[float]]:
    """Newton's steps on standardised columns; bias and weights of the columns as they came."""
    mean, spread = values.mean(0), values.std(0) + 1e-6
    columns = np.c_[(values - mean) / spread, np.ones(len(values))]
    found = np.zeros(columns.shape[1])
    penalty = PENALTY * len(gold) * np.eye(len(found))
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(columns @ found, -30, 30)))
        slope = columns.T @ (shares * (chance - gold)) + penalty @ np.r_[found[:-1], 0]
        bend = (columns * (shares * chance * (1 - chance))[:, None]).T @ columns + penalty
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    weights = found[:-1] / spread
    return float(found[-1] - weights @ mean), [float(each) for each in weights]


def _write(known: Mapping[str, Any]) -> None:
    with open(relevance.DATA, "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1)
        file.write("\n")
    relevance.load_data.cache_clear()


def _row(name: str, size: str, pairs: Sequence[Pair]) -> Row:
    model, gate = relevance.load_model(name), relevance.load_gate(name)
    here = [pair for pair in pairs if pair.size == size]
    logits = {id(pair): [model.logit(each) for each in pair.features] for pair in here}
    asked, noise = [pair for pair in here if not pair.noise], [pair for pair in here if pair.noise]
    told = [_told(gate, pair, logits[id(pair)]) for pair in asked]
    recall = [len(rows & pair.gold) / len(pair.gold) for rows, pair in zip(told, asked, strict=True)]
    silent = [not gate.opens(logits[id(pair)]) for pair in noise]
    high, low = ([gate.logit(logits[id(pair)]) for pair in part] for part in (asked, noise))
    wins = sum(one > other for one in high for other in low) / (len(high) * len(low))
    return (
        name, size, str(len(asked)), f"{np.mean(recall):.2f}", f"{np.mean([len(rows) for rows in told]):.1f}",
        str(len(noise)), f"{np.mean(silent):.2f}", f"{wins:.3f}",
    )  # fmt: skip


def _told(gate: relevance.RelevanceGate, pair: Pair, logits: Sequence[float]) -> frozenset[int]:
    if not gate.opens(logits):
        return frozenset()
    order = sorted(range(len(logits)), key=lambda at: -logits[at])[:MOST_TOLD]
    least = gate.least(logits)
    return frozenset(pair.rows[at] for at in order if logits[at] >= least)


if __name__ == "__main__":
    main()
