"""The two collections of the index, and where they lie."""

from holdfast.core.passage_store import MEMORY, SAID
from holdfast.core.value import Value

__all__ = ["MEMORY", "SAID", "TABLES", "CollectionTables"]


class CollectionTables(Value):
    """Where a collection lies: its rows and its words."""

    rows: str
    words: str


TABLES = {
    MEMORY: CollectionTables(rows="passage", words="words"),
    SAID: CollectionTables(rows="spoken", words="speech"),
}
