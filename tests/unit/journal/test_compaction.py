"""Compaction: proof, places, and being cut short at every step."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.core.event import Compacted, Event
from holdfast.journal import compact_journal, line_format, line_scan
from holdfast.journal.append_records import append
from holdfast.journal.file_journal import FileJournal
from holdfast.journal.retained_places import Cuts, merge_cuts

Put = Callable[..., list[str]]
Step = Callable[[str, compact_journal.SegmentRewrite], None]


def ids(journal: FileJournal) -> list[str]:
    return [record.id for record in journal.read() if record.kind == "event"]


def lines(folder: Path, number: int) -> list[bytes]:
    return (folder / f"{number:08d}.jsonl").read_bytes().splitlines(keepends=True)


def sha256(folder: Path, number: int) -> str:
    return hashlib.sha256((folder / f"{number:08d}.jsonl").read_bytes()).hexdigest()


@pytest.fixture
def written(journal: FileJournal, put: Put) -> list[str]:
    return put(journal, 60)


def without(folder: Path, number: int, gone: list[str]) -> compact_journal.SegmentRewrite:
    return compact_journal.plan_rewrite(str(folder), number, lambda line: line.id in gone, compact_journal.DELETED)


def test_kept_lines_are_the_same_bytes_and_the_proof_says_so(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    old, old_sum = lines(folder, 1), sha256(folder, 1)
    journal.delete([written[1], written[2]], "test")

    (done,) = journal.compact()

    kept = [line for line in old if line_format.id_in(line) not in (written[1], written[2])]
    assert lines(folder, 1)[1:] == kept
    assert done == Compacted(
        segment="00000001.jsonl",
        before=old_sum,
        after=sha256(folder, 1),
        removed=(written[1], written[2]),
        kept=len(kept),
        kept_sha256=hashlib.sha256(b"".join(kept)).hexdigest(),
    )


def test_a_compaction_is_recorded_with_its_proof(folder: Path, journal: FileJournal, written: list[str]) -> None:
    journal.delete([written[1]], "test")

    (done,) = journal.compact()

    (record,) = [record.data for record in journal.read() if record.kind == "compaction"]
    assert (record["segment"], record["before"], record["after"]) == (1, done.before, done.after)
    assert (record["removed"], record["kept"], record["why"]) == ([written[1]], done.kept, "deleted")
    assert record["kept_sha256"] == done.kept_sha256


def test_nothing_of_a_deleted_event_is_left_in_the_folder(folder: Path, journal: FileJournal, put: Put) -> None:
    journal.append([Event(client="c", name="n", key="hush", data={"text": "SECRET-WORDS"})])
    written = put(journal, 3)
    (folder / "00000001.jsonl.new").write_bytes(b"SECRET-WORDS left by a killed compaction")
    secret = ids(journal)[0]

    journal.delete([secret], "test")
    journal.compact()

    assert all(b"SECRET" not in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert ids(journal) == written


STEPS: dict[str, tuple[Step, ...]] = {
    "before anything": (),
    "after the new file was written": (compact_journal.write_rewrite,),
    "after it was recorded": (compact_journal.write_rewrite, compact_journal.record_rewrite),
    "after it was recorded, and the new file was lost": (compact_journal.record_rewrite,),
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_a_compaction_cut_short_is_finished_by_the_next(
    folder: Path, journal: FileJournal, written: list[str], steps: tuple[Step, ...]
) -> None:
    journal.delete([written[1], written[4]], "test")
    rewrite = without(folder, 1, [written[1], written[4]])
    for step in steps:
        step(str(folder), rewrite)
    between = journal.verify()
    assert between.damage == ()
    assert ids(journal) == [each for each in written if each not in (written[1], written[4])]

    assert journal.compact(dry_run=True) == [rewrite.result]
    assert journal.compact() == [rewrite.result]

    assert sha256(folder, 1) == rewrite.result.after
    assert sum(record.kind == "compaction" for record in journal.read()) == 1
    assert journal.verify().damage == ()
    assert not list(folder.glob("*.new"))


def test_keys_that_a_cut_short_compaction_left_behind_are_made_anew(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    old_keys = (folder / "00000001.keys").read_bytes()
    journal.delete([written[1]], "test")
    journal.compact()
    (folder / "00000001.keys").write_bytes(old_keys)

    receipts = journal.append([Event(client="c", name="n", key=key) for key in ("k0", "k1", "k2")])

    assert [receipt.fresh for receipt in receipts] == [False, True, False]
    assert [receipts[0].id, receipts[2].id] == [written[0], written[2]]


def test_segments_compacted_again_and_again_stay_in_the_chain(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    for record_id in written[:6]:
        journal.delete([record_id], "test")
        journal.compact()
        assert journal.verify().damage == ()

    assert ids(journal) == written[6:]


def test_a_compacted_file_that_changed_afterwards_does_not_match(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    journal.delete([written[1]], "test")
    journal.compact()
    head, opening, _, *rest = lines(folder, 1)
    (folder / "00000001.jsonl").write_bytes(b"".join([head, opening, *rest]))

    (damage,) = journal.verify().damage

    assert damage.segment == "00000001.jsonl"
    assert damage.reason == "records are missing before this line"


def test_a_compaction_that_lies_about_its_beginning_does_not_match(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    record = {"kind": "compaction", "segment": 1, "before": "0" * 64, "after": sha256(folder, 1)}
    append(str(folder), [("", "", json.dumps(record, separators=(",", ":")).encode())])

    (damage,) = journal.verify().damage
    assert damage.reason.startswith("compaction mismatch")


def test_damaged_lines_are_neither_lost_nor_in_the_way(folder: Path, journal: FileJournal, written: list[str]) -> None:
    path = folder / "00000001.jsonl"
    content = bytearray(path.read_bytes())
    at = content.find(b'"k3"')
    content[at] ^= 1
    path.write_bytes(content)
    rotten = lines(folder, 1)[4]
    journal.delete([written[1]], "test")

    journal.compact()

    assert rotten in lines(folder, 1)
    assert [damage.reason for damage in journal.verify().damage] == ["bad checksum"]


def test_a_reader_in_the_middle_reads_on_through_a_compaction(journal: FileJournal, written: list[str]) -> None:
    reader = journal.read()
    seen = [next(reader).id for _ in range(5)]
    journal.delete(written[:40], "test")
    journal.compact()

    seen += [record.id for record in reader]

    assert set(written[40:]) <= set(seen)
    assert seen == sorted(seen)


def test_the_active_segment_is_sealed_only_when_it_must_be(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    count = len(list(folder.glob("*.jsonl")))

    journal.delete([written[0]], "test")
    journal.compact()
    assert len(list(folder.glob("*.jsonl"))) == count

    journal.delete([written[-1]], "test")
    journal.compact()
    assert len(list(folder.glob("*.jsonl"))) == count + 1
    assert journal.verify().damage == ()


def test_retention_by_age_goes_by_the_newest_record_of_a_segment(folder: Path) -> None:
    day = 86_400 * 10**9
    moments = iter(range(20_000 * day, 21_000 * day, day))
    journal = FileJournal(str(folder), segment_bytes=1000, clock=lambda: next(moments))
    written = [journal.append([Event(client="c", name="n", key=str(each))])[0].id for each in range(30)]
    cut_at = datetime.fromtimestamp(20_015 * 86_400, UTC).isoformat()

    journal.compact(older_than=cut_at)

    left = ids(journal)
    assert left == written[-len(left) :]
    assert 15 <= len(left) < 20


def survey(number: int, **values: int) -> compact_journal.SegmentSurvey:
    sizes = {"size": 100, "deleted": 0, "retirable": 90, **values}
    return compact_journal.SegmentSurvey(
        number=number, active=False, newest=datetime(2026, 1, number, tzinfo=UTC), **sizes
    )


def test_a_plan_retires_the_oldest_until_the_journal_is_small_enough() -> None:
    surveys = [survey(1), survey(2, deleted=50, retirable=40), survey(3)]

    assert compact_journal.plan_rewrites(surveys, compact_journal.RetentionRule(larger_than=1000)) == [(2, False)]
    assert compact_journal.plan_rewrites(surveys, compact_journal.RetentionRule(larger_than=200)) == [
        (1, True),
        (2, False),
    ]
    assert compact_journal.plan_rewrites(surveys, compact_journal.RetentionRule(larger_than=150)) == [
        (1, True),
        (2, True),
    ]


def test_a_plan_leaves_segments_alone_that_have_nothing_to_give() -> None:
    retention = compact_journal.RetentionRule(older_than=datetime(2027, 1, 1, tzinfo=UTC))

    assert compact_journal.plan_rewrites([survey(1, retirable=0), survey(2)], retention) == [(2, True)]


def test_places_survive_cuts_and_cuts_of_cuts() -> None:
    once = merge_cuts(Cuts(), [(100, 50), (150, 10), (300, 20)])
    assert once.spans == ((100, 60), (300, 20))
    headed = Cuts.of(once.spans, head=7)

    assert [headed.offset(place) for place in (0, 99, 100, 130, 160, 320)] == [7, 106, 107, 107, 107, 247]
    assert [headed.place(offset) for offset in (7, 106, 107, 247)] == [0, 99, 160, 320]
    assert merge_cuts(headed, [(107, 10)]).spans == ((100, 70), (300, 20))


def test_at_a_place_that_was_cut_out_the_next_record_is_read(journal: FileJournal, written: list[str]) -> None:
    places = {record.id: record.after for record in journal.read()}
    journal.delete([written[1]], "test")
    journal.compact()

    assert next(journal.read(places[written[0]])).id == written[2]
    assert next(journal.read(places[written[1]])).id == written[2]


def test_the_cuts_of_a_segment_are_no_record_of_the_journal(journal: FileJournal, written: list[str]) -> None:
    count = journal.verify().records
    journal.delete([written[1]], "test")
    journal.compact()

    assert line_scan.CUTS not in {record.kind for record in journal.read()}
    # One event fewer; a tombstone and a compaction more.
    assert journal.verify().records == count + 1
