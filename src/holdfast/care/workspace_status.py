"""The state of a workspace in one value."""

import os
from collections import Counter

from holdfast.care.last_result import LastDoctorResult, read_last_result
from holdfast.clients.last_seen import NO_FAILURES, HookFailures, read_hook_failures
from holdfast.clients.manage_clients import ClientState, list_client_states
from holdfast.core.memory import MemoryType, Problem, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.curator.last_findings import LastCuration, read_last_curation
from holdfast.distil.distil import DistilStatus, read_distil_status
from holdfast.exchange.bundles.backup_age import BackupAge, read_backup_age
from holdfast.index.entries import is_candidate
from holdfast.index.maintenance import list_file_problems
from holdfast.records.vouch_sessions import UnvouchedSessions, read_unvouched
from holdfast.review.badge import save_expired
from holdfast.review.conflict_pairs import ConflictPairs, find_few_conflict_pairs
from holdfast.review.expiry import split_expired
from holdfast.review.proposal_limits import RefusedProposals, read_refused_proposals
from holdfast.review.subjects import DoubledSubjects, find_doubled_subjects
from holdfast.system.leftovers import sweep_leftovers
from holdfast.trust.acceptances import list_unproven
from holdfast.trust.allow import VisibilityStatus, read_visibility_status
from holdfast.workspace import App


class WorkspaceStatus(Value):
    """What `status` shows."""

    counts: dict[str, int]
    user_count: int
    candidates: int
    standing: VisibilityStatus | None
    last_event: str
    clients: tuple[ClientState, ...]
    problems: tuple[Problem, ...]
    failures: HookFailures = NO_FAILURES
    private: int = 0
    checked: LastDoctorResult | None = None
    curated: LastCuration | None = None
    work: DistilStatus = DistilStatus()
    conflicts: ConflictPairs = ConflictPairs(pairs=(), holding=0)
    doubled: DoubledSubjects = DoubledSubjects()
    backup: BackupAge = BackupAge(store="")
    expired: int = 0
    refused: RefusedProposals = RefusedProposals()
    unproven: int = 0
    unvouched: UnvouchedSessions = UnvouchedSessions()


def read_status(app: App) -> WorkspaceStatus:
    """Count and look."""
    sweep_leftovers(app.folder)
    entries = app.index.select(Select())
    memories = [e for e in entries if not is_candidate(e) and e.memory.status is Status.ACCEPTED]
    counts = Counter(str(e.memory.type) for e in memories if e.scope is app.scope)
    last = app.index.events("9999", 1, 0)
    waiting, expired = split_expired(
        app, [e for e in entries if is_candidate(e) and e.memory.status is Status.CANDIDATE]
    )
    save_expired(app.folder, [entry.path for entry in expired])
    return WorkspaceStatus(
        counts={str(kind): counts[kind] for kind in MemoryType},
        user_count=sum(1 for e in memories if e.scope is Scope.USER),
        candidates=len(waiting),
        standing=read_visibility_status(app) if app.workspace else None,
        last_event=last[-1].ts if last else "",
        clients=tuple(list_client_states(app)),
        problems=tuple(list_file_problems(app)),
        failures=read_hook_failures(app),
        private=_count_private(app),
        checked=read_last_result(app),
        curated=read_last_curation(app),
        work=read_distil_status(app),
        conflicts=find_few_conflict_pairs(app, memories),
        doubled=find_doubled_subjects(app, memories),
        backup=read_backup_age(app),
        expired=len(expired),
        refused=read_refused_proposals(app),
        unproven=len(list_unproven(app, entries)),
        unvouched=read_unvouched(app),
    )


def _count_private(app: App) -> int:
    """How many sessions are private now, because a tag that opened it was never closed."""
    try:
        return len(os.listdir(os.path.join(app.folder, "state", "private")))
    except OSError:
        return 0
