"""How much a project grows on disk: by place, for 1,000 events and for a month of work.

Sessions as Claude Code writes them are harvested, put into records, indexed and distilled by rules, day after day into
one workspace. Beside it: what the same journal takes in a bundle and in PostgreSQL.

./do bench growth                    21 days of 300 events
python -m bench.growth --days 63     three months
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.databases import database, new_space, postgres

from bench.harvest import Transcripts
from bench.table import Row, table
from holdfast.app import build_app
from holdfast.distil.distil_sessions import distil, filter_waiting, list_jobs
from holdfast.exchange.bundles.bundle_places import export_to
from holdfast.exchange.bundles.export_import import BundleRecipients, build_export_request
from holdfast.exchange.postgres.database import DatabaseSpace
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.sync.journal_events_sync import event_of
from holdfast.harvest.harvest_transcripts import HarvestRequest, harvest
from holdfast.records.refresh_records import refresh_records

# A day: some 300 events, which is five sessions of six to ten prompts and their tool calls.
DAY_BYTES = 6_500_000
SESSIONS = 5
DAYS = 21
HEAD = ("place", "after {first} days, kB per 1,000 events", "after {last} days, kB per 1,000 events", "MB a month")
# What a place is for; everything else is `the rest`.
PLACES = {
    "journal": "journal: what happened, word for word",
    "index.db": "index: derived, safe to delete",
    "memory": "memory: what was accepted",
    "candidates": "candidates: what waits for a person",
    "records": "records of the work",
}
CHUNK = 500


def main(days: int = DAYS) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        root = Path(folder).resolve()
        os.environ |= {"HOME": str(root / "user"), "HOLDFAST_HOME": str(root / "home")}
        first, last = max(1, days // 3), days
        grown = {day: seen for day, seen in _days(root, days) if day in (first, last)}
        head = tuple(each.format(first=first, last=last) for each in HEAD)
        print(table(f"Growth: {_told(grown[last])}", head, _rows(grown[first], grown[last], days)), flush=True)


class Seen:
    """How large everything is after a day."""

    def __init__(self, events: int, transcripts: int, sizes: Mapping[str, int]) -> None:
        self.events, self.transcripts, self.sizes = events, transcripts, sizes


def _days(root: Path, days: int) -> Iterator[tuple[int, Seen]]:
    workspace = root / "project"
    (workspace / ".holdfast").mkdir(parents=True)
    name = "".join(char if char.isalnum() else "-" for char in str(workspace))
    project = root / "user" / ".claude" / "projects" / name
    project.mkdir(parents=True)
    transcripts = Transcripts(str(workspace))
    for day in range(1, days + 1):
        for _ in range(SESSIONS):
            transcripts.write(project / "x", DAY_BYTES // SESSIONS)
        for path in project.iterdir():
            os.utime(path, (1_770_100_000, 1_770_100_000))
        events = _worked(workspace)
        if day in (max(1, days // 3), days):
            yield day, Seen(events, _size(project), {**_sizes(workspace), **_elsewhere(root, workspace)})


def _worked(workspace: Path) -> int:
    """One day: everything that Holdfast does with it. How many events there are now."""
    folder = str(workspace)
    app = build_app(folder)
    harvest(app, HarvestRequest(folders={folder: folder}, workers=os.cpu_count() or 1))
    refresh_records(app)
    app.refresh()
    list(distil(app, filter_waiting(list_jobs(app))))
    app.refresh()
    return sum(record.kind == "event" for record in app.journal.read())


def _sizes(workspace: Path) -> dict[str, int]:
    inside = workspace / ".holdfast"
    found: dict[str, int] = {}
    for path in inside.rglob("*"):
        if path.is_file():
            name = path.relative_to(inside).parts[0]
            place = next((PLACES[each] for each in PLACES if name.startswith(each)), f"`{name}/`")
            found[place] = found.get(place, 0) + path.stat().st_size
    return found


def _elsewhere(root: Path, workspace: Path) -> dict[str, int]:
    """The journal in a bundle, and in a database."""
    bundle = str(root / "x.tar.zst")
    app = build_app(str(workspace))
    export_to(app, bundle, build_export_request(app, journal=True, conversations=True), BundleRecipients())
    packed = os.path.getsize(bundle)
    os.unlink(bundle)
    with postgres() as url, database(url) as found:
        space = new_space(found)
        journal = PostgresJournal(space)
        events = [event_of(record, record.id) for record in app.journal.read() if record.kind == "event"]
        for start in range(0, len(events), CHUNK):
            journal.append(events[start : start + CHUNK])
        return {"besides: all of it in a bundle": packed, "besides: the journal in PostgreSQL": _table(space)}


def _table(space: DatabaseSpace) -> int:
    with space.reading() as cursor:
        row = cursor.execute("SELECT pg_total_relation_size('journal')").fetchone()
    return int(row[0]) if row else 0


def _rows(first: Seen, last: Seen, days: int) -> list[Row]:
    inside = {place: size for place, size in last.sizes.items() if not place.startswith("besides")}
    rows = [
        _row(place, first, last, days)
        for place in [*sorted(inside, key=lambda place: -inside[place]), *(set(last.sizes) - set(inside))]
    ]
    whole = _row("**all that is kept**", _summed(first), _summed(last), days)
    return [whole, *rows]


def _summed(seen: Seen) -> Seen:
    total = sum(size for place, size in seen.sizes.items() if not place.startswith("besides"))
    return Seen(seen.events, seen.transcripts, {"**all that is kept**": total})


def _row(place: str, first: Seen, last: Seen, days: int) -> Row:
    def per_thousand(seen: Seen) -> str:
        return f"{seen.sizes.get(place, 0) / seen.events:,.0f}"

    return place, per_thousand(first), per_thousand(last), f"{last.sizes[place] / days * DAYS / 1e6:.1f}"


def _told(seen: Seen) -> str:
    return f"{seen.events:,} events, {seen.transcripts / 1e6:.0f} MB of the client's own transcripts"


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--days", type=int, default=DAYS, help="days of work")
    main(parser.parse_args().days)
