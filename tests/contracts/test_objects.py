"""What every store of objects does, whatever is behind it."""

import io
import json
import os
import socket
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from tests.databases import new_space
from tests.nobody import closed, passable
from tests.s3_server import S3Server

from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.exchange.bundle_format.bundle_parts import UploadResult, download, list_stray_parts, parts_prefix, upload
from holdfast.exchange.bundle_format.bundle_values import BadBundle
from holdfast.exchange.object_store import ABSENT, Lost, NoBucket, NotLetIn, Objects, TooLarge, Unreachable
from holdfast.exchange.open_store import UnknownStoreKind, open_store
from holdfast.exchange.postgres.database import PostgresDatabase


@pytest.fixture(scope="module")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    found.start()
    yield found
    found.stop()


@pytest.fixture(params=["folder", "s3", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    if request.param == "folder":
        return open_store(str(tmp_path / "store"))
    if request.param == "postgres":
        return open_store(in_database(request.getfixturevalue("team_database").url, os.urandom(4).hex()))
    for name, value in request.getfixturevalue("s3_server").env.items():
        monkeypatch.setenv(name, value)
    return open_store(f"s3://bucket/{os.urandom(4).hex()}")


def in_database(url: str, prefix: str) -> str:
    """The address of a store in a database."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path}/{prefix}"))


def read(source: object) -> bytes:
    pieces = []
    while piece := source.read(1 << 16):  # type: ignore[attr-defined]  # a Source
        pieces.append(piece)
    return b"".join(pieces)


def test_what_is_put_is_there(store: Objects) -> None:
    store.put("a/x", b"one")
    store.put("a/x", b"two")

    held = store.get("a/x")
    assert held is not None
    assert held[0] == b"two"
    assert read(store.open("a/x")) == b"two"
    assert store.get("a/y") is None
    assert store.open("a/y") is None


def test_only_one_makes_a_new_object(store: Objects) -> None:
    store.put("head", b"one", ABSENT)

    with pytest.raises(Lost):
        store.put("head", b"two", ABSENT)

    assert (store.get("head") or (b"",))[0] == b"one"


def test_only_who_knows_the_last_one_writes_the_next(store: Objects) -> None:
    first = store.put("head", b"one", ABSENT)
    second = store.put("head", b"two", first)

    with pytest.raises(Lost):
        store.put("head", b"other", first)

    assert store.get("head") == (b"two", second)
    assert store.put("head", b"three", second)


def test_names_are_listed_by_their_beginning(store: Objects) -> None:
    for name in ("a/1", "a/2", "ab/3", "b"):
        store.put(name, b"x" * 5)

    assert [(each.name, each.size) for each in store.list("a/")] == [("a/1", 5), ("a/2", 5)]
    assert [each.name for each in store.list("")] == ["a/1", "a/2", "ab/3", "b"]
    assert store.list("c/") == []
    assert all(each.modified[:2] == "20" for each in store.list(""))


def test_what_is_deleted_is_gone(store: Objects) -> None:
    store.put("a/x", b"one")

    store.delete(["a/x", "a/never"])

    assert store.list("") == []


class Breaking:
    """A store that breaks after some puts."""

    def __init__(self, store: Objects, puts: int) -> None:
        self._store, self._left = store, puts

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def put(self, name: str, data: bytes, tag: str | None = None) -> str:
        self._left -= 1
        if self._left < 0:
            raise Unreachable("x", "gone")
        return self._store.put(name, data, tag)


def test_an_upload_goes_on_where_it_stopped(store: Objects) -> None:
    data = os.urandom(25_000)
    with pytest.raises(Unreachable):
        upload(Breaking(store, 3), "x", io.BytesIO(data), len(data), part_bytes=5_000)  # type: ignore[arg-type]  # a store
    assert download(store, "x") is None

    done = upload(store, "x", io.BytesIO(data), len(data), part_bytes=5_000)

    assert done == UploadResult(sent=2, known=3)
    assert sha256(read(download(store, "x"))).digest() == sha256(data).digest()


def test_parts_that_no_bundle_has_are_told_from_those_that_one_has(store: Objects) -> None:
    first, second = os.urandom(25_000), os.urandom(10_000)
    store.put("other", b"a bucket is there when something is in it")
    with pytest.raises(Unreachable):
        upload(Breaking(store, 3), "x", io.BytesIO(first), len(first), part_bytes=5_000)  # type: ignore[arg-type]  # a store
    cut = list_stray_parts(store, "x")
    upload(store, "x", io.BytesIO(first), len(first), part_bytes=5_000)
    whole = list_stray_parts(store, "x")
    upload(store, "x", io.BytesIO(second), len(second), part_bytes=5_000, replace=True)
    replaced = list_stray_parts(store, "x")

    store.delete([each.name for each in replaced])

    assert (len(cut), len(whole), len(replaced)) == (3, 0, 5)
    assert list_stray_parts(store, "x") == []
    assert read(download(store, "x")) == second


def test_an_object_that_is_larger_than_it_may_be_is_not_taken(store: Objects) -> None:
    store.put("head.json", b"x" * 100)

    with pytest.raises(TooLarge, match=r"'head\.json' in the store is larger than 99 bytes"):
        store.get("head.json", 99)

    assert (store.get("head.json", 100) or (b"",))[0] == b"x" * 100


def test_what_a_killed_writer_left_in_a_folder_goes_with_the_next_removal(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    store.put("a/x", b"one")
    left = tmp_path / "a/x.parts" / ".holdfast-tmp-1-abc"
    left.parent.mkdir()
    left.write_bytes(b"words of somebody")

    store.delete(["a/never"])

    assert not left.exists()
    assert [each.name for each in store.list("")] == ["a/x"]


def test_a_small_bundle_is_one_object(store: Objects) -> None:
    upload(store, "x", io.BytesIO(b"small"), 5)

    assert [each.name for each in store.list("")] == ["x"]
    assert read(download(store, "x")) == b"small"
    with pytest.raises(Lost):
        upload(store, "x", io.BytesIO(b"other"), 5)


def test_a_part_that_is_missing_or_changed_is_noticed(store: Objects) -> None:
    data = os.urandom(25_000)
    upload(store, "x", io.BytesIO(data), len(data), part_bytes=5_000)
    [one, *_, last] = [each.name for each in store.list(parts_prefix("x"))]

    store.put(last, b"y" * 5_000)
    with pytest.raises(BadBundle, match="bad sum"):
        read(download(store, "x"))
    store.delete([one])
    with pytest.raises(BadBundle, match="missing"):
        read(download(store, "x"))


LISTS = [
    [["../../other", 3, "0" * 64]],
    [["000000-" + "a" * 32 + "/../../../other", 3, "0" * 64]],
    [["other", 3, "0" * 64]],
    [["000000-" + "a" * 32, 10**12, "0" * 64]],
    [["000000-" + "a" * 32, -1, "0" * 64]],
    [["000000-" + "a" * 32, "3", "0" * 64]],
    [["x"]],
    "no list",
]


@pytest.mark.parametrize("rows", LISTS, ids=range(len(LISTS)))
def test_a_list_of_parts_that_names_something_else_is_refused(store: Objects, rows: object) -> None:
    store.put("other", b"abc")
    told = json.dumps({"format": "holdfast-parts", "version": 1, "parts": rows}, separators=(",", ":"))
    store.put("x", told.encode())

    with pytest.raises(BadBundle, match="list of its parts"):
        read(download(store, "x"))


def test_a_part_that_never_ends_is_not_read_to_its_end() -> None:
    class Endless:
        def open(self, name: str) -> object:
            return io.BytesIO(told) if name == "x" else self

        def read(self, size: int) -> bytes:
            self.given = getattr(self, "given", 0) + size
            return bytes(size)

    rows = [["000000-" + "a" * 32, 1000, "0" * 64]]
    told = json.dumps({"format": "holdfast-parts", "version": 1, "parts": rows}, separators=(",", ":")).encode()
    endless = Endless()

    with pytest.raises(BadBundle, match="bad sum"):
        read(download(endless, "x"))  # type: ignore[arg-type]  # as much of a store as is asked
    assert endless.given == 1001


@pytest.mark.parametrize("url", ["s3://bucket/x", "gs://bucket/x", "az://container/x"])
def test_without_credentials_nobody_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str) -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "GOOGLE_", "GCE_", "AZURE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as door:
        for name in ("AWS_ENDPOINT_URL", "GOOGLE_BASE_URL", "AZURE_STORAGE_ENDPOINT"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{door.getsockname()[1]}")

        with pytest.raises(NotLetIn, match="no credentials") as told:
            open_store(url)

        door.setblocking(False)
        with pytest.raises(BlockingIOError):
            door.accept()
    assert "set " in told.value.hint


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("gs://bucket/x", {"GOOGLE_BEARER_TOKEN": "t", "GOOGLE_BASE_URL": "http://127.0.0.1:1"}),
        (
            "az://container/x",
            {
                "AZURE_STORAGE_ACCOUNT_NAME": "a",
                "AZURE_STORAGE_ACCOUNT_KEY": "YWJj",
                "AZURE_STORAGE_ENDPOINT": "http://127.0.0.1:1",
            },
        ),
    ],
)
def test_other_services_are_asked_where_the_variables_say(
    monkeypatch: pytest.MonkeyPatch, url: str, more: dict[str, str]
) -> None:
    for name, value in more.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1"):
        open_store(url).get("x")


def test_a_bucket_that_nobody_made_is_told(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in s3_server.env.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(NoBucket, match="no bucket at 's3://nobody-made-it/x'"):
        open_store("s3://nobody-made-it/x").list("")


def test_a_wrong_secret_is_told(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (s3_server.env | {"AWS_SECRET_ACCESS_KEY": "wrong"}).items():
        monkeypatch.setenv(name, value)

    with pytest.raises(NotLetIn):
        open_store("s3://bucket/x").put("x", b"1")


def test_a_store_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ENDPOINT_URL", "http://127.0.0.1:1"), ("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b")):
        monkeypatch.setenv(f"AWS_{name}", value)

    with pytest.raises(Unreachable, match="does not answer"):
        open_store("s3://bucket/x").get("x")


@pytest.mark.parametrize("url", ["ftp://host/x", "S3://bucket/x", "s3:/bucket/x", "mysql://host/x"])
def test_an_address_of_another_kind_is_no_folder(url: str) -> None:
    with pytest.raises(UnknownStoreKind, match="no store that is known"):
        open_store(url)


def test_a_database_that_is_not_there_is_told() -> None:
    store = open_store("postgresql://somebody:secret@127.0.0.1:1/holdfast/x")

    assert store.url == "postgresql://somebody@127.0.0.1:1/holdfast/x"
    with pytest.raises(Unavailable) as told:
        store.get("x")
    assert "secret" not in str(told.value)


def test_two_prefixes_of_one_database_do_not_meet(team_database: PostgresDatabase) -> None:
    one, other = (open_store(in_database(team_database.url, name)) for name in ("one", "one-more"))
    one.put("x", b"1")
    other.put("y", b"2")

    assert [each.name for each in one.list("")] == ["x"]
    assert [each.name for each in other.list("")] == ["y"]


def test_no_project_sees_a_stores_objects(team_database: PostgresDatabase) -> None:
    open_store(in_database(team_database.url, "hidden")).put("x", b"1")
    space = new_space(team_database, "acme")

    with space.reading() as cursor:
        assert cursor.execute("SELECT count(*) FROM file WHERE place = 'object'").fetchone() == (0,)


def test_a_folder_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store = open_store(str(tmp_path / "file"))

    for look in (lambda: store.get("x"), lambda: store.open("x"), lambda: store.list("")):
        with pytest.raises(Unreachable):
            look()
    assert open_store(str(tmp_path / "none")).list("") == []
    assert open_store(str(tmp_path / "none")).get("x") is None


def test_a_folder_that_is_not_ours_says_so_and_speaks_of_no_network() -> None:
    with passable() as folder:
        (folder / "store").mkdir()
        store = open_store(str(folder / "store"))
        acts = (lambda: store.get("x"), lambda: store.put("x", b"1"), lambda: store.list(""))
        for act in acts:
            with closed(folder / "store"), pytest.raises(Unreachable, match="Permission denied") as told:
                act()
            assert "network" not in str(told.value) + told.value.hint
            assert "right to read and write" in told.value.hint


@pytest.mark.parametrize("name", ["../x", "/x", "a//b", "a/../../x", ""])
def test_no_name_leads_out_of_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(HoldfastError):
        open_store(str(tmp_path / "in")).put(name, b"x")

    assert not (tmp_path / "x").exists()
