"""Sessions that no hook heard, as a person is shown them: how many, from when to when, how they begin."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.cli.common import format_count
from holdfast.cli.output import Output, one_line
from holdfast.clients.client_table import CLIENTS
from holdfast.clients.manage_clients import shorten_path
from holdfast.records.vouch_sessions import UnhookedSession, UnvouchedSessions, decline_sessions, vouch_sessions
from holdfast.workspace import App

MOST_PROMPTS = 3
LONGEST_PROMPT = 70


def describe_span(rows: Sequence[UnhookedSession]) -> str:
    """From when to when sessions ran: 3 May to 17 Nov."""
    days = sorted(filter(None, [_day(each.since) for each in rows] + [_day(each.until) for each in rows]))
    if not days:
        return "at times they do not name"
    first, last = (datetime.fromisoformat(day) for day in (days[0], days[-1]))
    year = "" if first.year == last.year else f" {first.year}"
    begun, ended = f"{first.day} {first:%b}{year}", f"{last.day} {last:%b}{f' {last.year}' if year else ''}"
    return begun if begun == ended else f"{begun} to {ended}"


def ask_whose(app: App, found: UnvouchedSessions, out: Output) -> None:
    """Ask once, folder by folder, whether sessions are the user's."""
    for (client, folder), rows in found.by_folder().items():
        for line in describe_prompts(rows):
            out.line(f"  {line}")
        if out.confirm(f"{describe_sessions(client, folder, rows)}: are they yours?", default=True):
            say_vouched(app, rows, out)
        else:
            decline_sessions(app, rows)


def say_vouched(app: App, rows: Sequence[UnhookedSession], out: Output) -> None:
    """Vouch for sessions, and say what came of it."""
    changed = vouch_sessions(app, rows)
    of = f", and {format_count(changed, 'candidate')} of what you said there" if changed else ""
    out.line(f"Counted as yours: {format_count(rows, 'session')}{of}.")


def describe_unvouched(found: UnvouchedSessions) -> list[str]:
    """A line for each folder whose sessions count as nobody's, and one for files that came while no client ran."""
    lines = [
        f"{describe_sessions(client, folder, rows)}: told to no other session until you vouch for them "
        "(`holdfast harvest --vouch`)"
        for (client, folder), rows in found.by_folder().items()
    ]
    if found.strays:
        names = ", ".join(shorten_path(each.path) for each in found.strays[:MOST_PROMPTS])
        lines.append(f"{format_count(found.strays, 'file')} came into a history folder while no client ran: {names}")
    return [one_line(line) for line in lines]


def describe_sessions(client: str, folder: str, rows: Sequence[UnhookedSession]) -> str:
    """How many sessions of which client, in which folder, from when to when."""
    title = next((each.title for each in CLIENTS if each.id == client), client)
    return (
        f"{format_count(rows, 'session')} of {title} that no hook heard, {describe_span(rows)} "
        f"(in {shorten_path(folder)})"
    )


def describe_prompts(rows: Sequence[UnhookedSession]) -> list[str]:
    """How the first prompts of some sessions begin."""
    said = [(_day(each.since), each.words) for each in rows if each.words]
    return [f"{day}  “{one_line(words)[:LONGEST_PROMPT]}”" for day, words in said[:MOST_PROMPTS]]


def _day(ts: str) -> str:
    try:
        return datetime.fromisoformat(ts).date().isoformat()
    except ValueError:
        return ""
