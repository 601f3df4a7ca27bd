"""Files that are whole or not there, in folders that are what they seem."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.core.errors import BadRequest, Conflict, Refused, Unavailable
from holdfast.system.folders import (
    DiskError,
    DiskFull,
    FolderExpected,
    LinkInVault,
    NoAccess,
    WritableFolder,
    translate_os_errors,
)
from holdfast.system.safe_write import (
    MAX_FILE,
    FileAlreadyThere,
    FileChangedSinceRead,
    LockHeld,
    MemoryFileTooLarge,
    create_file,
    lock_folder,
    read_file,
    remove_file,
    replace_file,
)


@pytest.fixture
def place(tmp_path: Path) -> WritableFolder:
    return WritableFolder(root=str(tmp_path / "deep" / "memory"))


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def test_a_new_file_is_made_with_all_its_folders(place: WritableFolder) -> None:
    create_file(place, "a/b/c.md", b"text")

    assert read_file(place, "a/b/c.md") == b"text"
    assert os.listdir(f"{place.root}/a/b") == ["c.md"]


def test_a_new_file_never_replaces_one(place: WritableFolder) -> None:
    create_file(place, "a.md", b"old")

    with pytest.raises(FileAlreadyThere, match=r"'a\.md'"):
        create_file(place, "a.md", b"new")

    assert read_file(place, "a.md") == b"old"
    assert os.listdir(place.root) == ["a.md"]


def test_a_file_is_replaced_if_it_is_as_it_was_read(place: WritableFolder) -> None:
    create_file(place, "a.md", b"old")

    replace_file(place, "a.md", b"new", then=digest(b"old"))

    assert read_file(place, "a.md") == b"new"
    assert os.listdir(place.root) == ["a.md"]


def test_a_file_that_moved_is_left_as_it_is(place: WritableFolder) -> None:
    create_file(place, "a.md", b"old")

    with pytest.raises(FileChangedSinceRead) as caught:
        replace_file(place, "a.md", b"new", then=digest(b"older"))
    with pytest.raises(FileChangedSinceRead):
        remove_file(place, "a.md", then=digest(b"older"))

    assert (caught.value.then, caught.value.now) == (digest(b"older"), digest(b"old"))
    assert read_file(place, "a.md") == b"old"


@pytest.mark.parametrize("path", ["gone.md", "nowhere/gone.md"])
def test_a_file_that_is_gone_has_moved(place: WritableFolder, path: str) -> None:
    create_file(place, "a.md", b"")

    with pytest.raises(FileChangedSinceRead):
        replace_file(place, path, b"new", then=digest(b"old"))
    with pytest.raises(FileChangedSinceRead):
        remove_file(place, path, then=digest(b"old"))


def test_a_replaced_file_keeps_its_permissions(place: WritableFolder) -> None:
    create_file(place, "a.md", b"old")
    os.chmod(f"{place.root}/a.md", 0o640)

    with umask(0o077):
        replace_file(place, "a.md", b"new", then=digest(b"old"))

    assert os.stat(f"{place.root}/a.md").st_mode & 0o777 == 0o640


def test_shared_files_follow_the_umask(place: WritableFolder) -> None:
    with umask(0o027):
        create_file(place, "a/b.md", b"")

    assert os.stat(f"{place.root}/a").st_mode & 0o777 == 0o750
    assert os.stat(f"{place.root}/a/b.md").st_mode & 0o777 == 0o640


def test_private_files_are_the_users_alone(tmp_path: Path) -> None:
    private = WritableFolder(root=str(tmp_path / "candidates"), private=True)

    with umask(0):
        create_file(private, "a/b.md", b"")

    assert os.stat(private.root).st_mode & 0o777 == 0o700
    assert os.stat(f"{private.root}/a").st_mode & 0o777 == 0o700
    assert os.stat(f"{private.root}/a/b.md").st_mode & 0o777 == 0o600


def test_a_link_to_a_folder_is_never_written_through(place: WritableFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"theirs")
    os.makedirs(place.root)
    os.symlink(outside, f"{place.root}/decisions")

    attempts: list[Callable[[], None]] = [
        lambda: create_file(place, "decisions/b.md", b"x"),
        lambda: replace_file(place, "decisions/a.md", b"x", then=digest(b"theirs")),
        lambda: remove_file(place, "decisions/a.md", then=digest(b"theirs")),
    ]
    for attempt in attempts:
        with pytest.raises(LinkInVault, match="'decisions'") as caught:
            attempt()
        assert isinstance(caught.value, Refused)

    assert read_file(place, "decisions/a.md") is None
    assert [each.name for each in outside.iterdir()] == ["a.md"]
    assert (outside / "a.md").read_bytes() == b"theirs"


def test_a_link_to_a_file_is_neither_read_nor_replaced(place: WritableFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"theirs")
    os.makedirs(place.root)
    os.symlink(secret, f"{place.root}/a.md")

    with pytest.raises(FileAlreadyThere):
        create_file(place, "a.md", b"x")
    with pytest.raises(FileChangedSinceRead):
        replace_file(place, "a.md", b"x", then=digest(b"theirs"))

    assert read_file(place, "a.md") is None
    assert secret.read_bytes() == b"theirs"


def test_a_lock_that_is_a_link_is_refused(place: WritableFolder, tmp_path: Path) -> None:
    os.makedirs(place.root)
    os.symlink(tmp_path / "elsewhere", f"{place.root}/.lock")

    with pytest.raises(Refused), lock_folder(place):
        pass

    assert not (tmp_path / "elsewhere").exists()


def test_a_root_that_is_a_link_is_the_users_own_choice(place: WritableFolder, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    os.symlink(real, tmp_path / "link")

    create_file(WritableFolder(root=str(tmp_path / "link")), "a.md", b"x")

    assert (real / "a.md").read_bytes() == b"x"


@pytest.mark.parametrize("below", ["", "/below"])
def test_a_file_in_place_of_the_root_is_said_so(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(FolderExpected) as caught:
        create_file(WritableFolder(root=f"{tmp_path}/file{below}"), "a.md", b"")

    assert isinstance(caught.value, BadRequest)
    assert f"'{tmp_path}/file'" in str(caught.value)


def test_a_file_in_place_of_a_folder_is_said_so(place: WritableFolder) -> None:
    create_file(place, "decisions", b"")

    with pytest.raises(FolderExpected, match="'decisions'"):
        create_file(place, "decisions/a.md", b"")


def test_a_pipe_is_not_waited_for(place: WritableFolder) -> None:
    os.makedirs(place.root)
    os.mkfifo(f"{place.root}/a.md")

    assert read_file(place, "a.md") is None


def test_a_file_larger_than_any_memory_is_not_read(place: WritableFolder) -> None:
    create_file(place, "a.md", b"")
    os.truncate(f"{place.root}/a.md", MAX_FILE + 1)

    with pytest.raises(MemoryFileTooLarge):
        read_file(place, "a.md")


def test_writers_take_turns(place: WritableFolder) -> None:
    inside: list[int] = []

    def write() -> None:
        with lock_folder(place):
            inside.append(len(inside))
            assert len(inside) == 1
            inside.pop()

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert inside == []


def test_a_lock_that_stays_held_is_given_up_on(place: WritableFolder) -> None:
    with lock_folder(place), pytest.raises(LockHeld, match=place.root), lock_folder(place, patience=0.01):
        pass


@pytest.mark.parametrize(
    ("number", "family", "hint"),
    [
        (errno.ENOSPC, DiskFull, "free some space; nothing that was there is lost"),
        (errno.EDQUOT, DiskFull, "free some space"),
        (errno.EROFS, NoAccess, "read-only"),
        (errno.EACCES, NoAccess, "who owns it"),
        (errno.EIO, DiskError, "check the disk"),
    ],
)
def test_errors_of_the_disk_are_told_as_ours(number: int, family: type[Unavailable], hint: str) -> None:
    with pytest.raises(family, match=r"'a\.md'") as caught, translate_os_errors("a.md"):
        raise OSError(number, "said the system")

    assert hint in caught.value.hint


def test_conflicts_are_conflicts() -> None:
    assert issubclass(FileAlreadyThere, Conflict)
    assert issubclass(FileChangedSinceRead, Conflict)
