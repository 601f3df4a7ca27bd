"""Recall on public sets of questions, as Markdown tables. Name some to run only those.

python -m bench.recall                            everything with the default encoder
python -m bench.recall locomo --encoder granite   one set, with a stronger encoder beside the default
python -m bench.recall --words                    without any embedder
python -m bench.recall --ablate                   also without each lane
python -m bench.recall --fit                      choose the weights anew, by cross-validation
"""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench.recall import data, fit
from bench.recall.data import Passage, Task
from bench.recall.encoders import Kept, static, stronger
from bench.recall.metrics import Figures, judge, mean
from bench.recall.systems import Bm25, Embedding, Engine, Finder, Fused, Ranked, System, in_groups, windowed
from bench.table import table
from holdfast.domain.value import replace
from holdfast.ports.embed import Embedder, StaticEmbedder
from holdfast.recall.engine.recipes import DEFAULT, MEANING, WORDS
from holdfast.recall.engine.values import Recipe

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "..", "shared", "bench-data")
TASKS: Mapping[str, Callable[[str], Task]] = {
    "locomo": data.locomo,
    "longmemeval": data.longmemeval,
    "musique": lambda folder: data.multihop(folder, "MuSiQue"),
    "hotpotqa": lambda folder: data.multihop(folder, "HotpotQA"),
    "decisions": data.decisions,
    "questions": data.problems,
    "coding-tune": lambda _: data.coding("tune"),
    "coding": lambda _: data.coding("test"),
}
DEEPEST = 1000
COLUMNS = ("R@1", "R@5", "R@10", "any@5", "any@10", "all@5", "all@10", "nDCG@10", "MRR")

Make = Callable[[Sequence[Passage]], System]


def main() -> None:
    """Run the sets asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"which: {', '.join(TASKS)} (default: all)")
    parser.add_argument("--data", default=DATA, metavar="DIR", help="where the sets lie")
    parser.add_argument("--encoder", metavar="NAME", help="a stronger embedder beside the default: granite, minilm, …")
    parser.add_argument("--keep", metavar="DIR", help="keep its vectors here between runs")
    parser.add_argument("--words", action="store_true", help="the recipe that needs no embedder")
    parser.add_argument("--ablate", action="store_true", help="also the recipe without each lane")
    parser.add_argument("--fit", action="store_true", help="choose the weights by cross-validation over these sets")
    args = parser.parse_args()
    unknown = set(args.names) - set(TASKS)
    if unknown:
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    table_of_words = None if args.words else static()
    encoder = stronger(args.encoder) if args.encoder else None
    if encoder and args.keep:
        encoder = Kept(encoder, args.keep)
    tasks = [TASKS[name](args.data) for name in args.names or TASKS]
    if args.fit:
        _fit(tasks, table_of_words, encoder)
        return
    for task in tasks:
        _report(task, systems(table_of_words, encoder, ablate=args.ablate))


def systems(static: StaticEmbedder | None, encoder: Embedder | None, *, ablate: bool = False) -> dict[str, Make]:
    """Every system by its name; the recipe last."""
    meaning = encoder or static
    made: dict[str, Make] = {
        "BM25 (bm25s)": lambda store: Ranked(Bm25(_wholes(store))),
        "BM25 (bm25s), windows": lambda store: Ranked(Bm25(windowed(store))),
    }
    if meaning is not None:
        made |= _with_vectors(meaning)
    recipe = _recipe(static, encoder)
    finder = _finders(static, encoder, recipe)
    if ablate:
        for lane in (*_used(recipe), "names"):
            made[f"recipe without {lane}"] = _engine(finder, without(recipe, lane))
    made["recipe"] = _engine(finder, recipe)
    return made


def _recipe(static: StaticEmbedder | None, encoder: Embedder | None) -> Recipe:
    return MEANING if encoder else DEFAULT if static else WORDS


def _with_vectors(meaning: Embedder) -> dict[str, Make]:
    return {
        f"{meaning.name.partition('@')[0]} alone": lambda store: Ranked(Embedding(_wholes(store), meaning)),
        "naive RRF": lambda store: Ranked(_fused(store, meaning, by_rank=True)),
        "min-max": lambda store: Ranked(_fused(store, meaning, by_rank=False)),
    }


def without(recipe: Recipe, lane: str) -> Recipe:
    """The recipe without one lane; `names`: without all that follows names."""
    if lane == "names":
        return replace(recipe, named=recipe.plain)
    return replace(recipe, plain={**recipe.plain, lane: 0.0}, named={**recipe.named, lane: 0.0})


def _used(recipe: Recipe) -> list[str]:
    return list(dict.fromkeys((*recipe.plain, *recipe.named)))


def _engine(finder: Callable[[Sequence[Passage]], Finder], recipe: Recipe) -> Make:
    return lambda store: Engine(finder(store), recipe)


def _finders(
    static: StaticEmbedder | None, encoder: Embedder | None, recipe: Recipe
) -> Callable[[Sequence[Passage]], Finder]:
    made: dict[int, Finder] = {}

    def finder(store: Sequence[Passage]) -> Finder:
        if id(store) not in made:
            made[id(store)] = Finder(store, static, encoder, recipe)
        return made[id(store)]

    return finder


def _fused(store: Sequence[Passage], encoder: Embedder, *, by_rank: bool) -> Fused:
    texts = windowed(store)
    return Fused(Bm25(texts), Embedding(_wholes(store), encoder), by_rank=by_rank)


def _report(task: Task, made: Mapping[str, Make]) -> None:
    ranked = {name: list(_rankings(task, make)) for name, make in made.items()}
    if any(asked.passages for asked in task.asked):
        _print(f"{task.name}, passages", task, {name: _passages(task, each) for name, each in ranked.items()})
        categories = sorted({asked.category for asked in task.asked})
        if 1 < len(categories) < 10:
            _print_categories(task, categories, {name: _passages(task, each) for name, each in ranked.items()})
    if any(asked.passages != asked.groups for asked in task.asked):
        if task.name == "LongMemEval":
            ranked = {"BM25 (bm25s), user turns of a session": list(_user_turns(task)), **ranked}
        _print(f"{task.name}, groups", task, {name: _groups(task, each) for name, each in ranked.items()})


def _rankings(task: Task, make: Make) -> Iterator[Sequence[int]]:
    made = [make(store) if any(a.store == at for a in task.asked) else None for at, store in enumerate(task.stores)]
    for asked in task.asked:
        system = made[asked.store]
        assert system is not None
        yield system.rank(asked.text, DEEPEST, asked.now)


def _user_turns(task: Task) -> Iterator[Sequence[int]]:
    """BM25 over sessions cut down to what the user said, as passages again (the first of each session)."""
    store = task.stores[0]
    first = {passage.group: place for place, passage in reversed(list(enumerate(store)))}
    said = {group: " ".join(p.whole for p in store if p.group == group and p.said_by == "user") for group in first}
    system = Ranked(Bm25(list(said.values())))
    places = [first[group] for group in said]
    for asked in task.asked:
        yield [places[at] for at in system.rank(asked.text, DEEPEST)]


def _passages(task: Task, ranked: Sequence[Sequence[int]]) -> list[Figures]:
    return [judge(each, asked.passages) for asked, each in zip(task.asked, ranked, strict=True)]


def _groups(task: Task, ranked: Sequence[Sequence[int]]) -> list[Figures]:
    judged = []
    for asked, each in zip(task.asked, ranked, strict=True):
        groups = in_groups(each, [passage.group for passage in task.stores[asked.store]])
        judged.append(judge([group for group in groups if group not in asked.banned], asked.groups))
    return judged


def _print(title: str, task: Task, judged: Mapping[str, Sequence[Figures]]) -> None:
    rows = [(name, *(f"{mean(each)[column]:.3f}" for column in COLUMNS)) for name, each in judged.items()]
    print(table(f"{title} ({len(task.asked)} questions)", ("system", *COLUMNS), rows), flush=True)


def _print_categories(task: Task, categories: Sequence[str], judged: Mapping[str, Sequence[Figures]]) -> None:
    rows = []
    for name, each in judged.items():
        parts = [
            mean([f for f, asked in zip(each, task.asked, strict=True) if asked.category == category])
            for category in categories
        ]
        rows.append((name, *(f"{part['R@10']:.3f}" for part in parts)))
    print(table(f"{task.name}, passages, R@10 by category", ("system", *categories), rows), flush=True)


def _fit(tasks: Sequence[Task], static: StaticEmbedder | None, encoder: Embedder | None) -> None:
    recipe = _all_lanes(_recipe(static, encoder))
    given = {}
    for task in tasks:
        made = [Finder(store, static, encoder, recipe) for store in task.stores]
        found = [made[asked.store].judge(asked.text, asked.now) for asked in task.asked]
        given[task.name] = fit.examples(task, found, [[p.group for p in store] for store in task.stores], recipe)
    several = {task.name: 1 < len(task.stores) <= 2 * fit.FOLDS for task in tasks}
    figures, weights = fit.cross_validated(given, several, fit.columns(recipe))
    rows = [(name, *(f"{each[column]:.3f}" for column in COLUMNS)) for name, each in figures.items()]
    print(table("The recipe, weights from the other folds", ("set", *COLUMNS), rows))
    chosen = fit.weighed(recipe, weights)
    print("plain =", dict(chosen.plain), "\nnamed =", dict(chosen.named))


def _all_lanes(recipe: Recipe) -> Recipe:
    """The recipe with the lanes that it gives no weight, too."""
    unused = {"words": 0.0, "meaning": 0.0} if recipe.needs == "encoder" else {"words": 0.0}
    return replace(recipe, plain={**unused, **recipe.plain})


def _wholes(store: Sequence[Passage]) -> list[str]:
    return [passage.whole for passage in store]


if __name__ == "__main__":
    main()
