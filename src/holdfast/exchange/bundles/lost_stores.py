"""A store that is gone for good: nothing waits for it any more, and no purge stops at it.

What lies there is not forgotten about: every later purge says that it was not proven removed.
"""

import os

from holdfast.config.team_databases import strip_password
from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.value import Value, replace
from holdfast.exchange.bundles.bundle_log import give_up_store, list_known_stores
from holdfast.exchange.bundles.bundle_outbox import drop_for_store, list_awaited_stores
from holdfast.exchange.open_store import is_address, open_store
from holdfast.workspace import App, need_person

__all__ = ["LostStore", "drop_lost_store", "plan_lost_store"]

# A name that no store has: whether one answers is all that is asked.
NOTHING = "holdfast-is-anything-there"


class StoreNeverUsed(NotFound):
    """A store that nothing went to, and nothing waits for."""

    def __init__(self, url: str, known: frozenset[str]) -> None:
        listed = ", ".join(sorted(known)) or "none"
        super().__init__(f"No bundle went to {url!r}, and none waits for it.", f"stores that are known: {listed}.")


class StoreStillSet(BadRequest):
    """The store that backups go to now."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url!r} is the store that backups go to.",
            'name another one first: holdfast config backup.store URL (or "").',
        )


class LostStore(Value):
    """A store. `problem`: why it does not answer; where it does, nothing in it is given up.

    `bundles`: how many it had; `waiting`: what was to go there.
    """

    store: str
    problem: str
    bundles: int = 0
    waiting: tuple[str, ...] = ()


def plan_lost_store(app: App, url: str) -> LostStore:
    """Look whether a store is one that is known, and whether it answers. Changes nothing."""
    need_person(app, "backup forget-store")
    known = list_known_stores(app) | list_awaited_stores(app)
    store = _plain_address(url)
    if store not in known:
        raise StoreNeverUsed(store, known)
    trouble = _find_trouble(store)
    if trouble and _plain_address(str(app.settings["backup.store"])) == store:
        raise StoreStillSet(store)
    return LostStore(store=store, problem=trouble)


def drop_lost_store(app: App, plan: LostStore) -> LostStore:
    """Drop what waits for it, and where it does not answer, what lies there."""
    waiting = drop_for_store(app, plan.store)
    return replace(plan, bundles=give_up_store(app, plan.store) if plan.problem else 0, waiting=tuple(waiting))


def _plain_address(url: str) -> str:
    """An address as it stands in the list of bundles."""
    bare = url.removeprefix("file://")
    if is_address(bare) or not bare:
        return strip_password(url).rstrip("/")
    return os.path.abspath(os.path.expanduser(bare))


def _find_trouble(url: str) -> str:
    try:
        open_store(url).list(f"{NOTHING}/")
    except HoldfastError as error:
        return str(error)
    return ""
