"""What a client is told at an event: the memory that matters there, once in a context, inside a fence."""

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from holdfast.app import build_app
from holdfast.clients.payload import AMID_CALL
from holdfast.core.fence import CLOSE, OPEN, fence_text, make_inert, measure_fence_room
from holdfast.core.value import Value, replace
from holdfast.inject.select import (
    CHARACTERS_PER_TOKEN,
    FADES_DAYS,
    Injection,
    InjectionRequest,
    filter_injectable,
    find_at_paths,
    find_distilled,
    find_important,
    find_named_paths,
    find_relevant_entries,
    find_user_candidates,
    is_new_to,
    name_of,
    pack_important,
    pack_new_entries,
)
from holdfast.journal.capture_event import capture_event, find_link
from holdfast.recall.scope_cache import ScopeCache
from holdfast.records.session_log import SessionLog, open_session_log
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.memory import Entry
    from holdfast.inject.briefing import BriefingPart
    from holdfast.records.injected_context import InjectedContext
    from holdfast.records.working_buffer import BufferedSession, BufferNote

SOURCES_OF_A_CUT = frozenset({"compact", "resume"})
# They count bytes, and cut what is longer: the end of the fence must stand before that.
COUNT_BYTES = frozenset({"codex", "copilot"})
MOST_BYTES = 10_000
# The headings of a pack and the lines between them, which its budget does not count.
HEADINGS = 200
TASKS = ("task", "prompt", "description")
BINDING = frozenset({"invariant", "decision", "failure"})
# Of a statement that is told as a candidate.
WAITS = "waits"
ASKS_TO_REMEMBER = ("remember", "please remember", "note that", "please note", "keep in mind", "don't forget")
# The client whose transcript says who each prompt is from, and lies beside those of its other sessions.
LOOKED_UP = "claude-code"
_ID = re.compile(r"[A-Z]+-[A-Z0-9]+")
STARTS_SUBAGENT = frozenset({"Agent", "Task", "task", "spawn_agent"})


class HookAnswer(Value):
    """What a client is told; with an action (`ask`, `block`), the reason for it. `shown` is for the user."""

    text: str = ""
    action: str = ""
    shown: str = ""


def answer_event(workspace: str, event: Mapping[str, Any], event_id: str, limit: int) -> HookAnswer:
    """The text for an event, or nothing; what was told is noted, with its tokens."""
    app = build_app(workspace)
    app.hooked = True
    verdict = _guard_event(app, event, event_id)
    if verdict.action in {"ask", "block"}:
        return verdict
    if find_link(app.folder):
        return HookAnswer(text=fence_text(verdict.text, limit))
    sessions = _update_buffer(app, event, event_id)
    if event["name"] == "session_start":
        _look_up_last_prompts(app, event, sessions)
    if event["name"] == "before_compact":
        held_out = _is_held_out_event(app, event)
        return HookAnswer(text="" if held_out else _render_for_compaction(app, sessions, str(event["session"]), limit))
    if not limit:
        return HookAnswer()
    told = open_session_log(app.folder, event, event_id)
    context = _note_context(told, event)
    _hand_over(told, event)
    room = _measure_room(app, limit) - len(verdict.text)
    asked = InjectionRequest(
        app=app,
        event=event,
        known=ScopeCache(app),
        sessions=sessions,
        context=context,
        room=room,
        most_bytes=_bytes(event),
    )
    said = _select_injection(asked)
    # What is asked alone is no telling: nothing of memory was told.
    tells = bool(said.text or verdict.text)
    said = replace(said, text="\n\n".join(filter(None, [said.text, _choose_ask(asked)])))
    held = _is_held_out_event(app, event)
    if held and tells and said.text:
        # Noted as if it had been told, so that the same is not looked up again and both arms can be compared.
        told.add(said.names)
        _journal_injection(app, event, event_id, said, said.text, "withheld")
    text = fence_text("\n\n".join(filter(None, [verdict.text, "" if held else said.text])), limit)
    shown = _say_what_waits(app, event) or _acknowledge(event, event_id, sessions)
    if not text or held:
        return HookAnswer(text=text, shown=shown)
    told.add(said.names)
    if tells:
        _journal_injection(app, event, event_id, said, text)
    return HookAnswer(text=text, shown=shown)


def _choose_ask(asked: InjectionRequest) -> str:
    """What the agent is asked for where a context begins."""
    begins = asked.event["name"] == "session_start" or (asked.event["name"] == "prompt" and asked.context.cut)
    if not begins or not asked.app.settings["packs.ask"]:
        return ""
    from holdfast.inject.ask import ASK, ask_after_cut
    from holdfast.inject.buffer_file import find_session

    if not asked.context.cut or not asked.app.settings["packs.ask_again"]:
        return ASK
    return ask_after_cut(asked.known, find_session(asked.sessions, asked.session))


def _look_up_last_prompts(app: App, event: Mapping[str, Any], sessions: "list[BufferedSession]") -> None:
    """Before the last session's words are told: what its transcript, beside this one's, says that nobody typed."""
    path = str(event["data"].get("transcript", ""))
    others = [each for each in sessions if each.notes and each.id != event["session"] and each.client == LOOKED_UP]
    if event["client"] != LOOKED_UP or not path.endswith(".jsonl") or not others:
        return
    from holdfast.records.untyped_prompts import mark_untyped_prompts

    last = others[-1].id
    mark_untyped_prompts(app, last, os.path.join(os.path.dirname(path), f"{last}.jsonl"), hooked=True)


def _acknowledge(event: Mapping[str, Any], event_id: str, sessions: "list[BufferedSession]") -> str:
    """A word to the user who asked for something to be remembered: that it was noted, and what becomes of it."""
    prompt = str(event["data"].get("prompt", "")) if event["name"] == "prompt" else ""
    if not prompt.lstrip().lower().startswith(ASKS_TO_REMEMBER):
        return ""
    quotes = [note.quote for session in sessions for note in session.notes if note.event == event_id]
    if not quotes:
        return ""
    said = "; ".join(f"“{make_inert(quote)}”" for quote in quotes)
    return f"Holdfast noted, unconfirmed: {said} `holdfast review` keeps it."


def _say_what_waits(app: App, event: Mapping[str, Any]) -> str:
    """A word to the user when a session begins: how many memory files no agent is told of before they say so."""
    if event["name"] != "session_start":
        return ""
    from holdfast.trust.visibility import read_visibility_status

    stand = read_visibility_status(app)
    if not stand.allowed or not stand.new:
        return ""
    some = "1 memory file waits" if len(stand.new) == 1 else f"{len(stand.new)} memory files wait"
    return f"Holdfast: {some} for your word, and no agent is told of it before: `holdfast allow --list`"


def _is_held_out_event(app: App, event: Mapping[str, Any]) -> bool:
    """Whether this session is told nothing, to be compared with those that are."""
    share = float(app.settings["packs.holdout"])
    if not share:
        return False
    from holdfast.inject.holdout import is_held_out

    return is_held_out(str(event["session"]), share)


def _guard_event(app: App, event: Mapping[str, Any], event_id: str) -> HookAnswer:
    """The guard's word on a tool call: an action with its reason, or a warning to put before the rest."""
    if event["name"] != "before_tool":
        return HookAnswer()
    from holdfast.guard.verdicts import guard_call

    verdict = guard_call(app, event, event_id)
    if verdict is None:
        return HookAnswer()
    if verdict.action in {"ask", "block"}:
        return HookAnswer(text=f"Holdfast's guard ({verdict.rule}): {verdict.reason}", action=verdict.action)
    return HookAnswer(text=f"GUARD ({verdict.rule}): {verdict.reason}" if verdict.action == "warn" else "")


def _update_buffer(app: App, event: Mapping[str, Any], event_id: str) -> "list[BufferedSession]":
    """The buffer, after what this event says: it stands there before the agent goes on."""
    if event["name"] not in {"prompt", "session_start", "before_compact"}:
        return []
    from holdfast.inject.buffer_file import add_prompt, load
    from holdfast.redact import clean as redact

    if event["name"] != "prompt":
        return load(app)
    cleaned = redact.clean(str(event["data"].get("prompt", ""))).value
    doubted = AMID_CALL in event["data"]
    return add_prompt(app, str(event["session"]), str(event["client"]), str(cleaned), event_id, doubted=doubted)


def _render_for_compaction(app: App, sessions: "list[BufferedSession]", session: str, limit: int) -> str:
    from holdfast.inject.buffer_file import find_session
    from holdfast.records.working_buffer import BufferedSession, render_for_compaction

    found = find_session(sessions, session) or BufferedSession(id=session)
    return render_for_compaction(_drop_known_notes(ScopeCache(app), found), limit)


def _drop_known_notes(known: ScopeCache, session: "BufferedSession") -> "BufferedSession":
    """A session without the notes that were settled, or are told as memory."""
    if not session.notes:
        return session
    return replace(session, notes=tuple(note for note in session.notes if not _is_known(known, note)))


def _is_known(known: ScopeCache, note: "BufferNote") -> bool:
    standing = known.statements.standing(note.quote, (note.event,), note.at)
    return standing is not None and standing != WAITS


def _note_context(told: SessionLog, event: Mapping[str, Any]) -> "InjectedContext":
    """The context before this event, which is noted: a start begins a new one, and so does a prompt after a cut."""
    from holdfast.records.injected_context import InjectedContext, goes_on_from_summary

    if event["name"] in {"session_start", "subagent_start"}:
        source = str(event["data"].get("source", ""))
        told.start(source)
        return InjectedContext(cut=source if source in SOURCES_OF_A_CUT else "")
    context = told.context()
    if event["name"] != "prompt":
        return context
    if goes_on_from_summary(str(event["data"].get("prompt", ""))):
        context = InjectedContext(cut="summary")
    if context.cut:
        told.start()
    told.prompt()
    return context


def _select_injection(asked: InjectionRequest) -> Injection:
    """What matters at this event and is not known there already."""
    match asked.event["name"]:
        case "session_start":
            return _select_briefing(asked)
        case "prompt" if asked.context.cut:
            return _select_briefing(asked)
        case "prompt":
            return _select_for_prompt(asked)
        case "subagent_start":
            return _select_for_subagent(asked)
        case "before_tool":
            return _select_before_tool(asked)
        case _:
            return Injection()


def _select_for_subagent(asked: InjectionRequest) -> Injection:
    """What matters to its task, then what binds everywhere, in a third of the room: a subagent's context is small."""
    task = _find_task(asked)
    found = [*find_relevant_entries(asked, task), *(pair for pair in find_important(asked) if _binds(pair[0]))]
    return pack_important(asked, found, asked.room // 3)


def _binds(entry: "Entry") -> bool:
    """Whether it binds whatever the task is: a rule, a choice or a dead end that is not of some paths only."""
    return entry.memory.type in BINDING and not entry.memory.paths


def _select_before_tool(asked: InjectionRequest) -> Injection:
    """What the call would break, then what holds for the paths it touches."""
    from holdfast.guard.touched_paths import find_touched_paths
    from holdfast.inject.tool_warnings import find_warnings

    broken = find_warnings(asked)
    cwd = str(asked.event["cwd"] or asked.app.workspace)
    paths = find_touched_paths(asked.data.get("input"), cwd, asked.app.workspace)
    held = pack_new_entries(asked, find_at_paths(asked, paths), min(asked.room, _prompt_room(asked)) - len(broken.text))
    if not broken.text:
        return held
    # The warning does not count as told: the next call that breaks it is warned of too.
    both = "\n\n".join(filter(None, [broken.text, held.text]))
    ids = tuple(dict.fromkeys((*broken.ids, *held.ids)))
    memories = {memory.id: memory for memory in (*broken.memories, *held.memories)}
    return Injection(
        text=both, ids=ids, names=held.names, memories=tuple(memories.values()), reasons=held.reasons
    )  # fmt: skip


def _select_briefing(asked: InjectionRequest) -> Injection:
    """A start, or the recovery of a context that was cut: parts in the spec's order, then what holds."""
    from holdfast.inject.briefing_parts import select_lessons

    prompt = str(asked.data.get("prompt", ""))
    room = min(asked.room, int(asked.app.settings["packs.start_tokens"]) * CHARACTERS_PER_TOKEN)
    held = pack_important(asked, [*find_relevant_entries(asked, prompt), *find_important(asked)], room)
    notes, waiting = _find_new_notes(asked, held), _find_waiting(asked, held)
    entries = filter_injectable(asked, select_lessons(asked.known)) if asked.context.cut else []
    entries = [entry for entry in entries if entry.memory.id not in held.ids]
    text = _fit_briefing(asked, _collect_parts(asked, notes, waiting, entries), held.text)
    memories = tuple(entry.memory for entry in (*entries, *waiting) if f"[{entry.memory.id}]" in text)
    shown = tuple(memory.id for memory in memories)
    both = "\n\n".join(filter(None, [text, held.text]))
    names = (*held.names, *shown, *_find_told_names(notes, text))
    return Injection(
        text=both, ids=(*held.ids, *shown), names=names, memories=(*held.memories, *memories), reasons=held.reasons
    )  # fmt: skip


def _find_waiting(asked: InjectionRequest, held: Injection) -> "list[Entry]":
    """What the user said and has not accepted yet, as candidates."""
    found = [entry for entry, _ in find_user_candidates(asked) if entry.memory.id not in held.ids]
    return filter_injectable(asked, [entry for entry in found if is_new_to(asked, entry)])


def _collect_parts(
    asked: InjectionRequest, notes: "list[BufferNote]", waiting: "list[Entry]", entries: "list[Entry]"
) -> "list[BriefingPart]":
    """After a cut: what this session said, and the rest in order of how soon it is needed. At a start: the overview."""
    from holdfast.inject import briefing_parts
    from holdfast.inject.buffer_file import find_session
    from holdfast.trust.tracked_files import TrackedFiles

    tracked = TrackedFiles(asked.app)
    overview, said = briefing_parts.build_overview_part(asked.app), briefing_parts.build_user_words_part(notes, waiting)
    log, todos, last = (
        briefing_parts.drop_known_lines(part, asked.known)
        for part in (
            briefing_parts.build_log_part(asked.app, tracked, start=not asked.context.cut),
            briefing_parts.build_todo_part(asked.app, tracked),
            briefing_parts.build_last_session_part(asked.app, tracked, asked.session),
        )
    )
    if not asked.context.cut:
        return [overview, last, said, log, todos]
    own = find_session(asked.sessions, asked.session)
    mine = briefing_parts.build_buffer_part(_drop_known_notes(asked.known, own) if own else None)
    return [
        mine,
        overview,
        briefing_parts.build_project_part(asked.app),
        log,
        todos,
        briefing_parts.build_lessons_part(entries),
        said,
    ]


def _fit_briefing(asked: InjectionRequest, parts: "list[BriefingPart]", held: str) -> str:
    """The parts in the room that is left beside what holds: none of them can push that out."""
    from holdfast.inject.briefing import fit_parts

    room = asked.room - len(held) - 2
    text = fit_parts(parts, room)
    while text and asked.overruns(text, held):
        room = room * 3 // 4
        text = fit_parts(parts, room)
    return text


def _select_for_prompt(asked: InjectionRequest) -> Injection:
    """What is relevant to the user's words, what holds for the paths they name, and what was said elsewhere of it."""
    prompt = str(asked.data.get("prompt", ""))
    found = [*find_relevant_entries(asked, prompt), *find_at_paths(asked, find_named_paths(asked, prompt))]
    held = _put_changes_first(asked, pack_new_entries(asked, found, min(asked.room, _prompt_room(asked))))
    notes = [note for note in _find_new_notes(asked, held) if _has_shared_words(prompt, note.quote)]
    if not notes:
        return held
    from holdfast.inject.briefing_parts import build_user_words_part

    text = _fit_briefing(asked, [build_user_words_part(notes, [])], held.text)
    both = "\n\n".join(filter(None, [held.text, text]))
    names = (*held.names, *_find_told_names(notes, text))
    return Injection(text=both, ids=held.ids, names=names, memories=held.memories, reasons=held.reasons)


def _put_changes_first(asked: InjectionRequest, held: Injection) -> Injection:
    """What this session was told before and holds no more, said as a change before the rest."""
    known = [name for name in asked.context.injected if _ID.fullmatch(name)]
    if not known:
        return held
    from holdfast.inject.changes import describe_changes

    changes = describe_changes(asked, known)
    if not changes.text:
        return held
    both = "\n\n".join(filter(None, [changes.text, held.text]))
    return replace(held, text=both, names=(*changes.names, *held.names))


def _prompt_room(asked: InjectionRequest) -> int:
    return int(asked.app.settings["packs.prompt_tokens"]) * CHARACTERS_PER_TOKEN


def _find_told_names(notes: "list[BufferNote]", text: str) -> tuple[str, ...]:
    """The names of those words of the user's that a text holds."""
    return tuple(name_of(note.quote) for note in notes if f"“{make_inert(note.quote)}”" in text)


def _find_new_notes(asked: InjectionRequest, held: Injection) -> "list[BufferNote]":
    """What the user said in other sessions, not told yet; what a memory at hand says too is told by that alone."""
    others = [one for one in asked.sessions if one.id != asked.session and one.notes]
    if others and asked.unconfirmed:
        # Of what was distilled, the candidates are told: what else was said there was passed over.
        distilled = find_distilled(asked.app)
        others = [one for one in others if one.id not in distilled]
    if not asked.unconfirmed or not any(session.notes for session in others):
        return []
    from holdfast.records.working_buffer import find_binding_notes
    from holdfast.trust.tracked_files import TrackedFiles

    told = asked.context.injected.union(held.names)
    since = (asked.app.clock.now() - timedelta(days=FADES_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    fresh = [note for note in find_binding_notes(others) if note.at >= since and name_of(note.quote) not in told]
    if not fresh or TrackedFiles(asked.app).holds("journal/", "state/"):
        return []
    # What waits as a candidate is told as one; what was accepted, as memory; what was settled, not at all.
    return [note for note in fresh if asked.statements.standing(note.quote, (note.event,), note.at) is None]


def _has_shared_words(prompt: str, words: str) -> bool:
    from holdfast.recall.relevance import shares_enough

    return shares_enough(prompt, words)


def _hand_over(told: SessionLog, event: Mapping[str, Any]) -> None:
    """Keep the task of a subagent that is about to start: most clients name it only in the call that starts it."""
    given = event["data"].get("input") if event["name"] == "before_tool" else None
    task = given.get("prompt") if isinstance(given, Mapping) and event["data"].get("tool") in STARTS_SUBAGENT else None
    if isinstance(task, str) and task.strip():
        from holdfast.redact import clean as redact

        told.task(str(redact.clean(task).value))


def _find_task(asked: InjectionRequest) -> str:
    """What a subagent is to do: as its start says, or as the agent said when it handed the task over."""
    extra = asked.data.get("extra")
    given = [asked.data.get("prompt"), *(extra.get(field) for field in TASKS if isinstance(extra, Mapping))]
    told = next((words for words in given if isinstance(words, str) and words.strip()), "")
    return told or SessionLog(asked.app.folder, asked.session).last_task()


def _measure_room(app: App, limit: int) -> int:
    """How many characters there are for words: the client's limit or the user's budget, whichever is less."""
    budget = int(app.settings["packs.budget_tokens"]) * CHARACTERS_PER_TOKEN
    return min(budget, measure_fence_room(limit) - HEADINGS)


def _bytes(event: Mapping[str, Any]) -> int:
    """How many bytes there are for words, where the client counts them; else 0."""
    return MOST_BYTES - len(OPEN) - len(CLOSE) - 8 if event["client"] in COUNT_BYTES else 0


def _journal_injection(
    app: App, event: Mapping[str, Any], event_id: str, said: Injection, text: str, name: str = "injected"
) -> None:
    data: dict[str, Any] = {
        "ids": list(said.ids),
        "tokens": -(-len(text) // CHARACTERS_PER_TOKEN),
        "for": event_id,
        "at": event["name"],
        "told": said.text,
    }
    if event["data"].get("agent"):
        data["agent"] = event["data"]["agent"]
    if said.memories:
        data["about"] = _describe_memories(said)
    if app.settings["packs.holdout"]:
        data["holdout"] = float(app.settings["packs.holdout"])
    told = {"client": "holdfast", "session": event["session"], "name": name, "key": "", "data": data}
    capture_event(app.folder, told, app.home)


def _describe_memories(said: Injection) -> dict[str, Any]:
    """What each memory can be known again by, and how many tokens its lines are."""
    from holdfast.records.use_cues import cues_of

    lines = said.text.split("\n")
    return {
        memory.id: {"tokens": sum(len(line) for line in lines if f"[{memory.id}]" in line) // CHARACTERS_PER_TOKEN}
        | ({"why": said.reasons[memory.id]} if memory.id in said.reasons else {})
        | cues_of(memory)
        for memory in said.memories
    }
