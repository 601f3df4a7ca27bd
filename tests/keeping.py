"""Memories that hold side by side although they contradict each other: as a sync or an editor brings them."""

from holdfast.core.memory import Entry, SaidBy
from holdfast.index.entries import choose_scope, to_index_entry
from holdfast.review.remember import MemoryDraft, compose_memory
from holdfast.trust.allow import mark_as_own
from holdfast.workspace import App


def keep_beside(app: App, draft: MemoryDraft) -> Entry:
    """A memory written to its file, past the question what it contradicts."""
    entry = app.vaults[choose_scope(app, draft.scope)].create(compose_memory(app, draft, SaidBy.USER))
    mark_as_own(app, entry)
    app.refresh()
    return to_index_entry(entry)
