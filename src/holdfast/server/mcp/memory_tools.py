"""The tools: what each does with its arguments, in one call to memory, and how the answer reads as text."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from holdfast.core.memory import Entry, Status
from holdfast.core.memory import MemoryType as Kind
from holdfast.core.search import Hit, Question, Select
from holdfast.inject.packs import build_goal_pack
from holdfast.inject.start_text import build_briefing as brief
from holdfast.recall.find import find_superseded
from holdfast.recall.find import search as find
from holdfast.recall.show_memory import EventItem, Item, MemoryItem, agent_json, show_to_agent
from holdfast.recall.show_memory import build_timeline as around
from holdfast.review.agent_access import NOTE, find_visible_candidate, list_visible_candidates, propose_words
from holdfast.review.check import Finding
from holdfast.review.check import check_plan as check
from holdfast.server.mcp import tool_answers, tool_arguments
from holdfast.server.mcp.agent_text import limit_notices, one_line, slice_page
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App, PersonOnly

MOST_HITS = 200
MOST_FOUND = 30
LONGEST_SNIPPET = 300
ROOM = 48_000
ROOM_OF_ONE = 12_000
PLACES = ("line", "sha256")

Run = Callable[[App, Any, str], Any]


def search(app: App, given: tool_arguments.SearchArguments, _: str) -> tool_answers.SearchAnswer:
    """Layer 1: ids and titles, best first."""
    question = Question(
        text=given.query,
        select=Select(types=tuple(map(Kind, given.type)), statuses=tuple(map(Status, given.status))),
        tags=tuple(given.tag),
        path=given.path,
        since=given.since,
        as_of=given.as_of,
        limit=MOST_HITS,
    )
    found = find(app, question)
    shown, following = slice_page(found.hits, question, given.cursor, given.limit)
    answer = tool_answers.SearchAnswer(
        note=NOTE,
        notices=limit_notices(app.notices),
        hits=[_hit(hit) for hit in shown],
        searched=int(str(found.searched.get("memories", 0))),
    )
    return answer | {"next_cursor": following} if following else answer


def timeline(app: App, given: tool_arguments.TimelineArguments, _: str) -> tool_answers.TimelineAnswer:
    """Layer 2: what happened around a point."""
    items = around(app, given.around, given.before, given.after)
    return tool_answers.TimelineAnswer(
        note=NOTE, notices=limit_notices(app.notices), items=[_moment(item) for item in items]
    )


def show(app: App, given: tool_arguments.ShowArguments, _: str) -> tool_answers.ShowAnswer:
    """Layer 3: memories in full."""
    newer = find_superseded(app)
    found = show_to_agent(app, given.ids, given.as_of)
    room = min(ROOM_OF_ONE, ROOM // max(1, len(found)))
    whole = [_cut(agent_json(app, shown, newer), given.start, room) for shown in found]
    return tool_answers.ShowAnswer(note=NOTE, notices=limit_notices(app.notices), memories=whole)


def pack(app: App, given: tool_arguments.PackArguments, _: str) -> tool_answers.PackAnswer:
    """What matters to a goal."""
    task = given.task or None
    packed = build_goal_pack(app, given.goal, path=given.path, task=task, budget=given.budget, as_of=given.as_of)
    return tool_answers.PackAnswer(
        note=NOTE,
        notices=limit_notices(app.notices),
        prompt=packed.to_prompt(),
        tokens=packed.tokens,
        dropped=packed.dropped,
    )


def check_plan(app: App, given: tool_arguments.CheckPlanArguments, _: str) -> tool_answers.CheckAnswer:
    """What a plan breaks."""
    checked = check(app, given.plan, given.paths)
    found = sorted(checked.findings, key=lambda each: (each.severity, -each.confidence))[:MOST_FOUND]
    return tool_answers.CheckAnswer(
        note=NOTE,
        notices=limit_notices(app.notices),
        findings=[_build_violation(each) for each in found],
        checked=checked.memories,
    )


def remember(app: App, given: tool_arguments.RememberArguments, _: str) -> tool_answers.KeptAnswer:
    """Any memory, as a candidate."""
    words = given.model_dump(exclude={"type", "text"}, exclude_defaults=True)
    return _build_kept(app, propose_words(app, given.type, given.text, words))


def record_decision(app: App, given: tool_arguments.DecisionArguments, _: str) -> tool_answers.KeptAnswer:
    """A decision, as a candidate."""
    words = given.model_dump(exclude_defaults=True)
    return _build_kept(app, propose_words(app, "decision", f"{given.question} {given.choice}", words))


def record_failure(app: App, given: tool_arguments.FailureArguments, _: str) -> tool_answers.KeptAnswer:
    """A failure, as a candidate."""
    words = given.model_dump(exclude={"text"}, exclude_defaults=True)
    return _build_kept(app, propose_words(app, "failure", given.text, {"attempts": given.attempts, **words}))


def briefing(app: App, _: tool_arguments.BriefingArguments, session: str) -> tool_answers.BriefingAnswer:
    """What a session is told at its start."""
    return tool_answers.BriefingAnswer(note=NOTE, notices=limit_notices(app.notices), text=brief(app, session))


def review(app: App, given: tool_arguments.ReviewArguments, _: str) -> tool_answers.ReviewAnswer:
    """The candidates that wait. What the user shall decide about, they decide elsewhere: whoever asks answers here."""
    if given.decide:
        raise PersonOnly(f"accept {find_visible_candidate(app, given.decide).memory.id}", app.client)
    found = list_visible_candidates(app)
    shown, following = slice_page(found, "review", given.cursor, given.limit)
    answer = tool_answers.ReviewAnswer(
        note=NOTE,
        notices=limit_notices(app.notices),
        candidates=[_candidate(entry) for entry in shown],
        waiting=len(found),
    )
    return answer | {"next_cursor": following} if following else answer


def _build_violation(found: Finding) -> tool_answers.PlanViolation:
    return tool_answers.PlanViolation(
        memory=found.memory,
        severity=str(found.severity),
        rule=found.rule,
        reason=one_line(found.reason),
        title=one_line(found.title),
        line=found.line,
        confidence=found.confidence,
        resolve=list(found.resolve),
    )


def _build_listed(entry: Entry) -> tool_answers.ListedMemory:
    memory = entry.memory
    return tool_answers.ListedMemory(
        id=memory.id,
        type=memory.type.value,
        title=one_line(memory.title),
        status=memory.status.value,
        updated=memory.updated or memory.valid_from,
    )


def _hit(hit: Hit) -> tool_answers.ListedHit:
    listed = cast("tool_answers.ListedHit", _build_listed(hit.entry))
    return listed | {"stale": hit.stale} if hit.stale else listed


def _candidate(entry: Entry) -> tool_answers.ListedCandidate:
    said = {"said_by": entry.memory.said_by.value, "text": one_line(entry.memory.body, LONGEST_SNIPPET)}
    return cast("tool_answers.ListedCandidate", {**_build_listed(entry), **said})


def _moment(item: Item) -> tool_answers.Moment:
    match item:
        case MemoryItem(at=at, entry=entry):
            memory = entry.memory
            title = one_line(memory.title)
            return tool_answers.Moment(at=at, kind="memory", id=memory.id, title=title, type=memory.type.value)
        case EventItem(at=at, event=event):
            title = one_line(f"{event.name}: {event.text}" if event.text else event.name)
            return tool_answers.Moment(at=at, kind="event", id=event.id, title=title, client=event.client)


def _cut(form: Mapping[str, Any], start: int, room: int) -> tool_answers.FullMemory:
    """A memory's JSON in so many characters: longer texts are cut, and named."""
    kept = {name: value for name, value in form.items() if name not in PLACES}
    kept["body"] = str(kept["body"])[start:]
    cut = [name for name, value in kept.items() if len(str(value)) > room]
    for name in cut:
        kept[name] = str(kept[name])[:room]
    return cast("tool_answers.FullMemory", kept | {"cut": cut} if cut else kept)


def _build_kept(app: App, entry: Entry) -> tool_answers.KeptAnswer:
    memory = entry.memory
    return tool_answers.KeptAnswer(
        id=memory.id,
        status=memory.status.value,
        path=display_path(app, entry),
        accept=f"holdfast accept {memory.id}" if memory.status is Status.CANDIDATE else "",
        notices=limit_notices(app.notices),
    )
