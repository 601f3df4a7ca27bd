"""Finding entries by id, and the way between the index's paths and a vault's."""

import os

from holdfast.core.errors import BadRequest, Conflict, NotFound
from holdfast.core.memory import CANDIDATE_PREFIX, Entry, Scope
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.core.vault_store import Vault
from holdfast.vault.promotion import ScopeMissing
from holdfast.workspace import App, NoWorkspace

MEMORY = "memory"
CANDIDATES = "candidates"
SHORTEST_PREFIX = 3


class NoSuchId(NotFound):
    """Nothing has this id."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"Nothing has the id {wanted!r}.",
            "`holdfast list` and `holdfast list --candidates` show the ids; `holdfast search` finds by words.",
        )


class AmbiguousId(BadRequest):
    """An id that was cut too short."""

    def __init__(self, wanted: str, found: list[str]) -> None:
        super().__init__(f"{wanted!r} could be any of {', '.join(found[:8])}.", "give more of the id.")


class DuplicateId(Conflict):
    """Two entries that say they are the same one."""

    def __init__(self, wanted: str, places: list[str]) -> None:
        super().__init__(
            f"The id {wanted!r} stands in more than one place: {', '.join(places)}.",
            "`holdfast doctor --fix` gives the later one a new id.",
        )


def find_entries(app: App, wanted: str) -> list[Entry]:
    """The entries an id means; the case does not count, and a unique beginning is enough."""
    if any("\ud800" <= character <= "\udfff" for character in wanted):
        raise NoSuchId(wanted)
    exact = app.index.select(Select(ids=(wanted,))) or app.index.select(Select(ids=(wanted.upper(),)))
    if exact:
        return list(exact)
    if len(wanted) < SHORTEST_PREFIX:
        raise NoSuchId(wanted)
    begin = wanted.casefold()
    near = [entry for entry in app.index.select(Select()) if entry.memory.id.casefold().startswith(begin)]
    found = sorted({entry.memory.id for entry in near})
    if not found:
        raise NoSuchId(wanted)
    if len(found) > 1:
        raise AmbiguousId(wanted, found)
    return near


def find_entry(app: App, wanted: str) -> Entry:
    """The one entry an id means."""
    found = find_entries(app, wanted)
    if len(found) > 1:
        raise DuplicateId(wanted, [f"{entry.path}:{entry.line}" for entry in found])
    return found[0]


def is_candidate(entry: Entry) -> bool:
    """Whether an entry stands among the candidates."""
    return entry.path.startswith(CANDIDATES + "/")


def candidate_id(memory_id: str) -> str:
    """The candidate's id that belongs to a random part."""
    return f"{CANDIDATE_PREFIX}-{memory_id.rpartition('-')[2]}"


def vault_of(app: App, entry: Entry) -> Vault:
    """The vault an entry stands in."""
    return app.candidate_vault if is_candidate(entry) else app.vaults[entry.scope]


def to_vault_entry(entry: Entry) -> Entry:
    """An entry of the index, with its path as its vault knows it."""
    return replace(entry, path=entry.path.partition("/")[2])


def to_index_entry(entry: Entry, place: str = MEMORY) -> Entry:
    """An entry of a vault, with its path as the index knows it."""
    return replace(entry, path=f"{place}/{entry.path}")


def choose_scope(app: App, asked: str) -> Scope:
    """The scope a new memory goes to: the one asked for, else the workspace's. Never the user's own by accident."""
    scope = Scope(asked or Scope.WORKSPACE)
    if scope is Scope.WORKSPACE and not app.workspace:
        raise NoWorkspace(os.getcwd())
    if scope not in app.vaults:
        raise ScopeMissing(scope)
    return scope
