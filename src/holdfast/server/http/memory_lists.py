"""Lists of memories, out of what is loaded: filtered as `holdfast list` does, made once for a state of the files."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from holdfast.core.memory import Entry, MemoryType, Scope, Status
from holdfast.core.search import Question, Select
from holdfast.core.times import BadTime
from holdfast.core.value import Value
from holdfast.recall.find import effective_status, find_superseded
from holdfast.recall.select import wanted_filter
from holdfast.report.stats import count_uses
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App


class StatusAsked(StrEnum):
    """Which memories: `valid` now (or then), of one status, or all."""

    VALID = "valid"
    ACCEPTED = "accepted"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"
    ALL = "all"


class Sort(StrEnum):
    """The order of a list: newest, title, most used or surest first."""

    UPDATED = "updated"
    TITLE = "title"
    USES = "uses"
    CONFIDENCE = "confidence"


class MemoryListQuery(Value):
    """Which memories, in which order. What is empty means any."""

    types: tuple[MemoryType, ...] = ()
    status: StatusAsked = StatusAsked.VALID
    scope: str = ""
    tags: tuple[str, ...] = ()
    path: str = ""
    as_of: str = ""
    words: str = ""
    sort: Sort = Sort.UPDATED


def list_memories(workspace: OpenWorkspace, wanted: MemoryListQuery) -> Sequence[Entry]:
    """The memories meant. For `do`."""
    if wanted.as_of and parse_moment(wanted.as_of) is None:
        raise BadTime("asOf", wanted.as_of)
    # Memories begin and end to hold as time goes by: a list is good until the next one does.
    return workspace.held(
        (wanted, workspace.era), lambda app: _sort_entries(workspace, wanted, _filter_entries(workspace, app, wanted))
    )


def row_key(entry: Entry) -> str:
    """What tells a row from all others."""
    return f"{entry.memory.id} {entry.scope} {entry.path} {entry.line}"


def _filter_entries(workspace: OpenWorkspace, app: App, wanted: MemoryListQuery) -> list[Entry]:
    fits, newer = wanted_filter(_question(app, wanted), app.index), newer_of(workspace)
    words = wanted.words.casefold()
    asked = None if wanted.status in {StatusAsked.VALID, StatusAsked.ALL} else Status(wanted.status)
    return [
        entry
        for entry in workspace.entries
        if (not wanted.types or entry.memory.type in wanted.types)
        and words in entry.memory.title.casefold()
        and (asked is None or effective_status(entry, newer) is asked)
        and fits(entry)
    ]


def _question(app: App, wanted: MemoryListQuery) -> Question:
    statuses = () if wanted.status is StatusAsked.VALID else tuple(Status)
    scopes = (Scope(wanted.scope),) if wanted.scope else ()
    return Question(
        text="", select=Select(statuses=statuses, scopes=scopes), tags=wanted.tags, path=wanted.path,
        as_of=wanted.as_of, now=app.clock.now(),
    )  # fmt: skip


def _sort_entries(workspace: OpenWorkspace, wanted: MemoryListQuery, found: list[Entry]) -> list[Entry]:
    used = uses_of(workspace) if wanted.sort is Sort.USES else {}
    orders: dict[Sort, Callable[[Entry], tuple[object, ...]]] = {
        Sort.TITLE: lambda entry: (entry.memory.title.casefold(), entry.memory.id),
        Sort.USES: lambda entry: (-used.get(entry.memory.id, 0),),
        Sort.CONFIDENCE: lambda entry: (-(entry.memory.confidence or 0.0),),
    }
    # Those that are loaded are in order already, newest first.
    return found if wanted.sort is Sort.UPDATED else sorted(found, key=orders[wanted.sort])


def newer_of(workspace: OpenWorkspace) -> dict[str, str]:
    """Which memory replaced which. For `do`."""
    return workspace.held("newer", find_superseded)


def uses_of(workspace: OpenWorkspace) -> dict[str, int]:
    """In how many sessions each memory was used. For `do`."""
    return workspace.held("uses", _uses, events=True)


def _uses(app: App) -> dict[str, int]:
    return dict(count_uses(app))
