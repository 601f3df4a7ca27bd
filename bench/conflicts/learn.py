"""The weights of the gate, learned and measured: python -m bench.conflicts.learn --data PATH [--write].

Records: a pair is a record and one of its 20 nearest of the same repository that is older by its number. Each
repository is judged by weights learned from all the others; the table says what each group of features is worth.
Statements: what people say in a line, reversed and alike (pairs/speech-tune.jsonl), against titles of records and
against each other; measured on pairs that nothing was learned from (pairs/speech-held.jsonl).
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from bench.conflicts.labels import SpeechPair, load, load_speech
from bench.conflicts.records import GATED, NOW, neighbours, read_memories, read_pairs, record_number, store_of
from bench.table import table
from holdfast.conflicts.learned_model import RECORDS, STATEMENTS, Features, weights_file
from holdfast.conflicts.read_memory import read_memory
from holdfast.conflicts.relate import relate_readings
from holdfast.conflicts.replacement_words import find_removals
from holdfast.conflicts.same_matter import are_records, read_features
from holdfast.conflicts.stance_features import is_short, read_stance, stance_features
from holdfast.core.memory import Memory
from holdfast.core.relation import Kind
from holdfast.core.value import Value

RIDGE = 3.0
# What a rule says of two records counts from so many times the chance on from which a person is asked.
BELIEVE = 5
RECALLS = (0.6, 0.7, 0.73)
ASKED = 0.73
# Of statements: from which chance on they count as reversed.
FLOORS = (0.12, 0.25, 0.5)
SEED, CROSSED, TITLES = 5, 2500, 5
GROUPS = {
    "all features": (),
    "without titles": ("titles", "title words"),
    "without the whole text": ("whole",),
    "without how far ahead of the next": ("ahead",),
    "without words of leaving": ("leaves",),
    "without what rules found": ("rule",),
}


class Example(Value):
    """A pair: its repository, both names, the features, and whether one takes the other's place."""

    repository: str
    new: str
    old: str
    features: Features
    wanted: bool


def examples(folder: str) -> list[Example]:
    """Every record with the older ones near it, read by rules alone."""
    return [example for repository, memories in read_memories(folder).items()
            for example in _of(repository, memories, read_pairs(folder))]  # fmt: skip


def _of(repository: str, memories: Mapping[str, Memory], gold: set[tuple[str, str, str]]) -> Iterator[Example]:
    known, store = list(memories.values()), store_of(memories.values())
    reads = {name: read_memory(memory) for name, memory in memories.items()}
    for name, memory in memories.items():
        near = [each.id for each in neighbours(memory, known, store) if each.id != name]
        olds = [reads[other] for other in near]
        leaving = find_removals(reads[name])
        kinds = {each.old: each.kind for each in relate_readings(reads[name], olds, now=NOW, learned=False)}
        rows = read_features(reads[name], olds, leaving, [kinds[other] in GATED for other in near])
        for other, old, features in zip(near, olds, rows, strict=True):
            wanted = (repository, name, other) in gold
            later = record_number(other) < record_number(name) and (repository, other, name) not in gold
            if wanted or (later and are_records(reads[name], old)):
                yield Example(repository=repository, new=name, old=other, features=features, wanted=wanted)


def fit(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Weights of a logistic regression with a ridge; the last one is the constant."""
    middle, spread = rows.mean(0), rows.std(0) + 1e-9
    held = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    ridge = np.r_[np.full(rows.shape[1], RIDGE), 1e-6]
    weights = np.zeros(held.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-held @ weights))
        slope = held.T @ (chance - wanted) + ridge * weights
        curve = (held * (chance * (1 - chance))[:, None]).T @ held + np.diag(ridge)
        weights = weights - np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - float(middle @ plain))


def unseen_chances(given: Sequence[Example], names: Sequence[str]) -> np.ndarray:
    """The chance of each pair by the weights that all other repositories give."""
    rows = np.array([[each.features[name] for name in names] for each in given])
    wanted = np.array([each.wanted for each in given], dtype=float)
    homes = np.array([each.repository for each in given])
    found = np.zeros(len(given))
    for home in set(homes):
        weights = fit(rows[homes != home], wanted[homes != home])
        found[homes == home] = 1 / (1 + np.exp(-np.c_[rows[homes == home], np.ones((homes == home).sum())] @ weights))
    return found


def floor_for(chances: np.ndarray, given: Sequence[Example], recall: float) -> float:
    """The chance from which on so many of the pairs are found."""
    ranked = sorted((float(chance) for chance, each in zip(chances, given, strict=True) if each.wanted), reverse=True)
    return ranked[min(len(ranked), int(np.ceil(recall * len(ranked)))) - 1]


def ablation(given: Sequence[Example]) -> list[tuple[str, ...]]:
    """What is wrong among the records that do supersede one, and among all, at each recall."""
    superseding = {(each.repository, each.new) for each in given if each.wanted}
    found = []
    for title, left_out in GROUPS.items():
        names = [name for name in given[0].features if name not in left_out]
        chances = unseen_chances(given, names)
        cells = (_wrong(given, chances, superseding, floor_for(chances, given, recall)) for recall in RECALLS)
        found.append((title, *cells))
    return found


def _wrong(given: Sequence[Example], chances: np.ndarray, superseding: set[tuple[str, str]], floor: float) -> str:
    flagged = [each for each, chance in zip(given, chances, strict=True) if chance >= floor]
    wrong = [each for each in flagged if not each.wanted]
    near = sum((each.repository, each.new) in superseding for each in wrong)
    right = len(flagged) - len(wrong)
    return f"{right / max(1, right + near):.2f} ({near} wrong; {len(wrong)} of all)"


def learn(given: Sequence[Example], say: Callable[[str], None], *, write: bool) -> None:
    """Print what the weights are worth on repositories that they have not seen, and keep them if asked."""
    head = ("features", *(f"precision at recall {recall}" for recall in RECALLS))
    say(table(f"Same matter, {len(given)} pairs, each repository by the others' weights", head, ablation(given)))
    names = list(given[0].features)
    chances = unseen_chances(given, names)
    weights = fit(
        np.array([[each.features[name] for name in names] for each in given]),
        np.array([each.wanted for each in given], dtype=float),
    )
    ask = floor_for(chances, given, ASKED)
    _keep(RECORDS, weights, names, (ask, ask, BELIEVE * ask), say, write=write)


def _keep(
    name: str,
    weights: np.ndarray,
    names: Sequence[str],
    floors: tuple[float, ...],
    say: Callable[[str], None],
    *,
    write: bool,
) -> None:
    form = {
        **{each: round(floor, 4) for each, floor in zip(("ask", "alone", "believe"), floors, strict=True)},
        "constant": round(float(weights[-1]), 3),
        "weights": {each: round(float(weight), 3) for each, weight in zip(names, weights, strict=False)},
    }  # fmt: skip
    say(json.dumps(form, indent=1))
    if write:
        weights_file(name).write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")


def learn_statements(folder: str, say: Callable[[str], None], *, write: bool) -> None:
    """Print what is found of statements at each floor, and keep the weights if asked."""
    mine, unseen = _title_pairs(folder)
    given = [row for row in map(_row, [*load_speech("tune"), *_labelled("tune"), *_crossed(), *mine]) if row]
    names = list(given[0][0])
    weights = fit(np.array([[row[name] for name in names] for row, _ in given]), np.array([float(y) for _, y in given]))
    tests = {"speech, learned from": load_speech("tune"), "speech, unseen": load_speech("held"),
             "labelled, unseen": _labelled("held"), "titles of unseen repositories": unseen}  # fmt: skip
    head = ("statements", *(f"from a chance of {floor}" for floor in FLOORS))
    rows = [(name, *_statement_cells(pairs, names, weights)) for name, pairs in tests.items()]
    say(table("Statements: reversals found, and others called so", head, rows))
    _keep(STATEMENTS, weights, names, FLOORS, say, write=write)


def _statement_cells(pairs: Sequence[SpeechPair], names: Sequence[str], weights: np.ndarray) -> Iterator[str]:
    rows = [row for row in map(_row, pairs) if row]
    held = np.array([[*(row[name] for name in names), 1.0] for row, _ in rows])
    chances, wanted = 1 / (1 + np.exp(-held @ weights)), np.array([y for _, y in rows])
    for floor in FLOORS:
        over = chances >= floor
        yield f"{(over & wanted).sum()} of {wanted.sum()}, {(over & ~wanted).sum()} of {(~wanted).sum()}"


def _row_of(new: Memory, old: Memory) -> Features | None:
    reads = read_memory(new), read_memory(old)
    one, other = read_stance(reads[0]), read_stance(reads[1])
    if not (is_short(one) and is_short(other)):
        return None
    kind = relate_readings(reads[0], [reads[1]], now=NOW, learned=False)[0].kind
    return stance_features(one, other) | {"rule": float(kind in GATED), "dup": float(kind is Kind.DUPLICATES)}


def _row(pair: SpeechPair) -> tuple[Features, bool] | None:
    found = _row_of(pair.new, pair.old)
    return None if found is None else (found, pair.reversal)


def _labelled(name: str) -> list[SpeechPair]:
    return [SpeechPair(id=each.id, reversal=each.want in GATED, new=each.new, old=each.old) for each in load(name)]


def _crossed() -> list[SpeechPair]:
    """Statements of different pairs: of different things, but for a few."""
    pairs, chance = load_speech("tune"), random.Random(SEED)
    picked = [chance.sample(pairs, 2) for _ in range(CROSSED)]
    return [SpeechPair(id="", reversal=False, new=one.new, old=other.old) for one, other in picked]


def _title_pairs(folder: str) -> tuple[list[SpeechPair], list[SpeechPair]]:
    """Titles of records that do not replace each other, of every second repository, and of the others."""
    found: tuple[list[SpeechPair], list[SpeechPair]] = ([], [])
    gold = read_pairs(folder)
    for at, (repository, memories) in enumerate(sorted(read_memories(folder).items())):
        store = store_of(memories.values())
        for name, memory in list(memories.items())[::2]:
            for other in neighbours(memory, list(memories.values()), store)[1 : TITLES + 1]:
                if not {(repository, name, other.id), (repository, other.id, name)} & gold:
                    pair = SpeechPair(id="", reversal=False, new=_titled(memory), old=_titled(other))
                    found[at % 2].append(pair)
    return found


def _titled(memory: Memory) -> Memory:
    return Memory(id=memory.id, type=memory.type, title=memory.title)


def main() -> None:
    """Learn, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.conflicts.learn", description=__doc__)
    parser.add_argument("--data", required=True, metavar="PATH", help="decision records with superseded.json")
    parser.add_argument("--write", action="store_true", help="keep the weights")
    args = parser.parse_args()
    learn(examples(args.data), print, write=args.write)
    learn_statements(args.data, print, write=args.write)


if __name__ == "__main__":
    main()
