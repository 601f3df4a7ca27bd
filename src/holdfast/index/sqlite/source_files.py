"""The files an index knows. Every command compares ten thousand, and most find that nothing moved."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from holdfast.core.search import Source
from holdfast.index.entry_rows import SCOPES

Rows = Sequence[tuple[Any, ...]]


class SourceRows(Mapping[tuple[str, str], Source]):
    """Sources made out of rows (path, stamp, sha256) when the first one is asked for; a comparison needs none."""

    def __init__(self, rows: Mapping[str, Rows]) -> None:
        self._rows = rows

    def same_stamps(self, stamps: Mapping[Any, Mapping[str, str]]) -> bool:
        """Whether exactly these files are known, each with this stamp."""
        files = ((name, stamps.get(name, {})) for name in self._rows)
        return all(len(given) == len(self._rows[name]) and _stamps(self._rows[name]) == given for name, given in files)

    def __getitem__(self, key: tuple[str, str]) -> Source:
        return self._sources[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._sources)

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    @cached_property
    def _sources(self) -> dict[tuple[str, str], Source]:
        return {
            (name, path): Source(scope=SCOPES[name], path=path, stamp=stamp, sha256=sha256)
            for name, rows in self._rows.items()
            for path, stamp, sha256 in rows
        }


def _stamps(rows: Rows) -> dict[str, str]:
    return {path: stamp for path, stamp, _ in rows}
