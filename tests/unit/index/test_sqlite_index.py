"""What only the index on disk can suffer: damage, other processes, read-only folders."""

import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw
import pytest
from tests.index_values import entry, put

from holdfast.core.memory import Scope
from holdfast.core.search import Change, Select, WordQuery
from holdfast.index.plan_changes import StampComparer
from holdfast.index.sqlite.sqlite_index import IndexBusy, IndexDamaged, IndexMissing, IndexUnreachable, SqliteIndex

HOLD = """
import apsw, sys
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN IMMEDIATE")
db.execute("DELETE FROM source")
print("held", flush=True)
sys.stdin.read()
"""
OPEN = """
import sys
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.core.search import Select
for _ in range(5):
    index = SqliteIndex.open(sys.argv[1])
    index.select(Select())
    index.close()
"""
READ_AS_NOBODY = """
import os, sys
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.core.search import WordQuery
if os.getuid() == 0:
    os.setuid(65534)
assert not os.access(os.path.dirname(sys.argv[1]), os.W_OK)
index = SqliteIndex.open(sys.argv[1], readonly=True)
print(*(hit.entry.memory.id for hit in index.by_words(WordQuery(terms=("pool",)))), len(index.check()))
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "index.db")


def filled(path: str) -> None:
    index = SqliteIndex.open(path)
    put(index, *(entry(f"DEC-{number:03}", title="pool", body=f"word{number} " * 40) for number in range(200)))
    index.close()


def answers(index: SqliteIndex) -> list[object]:
    return [
        list(index.by_words(WordQuery(terms=("pool", "word7")))),
        index.frequencies(["pool"]),
        index.select(Select()),
        index.sources(),
        index.links(),
        index.cursor(),
    ]


@contextmanager
def held_by_another_process(path: str) -> Iterator[None]:
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.communicate("")


def test_an_index_is_there_when_it_is_opened_again(path: str) -> None:
    filled(path)

    index = SqliteIndex.open(path)

    assert len(index.select(Select())) == 200
    assert index.check() == []
    index.close()


def test_an_index_is_its_owners_alone(path: str) -> None:
    filled(path)

    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def cut_short(path: str) -> None:
    os.truncate(path, os.path.getsize(path) // 2)


def not_a_database(path: str) -> None:
    Path(path).write_bytes(b"not a database, but long enough to be looked at as one" * 100)


def of_another_version(path: str) -> None:
    apsw.Connection(path).execute("PRAGMA user_version = 7")


def of_another_program(path: str) -> None:
    os.unlink(path)
    apsw.Connection(path).execute("CREATE TABLE theirs (x)")


def without_a_table(path: str) -> None:
    apsw.Connection(path).execute("DROP TABLE link")


def with_passages_missing(path: str) -> None:
    apsw.Connection(path).execute("DELETE FROM passage WHERE row > 50")


def with_a_changed_row(path: str) -> None:
    apsw.Connection(path).execute("UPDATE passage SET data = replace(data, 'pool', 'p00l') WHERE row = 5")


def copied_from_elsewhere(path: str) -> None:
    shutil.copy(path, path + ".copy")
    os.replace(path + ".copy", path)


def a_link(path: str) -> None:
    os.rename(path, path + ".away")
    os.symlink(path + ".away", path)


HARMS = [
    cut_short,
    not_a_database,
    of_another_version,
    of_another_program,
    without_a_table,
    with_passages_missing,
    with_a_changed_row,
    copied_from_elsewhere,
    a_link,
]


def look(path: str) -> list[object]:
    index = SqliteIndex.open(path)
    try:
        return answers(index)
    finally:
        index.close()


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_index_says_so_and_can_be_begun_afresh(path: str, harm: Callable[[str], None]) -> None:
    filled(path)
    harm(path)

    with pytest.raises(IndexDamaged):
        look(path)
    fresh = SqliteIndex.fresh(path)

    assert fresh.select(Select()) == []
    put(fresh, entry("DEC-1", title="pool"))
    assert [hit.entry.memory.id for hit in fresh.by_words(WordQuery(terms=("pool",)))] == ["DEC-1"]
    assert fresh.check() == []
    fresh.close()


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes_never_pass_for_a_memory(path: str, seed: int) -> None:
    filled(path)
    true = {each.memory.id: each for each in SqliteIndex.open(path, readonly=True).select(Select())}
    chance = random.Random(seed)
    with open(path, "r+b") as file:
        for _ in range(chance.randint(1, 6)):
            file.seek(chance.randrange(os.path.getsize(path)))
            file.write(chance.randbytes(chance.randint(1, 200)))

    given = []
    with suppress(IndexDamaged):
        index = SqliteIndex.open(path)
        given = [hit.entry for hit in index.by_words(WordQuery(terms=("pool",)))]
        given += index.select(Select())
        index.sources()

    assert all(true.get(each.memory.id) == each for each in given)


@pytest.mark.parametrize("seed", range(10))
def test_a_check_finds_what_a_search_would_not(path: str, seed: int) -> None:
    filled(path)
    db = apsw.Connection(path)
    blocks = [row[0] for row in db.execute("SELECT id FROM words_data WHERE id > 10")]
    chosen = random.Random(seed).choice(blocks)
    db.execute("UPDATE words_data SET block = zeroblob(length(block)) WHERE id = ?", (chosen,))
    db.close()

    index = SqliteIndex.open(path)

    assert index.check()
    index.close()


def test_a_damaged_index_lets_go_of_its_file_at_once(path: str) -> None:
    filled(path)
    index = SqliteIndex.open(path)
    with_a_changed_row(path)

    with pytest.raises(IndexDamaged):
        index.select(Select())

    assert not os.path.exists(path + "-wal")


def test_a_fresh_start_leaves_other_readers_a_sound_file(path: str) -> None:
    filled(path)
    reader = SqliteIndex.open(path)
    answers(reader)

    fresh = SqliteIndex.fresh(path)
    put(fresh, entry("DEC-1", title="pool"))
    reader.close()
    put(fresh, entry("DEC-2", title="pool"))
    fresh.close()

    again = SqliteIndex.open(path)
    assert [each.memory.id for each in again.select(Select())] == ["DEC-1", "DEC-2"]
    again.close()


def test_a_change_that_fails_half_way_leaves_the_old_state(path: str) -> None:
    index = SqliteIndex.open(path)
    put(index, entry("DEC-1", title="pool"))
    before = answers(index)

    with pytest.raises(UnicodeEncodeError):
        put(index, entry("DEC-2", title="pool"), entry("DEC-3", path="memory/\ud800.md"))

    assert answers(index) == before
    index.close()


def test_readers_see_the_old_state_while_another_process_writes(path: str) -> None:
    filled(path)
    index = SqliteIndex.open(path)
    before = answers(index)

    with held_by_another_process(path):
        during = answers(index)
        from_outside = answers(SqliteIndex.open(path, readonly=True))

    assert during == before
    assert from_outside == before
    index.close()


def test_a_writer_that_waits_too_long_is_told_the_index_is_busy(path: str) -> None:
    filled(path)
    index = SqliteIndex.open(path, patience_ms=50)

    with held_by_another_process(path), pytest.raises(IndexBusy):
        put(index, entry("DEC-999"))

    put(index, entry("DEC-999"))
    assert index.select(Select(ids=("DEC-999",)))
    index.close()


def test_many_processes_may_open_an_index_that_is_not_there_yet(path: str) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", OPEN, path], stderr=subprocess.PIPE) for _ in range(8)]

    said = [process.communicate()[1] for process in processes]

    assert [process.returncode for process in processes] == [0] * 8, said


def test_a_log_left_beside_a_deleted_index_does_no_harm(path: str) -> None:
    index = SqliteIndex.open(path)
    put(index, entry("DEC-1"))
    shutil.copy(path + "-wal", path + "-kept")
    index.close()
    os.unlink(path)
    os.rename(path + "-kept", path + "-wal")

    fresh = SqliteIndex.open(path)

    assert fresh.select(Select()) == []
    assert fresh.check() == []
    fresh.close()


def test_an_index_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "kept # 100% sure?"
    folder.mkdir()
    path = str(folder / "index.db")
    filled(path)
    os.chmod(path, 0o644)
    os.chmod(folder, 0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if not parent.stat().st_mode & stat.S_IXOTH:
            os.chmod(parent, 0o755)

    try:
        done = subprocess.run([sys.executable, "-c", READ_AS_NOBODY, path], capture_output=True, text=True)
    finally:
        os.chmod(folder, 0o755)

    assert done.stdout.split()[::200] == ["DEC-000", "0"], done.stderr


def test_reading_an_index_that_is_not_there_makes_none(path: str) -> None:
    with pytest.raises(IndexMissing):
        SqliteIndex.open(path, readonly=True)

    assert not os.path.exists(path)


def test_an_index_in_a_folder_that_is_not_there_cannot_be_reached(tmp_path: Path) -> None:
    with pytest.raises(IndexUnreachable):
        SqliteIndex.open(str(tmp_path / "none" / "index.db"))


def test_that_nothing_moved_is_told_without_making_a_single_source(path: str) -> None:
    index = SqliteIndex.open(path)
    put(index, entry("DEC-1"), entry("DEC-2"))
    stamps = {"memory/DEC-1.md": "1", "memory/DEC-2.md": "1"}

    known = index.sources()

    assert isinstance(known, StampComparer)
    assert known.same_stamps({Scope.WORKSPACE: stamps})
    assert known.same_stamps({Scope.WORKSPACE: stamps, Scope.USER: {}})
    assert not known.same_stamps({Scope.WORKSPACE: stamps | {"memory/DEC-2.md": "2"}})
    assert not known.same_stamps({Scope.WORKSPACE: {"memory/DEC-1.md": "1"}})
    assert not known.same_stamps({Scope.WORKSPACE: stamps, Scope.USER: {"memory/DEC-1.md": "1"}})
    assert not known.same_stamps({Scope.USER: stamps})
    index.close()


def test_what_another_process_takes_out_during_a_search_is_left_out_of_it(path: str) -> None:
    filled(path)
    index, other = SqliteIndex.open(path), SqliteIndex.open(path)
    hits = index.by_words(WordQuery(terms=("pool",)))
    first = next(hits).entry

    other.apply(Change(dropped=tuple((Scope(scope), name) for scope, name in other.sources() if name != first.path)))

    assert list(hits) == []
    assert [hit.entry.memory.id for hit in index.by_words(WordQuery(terms=("pool",)))] == [first.memory.id]
