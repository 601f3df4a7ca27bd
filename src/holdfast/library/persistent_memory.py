"""PersistentMemory: a workspace's memory for programs."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self, TypeVar

from holdfast.app import EmptyApp, FolderMissing, build_app, check_folder
from holdfast.bootstrap.bootstrap import bootstrap
from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.finding import Checked
from holdfast.core.home import FOLDER
from holdfast.core.memory import FOLDERS, Entry, Memory, MemoryType, Problem, RejectedOption, SaidBy, Scope, Status
from holdfast.core.search import Hit, Question, Select
from holdfast.core.value import Value
from holdfast.forget.forget_memory import forget, plan_ids
from holdfast.index.entries import is_candidate
from holdfast.index.maintenance import list_file_problems
from holdfast.index.open_index import select_on_own_connection
from holdfast.inject.packs import MemoryPack, PackLine, build_goal_pack, filter_visible_to_agents, item_text, prompt_of
from holdfast.library.memory_stores import Decisions, Failures, Patterns, Seek, Simulacrum, Store
from holdfast.library.run_memory import end_session, note_event, note_injected_memory
from holdfast.recall.citations.citation_status import CitedMemory, check_citations
from holdfast.recall.find import search as find
from holdfast.recall.memory_history import MemoryHistory, read_history
from holdfast.recall.show_memory import ShownMemory, show
from holdfast.records.sessions import list_sessions, open_session
from holdfast.review.accept import ResolvedConflict, ResolveRequest, ReviewResult, accept, merge, reject, resolve
from holdfast.review.batches import BatchSummary, undo
from holdfast.review.check import check_plan, make_checker
from holdfast.review.queue import EVERY, CandidateFilter, is_meant, list_questions
from holdfast.review.queue_groups import QueueGroup
from holdfast.review.relations import EntryRelation, find_conflicts
from holdfast.review.remember import MemoryDraft, parse_rejected_option, propose, remember
from holdfast.trust.allow import register
from holdfast.workspace import App, NoWorkspace


class ClosedMemory(BadRequest):
    """A memory that was closed is asked for something."""

    def __init__(self) -> None:
        super().__init__("This memory was closed.", "load it again, or ask before it is closed.")


NOTHING = MemoryPack()
Made = TypeVar("Made")
NOT_READ: Mapping[str, Sequence[Entry] | None] = {}


class StoreSync(Value):
    """How one store came out of a sync."""

    count: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class SyncResult(Value):
    """How every store came out of a sync, by its name."""

    stores: Mapping[str, StoreSync]

    @property
    def ok(self) -> bool:
        """Whether every store is whole."""
        return not any(store.warnings for store in self.stores.values())


class MemoryContext(Value):
    """All memory that matters to a goal, for planning. `pack` has each line's id and why it is here."""

    learnings: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    dead_ends: tuple[str, ...] = ()
    team_decisions: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    pack: MemoryPack = NOTHING

    def to_prompt(self) -> str:
        """The part of a planning prompt; empty when nothing matters."""
        return prompt_of(self.pack)


class TaskMemoryContext(Value):
    """The memory that binds somebody who carries a task out. `pack` has each line's id and why it is here."""

    constraints: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    pack: MemoryPack = NOTHING

    def to_prompt(self) -> str:
        """The part of a task's prompt; empty when nothing matters."""
        return prompt_of(self.pack)


class TaskDescription(Protocol):
    """What is to be done, at which path, and what kind of task it is."""

    @property
    def description(self) -> str:
        """What is to be done."""

    @property
    def target_path(self) -> str | PathLike[str] | None:
        """The path that it will touch."""

    @property
    def mode(self) -> str:
        """The kind of task."""


class PersistentMemory:
    """A workspace's memory: stores that load apart, and the verbs on them. A store can be given instead of loaded."""

    decisions: Decisions
    assumptions: Store
    invariants: Store
    failures: Failures
    learnings: Simulacrum
    patterns: Patterns

    def __init__(
        self,
        app: App,
        *,
        stores: Mapping[str, Store] | None = None,
        team: Store | None = None,
        read: Mapping[str, Sequence[Entry] | None] | None = None,
    ) -> None:
        """`stores` are taken instead of loaded ones; `read`: entries that were read before, by the store's name."""
        self._opened = app
        self._closed = False
        self._given = dict(stores or {})
        self.team = team if team is not None else self._team_store()
        self._load(read or {})

    @classmethod
    def load(cls, workspace: str | PathLike[str]) -> Self:
        """The memory of a workspace. A store that cannot be read is empty with a warning; the others serve."""
        return cls(_app_of(workspace))

    @classmethod
    async def load_async(cls, workspace: str | PathLike[str]) -> Self:
        """The same beside an event loop: the stores are read side by side, and nothing waits for the disk."""
        app = _app_of(workspace)
        await asyncio.to_thread(lambda: app.index)
        read = await asyncio.gather(*(asyncio.to_thread(_read_apart, app, kind) for kind in STORES.values()))
        return await asyncio.to_thread(cls, app, read=dict(zip(STORES, read, strict=True)))

    @classmethod
    def empty(cls, workspace: str | PathLike[str] = "") -> Self:
        """Memory that holds nothing, about a workspace if one is given. Its files are temporary: they go with it.

        Neither the user's memory and settings nor what the workspace has in `.holdfast` is read or written.
        """
        given = os.fspath(workspace)
        app = EmptyApp(os.path.realpath(given) if given else "")
        register(app, allowed=True)
        return cls(app)

    def close(self) -> None:
        """Let go of what is open; the files of an empty memory are gone with it. Nothing can be asked afterwards."""
        self._opened.close()
        self._closed = True

    def __enter__(self) -> Self:
        """The memory for a block of code."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it at the end of the block."""
        self.close()

    @property
    def _app(self) -> App:
        if self._closed:
            raise ClosedMemory
        return self._opened

    @property
    def workspace(self) -> str:
        """The workspace's folder."""
        return self._app.workspace

    @property
    def folder(self) -> str:
        """Where the workspace keeps its memory, its runs and its state."""
        return self._app.folder

    @property
    def simulacrum(self) -> Simulacrum:
        """What was learned, and the conversations it came from."""
        return self.learnings

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read, over all stores."""
        return tuple(warning for name in STORES for warning in self.store(name).warnings)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a program should know of the answers so far: memory that was held back, settings not taken."""
        return tuple(dict.fromkeys(self._app.notices))

    def store(self, name: str) -> Store:
        """A store by its name: `decisions`, `failures`, …"""
        found = getattr(self, name)
        assert isinstance(found, Store)
        return found

    def search(self, text: str, *, limit: int = 10, path: str = "", as_of: str = "") -> tuple[Hit, ...]:
        """The memories that fit some words, best first."""
        return find(self._app, Question(text=text, limit=limit, path=path, as_of=as_of)).hits

    def show(self, memory_id: str, *, as_of: str = "") -> tuple[ShownMemory, ...]:
        """A memory in full, with how the code it cites stands; `as_of`, whether it held then and what it said."""
        return tuple(show(self._app, [memory_id], as_of))

    def history(self, memory_id: str) -> tuple[MemoryHistory, ...]:
        """When a memory was believed, and every version of it that git has."""
        return tuple(read_history(self._app, memory_id))

    def cites(self, *memory_ids: str) -> tuple[CitedMemory, ...]:
        """How the code that memories cite stands now: of some, or of all."""
        return tuple(check_citations(self._app, memory_ids))

    def get_relevant(
        self, goal: str, *, path: str | PathLike[str] = "", budget: int = 0, as_of: str = ""
    ) -> MemoryContext:
        """What matters to a goal, for the prompt that plans it: only what the user wrote or allowed."""
        pack = build_goal_pack(self._app, goal, path=os.fspath(path), budget=budget, as_of=as_of)
        return MemoryContext(
            learnings=_mark_items(pack.learnings),
            facts=_mark_items(pack.facts),
            constraints=_mark_items(pack.constraints),
            dead_ends=_mark_items(pack.dead_ends),
            team_decisions=_mark_items(pack.team_decisions),
            patterns=_mark_items(pack.patterns),
            pack=pack,
        )

    def get_task_context(
        self,
        task: str | TaskDescription,
        path: str | PathLike[str] = "",
        *,
        kind: str = "",
        budget: int = 0,
        as_of: str = "",
    ) -> TaskMemoryContext:
        """What binds a task at a path: constraints, hazards, patterns. An object says its path and kind itself."""
        words, own_path, own_kind = _describe_task(task)
        pack = build_goal_pack(
            self._app, words, path=os.fspath(path) or own_path, task=kind or own_kind, budget=budget, as_of=as_of
        )
        return TaskMemoryContext(
            constraints=_mark_items(pack.constraints),
            hazards=_mark_items(pack.dead_ends),
            patterns=_mark_items(pack.patterns),
            pack=pack,
        )

    def add_decision(
        self,
        text: str,
        *,
        question: str = "",
        choice: str = "",
        rejected: Sequence[str | RejectedOption] = (),
        **more: Any,
    ) -> Memory:
        """Keep a decision. `rejected` takes `"option: reason"`; `because`, `title`, `tags`, `paths` … go with it."""
        options = tuple(
            option if isinstance(option, RejectedOption) else parse_rejected_option(option) for option in rejected
        )
        return self._add(MemoryType.DECISION, text, question=question, choice=choice, rejected=options, **more)

    def add_assumption(self, text: str, **more: Any) -> Memory:
        """Keep something taken for true until shown otherwise."""
        return self._add(MemoryType.ASSUMPTION, text, **more)

    def add_invariant(self, text: str, **more: Any) -> Memory:
        """Keep what must always hold."""
        return self._add(MemoryType.INVARIANT, text, **more)

    def add_failure(self, text: str, *, error_type: str = "", root_cause: str = "", **more: Any) -> Memory:
        """Keep what was tried and did not work."""
        return self._add(MemoryType.FAILURE, text, error_type=error_type, root_cause=root_cause, **more)

    def add_learning(self, text: str, *, category: str = "", **more: Any) -> Memory:
        """Keep a fact that was learned."""
        return self._add(MemoryType.LEARNING, text, category=category, **more)

    def add_pattern(self, text: str, **more: Any) -> Memory:
        """Keep how things are done here."""
        return self._add(MemoryType.PATTERN, text, **more)

    def propose(self, kind: str, text: str, **more: Any) -> Memory:
        """Propose a memory for a person to accept."""
        return propose(self._app, _draft(kind, text, more)).memory

    def candidates(self, chosen: CandidateFilter = EVERY) -> tuple[Memory, ...]:
        """What waits for a person, the best first; what one answer settles follows the one that leads it."""
        return tuple(
            entry.memory
            for group in list_questions(self._app, chosen)
            for entry in group.entries
            if is_meant(entry, chosen)
        )

    def questions(self, chosen: CandidateFilter = EVERY) -> tuple[QueueGroup, ...]:
        """What waits for a person, as questions: a candidate that leads, and what goes with it."""
        return tuple(list_questions(self._app, chosen))

    def accept(
        self, *ids: str, answer: ResolveRequest | None = None, against: str = "", scope: str = ""
    ) -> ReviewResult:
        """Accept candidates. What contradicts a memory is in `blocked`, unless `answer` says how to resolve it."""
        return self._changed(accept(self._app, ids, scope, answer=answer, against=against))

    def reject(self, *ids: str, because: str = "") -> tuple[Memory, ...]:
        """Reject candidates; the same is not proposed again."""
        return tuple(entry.memory for entry in reject(self._app, ids, because))

    def merge(self, *ids: str, into: str = "") -> Memory:
        """Give what candidates say and rest on to one of them, or to `into`."""
        return self._changed(merge(self._app, ids, into)).entry.memory

    def resolve(self, new: str, old: str, answer: ResolveRequest) -> ResolvedConflict:
        """Resolve the conflict of two memories that both hold."""
        return self._changed(resolve(self._app, new, old, answer))

    def conflicts(self, memory_id: str = "") -> tuple[EntryRelation, ...]:
        """What contradicts, replaces or repeats what: of one memory or candidate, or of all."""
        return find_conflicts(self._app, memory_id).found

    def forget(self, *ids: str, because: str = "") -> tuple[Memory, ...]:
        """Take memories and candidates out of sight; the journal keeps what they said. `undo` brings them back."""
        plan = plan_ids(self._app, ids)
        forget(self._app, plan, because)
        return self._changed(tuple(entry.memory for entry in plan.entries))

    def undo(self) -> BatchSummary:
        """Undo the last accept, reject, merge, resolve, edit or curate: its files get the bytes they had."""
        return self._changed(undo(self._app))

    def check(self, plan: str, paths: Sequence[str] = ()) -> Checked:
        """What a plan in words, at some paths of the workspace, would break of what was decided or tried."""
        return check_plan(self._app, plan, paths)

    def checker(self) -> Callable[[str, Sequence[str]], Checked]:
        """`check` for many plans of one moment: memory is read once."""
        return make_checker(self._app)

    def record_decision(self, text: str, **more: Any) -> Memory:
        """Propose a decision that an agent took."""
        return self._record(MemoryType.DECISION, text, more)

    def record_failure(self, text: str, **more: Any) -> Memory:
        """Propose what an agent tried in vain."""
        return self._record(MemoryType.FAILURE, text, more)

    def record_learning(self, text: str, **more: Any) -> Memory:
        """Propose what an agent learned."""
        return self._record(MemoryType.LEARNING, text, more)

    def record_event(self, run: str, name: str, data: Mapping[str, Any]) -> str:
        """Keep what happened in a run, without secrets; the event's id."""
        return note_event(self._app, run, name, data)

    def record_injected(self, run: str, pack: MemoryPack, event: str, at: str = "prompt") -> None:
        """Keep which memory a run was told, so that its use is counted."""
        note_injected_memory(self._app, run, pack, event, at)

    def record_session(self, run: str) -> Mapping[str, Any]:
        """A run is over: its records, summary, briefing, lineage, and what its words give besides."""
        found = end_session(self._app, run)
        self._load()
        return found

    def sync(self) -> SyncResult:
        """Bring every store up to date with the files. What was added is on disk already."""
        before = {name: self.store(name).sums() for name in STORES}
        self._app.refresh()
        self._load()
        return SyncResult(stores={name: _compare_store(before[name], self.store(name)) for name in STORES})

    def _add(self, kind: MemoryType, text: str, **more: Any) -> Memory:
        entry = remember(self._app, _draft(kind, text, more))
        # One more entry, not all of them read again: adding costs the same however many there are.
        if not is_candidate(entry) and FOLDERS[kind] not in self._given:
            self.store(FOLDERS[kind]).add(entry)
        return entry.memory

    def _record(self, kind: MemoryType, text: str, more: Mapping[str, Any]) -> Memory:
        return propose(self._app, _draft(kind, text, more), said_by=SaidBy.AGENT).memory

    def _changed(self, made: Made) -> Made:
        self._load()
        return made

    def _load(self, read: Mapping[str, Sequence[Entry] | None] = NOT_READ) -> None:
        problems = _problems(self._app)
        for name, kind in STORES.items():
            given = self._given.get(name)
            setattr(self, name, self._store(name, kind, problems, read.get(name)) if given is None else given)
        self.patterns.reading = lambda: bootstrap(self._app)
        self.learnings.listing = lambda: list_sessions(self._app)
        self.learnings.opening = lambda session: open_session(self._app, session)

    def _store(self, name: str, kind: MemoryType, problems: Sequence[Problem], read: Sequence[Entry] | None) -> Store:
        made = KINDS.get(name, Store)
        warnings = [f"{p.path}:{p.line or 1}: {p.reason}" for p in problems if name in p.path.split("/")]
        try:
            chosen = self._app.index.select(_select_accepted(kind)) if read is None else read
        except (HoldfastError, OSError) as error:
            return made(warnings=[*warnings, f"{name} could not be loaded: {error}"])
        return made([entry for entry in chosen if not is_candidate(entry)], warnings, self._seeker(kind))

    def _team_store(self) -> Store | None:
        """What the team shares, of every type; None where nobody joined one."""
        if self._app.team is None:
            return None
        try:
            chosen = self._app.index.select(Select(scopes=(Scope.TEAM,), statuses=(Status.ACCEPTED,)))
        except (HoldfastError, OSError) as error:
            return Store(warnings=[f"the team's memory could not be loaded: {error}"])
        return Store([entry for entry in chosen if not is_candidate(entry)])

    def _seeker(self, kind: MemoryType) -> Seek:
        def seek(text: str, most: int) -> Sequence[Memory]:
            asked = Question(text=text, select=Select(types=(kind,), statuses=(Status.ACCEPTED,)), limit=most)
            return [
                entry.memory
                for entry in filter_visible_to_agents(self._app, [hit.entry for hit in find(self._app, asked).hits])
            ]

        return seek


KINDS: Mapping[str, type[Store]] = {
    "decisions": Decisions, "failures": Failures, "patterns": Patterns, "learnings": Simulacrum
}  # fmt: skip
STORES: Mapping[str, MemoryType] = {FOLDERS[kind]: kind for kind in MemoryType}


def _app_of(workspace: str | PathLike[str]) -> App:
    folder = os.path.realpath(os.fspath(workspace))
    if not os.path.isdir(folder):
        raise FolderMissing(folder)
    place = os.path.join(folder, FOLDER)
    if not os.path.lexists(place):
        raise NoWorkspace(folder)
    check_folder(place)
    return build_app(folder)


def _select_accepted(kind: MemoryType) -> Select:
    return Select(types=(kind,), statuses=(Status.ACCEPTED,))


def _read_apart(app: App, kind: MemoryType) -> Sequence[Entry] | None:
    """The entries of a store; None where it cannot be read: loading it then says why."""
    try:
        return select_on_own_connection(app, _select_accepted(kind))
    except (HoldfastError, OSError):
        return None


def _mark_items(items: Sequence[PackLine]) -> tuple[str, ...]:
    return tuple(map(item_text, items))


def _describe_task(task: str | TaskDescription) -> tuple[str, str, str]:
    """The words, the path and the kind of a task."""
    if isinstance(task, str):
        return task, "", ""
    return str(task.description), os.fspath(task.target_path or ""), str(task.mode or "")


def _problems(app: App) -> list[Problem]:
    try:
        return list_file_problems(app)
    except (HoldfastError, OSError) as error:
        return [Problem(path=name, reason=str(error)) for name in STORES]


def _draft(kind: str, text: str, more: Mapping[str, Any]) -> MemoryDraft:
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in more.items()}
    scope = str(given.pop("scope", "") or "")
    because = str(given.pop("because", "") or "")
    cites = tuple(given.pop("cites", ()))
    return MemoryDraft(
        type=kind, text=text, because=because, scope=Scope(scope) if scope else "", cites=cites,
        fields={name: value for name, value in given.items() if value not in ("", (), None)},
    )  # fmt: skip


def _compare_store(before: Mapping[str, str], store: Store) -> StoreSync:
    now = store.sums()
    return StoreSync(
        count=len(now),
        added=tuple(sorted(now.keys() - before.keys())),
        changed=tuple(sorted(i for i in now.keys() & before.keys() if now[i] != before[i])),
        removed=tuple(sorted(before.keys() - now.keys())),
        warnings=store.warnings,
    )
