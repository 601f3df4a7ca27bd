"""The rules of all memory that counts, written down for the hook: good for as long as no memory file moves."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.core.memory import Entry, Status
from holdfast.core.search import Select
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.check.enforce_rules import EnforceRule, UnusableKey
    from holdfast.recall.scope_cache import ScopeCache

VERSION = 2
FILE = "rules.json"

# Memory, title, paths, key, entries, where not, whether nobody confirmed it: a rule as it is kept.
Kept = Sequence[Any]


class CachedRules:
    """Every rule of the files as they are now. Whether its memory holds and may be told is asked of what is met."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def __bool__(self) -> bool:
        return bool(self._found.get("enforced") or self._found.get("rejected"))

    @property
    def enforced(self) -> "list[EnforceRule]":
        """What `enforce` says."""
        return [_rule_from_row(row) for row in self._found["enforced"]]

    def rejecting(self, names: Iterable[str]) -> "list[EnforceRule]":
        """The rules that reject one of some names, in the plain form of names. There may be thousands of others."""
        by_name = self._found["rejected"]
        rows = {row for name in names for row in by_name.get(name, ())}
        return [_rule_from_row(self._found["rejecting"][row]) for row in sorted(rows)]


def load_cached_rules(app: App, known: "ScopeCache") -> CachedRules:
    """The rules, as they were written down or rebuilt."""
    path = os.path.join(app.folder, "state", FILE)
    check = known.check  # before the index is refreshed: what moves meanwhile is looked at next time
    found = read_json_cache(path)
    if check and found.get("v") == VERSION and found.get("check") == check:
        return CachedRules(found)
    made = _build_cache(known.index.select(Select(statuses=(Status.ACCEPTED,))))
    if check:
        write_json_cache(path, {"v": VERSION, "check": check, **made})
    return CachedRules(made)


def collect_rules(entries: Iterable[Entry]) -> "tuple[list[EnforceRule], list[tuple[Entry, UnusableKey]]]":
    """The rules of some entries, and what in their `enforce` cannot be used."""
    from holdfast.check.compile_rule import compile_memory
    from holdfast.check.enforce_rules import EnforceRule, rejected_options_rule, rules_of

    rules: list[EnforceRule] = []
    slips: list[tuple[Entry, UnusableKey]] = []
    for entry in entries:
        compiled = compile_memory(entry.memory)
        for found in rules_of(entry.memory, proposed=compiled.enforce if compiled else None):
            if isinstance(found, EnforceRule):
                rules.append(found)
            else:
                slips.append((entry, found))
        if entry.memory.rejected and (rule := rejected_options_rule(entry.memory)):
            rules.append(rule)
    return rules, slips


def _build_cache(entries: Iterable[Entry]) -> dict[str, Any]:
    from holdfast.check.enforce_rules import REJECTED
    from holdfast.ecosystems.package_names import plain_name

    rules = collect_rules(entries)[0]
    rejecting = [rule for rule in rules if rule.key == REJECTED]
    by_name: dict[str, list[int]] = {}
    for row, rule in enumerate(rejecting):
        for option in rule.phrasings:
            by_name.setdefault(plain_name(option), []).append(row)
    enforced = [_rule_to_row(rule) for rule in rules if rule.key != REJECTED]
    return {"enforced": enforced, "rejecting": [_rule_to_row(rule) for rule in rejecting], "rejected": by_name}


def _rule_to_row(rule: "EnforceRule") -> Kept:
    return rule.memory, rule.title, rule.paths, rule.key, rule.phrasings, rule.outside, rule.proposed


def _rule_from_row(row: Kept) -> "EnforceRule":
    from holdfast.check.enforce_rules import EnforceRule

    memory, title, paths, key, said, outside, proposed = row
    return EnforceRule(
        memory=memory, title=title, paths=tuple(paths), key=key, phrasings=tuple(said), outside=tuple(outside),
        proposed=proposed,
    )  # fmt: skip
