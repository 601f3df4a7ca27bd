"""A journal in a folder of its own, and the small things its tests do all the time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.core.event import Event
from holdfast.journal.file_journal import FileJournal

Put = Callable[..., list[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def journal(folder: Path) -> FileJournal:
    return FileJournal(str(folder), segment_bytes=4096)


@pytest.fixture
def put() -> Put:
    """Append events k<first> … one by one; their ids."""

    def write(journal: FileJournal, count: int, first: int = 0, size: int = 100) -> list[str]:
        events = [
            Event(client="test", name="said", key=f"k{number}", data={"text": "x" * size})
            for number in range(first, first + count)
        ]
        return [journal.append([event])[0].id for event in events]

    return write
