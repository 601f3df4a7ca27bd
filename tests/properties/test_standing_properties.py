"""Whatever is said, proposed, accepted, rejected, superseded, merged, forgotten, taken back and purged, in any order:
no channel tells what was settled, tells what was accepted as unconfirmed, or tells one thing twice.

Said through the hook's own functions, done through the verbs that commands call; every channel is read after each step.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.app import build_app
from holdfast.core.errors import HoldfastError
from holdfast.core.memory import MemoryType, SaidBy, Status
from holdfast.core.relation import Resolution
from holdfast.core.search import Select
from holdfast.distil.distil_sessions import distil, filter_waiting, list_jobs
from holdfast.forget.forget_memory import forget, plan_ids, purge
from holdfast.index.entries import is_candidate
from holdfast.inject.answer import answer_event
from holdfast.inject.packs import build_goal_pack, prompt_of
from holdfast.journal.capture_event import capture_event
from holdfast.records.harvest_sessions import HarvestRequest, find_harvest_folders, harvest_sessions
from holdfast.review.accept import ResolveRequest, accept, merge, reject
from holdfast.review.batches import undo
from holdfast.review.remember import MemoryDraft, propose
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.standing import normalise_words

# What each says of the same subject: the second of a pair takes the first back.
SAID = (
    ("ruff", "black", "We use ruff, not black, for formatting."),
    ("mkdocs", "sphinx", "We use mkdocs, not sphinx, for the docs."),
    ("stamina", "tenacity", "We use stamina, not tenacity, for back-off."),
)
VERBS = ("say", "distil", "propose", "accept", "supersede", "reject", "merge", "forget", "purge", "undo", "harvest")
steps = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, len(SAID) - 1)), min_size=3, max_size=9)
LIMIT = 8000


class World:
    """A workspace, and what a person knows of it: the words they said and how they stand."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sessions = folder, 0
        init(plan_init(str(folder), named=True))

    @property
    def app(self) -> Any:
        return build_app(str(self.folder))

    def event(self, session: str, name: str, **data: Any) -> str:
        """One event through the hook: captured, and answered."""
        event = {
            "client": "claude-code", "session": session, "name": name, "key": "", "cwd": str(self.folder), "data": data,
        }  # fmt: skip
        event_id = capture_event(str(self.folder / ".holdfast"), event)
        return answer_event(str(self.folder), event, event_id, LIMIT).text

    def say(self, number: int) -> None:
        self.sessions += 1
        self.event(f"s{self.sessions}", "prompt", prompt=SAID[number][2])
        self.event(f"s{self.sessions}", "session_end", reason="exit")
        self._transcribe(f"s{self.sessions}", SAID[number][2])

    def _transcribe(self, session: str, words: str) -> None:
        """What the client itself keeps of a prompt."""
        slug = "".join(each if each.isalnum() else "-" for each in str(self.folder))
        place = Path(os.environ["HOME"], ".claude/projects", slug)
        place.mkdir(parents=True, exist_ok=True)
        line = {
            "type": "user", "uuid": f"u-{session}", "sessionId": session, "cwd": str(self.folder), "version": "2.1.0",
            "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"), "isSidechain": False,
            "message": {"role": "user", "content": words},
        }  # fmt: skip
        with (place / f"{session}.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def harvest(self, _: int) -> None:
        """Read every transcript again, from its beginning."""
        (self.folder / ".holdfast/state/harvest.json").unlink(missing_ok=True)
        app = self.app
        harvest_sessions(app, HarvestRequest(folders=find_harvest_folders(app), clients=("claude-code",), workers=1))

    def distil(self, _: int) -> None:
        app = self.app
        list(distil(app, filter_waiting(list_jobs(app))))

    def propose(self, number: int) -> None:
        propose(self.app, MemoryDraft(type=MemoryType.DECISION, text=SAID[number][2].rstrip(".")), said_by=SaidBy.USER)

    def entries(self, number: int, *statuses: Status) -> list[Any]:
        word = SAID[number][0]
        found = self.app.index.select(Select(statuses=statuses))
        return [entry for entry in found if word in f"{entry.memory.title} {entry.memory.body}".casefold()]

    def waiting(self, number: int) -> list[str]:
        return [entry.memory.id for entry in self.entries(number, Status.CANDIDATE)]

    def accept(self, number: int) -> None:
        accept(self.app, self.waiting(number)[:1])

    def supersede(self, number: int) -> None:
        accept(self.app, self.waiting(number)[:1], answer=ResolveRequest(choice=Resolution.SUPERSEDE))

    def reject(self, number: int) -> None:
        reject(self.app, self.waiting(number), "no")

    def merge(self, number: int) -> None:
        merge(self.app, self.waiting(number))

    def forget(self, number: int) -> None:
        forget(app := self.app, plan_ids(app, self._all(number)), "not any more")

    def purge(self, number: int) -> None:
        purge(app := self.app, plan_ids(app, self._all(number), purging=True), "not any more")

    def undo(self, _: int) -> None:
        undo(self.app)

    def _all(self, number: int) -> list[str]:
        return [entry.memory.id for entry in self.entries(number, *Status)]

    def channels(self) -> Iterator[tuple[str, str]]:
        """Everything that an agent could hear now."""
        self.sessions += 1
        fresh = f"fresh{self.sessions}"
        yield "start", self.event(fresh, "session_start", source="startup")
        yield "after a cut", self.event(fresh, "session_start", source="compact")
        yield "subagent", self.event(fresh, "subagent_start", agent="a", prompt="format the docs with back-off")
        for first, second, _ in SAID:
            prompt = f"shall we change {first} or {second} for it?"
            yield "prompt", self.event(f"{fresh}{first}", "prompt", prompt=prompt)
            yield "pack", prompt_of(build_goal_pack(self.app, prompt))
        page = self.folder / ".holdfast/context/MEMORY.md"
        if page.exists():
            yield "page", page.read_text()


def _check(world: World) -> None:
    holds = [n for n in range(len(SAID)) if any(map(_holds, world.entries(n, Status.ACCEPTED)))]
    waits = [n for n in range(len(SAID)) if world.entries(n, Status.CANDIDATE)]
    ended = [n for n in range(len(SAID)) if n not in holds and n not in waits and _was_settled(world, n)]
    for name, text in world.channels():
        told = normalise_words(text)
        for number in ended:
            assert f" {SAID[number][0]} not" not in told, f"{name} tells what was settled: {text}"
            assert f"use {SAID[number][0]} instead" not in told, f"{name} tells what was settled: {text}"
        for number in holds:
            lines = [line for line in text.splitlines() if f"use {SAID[number][0]}" in normalise_words(line)]
            memory = [line for line in lines if "[DEC-" in line or "[INV-" in line]
            assert len(memory) == len(set(memory)), f"{name} tells one thing twice: {text}"
            quoted = [line for line in lines if "“" in line]
            assert not quoted, f"{name} tells as unconfirmed what was accepted: {text}"


def _holds(entry: Any) -> bool:
    return not is_candidate(entry) and not entry.memory.valid_until


def _was_settled(world: World, number: int) -> bool:
    """Whether a person took it away, and nobody said it since."""
    return world.settled.get(number, -1) >= world.said.get(number, -1) if number in world.settled else False  # type: ignore[attr-defined]


@settings(
    max_examples=examples(5, few=1), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(steps)
@example([("say", 0), ("distil", 0), ("reject", 0)])
@example([("say", 0), ("distil", 0), ("accept", 0), ("forget", 0)])
@example([("say", 1), ("distil", 0), ("accept", 1), ("purge", 1)])
@example([("say", 2), ("distil", 0), ("accept", 2), ("undo", 0), ("reject", 2)])
@example([("say", 1), ("distil", 0), ("purge", 1), ("harvest", 0), ("distil", 0)])
@example([("say", 0), ("harvest", 0), ("distil", 0), ("reject", 0), ("harvest", 0), ("distil", 0)])
@example([("propose", 0), ("say", 0), ("distil", 0), ("accept", 0), ("say", 0)])
def test_every_channel_says_how_things_stand(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int]]
) -> None:
    world = World(tmp_path_factory.mktemp("world"))
    world.said, world.settled = {}, {}  # type: ignore[attr-defined]
    for at, (verb, number) in enumerate(done):
        before = {n: world._all(n) for n in range(len(SAID))}
        act: Callable[[int], None] = getattr(world, verb)
        try:
            act(number)
        except HoldfastError:
            continue
        if verb in {"say", "propose", "undo"}:
            for each in [number] if verb != "undo" else range(len(SAID)):
                world.said[each] = at  # type: ignore[attr-defined]
        if verb in {"reject", "forget", "purge"} and before[number]:
            world.settled[number] = at  # type: ignore[attr-defined]
        # What is said in one second and settled in the same cannot be told apart by the clock.
        time.sleep(1.05 if verb in {"reject", "forget", "purge"} else 0)
        _check(world)
