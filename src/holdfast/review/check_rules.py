"""What `check` goes by: rules that people wrote or confirmed, rules read from words, and what is told only."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.check.compile_rule import COMPILED, compile_memory
from holdfast.check.enforce_rules import EXCEPT, PATHS, TOLD_ONLY
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import find_entry
from holdfast.recall.packable import packable_filter
from holdfast.review.remember import change_entry
from holdfast.workspace import App

CHECKED, PROPOSED, TOLD = "checked", "proposed", "told"
MOST_SHOWN = 6


class NothingToConfirm(BadRequest):
    """A memory of whose words no rule can be made."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"{memory_id!r} says nothing that can be checked by itself.",
            f"write the rule yourself: holdfast edit {memory_id} (docs/guide/check.md has the keys of `enforce`).",
        )


class RuleState(Value):
    """How a memory is checked: `checked`, `proposed` (read from its words, a warning until confirmed) or `told`."""

    entry: Entry
    state: str
    enforce: Mapping[str, Any]
    examples: tuple[str, ...] = ()


def list_rule_states(app: App) -> list[RuleState]:
    """Every decision, invariant and pattern that holds, and whatever else has an `enforce`."""
    holds = packable_filter(app.index)
    entries = [entry for entry in app.index.select(Select(statuses=(Status.ACCEPTED,))) if holds(entry)]
    return [find_rule_state(entry) for entry in entries if entry.memory.enforce or entry.memory.type in COMPILED]


def find_rule_state(entry: Entry) -> RuleState:
    """How one memory is checked."""
    memory = entry.memory
    if memory.enforce:
        told = memory.enforce.get(TOLD_ONLY) is True
        return RuleState(entry=entry, state=TOLD if told else CHECKED, enforce={} if told else memory.enforce)
    made = compile_memory(memory)
    if made is None:
        return RuleState(entry=entry, state=TOLD, enforce={})
    return RuleState(entry=entry, state=PROPOSED, enforce=made.enforce, examples=made.examples)


def confirm_rules(app: App, ids: Sequence[str]) -> list[RuleState]:
    """Write the rules that were read from the words of memories into them: from now on they are certain."""
    found = [find_rule_state(find_entry(app, each)) for each in ids]
    for each in found:
        if not each.enforce:
            raise NothingToConfirm(each.entry.memory.id)
    return [
        find_rule_state(change_entry(app, each.entry, {"enforce": dict(each.enforce)}))
        if each.state == PROPOSED
        else each
        for each in found
    ]


def decline_rules(app: App, ids: Sequence[str]) -> list[RuleState]:
    """Have memories told to agents and not checked."""
    entries = [find_entry(app, each) for each in ids]
    return [find_rule_state(change_entry(app, each, {"enforce": {TOLD_ONLY: True}})) for each in entries]


def describe_rule(enforce: Mapping[str, Any], *, most: int = MOST_SHOWN) -> list[str]:
    """A rule in lines for people: each key with the first of its entries."""
    lines = []
    for key, value in enforce.items():
        listed = [str(each) for each in value] if isinstance(value, list | tuple) else []
        more = f" and {len(listed) - most} more" if len(listed) > most else ""
        said = f": {', '.join(listed[:most])}{more}" if listed else ""
        word = {PATHS: "only at", EXCEPT: "not at"}.get(key, key.replace("_", " "))
        lines.append(f"{word}{said}")
    return lines
