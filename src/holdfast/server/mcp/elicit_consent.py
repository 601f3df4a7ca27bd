"""The user's own yes: a candidate is decided by nobody but them, asked through the client's elicitation."""

from secrets import token_urlsafe

from mcp import types
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from holdfast.core.memory import Entry
from holdfast.review.agent_access import make_inert
from holdfast.review.consent import accept_for_user, find_conflicts_of, reject_for_user
from holdfast.server.mcp.agent_text import inert_json
from holdfast.server.mcp.answer_texts import format_memory
from holdfast.server.mcp.client_folder import Context
from holdfast.vault.entry_json import entry_json
from holdfast.workspace import App

LONGEST = 4_000
LONGEST_TEXT = 400
MOST_OPEN = 32
KEY = "decision"
CHOICES = ("accept", "reject", "leave it")
FORM = {
    "type": "object",
    "properties": {
        KEY: {
            "type": "string",
            "title": "What shall become of it?",
            "enum": list(CHOICES),
            "default": CHOICES[-1],
        }
    },
    "required": [KEY],
}


class Consent:
    """Questions that wait for the user's answer, each good for one answer to what was shown."""

    def __init__(self) -> None:
        self._open: dict[str, Entry] = {}

    def question(self, app: App, entry: Entry) -> types.InputRequiredResult:
        """The question as newer protocols take it: an answer to the call, which the client then makes again."""
        while len(self._open) >= MOST_OPEN:
            del self._open[next(iter(self._open))]
        state = token_urlsafe(16)
        self._open[state] = entry
        request = types.ElicitRequest(params=_form(app, entry))
        return types.InputRequiredResult(input_requests={KEY: request}, request_state=state)

    def answer(self, given: types.CallToolRequestParams) -> tuple[Entry, types.ElicitResult] | None:
        """What was asked and what was answered; None for a call that answers no open question of ours."""
        asked = self._open.pop(given.request_state or "", None)
        said = (given.input_responses or {}).get(KEY)
        return (asked, said) if asked is not None and isinstance(said, types.ElicitResult) else None


def can_ask(ctx: Context) -> bool:
    """Whether the client can put a form before its user."""
    declared = ctx.session.client_capabilities
    can = declared.elicitation if declared else None
    return can is not None and (can.form is not None or can.url is None)


def asks_by_retry(ctx: Context) -> bool:
    """Whether this protocol asks by having the call made again."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


async def ask(ctx: Context, app: App, entry: Entry) -> types.ElicitResult:
    """Ask now, as older protocols do, and wait for the user."""
    form = _form(app, entry)
    return await ctx.session.elicit_form(form.message, form.requested_schema, related_request_id=ctx.request_id)


def apply_decision(app: App, asked: Entry, said: types.ElicitResult) -> tuple[str, str]:
    """Do what the user said; what became of it, and the memory's id if it is one now."""
    choice = (said.content or {}).get(KEY) if said.action == "accept" else None
    if choice == "accept":
        return "accepted", accept_for_user(app, asked).entry.memory.id
    if choice == "reject":
        reject_for_user(app, asked)
        return "rejected", ""
    return "left as it is", ""


def _form(app: App, entry: Entry) -> types.ElicitRequestFormParams:
    text = format_memory(inert_json(entry_json(app, entry)))
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n… cut here; all of it: holdfast show {entry.memory.id}"
    for each in find_conflicts_of(app, entry):
        said = make_inert(each.relation.old_text or each.old.memory.title)
        reason = make_inert(each.relation.reason)
        text += f"\n\nIt {each.relation.kind} {each.relation.old}: {reason}\n  {said[:LONGEST_TEXT]}"
    where = make_inert(app.workspace) or "your own memory"
    return types.ElicitRequestFormParams(
        message=f"Holdfast: shall this become memory of {where}? An agent asks; only you decide.\n\n{text}",
        requested_schema=FORM,
    )
