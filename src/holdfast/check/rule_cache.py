"""The rules of all memory that counts, written down for the hook: good for as long as no memory file moves."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.core.memory import Entry, Status
from holdfast.core.search import Select
from holdfast.system.json_cache import read_derived, write_derived
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.check.enforce_rules import Rule, Slip
    from holdfast.recall.scope_cache import Known

VERSION = 1
FILE = "rules.json"

# Memory, title, paths, key, entries: a rule as it is kept.
Kept = Sequence[Any]


class KeptRules:
    """Every rule of the files as they are now. Whether its memory holds and may be told is asked of what is met."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def __bool__(self) -> bool:
        return bool(self._found.get("enforced") or self._found.get("rejected"))

    @property
    def enforced(self) -> "list[Rule]":
        """What `enforce` says."""
        return [_rule(row) for row in self._found["enforced"]]

    def rejecting(self, names: Iterable[str]) -> "list[Rule]":
        """The rules that reject one of some names, in the plain form of names. There may be thousands of others."""
        by_name = self._found["rejected"]
        rows = {row for name in names for row in by_name.get(name, ())}
        return [_rule(self._found["rejecting"][row]) for row in sorted(rows)]


def kept_rules(app: App, known: "Known") -> KeptRules:
    """The rules, as they were written down or made anew."""
    path = os.path.join(app.folder, "state", FILE)
    check = known.check  # before the index is brought in step: what moves meanwhile is looked at next time
    found = read_derived(path)
    if check and found.get("v") == VERSION and found.get("check") == check:
        return KeptRules(found)
    made = _made(known.index.select(Select(statuses=(Status.ACCEPTED,))))
    if check:
        write_derived(path, {"v": VERSION, "check": check, **made})
    return KeptRules(made)


def rules_of_all(entries: Iterable[Entry]) -> "tuple[list[Rule], list[tuple[Entry, Slip]]]":
    """The rules of some entries, and what in their `enforce` cannot be used."""
    from holdfast.check.enforce_rules import Rule, rules_of, turned_down

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


def _made(entries: Iterable[Entry]) -> dict[str, Any]:
    from holdfast.check.enforce_rules import REJECTED, plain

    rules = rules_of_all(entries)[0]
    rejecting = [rule for rule in rules if rule.key == REJECTED]
    by_name: dict[str, list[int]] = {}
    for row, rule in enumerate(rejecting):
        for option in rule.said:
            by_name.setdefault(plain(option), []).append(row)
    enforced = [_form(rule) for rule in rules if rule.key != REJECTED]
    return {"enforced": enforced, "rejecting": [_form(rule) for rule in rejecting], "rejected": by_name}


def _form(rule: "Rule") -> Kept:
    return rule.memory, rule.title, rule.paths, rule.key, rule.said


def _rule(row: Kept) -> "Rule":
    from holdfast.check.enforce_rules import Rule

    memory, title, paths, key, said = row
    return Rule(memory=memory, title=title, paths=tuple(paths), key=key, said=tuple(said))
