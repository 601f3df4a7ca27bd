"""What a client is told at an event: the memory that matters there, once in a context, inside a fence."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from holdfast.clients.payload import AMID_CALL
from holdfast.core.fence import CLOSE, OPEN, fenced, inert, room_in
from holdfast.core.value import Value
from holdfast.hook.hook import capture, linked
from holdfast.inject.select import (
    CHARACTERS_PER_TOKEN,
    Asked,
    Said,
    at_paths,
    everywhere,
    name_of,
    packed_from,
    paths_in,
    reaching,
    relevant_to,
)
from holdfast.recall.scope_cache import Known
from holdfast.records.told_log import Told, told_of
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.memory import Entry
    from holdfast.inject.briefing import Part
    from holdfast.records.told_context import Context
    from holdfast.records.working_buffer import Note, Session

SOURCES_OF_A_CUT = frozenset({"compact", "resume"})
# They count bytes, and cut what is longer: the end of the fence must stand before that.
COUNT_BYTES = frozenset({"codex", "copilot"})
MOST_BYTES = 10_000
# The headings of a pack and the lines between them, which its budget does not count.
HEADINGS = 200
TASKS = ("task", "prompt", "description")
STARTS_SUBAGENT = frozenset({"Agent", "Task", "task", "spawn_agent"})


class Telling(Value):
    """What a client is told; with an action (`ask`, `block`), the text is the reason for it."""

    text: str = ""
    action: str = ""


def tell(workspace: str, event: Mapping[str, Any], event_id: str, limit: int) -> Telling:
    """The text for an event, or nothing; what was told is noted, with its tokens."""
    app = App(workspace)
    app.hooked = True
    verdict = _guarded(app, event, event_id)
    if verdict.action in {"ask", "block"}:
        return verdict
    if linked(app.folder):
        return Telling(text=fenced(verdict.text, limit))
    sessions = _buffered(app, event, event_id)
    if event["name"] == "before_compact":
        return Telling(text="" if _held(app, event) else _to_keep(sessions, str(event["session"]), limit))
    if not limit:
        return Telling()
    told = told_of(app.folder, event, event_id)
    context = _noted(told, event)
    _hand_over(told, event)
    room = _room(app, limit) - len(verdict.text)
    asked = Asked(
        app=app, event=event, known=Known(app), sessions=sessions, context=context, room=room, most_bytes=_bytes(event)
    )
    said = _said(asked)
    held = _held(app, event)
    if held and said.text:
        # Noted as if it had been told, so that the same is not looked up again and both arms can be compared.
        told.add(said.names)
        _journal(app, event, event_id, said, said.text, "withheld")
    text = fenced("\n\n".join(filter(None, [verdict.text, "" if held else said.text])), limit)
    if not text or held:
        return Telling(text=text)
    told.add(said.names)
    _journal(app, event, event_id, said, text)
    return Telling(text=text)


def _held(app: App, event: Mapping[str, Any]) -> bool:
    """Whether this session is told nothing, to be compared with those that are."""
    share = float(app.settings["packs.holdout"])
    if not share:
        return False
    from holdfast.inject.holdout import held_out

    return held_out(str(event["session"]), share)


def _guarded(app: App, event: Mapping[str, Any], event_id: str) -> Telling:
    """The guard's word on a tool call: an action with its reason, or a warning to put before the rest."""
    if event["name"] != "before_tool":
        return Telling()
    from holdfast.guard.verdicts import guarded

    verdict = guarded(app, event, event_id)
    if verdict is None:
        return Telling()
    if verdict.action in {"ask", "block"}:
        return Telling(text=f"Holdfast's guard ({verdict.rule}): {verdict.reason}", action=verdict.action)
    return Telling(text=f"GUARD ({verdict.rule}): {verdict.reason}" if verdict.action == "warn" else "")


def _buffered(app: App, event: Mapping[str, Any], event_id: str) -> "list[Session]":
    """The buffer, after what this event says: it stands there before the agent goes on."""
    if event["name"] not in {"prompt", "session_start", "before_compact"}:
        return []
    from holdfast.inject.buffer_file import load, take_prompt
    from holdfast.redact import clean as redact

    if event["name"] != "prompt":
        return load(app)
    cleaned = redact.clean(str(event["data"].get("prompt", ""))).value
    doubted = AMID_CALL in event["data"]
    return take_prompt(app, str(event["session"]), str(event["client"]), str(cleaned), event_id, doubted=doubted)


def _to_keep(sessions: "list[Session]", session: str, limit: int) -> str:
    from holdfast.inject.buffer_file import of
    from holdfast.records.working_buffer import Session, to_keep

    return to_keep(of(sessions, session) or Session(id=session), limit)


def _noted(told: Told, event: Mapping[str, Any]) -> "Context":
    """The context before this event, which is noted: a start begins a new one, and so does a prompt after a cut."""
    from holdfast.records.told_context import Context, goes_on_from_summary

    if event["name"] in {"session_start", "subagent_start"}:
        source = str(event["data"].get("source", ""))
        told.start(source)
        return Context(cut=source if source in SOURCES_OF_A_CUT else "")
    context = told.context()
    if event["name"] != "prompt":
        return context
    if goes_on_from_summary(str(event["data"].get("prompt", ""))):
        context = Context(cut="summary")
    if context.cut:
        told.start()
    told.prompt()
    return context


def _said(asked: Asked) -> Said:
    """What matters at this event and is not known there already."""
    match asked.event["name"]:
        case "session_start":
            return _briefing(asked)
        case "prompt" if asked.context.cut:
            return _briefing(asked)
        case "prompt":
            return _for_prompt(asked)
        case "subagent_start":
            return packed_from(asked, [*everywhere(asked), *relevant_to(asked, _task(asked))], asked.room)
        case "before_tool":
            return _before_tool(asked)
        case _:
            return Said()


def _before_tool(asked: Asked) -> Said:
    """What the call would break, then what holds for the paths it touches."""
    from holdfast.check.touched_paths import touched
    from holdfast.inject.tool_warnings import warned

    broken = warned(asked)
    cwd = str(asked.event["cwd"] or asked.app.workspace)
    paths = touched(asked.data.get("input"), cwd, asked.app.workspace)
    held = packed_from(asked, at_paths(asked, paths), asked.room - len(broken.text))
    if not broken.text:
        return held
    # The warning does not count as told: the next call that breaks it is warned of too.
    both = "\n\n".join(filter(None, [broken.text, held.text]))
    ids = tuple(dict.fromkeys((*broken.ids, *held.ids)))
    memories = {memory.id: memory for memory in (*broken.memories, *held.memories)}
    return Said(text=both, ids=ids, names=held.names, memories=tuple(memories.values()))


def _briefing(asked: Asked) -> Said:
    """A start, or the recovery of a context that was cut: parts in the spec's order, then what holds."""
    from holdfast.inject.briefing_parts import lessons

    prompt = str(asked.data.get("prompt", ""))
    held = packed_from(asked, [*everywhere(asked), *relevant_to(asked, prompt)], asked.room * 2 // 3)
    notes = _notes(asked, held)
    entries = reaching(asked, lessons(asked.known)) if asked.context.cut else []
    entries = [entry for entry in entries if entry.memory.id not in held.ids]
    text = _fitted(asked, _parts(asked, notes, entries), held.text)
    memories = tuple(entry.memory for entry in entries if f"[{entry.memory.id}]" in text)
    shown = tuple(memory.id for memory in memories)
    both = "\n\n".join(filter(None, [text, held.text]))
    names = (*held.names, *shown, *_names(notes, text))
    return Said(text=both, ids=(*held.ids, *shown), names=names, memories=(*held.memories, *memories))


def _parts(asked: Asked, notes: "list[Note]", entries: "list[Entry]") -> "list[Part]":
    """After a cut: what this session said, and the rest in order of how soon it is needed. At a start: the overview."""
    from holdfast.inject import briefing_parts
    from holdfast.inject.buffer_file import of
    from holdfast.trust.tracked_files import Tracked

    tracked = Tracked(asked.app)
    overview, said = briefing_parts.overview_part(asked.app), briefing_parts.said_part(notes)
    log, todos = briefing_parts.log_part(asked.app, tracked), briefing_parts.todo_part(asked.app, tracked)
    last = briefing_parts.last_session_part(asked.app, tracked, asked.session)
    if not asked.context.cut:
        return [overview, last, said, log, todos]
    mine = briefing_parts.buffer_part(of(asked.sessions, asked.session))
    return [
        mine,
        overview,
        briefing_parts.project_part(asked.app),
        log,
        todos,
        briefing_parts.lessons_part(entries),
        said,
    ]


def _fitted(asked: Asked, parts: "list[Part]", held: str) -> str:
    """The parts in the room that is left beside what holds: none of them can push that out."""
    from holdfast.inject.briefing import fitted

    room = asked.room - len(held) - 2
    text = fitted(parts, room)
    while text and asked.overruns(text, held):
        room = room * 3 // 4
        text = fitted(parts, room)
    return text


def _for_prompt(asked: Asked) -> Said:
    """What is relevant to the user's words, what holds for the paths they name, and what was said elsewhere of it."""
    prompt = str(asked.data.get("prompt", ""))
    held = packed_from(asked, [*relevant_to(asked, prompt), *at_paths(asked, paths_in(asked, prompt))], asked.room)
    notes = [note for note in _notes(asked, held) if _shares(prompt, note.quote)]
    if not notes:
        return held
    from holdfast.inject.briefing_parts import said_part

    text = _fitted(asked, [said_part(notes)], held.text)
    both = "\n\n".join(filter(None, [held.text, text]))
    names = (*held.names, *_names(notes, text))
    return Said(text=both, ids=held.ids, names=names, memories=held.memories)


def _names(notes: "list[Note]", text: str) -> tuple[str, ...]:
    """The names of those words of the user's that a text holds."""
    return tuple(name_of(note.quote) for note in notes if f"“{inert(note.quote)}”" in text)


def _notes(asked: Asked, held: Said) -> "list[Note]":
    """What the user said in other sessions, not told yet; what a memory at hand says too is told by that alone."""
    others = [session for session in asked.sessions if session.id != asked.session]
    if not asked.unconfirmed or not any(session.notes for session in others):
        return []
    from holdfast.records.working_buffer import binding
    from holdfast.trust.tracked_files import Tracked

    told = asked.context.told.union(held.names)
    notes = [note for note in binding(others) if name_of(note.quote) not in told]
    return [] if notes and Tracked(asked.app).holds("journal/", "state/") else notes


def _shares(prompt: str, words: str) -> bool:
    from holdfast.recall.relevance import shares_enough

    return shares_enough(prompt, words)


def _hand_over(told: Told, event: Mapping[str, Any]) -> None:
    """Keep the task of a subagent that is about to start: most clients name it only in the call that starts it."""
    given = event["data"].get("input") if event["name"] == "before_tool" else None
    task = given.get("prompt") if isinstance(given, Mapping) and event["data"].get("tool") in STARTS_SUBAGENT else None
    if isinstance(task, str) and task.strip():
        from holdfast.redact import clean as redact

        told.task(str(redact.clean(task).value))


def _task(asked: Asked) -> str:
    """What a subagent is to do: as its start says, or as the agent said when it handed the task over."""
    extra = asked.data.get("extra")
    given = [asked.data.get("prompt"), *(extra.get(field) for field in TASKS if isinstance(extra, Mapping))]
    told = next((words for words in given if isinstance(words, str) and words.strip()), "")
    return told or Told(asked.app.folder, asked.session).last_task()


def _room(app: App, limit: int) -> int:
    """How many characters there are for words: the client's limit or the user's budget, whichever is less."""
    budget = int(app.settings["packs.budget_tokens"]) * CHARACTERS_PER_TOKEN
    return min(budget, room_in(limit) - HEADINGS)


def _bytes(event: Mapping[str, Any]) -> int:
    """How many bytes there are for words, where the client counts them; else 0."""
    return MOST_BYTES - len(OPEN) - len(CLOSE) - 8 if event["client"] in COUNT_BYTES else 0


def _journal(app: App, event: Mapping[str, Any], event_id: str, said: Said, text: str, name: str = "injected") -> None:
    data: dict[str, Any] = {
        "ids": list(said.ids),
        "tokens": -(-len(text) // CHARACTERS_PER_TOKEN),
        "for": event_id,
        "at": event["name"],
    }
    if event["data"].get("agent"):
        data["agent"] = event["data"]["agent"]
    if said.memories:
        data["about"] = _about(said)
    if app.settings["packs.holdout"]:
        data["holdout"] = float(app.settings["packs.holdout"])
    capture(app.folder, {"client": "holdfast", "session": event["session"], "name": name, "key": "", "data": data})


def _about(said: Said) -> dict[str, Any]:
    """What each memory can be known again by, and how many tokens its lines are."""
    from holdfast.records.use_cues import cues_of

    lines = said.text.split("\n")
    return {
        memory.id: {"tokens": sum(len(line) for line in lines if f"[{memory.id}]" in line) // CHARACTERS_PER_TOKEN}
        | cues_of(memory)
        for memory in said.memories
    }
