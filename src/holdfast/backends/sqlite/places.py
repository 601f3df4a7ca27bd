"""The two collections of the index, and where they lie."""

from holdfast.domain.value import Value

MEMORY, SAID = "memory", "said"


class Tables(Value):
    """Where a collection lies: its rows and its words."""

    rows: str
    words: str


TABLES = {MEMORY: Tables(rows="passage", words="words"), SAID: Tables(rows="spoken", words="speech")}
