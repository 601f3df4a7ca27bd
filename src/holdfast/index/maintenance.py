"""Verify, rebuild, compact: keeping what is stored whole."""

import os
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from holdfast.core.errors import Damaged
from holdfast.core.event import Compacted, Cursor, Damage, JournalReport
from holdfast.core.memory import Problem, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import CANDIDATES, MEMORY
from holdfast.index.open_index import check_index, index_path, rebuild_index
from holdfast.journal.journal_head import find_missing_end, note_head
from holdfast.system.leftovers import sweep_leftovers
from holdfast.system.written_sums import find_changed_records
from holdfast.workspace import App, need_person

MEGABYTE = 1024 * 1024
RESTORE = "restore the folder `journal/` from a backup; if you removed it yourself, run `holdfast doctor --rebuild`."
NOT_OURS = "it is not what Holdfast wrote: it was damaged, or changed by others"
NOT_OURS_HINT = "restore it from a backup, or remove it: what is made from the journal is written again."
LASTING = ("memory.forgotten", "memory.purged")


class JournalDamaged(Damaged):
    """A journal that must be looked at before anything is taken out of it."""

    def __init__(self, damage: Sequence[Damage]) -> None:
        first = damage[0]
        super().__init__(
            f"The journal is damaged ({first.segment}, line {first.line}: {first.reason}; {len(damage)} in all).",
            "`holdfast doctor --verify` lists them and `holdfast doctor --fix` fixes a torn tail; nothing was changed.",
        )


class VerifyReport(Value):
    """What `verify` found, over journal, files and index."""

    journal: JournalReport
    files: int
    memories: int
    problems: tuple[Problem, ...]
    # Changed since we wrote them, where people may.
    edited: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything stored passes its own check."""
        return not self.problems


def verify(app: App, progress: Callable[[int, int], None] | None = None) -> VerifyReport:
    """Check every record, file and row. Changes nothing but the index, which is derived."""
    sweep_leftovers(app.folder)
    report = app.journal.verify(progress)
    damage = [
        Problem(path=f"journal/{d.segment}", line=d.line, reason=f"{d.reason} (byte {d.offset})", hint=_hint(d.reason))
        for d in report.damage
    ]
    index = app.index
    missing = _find_missing(app)
    changed = [] if app.is_copy else list(find_changed_records(app.folder))
    problems = [
        *damage,
        *missing,
        *([] if missing else _find_cut_off(index.cursor(), report)),
        *list_file_problems(app),
        *[Problem(path=each.path, reason=NOT_OURS, hint=NOT_OURS_HINT) for each in changed if not each.edited],
        *check_index(app),
    ]
    if not problems:
        note_head(app.home, app.workspace_id, os.path.join(app.folder, "journal"))
    return VerifyReport(
        edited=tuple(each.path for each in changed if each.edited),
        journal=report,
        files=len(index.sources()),
        memories=len(index.select(Select())),
        problems=tuple(problems),
    )


def _find_missing(app: App) -> list[Problem]:
    """What the journal lacks by what the user's home says of it."""
    lacking = find_missing_end(app.home, app.workspace_id, os.path.join(app.folder, "journal"))
    return [Problem(path=f"journal/{name}", reason=reason, hint=RESTORE) for name, reason in lacking]


def _hint(reason: str) -> str:
    if "are gone" not in reason:
        return ""
    return "restore the folder `journal/` from a backup; where there is none, or it was a power cut, remove that file."


def _find_cut_off(indexed: Cursor, report: JournalReport) -> list[Problem]:
    """Records that were indexed and are no longer there: the end of a journal has nobody after it to miss it."""
    if indexed <= report.end:
        return []
    name = f"journal/{indexed.segment:08d}.jsonl"
    return [
        Problem(path=name, reason=f"records are missing at its end (it went on to byte {indexed.offset})", hint=RESTORE)
    ]


def rebuild(app: App, *, as_it_is: bool = False) -> tuple[int, int]:
    """The index, rebuilt from nothing; how many files and entries it holds.

    `as_it_is`: the journal is right as it stands, also where it once held more.
    """
    store = rebuild_index(app)
    app.refresh()
    note_head(app.home, app.workspace_id, os.path.join(app.folder, "journal"), anew=as_it_is)
    if not index_path(app).startswith(app.folder):
        app.notices.append(f"This folder cannot be written: the index is kept in {index_path(app)!r} instead.")
    return len(store.sources()), len(store.select(Select()))


def compact(app: App, *, dry_run: bool = False) -> Sequence[Compacted]:
    """Take deleted events off the disk, and retire by age and size, never what accepted memory quotes."""
    if not dry_run:
        need_person(app, "doctor --compact")
    if damage := app.journal.verify().damage:
        raise JournalDamaged(damage)
    days = int(app.settings["journal.keep_days"])
    cut = (app.clock.now() - timedelta(days=days)).isoformat() if days else ""
    size = int(app.settings["journal.keep_mb"]) * MEGABYTE
    kept = find_quoted_events(app) | find_lasting_events(app)
    done = app.journal.compact(kept, older_than=cut, larger_than=size, dry_run=dry_run)
    if done and not dry_run:
        app.refresh()
        rebuild(app)
    return done


def find_lasting_events(app: App) -> frozenset[str]:
    """The events that say what was forgotten: without them it could come back."""
    return frozenset(record.id for record in app.journal.read() if record.data.get("name") in LASTING)


def find_quoted_events(app: App) -> frozenset[str]:
    """The events that the evidence of accepted memories (and of what waits for review) names."""
    kept = (Status.ACCEPTED, Status.SUPERSEDED, Status.DEPRECATED, Status.CANDIDATE)
    entries = app.index.select(Select(statuses=kept))
    return frozenset(evidence.event for entry in entries for evidence in entry.memory.evidence)


def list_file_problems(app: App) -> list[Problem]:
    """Every file that could not be read, wholly or in part, with the reason; named as a person can open it."""
    roots = {scope: app.root_of(scope) for scope in app.vaults}
    found = [_name_problem(app, problem, _find_root(problem.path, roots.values())) for problem in app.index.links()[1]]
    odd = {os.path.join(roots[scope], MEMORY): vault for scope, vault in app.vaults.items()}
    for root, vault in (*odd.items(), (os.path.join(app.folder, CANDIDATES), app.candidate_vault)):
        found.extend(_name_problem(app, problem, root) for problem in vault.problems())
    return found


def _find_root(path: str, roots: Collection[str]) -> str:
    """The root below which a file of the index lies: the workspace's own comes first."""
    return next((root for root in roots if os.path.lexists(os.path.join(root, path))), next(iter(roots), ""))


def _name_problem(app: App, problem: Problem, root: str) -> Problem:
    path = os.path.join(root, problem.path)
    inside = bool(app.workspace) and path.startswith(os.path.join(app.workspace, ""))
    return replace(problem, path=os.path.relpath(path, app.workspace) if inside else path)
