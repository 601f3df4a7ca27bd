"""Vectors: how many passages have theirs, and giving the rest theirs at once."""

import os
from typing import TYPE_CHECKING

from holdfast.core.errors import Unavailable
from holdfast.core.extras import extra_command
from holdfast.core.passage_store import MEMORY, SAID
from holdfast.core.value import Value
from holdfast.embed.app_embedders import OpenedEmbedders, describe_answering, open_embedders, refresh_vectors
from holdfast.index.open_index import sqlite_index_of
from holdfast.index.text_pages import refresh_pages
from holdfast.system.lock import try_lock
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.index.sqlite.sqlite_index import SqliteIndex

PLACES = {"memories": MEMORY, "said": SAID}
FOREVER = 1e9
NICER = 10


class NoEmbedderSet(Unavailable):
    """Nothing to make vectors with."""

    def __init__(self) -> None:
        super().__init__(
            "There is no embedder to make vectors with.",
            f"install one (`{extra_command('meaning')}`), or name one: `holdfast config embedder granite`.",
        )


class CollectionVectors(Value):
    """The vectors of a collection: by which model, how many passages have one, how many not; how many old ones went."""

    place: str
    model: str
    done: int
    left: int
    dropped: int = 0


def describe_meaning(app: App) -> str:
    """What finds by meaning here now, in words."""
    store = sqlite_index_of(app)
    return describe_answering(app, store.vectors_held(MEMORY), store.frequencies(())[1])


def count_vectors(app: App) -> list[CollectionVectors]:
    """How far every collection is embedded."""
    found = open_embedders(app)
    store = sqlite_index_of(app)
    return [_count_collection(store, name, model) for name in PLACES for model in _names(found)]


def embed_passages(app: App, *, gently: bool = False) -> list[CollectionVectors]:
    """Give every passage its vector, then drop those of models that are no longer asked. Search goes on meanwhile.

    `gently`: in the background, with half a core at most; nothing happens where another process is at it.
    """
    if not gently:
        return _embed_passages(app, gently=False)
    os.nice(NICER)
    with try_lock(os.path.join(app.folder, "state", "embed.lock")) as lock:
        return _embed_passages(app, gently=True) if lock >= 0 else []


def _embed_passages(app: App, *, gently: bool) -> list[CollectionVectors]:
    found = open_embedders(app)
    if not _names(found):
        raise NoEmbedderSet
    refresh_pages(app)
    store = sqlite_index_of(app)
    done = []
    for name, place in PLACES.items():
        left = refresh_vectors(app, [store], place, found, FOREVER, gently=gently)
        dropped = 0 if left else store.drop_models(place, _names(found))
        done += [_count_collection(store, name, model, dropped) for model in _names(found)]
    return done


def _names(found: OpenedEmbedders) -> list[str]:
    return [each.name for each in (found.static, found.encoder) if each is not None]


def _count_collection(store: "SqliteIndex", name: str, model: str, dropped: int = 0) -> CollectionVectors:
    place = PLACES[name]
    there = store.vectors_held(place).get(model, 0)
    left = store.count_without_vector(place, model)
    return CollectionVectors(place=name, model=model, done=there, left=max(0, left), dropped=dropped)
