"""The embedders of an app, and the vectors of its index brought up to date with them."""

import time
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from holdfast.core.embedder import Embedder, Missing, StaticEmbedder
from holdfast.core.home import read_environment
from holdfast.core.value import Value
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.index_store import RankedIndex
    from holdfast.core.passage_store import Vector

STATIC = "static"
AT_ONCE = 256
SCALE = 127


class OpenedEmbedders(Value):
    """What finds by meaning here: a table of token vectors, a model that reads whole texts, both, or neither."""

    static: StaticEmbedder | None = None
    encoder: Embedder | None = None
    # What is missing, in words, where nobody asked for more than the default: an install for words alone.
    missing: str = ""


def explain_no_embedder(value: str) -> Missing | None:
    """Why a value of `embedder` names none, by its form alone: what it runs on may be installed later."""
    from importlib.metadata import entry_points

    from holdfast.embed.embedder_request import ProviderRequest
    from holdfast.embed.open_embedder import KINDS, misspelt_embedder
    from holdfast.embed.plugins import GROUP, unknown_embedder

    kind, _, rest = value.strip().partition(":")
    asked = ProviderRequest(kind=kind, rest=rest, settings={}, home="", environment={})
    if kind in KINDS:
        return misspelt_embedder(asked, KINDS[kind]) if bool(rest) != bool(KINDS[kind].takes) else None
    return None if kind in {"none", ""} or entry_points(group=GROUP, name=kind) else unknown_embedder(asked)


def open_embedders(app: App) -> OpenedEmbedders:
    """The embedders that the settings name, opened once; what is missing is a notice, never an error."""
    held = app.__dict__.get("models")
    if not isinstance(held, OpenedEmbedders):
        held = app.__dict__["models"] = _open_from_settings(app)
    return held


def _open_from_settings(app: App) -> OpenedEmbedders:
    from holdfast.embed.open_embedder import open_embedder

    own = str(app.settings["embedder"]) != STATIC
    found = open_embedder(app.settings, app.home, read_environment()) if own else _load_static()
    if isinstance(found, Missing):
        why = f"Search goes by words alone: {found.reason}. {found.hint}".rstrip() if found.wanted else ""
        if own and why:
            app.notices.append(why)
        return OpenedEmbedders(missing=why)
    table = _load_static() if own else found
    encoder = None if found is table else found
    return OpenedEmbedders(static=table if isinstance(table, StaticEmbedder) else None, encoder=encoder)


@cache
def _load_static() -> StaticEmbedder | Missing:
    """The table, read once in a process: a server opens an app for every request."""
    from holdfast.embed.open_embedder import open_static

    return open_static()


def refresh_vectors(
    app: App, stores: "Sequence[RankedIndex]", place: str, found: OpenedEmbedders, seconds: float
) -> int:
    """Give passages without a vector theirs, for some seconds over all indexes; how many are left without."""
    until = time.monotonic() + seconds
    return sum(_embed(app, stores, place, each, until) for each in (found.static, found.encoder) if each is not None)


def _embed(app: App, stores: "Sequence[RankedIndex]", place: str, embedder: Embedder, until: float) -> int:
    waiting = [max(0, store.count_without_vector(place, embedder.name)) for store in stores]
    total = left = sum(waiting)
    for store, here in zip(stores, waiting, strict=True):
        end = left - here
        # However slow an embedder is, one batch is made: so every call comes further.
        while left > end and (time.monotonic() < until or left == total):
            some = store.without_vector(place, embedder.name, AT_ONCE)
            if not some:
                break
            store.put_vectors(place, embedder.name, _vectors(embedder, some))
            left -= len(some)
            if app.progress is not None:
                app.progress("vectors", total - left, total)
    return max(0, left)


def _vectors(embedder: Embedder, some: Sequence[tuple[int, str]]) -> "list[Vector]":
    import numpy as np

    from holdfast.core.passage_store import Vector

    texts = [text for _, text in some]
    quantised = np.clip(np.rint(embedder.embed(texts) * SCALE), -SCALE, SCALE).astype(np.int8)
    tokens = embedder.tokens(texts) if isinstance(embedder, StaticEmbedder) else [[] for _ in texts]
    return [
        Vector(row=row, data=data.tobytes(), tokens=tuple(ids))
        for (row, _), data, ids in zip(some, quantised, tokens, strict=True)
    ]
