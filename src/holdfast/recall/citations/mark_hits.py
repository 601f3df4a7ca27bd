"""Hits with what became of the code that they cite; nothing is loaded for it where they cite none."""

from collections.abc import Sequence

from holdfast.core.search import Hit
from holdfast.core.value import replace
from holdfast.workspace import App


def mark_citations(app: App, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, each with what became of the code that it cites."""
    if not any(hit.entry.memory.cites for hit in hits):
        return list(hits)
    from holdfast.recall.citations.stale_citations import describe_drift

    return [
        replace(hit, stale=describe_drift(app.workspace, hit.entry, app.base)) if hit.entry.memory.cites else hit
        for hit in hits
    ]
