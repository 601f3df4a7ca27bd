"""Did it help? What was told, what came of it, and how sessions went with and without."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from holdfast.core.search import Select
from holdfast.core.value import Value, as_dict
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.records.judge_use import CONTRADICTED, HELD, IGNORED, TOLD, USED, InjectedMemory, SessionUse
from holdfast.records.memory_use import read_use, read_use_counts, rebuild_use
from holdfast.records.work_records import list_ratings
from holdfast.report.effect import MeanDifference, compare_groups, estimate_share
from holdfast.workspace import App

__all__ = [
    "BETTER_WHEN_MORE",
    "MeanDifference",
    "MemoryUseCounts",
    "UseReport",
    "compute_stats",
    "count_uses",
    "stats_json",
]

BETTER_WHEN_MORE: Mapping[str, bool] = {"rating": True, "failed_checks": False, "corrections": False}


MOST_SHOWN = 5


class MemoryOccasion(Value):
    """A memory in one session."""

    ts: str
    session: str
    client: str
    memory: InjectedMemory


class MemoryUseCounts(Value):
    """One memory over all its sessions."""

    id: str
    type: str
    title: str
    sessions: int
    used: int
    contradicted: int
    ignored: int
    tokens: int
    avoided: int
    repeated: int
    last: str
    occasions: tuple[MemoryOccasion, ...] = ()


class WeeklyUse(Value):
    """What was told in the week from a Monday on, and how much of it was used."""

    week: str
    sessions: int
    tokens: int
    told: int
    used: int


class UseReport(Value):
    """Everything `holdfast stats` says."""

    since: str
    sessions: int
    tokens: int
    told: int
    verdicts: Mapping[str, int]
    avoided: int
    repeated: int
    hit_rate: tuple[float, float, float] | None
    weeks: tuple[WeeklyUse, ...]
    memories: tuple[MemoryUseCounts, ...]
    arms: Mapping[str, int]
    effect: Mapping[str, MeanDifference]
    broken: int


def compute_stats(app: App, days: int = 0, wanted: str = "") -> UseReport:
    """What memory cost and what it brought, in the last days (0: ever), of all or of one memory."""
    rated = list_ratings(app).ratings
    rebuild_use(app)
    sessions, broken = read_use(app)
    since = (app.clock.now() - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ") if days else ""
    recent = [used for used in sessions if used.ts >= since]
    chosen = _find_id(app, wanted, recent) if wanted else ""
    every = [(used, told) for used in recent for told in used.memories if not chosen or told.id == chosen]
    verdicts = Counter(told.verdict for _, told in every)
    told = [used for used in recent if used.arm != HELD]
    _tell_unread(app, recent)
    return UseReport(
        since=since,
        sessions=len({used.session for used, _ in every}) if chosen else len(told),
        tokens=sum(each.tokens for _, each in every) if chosen else sum(used.tokens for used in told),
        told=len(every),
        verdicts={name: verdicts[name] for name in (USED, IGNORED, CONTRADICTED)},
        avoided=sum(each.avoided for _, each in every),
        repeated=sum(each.repeated for _, each in every),
        hit_rate=estimate_share(verdicts[USED], len(every)),
        weeks=_weeks(every, told, app.clock.now().date() if every else None, by_memory=bool(chosen)),
        memories=_memories(app, every, whole=bool(chosen)),
        arms={name: sum(used.arm == name for used in recent) for name in (TOLD, HELD)},
        effect={} if chosen else measure_effect(recent, rated),
        broken=broken,
    )


def _tell_unread(app: App, sessions: Iterable[SessionUse]) -> None:
    """Say which manifests nothing can be said of."""
    paths = list(dict.fromkeys(path for used in sessions for path in used.unread))
    if paths:
        shown = ", ".join(paths[:MOST_SHOWN]) + (" …" if len(paths) > MOST_SHOWN else "")
        app.notices.append(
            f"Manifests that sessions wrote could not be read, so nothing can be said of what they brought in: {shown}."
        )


def count_uses(app: App) -> Mapping[str, int]:
    """By id, in how many sessions a memory was used. One small file is read; nothing is refreshed."""
    return {name: used for name, (_, used) in read_use_counts(app).items() if used}


def measure_effect(sessions: Iterable[SessionUse], rated: Iterable[Mapping[str, Any]]) -> dict[str, MeanDifference]:
    """How sessions went that were told something, beside those from which it was withheld. Empty without a hold-out."""
    arms = {name: [used for used in sessions if used.arm == name] for name in (TOLD, HELD)}
    if not arms[HELD]:
        return {}
    by_session: dict[str, list[float]] = defaultdict(list)
    for line in rated:
        by_session[str(line.get("session"))].append(float(line["rating"]))
    found = {
        name: {
            "rating": [sum(r) / len(r) for used in group if (r := by_session.get(used.session))],
            "failed_checks": [float(used.failed) for used in group],
            "corrections": [float(used.corrections) for used in group],
        }
        for name, group in arms.items()
    }
    return {
        what: compare_groups(found[TOLD][what], found[HELD][what], more_is_better=better)
        for what, better in BETTER_WHEN_MORE.items()
    }


def stats_json(found: UseReport) -> dict[str, Any]:
    """The one JSON form."""
    rate = found.hit_rate
    return {
        "since": found.since or None,
        "sessions": found.sessions,
        "tokens": found.tokens,
        "told": found.told,
        **found.verdicts,
        "hit_rate": {"value": rate[0], "low": rate[1], "high": rate[2]} if rate else None,
        "avoided": found.avoided,
        "repeated": found.repeated,
        "weeks": [as_dict(week) for week in found.weeks],
        "memories": [_memory_json(memory) for memory in found.memories],
        "holdout": {**found.arms, **{name: as_dict(each) for name, each in found.effect.items()}}
        if found.effect
        else None,
        "broken": found.broken,
    }


def _memory_json(memory: MemoryUseCounts) -> dict[str, Any]:
    occasions = [
        {"ts": each.ts, "session": each.session, "client": each.client, **_told_json(each.memory)}
        for each in memory.occasions
    ]
    form = as_dict(memory) | {"occasions": occasions}
    if not occasions:
        del form["occasions"]
    return form


def _told_json(told: InjectedMemory) -> dict[str, Any]:
    return {name: value for name, value in as_dict(told).items() if name not in {"id", "type"}}


def _find_id(app: App, wanted: str, sessions: Iterable[SessionUse]) -> str:
    """The id that is meant: of a memory that is there, or of one that was told and is gone."""
    known = {told.id for used in sessions for told in used.memories}
    if wanted.upper() in known:
        return wanted.upper()
    if wanted in known:
        return wanted
    try:
        return find_entry(app, wanted).memory.id
    except NoSuchId:
        near = sorted(name for name in known if name.casefold().startswith(wanted.casefold()))
        if len(near) != 1 or len(wanted) < 3:
            raise
        return near[0]


def _memories(
    app: App, every: Sequence[tuple[SessionUse, InjectedMemory]], *, whole: bool
) -> tuple[MemoryUseCounts, ...]:
    by_id: dict[str, list[tuple[SessionUse, InjectedMemory]]] = defaultdict(list)
    for used, told in every:
        by_id[told.id].append((used, told))
    titles = {entry.memory.id: entry.memory.title for entry in app.index.select(Select(ids=tuple(by_id)))}
    found = [_memory(name, titles.get(name, ""), pairs, whole=whole) for name, pairs in by_id.items()]
    return tuple(sorted(found, key=lambda memory: (-memory.used, -memory.sessions, memory.id)))


def _memory(
    name: str, title: str, pairs: Sequence[tuple[SessionUse, InjectedMemory]], *, whole: bool
) -> MemoryUseCounts:
    verdicts = Counter(told.verdict for _, told in pairs)
    occasions = [
        MemoryOccasion(ts=used.ts, session=used.session, client=used.client, memory=told) for used, told in pairs
    ]
    return MemoryUseCounts(
        id=name,
        type=next((told.type for _, told in reversed(pairs) if told.type), ""),
        title=title,
        sessions=len(pairs),
        used=verdicts[USED],
        contradicted=verdicts[CONTRADICTED],
        ignored=verdicts[IGNORED],
        tokens=sum(told.tokens for _, told in pairs),
        avoided=sum(told.avoided for _, told in pairs),
        repeated=sum(told.repeated for _, told in pairs),
        last=max(used.ts for used, _ in pairs),
        occasions=tuple(occasions) if whole else (),
    )


def _weeks(
    every: Sequence[tuple[SessionUse, InjectedMemory]],
    sessions: Sequence[SessionUse],
    today: date | None,
    *,
    by_memory: bool,
) -> tuple[WeeklyUse, ...]:
    """Every week from the first telling to now, those in which nothing was told too."""
    if today is None:
        return ()
    first = min(_monday(used.ts) for used, _ in every)
    found = []
    monday = first
    while monday <= max(today, first):
        pairs = [(used, told) for used, told in every if _monday(used.ts) == monday]
        told_in = [used for used in sessions if _monday(used.ts) == monday]
        found.append(
            WeeklyUse(
                week=monday.isoformat(),
                sessions=len({used.session for used, _ in pairs}),
                tokens=sum(told.tokens for _, told in pairs) if by_memory else sum(used.tokens for used in told_in),
                told=len(pairs),
                used=sum(told.verdict == USED for _, told in pairs),
            )
        )
        monday += timedelta(days=7)
    return tuple(found)


def _monday(ts: str) -> date:
    day = date.fromisoformat(ts[:10])
    return day - timedelta(days=day.weekday())
