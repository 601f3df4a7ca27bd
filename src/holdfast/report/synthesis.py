"""A week or a month put together, and what happened to files of late."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.event import BEGINNING, Cursor, JournalRecord
from holdfast.core.home import FOLDER
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value, as_dict
from holdfast.records.file_activity import AskedPrompt, ToolFileWrite, build_histories
from holdfast.records.work_records import list_learnings, list_ratings
from holdfast.report.period_synthesis import (
    ALL,
    MONTH,
    WEEK,
    LearningRecord,
    Period,
    PeriodSynthesis,
    month_of,
    render_page,
    synthesize,
    to_json,
    week_of,
    weeks_beginning_in,
)
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

__all__ = [
    "ALL",
    "MONTH",
    "WEEK",
    "PeriodSynthesis",
    "SynthesisFile",
    "activity_json",
    "list_activity",
    "synthesis_json",
    "write_synthesis",
]

PLACE = os.path.join("learning", "synthesis")
FOREVER = ("", "9999")
# Of the index's rows, as many as are looked through for the place at which to begin.
MOST_ROWS = 50_000
SEGMENT = 8 * 1024 * 1024


class BadSynthesisDay(BadRequest):
    """A text that is no day."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no day.", "write it like 2026-11-15.")


class SynthesisFile(Value):
    """A period put together, and the file that holds it; empty when there is none."""

    found: PeriodSynthesis
    path: str = ""


class FileSessionActivity(Value):
    """What a session did to a file, and for which prompts."""

    session: str
    client: str
    changes: int
    first: str
    last: str
    prompts: tuple[AskedPrompt, ...]


class ChangedFileActivity(Value):
    """A file that changed, by session, the newest first."""

    path: str
    changes: int
    last: str
    sessions: tuple[FileSessionActivity, ...]


def write_synthesis(app: App, kind: str, day: str = "") -> SynthesisFile:
    """Put a period together and write its file. Nothing is written where nothing was recorded."""
    on = _parse_day(day) if day else app.clock.now().date()
    period = {WEEK: week_of(on), MONTH: month_of(on)}.get(kind) or Period(
        kind=ALL, since="0001-01-01", until="9999-12-31"
    )
    # The weekly file has every week of its month; the week asked for may begin in the month before.
    month = month_of(date.fromisoformat(period.since)) if kind == WEEK else period
    periods = weeks_beginning_in(month) if kind == WEEK else [period]
    found = _synthesise_periods(app, periods)
    wanted = next(each for each in found if each.period == period)
    if all(each.empty for each in found):
        return SynthesisFile(found=wanted)
    folder = os.path.join(PLACE, "" if kind == ALL else month.since[:7])
    path = os.path.join(
        folder, {WEEK: "weekly-patterns.md", MONTH: "monthly-patterns.md", ALL: "all-patterns.md"}[kind]
    )
    title = {WEEK: f"Weekly patterns, {month.since[:7]}", MONTH: "Monthly patterns", ALL: "Patterns"}[kind]
    put_file(os.path.join(app.folder, path), render_page(found, title).encode("utf-8", "replace"))
    return SynthesisFile(found=wanted, path=f"{FOLDER}/{path}")


def synthesis_json(made: SynthesisFile) -> dict[str, Any]:
    """The one JSON form."""
    return to_json(made.found) | {"path": made.path or None}


def list_activity(app: App, days: int, path: str = "") -> list[ChangedFileActivity]:
    """Files that changed in the last days, the newest first; with a path, only what lies there."""
    since = (app.clock.now() - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    [history] = build_histories(_records(app, since), app.workspace, [(since, "9999")])
    wanted = [_relative_path(app, path)] if path else []
    by_path: dict[str, list[ToolFileWrite]] = defaultdict(list)
    for change in history.changes:
        if applies_to(wanted, change.path):
            by_path[change.path].append(change)
    found = [_file(name, changes) for name, changes in by_path.items()]
    return sorted(sorted(found, key=lambda each: each.path), key=lambda each: each.last, reverse=True)


def activity_json(found: ChangedFileActivity) -> dict[str, Any]:
    """The one JSON form."""
    sessions = [as_dict(each) | {"prompts": [as_dict(prompt) for prompt in each.prompts]} for each in found.sessions]
    return as_dict(found) | {"sessions": sessions}


def _synthesise_periods(app: App, periods: Sequence[Period]) -> list[PeriodSynthesis]:
    rated = list_ratings(app).ratings
    written = [_learning(kind, each.text, each.head, each.path) for kind, each in list_learnings(app)]
    spans = [(period.since, period.until) if period.kind != ALL else FOREVER for period in periods]
    found = build_histories(_records(app, min(since for since, _ in spans)), app.workspace, spans)
    return [synthesize(period, each, rated, written) for period, each in zip(periods, found, strict=True)]


def _learning(kind: str, text: str, head: Mapping[str, Any], path: str) -> LearningRecord:
    first = next((line.lstrip("# ").strip() for line in text.splitlines() if line.strip()), "")
    return LearningRecord(text=first, at=str(head.get("at", "")), path=path, category=kind)


def _records(app: App, since: str) -> Iterator[JournalRecord]:
    """The journal from a time on, with the day before: it says which prompts were open."""
    begin = _place(app, (date.fromisoformat(since[:10]) - timedelta(days=1)).isoformat()) if since else BEGINNING
    end = _bytes(app.index.cursor()) - _bytes(begin)
    for count, record in enumerate(app.journal.read(begin)):
        if app.progress and count % 1000 == 0:
            done = _bytes(record.after) - _bytes(begin)
            app.progress("reading the journal", min(done, end) // 1024, max(end, 1024) // 1024)
        yield record


def _bytes(place: Cursor) -> int:
    """About how many bytes of the journal lie before a place."""
    return place.segment * SEGMENT + place.offset


def _place(app: App, since: str) -> Cursor:
    """Where to begin. Events may have been written down late, so it is the least place of all that are meant."""
    if since < "0002":
        return BEGINNING
    rows = app.index.events(since, 0, MOST_ROWS)
    if len(rows) >= MOST_ROWS:
        return BEGINNING
    places = [row.place for row in rows]
    return min(places, key=lambda place: (place.segment, place.offset)) if places else app.index.cursor()


def _parse_day(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise BadSynthesisDay(text) from None
    if not 1 < found.year < 9999:
        raise BadSynthesisDay(text)
    return found


def _relative_path(app: App, path: str) -> str:
    """A path as the records know it: from the workspace's root."""
    if os.path.isabs(path):
        return os.path.relpath(path, app.workspace).replace(os.sep, "/")
    here = os.path.relpath(os.getcwd(), app.workspace)
    outside = here.startswith("..") or here == "."
    return path.removeprefix("./") if outside else os.path.normpath(os.path.join(here, path)).replace(os.sep, "/")


def _file(path: str, changes: Sequence[ToolFileWrite]) -> ChangedFileActivity:
    by_session: dict[str, list[ToolFileWrite]] = defaultdict(list)
    for change in changes:
        by_session[change.session].append(change)
    sessions = [_in_session(name, several) for name, several in by_session.items()]
    ordered = tuple(sorted(sessions, key=lambda each: each.last, reverse=True))
    return ChangedFileActivity(path=path, changes=len(changes), last=max(c.at for c in changes), sessions=ordered)


def _in_session(name: str, changes: Sequence[ToolFileWrite]) -> FileSessionActivity:
    prompts = {change.prompt.event: change.prompt for change in changes if change.prompt}
    times = [change.at for change in changes]
    return FileSessionActivity(
        session=name,
        client=changes[-1].client,
        changes=len(changes),
        first=min(times),
        last=max(times),
        prompts=tuple(prompts.values()),
    )
