"""Forgetting in every place that this user's Holdfast reaches: here, in bundles, in the team's database, on servers.

First a plan that says what each place has. Then the deed: what others could send back goes first, the files here next,
and bundles last, when a fresh backup can be made without the words. Then the proof, place by place.
"""

import os
from collections.abc import Iterator, Sequence

from holdfast.app import FolderMissing, open_memory
from holdfast.core.errors import HoldfastError
from holdfast.core.home import FOLDER
from holdfast.core.value import Value, replace
from holdfast.exchange.bundles.bundle_log import list_logged_bundles_of
from holdfast.exchange.bundles.export_import import BundleKeys
from holdfast.exchange.bundles.sandboxes import Conductor
from holdfast.exchange.database_removal import (
    DatabaseMatches,
    PurgeTarget,
    PurgeWords,
    find_lost_states,
    purge_databases,
    search_databases,
    uses_database,
)
from holdfast.exchange.removal.bundle_removal import (
    BundleMatch,
    SearchedBundle,
    conductor_of,
    describe_given_up,
    find_conductors,
    find_remaining,
    mark_bundles,
    remove_bundles,
    search_bundles,
    write_fresh_backups,
)
from holdfast.exchange.removal.server_removal import ServerPurge, preview_at_servers, purge_at_servers, servers_of
from holdfast.forget.forget_memory import ForgetPlan, PurgeProof, forget, plan_ids, plan_query, prove, purge
from holdfast.forget.removal_query import ForgetQuery, build_subject_query, build_text_query
from holdfast.workspace import App, NoWorkspace, need_person

__all__ = [
    "BundleMatch",
    "DeletedWorkspace",
    "ForgetEverywherePlan",
    "ForgetEverywhereResult",
    "ForgetRequest",
    "PurgeTarget",
    "SearchedBundle",
    "UnreachedPlace",
    "WorkspaceForgetPlan",
    "forget_everywhere",
    "list_unasked",
    "plan_everywhere",
]

OWN = "your own memory"
KEEPERS = "the database's own log (WAL), replicas and dumps are its keeper's, and hold it until they are replaced"
LOST = "where it is a database's, add --database URL --team NAME"
NO_KEYS = BundleKeys()


class ForgetRequest(Value):
    """What a person asked for: by ids, a text or a subject; and how far it reaches."""

    ids: tuple[str, ...] = ()
    text: str = ""
    subject: str = ""
    because: str = ""
    purging: bool = False
    everywhere: bool = False
    keep_bundles: bool = False
    tell_servers: bool = False
    database: PurgeTarget = PurgeTarget()
    keys: BundleKeys = NO_KEYS


class WorkspaceForgetPlan(Value):
    """A workspace, or the user's own memory, and what would go there. `beside`: files that hold it all the same."""

    app: App
    name: str
    plan: ForgetPlan
    beside: tuple[str, ...] = ()


class UnreachedPlace(Value):
    """A place that could not be looked at, and why."""

    place: str
    why: str


class DeletedWorkspace(Value):
    """A workspace whose folder was deleted: nothing of it can be searched, and nothing of it is known elsewhere."""

    id: str
    path: str


class ForgetEverywherePlan(Value):
    """What would go, place by place. `lost`: what was once synced with, and is not known where it lies."""

    asked: ForgetRequest
    query: ForgetQuery
    here: tuple[WorkspaceForgetPlan, ...]
    bundles: tuple[tuple[App, SearchedBundle], ...] = ()
    database: DatabaseMatches | None = None
    servers: tuple[ServerPurge, ...] = ()
    missed: tuple[UnreachedPlace, ...] = ()
    lost: tuple[str, ...] = ()
    vanished: tuple[DeletedWorkspace, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is found anywhere."""
        return (
            all(each.plan.empty and not each.beside for each in self.here)
            and not self.holding
            and not any(bundle.leaves for _, bundle in self.bundles)
            and (self.database is None or self.database.empty)
            and all(each.empty for each in self.servers)
        )

    @property
    def unlooked(self) -> tuple[UnreachedPlace, ...]:
        """The places that could not be looked at."""
        return (*self.missed, *_list_closed(self.bundles), *_list_unheard(self.servers))

    @property
    def holding(self) -> tuple[SearchedBundle, ...]:
        """The bundles that hold it."""
        return tuple(bundle for _, bundle in self.bundles if bundle.stands is BundleMatch.HOLDS)

    @property
    def given_up(self) -> tuple[str, ...]:
        """What is said of stores that are gone for good."""
        return tuple(describe_given_up(bundle.made for _, bundle in self.bundles))


class ForgetEverywhereResult(Value):
    """What was done, and what was searched afterwards. `missed`: what could not be reached now."""

    whole: ForgetEverywherePlan
    proofs: tuple[tuple[str, PurgeProof], ...] = ()
    rewritten: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    parts: tuple[tuple[str, int], ...] = ()
    kept: tuple[SearchedBundle, ...] = ()
    looked: int = 0
    database: DatabaseMatches | None = None
    servers: tuple[ServerPurge, ...] = ()
    missed: tuple[UnreachedPlace, ...] = ()

    @property
    def found(self) -> tuple[str, ...]:
        """Where it was still found."""
        here = [
            path if len(self.proofs) == 1 else f"{name}: {path}" for name, each in self.proofs for path in each.found
        ]
        rows = [f"database: {table}" for table in self.database.found] if self.database else []
        there = [f"server {each.name}: {path}" for each in self.servers for path in each.counts.get("found", ())]
        asked = self.whole.asked.keep_bundles
        bundles = [each.place for each in self.kept if (each.stands is BundleMatch.HOLDS or each.leaves) and not asked]
        return (*here, *rows, *there, *bundles)

    @property
    def unreachable(self) -> tuple[str, ...]:
        """What nobody can reach from here."""
        here = [reason for _, proof in self.proofs for reason in proof.unreachable]
        there = [f"{each.name}: {reason}" for each in self.servers for reason in each.counts.get("unreachable", ())]
        people = self.database.people if self.database else ()
        listed = [f"{name!r} is still in the database's list of people: its keeper removes it" for name in people]
        keepers = [KEEPERS] if self.database and self.database.name else []
        untold = [f"server {each.name}: {each.not_asked}" for each in self.servers if each.not_asked]
        lost = [f"{each!r} was once synced with, and where it lies is not known: {LOST}" for each in self.whole.lost]
        return (*dict.fromkeys((*here, *there)), *untold, *listed, *self.whole.given_up, *lost, *keepers)


def plan_everywhere(app: App, asked: ForgetRequest) -> ForgetEverywherePlan:
    """What would go, in every place that is reached. Looks, and changes nothing."""
    need_person(app, f"forget {_describe_request(asked)}")
    vanished = tuple(_find_deleted(app)) if asked.everywhere and not asked.ids else ()
    sought, here, missed = _plan_workspaces(app, asked, vanished)
    whole = ForgetEverywherePlan(asked=asked, query=sought, here=here, missed=missed, vanished=vanished)
    if not asked.purging:
        return whole
    here = tuple(replace(each, beside=prove(each.app, each.plan).found) for each in here)
    whole = replace(whole, here=here)
    bundles = [(each.app, bundle) for each in here for bundle in search_bundles(each.app, sought, asked.keys)]
    servers = [at for each in here for at in preview_at_servers(each.app, each.plan, everybody=asked.tell_servers)]
    return _add_database(replace(whole, bundles=tuple(bundles), servers=tuple(servers)), app)


def forget_everywhere(whole: ForgetEverywherePlan, app: App) -> ForgetEverywhereResult:
    """Do it, and prove it. Cut short, the same again does the rest."""
    asked = whole.asked
    for gone in whole.vanished:
        app.registry.drop(gone.id)
    if not asked.purging:
        for each in whole.here:
            forget(each.app, _plan_again(each.app, whole), asked.because)
        return ForgetEverywhereResult(whole=whole)
    pulled, closed, missed = _pull_conductors(whole)
    database, trouble = _purge_database(whole, app)
    servers = [
        at
        for each in whole.here
        for at in purge_at_servers(each.app, each.plan, asked.because, everybody=asked.tell_servers)
    ]
    proofs = [(each.name, purge(each.app, _plan_again(each.app, whole), asked.because)) for each in whole.here]
    outcome = ForgetEverywhereResult(
        whole=whole, proofs=tuple(proofs), database=database, servers=tuple(servers),
        missed=tuple(dict.fromkeys((*whole.missed, *missed, *trouble, *_list_unheard(servers)))),
    )  # fmt: skip
    return _remove_bundles(outcome, pulled, closed)


# Here


def _plan_workspaces(
    app: App, asked: ForgetRequest, vanished: Sequence[DeletedWorkspace]
) -> tuple[ForgetQuery, tuple[WorkspaceForgetPlan, ...], tuple[UnreachedPlace, ...]]:
    if asked.ids:
        plan = plan_ids(app, asked.ids, purging=asked.purging)
        return plan.query, (WorkspaceForgetPlan(app=app, name=_name(app), plan=plan),), ()
    sought = build_text_query(asked.text) if asked.text else build_subject_query(asked.subject)
    gone = {each.id for each in vanished}
    apps, missed = _open_reached(
        app, [each for each in app.registry.ids() if each not in gone] if asked.everywhere else ()
    )
    seen: set[tuple[str, str]] = set()
    here = []
    for each in apps:
        plan = plan_query(each, sought)
        # Several workspaces see the user's own memory, and a team's.
        entries = {(entry.memory.id, each.root_of(entry.scope)): entry for entry in plan.entries}
        new = tuple(entry for key, entry in entries.items() if key not in seen)
        seen |= entries.keys()
        here.append(WorkspaceForgetPlan(app=each, name=_name(each), plan=replace(plan, entries=new)))
    return sought, tuple(here), missed


def _open_reached(app: App, names: Sequence[str]) -> tuple[list[App], tuple[UnreachedPlace, ...]]:
    """The workspace, the user's own memory, and the workspaces of these names."""
    found, missed = {app.workspace: app}, []
    for name in names:
        row = None
        try:
            row = app.registry.get(name)
            if row is not None and row.path not in found:
                found[row.path] = open_memory(row.path, app.flags)
        except (FolderMissing, NoWorkspace):
            book = os.path.join(app.home, "workspaces", f"{name}.json")
            left = ", ".join(f"remove {each.place!r}" for each in _find_bundles_of(app, name)) or f"remove {book!r}"
            why = f"its folder {(row.path if row else '')!r} is not there: put it back, or {left}"
            missed.append(UnreachedPlace(place=f"workspace {name}", why=why))
        except HoldfastError as error:
            missed.append(UnreachedPlace(place=f"workspace {name}", why=f"{error} {error.hint}"))
    if "" not in found:
        found[""] = app.open_other("")
    for each in found.values():
        each.progress = app.progress
    return list(found.values()), tuple(missed)


def _find_deleted(app: App) -> Iterator[DeletedWorkspace]:
    """The workspaces that were deleted, and of which no bundle is left."""
    for name in app.registry.ids():
        try:
            row = app.registry.get(name)
        except HoldfastError:
            continue
        if row is not None and _is_deleted(row.path) and not _find_bundles_of(app, name):
            yield DeletedWorkspace(id=name, path=row.path)


def _is_deleted(folder: str) -> bool:
    """Whether a workspace is no more where it was. An empty folder may be a disk that is not there now."""
    if os.path.lexists(os.path.join(folder, FOLDER)):
        return False
    around = folder if os.path.isdir(folder) else os.path.dirname(folder)
    try:
        return bool(os.listdir(around))
    except OSError:
        return False


def _find_bundles_of(app: App, workspace_id: str) -> list[SearchedBundle]:
    """The bundles of a workspace that still lie somewhere, or whose store does not answer."""
    made = [each for each in list_logged_bundles_of(app, workspace_id) if not each.gone]
    return find_remaining([SearchedBundle(made=each, stands=BundleMatch.HOLDS) for each in made])


def _plan_again(app: App, whole: ForgetEverywherePlan) -> ForgetPlan:
    """The plan, made again: another place may have taken some of it, and a conductor brought some more."""
    if whole.asked.ids and len(whole.here) == 1:
        return whole.here[0].plan
    app.refresh()
    return plan_query(app, whole.query)


def _name(app: App) -> str:
    return app.workspace or OWN


# Elsewhere


def _add_database(whole: ForgetEverywherePlan, app: App) -> ForgetEverywherePlan:
    meant = replace(whole.asked.database, everywhere=whole.asked.everywhere)
    others = [f"{each.url}/{each.workspace}" for each in servers_of(app)]
    whole = replace(whole, lost=tuple(find_lost_states(app, meant, others)))
    if not uses_database(app, meant):
        return whole
    found = search_databases(app, _build_purge_words(whole.query), meant)
    return replace(whole, database=found, missed=(*whole.missed, *list_unasked(found)))


def _purge_database(whole: ForgetEverywherePlan, app: App) -> tuple[DatabaseMatches | None, tuple[UnreachedPlace, ...]]:
    if whole.database is None:
        return None, ()
    meant = replace(whole.asked.database, everywhere=whole.asked.everywhere)
    left = purge_databases(app, _build_purge_words(whole.query), meant, whole.asked.because)
    return left, list_unasked(left)


def list_unasked(found: DatabaseMatches) -> tuple[UnreachedPlace, ...]:
    """The databases that could not be asked."""
    return tuple(UnreachedPlace(place=f"database {url}", why=why) for url, why in found.failed)


def _build_purge_words(sought: ForgetQuery) -> PurgeWords:
    return PurgeWords(
        holds=sought.holds, named=sought.named, ids=frozenset(sought.ids), events=frozenset(sought.events),
        person=bool(sought.subject), spoken=sought.by_words,
    )  # fmt: skip


def _list_closed(bundles: Sequence[tuple[App, SearchedBundle]]) -> tuple[UnreachedPlace, ...]:
    shut = {BundleMatch.AWAY, BundleMatch.CLOSED}
    return tuple(UnreachedPlace(place=bundle.place, why=bundle.why) for _, bundle in bundles if bundle.stands in shut)


def _list_unheard(servers: Sequence[ServerPurge]) -> tuple[UnreachedPlace, ...]:
    return tuple(UnreachedPlace(place=f"server {each.name}", why=each.failed) for each in servers if each.failed)


# Bundles


def _pull_conductors(
    whole: ForgetEverywherePlan,
) -> tuple[list[Conductor], list[Conductor], tuple[UnreachedPlace, ...]]:
    """A conductor's memory lies in its store alone: brought in here first, it is purged with the rest.

    Those that were brought in, and those that could not be.
    """
    pulled, closed, missed = list[Conductor](), list[Conductor](), list[UnreachedPlace]()
    for each in whole.here:
        mine = [bundle for app, bundle in whole.bundles if app is each.app]
        for conductor in [] if whole.asked.keep_bundles else find_conductors(each.app, mine):
            try:
                conductor.pull()
                pulled.append(conductor)
            except HoldfastError as error:
                closed.append(conductor)
                missed.append(UnreachedPlace(place=conductor.place, why=f"{error} {error.hint}"))
    return pulled, closed, tuple(missed)


def _remove_bundles(
    outcome: ForgetEverywhereResult, pulled: Sequence[Conductor], closed: Sequence[Conductor]
) -> ForgetEverywhereResult:
    whole = outcome.whole
    renewed: list[str] = []
    removed: list[str] = []
    parts: list[tuple[str, int]] = []
    missed = list(outcome.missed)
    for each in whole.here:
        holding = [b for app, b in whole.bundles if app is each.app and b.stands is BundleMatch.HOLDS]
        if whole.asked.keep_bundles:
            continue
        cut = [b for app, b in whole.bundles if app is each.app and (b.leaves or b.is_begun)]
        if not holding and not cut:
            continue
        try:
            for conductor in pulled:
                conductor.push()
            renewed += write_fresh_backups(each.app, holding)
            going = [b for b in holding if _may_go(b, closed)]
            mark_bundles(each.app, going)
            taken = remove_bundles(each.app, [*going, *cut])
            removed += taken.went
            parts += taken.parts
            missed += _list_closed([(each.app, b) for b in taken.left])
        except HoldfastError as error:
            missed.append(UnreachedPlace(place="bundles", why=f"{error} {error.hint}"))
    after = [(app, b) for app in dict.fromkeys(app for app, _ in whole.bundles)
             for b in search_bundles(app, whole.query, whole.asked.keys)]  # fmt: skip
    missed += _list_closed(after)
    stays = {BundleMatch.HOLDS, BundleMatch.MISSING, BundleMatch.UNSENT, BundleMatch.GIVEN_UP}
    kept = [b for _, b in after if b.stands in stays or b.leaves]
    looked = [b for _, b in after if b.stands in {BundleMatch.HOLDS, BundleMatch.CLEAN}]
    return replace(
        outcome, rewritten=tuple(renewed), removed=tuple(removed), parts=tuple(parts), kept=tuple(kept),
        looked=len(looked),
        missed=tuple(dict.fromkeys(missed)),
    )  # fmt: skip


def _may_go(bundle: SearchedBundle, closed: Sequence[Conductor]) -> bool:
    """Bundles of a conductor that could not be brought in are all that there is of it, and stay."""
    name = conductor_of(bundle.made)
    return not name or not any(each.is_at(bundle.made.store, name) for each in closed)


def _describe_request(asked: ForgetRequest) -> str:
    if asked.text:
        return f"--text {asked.text!r}"
    return f"--subject {asked.subject!r}" if asked.subject else " ".join(asked.ids)
