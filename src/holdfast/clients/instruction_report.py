"""Who else speaks to the agents here, and what it costs: clients' instructions and memories, claude-mem, ourselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.clients.client_spec import Client
from holdfast.clients.client_table import CLIENTS
from holdfast.clients.hook_outputs import find_hook_outputs
from holdfast.clients.install.install_hook import find_clients
from holdfast.clients.install.install_plan import find_client_places
from holdfast.clients.install.installed import read_manifest
from holdfast.clients.manage_clients import RECENT, shorten_path
from holdfast.clients.other_instructions import (
    CLAUDE_MEM,
    PROMPT,
    START,
    TOOL,
    InstructionSource,
    find_instruction_sources,
)
from holdfast.core.errors import HoldfastError
from holdfast.core.home import read_environment
from holdfast.core.memory import Status
from holdfast.core.search import EventRow, Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import is_candidate
from holdfast.workspace import App

__all__ = ["TITLES", "InstructionReport", "InstructionSource", "instruction_json", "report_instructions"]

HOLDFAST = "Holdfast"
NEWEST = 200
MOST_TITLES = 2000
SHORTEST_TITLE = 12
SHORTEST_TEXT = 200
WHEN = {"session_start": START, "prompt": PROMPT, "before_tool": TOOL, "subagent_start": "subagent start"}
TITLES = {client.id: client.title for client in CLIENTS}


class InstructionReport(Value):
    """All that is put before agents here; by client, the tokens at a session's start; what there is to say of it."""

    sources: tuple[InstructionSource, ...]
    at_start: Mapping[str, int]
    remarks: tuple[str, ...]


def report_instructions(app: App) -> InstructionReport:
    """Look at everything that is put before the agents of this workspace. Changes nothing."""
    try:
        return _collect_report(app)
    except (HoldfastError, OSError):
        # What stops us here is a finding already, with its remedy.
        return InstructionReport(sources=(), at_start={}, remarks=())


def _collect_report(app: App) -> InstructionReport:
    clients = _clients(app)
    places = {client.id: find_client_places(client, app.home, app.workspace, read_environment()) for client in clients}
    others = find_instruction_sources([client.id for client in clients], places, read_environment())
    said: list[InstructionSource] = []
    if app.workspace and "claude-code" in places:
        said = find_hook_outputs(places["claude-code"]["client"], app.workspace, places["claude-code"]["hook"])
    found = (*_measure_sources(others, said), *_read_own_sources(app))
    at_start = {
        client.id: sum(voice.tokens or 0 for voice in found if voice.when == START and client.id in voice.clients)
        for client in clients
    }
    return InstructionReport(sources=found, at_start=at_start, remarks=tuple(_collect_remarks(app, found, at_start)))


def instruction_json(voice: InstructionSource) -> dict[str, Any]:
    """A voice as JSON: all but its words."""
    return {
        "who": voice.who,
        "clients": list(voice.clients),
        "when": voice.when,
        "tokens": voice.tokens,
        "most": voice.most,
        "where": voice.where,
        "note": voice.note,
    }


def _clients(app: App) -> list[Client]:
    """The clients that are here, found or set up."""
    installed = {name for written in read_manifest(app.home).values() for name in written.clients}
    there = {client.id for client in find_clients(read_environment(), app.workspace)}
    return [client for client in CLIENTS if client.id in installed | there]


def _measure_sources(others: Sequence[InstructionSource], said: Sequence[InstructionSource]) -> list[InstructionSource]:
    """The voices by files, with what was really heard of those that speak through hooks."""
    heard = {voice.when: voice for voice in said if voice.who == CLAUDE_MEM}
    found = [_apply_heard(voice, heard.get(voice.when)) if voice.who == CLAUDE_MEM else voice for voice in others]
    theirs = next((voice for voice in found if voice.who == CLAUDE_MEM), None)
    if theirs:
        found += [replace(voice, where=theirs.where) for when, voice in heard.items() if when != theirs.when]
    return [*found, *(voice for voice in said if voice.who != CLAUDE_MEM)]


def _apply_heard(voice: InstructionSource, heard: InstructionSource | None) -> InstructionSource:
    if heard is None:
        return replace(voice, note=f"{voice.note}; not heard here yet")
    note = f"{voice.note}; measured in the last sessions here"
    return replace(voice, note=note, tokens=heard.tokens, most=heard.most)


def _read_own_sources(app: App) -> list[InstructionSource]:
    """What we put before agents ourselves, by the journal: each telling is an event with its tokens."""
    rows = app.index.events("9999", RECENT, 0)
    client_of = {row.session: row.client for row in rows if row.client != "holdfast"}
    told = [row for row in rows if row.client == "holdfast" and row.name == "injected"][-NEWEST:]
    by_when: dict[str, list[tuple[str, int]]] = {}
    for row in told:
        data = _read_event_data(app, row)
        count = data.get("tokens")
        if isinstance(count, int):
            heard = by_when.setdefault(WHEN.get(str(data.get("at")), str(data.get("at"))), [])
            heard.append((client_of.get(row.session, ""), count))
    if not by_when:
        return [
            InstructionSource(who=HOLDFAST, clients=(), when=START, where="memory", note="nothing was told here yet")
        ]
    return [_build_own_source(when, heard) for when, heard in by_when.items()]


def _build_own_source(when: str, heard: Sequence[tuple[str, int]]) -> InstructionSource:
    counts = [count for _, count in heard]
    clients = tuple(sorted({_find_client_id(client) for client, _ in heard if client}))
    times = "once" if len(counts) == 1 else f"{len(counts)} times"
    mean = round(sum(counts) / len(counts))
    note = f"told {times}, at most {max(counts):,}"
    return InstructionSource(
        who=HOLDFAST, clients=clients, when=when, where="memory", tokens=mean, most=max(counts), note=note
    )


def _find_client_id(name: str) -> str:
    """The client that sends under a name."""
    return next((client.id for client in CLIENTS if name in client.sends), name)


def _read_event_data(app: App, row: EventRow) -> Mapping[str, Any]:
    try:
        record = next(app.journal.read(row.place), None)
    except (HoldfastError, OSError):
        return {}
    data = record.data.get("data") if record and record.id == row.id else None
    return data if isinstance(data, Mapping) else {}


# What there is to say


def _collect_remarks(app: App, found: Sequence[InstructionSource], at_start: Mapping[str, int]) -> list[str]:
    said: list[str] = []
    for client, sum_ in at_start.items():
        parts = [voice for voice in found if voice.when == START and client in voice.clients and voice.tokens]
        if parts:
            said.append(f"{TITLES[client]} hears about {sum_:,} tokens at a session's start: {_join_names(parts)}.")
    return [*said, *_remark_on_claude_mem(found), *_find_told_twice(found), *_find_told_elsewhere(app, found)]


def _join_names(parts: Sequence[InstructionSource]) -> str:
    sums: dict[str, int] = {}
    for voice in parts:
        sums[voice.who] = sums.get(voice.who, 0) + (voice.tokens or 0)
    return ", ".join(f"{count:,} of {who}" for who, count in sums.items())


def _remark_on_claude_mem(found: Sequence[InstructionSource]) -> list[str]:
    theirs = next((voice for voice in found if voice.who == CLAUDE_MEM and voice.when == START), None)
    ours = next((voice for voice in found if voice.who == HOLDFAST and voice.when == START and voice.tokens), None)
    if theirs is None or ours is None:
        return []
    cost = (
        f"claude-mem's part costs about {theirs.tokens:,} tokens" if theirs.tokens else "claude-mem did not speak yet"
    )
    fine = "claude-mem and Holdfast both speak at a session's start. That is fine, each tells what it keeps;"
    return [f"{fine} {cost}, ours costs about {ours.tokens:,}."]


def _find_told_twice(found: Sequence[InstructionSource]) -> list[str]:
    """Files that say the same to the same client."""
    said, by_text = [], dict[tuple[str, str], InstructionSource]()
    for voice in found:
        if voice.when != START or len(voice.text) < SHORTEST_TEXT:
            continue
        for client in voice.clients:
            first = by_text.setdefault((client, voice.text.strip()), voice)
            if first is not voice:
                said.append(
                    f"{shorten_path(first.where)} and {shorten_path(voice.where)} say the same to {TITLES[client]}: "
                    f"about {voice.tokens:,} tokens twice."
                )
    return said


def _find_told_elsewhere(app: App, found: Sequence[InstructionSource]) -> list[str]:
    """Memories of ours whose titles stand in others' files too, word for word."""
    meant = Select(statuses=(Status.ACCEPTED,), newest=MOST_TITLES)
    titles = {e.memory.id: _to_plain_text(e.memory.title) for e in app.index.select(meant) if not is_candidate(e)}
    said = []
    for voice in found:
        text = _to_plain_text(voice.text)
        ids = [name for name, title in titles.items() if len(title) >= SHORTEST_TITLE and title in text]
        if ids:
            many = f"{len(ids)} memories stand" if len(ids) > 1 else "1 memory stands"
            more = " …" if len(ids) > 3 else ""
            said.append(
                f"{many} in {shorten_path(voice.where)} too, and may be told twice: {', '.join(ids[:3])}{more}."
            )
    return said


def _to_plain_text(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
