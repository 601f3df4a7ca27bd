"""Values of JSON and YAML that know their lines: tables, lists of value and line, and texts."""

from collections.abc import Iterator
from typing import Any

from holdfast.ecosystems.manifest_contents import ManifestGap

DEEPEST = 60


class LinedTable:
    """A table with the line of each key, all of them where one comes twice."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: list[tuple[str, Any, int]] = []

    def get(self, key: str) -> Any:
        """The value of a key, the last where it comes twice; None where there is none."""
        return next((held for name, held, _ in reversed(self.pairs) if name == key), None)

    def text(self, key: str) -> str:
        """The text of a key; empty where it is none."""
        held = self.get(key)
        return held if isinstance(held, str) else ""

    def table(self, key: str) -> "LinedTable":
        """The table of a key; an empty one where it is none."""
        held = self.get(key)
        return held if isinstance(held, LinedTable) else LinedTable()


def walk_tables(
    document: LinedTable, keys: tuple[str, ...], gaps: list[ManifestGap], above: str = ""
) -> Iterator[LinedTable]:
    """The tables under some keys; what is neither a table nor an empty list is a gap."""
    for key, held, line in document.pairs:
        if key not in keys:
            continue
        if isinstance(held, LinedTable):
            yield held
        elif held not in (None, "", []):
            gaps.append(ManifestGap(reason=f"`{above}{key}` is no table of names", line=line))


def walk_texts(held: Any, what: str, line: int, gaps: list[ManifestGap]) -> Iterator[tuple[str, int]]:
    """The texts of a list with their lines; what is no list is a gap."""
    if isinstance(held, list):
        yield from ((text, at) for text, at in held if isinstance(text, str))
    elif held not in (None, ""):
        gaps.append(ManifestGap(reason=f"`{what}` is no list", line=line))
