"""Which memories an event calls for: those that are new to its context, hold now, and may reach agents."""

import os
from _blake2 import blake2b
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from holdfast.core.fence import make_inert
from holdfast.core.value import Value
from holdfast.recall.scope_cache import ScopeCache
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.memory import Entry, Memory
    from holdfast.recall.pack import MemoryPack
    from holdfast.records.injected_context import InjectedContext
    from holdfast.records.working_buffer import BufferedSession
    from holdfast.trust.standing import Statements

CHARACTERS_PER_TOKEN = 4
# What nobody accepted is told for so many days, and no more than so many of it.
FADES_DAYS = 7
MOST_UNCONFIRMED = 4
LEAST_SURE = 0.72
# So many telling words, and so much of its own, what nobody accepted shares with a prompt before it is told.
LEAST_SHARED, LEAST_SHARE = 2, 0.4
DISTILLED = os.path.join("state", "distilled.json")
MORE = "({} more in memory: `holdfast search WORDS` finds them.)"


class Injection(Value):
    """The words for an event, and the names of what they say: ids of memories, and of words of the user's.

    `memories` are those that the ids mean, as they were told; `reasons` say by id why they were.
    """

    text: str = ""
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    memories: "tuple[Memory, ...]" = ()
    reasons: Mapping[str, str] = {}


class InjectionRequest(Value):
    """One event, with all that is looked at to answer it."""

    app: App
    event: Mapping[str, Any]
    known: ScopeCache
    sessions: "list[BufferedSession]"
    context: "InjectedContext"
    room: int
    most_bytes: int = 0

    @property
    def statements(self) -> "Statements":
        """What became of what was said: asked before any of it is told."""
        return self.known.statements

    @property
    def data(self) -> Mapping[str, Any]:
        """What the event says."""
        found: Mapping[str, Any] = self.event["data"]
        return found

    @property
    def unconfirmed(self) -> bool:
        """Whether what the user did not accept yet is told too."""
        return bool(self.app.settings["packs.unconfirmed"])

    def overruns(self, *texts: str) -> bool:
        """Whether texts are too long for a client that counts bytes."""
        return (
            bool(self.most_bytes) and sum(len(text.encode("utf-8", "replace")) + 2 for text in texts) > self.most_bytes
        )

    @property
    def session(self) -> str:
        """The session's id."""
        return str(self.event["session"])


def pack_new_entries(asked: InjectionRequest, found: "Iterable[tuple[Entry, str]]", room: int) -> Injection:
    """The entries that are new to the context and may reach agents, as a pack."""
    fresh = [pair for pair in found if is_new_to(asked, pair[0])]
    if not fresh:
        return Injection()
    from holdfast.core.memory import MemoryType
    from holdfast.recall.citations.stale_citations import describe_drift
    from holdfast.recall.pack import build_pack
    from holdfast.recall.packable import keep_first_reason
    from holdfast.trust.sync_authors import SyncAuthors

    workspace, sender = asked.app.workspace, SyncAuthors(asked.app).of
    fresh = keep_first_reason(fresh)
    kept = {id(entry) for entry in filter_injectable(asked, [entry for entry, _ in fresh])}
    reach = [pair for pair in fresh if id(pair[0]) in kept]
    # What was found for a prompt was chosen by relevance: its type does not matter any more.
    places = dict.fromkeys(MemoryType, len(reach))

    def build(room: int) -> "MemoryPack":
        tokens = room // CHARACTERS_PER_TOKEN
        return build_pack(
            reach, tokens, stale=lambda entry: describe_drift(workspace, entry), sender=sender, places=places
        )

    pack = build(room)
    while asked.overruns(pack.to_prompt()):
        room = room * 3 // 4
        pack = build(room)
    ids = pack.ids()
    quotes = [name_of(quote) for entry, _ in fresh if entry.memory.id in ids for quote in _quotes(entry)]
    memories = tuple(entry.memory for entry, _ in reach if entry.memory.id in ids)
    reasons = {entry.memory.id: why for entry, why in reach if entry.memory.id in ids}
    return Injection(
        text=make_inert(pack.to_prompt()), ids=ids, names=(*ids, *quotes), memories=memories, reasons=reasons
    )


def pack_important(asked: InjectionRequest, found: "Iterable[tuple[Entry, str]]", room: int) -> Injection:
    """Entries by importance, as many as there is room for, with a word on how many more there are."""
    from holdfast.recall.citations.stale_citations import describe_drift
    from holdfast.recall.pack import build_digest
    from holdfast.recall.packable import keep_first_reason
    from holdfast.trust.sync_authors import SyncAuthors

    fresh = keep_first_reason(pair for pair in found if is_new_to(asked, pair[0]))
    kept = {id(entry) for entry in filter_injectable(asked, [entry for entry, _ in fresh])}
    reach = [pair for pair in fresh if id(pair[0]) in kept]
    if not reach:
        return Injection()
    workspace, sender = asked.app.workspace, SyncAuthors(asked.app).of
    drift = {id(entry): describe_drift(workspace, entry) for entry, _ in reach if entry.memory.cites}

    def digest(room: int) -> "MemoryPack":
        tokens = (room - len(MORE)) // CHARACTERS_PER_TOKEN
        return build_digest(reach, tokens, stale=lambda entry: drift.get(id(entry), ""), sender=sender)

    pack = digest(room)
    while asked.overruns(pack.to_prompt()):
        room = room * 3 // 4
        pack = digest(room)
    ids = pack.ids()
    more = asked.known.answers.accepted - len(ids)
    text = "\n\n".join(filter(None, [pack.to_prompt(), MORE.format(more) if ids and more > 0 else ""]))
    quotes = [name_of(quote) for entry, _ in fresh if entry.memory.id in ids for quote in _quotes(entry)]
    memories = tuple(entry.memory for entry, _ in reach if entry.memory.id in ids)
    reasons = {entry.memory.id: why for entry, why in reach if entry.memory.id in ids}
    return Injection(text=make_inert(text), ids=ids, names=(*ids, *quotes), memories=memories, reasons=reasons)


def find_important(asked: InjectionRequest) -> "Iterator[tuple[Entry, str]]":
    """Accepted memory, the most important first; none that holds only at paths which this session is not below."""
    cwd = str(asked.event["cwd"] or asked.app.workspace)
    below = os.path.relpath(cwd, asked.app.workspace).replace(os.sep, "/") if asked.app.workspace else "."
    for entry, why in _entries(asked, asked.known.answers.important, "important here"):
        if below.startswith(".") or not entry.memory.paths or _applies_to_paths(entry.memory.paths, (f"{below}/",)):
            yield entry, why


def find_user_candidates(asked: InjectionRequest) -> "list[tuple[Entry, str]]":
    """What the user said lately and has not accepted yet, the surest of it, newest first; it fades in days."""
    since = (asked.app.clock.now() - timedelta(days=FADES_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = list(_entries(asked, tuple(sorted(_load_waiting_ids(asked))), "said lately, and not accepted yet"))
    fresh = [pair for pair in found if (pair[0].memory.updated or since) >= since and _is_sure(pair[0])]
    fresh.sort(key=lambda pair: -(pair[0].memory.confidence or 1.0))
    return sorted(fresh[:MOST_UNCONFIRMED], key=lambda pair: pair[0].memory.updated, reverse=True)


def _is_sure(entry: "Entry") -> bool:
    return (entry.memory.confidence or 1.0) >= LEAST_SURE


def find_distilled(app: App) -> frozenset[str]:
    """The sessions that were distilled."""
    import json

    try:
        with open(os.path.join(app.folder, DISTILLED), encoding="utf-8") as file:
            rows = json.load(file)["sessions"]
        return frozenset(name for name, row in rows.items() if row.get("event"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()


def find_at_paths(asked: InjectionRequest, paths: tuple[str, ...]) -> "Iterator[tuple[Entry, str]]":
    """What holds for some paths: constraints first, then dead ends, then the rest."""
    if not paths:
        return
    named = [name for name, globs in asked.known.answers.scoped if _applies_to_paths(globs, paths)]
    order = {"invariant": 0, "failure": 1, "decision": 2}
    found = list(_entries(asked, tuple(named), "holds for this path"))
    yield from sorted(found, key=lambda pair: (pair[0].memory.status == "candidate", order.get(pair[0].memory.type, 3)))


def find_relevant_entries(asked: InjectionRequest, words: str) -> "list[tuple[Entry, str]]":
    """What shares enough with some words, above the floor."""
    if not words.strip():
        return []
    from holdfast.embed.app_embedders import open_quick_embedders
    from holdfast.recall.relevance import NO_EMBEDDERS, find_relevant, says_something

    store = asked.known.index
    paths = find_named_paths(asked, words)
    embedders = open_quick_embedders(asked.app, store) if says_something(words) else NO_EMBEDDERS
    answer = find_relevant(
        words, store, _load_waiting_ids(asked), embedders=embedders, paths=paths, marks=asked.known.marks
    )
    return _drop_far_candidates(asked, answer.pairs, words)


def _drop_far_candidates(
    asked: InjectionRequest, found: "list[tuple[Entry, str]]", words: str
) -> "list[tuple[Entry, str]]":
    """What was found, of what nobody accepted only the nearest: it shares words with the prompt that tell something."""
    waiting = _load_waiting_ids(asked)
    if not any(entry.memory.id in waiting for entry, _ in found):
        return found
    telling = _telling_terms(asked, words)
    room = MOST_UNCONFIRMED
    kept: list[tuple[Entry, str]] = []
    for entry, why in found:
        if entry.memory.id in waiting:
            said = f"{entry.memory.title} {entry.memory.question} {entry.memory.choice}"
            if not room or not _shares_enough(telling, _telling_terms(asked, said)):
                continue
            room -= 1
        kept.append((entry, why))
    return kept


def _shares_enough(prompt: set[str], said: set[str]) -> bool:
    shared = len(prompt & said)
    return shared >= LEAST_SHARED and shared >= LEAST_SHARE * len(said)


def _telling_terms(asked: InjectionRequest, words: str) -> set[str]:
    """The terms of some words, without those of every sentence and of the project's own name."""
    from holdfast.index.terms import split_terms
    from holdfast.recall.engine.prepare_question import FUNCTION_TERMS

    words = " ".join(word for word in words.split() if "://" not in word)
    return set(split_terms(words)) - FUNCTION_TERMS - set(split_terms(os.path.basename(asked.app.workspace)))


def find_named_paths(asked: InjectionRequest, prompt: str) -> tuple[str, ...]:
    """The paths of the workspace that a prompt names."""
    from holdfast.guard.touched_paths import find_prose_paths

    return find_prose_paths(prompt, str(asked.event["cwd"] or asked.app.workspace), asked.app.workspace)


def filter_injectable(asked: InjectionRequest, entries: "list[Entry]") -> "list[Entry]":
    """Those that may reach agents: what the user wrote or allowed."""
    if not entries:
        return []
    from holdfast.trust.visibility import filter_visible_to_agents

    return filter_visible_to_agents(asked.app, entries)


def name_of(quote: str) -> str:
    """The name of some words of the user's in the list of what was told."""
    from holdfast.trust.standing import normalise_words

    return "“" + blake2b(normalise_words(quote).encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_new_to(asked: InjectionRequest, entry: "Entry") -> bool:
    """Whether a context was not told this: by its id, or, while it is unconfirmed, by the user's words it quotes."""
    if entry.memory.id in asked.context.injected:
        return False
    waits = entry.memory.id in asked.known.answers.user_candidates
    return not waits or asked.context.injected.isdisjoint(map(name_of, _quotes(entry)))


def _applies_to_paths(globs: Sequence[str], paths: Iterable[str]) -> bool:
    """Whether globs hold for one of some paths; for a folder that may be changed, also for something below it."""
    from holdfast.core.path_scope import applies_to

    return any(applies_to(globs, path) or (path.endswith("/") and _matches_below(globs, path)) for path in paths)


def _matches_below(globs: Sequence[str], folder: str) -> bool:
    return any(glob.startswith(folder) for glob in globs)


def _entries(asked: InjectionRequest, names: tuple[str, ...], why: str) -> "Iterator[tuple[Entry, str]]":
    """The entries with these ids, in this order, that hold now."""
    wanted = tuple(name for name in names if name not in asked.context.injected)
    if not wanted:
        return
    from holdfast.core.search import Select
    from holdfast.recall.packable import packable_filter

    counts = packable_filter(asked.known.index, _load_waiting_ids(asked), asked.known.marks)
    place = {name: at for at, name in enumerate(wanted)}
    found = [entry for entry in asked.known.index.select(Select(ids=wanted)) if counts(entry)]
    yield from ((entry, why) for entry in sorted(found, key=lambda entry: place[entry.memory.id]))


def _load_waiting_ids(asked: InjectionRequest) -> frozenset[str]:
    """The user's candidates that may be told."""
    return asked.known.answers.user_candidates if asked.unconfirmed else frozenset()


def _quotes(entry: "Entry") -> list[str]:
    return [evidence.quote for evidence in entry.memory.evidence if evidence.quote]
