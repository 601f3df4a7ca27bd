"""Lanes of rules: who is given a task must know what was said to hold, and of two rules on one subject the later one.

A task ("Write a function that …") shares few words with the rules that hold for it: how a rule is said tells more.
"""

import re
from collections.abc import Mapping

from holdfast.index.terms import split_terms
from holdfast.recall.engine.candidate_table import LENDS_NOTHING, Table
from holdfast.recall.engine.engine_values import LaneValues, PreparedQuestion

# How a task begins, after "please" and the like.
_TASK = re.compile(
    r"\s*(?:(?:please|now|next|ok(?:ay)?|then|also|can you|could you|let'?s|i (?:want|need) you to)[\s,:]+){0,3}"
    r"(?:add|build|change|code|convert|create|debug|define|deploy|design|document|draft|extend|extract|fix|generate|"
    r"implement|integrate|introduce|make|migrate|move|optimi[sz]e|port|refactor|release|remove|rename|replace|rewrite|"
    r"set up|simplify|speed up|split|test|update|upgrade|wire|write)\b(?!\s+(?:sense|sure)\b)",
    re.IGNORECASE,
)
# Words of a sentence that says what is to be done.
RULE_TERMS = tuple(
    dict.fromkeys(
        split_terms(
            "always avoid convention ensure every forbid forward guideline instead mandatory must never only policy "
            "prefer require rule shall should standard"
        )
    )
)
# So many of them make a rule; more make it no more of one.
ENOUGH = 2
# Of a rule's value so much is how late it was said, the rest how much of a rule it is.
LATE = 2 / 3
# From this cosine of the static table on two rules speak of one subject.
ONE_SUBJECT = 0.6


class Rules:
    """The question is a task, and the passage says what is to be done; of two rules the later one counts more."""

    name = "rules"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """From 0 to 1 by how much of a rule a passage is, and how late it was said."""
        rules = _rule_values(asking, table)
        if not any(rules):
            return None
        texts = [table.texts[row] for row in table.rows]
        order = {each: place for place, each in enumerate(sorted({(text.ts, text.group) for text in texts}))}
        last = max(1, len(order) - 1)
        values = [
            (1 - LATE) * rule + LATE * order[text.ts, text.group] / last if rule else 0.0
            for rule, text in zip(rules, texts, strict=True)
        ]
        return LaneValues(values=values, why=lambda place: "says what is to be done" if values[place] else "")


def find_later_rules(asking: PreparedQuestion, table: Table) -> dict[int, list[int]]:
    """For each row that is a rule on the task: the rows of later rules on its subject, the latest first."""
    rules = _rule_values(asking, table)
    rows = [row for row, rule in zip(table.rows, rules, strict=True) if rule]
    vectors = table.shelf.vectors(asking.static_name, rows) if len(rows) > 1 and asking.static is not None else None
    if vectors is None:
        return {}
    near = (vectors @ vectors.T >= ONE_SUBJECT).tolist()
    texts = [table.texts[row] for row in rows]
    moments = [(text.ts, row) for text, row in zip(texts, rows, strict=True)]
    found = {}
    for place, row in enumerate(rows):
        later = [
            moments[other]
            for other, text in enumerate(texts)
            if near[place][other] and moments[other] > moments[place] and text.group != texts[place].group
        ]
        if later:
            found[row] = [each for _, each in sorted(later, reverse=True)]
    return found


def is_task(text: str) -> bool:
    """Whether a prompt asks for something to be done."""
    return _TASK.match(text) is not None


def _rule_values(asking: PreparedQuestion, table: Table) -> list[float]:
    return table.once("rules", lambda: _judge_rules(asking, table))


def _judge_rules(asking: PreparedQuestion, table: Table) -> list[float]:
    if not is_task(asking.text):
        return [0.0] * len(table.rows)
    held: Mapping[int, Mapping[str, int]] = table.shelf.holding(table.rows, RULE_TERMS)
    return [
        0.0
        if table.texts[row].said_by in LENDS_NOTHING
        else min(1.0, len(held.get(row, ())) / ENOUGH) * (1 - table.texts[row].asks)
        for row in table.rows
    ]
