"""Rankings → tables: all questions, each kind of them, old before new, what memory's filters change, and abstention."""

from collections.abc import Mapping, Sequence

from bench.recall.data import Asked, Task
from bench.recall.metrics import Figures, auroc, judge, mean, threshold
from bench.recall.systems import in_groups
from bench.table import table
from holdfast.core.value import Value

COLUMNS = ("R@1", "R@5", "R@10", "any@5", "any@10", "all@5", "all@10", "nDCG@10", "MRR")
FEW = ("R@1", "R@5", "R@10", "nDCG@10", "MRR")
MOST_KINDS = 9


class Answers(Value):
    """What one system said: a ranking for each question, and how sure it was, if it can tell."""

    rankings: Sequence[Sequence[int]]
    sure: Sequence[float] = ()


Ranked = Mapping[str, Answers]


def report(task: Task, answers: Ranked, *, extra: Ranked | None = None) -> list[str]:
    """Every table that this task can have. `extra`: systems that rank groups only."""
    tables: list[str] = []
    told = [asked for asked in task.asked if asked.groups]
    if any(asked.passages for asked in told):
        judged = {name: _passages(task, each) for name, each in answers.items()}
        tables += _whole(f"{task.name}, passages", told, judged)
    if any(asked.passages != asked.groups for asked in told):
        both = {**(extra or {}), **answers}
        tables += _whole(f"{task.name}, groups", told, {name: _groups(task, each) for name, each in both.items()})
    if any(asked.hidden for asked in told):
        judged = {name: _passages(task, each, filtered=True) for name, each in answers.items()}
        tables += _whole(f"{task.name}, behind memory's filters (superseded, path)", told, judged)
    if any(asked.wrong for asked in told):
        tables.append(_order(task, answers))
    if any(asked.earlier for asked in told):
        tables.append(_newest(task, answers))
    if len(told) < len(task.asked):
        tables.append(_abstention(task, answers))
    return tables


def _whole(title: str, asked: Sequence[Asked], judged: Mapping[str, Sequence[Figures]]) -> list[str]:
    rows = [(name, *_cells(each, COLUMNS)) for name, each in judged.items()]
    tables = [table(f"{title} ({len(asked)} questions)", ("system", *COLUMNS), rows)]
    kinds = sorted({each.category for each in asked})
    if 1 < len(kinds) <= MOST_KINDS:
        tables += [_kind(title, kind, asked, judged) for kind in kinds]
    return tables


def _kind(title: str, kind: str, asked: Sequence[Asked], judged: Mapping[str, Sequence[Figures]]) -> str:
    rows = []
    for name, each in judged.items():
        part = [figures for figures, question in zip(each, asked, strict=True) if question.category == kind]
        rows.append((name, *_cells(part, COLUMNS)))
    count = sum(question.category == kind for question in asked)
    return table(f"{title}: {kind} ({count})", ("system", *COLUMNS), rows)


def _cells(judged: Sequence[Figures], columns: Sequence[str]) -> list[str]:
    figures = mean(judged)
    return [f"{figures[column]:.3f}" for column in columns]


def _passages(task: Task, answers: Answers, *, filtered: bool = False) -> list[Figures]:
    """What is hidden counts neither as an answer nor as a place."""
    judged = []
    for asked, ranked in zip(task.asked, answers.rankings, strict=True):
        if asked.groups:
            shown = [place for place in ranked if place not in asked.hidden] if filtered else ranked
            judged.append(judge(shown, asked.passages))
    return judged


def _groups(task: Task, answers: Answers) -> list[Figures]:
    judged = []
    for asked, ranked in zip(task.asked, answers.rankings, strict=True):
        if asked.groups:
            groups = in_groups(ranked, [passage.group for passage in task.stores[asked.store]])
            judged.append(judge([group for group in groups if group not in asked.banned], asked.groups))
    return judged


def _order(task: Task, answers: Ranked) -> str:
    """Both found: is the current one first? And is it, or is the old one, the first of all?"""
    rows = []
    asked = [(at, each) for at, each in enumerate(task.asked) if each.wrong]
    for name, each in answers.items():
        before = first = old = 0
        for at, question in asked:
            ranked = list(each.rankings[at])
            place = {one: ranked.index(one) if one in ranked else len(ranked) + 1 for one in (*question.wrong,)}
            current = min(ranked.index(one) if one in ranked else len(ranked) for one in question.passages)
            before += current < min(place.values())
            first += current == 0
            old += 0 in place.values()
        total = len(asked)
        rows.append((name, f"{before / total:.3f}", f"{first / total:.3f}", f"{old / total:.3f}"))
    head = ("system", "current before old", "current first", "old first")
    return table(f"{task.name}, supersession, ranking alone ({len(asked)} questions)", head, rows)


def _newest(task: Task, answers: Ranked) -> str:
    """Is the group that said it last before all that said it earlier?"""
    asked = [(at, each) for at, each in enumerate(task.asked) if each.earlier]
    rows = []
    for name, each in answers.items():
        first = 0
        for at, question in asked:
            groups = in_groups(each.rankings[at], [passage.group for passage in task.stores[question.store]])
            mentioned = [group for group in groups if group in (*question.groups, *question.earlier)]
            first += bool(mentioned) and mentioned[0] in question.groups
        rows.append((name, f"{first / len(asked):.3f}"))
    return table(f"{task.name}, newest rule first ({len(asked)} questions)", ("system", "newest first"), rows)


def _abstention(task: Task, answers: Ranked) -> str:
    """The threshold is the best of these very questions: an upper bound, the same for all."""
    rows = []
    for name, each in answers.items():
        if not each.sure:
            continue
        known = [sure for sure, asked in zip(each.sure, task.asked, strict=True) if asked.groups]
        unknown = [sure for sure, asked in zip(each.sure, task.asked, strict=True) if not asked.groups]
        at, right = threshold(known, unknown)
        rows.append((name, f"{auroc(known, unknown):.3f}", f"{right:.3f}", f"{at:.2f}"))
    head = ("system", "AUROC", "balanced accuracy", "at")
    unanswered = sum(not asked.groups for asked in task.asked)
    return table(f"{task.name}, abstention ({unanswered} questions without an answer)", head, rows)
