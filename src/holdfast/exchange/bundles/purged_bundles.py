"""Bundles that hold what was purged here: a copy of one that a purge removed is refused, others bring no records.

Memories and events are known again by their ids. A record is words without an id of their own, so nobody can tell which
of them speak of what went: all of them stay away.
"""

import json
import re
from collections.abc import Iterator

from holdfast.core.errors import Refused
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.read_bundle import Unpacked
from holdfast.exchange.bundles.local_state import LocalImportState
from holdfast.forget.tombstones import events_of, ids_of, names_in_event, names_of, read_marks, sums_of
from holdfast.workspace import App

RECORDS = frozenset({bundle_paths.RECORD, bundle_paths.PAGE})
LONGEST_EVENT = 64 << 20
_ID = re.compile(rb"^id:\s*[\"']?([A-Z]+-[0-9A-Z]+)", re.MULTILINE)
_EVENT = re.compile(rb"\b[0-9A-HJKMNP-TV-Z]{26}\b")


class PurgedBundle(Refused):
    """A copy of a bundle that was removed by a purge."""

    def __init__(self, sha256: str) -> None:
        super().__init__(
            f"This bundle is a copy of one that a purge removed: it holds what was to go (sum {sha256[:12]}).",
            "remove the copy too; exports and backups made after the purge have the rest.",
        )


def refuse_purged(app: App, sha256: str) -> None:
    """Raise where a bundle of this sum went by a purge, in this workspace or in any of the user's."""
    if sha256 in sums_of(read_known_marks(app)):
        raise PurgedBundle(sha256)


def read_known_marks(app: App) -> frozenset[str]:
    """The marks of a workspace and of the user's own memory."""
    return read_marks(app) | (read_marks(app.open_other("")) if app.workspace else frozenset())


def holds_purged(here: LocalImportState, unpacked: Unpacked) -> bool:
    """Whether a bundle has a memory or event that was purged and is not here, or a record that names such an event."""
    found = read_known_marks(here.app)
    ids = ids_of(found) - {each for _, _, each in here.entries}
    events = events_of(found)
    if not ids and not events:
        return False
    if ids & set(_memories(unpacked)):
        return True
    named = events & {*_events(unpacked), *_list_record_events(unpacked)}
    return bool(named) and bool(
        named - {each for r in here.app.journal.read() if r.kind == "event" for each in names_of(r)}
    )


def _memories(unpacked: Unpacked) -> Iterator[str]:
    for place in _places(unpacked, frozenset({bundle_paths.MEMORY, bundle_paths.CANDIDATE})):
        with open(place, "rb") as file:
            yield from (each.decode() for each in _ID.findall(file.read()))


def _events(unpacked: Unpacked) -> Iterator[str]:
    for place in _places(unpacked, frozenset({bundle_paths.JOURNAL})):
        with open(place, "rb") as file:
            while line := file.readline(LONGEST_EVENT):
                try:
                    event = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(event, dict):
                    yield from names_in_event(str(event.get("id", "")), event)


def _list_record_events(unpacked: Unpacked) -> Iterator[str]:
    for place in _places(unpacked, RECORDS):
        with open(place, "rb") as file:
            for line in file:
                yield from (each.decode() for each in _EVENT.findall(line))


def _places(unpacked: Unpacked, kinds: frozenset[str]) -> list[str]:
    return [unpacked.places[row.path] for row in unpacked.manifest.files if row.kind in kinds]
