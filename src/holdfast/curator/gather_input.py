"""What the curator goes by: the memories, what is known about them, and which of them are worth comparing."""

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from holdfast.check.run_check import list_all_paths
from holdfast.conflicts.read_memory import MemoryReading, read_memory, texts_for_nearness
from holdfast.conflicts.relate import relate_readings
from holdfast.core.memory import Entry, Memory, Scope
from holdfast.core.path_scope import applies_to
from holdfast.core.relation import Kind, Relation
from holdfast.core.value import Value
from holdfast.curator.curator_input import CodeDrift, CurationLimits, CuratorInput, SessionUseCounts
from holdfast.curator.near_pairs import distinct_pairs, nearest_by_words
from holdfast.recall.validity import holds_at, supersession_times
from holdfast.records.judge_use import CONTRADICTED, USED
from holdfast.records.memory_use import read_use
from holdfast.review.near_memories import Nearness
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.model_port import NoModel
    from holdfast.curator.model_writer import ModelWriter

# How many neighbours of each memory are compared with it: by meaning, and by rare words.
BY_MEANING, BY_WORDS = 8, 6
LEAST_COSINE = 0.3
BLOCK = 1024
COMMITS = 40
# How many versions of manifests are read, and how much of each.
LOOKS = 120
LARGEST = 2 * 1024 * 1024
LONGEST_NAME = 3
EVENTS = 5_000
_WILD = frozenset("*?[{")


def gather_input(
    app: App,
    entries: Sequence[Entry],
    candidates: Sequence[Entry],
    limits: CurationLimits,
    drift: Mapping[str, tuple[CodeDrift, ...]],
) -> CuratorInput:
    """All that the rules ask about these memories. `drift`: what of the code they cite is not as it was."""
    now = app.clock.now()
    links = app.index.links()[0]
    over = supersession_times(links)
    memories = sorted((entry.memory for entry in entries), key=age_key)
    holding = tuple(memory for memory in memories if holds_at(memory, now, over))
    ours = {memory.id for memory in holding}
    uses, sessions = _uses(app)
    standing = [entry for entry in entries if entry.memory.id in ours]
    return CuratorInput(
        now=now,
        memories=tuple(memories),
        holding=holding,
        candidates=tuple(entry.memory for entry in candidates),
        there=_list_entry_ids(app),
        newer={link.old: link.new for link in links},
        since={link.old: link.since for link in links},
        uses=uses,
        sessions=sessions,
        limits=limits,
        drift=drift,
        pathless=_find_pathless(app, standing),
        lost=_find_lost_events(app, holding),
        dropped=_find_dropped_packages(app, holding),
    )


def age_key(memory: Memory) -> tuple[str, str, str]:
    """The order of memories, oldest first."""
    return memory.valid_from, memory.updated, memory.id


def _list_entry_ids(app: App) -> frozenset[str]:
    from holdfast.core.search import Select

    return frozenset(entry.memory.id for entry in app.index.select(Select()))


def _uses(app: App) -> tuple[dict[str, SessionUseCounts], tuple[str, ...]]:
    told: dict[str, SessionUseCounts] = defaultdict(SessionUseCounts)
    began = []
    for session in read_use(app)[0]:
        began.append(session.since)
        for memory in session.memories:
            use = told[memory.id]
            used, denied = memory.verdict == USED, memory.verdict == CONTRADICTED
            told[memory.id] = SessionUseCounts(
                injected=use.injected + 1, used=use.used + used, denied=use.denied + denied,
                last=max(use.last, session.ts) if used else use.last,
            )  # fmt: skip
    return dict(told), tuple(sorted(began))


def _find_pathless(app: App, entries: Iterable[Entry]) -> frozenset[str]:
    """Memories whose globs meet no file. Where there are no files at all, nobody can tell."""
    limited = [e for e in entries if e.memory.paths and e.scope is Scope.WORKSPACE and app.workspace]
    files = sorted(list_all_paths(os.path.realpath(app.workspace))) if limited else []
    if not any(not name.startswith(".holdfast/") for name in files):
        return frozenset()
    met = _GlobMatcher(files)
    return frozenset(entry.memory.id for entry in limited if not any(map(met, entry.memory.paths)))


class _GlobMatcher:
    """Whether a glob meets a file. Each glob is asked once, and only of files below the folder that it begins with."""

    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._known: dict[str, bool] = {}

    def __call__(self, glob: str) -> bool:
        if glob not in self._known:
            begin = _literal_folder(glob)
            first = bisect_left(self._files, begin)
            self._known[glob] = any(applies_to((glob,), name) for name in self._below(first, begin))
        return self._known[glob]

    def _below(self, first: int, begin: str) -> Iterable[str]:
        for place in range(first, len(self._files)):
            if not self._files[place].startswith(begin):
                return
            yield self._files[place]


def _literal_folder(glob: str) -> str:
    """The folder that a glob begins with, as far as nothing in it is wild."""
    parts = []
    for part in glob.removeprefix("./").split("/")[:-1]:
        if not part or _WILD & set(part) or part == "." or "\\" in part:
            break
        parts.append(part)
    return "".join(f"{part}/" for part in parts)


def _find_lost_events(app: App, memories: Iterable[Memory]) -> dict[str, tuple[str, ...]]:
    """Events that evidence without a quote names, and that the journal here does not have."""
    found = {}
    asked = 0
    for memory in memories:
        if not memory.evidence or any(each.quote for each in memory.evidence) or asked > EVENTS:
            continue
        asked += len(memory.evidence)
        lost = tuple(each.event for each in memory.evidence if not app.index.events(each.event, 0, 1))
        if lost:
            found[memory.id] = lost
    return found


def _find_dropped_packages(app: App, memories: Iterable[Memory]) -> dict[str, str]:
    """Packages that a memory chooses and that the workspace's manifests named in an earlier commit, and not now."""
    from holdfast.ecosystems.package_names import plain_name

    chosen = {m.id: m.choice for m in memories if m.choice and len(m.choice.split()) <= LONGEST_NAME}
    if not chosen or not app.workspace:
        return {}
    gone = _gone_packages(app.workspace)
    return {name: choice for name, choice in chosen.items() if plain_name(choice) in gone}


def _gone_packages(workspace: str) -> frozenset[str]:
    """What manifests named in the commits that changed them last, and name no longer; none where one is unreadable."""
    from holdfast.check.workspace_packages import read_workspace_packages
    from holdfast.ecosystems.manifest_readers import is_manifest, read_manifest
    from holdfast.ecosystems.package_names import plain_name
    from holdfast.ecosystems.unreadable_text import Unreadable
    from holdfast.system.git import ask_git

    manifests = sorted(name for name in os.listdir(workspace) if is_manifest(name))
    now = read_workspace_packages(workspace)
    if not manifests or now.unread:
        # Whatever an unreadable manifest names may be there still.
        return frozenset()
    commits = (ask_git(workspace, "log", "--format=%H", f"-n{COMMITS}", "--", *manifests) or "").split()
    before: set[str] = set()
    for commit in commits[: max(1, LOOKS // len(manifests))]:
        for name in manifests:
            text = ask_git(workspace, "show", "--no-textconv", f"{commit}:./{name}") or ""
            try:
                before |= {plain_name(each.name) for each in read_manifest(name, text[:LARGEST]).packages}
            except Unreadable:
                continue
    return frozenset(before) - now.names


class ComparedMemories(Value):
    """The memories read, what each pair worth comparing is, and whom each was compared with."""

    reads: tuple[MemoryReading, ...]
    relations: tuple[Relation, ...]
    compared_with: Mapping[str, tuple[str, ...]]
    near: "VectorNearness"


class VectorNearness(Nearness):
    """Cosines of memories' texts, and the nearest of each, where there is an embedder."""

    def nearest(self, memories: Sequence[Memory], most: int) -> list[list[int]]:
        """For each memory, the places of those that are nearest in meaning."""
        rows = [self._vectors.get(texts_for_nearness(memory)[0]) for memory in memories]
        if not any(rows):
            return [[] for _ in memories]
        import numpy as np

        dims = len(next(filter(None, rows)))
        matrix = np.array([row or [0.0] * dims for row in rows], np.float32)
        found: list[list[int]] = []
        for start in range(0, len(rows), BLOCK):
            near = matrix[start : start + BLOCK] @ matrix.T
            near[np.arange(len(near)), np.arange(start, start + len(near))] = -1.0
            best = np.argpartition(-near, min(most, near.shape[1] - 1), axis=1)[:, :most]
            found += [
                [int(place) for place in places if near[at, place] >= LEAST_COSINE] for at, places in enumerate(best)
            ]
        return found


def compare_memories(app: App, memories: Sequence[Memory], changed: frozenset[str] | None = None) -> ComparedMemories:
    """What memories, oldest first, are to those near them; with `changed`, only pairs with one of these."""
    tell = app.progress or _ignore_progress
    near = VectorNearness(app)
    reads = []
    for done, memory in enumerate(memories, 1):
        reads.append(read_memory(memory))
        tell("reading", done, len(memories))
    for start in range(0, len(memories), BLOCK):
        near.learn(memories[start : start + BLOCK])
        tell("embedding", min(start + BLOCK, len(memories)), len(memories))
    lists = [near.nearest(memories, BY_MEANING), nearest_by_words([each.bag for each in reads], BY_WORDS)]
    worth = distinct_pairs(lists)
    if changed is not None:
        worth = [(a, b) for a, b in worth if {memories[a].id, memories[b].id} & changed]
    older: dict[int, list[int]] = defaultdict(list)
    both: dict[str, list[str]] = defaultdict(list)
    for first, second in worth:
        older[second].append(first)
        both[memories[first].id].append(memories[second].id)
        both[memories[second].id].append(memories[first].id)
    relations: list[Relation] = []
    for done, (new, others) in enumerate(older.items(), 1):
        found = relate_readings(reads[new], [reads[other] for other in others], near, now=app.clock.now())
        relations += [each for each in found if each.kind is not Kind.UNRELATED]
        tell("comparing", done, len(older))
    return ComparedMemories(
        reads=tuple(reads), relations=tuple(relations), compared_with={k: tuple(v) for k, v in both.items()}, near=near
    )


def open_writer(app: App) -> "ModelWriter | NoModel":
    """The model that puts several learnings into words, within its budget; or why there is none."""
    from holdfast.core.model_port import NoModel
    from holdfast.curator.model_writer import ModelWriter
    from holdfast.llm.app_model import open_paid_model

    found = open_paid_model(app, remember=True)
    return found if isinstance(found, NoModel) else ModelWriter(found)


def _ignore_progress(_what: str, _done: int, _total: int) -> None:
    """Nobody watches."""
