"""Whatever is done to a journal, in whatever order, it reads as a plain list would."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.budget import examples

from holdfast.core.event import Cursor, Event
from holdfast.journal.file_journal import FileJournal

keys = st.one_of(st.just(""), st.sampled_from([f"k{number}" for number in range(12)]))
texts = st.text(max_size=60)
damage = st.binary(min_size=1, max_size=60).filter(lambda torn: b"\n" not in torn)


class JournalMachine(RuleBasedStateMachine):
    """A journal with tiny segments beside a model of it."""

    def __init__(self) -> None:
        super().__init__()
        self._place = tempfile.TemporaryDirectory()
        self.folder = Path(self._place.name) / "journal"
        self.open()
        self.model: list[tuple[str, str, str]] = []
        self.on_disk: dict[str, str] = {}
        self.cursors: list[tuple[Cursor, str]] = []

    def teardown(self) -> None:
        self._place.cleanup()

    @rule()
    def open(self) -> None:
        self.journal = FileJournal(str(self.folder), segment_bytes=900)

    @rule(batch=st.lists(st.tuples(keys, texts), max_size=4))
    def append(self, batch: list[tuple[str, str]]) -> None:
        events = [Event(client="c", name="n", key=key, data={"text": text}) for key, text in batch]
        for (key, text), receipt in zip(batch, self.journal.append(events), strict=True):
            assert receipt.fresh == (not key or key not in self.on_disk)
            if receipt.fresh:
                self.model.append((receipt.id, key, text))
                self.on_disk[key] = receipt.id
            else:
                assert receipt.id == self.on_disk[key]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(self.model), max_size=3))
        self.journal.delete([record_id for record_id, _, _ in gone], "test")
        self.model = [each for each in self.model if each not in gone]

    @rule()
    def compact(self) -> None:
        planned = [(each.segment, each.removed) for each in self.journal.compact(dry_run=True)]
        assert [(each.segment, each.removed) for each in self.journal.compact()] == planned
        there = {record_id for record_id, _, _ in self.model}
        self.on_disk = {key: record_id for key, record_id in self.on_disk.items() if record_id in there}

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        keep = {each[0] for each in data.draw(st.lists(st.sampled_from(self.model), max_size=3))}
        self.journal.compact(keep, older_than="2999-01-01T00:00:00Z")
        self.model = [each for each in self.model if each[0] in keep]
        self.on_disk = {key: record_id for key, record_id in self.on_disk.items() if record_id in keep}

    @precondition(lambda self: self.folder.exists())
    @rule(torn=damage)
    def tear(self, torn: bytes) -> None:
        with max(self.folder.glob("*.jsonl")).open("ab") as file:
            file.write(torn)

    @precondition(lambda self: self.folder.exists())
    @rule(data=st.data())
    def lose_keys(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(sorted(self.folder.glob("*.keys")))).write_bytes(data.draw(st.binary(max_size=80)))

    @rule()
    def recover(self) -> None:
        self.journal.recover()
        assert self.journal.verify().damage == ()

    @rule()
    def remember_a_cursor(self) -> None:
        records = list(self.journal.read())
        if records:
            self.cursors.append((records[len(records) // 2].after, records[len(records) // 2].id))

    @invariant()
    def reads_like_the_model(self) -> None:
        events = [record for record in self.journal.read() if record.kind == "event"]
        assert [(each.id, each.data["key"], each.data["data"]["text"]) for each in events] == self.model

    @invariant()
    def every_cursor_goes_on_behind_its_record(self) -> None:
        for cursor, last in self.cursors:
            events = [record.id for record in self.journal.read(cursor) if record.kind == "event"]
            assert events == [record_id for record_id, _, _ in self.model if record_id > last]

    @invariant()
    def nothing_but_a_torn_tail_is_ever_damaged(self) -> None:
        assert {each.reason for each in self.journal.verify().damage} <= {"torn tail"}


JournalMachine.TestCase.settings = settings(
    max_examples=examples(60), stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_sequence_of_work_reads_like_a_list = JournalMachine.TestCase
