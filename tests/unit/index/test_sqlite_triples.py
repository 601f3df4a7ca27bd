"""Triples on disk."""

import os
import shutil
from pathlib import Path

import apsw
import pytest

from holdfast.core.triple import Fact, MemoryTriples, Triple
from holdfast.index.extract_names import normalize_name, stem_name
from holdfast.recall.triples.triple_file import SqliteTriples, TriplesDamaged, TriplesUnreachable


def fact(subject: str, relation: str, other: str) -> Fact:
    ends = normalize_name(subject), normalize_name(other)
    triple = Triple(subject=subject, relation=relation, object=other)
    return Fact(triple=triple, ends=ends, stems=(stem_name(ends[0]), stem_name(ends[1])))


WRITES, BELONGS = (
    fact("Nightly exports", "writes to", "cold bucket"),
    fact("cold bucket", "belongs to", "Storage guild"),
)
ONE = MemoryTriples(id="LRN-1", words="w1", file="f1", facts=(WRITES,), model="scripted")
TWO = MemoryTriples(id="LRN-2", words="w2", file="f2", facts=(BELONGS,), model="scripted")
BY_ONE, BY_TWO = ("LRN-1", "w1", "f1"), ("LRN-2", "w2", "f2")
NONE = MemoryTriples(id="LRN-3", words="w3", file="f3", note="the model refused")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "triples.db")


@pytest.fixture
def store(path: str) -> SqliteTriples:
    made = SqliteTriples(path)
    for told in (ONE, TWO, NONE):
        made.keep(told)
    return made


def test_what_was_kept_is_there_for_the_next_process(store: SqliteTriples, path: str) -> None:
    again = SqliteTriples(path)

    assert again.known() == {"LRN-1": ("w1", "f1"), "LRN-2": ("w2", "f2"), "LRN-3": ("w3", "f3")}
    assert list(again.of(["LRN-1", "LRN-3", "nobody", "LRN-1"])) == [ONE, NONE]
    assert again.counts() == (3, 2, 1)
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_name_leads_to_who_states_something_of_it(store: SqliteTriples) -> None:
    assert list(store.staters(["cold bucket"], 5)) == [("cold bucket", BY_TWO), ("cold bucket", BY_ONE)]
    assert list(store.staters(["storage guild", "nothing", "cold bucket"], 1)) == [
        ("storage guild", BY_TWO),
        ("cold bucket", BY_TWO),
    ]
    assert sorted(store.ends(["LRN-1", "LRN-3"])) == [("cold bucket", BY_ONE), ("nightly exports", BY_ONE)]
    assert list(store.ends([])) == list(store.staters([], 5)) == []
    assert store.tallies(["cold bucket", "storage guild", "nothing"]) == {"cold bucket": 2, "storage guild": 1}


def test_names_are_joined_where_both_ends_are_asked_for(store: SqliteTriples) -> None:
    assert list(store.joined(["cold bucket", "nightly exports"])) == [("nightly exports", "cold bucket", BY_ONE)]
    assert list(store.joined(["cold bucket"])) == []


def test_stems_lead_to_names(store: SqliteTriples) -> None:
    assert dict(store.spoken(["night export", "cold bucket", "x"])) == {
        "night export": ["nightly exports"],
        "cold bucket": ["cold bucket"],
    }


def test_new_words_take_the_place_of_old_ones(store: SqliteTriples) -> None:
    store.keep(MemoryTriples(id="LRN-1", words="w9", file="f9", facts=(BELONGS, WRITES)))

    assert store.known()["LRN-1"] == ("w9", "f9")
    assert store.of(["LRN-1"])[0].facts == (BELONGS, WRITES)
    assert store.counts() == (3, 3, 1)


def test_what_is_dropped_is_off_the_disk(store: SqliteTriples, path: str) -> None:
    store.drop(["LRN-1", "nobody"])
    store.close()

    assert b"ightly" not in Path(path).read_bytes()
    assert b"torage" in Path(path).read_bytes()
    assert [each.name for each in Path(path).parent.iterdir()] == ["triples.db"]
    left = SqliteTriples(path)
    assert left.tallies(["cold bucket", "nightly exports"]) == {"cold bucket": 1}
    left.drop(["LRN-2", "LRN-2"])
    assert left.tallies(["cold bucket", "storage guild"]) == {}


def test_a_file_from_elsewhere_is_not_believed(store: SqliteTriples, path: str, tmp_path: Path) -> None:
    store.close()
    shutil.copy(path, tmp_path / "shipped.db")

    with pytest.raises(TriplesDamaged, match="not made here"):
        SqliteTriples(str(tmp_path / "shipped.db"))


@pytest.mark.parametrize("junk", [b"junk" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_junk_is_damage_and_says_what_to_do(path: str, junk: bytes) -> None:
    Path(path).write_bytes(junk)

    with pytest.raises(TriplesDamaged) as told:
        SqliteTriples(path)
    assert "holdfast doctor --triples" in told.value.hint


def test_a_link_is_not_followed(path: str, tmp_path: Path) -> None:
    Path(path).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(TriplesDamaged, match="link"):
        SqliteTriples(path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TriplesUnreachable):
        SqliteTriples(str(tmp_path / "none" / "triples.db"))


def test_another_program_s_tables_are_no_triples(path: str) -> None:
    apsw.Connection(path).execute("CREATE TABLE theirs (x)")

    with pytest.raises(TriplesDamaged):
        SqliteTriples(path)
