"""What every journal promises."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from holdfast.core.errors import BadRequest
from holdfast.core.event import Cursor, Event, JournalRecord
from holdfast.core.journal_store import AppendedJournal, Journal
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.journal.file_journal import FileJournal

LONG_AFTER = "2999-01-01T00:00:00Z"


@pytest.fixture
def files(tmp_path: Path) -> Journal:
    return FileJournal(str(tmp_path / "journal"), segment_bytes=4096)


@pytest.fixture(params=["files", "postgres"])
def journal(request: pytest.FixtureRequest, files: Journal) -> AppendedJournal:
    return PostgresJournal(request.getfixturevalue("space")) if request.param == "postgres" else files


def event(number: int, key: str = "", **data: object) -> Event:
    return Event(client="test", session="s", name=f"event-{number}", key=key, data=data)


def fill(journal: AppendedJournal, count: int) -> list[str]:
    receipts = [journal.append([event(number, key=f"k{number}", text="x" * 100)])[0] for number in range(count)]
    return [receipt.id for receipt in receipts]


def events(journal: AppendedJournal, after: Cursor | None = None) -> list[JournalRecord]:
    return [record for record in journal.read(after) if record.kind == "event"]


def ids(records: Sequence[JournalRecord]) -> list[str]:
    return [record.id for record in records]


def test_an_empty_journal_reads_as_nothing(journal: AppendedJournal) -> None:
    assert list(journal.read()) == []


def test_there_is_nothing_wrong_with_an_empty_journal(files: Journal) -> None:
    assert files.verify().damage == ()
    assert files.compact() == []
    assert files.recover() == []


def test_events_come_back_in_the_order_written(journal: AppendedJournal) -> None:
    receipts = journal.append([event(1, a=1), event(2, b="ß\n\u2028 'quoted' \"twice\""), event(3)])

    read = events(journal)

    assert ids(read) == [receipt.id for receipt in receipts]
    assert [record.data["name"] for record in read] == ["event-1", "event-2", "event-3"]
    assert read[1].data["data"] == {"b": "ß\n\u2028 'quoted' \"twice\""}
    assert all(receipt.fresh for receipt in receipts)


def test_ids_grow_with_every_record(journal: AppendedJournal) -> None:
    written = fill(journal, 50)

    assert written == sorted(set(written))


def test_a_key_seen_before_is_acknowledged_and_not_written_again(journal: AppendedJournal) -> None:
    first = journal.append([event(1, key="same")])[0]

    again = journal.append([event(2, key="same")])[0]

    assert again.id == first.id
    assert (first.fresh, again.fresh) == (True, False)
    assert len(events(journal)) == 1


def test_a_key_twice_in_one_batch_is_written_once(journal: AppendedJournal) -> None:
    receipts = journal.append([event(1, key="same"), event(2, key="same"), event(3, key="other")])

    assert [receipt.fresh for receipt in receipts] == [True, False, True]
    assert receipts[0].id == receipts[1].id
    assert len(events(journal)) == 2


def test_events_without_a_key_are_never_the_same(journal: AppendedJournal) -> None:
    journal.append([event(1), event(1)])
    journal.append([event(1)])

    assert len(events(journal)) == 3


def test_an_old_key_is_still_known_after_many_events(journal: AppendedJournal) -> None:
    written = fill(journal, 200)

    receipts = journal.append([event(0, key="k0"), event(0, key="k100"), event(0, key="k199")])

    assert [receipt.id for receipt in receipts] == [written[0], written[100], written[199]]


def test_appending_nothing_writes_nothing(journal: AppendedJournal) -> None:
    assert journal.append([]) == []
    assert list(journal.read()) == []


def test_an_event_that_is_not_json_leaves_its_whole_batch_out(journal: AppendedJournal) -> None:
    with pytest.raises(BadRequest, match="event-2"):
        journal.append([event(1), event(2, bad=float("nan"))])

    assert list(journal.read()) == []


def test_half_a_surrogate_pair_survives(journal: AppendedJournal) -> None:
    journal.append([event(1, key="\ud800", text="\udc00")])

    assert journal.append([event(1, key="\ud800")])[0].fresh is False
    assert events(journal)[0].data["data"] == {"text": "\udc00"}


def test_an_events_own_time_is_kept_in_utc(journal: AppendedJournal) -> None:
    journal.append([Event(client="c", name="n", ts="2026-11-15T11:22:14.123+02:00")])

    assert events(journal)[0].ts == "2026-11-15T09:22:14.123Z"


def test_an_event_with_a_time_that_is_none_gets_the_clocks(journal: AppendedJournal) -> None:
    journal.append([Event(client="c", name="n", ts='yes", "kind": "tombstone')])

    assert events(journal)[0].ts.endswith("Z")


def test_reading_goes_on_from_any_records_cursor(journal: AppendedJournal) -> None:
    written = fill(journal, 60)
    everything = list(journal.read())

    for at, record in enumerate(everything):
        assert ids(list(journal.read(record.after))) == ids(everything[at + 1 :])
    assert ids(events(journal)) == written


def test_what_is_appended_later_is_read_from_the_last_cursor(journal: AppendedJournal) -> None:
    fill(journal, 3)
    last = list(journal.read())[-1]
    new = journal.append([event(4)])[0]

    assert ids(events(journal, last.after)) == [new.id]


def test_reading_goes_on_at_every_cursor(files: Journal) -> None:
    written = fill(files, 40)
    files.delete([written[3], written[4], written[20]], "test")
    everything = list(files.read())

    for record, following in pairwise(everything):
        assert next(files.read(record.after)).id == following.id


def test_there_is_nothing_to_read_at_the_end(journal: AppendedJournal) -> None:
    fill(journal, 1)
    last = list(journal.read())[-1]

    assert list(journal.read(last.after)) == []


def test_a_deleted_event_is_not_read_not_even_from_its_place(files: Journal) -> None:
    fill(files, 1)
    place = list(files.read())[-1].after
    gone = files.append([event(1, key="gone")])[0]

    receipt = files.delete([gone.id], "test")

    assert gone.id not in ids(list(files.read()))
    assert next(files.read(place)).id == receipt.id
    tombstone = next(record for record in files.read() if record.kind == "tombstone")
    assert tombstone.id == receipt.id
    assert tombstone.data["of"] == [gone.id]
    assert tombstone.data["why"] == "test"


def test_deleting_what_is_not_there_is_no_failure(files: Journal) -> None:
    written = fill(files, 2)

    files.delete(["01ARZ3NDEKTSV4RRFFQ69G5FAV"], "test")

    assert ids(events(files)) == written


def test_a_tombstone_cannot_be_deleted(files: Journal) -> None:
    written = fill(files, 2)
    tombstone = files.delete([written[0]], "test")

    files.delete([tombstone.id], "undo")
    files.compact()

    assert ids(events(files)) == written[1:]
    assert tombstone.id in ids(list(files.read()))


def test_a_report_counts_events_and_deleted_ones_apart(files: Journal) -> None:
    written = fill(files, 5)
    files.delete(written[:2], "test")

    report = files.verify()

    assert (report.events, report.deleted, report.damage, report.torn) == (3, 2, (), ())


def test_verifying_tells_how_far_it_is_and_ends_at_all(files: Journal) -> None:
    fill(files, 100)
    told: list[tuple[int, int]] = []

    files.verify(lambda done, total: told.append((done, total)))

    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] == files.verify().size


def test_compacting_takes_deleted_events_away_and_nothing_else(files: Journal) -> None:
    written = fill(files, 100)
    gone = {written[1], written[50], written[99]}
    files.delete(sorted(gone), "test")
    before = {record.id: record.data for record in events(files)}

    done = files.compact()

    assert {removed for each in done for removed in each.removed} == gone
    assert {record.id: record.data for record in events(files)} == before
    assert files.verify().deleted == 0
    assert files.verify().damage == ()
    assert files.compact() == []


def test_a_dry_run_says_what_would_go_and_changes_nothing(files: Journal) -> None:
    written = fill(files, 40)
    files.delete([written[0], written[39]], "test")
    before = files.verify()

    planned = files.compact(dry_run=True)

    assert files.verify() == before
    assert [each.removed for each in files.compact()] == [each.removed for each in planned]


def test_cursors_from_before_a_compaction_go_on_where_they_stood(files: Journal) -> None:
    written = fill(files, 60)
    cursors = {record.id: record.after for record in events(files)}
    files.delete(written[5:20] + written[30:31], "test")
    files.compact()
    files.delete(written[22:25], "test")
    files.compact()

    kept = written[:5] + written[20:22] + written[25:30] + written[31:]
    for record_id, cursor in cursors.items():
        assert ids(events(files, cursor)) == [each for each in kept if each > record_id]


def test_a_key_whose_event_is_off_the_disk_may_be_written_again(files: Journal) -> None:
    written = fill(files, 3)
    files.delete([written[1]], "test")
    assert files.append([event(1, key="k1")])[0].fresh is False
    files.compact()

    again = files.append([event(1, key="k1"), event(2, key="k2")])

    assert [receipt.fresh for receipt in again] == [True, False]


def test_retention_by_age_retires_all_but_what_is_kept(files: Journal) -> None:
    written = fill(files, 60)

    files.compact(keep=[written[7]], older_than=LONG_AFTER)

    assert ids(events(files)) == [written[7]]
    assert files.verify().damage == ()


def test_retention_by_age_leaves_what_is_younger(files: Journal) -> None:
    written = fill(files, 20)

    assert files.compact(older_than="2001-01-01T00:00:00+02:00") == []
    assert ids(events(files)) == written


def test_retention_by_size_retires_the_oldest_first_but_what_is_kept(files: Journal) -> None:
    written = fill(files, 200)
    size = files.verify().size

    files.compact(keep=[written[2]], larger_than=size // 2)

    left = ids(events(files))
    assert written[2] in left
    assert written[0] not in left
    assert left[1:] == written[-len(left) + 1 :]
    assert len(left) > 20


def test_an_age_that_is_no_time_is_refused(files: Journal) -> None:
    fill(files, 1)

    with pytest.raises(BadRequest, match="yesterday"):
        files.compact(older_than="yesterday")


def test_deleted_events_go_even_when_retention_should_keep_them(files: Journal) -> None:
    written = fill(files, 5)
    files.delete([written[0]], "test")

    files.compact(keep=[written[0]])

    assert files.verify().deleted == 0
