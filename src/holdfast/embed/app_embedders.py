"""The embedders of an app, and the vectors of its index brought up to date with them."""

import os
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from holdfast.core.embedder import Embedder, Missing, StaticEmbedder
from holdfast.core.home import read_environment
from holdfast.core.passage_store import MEMORY
from holdfast.core.value import Value, replace
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.index_store import RankedIndex
    from holdfast.core.passage_store import Vector

# Read by the library below numpy when it is loaded.
THREADS = "OPENBLAS_NUM_THREADS"
AUTO, STATIC, GRANITE = "auto", "static", "granite"
AT_ONCE = 256
# A batch begins with so many and doubles while one takes less than this: an encoder reads long texts for seconds.
FIRST_AT_ONCE, BATCH_SECONDS = 8, 0.2
# So many at a time where others need the machine too.
GENTLE_AT_ONCE = 16
# The share of a collection that must have an encoder's vectors before it answers in place of the static table.
READY = 0.9
# In a hook, and while somebody writes: how long new memories may be embedded on the spot, and how many at a time.
QUICK_SECONDS = 0.04
QUICK_AT_ONCE = 2
# A process that makes vectors is started no more often than this.
AGAIN_SECONDS = 60
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
    return None if kind in {"none", "", AUTO} or entry_points(group=GROUP, name=kind) else unknown_embedder(asked)


def describe_answering(app: App, held: Mapping[str, int], total: int) -> str:
    """What finds by meaning now, in words, told from the vectors that memories have: no model is loaded for it."""
    asked = str(app.settings["embedder"]).strip()
    if asked in {"none", ""}:
        return "words alone (embedder none)"
    counts = {kind: sum(n for name, n in held.items() if name.partition(":")[0] == kind) for kind in (GRANITE, STATIC)}
    if asked != AUTO:
        return asked
    if counts[GRANITE] and counts[GRANITE] >= READY * total:
        return f"granite ({counts[GRANITE]} of {total} memories read)"
    if counts[GRANITE]:
        return f"the static table, until granite has read them all ({counts[GRANITE]} of {total} so far)"
    if counts[STATIC]:
        return f"the static table ({counts[STATIC]} of {total} memories read)"
    return "nothing read yet: the first search or session does"


def open_embedders(app: App) -> OpenedEmbedders:
    """The embedders that the settings name, opened once; what is missing is a notice, never an error."""
    held = app.__dict__.get("models")
    if not isinstance(held, OpenedEmbedders):
        held = app.__dict__["models"] = _open_from_settings(app)
    return held


def _keep_to_one_thread() -> None:
    """Before numpy is loaded: its threads take longer to start, and to wait for each other, than they save here."""
    os.environ.setdefault(THREADS, "1")


def _open_from_settings(app: App) -> OpenedEmbedders:
    _keep_to_one_thread()
    from holdfast.embed.open_embedder import open_embedder

    asked = str(app.settings["embedder"]).strip()
    if asked == AUTO:
        return _open_best(app)
    own = asked != STATIC
    found = open_embedder(app.settings, app.home, read_environment()) if own else _load_static()
    if isinstance(found, Missing):
        why = f"Search goes by words alone: {found.reason}. {found.hint}".rstrip() if found.wanted else ""
        if own and why:
            app.notices.append(why)
        return OpenedEmbedders(missing=why)
    table = _load_static() if own else found
    encoder = None if found is table else found
    return OpenedEmbedders(static=table if isinstance(table, StaticEmbedder) else None, encoder=encoder)


def _open_best(app: App) -> OpenedEmbedders:
    """Granite where it is installed, and the static table beside it or instead of it."""
    table, encoder = _load_static(), _load_granite(app.home)
    if isinstance(table, Missing) and isinstance(encoder, Missing):
        return OpenedEmbedders(missing=f"Search goes by words alone: {table.reason}. {table.hint}".rstrip())
    return OpenedEmbedders(
        static=None if isinstance(table, Missing) else table, encoder=None if isinstance(encoder, Missing) else encoder
    )


@cache
def _load_granite(home: str) -> Embedder | Missing:
    from holdfast.embed.open_embedder import open_embedder

    return open_embedder({"embedder": GRANITE}, home, read_environment())


def choose_ready(app: App, stores: "Sequence[RankedIndex]", place: str, found: OpenedEmbedders) -> OpenedEmbedders:
    """Those that answer now: where nobody named one, an encoder waits until it has read most of what there is."""
    if found.encoder is None or found.static is None or str(app.settings["embedder"]).strip() != AUTO:
        return found
    left = sum(max(0, store.count_without_vector(place, found.encoder.name)) for store in stores)
    held = sum(store.frequencies(())[1] for store in stores) if place == MEMORY else 0
    ready = left <= (1 - READY) * held if held else not left
    return found if ready else replace(found, encoder=None)


def open_quick_embedders(app: App, store: "RankedIndex") -> OpenedEmbedders:
    """What a cold process has in a moment, for memories: the encoder alone once it is ready, else the static table.

    New memories get their vectors on the spot, if they are few; else a process of its own is started for them.
    """
    _keep_to_one_thread()
    asked = str(app.settings["embedder"]).strip()
    if asked in {AUTO, GRANITE} and _is_granite_prepared():
        encoder = _load_granite(app.home)
        if not isinstance(encoder, Missing):
            found = OpenedEmbedders(static=None, encoder=encoder)
            left = _embed(app, [store], MEMORY, encoder, time.monotonic() + QUICK_SECONDS, QUICK_AT_ONCE)
            if left:
                start_embedding(app)
            if left <= (1 - READY) * store.frequencies(())[1]:
                return found
    elif asked == AUTO:
        start_embedding(app)
    if asked not in {AUTO, GRANITE, STATIC}:
        return OpenedEmbedders()
    table = _load_static()
    if isinstance(table, Missing):
        return OpenedEmbedders()
    _embed(app, [store], MEMORY, table, time.monotonic() + QUICK_SECONDS, AT_ONCE)
    return OpenedEmbedders(static=table)


def _is_granite_prepared() -> bool:
    try:
        from holdfast.embed.granite import is_prepared
    except ImportError:
        return False
    return is_prepared(read_environment())


def start_embedding(app: App) -> bool:
    """Start a process that gives passages their vectors, if the user wants that; it ends by itself."""
    if not app.settings["embed.auto"] or not app.workspace:
        return False
    from holdfast.system.background import start_background

    mark = os.path.join(app.folder, "state", "embedding")
    try:
        if time.time() - os.stat(mark).st_mtime < AGAIN_SECONDS:
            return False
    except OSError:
        pass
    os.makedirs(os.path.dirname(mark), mode=0o700, exist_ok=True)
    with open(mark, "wb"):
        os.utime(mark)
    start_background(app.home, app.workspace, "doctor", "--embed", "--gently")
    return True


@cache
def _load_static() -> StaticEmbedder | Missing:
    """The table, read once in a process: a server opens an app for every request."""
    from holdfast.embed.open_embedder import open_static

    return open_static()


def refresh_vectors(
    app: App, stores: "Sequence[RankedIndex]", place: str, found: OpenedEmbedders, seconds: float, *,
    gently: bool = False,
) -> int:  # fmt: skip
    """Give passages without a vector theirs, for some seconds over all indexes; how many are left without.

    `gently`: half a core at most is used for it.
    """
    until = time.monotonic() + seconds
    models = [each for each in (found.static, found.encoder) if each is not None]
    some = GENTLE_AT_ONCE if gently else AT_ONCE
    return sum(_embed(app, stores, place, each, until, some, gently=gently) for each in models)


def refresh_few_vectors(app: App, stores: "Sequence[RankedIndex]", place: str, found: OpenedEmbedders) -> int:
    """Give the newest passages their vectors, for a moment; how many are left without."""
    until, left = time.monotonic() + QUICK_SECONDS, 0
    if found.static is not None:
        left += _embed(app, stores, place, found.static, until, AT_ONCE)
    if found.encoder is not None:
        left += _embed(app, stores, place, found.encoder, until, QUICK_AT_ONCE)
    return left


def _embed(
    app: App, stores: "Sequence[RankedIndex]", place: str, embedder: Embedder, until: float, at_once: int, *,
    gently: bool = False,
) -> int:  # fmt: skip
    waiting = [max(0, store.count_without_vector(place, embedder.name)) for store in stores]
    total = left = sum(waiting)
    for store, here in zip(stores, waiting, strict=True):
        end, next_batch = left - here, min(at_once, FIRST_AT_ONCE)
        # However slow an embedder is, one batch is made: so every call comes further.
        while left > end and (time.monotonic() < until or left == total):
            begun = time.monotonic()
            some = store.without_vector(place, embedder.name, next_batch)
            if not some:
                break
            store.put_vectors(place, embedder.name, make_vectors(embedder, some))
            left -= len(some)
            spent = time.monotonic() - begun
            next_batch = min(at_once, next_batch * 2) if spent < BATCH_SECONDS else next_batch
            if gently:
                time.sleep(spent)
            if app.progress is not None:
                app.progress("vectors", total - left, total)
    return max(0, left)


def make_vectors(embedder: Embedder, some: Sequence[tuple[int, str]]) -> "list[Vector]":
    """The vectors of some rows' texts, as an index keeps them."""
    import numpy as np

    from holdfast.core.passage_store import Vector

    texts = [text for _, text in some]
    quantised = np.clip(np.rint(embedder.embed(texts) * SCALE), -SCALE, SCALE).astype(np.int8)
    tokens = embedder.tokens(texts) if isinstance(embedder, StaticEmbedder) else [[] for _ in texts]
    return [
        Vector(row=row, data=data.tobytes(), tokens=tuple(ids))
        for (row, _), data, ids in zip(some, quantised, tokens, strict=True)
    ]
