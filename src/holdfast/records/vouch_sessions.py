"""Whose are the sessions that no hook heard: shown by folder, vouched for by a person once, taken back."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from holdfast.core.errors import NotFound, Refused
from holdfast.core.memory import UNHOOKED, Status, doubt_candidate, trust_candidate
from holdfast.core.value import Value, as_dict
from holdfast.harvest.hook_events import parse_seconds
from holdfast.harvest.stored_sessions import list_stored_sessions
from holdfast.harvest.unhooked_sessions import UnhookedSession, describe_unhooked, look_for_unhooked
from holdfast.records.sessions import journal_path
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.allow import find_registration
from holdfast.trust.presence import find_presence, prove_person
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.vouchings import Vouchings, read_vouchings, record_vouching
from holdfast.workspace import App

__all__ = [
    "UnhookedSession",
    "UnvouchedSessions",
    "decline_sessions",
    "find_unvouched",
    "read_unvouched",
    "take_back_vouching",
    "vouch_existing",
    "vouch_sessions",
]

BRIEFING = "briefing.json"
# What the last look found, for those who only show it. The journal and the registry decide.
FOUND = os.path.join("state", "unheard.json")


class NotVouched(Refused):
    """Nobody is proven to be a person, so nobody vouches."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"No session was vouched for: this is not proven to be a person's act ({why}).",
            "run it in a terminal of your own.",
        )


class NothingVouched(NotFound):
    """No session that was vouched for has this name."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"Nobody vouched for a session or a folder {wanted!r}.", "`holdfast harvest --json` lists the sessions."
        )


class UnvouchedSessions(Value):
    """Sessions of a workspace that no hook heard and nobody vouched for.

    `asked`: those a person was not asked about yet. `strays`: whose files came while no client ran.
    """

    rows: tuple[UnhookedSession, ...] = ()
    asked: tuple[UnhookedSession, ...] = ()
    strays: tuple[UnhookedSession, ...] = ()

    def by_folder(self) -> Mapping[tuple[str, str], list[UnhookedSession]]:
        """Those to be asked about, by client and history folder."""
        found: dict[tuple[str, str], list[UnhookedSession]] = {}
        for each in self.asked:
            found.setdefault((each.client, each.folder), []).append(each)
        return found


def find_unvouched(app: App) -> UnvouchedSessions:
    """Look through the journal for sessions that no hook heard; kept for `status`."""
    said, seen = read_vouchings(app), look_for_unhooked(journal_path(app))
    rows = describe_unhooked(journal_path(app), seen.unhooked - said.vouched)
    strays = [each.session for each in rows if _is_stray(app, each, said, seen.last)]
    form = {"sessions": [as_dict(each) for each in rows], "strays": strays}
    write_json_cache(os.path.join(app.folder, FOUND), form)
    return _sort_out(rows, said, strays)


def read_unvouched(app: App) -> UnvouchedSessions:
    """What the last look found, without those that a person vouched for since."""
    form = read_json_cache(os.path.join(app.folder, FOUND)) if app.workspace else {}
    rows: list[UnhookedSession] = []
    with suppress(TypeError, AttributeError):
        rows = [UnhookedSession(**each) for each in form.get("sessions", ())]
    said = read_vouchings(app)
    strays = form.get("strays")
    return _sort_out(
        [row for row in rows if row.session not in said.vouched], said, strays if isinstance(strays, list) else ()
    )


def vouch_sessions(app: App, rows: Sequence[UnhookedSession]) -> int:
    """Count these sessions as the user's, by the word of a person; how many candidates are the user's by that."""
    by = prove_person(app, "harvest --vouch")
    if not by.proven:
        raise NotVouched(by.why)
    for folder, sessions in _by_folder(rows).items():
        record_vouching(app, by, sessions, folder=folder)
    return _change_candidates(app, {row.session for row in rows}, vouched=True)


def decline_sessions(app: App, rows: Sequence[UnhookedSession]) -> None:
    """Note that a person was asked about these sessions, and did not call them theirs."""
    by = prove_person(app, "harvest --no-vouch")
    if by.proven:
        for folder, sessions in _by_folder(rows).items():
            record_vouching(app, by, sessions, folder=folder, vouched=False)


def take_back_vouching(app: App, wanted: str) -> tuple[int, int]:
    """Count a session, or all of a folder, as nobody's again: how many, and how many candidates are doubted by that."""
    by = prove_person(app, f"harvest --unvouch {wanted}")
    if not by.proven:
        raise NotVouched(by.why)
    vouched = read_vouchings(app).vouched
    chosen = _find_vouched(app, wanted, vouched)
    if not chosen:
        raise NothingVouched(wanted)
    record_vouching(app, by, chosen, folder=wanted if os.sep in wanted else "", vouched=False)
    _drop_briefing(app, chosen)
    return len(chosen), _change_candidates(app, chosen, vouched=False)


def vouch_existing(app: App) -> int:
    """Count all sessions that clients keep at this moment as the user's, who makes the workspace; how many."""
    by = find_presence(app)
    history = list_stored_sessions(app) if by.proven else {}
    for folder, sessions in history.items():
        record_vouching(app, by, sessions, folder=folder)
    return len(set().union(*history.values()))


def _drop_briefing(app: App, sessions: Collection[str]) -> None:
    """What one of these sessions left for the next one is told no more."""
    path = os.path.join(app.folder, BRIEFING)
    if read_json_cache(path).get("session") in sessions and not TrackedFiles(app).holds(BRIEFING):
        os.unlink(path)


def _find_vouched(app: App, wanted: str, vouched: Collection[str]) -> set[str]:
    """The sessions vouched for that a person means: one by its id or the beginning of it, or those of a folder."""
    if os.sep not in wanted:
        return {session for session in vouched if session == wanted or (len(wanted) > 3 and session.startswith(wanted))}
    folder = os.path.abspath(os.path.expanduser(wanted))
    rows = describe_unhooked(journal_path(app), vouched)
    there = {
        session for place, found in list_stored_sessions(app).items() if _is_below(place, folder) for session in found
    }
    there |= {row.session for row in rows if _is_below(row.folder, folder)}
    return there.intersection(vouched)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _by_folder(rows: Iterable[UnhookedSession]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.folder, []).append(row.session)
    return found


def _sort_out(rows: Sequence[UnhookedSession], said: Vouchings, strays: Collection[str]) -> UnvouchedSessions:
    return UnvouchedSessions(
        rows=tuple(rows),
        asked=tuple(row for row in rows if row.session not in said.declined),
        strays=tuple(row for row in rows if row.session in strays and row.session not in said.declined),
    )


def _is_stray(app: App, row: UnhookedSession, said: Vouchings, last: Mapping[str, str]) -> bool:
    """Whether a file came after the last word of a person, and no hook of its client spoke since."""
    known = find_registration(app)
    since = max(said.last, known.initialised if known else "")
    try:
        changed = os.stat(row.path).st_mtime
    except (OSError, ValueError):
        return False
    return (
        bool(since)
        and changed > parse_seconds(since)
        and parse_seconds(last.get(row.client, "")) <= parse_seconds(since)
    )


def _change_candidates(app: App, sessions: Collection[str], *, vouched: bool) -> int:
    """Candidates that wait, made of some sessions: the user's from now on, or doubted."""
    changed = 0
    for entry in app.candidates.all():
        memory = entry.memory
        if memory.status is not Status.CANDIDATE or memory.source not in sessions:
            continue
        after = trust_candidate(memory, UNHOOKED) if vouched else doubt_candidate(memory, UNHOOKED)
        if after != memory:
            app.candidates.rewrite(entry, after)
            changed += 1
    if changed:
        app.refresh()
    return changed
