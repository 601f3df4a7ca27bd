"""Distilling: sessions into summaries, briefings and candidates, by hand or by themselves."""

from collections.abc import Iterator, Sequence

from holdfast.core.distilled import Distilled
from holdfast.core.errors import BadRequest, NotFound, Unavailable
from holdfast.core.value import Value
from holdfast.distil.distil_sessions import (
    DONE,
    FAILED,
    OPEN,
    RUNNING,
    WAITING,
    DistilJob,
    DistilResult,
    distil,
    filter_waiting,
    list_jobs,
    preview,
)
from holdfast.recall.triples.app_triples import make_for_new_memories
from holdfast.records.untyped_prompts import mark_untyped_prompts
from holdfast.workspace import App

__all__ = [
    "DONE",
    "FAILED",
    "OPEN",
    "RUNNING",
    "WAITING",
    "DistilJob",
    "DistilResult",
    "DistilRunning",
    "DistilStatus",
    "choose_jobs",
    "distil_sessions",
    "preview_session",
    "read_distil_status",
]

MOST_SHOWN = 6


class DistilNeedsWorkspace(BadRequest):
    """Sessions belong to workspaces."""

    def __init__(self) -> None:
        super().__init__("There are no sessions outside a workspace.", "go to one, or run `holdfast init` here.")


class NoSessionToDistil(NotFound):
    """No session has this id."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"There is no session {wanted!r} in this journal.", "`holdfast session list` lists them.")


class AmbiguousDistilSession(BadRequest):
    """A beginning that several sessions share."""

    def __init__(self, wanted: str, found: Sequence[str]) -> None:
        shown = ", ".join(found[:MOST_SHOWN])
        super().__init__(f"{wanted!r} is the beginning of {len(found)} sessions: {shown}.", "give more of the id.")


class DistilRunning(Unavailable):
    """One process distils at a time."""

    def __init__(self) -> None:
        super().__init__("Another process is distilling here.", "wait for it; `holdfast status` shows it.")


class DistilStatus(Value):
    """The distilling of a workspace: how many sessions wait, which one runs, which failed and why."""

    waiting: int = 0
    running: str = ""
    failed: tuple[tuple[str, str], ...] = ()
    done: int = 0
    open: int = 0


def read_distil_status(app: App) -> DistilStatus:
    """Where distilling stands."""
    found = list_jobs(app) if app.workspace else []
    counts = {state: sum(job.state == state for job in found) for state in (WAITING, DONE, OPEN)}
    return DistilStatus(
        waiting=counts[WAITING],
        running=next((job.session for job in found if job.state == RUNNING), ""),
        failed=tuple((job.session, job.reason) for job in found if job.reason and job.state in (FAILED, WAITING)),
        done=counts[DONE],
        open=counts[OPEN],
    )


def choose_jobs(
    app: App, wanted: Sequence[str] = (), *, again: bool = False, everything: bool = False
) -> list[DistilJob]:
    """The sessions to distil: those named by the beginnings of their ids, all, or those that wait."""
    if not app.workspace:
        raise DistilNeedsWorkspace
    found = list_jobs(app)
    if wanted:
        return [_find_job(found, name) for name in wanted]
    return found if everything else filter_waiting(found, again=again)


def distil_sessions(app: App, chosen: Sequence[DistilJob]) -> Iterator[DistilResult]:
    """Distil these, one after the other; what their clients' transcripts say that nobody typed is nobody's."""
    if sum(mark_untyped_prompts(app, job.session) for job in chosen):
        app.refresh()
        names = {job.session for job in chosen}
        chosen = [job for job in list_jobs(app) if job.session in names]
    done = 0
    for each in distil(app, chosen):
        done += 1
        yield each
    if chosen and not done:
        raise DistilRunning
    if done:
        make_for_new_memories(app)


def preview_session(app: App, job: DistilJob) -> Distilled | None:
    """What rules would make of a session; nothing is written."""
    return preview(app, job)


def _find_job(found: Sequence[DistilJob], wanted: str) -> DistilJob:
    meant = [job for job in found if job.session == wanted] or [job for job in found if job.session.startswith(wanted)]
    if not meant:
        raise NoSessionToDistil(wanted)
    if len(meant) > 1:
        raise AmbiguousDistilSession(wanted, [job.session for job in meant])
    return meant[0]
