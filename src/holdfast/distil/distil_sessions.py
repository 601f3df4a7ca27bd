"""Finished sessions distilled: which wait, each once, by one process at a time, safe to cut short.

What waits is known from the journal (through the index) and from `state/distilled.json`, which says how far each
session was distilled and what went wrong. Deleted, every session is distilled again and gives the same.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from holdfast.conflicts.rejected_twin import find_rejected_twin
from holdfast.core.conversation import TurnKind
from holdfast.core.distilled import Distilled, Known
from holdfast.core.errors import HoldfastError
from holdfast.core.event import Event, JournalRecord
from holdfast.core.memory import DOUBT, Memory, Status
from holdfast.core.search import Select, SessionRow
from holdfast.core.times import parse_moment
from holdfast.core.value import Value, replace
from holdfast.distil import session_pages
from holdfast.distil.autostart import is_foreign_journal
from holdfast.distil.distiller import Distiller
from holdfast.distil.doubted_words import doubt_unproven_words
from holdfast.distil.habits import count_sessions
from holdfast.distil.memory_page import BRIEFING, DISTILLED, write_memory_page
from holdfast.distil.open_distiller import open_distiller
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.records.build_conversation import build_conversation
from holdfast.records.refresh_records import choose_learning_path, log_once, write_if_changed
from holdfast.system.folders import make_folder
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.system.lock import try_lock
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.visibility import read_overview_page
from holdfast.trust.vouchings import read_vouchings
from holdfast.workspace import App

LOCK = os.path.join("state", "distil.lock")
# A session that never said that it ended is over when it was quiet for so long.
QUIET = timedelta(minutes=30)
MOST_TRIES = 3
LONGEST_REASON = 300
OPEN, WAITING, RUNNING, DONE, FAILED = "open", "waiting", "running", "done", "failed"


class DistilJob(Value):
    """A session, and where its distilling stands. `new` events came since it was last distilled."""

    row: SessionRow
    state: str
    tries: int = 0
    reason: str = ""
    run: str = ""
    by: str = ""
    at: str = ""

    @property
    def session(self) -> str:
        """The session's id."""
        return self.row.session


class DistilResult(Value):
    """What came of one session: what it gave, and the candidates that are new; or why not."""

    job: DistilJob
    distilled: Distilled | None = None
    fresh: tuple[str, ...] = ()


def list_jobs(app: App) -> list[DistilJob]:
    """Every session in the order they began, with its state."""
    if is_foreign_journal(app):
        return []
    known, running = _read_known_sessions(app), find_running_session(app)
    return [_job(app, row, known.get(row.session, {}), running) for row in app.index.sessions()]


def filter_waiting(found: Sequence[DistilJob], *, again: bool = False) -> list[DistilJob]:
    """Those to be distilled now; with `again`, also those that failed too often."""
    return [job for job in found if job.state == WAITING or (again and job.state == FAILED)]


def find_running_session(app: App) -> str:
    """The session that a process distils at this moment, or an empty text."""
    try:
        fd = os.open(os.path.join(app.folder, LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(fd, 1024).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    else:
        return ""
    finally:
        os.close(fd)


def distil(app: App, chosen: Sequence[DistilJob]) -> Iterator[DistilResult]:
    """Distil sessions one after the other. Nothing happens where another process is at it."""
    with _lock_distilling(app) as lock:
        if lock < 0:
            return
        distiller = _distiller(app)
        for job in chosen:
            os.ftruncate(lock, 0)
            os.pwrite(lock, job.session.encode("utf-8", "replace"), 0)
            yield _distil_job(app, job, distiller)
            # The next session must know what this one proposed.
            app.refresh()
        if chosen:
            write_memory_page(app)


def read_noted_sessions(app: App) -> dict[str, Mapping[str, Any]]:
    """What is noted of each session that was distilled; its `event` is how far that went."""
    return {name: row for name, row in _read_known_sessions(app).items() if row.get("event")}


def note_sessions(app: App, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Note that sessions were distilled elsewhere, each up to an event of this journal. What is known here stays."""
    if rows:
        _keep(app, {**rows, **_read_known_sessions(app)})


def preview(app: App, job: DistilJob) -> Distilled | None:
    """What distilling a session would give, by rules; nothing is written and no model is asked."""
    return _read(app, job, RuleDistiller())


def forget_runs(app: App, runs: Collection[str]) -> None:
    """Have the sessions of some runs distilled again: what they gave was taken away, wholly or in part."""
    _keep(app, {name: row for name, row in _read_known_sessions(app).items() if row.get("run") not in runs})
    for name in runs:
        # What is left says less than the events that stay.
        shutil.rmtree(os.path.join(app.folder, "runs", name), ignore_errors=True)


def _job(app: App, row: SessionRow, known: Mapping[str, Any], running: str) -> DistilJob:
    done, tries = known.get("event") == row.last, int(known.get("tries", 0))
    reason = str(known.get("reason", "")) if known.get("tried") == row.last else ""
    if row.session == running:
        state = RUNNING
    elif done:
        state = DONE
    elif reason and tries >= MOST_TRIES:
        state = FAILED
    else:
        state = WAITING if _is_over(app, row) else OPEN
    run, by, at = (str(known.get(name, "")) for name in ("run", "by", "at"))
    return DistilJob(row=row, state=state, tries=tries if reason else 0, reason=reason, run=run, by=by, at=at)


def _is_over(app: App, row: SessionRow) -> bool:
    last = parse_moment(row.ts)
    return row.last_name == "session_end" or last is None or app.clock.now() - last > QUIET


def _distil_job(app: App, job: DistilJob, distiller: Distiller) -> DistilResult:
    begun = {"tried": job.row.last, "tries": job.tries + 1}
    try:
        made = _read(app, job, distiller)
        fresh = _write(app, made) if made is not None else ()
    except (HoldfastError, OSError, ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
        _note(app, job.session, {**begun, "reason": reason})
        return DistilResult(job=replace(job, state=FAILED, tries=job.tries + 1, reason=reason))
    if made is not None and made.unread:
        app.notices.append(f"{job.session}: {made.unread}")
    elif problem := str(getattr(distiller, "problem", "")):
        app.notices.append(f"{job.session}: distilled by rules alone: {problem}")
    row = {"event": job.row.last, "at": app.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")}
    told = {"run": made.run, "by": made.by} if made is not None else {}
    _note(app, job.session, {**row, **told})
    return DistilResult(job=replace(job, state=DONE, reason="", **told), distilled=made, fresh=fresh)


def _read(app: App, job: DistilJob, distiller: Distiller) -> Distilled | None:
    """What a session gave; nothing where nobody said anything, or where it is a subagent's, told with its parent."""
    records = list(_records(app, job.row))
    if records and all(_is_from_subagent(record) for record in records if record.data.get("session") == job.session):
        return None
    talk = build_conversation(records, job.session, app.workspace)
    if not any(turn.kind in (TurnKind.PROMPT, TurnKind.TOOL, TurnKind.ANSWER) for turn in talk.turns):
        return None
    # What this session gave before is not known beforehand: distilled again, it gives the same.
    others = [entry.memory for entry in app.index.select(Select()) if entry.memory.source != job.session]
    known = Known(memories=tuple(others), overview=read_overview_page(app).decode("utf-8", "replace"))
    made = distiller.distil(talk, known)
    return doubt_unproven_words(made, talk, known, records, read_vouchings(app).vouched)


def _records(app: App, row: SessionRow) -> Iterator[JournalRecord]:
    """The events of a session and of its subagents' own, as far as the index has seen."""
    for record in app.journal.read(row.place):
        if record.kind == "event" and (record.data.get("session") == row.session or _parent(record) == row.session):
            yield record
        if record.id >= row.last:
            return


def _parent(record: JournalRecord) -> str:
    data = record.data.get("data")
    extra = data.get("extra") if isinstance(data, Mapping) else None
    return str(extra.get("parent") or "") if isinstance(extra, Mapping) else ""


def _is_from_subagent(record: JournalRecord) -> bool:
    return bool(_parent(record))


def _write(app: App, made: Distilled) -> tuple[str, ...]:
    fresh = tuple(memory.id for memory in made.candidates if _propose(app, memory))
    folder = os.path.join("runs", made.run)
    write_if_changed(
        app, os.path.join(folder, "lineage.jsonl"), session_pages.to_jsonl(session_pages.lineage_rows(made))
    )
    write_if_changed(
        app, os.path.join(folder, "observations.jsonl"), session_pages.to_jsonl(session_pages.observation_rows(made))
    )
    if made.shared:
        _tell_later_sessions(app, made)
    # Last: where it stands, the run is whole.
    write_if_changed(app, os.path.join(folder, "summary.md"), session_pages.render_summary(made))
    return fresh


def _tell_later_sessions(app: App, made: Distilled) -> None:
    """Learnings, the day's line and the briefing: what a session to come may read or is told."""
    for learned in made.learnings:
        path, text = session_pages.render_learning(learned, made)
        write_if_changed(app, choose_learning_path(app, path, text), text)
    if line := session_pages.format_log_line(made):
        log_once(app, made.ended or made.started, line)
    if str(_briefing(app).get("updatedAt", "")) <= made.ended and not TrackedFiles(app).holds(BRIEFING):
        write_if_changed(
            app, BRIEFING, json.dumps(session_pages.briefing_json(made), ensure_ascii=False, indent=1) + "\n"
        )


def _propose(app: App, memory: Memory) -> bool:
    """Keep a candidate, unless it was proposed before; one that waits takes what is new to it. Whether it is new."""
    there = app.candidates.find(memory.id)
    if there is not None:
        doubted = there.memory.extra.get(DOUBT) != memory.extra.get(DOUBT)
        if there.memory.status is Status.CANDIDATE and (doubted or _was_said_again(there.memory, memory)):
            app.candidates.rewrite(there, memory)
        return False
    if find_rejected_twin(app, memory) is not None:
        return False
    entry = app.candidates.add(memory)
    data = {"id": memory.id, "sha256": entry.sha256, "text": memory.id}
    [receipt] = app.journal.append([
        Event(client="holdfast", name="candidate.added", key=f"distilled:{memory.id}", data=data)
    ])  # fmt: skip
    if not receipt.fresh:
        # A person has decided since: accepted or forgotten, it does not come back.
        app.candidates.remove(entry)
    return receipt.fresh


def _was_said_again(there: Memory, memory: Memory) -> bool:
    return (memory.attempts or 0) > (there.attempts or 0) or count_sessions(memory) > count_sessions(there)


def _distiller(app: App) -> Distiller:
    opened = open_distiller(app)
    if opened.distiller is None and opened.wanted:
        app.notices.append(f"Distilled by rules: {opened.reason}. {opened.hint}".rstrip())
    return opened.distiller or RuleDistiller()


def _briefing(app: App) -> Mapping[str, Any]:
    return read_json_cache(os.path.join(app.folder, BRIEFING))


def _read_known_sessions(app: App) -> dict[str, Mapping[str, Any]]:
    found = read_json_cache(os.path.join(app.folder, DISTILLED)).get("sessions")
    rows = found.items() if isinstance(found, dict) else ()
    return {name: row for name, row in rows if isinstance(row, dict)}


def _note(app: App, session: str, row: Mapping[str, Any]) -> None:
    _keep(app, _read_known_sessions(app) | {session: row})


def _keep(app: App, rows: Mapping[str, Mapping[str, Any]]) -> None:
    write_json_cache(os.path.join(app.folder, DISTILLED), {"v": 1, "sessions": dict(rows)})


@contextmanager
def _lock_distilling(app: App) -> Iterator[int]:
    """The lock's file while this process has the work to itself; -1 where another one has it."""
    make_folder(os.path.join(app.folder, "state"))
    with try_lock(os.path.join(app.folder, LOCK)) as lock:
        yield lock
        if lock >= 0:
            with suppress(OSError):
                os.ftruncate(lock, 0)
