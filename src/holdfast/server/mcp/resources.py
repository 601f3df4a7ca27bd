"""Resources: memories, the briefing and the active pack, for clients that let their user pick."""

from urllib.parse import quote, unquote

from mcp import types

from holdfast.core.errors import NotFound
from holdfast.core.memory import Status
from holdfast.core.search import Question, Select
from holdfast.inject.start_text import NoActivePack, build_briefing, read_active_pack
from holdfast.recall.find import find_superseded, list_entries
from holdfast.review.agent_access import fence_text, find_visible_entries
from holdfast.server.mcp.agent_text import inert_json, one_line
from holdfast.server.mcp.answer_texts import LONGEST, format_memory
from holdfast.vault.entry_json import entry_json
from holdfast.workspace import App

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


def list_resources(app: App) -> list[types.Resource]:
    """The fixed ones, and the memories that changed last; the template reaches all others."""
    newest = Question(text="", select=Select(statuses=(Status.ACCEPTED,), newest=MOST_LISTED))
    return [*FIXED, *(_resource(inert_json(entry_json(app, entry))) for entry in list_entries(app, newest))]


def read_resource(app: App, uri: str, session: str) -> str:
    """The text of a resource, inside the fence."""
    if uri == BRIEFING:
        return fence_text(build_briefing(app, session), LONGEST) or "Nothing is kept yet."
    if uri == ACTIVE:
        return _read_active_pack(app)
    if not uri.startswith(MEMORY):
        raise NoSuchResource(uri)
    entries = find_visible_entries(app, [unquote(uri.removeprefix(MEMORY))[:64]])
    if not entries:
        raise NoSuchResource(uri)
    newer = find_superseded(app)
    return fence_text(
        "\n\n".join(format_memory(inert_json(entry_json(app, entry, newer))) for entry in entries), LONGEST
    )


def _read_active_pack(app: App) -> str:
    try:
        return fence_text(read_active_pack(app), LONGEST)
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
