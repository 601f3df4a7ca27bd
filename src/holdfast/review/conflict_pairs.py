"""Memories that hold and cannot both be followed: found once, and kept for as long as their files stay as they are.

`state/conflicts/` has what was looked at and what was found (`pairs.json`), and their files (`files`), for `badge`.
"""

import json
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Entry, Status
from holdfast.core.relation import ASKING, Kind
from holdfast.core.search import Question, Select
from holdfast.core.value import Value
from holdfast.recall.select import wanted_filter
from holdfast.review.badge import save_conflicts
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.review.relations import EntryRelation, RelationFinder

FOLDERS = ("state", "conflicts")
KEPT = os.path.join(*FOLDERS, "pairs.json")
VERSION = 1
SUM = 16
# `status` is run often: it looks at a few that changed, and says how many are left.
FEW = 12
SECONDS = 0.6
KINDS = (Kind.CONTRADICTS, Kind.SUPERSEDES)


class ConflictPair(Value):
    """Two memories that hold, and what the newer is to the older."""

    new: Entry
    old: Entry
    kind: Kind
    rule: str
    reason: str
    sure: float
    new_text: str
    old_text: str


class ConflictPairs(Value):
    """The pairs, contradictions first; how many memories hold, and how many of them were not looked at yet."""

    pairs: tuple[ConflictPair, ...]
    holding: int
    unseen: int = 0

    @property
    def conflicting(self) -> tuple[ConflictPair, ...]:
        """Those that nobody can follow both."""
        return tuple(pair for pair in self.pairs if pair.kind is Kind.CONTRADICTS)


def find_conflict_pairs(app: App) -> ConflictPairs:
    """Of all memories that hold: what was found before counts while it is as it was, the rest is looked at."""
    return _find_pairs(app, app.index.select(Select(statuses=(Status.ACCEPTED,))), 0)


def find_few_conflict_pairs(app: App, entries: Sequence[Entry]) -> ConflictPairs:
    """The same of some entries, within moments: a few that changed are looked at, the newest first."""
    return _find_pairs(app, entries, FEW)


def forget_pairs(app: App) -> None:
    """Drop what is kept: names of files may hold words that are to go."""
    for name in os.listdir(folder) if os.path.isdir(folder := os.path.join(app.folder, *FOLDERS)) else ():
        os.unlink(os.path.join(folder, name))


def _find_pairs(app: App, entries: Iterable[Entry], most: int) -> ConflictPairs:
    holds = wanted_filter(Question(text="", now=app.clock.now()), app.index)
    holding = {entry.memory.id: entry for entry in filter_visible(app, [entry for entry in entries if holds(entry)])}
    kept = read_json_cache(os.path.join(app.folder, KEPT))
    seen = _find_seen(kept, holding)
    changed = sorted((e for name, e in holding.items() if name not in seen), key=_age, reverse=True)
    found = {frozenset((pair.new.memory.id, pair.old.memory.id)): pair for pair in _pairs(kept, holding, seen)}
    done = _relate_changed(app, changed, found, most)
    seen |= {entry.memory.id for entry in changed[:done]}
    ordered = sorted(found.values(), key=lambda pair: (KINDS.index(pair.kind), -pair.sure, pair.new.memory.id))
    if done or len(seen) != len(kept.get("seen") or ()):
        _keep(app, {name: holding[name] for name in seen}, ordered)
    return ConflictPairs(pairs=tuple(ordered), holding=len(holding), unseen=len(changed) - done)


def _relate_changed(app: App, changed: Sequence[Entry], found: dict[frozenset[str], ConflictPair], most: int) -> int:
    """Look at those that changed; how many were."""
    if not changed:
        return 0
    # Loaded by name, when it is needed: it costs 25 ms, and mostly nothing has changed.
    look, begun = import_module("holdfast.review.relations").RelationFinder(app), time.monotonic()
    for done, entry in enumerate(changed):
        if most and (done == most or time.monotonic() - begun > SECONDS):
            return done
        for each in look.at(entry):
            if each.relation.kind in KINDS and each.relation.rule not in ASKING:
                _put_pair(found, each if _age(each.new) >= _age(each.old) else _turn_relation(look, each))
        if app.progress is not None and not most:
            app.progress("conflicts", done + 1, len(changed))
    return len(changed)


def _turn_relation(look: "RelationFinder", each: "EntryRelation") -> "EntryRelation":
    """The same pair with the newer one as new; as it is, where there is nothing to be said from that side."""
    back = look.at(each.old, beside=(each.new,))
    found = (other for other in back if other.old.memory.id == each.new.memory.id and other.relation.kind in KINDS)
    return next(found, each)


def _put_pair(found: dict[frozenset[str], ConflictPair], each: "EntryRelation") -> None:
    relation = each.relation
    found[frozenset((relation.new, relation.old))] = ConflictPair(
        new=each.new, old=each.old, kind=relation.kind, rule=relation.rule, reason=relation.reason, sure=relation.sure,
        new_text=relation.new_text, old_text=relation.old_text,
    )  # fmt: skip


def _find_seen(kept: dict[str, Any], holding: dict[str, Entry]) -> set[str]:
    sums = kept.get("seen")
    if kept.get("v") != VERSION or not isinstance(sums, dict):
        return set()
    return {name for name, entry in holding.items() if sums.get(name) == entry.sha256[:SUM]}


def _pairs(kept: dict[str, Any], holding: dict[str, Entry], seen: set[str]) -> list[ConflictPair]:
    rows = kept.get("pairs")
    held = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) and seen else []
    return [_pair(row, holding) for row in held if _is_seen_pair(row, seen)]


def _is_seen_pair(row: dict[str, Any], seen: set[str]) -> bool:
    names = (row.get("new"), row.get("old"))
    return all(isinstance(name, str) and name in seen for name in names) and row.get("kind") in KINDS


def _pair(row: dict[str, Any], holding: dict[str, Entry]) -> ConflictPair:
    texts = {name: str(row.get(name, "")) for name in ("rule", "reason", "new_text", "old_text")}
    sure = row.get("sure")
    share = float(sure) if isinstance(sure, int | float) else 0.0
    return ConflictPair(new=holding[row["new"]], old=holding[row["old"]], kind=Kind(row["kind"]), sure=share, **texts)


def _keep(app: App, seen: dict[str, Entry], pairs: Sequence[ConflictPair]) -> None:
    """Not for an agent, who may see less than there is; and only where the folder is."""
    if app.client or not os.path.isdir(app.folder):
        return
    rows = [
        {
            "new": pair.new.memory.id, "old": pair.old.memory.id, "kind": pair.kind, "rule": pair.rule,
            "reason": pair.reason, "sure": pair.sure, "new_text": pair.new_text, "old_text": pair.old_text,
        }
        for pair in pairs
    ]  # fmt: skip
    sums = {name: entry.sha256[:SUM] for name, entry in seen.items()}
    form = json.dumps({"v": VERSION, "seen": sums, "pairs": rows})
    clashing = [pair for pair in pairs if pair.kind is Kind.CONTRADICTS]
    # A repository may bring a link of that name. What is not kept is looked at again.
    with (
        suppress(HoldfastError, OSError),
        open_folder(WritableFolder(root=app.folder, private=True), FOLDERS, make=True),
    ):
        put_file(os.path.join(app.folder, KEPT), form.encode("utf-8", "replace"))
        save_conflicts(app.folder, [(_file(app, pair.new), _file(app, pair.old)) for pair in clashing])


def _file(app: App, entry: Entry) -> str:
    return os.path.join(app.root_of(entry.scope), entry.path)


def _age(entry: Entry) -> tuple[str, str, str]:
    return entry.memory.valid_from, entry.memory.updated, entry.memory.id
