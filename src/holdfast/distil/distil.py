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
    Done,
    Job,
    distil,
    jobs,
    preview,
    waiting,
)
from holdfast.recall.triples.app_triples import keep_up
from holdfast.workspace import App

__all__ = [
    "DONE", "FAILED", "OPEN", "RUNNING", "WAITING", "AnotherAtIt", "Done", "Job", "Work", "chosen_jobs",
    "distil_sessions", "preview_session", "work_of",
]  # fmt: skip

MOST_SHOWN = 6


class NoWorkspace(BadRequest):
    """Sessions belong to workspaces."""

    def __init__(self) -> None:
        super().__init__("There are no sessions outside a workspace.", "go to one, or run `holdfast init` here.")


class NoSession(NotFound):
    """No session has this id."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"There is no session {wanted!r} in this journal.", "`holdfast session list` lists them.")


class NotOne(BadRequest):
    """A beginning that several sessions share."""

    def __init__(self, wanted: str, found: Sequence[str]) -> None:
        shown = ", ".join(found[:MOST_SHOWN])
        super().__init__(f"{wanted!r} is the beginning of {len(found)} sessions: {shown}.", "give more of the id.")


class AnotherAtIt(Unavailable):
    """One process distils at a time."""

    def __init__(self) -> None:
        super().__init__("Another process is distilling here.", "wait for it; `holdfast status` shows it.")


class Work(Value):
    """The distilling of a workspace: how many sessions wait, which one runs, which failed and why."""

    waiting: int = 0
    running: str = ""
    failed: tuple[tuple[str, str], ...] = ()
    done: int = 0
    open: int = 0


def work_of(app: App) -> Work:
    """Where distilling stands."""
    found = jobs(app) if app.workspace else []
    counts = {state: sum(job.state == state for job in found) for state in (WAITING, DONE, OPEN)}
    return Work(
        waiting=counts[WAITING],
        running=next((job.session for job in found if job.state == RUNNING), ""),
        failed=tuple((job.session, job.reason) for job in found if job.reason and job.state in (FAILED, WAITING)),
        done=counts[DONE],
        open=counts[OPEN],
    )


def chosen_jobs(app: App, wanted: Sequence[str] = (), *, again: bool = False, everything: bool = False) -> list[Job]:
    """The sessions to distil: those named by the beginnings of their ids, all, or those that wait."""
    if not app.workspace:
        raise NoWorkspace
    found = jobs(app)
    if wanted:
        return [_one(found, name) for name in wanted]
    return found if everything else waiting(found, again=again)


def distil_sessions(app: App, chosen: Sequence[Job]) -> Iterator[Done]:
    """Distil these, one after the other."""
    done = 0
    for each in distil(app, chosen):
        done += 1
        yield each
    if chosen and not done:
        raise AnotherAtIt
    if done:
        keep_up(app)


def preview_session(app: App, job: Job) -> Distilled | None:
    """What rules would make of a session; nothing is written."""
    return preview(app, job)


def _one(found: Sequence[Job], wanted: str) -> Job:
    meant = [job for job in found if job.session == wanted] or [job for job in found if job.session.startswith(wanted)]
    if not meant:
        raise NoSession(wanted)
    if len(meant) > 1:
        raise NotOne(wanted, [job.session for job in meant])
    return meant[0]
