"""Resources: memories, the briefing and the active pack, for clients that let their user pick."""

from urllib.parse import quote, unquote

from mcp import types

from holdfast.app import App
from holdfast.core.errors import NotFound
from holdfast.core.memory import Status
from holdfast.core.search import Question, Select
from holdfast.inject.start_text import NoActivePack, active_pack, briefing
from holdfast.recall.find import list_entries, superseded_by
from holdfast.review.agent_access import entries_seen, fenced
from holdfast.server.mcp.agent_text import inert_json, one_line
from holdfast.server.mcp.answer_texts import LONGEST, whole
from holdfast.vault.entry_json import entry_json

MEMORY = "holdfast://memory/"
BRIEFING = "holdfast://briefing"
ACTIVE = "holdfast://context/active"
MARKDOWN = "text/markdown"
MOST_LISTED = 100

TEMPLATE = types.ResourceTemplate(
    uri_template=f"{MEMORY}{{id}}", name="memory", title="A memory", description="One memory in full.",
    mime_type=MARKDOWN,
)  # fmt: skip
FIXED = (
    types.Resource(
        uri=BRIEFING, name="briefing", title="Briefing", description="What a session is told at its start.",
        mime_type=MARKDOWN,
    ),
    types.Resource(
        uri=ACTIVE, name="active", title="Active pack", description="What was packed for the current run.",
        mime_type=MARKDOWN,
    ),
)  # fmt: skip


class NoSuchResource(NotFound):
    """An address that names nothing of ours."""

    def __init__(self, uri: str) -> None:
        super().__init__(f"There is no resource {uri[:100]!r}.", f"there are {MEMORY}{{id}}, {BRIEFING} and {ACTIVE}.")


def listed(app: App) -> list[types.Resource]:
    """The fixed ones, and the memories that changed last; the template reaches all others."""
    newest = Question(text="", select=Select(statuses=(Status.ACCEPTED,), newest=MOST_LISTED))
    return [*FIXED, *(_resource(inert_json(entry_json(app, entry))) for entry in list_entries(app, newest))]


def read(app: App, uri: str, session: str) -> str:
    """The text of a resource, inside the fence."""
    if uri == BRIEFING:
        return fenced(briefing(app, session), LONGEST) or "Nothing is kept yet."
    if uri == ACTIVE:
        return _active(app)
    if not uri.startswith(MEMORY):
        raise NoSuchResource(uri)
    entries = entries_seen(app, [unquote(uri.removeprefix(MEMORY))[:64]])
    if not entries:
        raise NoSuchResource(uri)
    newer = superseded_by(app)
    return fenced("\n\n".join(whole(inert_json(entry_json(app, entry, newer))) for entry in entries), LONGEST)


def _active(app: App) -> str:
    try:
        return fenced(active_pack(app), LONGEST)
    except NoActivePack as error:
        return f"{error}"


def _resource(form: dict[str, str]) -> types.Resource:
    return types.Resource(
        uri=f"{MEMORY}{quote(form['id'], safe='')}",
        name=form["id"],
        title=one_line(form["title"]),
        description=form["type"],
        mime_type=MARKDOWN,
    )
