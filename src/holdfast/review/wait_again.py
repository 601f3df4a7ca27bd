"""What left the queue by its time is put back into it."""

from collections.abc import Sequence

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry
from holdfast.core.value import replace
from holdfast.index.entries import CANDIDATES, to_index_entry, to_vault_entry
from holdfast.review.batches import open_batch
from holdfast.review.expiry import has_expired
from holdfast.review.queue import find_candidate
from holdfast.vault.entry_json import now
from holdfast.workspace import App, need_person


class NotExpired(BadRequest):
    """A candidate that waits, or was decided."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"{wanted!r} did not leave the queue by its time.", "`holdfast list --candidates --expired` lists those."
        )


def wait_again(app: App, ids: Sequence[str]) -> list[Entry]:
    """Put what expired back into the queue, for as long again. A person's doing, and a batch of its own."""
    need_person(app, f"undo {' '.join(ids)}")
    found = [find_candidate(app, wanted) for wanted in dict.fromkeys(ids)]
    for entry in found:
        if not has_expired(app, entry):
            raise NotExpired(entry.memory.id)
    with open_batch(app, "wait again") as made:
        return [made.rewrite(entry, replace(entry.memory, updated=now(app))) for entry in found]


def put_back_expired(app: App, entry: Entry) -> Entry | None:
    """The same was said again of what expired: it waits again. None where it did not expire."""
    if not has_expired(app, entry):
        return None
    changed = app.candidates.rewrite(to_vault_entry(entry), replace(entry.memory, updated=now(app)))
    app.refresh()
    return to_index_entry(changed, CANDIDATES)
