"""A team's memory beside one's own: joined by a person, promoted to through the same gate, left without a trace."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence

from holdfast.app import need_person
from holdfast.config.teams import AT_FOLDER, AT_GIT, AT_SERVER, Membership, drop_team, keep_team, teams_of
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, NotFound
from holdfast.core.ids import random_part
from holdfast.core.memory import CANDIDATE_PREFIX, Entry, Memory, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.sync.sync_workspace import Synced, TakesMany
from holdfast.exchange.team.git_remote import Pulled, is_repository, person, to_clone, waiting
from holdfast.exchange.team.git_remote import bring_together as through_git
from holdfast.exchange.team.team_places import (
    Pending,
    bring_together,
    check_sent,
    check_token,
    database_place,
    drop_cache,
    is_at,
    is_cached,
    is_database,
    is_server,
    known_token,
    pending,
    server_place,
    shown,
    side_of,
)
from holdfast.exchange.team.team_repositories import (
    BadTeamName,
    NotATeam,
    begin_in,
    check_name,
    check_team,
    cloned,
    name_in,
    name_of,
)
from holdfast.forget.tombstones import lift
from holdfast.index.entries import entry_with, is_candidate
from holdfast.journal.change_log import note_change
from holdfast.recall.pack import AUTHOR
from holdfast.render.refresh import in_step
from holdfast.review.batches import batch
from holdfast.review.conflict_pairs import Pair, contradictions, forget_pairs
from holdfast.review.remember import note
from holdfast.vault.entry_json import now
from holdfast.vault.promotion import PROMOTE_TO, PROMOTED_FROM
from holdfast.workspace import App

__all__ = [
    "AlreadyInTeam",
    "BadTeamName",
    "Joined",
    "Left",
    "NoTeam",
    "NotATeam",
    "Pending",
    "Pulled",
    "Synced",
    "TakesMany",
    "TeamState",
    "init",
    "is_server",
    "join",
    "known_token",
    "leave",
    "look_anew",
    "promote",
    "shown",
    "status",
    "sync",
]

ABOVE = {Scope.USER: Scope.WORKSPACE, Scope.WORKSPACE: Scope.TEAM}
SHORT_ID = 6
OWN_PLACE = "team"
NO_NAME = (
    "nobody knows your name here, so what you add for the team is signed by nobody, and so is what another without a "
    "name adds: holdfast team name NAME, or git config user.name NAME."
)


class NoTeam(NotFound):
    """No team here."""

    def __init__(self) -> None:
        super().__init__(
            "This workspace belongs to no team.", "`holdfast team init NAME` begins one, `holdfast team join` joins."
        )


class AlreadyInTeam(Conflict):
    """One team at a time."""

    def __init__(self, team: Membership) -> None:
        again = f"; with another token: `holdfast team join {team.source} --token-file FILE`"
        super().__init__(
            f"This workspace belongs to the team {team.name!r}.",
            f"`holdfast team leave` first{again if team.kind == AT_SERVER else ''}.",
        )


class ServersOwnTeam(BadRequest):
    """A server's team begins with the server."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"A team begins at a server with `holdfast serve --database … --team NAME`, not at {url!r}.",
            f"then: holdfast team join {url}",
        )


class NowhereToPromote(BadRequest):
    """A memory that cannot go higher."""

    def __init__(self, memory_id: str, why: str) -> None:
        super().__init__(f"{memory_id!r} is not promoted: {why}.")


class Joined(Value):
    """A team that was joined: what it holds, by type, and what of it contradicts memory here."""

    team: Membership
    counts: Mapping[str, int]
    conflicts: tuple[Pair, ...]


class Left(Value):
    """A team that was left, and whether what was kept of it here is gone too."""

    team: Membership
    removed: bool


class TeamState(Value):
    """How it stands with the team. `unsent`: commits and files that others do not have yet.

    `pending`: what a sync would do, where the team's memory is a database's or a server's. `person`: who you are there;
    `unsigned`: memories that are nobody's.
    """

    team: Membership
    counts: Mapping[str, int]
    authors: Mapping[str, int]
    person: str
    unsigned: tuple[str, ...]
    promotions: tuple[str, ...]
    conflicts: tuple[Pair, ...]
    unsent: tuple[int, int]
    pending: Pending | None = None


def init(app: App, name: str, source: str = "", who: str = "") -> Joined:
    """Begin a team: a folder in the workspace or elsewhere, a git repository to share, or a database."""
    _may_join(app, f"team init {name}")
    check_name(name)
    if is_server(source):
        raise ServersOwnTeam(source)
    if is_database(source):
        return _taken_part(app, database_place(app, source, name, who, new=True), who)
    if source and to_clone(source):
        with cloned(app, source) as found:
            begin_in(found.root, name, source)
            through_git(found.root, f"Begin the team {name}", who or person(app.workspace))
        return _joined(app, replace(found, name=name), who)
    root = os.path.abspath(source) if source else os.path.join(app.folder, OWN_PLACE)
    begin_in(root, name, source)
    return _joined(app, _in_folder(app, root, name, source), who)


def join(app: App, source: str = "", name: str = "", who: str = "", *, token: str = "", workspace: str = "") -> Joined:
    """Join a team: its memory lies in the workspace, a folder, a repository to clone, a database, or at a server."""
    if _is_same_server(app, source) and token:
        return _with_token(app, token)
    _may_join(app, "team join")
    if name and not is_database(source) and not is_server(source):
        check_name(name)
    if is_database(source):
        return _taken_part(app, database_place(app, source, name, who, new=False), who)
    if is_server(source):
        return _taken_part(app, server_place(app, source, token or known_token(app, source), name, workspace), who)
    if source and to_clone(source):
        with cloned(app, source) as found:
            check_team(found.root, source)
        return _joined(app, replace(found, name=name or found.name), who)
    root = os.path.abspath(source) if source else os.path.join(app.folder, OWN_PLACE)
    check_team(root, source or root)
    return _joined(app, _in_folder(app, root, name or name_in(root) or name_of(root), source), who)


def leave(app: App, *, drop_unsent: bool = False) -> Left:
    """Leave: the team's memory is in no pack and no index any more.

    A folder and a repository stay where they are; what was kept here of a database or a server goes.
    """
    need_person(app, "team leave")
    found = _team(app)
    if is_cached(found) and not drop_unsent:
        check_sent(app, found)
    drop_team(app.home, app.workspace_id)
    lift(app, side_of(found))
    note_change(app, "team", found.name, before="joined", after="left")
    removed = is_cached(found) and drop_cache(app, found)
    look_anew(app)
    return Left(team=found, removed=removed)


def status(app: App) -> TeamState:
    """How it stands with the team."""
    found = _team(app)
    theirs = _entries(app)
    waiting_here = app.index.select(Select(statuses=(Status.CANDIDATE,)))
    promotions = tuple(entry.memory.id for entry in waiting_here if entry.memory.extra.get(PROMOTE_TO) == Scope.TEAM)
    return TeamState(
        team=found,
        counts=Counter(str(entry.memory.type) for entry in theirs),
        authors=Counter(_author(entry) or "unknown" for entry in theirs),
        person=found.person or person(app.workspace),
        unsigned=tuple(entry.memory.id for entry in theirs if not _author(entry)),
        promotions=promotions,
        conflicts=_conflicts(app),
        unsent=waiting(found.root) if found.kind == AT_GIT else (0, 0),
        pending=pending(app, found) if is_cached(found) else None,
    )


def promote(app: App, ids: Sequence[str]) -> list[Entry]:
    """Propose memories one step higher: your own to the project, the project's to the team. Each is a candidate."""
    need_person(app, f"team promote {' '.join(ids)}")
    if app.team:
        _notice_no_name(app, app.team)
    found = [entry_with(app, wanted) for wanted in ids]
    for entry in found:
        _check_promotable(app, entry)
    with batch(app, "promote") as made:
        return [_proposed(app, made.add(_promotion(app, entry))) for entry in found]


def sync(app: App, *, yes: bool = False) -> Pulled | Synced | None:
    """Bring a team's memory together with what others have; None where there is nothing to bring.

    `yes`: what others have may take away much of what is here.
    """
    need_person(app, "team sync")
    found = _team(app)
    _notice_no_name(app, found)
    if is_cached(found):
        done = bring_together(app, found, yes=yes)
        look_anew(app)
        return done
    if found.kind != AT_GIT:
        look_anew(app)
        return None
    who = found.person or person(app.workspace)
    pulled = through_git(found.root, f"Memory of {who or 'the team'}", who)
    look_anew(app)
    return pulled


def _promotion(app: App, entry: Entry) -> Memory:
    target = ABOVE[entry.scope]
    author = _author(entry) or (app.team.person if app.team else "") or person(app.workspace)
    extra = {**entry.memory.extra, PROMOTE_TO: str(target), PROMOTED_FROM: entry.memory.id}
    extra |= {AUTHOR: author} if author else {}
    return replace(
        entry.memory, id=f"{CANDIDATE_PREFIX}-{random_part(SHORT_ID)}", status=Status.CANDIDATE, evidence=(),
        supersedes=(entry.memory.id,), extra=extra, updated=now(app),
    )  # fmt: skip


def _author(entry: Entry) -> str:
    return str(entry.memory.extra.get(AUTHOR, ""))


def _proposed(app: App, entry: Entry) -> Entry:
    note(app, "candidate.added", entry)
    return entry


def _check_promotable(app: App, entry: Entry) -> None:
    name = entry.memory.id
    if is_candidate(entry) or entry.memory.status is not Status.ACCEPTED:
        raise NowhereToPromote(name, "only memory that holds is promoted")
    target = ABOVE.get(entry.scope)
    if target is None:
        raise NowhereToPromote(name, "it is the team's already")
    if target is Scope.TEAM:
        _team(app)


def _may_join(app: App, command: str) -> None:
    need_person(app, command)
    if not app.workspace:
        raise BadRequest("Only a workspace belongs to a team.", "run it inside one.")
    if app.team:
        raise AlreadyInTeam(app.team)


def _in_folder(app: App, root: str, name: str, source: str) -> Membership:
    own = os.path.join(app.folder, OWN_PLACE)
    return Membership(
        name=name, kind=AT_GIT if is_repository(root) and root != own else AT_FOLDER, root=root, source=source
    )


def _is_same_server(app: App, source: str) -> bool:
    return bool(app.team and app.team.kind == AT_SERVER and is_server(source) and is_at(app.team, source))


def _with_token(app: App, token: str) -> Joined:
    """The same team with another token, at every workspace here that takes part: nothing that waits is lost."""
    need_person(app, "team join")
    found = _team(app)
    check_token(found, token)
    for each, known in teams_of(app.home).items():
        if known.root == found.root and known.source == found.source:
            keep_team(app.home, each, replace(known, token=token))
    note_change(app, "team", found.name, after="another token")
    look_anew(app)
    bring_together(app, _team(app))
    return _told(app, _team(app))


def _taken_part(app: App, found: Membership, who: str) -> Joined:
    """Join, and have all that the team has; who cannot have it has not joined."""
    known = _kept(app, found, who)
    try:
        bring_together(app, known)
    except HoldfastError:
        drop_team(app.home, app.workspace_id)
        drop_cache(app, known)
        look_anew(app)
        raise
    return _told(app, known)


def _joined(app: App, found: Membership, who: str) -> Joined:
    return _told(app, _kept(app, found, who))


def _kept(app: App, found: Membership, who: str) -> Membership:
    known = replace(found, person=who or found.person or person(app.workspace), joined=now(app))
    _notice_no_name(app, known)
    if not is_cached(known):
        os.makedirs(os.path.join(known.root, "memory"), exist_ok=True)
    else:
        for folder in (os.path.dirname(known.root), known.root, os.path.join(known.root, "memory")):
            os.makedirs(folder, mode=0o700, exist_ok=True)
    keep_team(app.home, app.workspace_id, known)
    look_anew(app)
    return known


def _notice_no_name(app: App, known: Membership) -> None:
    if not known.person and not person(app.workspace) and NO_NAME not in app.notices:
        app.notices.append(NO_NAME)


def _told(app: App, known: Membership) -> Joined:
    note_change(app, "team", known.name, after=f"joined, {known.kind}")
    look_anew(app)
    counts = Counter(str(entry.memory.type) for entry in _entries(app))
    return Joined(team=known, counts=counts, conflicts=_conflicts(app))


def look_anew(app: App) -> None:
    """Look anew: the vaults are others than before."""
    for name in ("team", "vaults", "index"):
        app.__dict__.pop(name, None)
    forget_pairs(app)
    in_step(app)


def _conflicts(app: App) -> tuple[Pair, ...]:
    """What of the team contradicts memory here: shown, and guessed by nobody."""
    found = contradictions(app).clashing
    return tuple(pair for pair in found if (pair.new.scope is Scope.TEAM) != (pair.old.scope is Scope.TEAM))


def _entries(app: App) -> list[Entry]:
    found = app.index.select(Select(scopes=(Scope.TEAM,), statuses=(Status.ACCEPTED,)))
    return [entry for entry in found if not is_candidate(entry)]


def _team(app: App) -> Membership:
    if app.team is None:
        raise NoTeam
    return app.team
