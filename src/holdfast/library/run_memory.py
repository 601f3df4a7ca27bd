"""What a run of our own agent gives memory: its session in the journal, what it was told, and what came of it."""

import time
from collections.abc import Mapping
from typing import Any

from holdfast.core.event import Event
from holdfast.core.run import AGENT
from holdfast.core.search import Select
from holdfast.distil.distil import DONE, DistilResult, DistilRunning, choose_jobs, distil_sessions
from holdfast.recall.pack import CHARACTERS_PER_TOKEN, MemoryPack
from holdfast.records.refresh_records import refresh_records
from holdfast.records.use_cues import cues_of
from holdfast.redact.clean import clean
from holdfast.review.auto_accept import accept_by_rule
from holdfast.workspace import App

INJECTED = "injected"
PATIENCE, PAUSE = 50, 0.2


def note_event(app: App, run: str, name: str, data: Mapping[str, Any]) -> str:
    """Keep what happened in a run, without secrets; the event's id."""
    cleaned: Any = clean(dict(data)).value
    [receipt] = app.journal.append([Event(client=AGENT, session=run, name=name, data=cleaned)])
    return receipt.id


def note_injected_memory(app: App, run: str, pack: MemoryPack, event: str, at: str = "prompt") -> None:
    """Keep which memory a run was told, so that its use is counted."""
    if pack.empty:
        return
    lines = pack.to_prompt().split("\n")
    found = app.index.select(Select(ids=pack.ids()))
    about = {
        entry.memory.id: {
            "tokens": sum(len(line) for line in lines if entry.memory.id in line) // CHARACTERS_PER_TOKEN,
            **cues_of(entry.memory),
        }
        for entry in found
    }
    data = {"ids": list(pack.ids()), "tokens": pack.tokens, "for": event, "at": at, "about": about}
    app.journal.append([Event(client="holdfast", session=run, name=INJECTED, data=data)])


def end_session(app: App, run: str) -> Mapping[str, Any]:
    """A run is over: its records, its summary, briefing and lineage, and what its words give besides."""
    note_event(app, run, "session_end", {"reason": "complete"})
    app.refresh()
    refresh_records(app)
    app.refresh()
    for done in _distil_run(app, run):
        accepted = accept_by_rule(app, done.fresh)
        made = done.distilled
        if done.job.state == DONE and made is not None:
            return {
                "run": made.run, "title": made.summary.title, "candidates": list(done.fresh),
                "accepted": [each.entry.memory.id for each in accepted], "next_action": made.briefing.next_action,
            }  # fmt: skip
    return {"run": run, "title": "", "candidates": [], "accepted": [], "next_action": ""}


def _distil_run(app: App, run: str) -> list[DistilResult]:
    """What the run's session gives. Where another process distils all the while, that one will take it up."""
    for _ in range(PATIENCE):
        jobs = [job for job in choose_jobs(app, everything=True) if job.session == run]
        try:
            return list(distil_sessions(app, jobs)) if jobs else []
        except DistilRunning:
            time.sleep(PAUSE)
            app.refresh()
    app.notices.append(f"{run} is distilled later: another process is at it.")
    return []
