"""Finding what was said in any session, or written down in logs, runs and research."""

from holdfast.core.errors import BadRequest
from holdfast.core.value import replace
from holdfast.index.spoken_passages import KINDS
from holdfast.index.text_pages import sync_pages
from holdfast.recall.find import MOST, EmptyQuery
from holdfast.recall.rank import said_ranked
from holdfast.recall.search_speech import Heard, folded
from holdfast.recall.search_speech import search_said as ask_said
from holdfast.records.follow_journal import catch_up
from holdfast.trust.visibility import events_for_agents
from holdfast.workspace import App

__all__ = ["PLACES", "Heard", "search_said"]

ALL = "all"
# As `--in` names them.
PLACES = {"turns": ("turn",), "runs": ("run",), "log": ("log",), "research": ("research",), ALL: KINDS}


def search_said(app: App, text: str, place: str, limit: int) -> Heard:
    """The best of what was said or written there. For an agent, only where the journal is this machine's own."""
    if not text.strip():
        raise EmptyQuery
    if not 1 <= limit <= MOST:
        raise BadRequest(f"A search gives from 1 to {MOST} hits, not {limit}.")
    if app.client and not events_for_agents(app):
        app.notices.append("What was said here is held back: the user has not allowed this workspace.")
        return Heard(said=(), terms=(), passages=0)
    catch_up(app)
    sync_pages(app)
    heard = ask_said(text, PLACES[place], limit, app.index)
    found = said_ranked(app, text, PLACES[place], limit)
    return heard if found is None else replace(heard, said=tuple(folded(found)[:limit]))
