"""What every store of objects does, whatever is behind it."""

import io
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.s3_server import S3Server

from holdfast.domain.errors import HoldfastError
from holdfast.ports.objects import ABSENT, Lost, NotLetIn, Objects, Unreachable
from holdfast.share.parts import Sent, download, parts_of, upload
from holdfast.share.values import BadBundle
from holdfast.wiring.stores import open_store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    found.start()
    yield found
    found.stop()


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    if request.param == "folder":
        return open_store(str(tmp_path / "store"))
    for name, value in request.getfixturevalue("server").env.items():
        monkeypatch.setenv(name, value)
    return open_store(f"s3://bucket/{os.urandom(4).hex()}")


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

    assert done == Sent(sent=2, known=3)
    assert sha256(read(download(store, "x"))).digest() == sha256(data).digest()


def test_a_small_bundle_is_one_object(store: Objects) -> None:
    upload(store, "x", io.BytesIO(b"small"), 5)

    assert [each.name for each in store.list("")] == ["x"]
    assert read(download(store, "x")) == b"small"
    with pytest.raises(Lost):
        upload(store, "x", io.BytesIO(b"other"), 5)


def test_a_part_that_is_missing_or_changed_is_noticed(store: Objects) -> None:
    data = os.urandom(25_000)
    upload(store, "x", io.BytesIO(data), len(data), part_bytes=5_000)
    [one, *_, last] = [each.name for each in store.list(parts_of("x"))]

    store.put(last, b"y" * 5_000)
    with pytest.raises(BadBundle, match="bad sum"):
        read(download(store, "x"))
    store.delete([one])
    with pytest.raises(BadBundle, match="missing"):
        read(download(store, "x"))


def test_a_wrong_secret_is_told(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (server.env | {"AWS_SECRET_ACCESS_KEY": "wrong"}).items():
        monkeypatch.setenv(name, value)

    with pytest.raises(NotLetIn):
        open_store("s3://bucket/x").put("x", b"1")


def test_a_store_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ENDPOINT_URL", "http://127.0.0.1:1"), ("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b")):
        monkeypatch.setenv(f"AWS_{name}", value)

    with pytest.raises(Unreachable, match="does not answer"):
        open_store("s3://bucket/x").get("x")


@pytest.mark.parametrize("name", ["../x", "/x", "a//b", "a/../../x", ""])
def test_no_name_leads_out_of_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(HoldfastError):
        open_store(str(tmp_path / "in")).put(name, b"x")

    assert not (tmp_path / "x").exists()
