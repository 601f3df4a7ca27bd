"""A team's memory beside one's own: joined by a person, promoted to through the same gate, left without a trace."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence

from holdfast.config.teams import AT_FOLDER, AT_GIT, AT_SERVER, Membership, drop_team, save_team, teams_of
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, NotFound
from holdfast.core.ids import random_part
from holdfast.core.memory import CANDIDATE_PREFIX, Entry, Memory, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.git_remote import TeamGitSync, count_unsent, is_repository, needs_clone, read_git_person
from holdfast.exchange.git_remote import sync_repository as through_git
from holdfast.exchange.sync.sync_workspace import SyncReport, TooManyDeletions
from holdfast.exchange.team.team_places import (
    TeamSyncPreview,
    check_sent,
    check_token,
    drop_cache,
    find_database_team,
    find_known_token,
    find_server_team,
    is_at,
    is_cached,
    is_database,
    is_server,
    membership_json,
    preview_team_sync,
    side_of,
    sync_team,
)
from holdfast.exchange.team.team_repositories import (
    BadTeamName,
    NotATeam,
    begin_team,
    check_team,
    check_team_name,
    name_from_source,
    open_clone,
    read_team_name,
)
from holdfast.forget.tombstones import lift_peer_marks
from holdfast.index.entries import find_entry, is_candidate
from holdfast.journal.change_log import note_change
from holdfast.recall.pack import AUTHOR
from holdfast.render.refresh import refresh_generated
from holdfast.review.batches import open_batch
from holdfast.review.conflict_pairs import ConflictPair, find_conflict_pairs, forget_pairs
from holdfast.review.remember import journal_entry_change
from holdfast.vault.entry_json import now
from holdfast.vault.promotion import PROMOTE_TO, PROMOTED_FROM
from holdfast.workspace import App, need_person

__all__ = [
    "AlreadyInTeam",
    "BadTeamName",
    "JoinedTeam",
    "LeaveResult",
    "NoTeam",
    "NotATeam",
    "SyncReport",
    "TeamGitSync",
    "TeamState",
    "TeamSyncPreview",
    "TooManyDeletions",
    "find_known_token",
    "init_team",
    "is_server",
    "join_team",
    "leave_team",
    "membership_json",
    "promote_memories",
    "read_team_state",
    "reload_vaults",
    "sync_team_memory",
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


class JoinedTeam(Value):
    """A team that was joined: what it holds, by type, and what of it contradicts memory here."""

    team: Membership
    counts: Mapping[str, int]
    conflicts: tuple[ConflictPair, ...]


class LeaveResult(Value):
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
    conflicts: tuple[ConflictPair, ...]
    unsent: tuple[int, int]
    pending: TeamSyncPreview | None = None


def init_team(app: App, name: str, source: str = "", who: str = "") -> JoinedTeam:
    """Begin a team: a folder in the workspace or elsewhere, a git repository to share, or a database."""
    _check_may_join(app, f"team init {name}")
    check_team_name(name)
    if is_server(source):
        raise ServersOwnTeam(source)
    if is_database(source):
        return _join_and_sync(app, find_database_team(app, source, name, who, new=True), who)
    if source and needs_clone(source):
        with open_clone(app, source) as found:
            begin_team(found.root, name, source)
            through_git(found.root, f"Begin the team {name}", who or read_git_person(app.workspace))
        return _join(app, replace(found, name=name), who)
    root = os.path.abspath(source) if source else os.path.join(app.folder, OWN_PLACE)
    begin_team(root, name, source)
    return _join(app, _build_folder_membership(app, root, name, source), who)


def join_team(
    app: App, source: str = "", name: str = "", who: str = "", *, token: str = "", workspace: str = ""
) -> JoinedTeam:
    """Join a team: its memory lies in the workspace, a folder, a repository to clone, a database, or at a server."""
    if _is_same_server(app, source) and token:
        return _replace_token(app, token)
    _check_may_join(app, "team join")
    if name and not is_database(source) and not is_server(source):
        check_team_name(name)
    if is_database(source):
        return _join_and_sync(app, find_database_team(app, source, name, who, new=False), who)
    if is_server(source):
        return _join_and_sync(
            app, find_server_team(app, source, token or find_known_token(app, source), name, workspace), who
        )
    if source and needs_clone(source):
        with open_clone(app, source) as found:
            check_team(found.root, source)
        return _join(app, replace(found, name=name or found.name), who)
    root = os.path.abspath(source) if source else os.path.join(app.folder, OWN_PLACE)
    check_team(root, source or root)
    return _join(
        app, _build_folder_membership(app, root, name or read_team_name(root) or name_from_source(root), source), who
    )


def leave_team(app: App, *, drop_unsent: bool = False) -> LeaveResult:
    """Leave: the team's memory is in no pack and no index any more.

    A folder and a repository stay where they are; what was kept here of a database or a server goes.
    """
    need_person(app, "team leave")
    found = _team(app)
    if is_cached(found) and not drop_unsent:
        check_sent(app, found)
    drop_team(app.home, app.workspace_id)
    lift_peer_marks(app, side_of(found))
    note_change(app, "team", found.name, before="joined", after="left")
    removed = is_cached(found) and drop_cache(app, found)
    reload_vaults(app)
    return LeaveResult(team=found, removed=removed)


def read_team_state(app: App) -> TeamState:
    """How it stands with the team."""
    found = _team(app)
    theirs = _entries(app)
    waiting_here = app.index.select(Select(statuses=(Status.CANDIDATE,)))
    promotions = tuple(entry.memory.id for entry in waiting_here if entry.memory.extra.get(PROMOTE_TO) == Scope.TEAM)
    return TeamState(
        team=found,
        counts=Counter(str(entry.memory.type) for entry in theirs),
        authors=Counter(_author(entry) or "unknown" for entry in theirs),
        person=found.person or read_git_person(app.workspace),
        unsigned=tuple(entry.memory.id for entry in theirs if not _author(entry)),
        promotions=promotions,
        conflicts=_find_conflicts(app),
        unsent=count_unsent(found.root) if found.kind == AT_GIT else (0, 0),
        pending=preview_team_sync(app, found) if is_cached(found) else None,
    )


def promote_memories(app: App, ids: Sequence[str]) -> list[Entry]:
    """Propose memories one step higher: your own to the project, the project's to the team. Each is a candidate."""
    need_person(app, f"team promote {' '.join(ids)}")
    if app.team:
        _notice_no_name(app, app.team)
    found = [find_entry(app, wanted) for wanted in ids]
    for entry in found:
        _check_promotable(app, entry)
    with open_batch(app, "promote") as made:
        return [_propose_entry(app, made.add(_promotion(app, entry))) for entry in found]


def sync_team_memory(app: App, *, yes: bool = False) -> TeamGitSync | SyncReport | None:
    """Bring a team's memory together with what others have; None where there is nothing to bring.

    `yes`: what others have may take away much of what is here.
    """
    need_person(app, "team sync")
    found = _team(app)
    _notice_no_name(app, found)
    if is_cached(found):
        done = sync_team(app, found, yes=yes)
        reload_vaults(app)
        return done
    if found.kind != AT_GIT:
        reload_vaults(app)
        return None
    who = found.person or read_git_person(app.workspace)
    pulled = through_git(found.root, f"Memory of {who or 'the team'}", who)
    reload_vaults(app)
    return pulled


def _promotion(app: App, entry: Entry) -> Memory:
    target = ABOVE[entry.scope]
    author = _author(entry) or (app.team.person if app.team else "") or read_git_person(app.workspace)
    extra = {**entry.memory.extra, PROMOTE_TO: str(target), PROMOTED_FROM: entry.memory.id}
    extra |= {AUTHOR: author} if author else {}
    return replace(
        entry.memory, id=f"{CANDIDATE_PREFIX}-{random_part(SHORT_ID)}", status=Status.CANDIDATE, evidence=(),
        supersedes=(entry.memory.id,), extra=extra, updated=now(app),
    )  # fmt: skip


def _author(entry: Entry) -> str:
    return str(entry.memory.extra.get(AUTHOR, ""))


def _propose_entry(app: App, entry: Entry) -> Entry:
    journal_entry_change(app, "candidate.added", entry)
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


def _check_may_join(app: App, command: str) -> None:
    need_person(app, command)
    if not app.workspace:
        raise BadRequest("Only a workspace belongs to a team.", "run it inside one.")
    if app.team:
        raise AlreadyInTeam(app.team)


def _build_folder_membership(app: App, root: str, name: str, source: str) -> Membership:
    own = os.path.join(app.folder, OWN_PLACE)
    return Membership(
        name=name, kind=AT_GIT if is_repository(root) and root != own else AT_FOLDER, root=root, source=source
    )


def _is_same_server(app: App, source: str) -> bool:
    return bool(app.team and app.team.kind == AT_SERVER and is_server(source) and is_at(app.team, source))


def _replace_token(app: App, token: str) -> JoinedTeam:
    """The same team with another token, at every workspace here that takes part: nothing that waits is lost."""
    need_person(app, "team join")
    found = _team(app)
    check_token(found, token)
    for each, known in teams_of(app.home).items():
        if known.root == found.root and known.source == found.source:
            save_team(app.home, each, replace(known, token=token))
    note_change(app, "team", found.name, after="another token")
    reload_vaults(app)
    sync_team(app, _team(app))
    return _describe_joined(app, _team(app))


def _join_and_sync(app: App, found: Membership, who: str) -> JoinedTeam:
    """Join, and have all that the team has; who cannot have it has not joined."""
    known = _save_membership(app, found, who)
    try:
        sync_team(app, known)
    except HoldfastError:
        drop_team(app.home, app.workspace_id)
        drop_cache(app, known)
        reload_vaults(app)
        raise
    return _describe_joined(app, known)


def _join(app: App, found: Membership, who: str) -> JoinedTeam:
    return _describe_joined(app, _save_membership(app, found, who))


def _save_membership(app: App, found: Membership, who: str) -> Membership:
    known = replace(found, person=who or found.person or read_git_person(app.workspace), joined=now(app))
    _notice_no_name(app, known)
    if not is_cached(known):
        os.makedirs(os.path.join(known.root, "memory"), exist_ok=True)
    else:
        for folder in (os.path.dirname(known.root), known.root, os.path.join(known.root, "memory")):
            os.makedirs(folder, mode=0o700, exist_ok=True)
    save_team(app.home, app.workspace_id, known)
    reload_vaults(app)
    return known


def _notice_no_name(app: App, known: Membership) -> None:
    if not known.person and not read_git_person(app.workspace) and NO_NAME not in app.notices:
        app.notices.append(NO_NAME)


def _describe_joined(app: App, known: Membership) -> JoinedTeam:
    note_change(app, "team", known.name, after=f"joined, {known.kind}")
    reload_vaults(app)
    counts = Counter(str(entry.memory.type) for entry in _entries(app))
    return JoinedTeam(team=known, counts=counts, conflicts=_find_conflicts(app))


def reload_vaults(app: App) -> None:
    """Look again: the vaults are others than before."""
    for name in ("team", "vaults", "index"):
        app.__dict__.pop(name, None)
    forget_pairs(app)
    refresh_generated(app)


def _find_conflicts(app: App) -> tuple[ConflictPair, ...]:
    """What of the team contradicts memory here: shown, and guessed by nobody."""
    found = find_conflict_pairs(app).conflicting
    return tuple(pair for pair in found if (pair.new.scope is Scope.TEAM) != (pair.old.scope is Scope.TEAM))


def _entries(app: App) -> list[Entry]:
    found = app.index.select(Select(scopes=(Scope.TEAM,), statuses=(Status.ACCEPTED,)))
    return [entry for entry in found if not is_candidate(entry)]


def _team(app: App) -> Membership:
    if app.team is None:
        raise NoTeam
    return app.team
