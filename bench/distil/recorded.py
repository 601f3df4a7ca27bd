"""A strong model's recorded answers over shared sessions, through the real distiller, against what readers judged.

`recorded/` holds, of 26 sessions that were chosen (the five that a reader read whole, others of both projects and
clients, with labels and without) and of twelve drawn at random from the rest: the answers, written from their requests;
whether each candidate is worth keeping, judged by whoever wrote the answers, before the labels of its session were
read; and which candidate says what that reader noted, which overrules the judgement. Marks are hashes: nothing of a
session but short quotes is kept. How it was played stands in docs/figures.md.
"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bench.distil.recorded_model import FOLDER, RecordedModel
from bench.distil.sessions import SHARED, read_projects
from bench.table import Row, table
from holdfast.core.conversation import Conversation
from holdfast.core.distilled import Distilled, Known
from holdfast.core.memory import Memory, SaidBy
from holdfast.core.model import Usage
from holdfast.core.value import Value
from holdfast.distil.model.model_distiller import ModelDistiller
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.llm.prices import LISTED, price_of, token_cost

# The setting's own.
INPUT_TOKENS = 24_000
USEFUL, FULL = "useful", "full"
MODELS = ("claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5", "gpt-5.6-terra", "gpt-5-mini", "gemini-2.5-flash")
HEAD = (
    "sessions", "of them", "rules alone", "set aside", "candidates", "a session, median", "most", "the user's",
    "worth keeping", "not judged",
)  # fmt: skip
NOTED_HEAD = ("read whole", "noted by the reader", "found", "or in part", "candidates", "among the noted")
COST_HEAD = ("model", "in all", "a session, mean", "median", "90 of 100 below")


class Played(Value):
    """A session and what was made of it; `problem`: why not all of it by the model."""

    how: str
    talk: Conversation
    made: Distilled
    problem: str
    rules: int
    usages: tuple[Usage, ...]


def report(folder: Path) -> str:
    """The tables, or a word where the shared sessions are not there."""
    if not Path(SHARED, "labels.jsonl").is_file():
        return f"Skipped: the shared sessions are not at {SHARED!r}."
    model = RecordedModel()
    played = list(play(folder, model))
    judged = {row["candidate"]: row["worth"] for row in read_rows("judged.jsonl")}
    found = {row["wanted"]: row for row in read_rows("found.jsonl")}
    judged |= {row["candidate"]: USEFUL for row in found.values()}
    tables = [
        table("Recorded answers of a strong model", HEAD, list(_rows(played, judged))),
        table("Against what a reader of whole sessions noted", NOTED_HEAD, [_noted_row(played, found)]),
        table(f"What it costs in US cents, by the prices of {LISTED}", COST_HEAD, list(_cost_rows(played))),
    ]
    failed = [f"{each.talk.session}: {each.problem}" for each in played if each.problem]
    changed = [f"{model.changed} requests show other turns than those that were answered."] if model.changed else []
    return "\n".join([*tables, _token_line(played), *changed, *failed])


def play(folder: Path, model: RecordedModel) -> Iterator[Played]:
    """Every session that was played, in the order they were held; each knows what those before it gave."""
    chosen = read_chosen()
    for project in read_projects(folder):
        known = list[Memory]()
        for talk in project.sessions:
            if talk.session in chosen:
                played = _play_session(chosen[talk.session], talk, known, model)
                known += played.made.candidates
                yield played


def read_chosen() -> dict[str, str]:
    """The sessions that were played, each with how it came to be: chosen, or drawn at random from the rest."""
    found = json.loads((FOLDER / "sessions.json").read_text(encoding="utf-8"))
    return {session: how for how, projects in found.items() for ids in projects.values() for session in ids}


def read_rows(name: str) -> list[dict[str, Any]]:
    """The lines of a file of marks."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def mark(*words: object) -> str:
    """A mark by which a candidate, or what a reader noted, is known again and not read."""
    return blake2b("\n".join(map(str, words)).encode(), digest_size=6).hexdigest()


def mark_candidate(session: str, memory: Memory) -> str:
    """The mark of a candidate of a session."""
    return mark(session, memory.type, memory.title)


def _play_session(how: str, talk: Conversation, known: list[Memory], model: RecordedModel) -> Played:
    distiller, before = ModelDistiller(model, RuleDistiller(), INPUT_TOKENS), len(model.asked)
    rules = RuleDistiller().distil(talk, Known(memories=tuple(known)))
    made = distiller.distil(talk, Known(memories=tuple(known)))
    usages = tuple(usage for _, usage in model.asked[before:])
    return Played(how=how, talk=talk, made=made, problem=distiller.problem, rules=len(rules.candidates), usages=usages)


def _rows(played: Sequence[Played], judged: Mapping[str, str]) -> Iterator[Row]:
    """Those that were read whole have most in them; a session as it comes is among the others."""
    read = {row["session"] for row in read_noted()}
    whole = [each for each in played if each.talk.session in read]
    others = [each for each in played if each.talk.session not in read]
    yield _row("read whole", whole, judged)
    for how in ("chosen", "drawn"):
        yield _row(how, [each for each in others if each.how == how], judged)
    yield _row("all but those read whole", others, judged)
    yield _row("all", played, judged)


def read_noted() -> list[dict[str, Any]]:
    """What a reader of whole sessions noted."""
    rows = map(json.loads, Path(SHARED, "labels.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["set"] == "recall"]


def _row(name: str, mine: Sequence[Played], judged: Mapping[str, str]) -> Row:
    made = [(each.talk.session, memory) for each in mine for memory in each.made.candidates]
    counts = [len(each.made.candidates) for each in mine]
    marks = [mark_candidate(*pair) for pair in made]
    useful = sum(judged.get(each) == USEFUL for each in marks)
    users = sum(memory.said_by is SaidBy.USER for _, memory in made)
    return (
        name, str(len(mine)), str(sum(each.rules for each in mine)),
        str(sum(len(each.made.set_aside) for each in mine)), str(len(made)), f"{statistics.median(counts):g}",
        str(max(counts)), str(users), _share(useful, len(made)), str(sum(each not in judged for each in marks)),
    )  # fmt: skip


def _noted_row(played: Sequence[Played], found: Mapping[str, Mapping[str, str]]) -> Row:
    """What the reader noted, and how much of what was proposed there is among it: no judgement of ours."""
    noted = read_noted()
    read = {row["session"] for row in noted}
    made = {
        mark_candidate(each.talk.session, memory)
        for each in played
        if each.talk.session in read
        for memory in each.made.candidates
    }
    said = [found.get(mark(row["session"], row["kind"], row["text"]), {}) for row in noted]
    there = [row for row in said if row.get("candidate") in made]
    full = sum(row["found"] == FULL for row in there)
    among = len({row["candidate"] for row in there})
    return (
        f"{len(read)} sessions", str(len(noted)), _share(full, len(noted)), _share(len(there), len(noted)),
        str(len(made)), _share(among, len(made)),
    )  # fmt: skip


def _cost_rows(played: Sequence[Played]) -> Iterator[Row]:
    for name in MODELS:
        price = price_of(name)
        spent = sorted(100 * sum(token_cost(price, usage) or 0.0 for usage in each.usages) for each in played)
        most = spent[int(len(spent) * 0.9)]
        mean, middle = statistics.mean(spent), statistics.median(spent)
        yield (name, f"{sum(spent):.0f}", f"{mean:.1f}", f"{middle:.1f}", f"{most:.1f}")


def _token_line(played: Sequence[Played]) -> str:
    given = [sum(usage.input for usage in each.usages) for each in played]
    answered = [sum(usage.output for usage in each.usages) for each in played]
    asked = sum(len(each.usages) for each in played)
    return (
        f"{asked} requests; a session reads {statistics.median(given):,.0f} tokens in the median, "
        f"{statistics.mean(given):,.0f} in the mean, and answers {statistics.median(answered):,.0f} and "
        f"{statistics.mean(answered):,.0f}. Tokens are bytes / 3, as budgets count them: English text has fewer."
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"
