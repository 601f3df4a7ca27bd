"""Which memories an event calls for: those that are new to its context, hold now, and may reach agents."""

from _blake2 import blake2b
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.core.fence import make_inert
from holdfast.core.value import Value
from holdfast.recall.scope_cache import ScopeCache
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.memory import Entry, Memory
    from holdfast.records.injected_context import InjectedContext
    from holdfast.records.working_buffer import BufferedSession

CHARACTERS_PER_TOKEN = 4


class Injection(Value):
    """The words for an event, and the names of what they say: ids of memories, and of words of the user's.

    `memories` are those that the ids mean, as they were told.
    """

    text: str = ""
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    memories: "tuple[Memory, ...]" = ()


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
    fresh = [pair for pair in found if _is_new(asked, pair[0])]
    if not fresh:
        return Injection()
    from holdfast.recall.citations.stale_citations import describe_drift
    from holdfast.recall.pack import build_pack
    from holdfast.recall.packable import keep_first_reason
    from holdfast.trust.sync_authors import SyncAuthors

    workspace, sender = asked.app.workspace, SyncAuthors(asked.app).of
    fresh = keep_first_reason(fresh)
    kept = {id(entry) for entry in filter_injectable(asked, [entry for entry, _ in fresh])}
    reach = [pair for pair in fresh if id(pair[0]) in kept]
    pack = build_pack(
        reach, room // CHARACTERS_PER_TOKEN, stale=lambda entry: describe_drift(workspace, entry), sender=sender
    )
    while asked.overruns(pack.to_prompt()):
        room = room * 3 // 4
        pack = build_pack(
            reach, room // CHARACTERS_PER_TOKEN, stale=lambda entry: describe_drift(workspace, entry), sender=sender
        )
    ids = pack.ids()
    quotes = [name_of(quote) for entry, _ in fresh if entry.memory.id in ids for quote in _quotes(entry)]
    memories = tuple(entry.memory for entry, _ in reach if entry.memory.id in ids)
    return Injection(text=make_inert(pack.to_prompt()), ids=ids, names=(*ids, *quotes), memories=memories)


def find_workspace_wide(asked: InjectionRequest) -> "Iterator[tuple[Entry, str]]":
    """What holds in the whole workspace."""
    return _entries(asked, asked.known.answers.everywhere, "holds in the whole workspace")


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
    from holdfast.recall.relevance import find_relevant

    return list(find_relevant(words, asked.known.index, _load_waiting_ids(asked)))


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
    from holdfast.records.working_buffer import normalise_words

    return "“" + blake2b(normalise_words(quote).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _is_new(asked: InjectionRequest, entry: "Entry") -> bool:
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

    counts = packable_filter(asked.known.index, _load_waiting_ids(asked))
    place = {name: at for at, name in enumerate(wanted)}
    found = [entry for entry in asked.known.index.select(Select(ids=wanted)) if counts(entry)]
    yield from ((entry, why) for entry in sorted(found, key=lambda entry: place[entry.memory.id]))


def _load_waiting_ids(asked: InjectionRequest) -> frozenset[str]:
    """The user's candidates that may be told."""
    return asked.known.answers.user_candidates if asked.unconfirmed else frozenset()


def _quotes(entry: "Entry") -> list[str]:
    return [evidence.quote for evidence in entry.memory.evidence if evidence.quote]
