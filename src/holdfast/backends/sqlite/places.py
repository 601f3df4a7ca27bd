"""The two collections of the index, and where they lie."""

from zlib import crc32

from holdfast.domain.value import Value

MEMORY, SAID = "memory", "said"


class Tables(Value):
    """Where a collection lies: its rows, its words, and how they are counted."""

    rows: str
    words: str
    vocabulary: str


TABLES = {
    MEMORY: Tables(rows="passage", words="words", vocabulary="vocabulary"),
    SAID: Tables(rows="spoken", words="speech", vocabulary="speech_vocabulary"),
}


def group_number(group: str) -> int:
    """A number for a group's name."""
    return crc32(group.encode("utf-8", "replace"))
