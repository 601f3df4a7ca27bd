"""The graph of an app's index: what stands beside a memory, an event or a name, as far as whoever asks may see it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.core.memory import Entry
from holdfast.core.passage_store import MEMORY, SAID
from holdfast.core.search import Select, SpokenHit, Supersession
from holdfast.core.triple import Fact
from holdfast.index.open_index import index_path, sqlite_index_of
from holdfast.index.sqlite.graph_rows import SqliteWeb
from holdfast.trust.visibility import filter_visible, may_show_events
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.recall.triples.app_triples import SqliteFacts

# Cosines from the mean of the collection: below, two texts share no more than their language.
NEAR_ENOUGH = 0.4
NEAREST = 20
SCOPED_MOST = 2000
STATIC = "static"

__all__ = ["MEMORY", "SAID", "AppGraph"]


class AppGraph:
    """The graph's reads. What an agent may not see is not there for it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._store = sqlite_index_of(app)
        self.index = SqliteWeb(self._store.connection, index_path(app))

    @cached_property
    def events_too(self) -> bool:
        """Whether what was said in sessions may be shown."""
        return not self._app.client or may_show_events(self._app)

    @cached_property
    def evidence(self) -> Mapping[int, Sequence[str]]:
        """The events that memories came from, by the memory's row."""
        return self.index.evidence()

    @cached_property
    def links(self) -> Sequence[Supersession]:
        """Which memory replaced which."""
        return self._store.links()[0]

    @cached_property
    def scoped(self) -> Mapping[int, Entry]:
        """The memories that hold at some paths only, by their rows; of very many, the newest."""
        found = self._seen(self._store.select(Select(scoped=True, newest=SCOPED_MOST)))
        rows = self.index.memory_rows(entry.memory.id for entry in found)
        return {row: entry for entry in found for row in rows.get(entry.memory.id, ())}

    @cached_property
    def _facts(self) -> "SqliteFacts | None":
        from holdfast.recall.triples.app_triples import open_facts

        return open_facts(self._app)

    def stating(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows of memories in which a model read something of a name, at most so many of each."""
        return self._facts.named(names, limit) if self._facts is not None else {}

    def facts(self, rows: Iterable[int]) -> Mapping[int, Sequence[Fact]]:
        """What a model read in memories, as far as they may be seen."""
        return self._facts.naming(self.entries(rows)) if self._facts is not None else {}

    def entries(self, rows: Iterable[int]) -> Mapping[int, Entry]:
        """Memories by their rows."""
        found = self._store.entries(list(dict.fromkeys(rows)))
        kept = {id(entry) for entry in self._seen(list(found.values()))}
        return {row: entry for row, entry in found.items() if id(entry) in kept}

    def spoken_hits(self, rows: Iterable[int]) -> Mapping[int, SpokenHit]:
        """What was said, by its rows."""
        wanted = list(dict.fromkeys(rows)) if self.events_too else []
        return {row: said for row in wanted for said in self._store.spoken_hits([(row, 0.0)])}

    def near(self, row: int, place: str) -> Mapping[int, float]:
        """The rows of a collection that are near a memory in meaning, where both have vectors, and how near."""
        model = next(iter(sorted(self.index.models(MEMORY), key=lambda name: (name.startswith(STATIC), name))), "")
        if not model or model not in self.index.models(place):
            return {}
        from holdfast.index.sqlite.sqlite_shelf import SqliteShelf

        own, others = SqliteShelf(self._store.connection, MEMORY), SqliteShelf(self._store.connection, place)
        vector, mean = own.vectors(model, [row]), others.mean_vector(model)
        if vector is None or mean is None or not vector.any():
            return {}
        rows = [each for each in others.by_vector(model, vector[0], NEAREST) if (place, each) != (MEMORY, row)]
        held = others.vectors(model, rows)
        if held is None or not rows:
            return {}
        from numpy.linalg import norm

        asked, found = vector[0] - mean, held - mean
        cosines = (found @ asked) / (norm(found, axis=1) * norm(asked) + 1e-9)
        scaled = {each: float(cosine) for each, cosine in zip(rows, cosines, strict=True)}
        return {each: round(cosine, 4) for each, cosine in scaled.items() if cosine >= NEAR_ENOUGH}

    def _seen(self, entries: Sequence[Entry]) -> list[Entry]:
        notices = len(self._app.notices)
        found = filter_visible(self._app, entries)
        # One note for the whole command is enough.
        held = self._app.notices[notices:]
        del self._app.notices[notices:]
        self._app.notices.extend(note for note in held if not any("held back" in told for told in self._app.notices))
        return found
