"""The journal, followed: events in, effects out. Touches no disk; the same events give the same effects."""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from holdfast.clients.payload import AMID_CALL
from holdfast.core import todo_calls
from holdfast.core.event import BEGINNING, Cursor, JournalRecord
from holdfast.core.run import AGENT
from holdfast.core.tool_text import text_of
from holdfast.core.value import Value, replace
from holdfast.index.event_rows import ECHO
from holdfast.phrases.foreign_words import SYSTEMS, why_foreign
from holdfast.phrases.typed_words import typed_words
from holdfast.records import record_pages, todo_items, work_criteria, work_unit
from holdfast.records.answer_ratings import AnswerRating, find_rating
from holdfast.records.effects import (
    AppendLine,
    AppendLog,
    ChangeTodo,
    DumpSession,
    Effect,
    PutFile,
    ReplaceTodos,
    SettlePrompt,
)
from holdfast.records.goal_progress import GoalProgress
from holdfast.records.session_state import TrackedSession
from holdfast.records.session_state import from_state as session_from
from holdfast.records.session_state import to_state as session_state
from holdfast.records.streaks import Tallies
from holdfast.records.tool_steps import ToolStep, is_web_tool, step_of
from holdfast.records.work_unit import OPEN, Unit

VERSION = 4
QUIET = timedelta(minutes=30)
OLD = timedelta(hours=12)
KEPT_SESSIONS = 64
MOST_STEPS = 200
MOST_TODOS = 100
# Of a prompt and an answer, as much as the state keeps; the items have all of it.
MOST_KEPT = 20_000
OURS = "holdfast"
IMPORTED = "imported"
BAD, POOR = 3, 5
SHORTEST_REMARK = 3
CONTINUES = frozenset({"continue", "resume", "proceed", "weiter", "continuons", "continúa", "继续"})
TELLINGS = frozenset({"injected", "withheld"})
AGENT_TOOLS = frozenset({"agent", "task", "spawn_agent", "delegate"})


class DueSession(Value):
    """A session that is over, to be judged by its events between two places."""

    session: str
    begin: Cursor
    until: Cursor


class RecordBuilder:
    """Everything that is known after the events taken so far."""

    def __init__(self, workspace: str, vouched: Collection[str] = ()) -> None:
        self.workspace = workspace.rstrip("/")
        # Sessions that no hook heard, and that are the user's by their own word.
        self.vouched = vouched
        self.cursor: Cursor = BEGINNING
        self.sessions: dict[str, TrackedSession] = {}
        self.units: dict[str, Unit] = {}
        self.latest = ""
        self.prompts: list[tuple[str, str, str]] = []
        self.tallies = Tallies()
        self.progress = GoalProgress()
        # Lists that people may have edited before the reader began again, and when they were last changed.
        self.kept: dict[str, str] = {}
        # Sessions that are over and were told something: what came of it is not judged yet.
        self.due: list[DueSession] = []

    def take(self, record: JournalRecord) -> list[Effect]:
        """What an event asks for."""
        before, self.cursor = self.cursor, record.after
        data = record.data.get("data")
        # What came by a bundle brought its records along.
        if record.kind != "event" or not isinstance(data, Mapping) or IMPORTED in data:
            return []
        at = record.ts[:19] + "Z"
        if record.data.get("client") == OURS:
            return list(self._by_person(str(record.data.get("name", "")), data, record, at))
        session = self._session(record, data, at, before)
        if session is None:
            return []
        return list(self._in_session(session, str(record.data.get("name", "")), data, record.id, at))

    def grow_old(self, now: datetime) -> list[Effect]:
        """What time alone asks for: sessions that were quiet for long are closed."""
        found: list[Effect] = []
        for session in list(self.sessions.values()):
            if not session.closed and now - _time(session.last) > OLD:
                found += self._close(session, session.last, "age")
        self._prune()
        return found

    # Sessions

    def _session(
        self, record: JournalRecord, data: Mapping[str, Any], at: str, before: Cursor
    ) -> TrackedSession | None:
        extra = data.get("extra")
        parent = extra.get("parent") if isinstance(extra, Mapping) else None
        name = str(parent or record.data.get("session", ""))
        if not name:
            return None
        known = self.sessions.pop(name, None)
        session = known or TrackedSession(
            id=name, client=str(record.data.get("client", "")), since=at, last=at, begin=before
        )
        # The newest stands last, so that the oldest are those that go.
        hooked = session.hooked or data.get("harvested") is not True
        self.sessions[name] = replace(session, last=max(at, session.last), hooked=hooked)
        return self.sessions[name]

    def _is_told(self, session: TrackedSession | None) -> bool:
        """Whether other sessions may be told of one: a hook heard it, or a person vouched for it."""
        return session is not None and (session.hooked or session.id in self.vouched)

    def _in_session(
        self, session: TrackedSession, name: str, data: Mapping[str, Any], event: str, at: str
    ) -> Iterator[Effect]:
        if session.echo:
            return
        match name:
            case "session_start":
                yield from self._others_closed(session, at)
            case "prompt" if data.get("source") not in SYSTEMS and not why_foreign(str(data.get("prompt", ""))):
                yield from self._prompt(session, str(data.get("prompt", "")), event, at, doubted=AMID_CALL in data)
            case "foreign_prompt" if data.get("of"):
                yield from self._untyped(session, str(data["of"]))
            case "before_tool":
                self._delegated(session, data)
            case "after_tool" | "tool_failed":
                yield from self._tool(session, name, data, event, at)
            case "task_completed":
                yield from self._task_completed(session, data, at)
            case "answer":
                yield from self._answer(session, str(data.get("answer", "")), event, at)
            case "subagent_stop":
                yield from self._agent(session, data, event, at)
            case "criteria":
                yield from self._criteria(session, data, event, at)
            case "session_end":
                yield from self._close(session, at, "session_end")
            case _:
                return

    def _criteria(self, session: TrackedSession, data: Mapping[str, Any], event: str, at: str) -> Iterator[Effect]:
        """What a run of our own agent says must be true at its end, or that it saw to be true or not."""
        found = self.units.get(session.unit)
        if session.client != AGENT or found is None:
            return
        told = work_criteria.update_isc(
            found.isc, now=at, event_id=event, added=_texts(data.get("added")), forbidden=_texts(data.get("forbidden")),
            verified=_texts(data.get("verified")), failed=_texts(data.get("failed")),
        )  # fmt: skip
        self.units[found.id] = replace(found, isc=told, updated=at)
        yield from work_unit.files_of(self.units[found.id])

    def _others_closed(self, session: TrackedSession, at: str) -> Iterator[Effect]:
        for other in list(self.sessions.values()):
            if other.id != session.id and not other.closed and _time(at) - _time(other.last) > QUIET:
                yield from self._close(other, other.last, "start")

    def _close(self, session: TrackedSession, at: str, by: str) -> Iterator[Effect]:
        yield from self._turn_over(session, "", "", at)
        for name in self.sessions[session.id].units:
            found = self.units[name]
            if found.status == OPEN:
                yield from self._finish(work_unit.close_unit(found, at, by))
        self.sessions[session.id] = replace(self.sessions[session.id], closed=at)
        if session.told and not session.echo and not session.closed:
            self.due.append(DueSession(session=session.id, begin=session.begin, until=self.cursor))

    def _finish(self, done: Unit) -> Iterator[Effect]:
        self.units[done.id] = done
        yield from work_unit.files_of(done)
        told = self._is_told(self.sessions.get(done.session))
        if told and done.status == work_unit.COMPLETED and (done.recovered or (done.effort == "deep" and done.files)):
            yield from record_pages.learning_from_work(done)

    def _prune(self) -> None:
        closed = [name for name, session in self.sessions.items() if session.closed]
        for name in closed[: max(0, len(self.sessions) - KEPT_SESSIONS)]:
            for gone in self.sessions.pop(name).units:
                self.units.pop(gone, None)

    # Turns

    def _prompt(self, session: TrackedSession, text: str, event: str, at: str, *, doubted: bool) -> Iterator[Effect]:
        original = "" if session.prompt else self._spoken_before(text, at, session)
        if original:
            self.sessions[session.id] = replace(session, echo=original)
            return
        self.prompts = [*self.prompts[-20:], (session.id, _hash(text), at)]
        yield from self._turn_over(session, "", "", at)
        session = self.sessions[session.id]
        rating = find_rating(text, session.answer) if self._is_told(session) and not doubted else None
        if rating and session.answer:
            yield from self._rated(session, rating, event, at)
        yield from self._ordered(session, text, event, at)
        session = self.sessions[session.id]
        short = text[:MOST_KEPT]
        task = "" if doubted else work_unit.first_sentence(typed_words(text))[:MOST_KEPT]
        self.sessions[session.id] = replace(
            session, closed="", prompt=short, task=task, prompt_event=event, prompt_at=at
        )
        if session.unit:
            yield from self._item(session.unit, "prompt", text, event, at)

    def _untyped(self, session: TrackedSession, prompt: str) -> Iterator[Effect]:
        """Nobody typed what a hook told as a prompt: what is done for it is not what the user asked for."""
        if session.prompt_event == prompt:
            self.sessions[session.id] = replace(session, task="")
        yield SettlePrompt(session=session.id, event=prompt)

    def _ordered(self, session: TrackedSession, text: str, event: str, at: str) -> Iterator[Effect]:
        """Open a unit, extend the one that is open, or split one off."""
        current = self.units.get(session.unit)
        orders = work_criteria.starts_work(text) or session.client == AGENT
        if current and current.status != OPEN and current.closed_by != "person":
            current = work_unit.reopen_unit(current)
            self.units[current.id] = current
        if current and current.status == OPEN:
            if orders and (current.shares_words(text) or work_criteria.estimate_effort(text) == "quick"):
                self.units[current.id] = work_unit.extend_unit(current, text, event, at)
            elif orders:
                yield from self._open(session, text, event, at, parent=current)
            return
        continues = self._continued(text)
        if orders or continues:
            yield from self._open(session, text, event, at, continues=continues or (current.id if current else ""))

    def _open(
        self,
        session: TrackedSession,
        text: str,
        event: str,
        at: str,
        *,
        parent: Unit | None = None,
        continues: str = "",
    ) -> Iterator[Effect]:
        made = work_unit.open_unit(self._unit_id(text, at, session.id), text, event, at, session.id, session.client)
        made = replace(made, parent=parent.id if parent else "", continues=continues)
        self.units[made.id] = made
        self.latest = made.id
        self.sessions[session.id] = replace(session, unit=made.id, units=(*session.units, made.id))
        self.progress.opened(made, at)
        yield from work_unit.files_of(made)
        if parent:
            kin = replace(parent, children=(*parent.children, made.id), updated=at)
            self.units[kin.id] = kin
            yield from work_unit.files_of(kin)
            child = {"id": made.id, "title": made.title, "split_off": at, "event": event}
            yield PutFile(path=f"{kin.folder}/children/{made.id}.yaml", text=work_unit.to_yaml(child))

    def _continued(self, text: str) -> str:
        """The unit that "continue with …" in a new session goes on with."""
        first = text.strip().lower().split(None, 1)[:1]
        last = self.units.get(self.latest)
        return last.id if last and first and first[0].strip(".,!:") in CONTINUES else ""

    def _unit_id(self, text: str, at: str, session: str) -> str:
        stamped = f"{record_pages.file_stamp(at)}_{work_criteria.prompt_slug(text)}"
        taken = stamped in self.units
        return f"{stamped}-{crc32(session.encode('utf-8', 'replace')):08x}"[:200] if taken else stamped

    def _item(self, name: str, kind: str, text: str, event: str, at: str) -> Iterator[Effect]:
        found = self.units[name]
        counts = {"prompts": found.prompts + 1} if kind == "prompt" else {"answers": found.answers + 1}
        found = replace(found, items=found.items + 1, updated=at, **counts)
        self.units[name] = found
        yield PutFile(
            path=f"{found.folder}/items/{found.items:03d}-{kind}.md",
            text=record_pages.render_item(kind, text, event, at),
        )
        yield from work_unit.files_of(found)

    def _answer(self, session: TrackedSession, text: str, event: str, at: str) -> Iterator[Effect]:
        yield from self._turn_over(session, text, event, at)
        session = self.sessions[session.id]
        self.sessions[session.id] = replace(session, answer=text[:MOST_KEPT] or session.answer, closed="")
        if session.unit and text:
            yield from self._item(session.unit, "answer", text, event, at)

    def _turn_over(self, session: TrackedSession, answer: str, event: str, at: str) -> Iterator[Effect]:
        """What the steps since the last answer amount to: log lines, evidence, criteria."""
        steps = session.steps
        found = self.units.get(session.unit)
        self.sessions[session.id] = replace(session, steps=())
        if found and (steps or answer):
            self.units[found.id] = work_unit.check_unit(found, steps, answer, event, at)
        if not steps:
            return
        self.tallies.turn(steps)
        # A turn that was broken off is over when its last step was.
        if self._is_told(session):
            yield from record_pages.turn_log_lines(session, steps, steps[-1].at if not answer else at)
        if found:
            yield from self._evidence(found.id, steps)
            yield from work_unit.files_of(self.units[found.id])

    def _evidence(self, name: str, steps: tuple[ToolStep, ...]) -> Iterator[Effect]:
        for step in (step for step in steps if step.check):
            found = self.units[name]
            found = replace(found, checks=found.checks + 1)
            self.units[name] = found
            outcome = "failed" if step.failed else "passed"
            path = f"{found.folder}/verification/{found.checks:03d}-{step.check}-{outcome}.md"
            yield PutFile(path=path, text=record_pages.render_evidence(step, work_unit.criteria_named_by(found, step)))

    # Tools

    def _tool(
        self, session: TrackedSession, name: str, data: Mapping[str, Any], event: str, at: str
    ) -> Iterator[Effect]:
        told = todo_calls.read_todo_call(data)
        if told is not None:
            yield from self._todos(session, told, at)
            return
        step = step_of(data, name, event, at, self.workspace, session.client)
        self.sessions[session.id] = replace(session, steps=(*session.steps, step)[-MOST_STEPS:], closed="")
        found = self.units.get(session.unit)
        if found is None:
            return
        if is_web_tool(step.tool):
            found = replace(found, lookups=found.lookups + 1)
            self.units[found.id] = found
            yield record_pages.web_lookup_file(found, data, event, at)
        yield from record_pages.draft_files(found, step, data)

    def _todos(
        self,
        session: TrackedSession,
        told: todo_calls.TodoListed | todo_calls.TodoAdded | todo_calls.TodoMarked,
        at: str,
    ) -> Iterator[Effect]:
        before = session.todos
        tasks = list(session.tasks)
        match told:
            case todo_calls.TodoListed(items=items):
                now = items
            case todo_calls.TodoAdded(key=key, text=text):
                tasks.append((key or str(len(tasks) + 1), text, False))
                now = (*before, (text, False))
            case todo_calls.TodoMarked(key=key, done=done, text=text):
                tasks = [(k, text or t, done) if k == key else (k, t, d) for k, t, d in tasks]
                now = tuple((t, d) for _, t, d in tasks)
        now = now[-MOST_TODOS:]
        self.sessions[session.id] = replace(session, todos=now, tasks=tuple(tasks[-MOST_TODOS:]))
        texts = tuple(text for text, _ in before)
        if now != before and self._is_told(session):
            yield ReplaceTodos(by=session.client, at=at, before=texts, now=todo_calls.TodoListed(items=now))

    def _task_completed(self, session: TrackedSession, data: Mapping[str, Any], at: str) -> Iterator[Effect]:
        extra = data.get("extra")
        if isinstance(extra, Mapping) and extra.get("task_id"):
            yield from self._todos(session, todo_calls.TodoMarked(key=str(extra["task_id"]), done=True), at)

    # Subagents

    def _delegated(self, session: TrackedSession, data: Mapping[str, Any]) -> None:
        given = data.get("input")
        if str(data.get("tool", "")).lower() in AGENT_TOOLS and isinstance(given, Mapping):
            kind = str(given.get("subagent_type", given.get("agent_type", "")))
            task = str(given.get("prompt", given.get("description", "")))
            self.sessions[session.id] = replace(session, agents=(*session.agents, (kind, task))[-20:])

    def _agent(self, session: TrackedSession, data: Mapping[str, Any], event: str, at: str) -> Iterator[Effect]:
        kind, answer = str(data.get("agent_type", "")), text_of(data.get("answer"))
        mark = crc32(answer.encode("utf-8", "replace"))
        # Claude Code's own compaction ends subagents without a type.
        if not kind or not answer.strip() or mark in session.answered:
            return
        task = next((task for of_kind, task in session.agents if of_kind in {kind, ""}), "")
        left = list(session.agents)
        if task:
            left.remove(next(pair for pair in left if pair[1] == task))
        self.sessions[session.id] = replace(session, agents=tuple(left), answered=(*session.answered, mark)[-50:])
        yield from record_pages.research_files(kind, task, answer, session, event, at)

    # Ratings and what a person says by a command

    def _rated(self, session: TrackedSession, rating: AnswerRating, event: str, at: str) -> Iterator[Effect]:
        self.tallies.rating(rating.rating, at)
        line = record_pages.rating_line(rating, session, event, at)
        yield AppendLine(path="learning/signals/ratings.jsonl", text=line, event=event)
        if rating.rating <= BAD:
            yield DumpSession(
                folder=record_pages.failure_folder(session, at),
                context=record_pages.render_failure_context(rating, session, self.units.get(session.unit), event, at),
                sentiment={"rating": rating.rating, "confidence": rating.confidence, "analysis": rating.analysis},
                session=session.id,
                begin=session.begin,
                until=event,
            )
            yield AppendLog(at=session.prompt_at or at, text=record_pages.bad_rating_line(rating, session))
        if rating.rating <= BAD or (rating.rating <= POOR and len(rating.comment.split()) >= SHORTEST_REMARK):
            yield from record_pages.learning_from_rating(rating, session, event, at)

    def _by_person(self, name: str, data: Mapping[str, Any], record: JournalRecord, at: str) -> Iterator[Effect]:
        room, _, verb = name.partition(".")
        told = self.sessions.get(str(record.data.get("session", "")))
        if name in TELLINGS and told:
            self.sessions[told.id] = replace(told, told=True)
        elif room == "todo":
            said = str(data.get("text", ""))
            yield ChangeTodo(
                verb=verb, id=str(data.get("id", "")), text=said, at=at, by=str(data.get("by", todo_items.USER))
            )
        elif room == "progress":
            self.progress.take(verb, data, at)
        elif name == "rated":
            session = self.sessions.get(str(data.get("of", "")))
            if session:
                comment = str(data.get("comment", ""))
                given = AnswerRating(
                    rating=int(data["rating"]), source="explicit", comment=comment, analysis="holdfast log --rate"
                )
                yield from self._rated(session, given, record.id, at)
        elif room == "work" and str(data.get("id", "")) in self.units:
            yield from self._steered(self.units[str(data["id"])], verb, data, record.id, at)

    def _steered(self, found: Unit, verb: str, data: Mapping[str, Any], event: str, at: str) -> Iterator[Effect]:
        if verb == "closed":
            yield from self._finish(work_unit.close_unit(found, at, "person", str(data.get("status", ""))))
        elif verb == "verified":
            marked, good = [str(data.get("criterion", ""))], bool(data.get("passed", True))
            told = work_criteria.update_isc(
                found.isc, now=at, event_id=event, verified=marked if good else (), failed=() if good else marked
            )
            self.units[found.id] = replace(found, isc=told, updated=at)
            yield from work_unit.files_of(self.units[found.id])

    # The same prompt through two clients

    def _spoken_before(self, text: str, at: str, session: TrackedSession) -> str:
        """The session of another client in which these very words were said a moment ago."""
        for name, words, when in reversed(self.prompts):
            other = self.sessions.get(name)
            near = _time(at) - _time(when) <= ECHO
            if near and words == _hash(text) and other and other.client != session.client:
                return name
        return ""

    # State

    def phase(self) -> dict[str, Any]:
        """Where the latest unit stands: looking, planning, building, verifying, or over and to be learned from."""
        found = self.units[self.latest]
        session = self.sessions.get(found.session)
        kinds = [step.kind for step in session.steps] if session else []
        reached = "plan" if session and session.todos else "observe"
        reached = "build" if "edit" in kinds or found.files else reached
        reached = "verify" if kinds[-1:] == ["check"] or found.checks else reached
        criteria = [str(one.get("status", "")) for one in found.isc.get("criteria", [])]
        return {
            "work": found.id,
            "session": found.session,
            "phase": reached if found.status == OPEN else "learn",
            "effort": found.effort,
            "criteria": {
                "total": len(criteria),
                "verified": criteria.count(work_criteria.VERIFIED),
                "failed": criteria.count(work_criteria.FAILED),
            },
            "updatedAt": found.updated,
        }

    def to_state(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "v": VERSION,
            "cursor": [self.cursor.segment, self.cursor.offset],
            "sessions": [session_state(session) for session in self.sessions.values()],
            "units": [work_unit.to_state(found) for found in self.units.values()],
            "latest": self.latest,
            "prompts": [list(each) for each in self.prompts],
            "tallies": self.tallies.to_state(),
            "progress": self.progress.to_state(),
            "kept": self.kept,
            "due": [[due.session, *_place(due.begin), *_place(due.until)] for due in self.due],
        }

    @classmethod
    def from_state(cls, workspace: str, data: Mapping[str, Any], vouched: Collection[str] = ()) -> "RecordBuilder":
        """What `to_state` gave. Raises ValueError, KeyError or TypeError for anything else."""
        if data["v"] != VERSION:
            raise ValueError(f"state of version {data['v']}")
        made = cls(workspace, vouched)
        segment, offset = data["cursor"]
        made.cursor = Cursor(segment=segment, offset=offset)
        made.sessions = {each["id"]: session_from(each) for each in data["sessions"]}
        made.units = {each["id"]: work_unit.from_state(each) for each in data["units"]}
        made.latest = str(data["latest"])
        made.prompts = [(a, b, c) for a, b, c in data["prompts"]]
        made.tallies = Tallies.from_state(data["tallies"])
        made.progress = GoalProgress.from_state(data["progress"])
        made.kept = dict(data["kept"])
        for name, *places in data["due"]:
            begin, until = Cursor(segment=places[0], offset=places[1]), Cursor(segment=places[2], offset=places[3])
            made.due.append(DueSession(session=name, begin=begin, until=until))
        return made


def _time(stamp: str) -> datetime:
    try:
        return datetime.fromisoformat(stamp)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _place(cursor: Cursor) -> tuple[int, int]:
    return cursor.segment, cursor.offset


def _hash(text: str) -> str:
    return f"{crc32(' '.join(text.split()).encode('utf-8', 'replace')):08x}"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()
