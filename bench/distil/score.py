"""Precision and recall of candidates, and how many of their fields are right."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from bench.distil.labels import FIELDS, Snippet
from holdfast.core.distilled import Known
from holdfast.core.memory import Memory
from holdfast.distil.distiller import Distiller


class Score:
    """Counts over a set of snippets."""

    def __init__(self) -> None:
        self.right, self.found, self.wanted = Counter[str](), Counter[str](), Counter[str]()
        self.fields, self.fields_right = Counter[str](), Counter[str]()
        self.faults: list[str] = []

    def precision(self, kind: str) -> float:
        """The share of what was found that was wanted."""
        return self.right[kind] / self.found[kind] if self.found[kind] else 1.0

    def recall(self, kind: str) -> float:
        """The share of what was wanted that was found."""
        return self.right[kind] / self.wanted[kind] if self.wanted[kind] else 1.0


def score(distiller: Distiller, snippets: Iterable[Snippet]) -> Score:
    """What a distiller finds in snippets, against what is wanted."""
    counts = Score()
    for one in snippets:
        _count(counts, one, list(distiller.distil(one.conversation, Known()).candidates))
    return counts


def _count(counts: Score, one: Snippet, found: list[Memory]) -> None:
    open_wants = list(one.want)
    for memory in found:
        want = next((want for want in open_wants if matches(memory, want)), None)
        kind = memory.type.value
        counts.found.update((kind, "all"))
        if want is None:
            counts.faults.append(f"{one.id}: not wanted: {kind}: {memory.title}")
            continue
        open_wants.remove(want)
        counts.right.update((kind, "all"))
        counts.wanted.update((kind, "all"))
        _fields(counts, one, memory, want)
    for want in open_wants:
        if not want.get("optional"):
            counts.wanted.update((want["type"].split("|")[0], "all"))
            counts.faults.append(f"{one.id}: missing: {want['type']}: {want['has']}")


def matches(memory: Memory, want: Mapping[str, Any]) -> bool:
    """Whether a candidate is the wanted one: its type, and the words it must hold."""
    text = f"{memory.title} {memory.choice} {memory.fact} {memory.context} {memory.error_message}".lower()
    return memory.type.value in want["type"].split("|") and all(words.lower() in text for words in want["has"])


def _fields(counts: Score, one: Snippet, memory: Memory, want: Mapping[str, Any]) -> None:
    for field in FIELDS:
        if field not in want:
            continue
        counts.fields[field] += 1
        if _is_right(field, memory, want[field]):
            counts.fields_right[field] += 1
        else:
            shown = getattr(memory, "body" if field == "why" else field)
            counts.faults.append(f"{one.id}: {field} is {shown!r}, wanted {want[field]!r}")


def _is_right(field: str, memory: Memory, want: Any) -> bool:
    match field:
        case "rejected":
            given = {option.option.lower(): option.reason for option in memory.rejected}
            return len(given) == len(want) and all(
                option.lower() in given and (reason is None or reason.lower() in given[option.lower()].lower())
                for option, reason in want
            )
        case "why":
            reasons = " ".join([memory.body, *(option.reason for option in memory.rejected)])
            return str(want).lower() in reasons.lower()
        case "said_by":
            return memory.said_by.value in str(want).split("|")
        case "root_cause":
            return str(want).lower() in memory.root_cause.lower()
        case "paths":
            return bool(list(memory.paths) == want)
        case "choice":
            return memory.choice.lower() == str(want).lower()
    return bool(getattr(memory, field) == want)
