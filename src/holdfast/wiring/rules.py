"""The rules of all memory that counts, written down for the hook: good for as long as no memory file moves."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.domain.memory import Entry, Status
from holdfast.domain.search import Select
from holdfast.wiring.app import App
from holdfast.wiring.derived import read_derived, write_derived

if TYPE_CHECKING:
    from holdfast.curate.check.rules import Rule, Slip
    from holdfast.wiring.known import Known

VERSION = 1
FILE = "rules.json"

# Memory, title, paths, key, entries: a rule as it is kept.
Kept = tuple[str, str, Sequence[str], str, Sequence[str]]


def kept_rules(app: App, known: "Known") -> list[Kept]:
    """Every rule, as of the files as they are now. Whether its memory holds and may be told is asked of what is met."""
    path = os.path.join(app.folder, "state", FILE)
    found = read_derived(path)
    if known.check and found.get("v") == VERSION and found.get("check") == known.check:
        return [tuple(row) for row in found.get("rules", ()) if isinstance(row, list) and len(row) == 5]
    # Before the index is brought in step: what moves meanwhile is looked at next time.
    check = known.check
    entries = known.index.select(Select(statuses=(Status.ACCEPTED,)))
    rules = [_form(rule) for rule in rules_of_all(entries)[0]]
    if check:
        write_derived(path, {"v": VERSION, "check": check, "rules": rules})
    return rules


def rules_of_all(entries: Iterable[Entry]) -> "tuple[list[Rule], list[tuple[Entry, Slip]]]":
    """The rules of some entries, and what in their `enforce` cannot be used."""
    from holdfast.curate.check.rules import Rule, rules_of, turned_down

    rules: list[Rule] = []
    slips: list[tuple[Entry, Slip]] = []
    for entry in entries:
        for found in rules_of(entry.memory):
            if isinstance(found, Rule):
                rules.append(found)
            else:
                slips.append((entry, found))
        if entry.memory.rejected and (rule := turned_down(entry.memory)):
            rules.append(rule)
    return rules, slips


def _form(rule: Any) -> Kept:
    return rule.memory, rule.title, rule.paths, rule.key, rule.said
