"""Whose what is in a team: one's name is set, and what went to the team from here without a name is signed."""

from holdfast.config.teams import Membership, save_team
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.team.manage_teams import NoTeam, reload_vaults
from holdfast.journal.change_log import note_change
from holdfast.recall.pack import AUTHOR, LONGEST_AUTHOR
from holdfast.review.batches import open_batch
from holdfast.review.remember import journal_entry_change
from holdfast.vault.promotion import PROMOTE_TO
from holdfast.workspace import App, need_person

__all__ = ["SignedTeam", "set_team_person"]


class BadPerson(BadRequest):
    """Words that are nobody's name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} is no name.", f"one to {LONGEST_AUTHOR} characters that print: holdfast team name Ada"
        )


class SignedTeam(Value):
    """The team as it is now, and what was signed: memories of the team, and candidates on their way to it."""

    team: Membership
    signed: tuple[str, ...]


def set_team_person(app: App, name: str) -> SignedTeam:
    """Be called so in the team, and sign what was accepted here without a name."""
    need_person(app, f"team name {name}")
    if app.team is None:
        raise NoTeam
    if not 0 < len(name) <= LONGEST_AUTHOR or not name.isprintable() or name != name.strip():
        raise BadPerson(name)
    known = replace(app.team, person=name)
    save_team(app.home, app.workspace_id, known)
    note_change(app, "team", known.name, before=app.team.person, after=f"as {name}")
    reload_vaults(app)
    unsigned = _find_unsigned(app)
    with open_batch(app, "team name") as made:
        for entry in unsigned:
            extra = {**entry.memory.extra, AUTHOR: name}
            journal_entry_change(app, "memory.changed", made.rewrite(entry, replace(entry.memory, extra=extra)))
    reload_vaults(app)
    return SignedTeam(team=known, signed=tuple(entry.memory.id for entry in unsigned))


def _find_unsigned(app: App) -> list[Entry]:
    """What went from here, or waits to go, without a name; what others sent without one is theirs to sign."""
    mine = _find_accepted_here(app)
    theirs = app.index.select(Select(scopes=(Scope.TEAM,), statuses=(Status.ACCEPTED,)))
    waiting = app.index.select(Select(statuses=(Status.CANDIDATE,)))
    found = [entry for entry in theirs if entry.memory.id in mine]
    found += [entry for entry in waiting if entry.memory.extra.get(PROMOTE_TO) == Scope.TEAM]
    return [entry for entry in found if not str(entry.memory.extra.get(AUTHOR, ""))]


def _find_accepted_here(app: App) -> frozenset[str]:
    """The memories that somebody accepted on this machine."""
    found = (
        record.data.get("data") for record in app.journal.read() if record.data.get("name") == "candidate.accepted"
    )
    return frozenset(str(data.get("id", "")) for data in found if isinstance(data, dict) and "imported" not in data)
