"""The state of a workspace in one value."""

import os
from collections import Counter
from collections.abc import Collection

from holdfast.care.last_result import Checked, last_checked
from holdfast.clients.last_seen import NO_FAILURES, Failures, failures
from holdfast.clients.manage_clients import ClientState, client_states
from holdfast.core.memory import MemoryType, Problem, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.curator.last_findings import Looked, last_curated
from holdfast.distil.distil import Work, work_of
from holdfast.exchange.bundles.backup_age import Age, age
from holdfast.index.entries import CANDIDATES, MEMORY, is_candidate
from holdfast.review.conflict_pairs import Contradictions, few_contradictions
from holdfast.trust.allow import Standing, standing
from holdfast.workspace import App


class State(Value):
    """What `status` shows."""

    counts: dict[str, int]
    user_count: int
    candidates: int
    standing: Standing | None
    last_event: str
    clients: tuple[ClientState, ...]
    problems: tuple[Problem, ...]
    failures: Failures = NO_FAILURES
    private: int = 0
    checked: Checked | None = None
    curated: Looked | None = None
    work: Work = Work()
    conflicts: Contradictions = Contradictions(pairs=(), holding=0)
    backup: Age = Age(store="")


def status(app: App) -> State:
    """Count and look."""
    entries = app.index.select(Select())
    memories = [e for e in entries if not is_candidate(e) and e.memory.status is Status.ACCEPTED]
    counts = Counter(str(e.memory.type) for e in memories if e.scope is app.scope)
    last = app.index.events("9999", 1, 0)
    return State(
        counts={str(kind): counts[kind] for kind in MemoryType},
        user_count=sum(1 for e in memories if e.scope is Scope.USER),
        candidates=sum(1 for e in entries if is_candidate(e) and e.memory.status is Status.CANDIDATE),
        standing=standing(app) if app.workspace else None,
        last_event=last[-1].ts if last else "",
        clients=tuple(client_states(app)),
        problems=tuple(file_problems(app)),
        failures=failures(app),
        private=_private(app),
        checked=last_checked(app),
        curated=last_curated(app),
        work=work_of(app),
        conflicts=few_contradictions(app, memories),
        backup=age(app),
    )


def _private(app: App) -> int:
    """How many sessions are private now, because a tag that opened it was never closed."""
    try:
        return len(os.listdir(os.path.join(app.folder, "state", "private")))
    except OSError:
        return 0


def file_problems(app: App) -> list[Problem]:
    """Every file that could not be read, wholly or in part, with the reason; named as a person can open it."""
    roots = {scope: app.root_of(scope) for scope in app.vaults}
    found = [_named(app, problem, _lying(problem.path, roots.values())) for problem in app.index.links()[1]]
    odd = {os.path.join(roots[scope], MEMORY): vault for scope, vault in app.vaults.items()}
    for root, vault in (*odd.items(), (os.path.join(app.folder, CANDIDATES), app.candidate_vault)):
        found.extend(_named(app, problem, root) for problem in vault.problems())
    return found


def _lying(path: str, roots: Collection[str]) -> str:
    """The root below which a file of the index lies: the workspace's own comes first."""
    return next((root for root in roots if os.path.lexists(os.path.join(root, path))), next(iter(roots), ""))


def _named(app: App, problem: Problem, root: str) -> Problem:
    path = os.path.join(root, problem.path)
    inside = bool(app.workspace) and path.startswith(os.path.join(app.workspace, ""))
    return replace(problem, path=os.path.relpath(path, app.workspace) if inside else path)
