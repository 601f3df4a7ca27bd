"""Candidates by rules from the shared sessions, against what readers judged: by weights that never saw the project."""

import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.distil.sessions import SHARED, Project, read_projects
from bench.distil.statements import LABELS, SURE, Sentence, learn, read_sentences, read_snippets
from bench.table import Row
from holdfast.core.distilled import Known
from holdfast.core.memory import Memory, SaidBy
from holdfast.core.value import replace
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.distil.statement_score import StatementModel, load_statement_model
from holdfast.trust.standing import digest_words, normalise_words

HEAD = (
    "project", "weights", "sessions", "candidates", "a session, median", "most", "the user's", "worth noting",
    "at least half sure", "things worth noting", "found",
)  # fmt: skip
HALF = 0.5


def real_rows(folder: Path) -> Iterator[Row]:
    """Each project by weights learned on the others, then by those that come with Holdfast."""
    every, own = list(read_sentences(folder)), list(read_snippets())
    for project in read_projects(folder):
        others = [one for one in every if one.project != project.name]
        yield _row(project, "of the other project", _learn_without(others, own))
        yield _row(project, "as they come", load_statement_model())


def _learn_without(others: Sequence[Sentence], own: Sequence[Sentence]) -> StatementModel:
    """Weights that never saw a project; the floors are those that come with Holdfast."""
    found, come = learn(others, own), load_statement_model()
    return StatementModel(
        amid_work=replace(found.amid_work, floor=come.amid_work.floor),
        opening=replace(found.opening, floor=come.opening.floor),
    )


def _row(project: Project, weights: str, model: StatementModel) -> Row:
    distiller, known, counts = RuleDistiller(model), list[Memory](), list[int]()
    said: dict[str, list[Memory]] = {}
    for talk in project.sessions:
        made = distiller.distil(talk, Known(memories=tuple(known))).candidates
        known += made
        counts.append(len(made))
        said[talk.session] = list(made)
    sure = {row["digest"]: row["sure"] for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())}
    users = [one for one in known if one.said_by is SaidBy.USER]
    judged = [sure.get(digest_words(one.evidence[0].quote), 0.0) for one in known]
    gold = [row for row in _read_gold() if row["project"] == project.name]
    found = sum(any(_says(one, row) for one in said.get(row["session"], ())) for row in gold)
    return (
        project.name, weights, str(len(counts)), str(len(known)), f"{statistics.median(counts):.0f}", str(max(counts)),
        str(len(users)), _share(judged, SURE), _share(judged, HALF), str(len(gold)), f"{found / len(gold):.2f}",
    )  # fmt: skip


def _read_gold() -> list[dict[str, Any]]:
    rows = map(json.loads, Path(SHARED, "labels.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["set"] == "recall"]


def _says(memory: Memory, row: dict[str, Any]) -> bool:
    """Whether a candidate rests on the words in which the thing was said."""
    wanted = normalise_words(str(row.get("quote", "")))
    quote = normalise_words(memory.evidence[0].quote)
    return bool(wanted) and (wanted in quote or quote in wanted)


def _share(judged: Sequence[float], least: float) -> str:
    return f"{sum(each >= least for each in judged) / len(judged):.2f}" if judged else "-"
