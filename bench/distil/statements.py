"""The model that says which of a user's sentences are worth noting: measured across projects, or learned anew.

    python -m bench.distil.statements --keep DIR           how well it tells them, learned on the one project and asked
                                                           on the other, with and without each kind of feature
    python -m bench.distil.statements --keep DIR --fit     learn it of both, and write statement_weights.json

`statements.jsonl` says of sentences of the shared sessions, by their digests, how sure a reader was that a colleague
would note them down (686 of 5,447). Sentences of our own tuning snippets are learned from as well, never measured on.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.distil.labels import load
from bench.distil.sessions import read_projects
from bench.table import Row, table
from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.value import Value, replace
from holdfast.distil.episodes import split_episodes
from holdfast.distil.statement_features import MARKS, PLACES, Features, read_statement_features
from holdfast.distil.statement_score import AMID_WORK, FILE, OPENING, StatementModel, StatementWeights
from holdfast.distil.statement_vetoes import find_veto
from holdfast.trust.standing import digest_words

LABELS = Path(__file__).with_name("statements.jsonl")
SNIPPETS, PLAIN = "snippets", "plain"
PLAIN_FILE, LEARNED_FILE = (Path(__file__).with_name(name) for name in ("plain.jsonl", "learned.jsonl"))
AT = "2026-11-15T09:00:00Z"
SURE, UNSURE = 0.65, 0.3
# A feature that fewer sentences have says little.
SEEN_LEAST = 4
STEPS = 30
FOLDS = 5
DEPTHS = (20, 40, 60, 80, 120)
FAMILIES = {
    "cues": ("t:", "p:", "trigger"), "tasks": ("task",), "form": ("of", "thing:", *MARKS), "place": PLACES,
}  # fmt: skip

Doubles = npt.NDArray[np.float64]


class Recipe(Value):
    """How weights are learned: what is left out, how much the plain statements count, how hard the numbers are held
    down, and how many of those above the floor must be worth it, of sentences that were not learned from.
    """

    left_out: tuple[str, ...] = ()
    plain: float
    penalty: float
    precision: float
    least: float


# Of a project's words the next project has few: amid the work, they are left out. Plain statements stand for other
# people than the sessions', which are two, but few of them stand as they do.
AMID = Recipe(left_out=("w:",), plain=0.2, penalty=12.0, precision=0.73, least=0.5)
OPENS = Recipe(plain=1.0, penalty=6.0, precision=0.76, least=SURE)


class Sentence(Value):
    """A user's sentence, where it stands, its features, and how sure a reader was of it."""

    project: str
    session: str
    text: str
    features: Features
    sure: float


def main() -> None:
    """Measure, or fit."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.distil.statements", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--keep", default="", metavar="DIR", help="keep the harvested workspaces here between runs")
    parser.add_argument("--fit", action="store_true", help="learn the weights anew and write them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        every = list(read_sentences(Path(args.keep or folder)))
    own = list(read_snippets())
    rows = [_cross(every, own, "all", ()), _cross(every, own, "and words", ())] + [
        _cross(every, own, f"without {name}", left) for name, left in FAMILIES.items()
    ]
    head = ("features", *(f"first {depth}" for depth in DEPTHS))
    print(table("Sentences worth noting, of the best of the project not learned from: sure / half sure", head, rows))
    if args.fit:
        _write(learn(every, own))


def read_sentences(folder: Path) -> Iterator[Sentence]:
    """Every sentence of the shared sessions, each once a project."""
    sure = {row["digest"]: row["sure"] for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())}
    for project in read_projects(folder):
        seen: set[str] = set()
        for talk in project.sessions:
            for text, features in _read_session(talk):
                digest = digest_words(text)
                if digest not in seen:
                    seen.add(digest)
                    yield Sentence(
                        project=project.name, session=talk.session, text=text, features=features,
                        sure=sure.get(digest, 0.0),
                    )  # fmt: skip


def _read_session(talk: Conversation) -> Iterator[tuple[str, Features]]:
    for number, episode in enumerate(split_episodes(talk)):
        answer = " ".join(episode.before.text.split()) if episode.before else ""
        for one, features in read_statement_features(episode, first=number == 0):
            if not find_veto(one.text, answer):
                yield one.text, features


def read_snippets() -> Iterator[Sentence]:
    """The sentences of our own tuning snippets, and of every other plain statement; sure where one is wanted."""
    for row in read_plain(learned=True):
        for text, features in _read_session(plain_session(row)):
            held = row["keep"] and _is_the_statement(row, text)
            yield Sentence(project=PLAIN, session=row["id"], text=text, features=features, sure=float(held))
    for one in load("tune"):
        wanted = [want["has"] for want in one.want if want.get("said_by", "user") == "user"]
        for text, features in _read_session(one.conversation):
            held = any(all(words.lower() in text.lower() for words in has) for has in wanted)
            yield Sentence(project=SNIPPETS, session=one.id, text=text, features=features, sure=float(held))


def read_plain(*, learned: bool) -> list[dict[str, Any]]:
    """Plain statements, and what only looks like one, by people who knew nothing of our cues; half of one file and all
    of the other are learned from.
    """
    rows = [json.loads(line) for line in PLAIN_FILE.read_text(encoding="utf-8").splitlines()]
    found = [row for row in rows if (int(row["id"].rpartition("-")[2]) % 2 == 1) is learned]
    more = [json.loads(line) for line in LEARNED_FILE.read_text(encoding="utf-8").splitlines()] if learned else []
    return found + more


def plain_session(row: Mapping[str, Any]) -> Conversation:
    """A plain statement as a session of one prompt."""
    before = [Turn(id="e0", kind=TurnKind.ANSWER, ts=AT, text=row["before"])] if row.get("before") else []
    said = Turn(id="e1", kind=TurnKind.PROMPT, ts=AT, text=row["text"])
    return Conversation(session=row["id"], client="claude-code", turns=(*before, said))


def _is_the_statement(row: Mapping[str, Any], text: str) -> bool:
    """Whether of a prompt's sentences this is the one to keep: it holds the words, or is the longest."""
    if "must" in row:
        return any(word.lower() in text.lower() for word in row["must"])
    return len(text) * 2 > len(row["text"])


def _cross(every: Sequence[Sentence], own: Sequence[Sentence], name: str, left_out: tuple[str, ...]) -> Row:
    recipe = replace(AMID, left_out=AMID.left_out + left_out if name != "and words" else ())
    ranked: list[list[Sentence]] = []
    for project in sorted({one.project for one in every}):
        weights, constant = fit([one for one in every if one.project != project] + list(own), recipe)
        asked = [one for one in every if one.project == project]
        ranked.append(sorted(asked, key=lambda one: -_score(one.features, weights, constant)))
    cells = []
    for depth in DEPTHS:
        best = [one for project in ranked for one in project[:depth]]
        shares = (sum(one.sure >= least for one in best) / len(best) for least in (SURE, 0.5))
        cells.append(" / ".join(f"{share:.2f}" for share in shares))
    return (name, *cells)


def learn(every: Sequence[Sentence], own: Sequence[Sentence]) -> StatementModel:
    """Both sets of weights, each with the floor above which enough of those not learned from are worth noting."""
    amid = [*every, *own]
    plain = [one for one in own if one.project == PLAIN]
    parts = [[one for one in every if one.project == project] for project in sorted({one.project for one in every})]
    folds = [plain[at::FOLDS] for at in range(FOLDS)]
    return StatementModel(amid_work=_learn(AMID, amid, parts), opening=_learn(OPENS, amid, folds))


def _learn(recipe: Recipe, learned: Sequence[Sentence], parts: Sequence[Sequence[Sentence]]) -> StatementWeights:
    """Weights of all; the floor by what stands above it when each part is asked by weights of the rest."""
    held: list[tuple[float, float]] = []
    for part in parts:
        left = {id(one) for one in part}
        weights, constant = fit([one for one in learned if id(one) not in left], recipe)
        held += [(_score(one.features, weights, constant), one.sure) for one in part]
    weights, constant = fit(learned, recipe)
    kept = {name: round(weight, 3) for name, weight in sorted(weights.items()) if abs(weight) >= 0.01}
    return StatementWeights(weights=kept, constant=round(constant, 3), floor=_find_floor(recipe, held))


def _find_floor(recipe: Recipe, held: list[tuple[float, float]]) -> float:
    held.sort(reverse=True)
    good = np.cumsum([sure >= recipe.least for _, sure in held]) / np.arange(1, len(held) + 1)
    return round(held[int(np.nonzero(good >= recipe.precision)[0].max())][0], 2)


def fit(sentences: Sequence[Sentence], recipe: Recipe) -> tuple[dict[str, float], float]:
    """Weights by logistic regression with a penalty on their squares."""
    names = [name for name in _names(sentences) if not recipe.left_out or not name.startswith(recipe.left_out)]
    rows = np.zeros((len(sentences), len(names) + 1))
    places = {name: place for place, name in enumerate(names)}
    for at, one in enumerate(sentences):
        rows[at, -1] = 1
        for name, value in one.features.items():
            if name in places:
                rows[at, places[name]] = value
    wanted = np.array([float(one.sure >= SURE) for one in sentences])
    counted = np.array([_count(one, recipe) for one in sentences])
    found = _newton(rows, wanted, counted, recipe.penalty)
    return dict(zip(names, found[:-1].tolist(), strict=True)), float(found[-1])


def _count(one: Sentence, recipe: Recipe) -> float:
    if 0 < one.sure < SURE:
        return UNSURE
    return recipe.plain if one.project == PLAIN else 1.0


def _names(sentences: Iterable[Sentence]) -> list[str]:
    counts = Counter((one.project, name) for one in sentences for name in one.features)
    sources = {project for project, _ in counts} - {SNIPPETS}
    names = {name for _, name in counts}
    return sorted(name for name in names if _is_common(name, counts, sources))


def _is_common(name: str, counts: Mapping[tuple[str, str], int], sources: Collection[str]) -> bool:
    """Whether enough sentences have a feature; of a word, enough of every source: one project's words teach nothing."""
    if name.startswith("w:"):
        return all(counts.get((source, name), 0) >= SEEN_LEAST for source in sources)
    return sum(counts.get((source, name), 0) for source in (*sources, SNIPPETS)) >= SEEN_LEAST


def _newton(rows: Doubles, wanted: Doubles, counted: Doubles, held_down: float) -> Doubles:
    penalty = np.full(rows.shape[1], held_down)
    penalty[-1] = 1e-6
    found: Doubles = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (counted * (chance - wanted)) + penalty * found
        curve = (rows * (counted * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-6:
            break
    return found


def _score(features: Features, weights: Mapping[str, float], constant: float) -> float:
    return constant + sum(weights.get(name, 0.0) * value for name, value in features.items())


def _write(model: StatementModel) -> None:
    sets = {AMID_WORK: model.amid_work, OPENING: model.opening}
    data = {
        name: {"floor": one.floor, "constant": one.constant, "weights": dict(one.weights)} for name, one in sets.items()
    }
    FILE.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print("; ".join(f"{name}: {len(one.weights)} weights, floor {one.floor}" for name, one in sets.items()))


if __name__ == "__main__":
    main()
