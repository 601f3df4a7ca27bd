"""Finding what was said in any session, or written down in logs, runs and research."""

from holdfast.core.errors import BadRequest
from holdfast.core.value import replace
from holdfast.index.spoken_passages import KINDS
from holdfast.index.text_pages import refresh_pages
from holdfast.recall.find import MOST, EmptyQuery
from holdfast.recall.rank import rank_spoken
from holdfast.recall.search_speech import TranscriptResult, fold_repeats
from holdfast.recall.search_speech import search_transcripts as ask_said
from holdfast.records.refresh_records import refresh_records
from holdfast.trust.visibility import may_show_events
from holdfast.workspace import App

__all__ = ["PLACES", "TranscriptResult", "search_transcripts"]

ALL = "all"
# As `--in` names them.
PLACES = {"turns": ("turn",), "runs": ("run",), "log": ("log",), "research": ("research",), ALL: KINDS}


def search_transcripts(app: App, text: str, place: str, limit: int) -> TranscriptResult:
    """The best of what was said or written there. For an agent, only where the journal is this machine's own."""
    if not text.strip():
        raise EmptyQuery
    if not 1 <= limit <= MOST:
        raise BadRequest(f"A search gives from 1 to {MOST} hits, not {limit}.")
    if app.client and not may_show_events(app):
        app.notices.append("What was said here is held back: the user has not allowed this workspace.")
        return TranscriptResult(hits=(), terms=(), passages=0)
    refresh_records(app)
    refresh_pages(app)
    heard = ask_said(text, PLACES[place], limit, app.index)
    found = rank_spoken(app, text, PLACES[place], limit)
    return heard if found is None else replace(heard, hits=tuple(fold_repeats(found)[:limit]))
