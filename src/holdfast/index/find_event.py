"""An event by its id: where the index knows it, read from the journal."""

from holdfast.core.event import JournalRecord
from holdfast.core.ids import is_ulid
from holdfast.journal.imported_ids import find_local_id
from holdfast.workspace import App


def find_event(app: App, event_id: str) -> JournalRecord | None:
    """The journal's record of an event; of one that came by a bundle, by the id it had there too."""
    wanted = event_id.upper()
    found = app.index.events(wanted, 0, 1) if is_ulid(wanted) else ()
    if not found and is_ulid(wanted) and (here := find_local_id(app, wanted)):
        wanted, found = here, app.index.events(here, 0, 1)
    # A deleted neighbour moves where a record is read from, never past it.
    record = next(app.journal.read(found[0].place), None) if found else None
    return record if record and record.id == wanted else None
