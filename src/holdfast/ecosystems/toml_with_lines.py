"""TOML, and the lines on which its names stand, which its parser does not tell."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.ecosystems.manifest_contents import ManifestGap
from holdfast.ecosystems.unreadable_text import Unreadable

_HEADER = re.compile(r"^\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_QUOTED = re.compile(r"""'[^'\n]*+'?|"(?:[^"\\\n]|\\.)*+"?""")
_KEY = re.compile(r"""(?:^|(?<=[\s{,.]))(?:("[^"\n]+"|'[^'\n]+')|([\w-]++))\s*+(?=[.=])""")
_LINE = re.compile(r"line (\d+)")


class TomlDocument:
    """A TOML text: its tables, where things stand in it, and what in it is not of the kind that belongs there."""

    def __init__(self, text: str) -> None:
        self.tables = _parse(text)
        self.gaps: list[ManifestGap] = []
        self._rows = _Rows(text)

    def table(self, *keys: str) -> Mapping[str, Any]:
        """The table at some keys; an empty one where there is none."""
        found: Any = self.tables
        for key in keys:
            found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def text(self, *keys: str) -> str:
        """The text at some keys; empty where there is none."""
        found = self.table(*keys[:-1]).get(keys[-1])
        return found if isinstance(found, str) else ""

    def walk_names(self, *keys: str) -> Iterator[tuple[str, Any, int]]:
        """The keys of a table of packages, what they hold, and their lines."""
        found = self.table(*keys[:-1]).get(keys[-1])
        section = ".".join(keys)
        if isinstance(found, Mapping):
            yield from ((name, held, self.line_of_key(section, name)) for name, held in found.items())
        elif found is not None:
            self._miss(keys, "table")

    def walk_texts(self, *keys: str) -> Iterator[tuple[str, int]]:
        """The texts of a list of requirements, and their lines."""
        found = self.table(*keys[:-1]).get(keys[-1])
        if isinstance(found, list):
            section = ".".join(keys[:-1])
            yield from ((each, self.line_of_text(section, each)) for each in found if isinstance(each, str))
        elif found is not None:
            self._miss(keys, "list")

    def line_of_text(self, section: str, said: str) -> int:
        """The line of a section, or below it, that holds a quoted text; else any line that does."""
        return self._choose(section, self._rows.texts.get(said, ()))

    def line_of_key(self, section: str, key: str) -> int:
        """The line of a table on which a key stands; a table of its own (`[dependencies.serde]`) counts."""
        headed = self._rows.heads.get(_without_quotes(f"{section}.{key}"))
        return headed or self._choose(section, self._rows.keys.get(key, ()))

    def _choose(self, section: str, lines: Sequence[int]) -> int:
        wanted = _without_quotes(section)
        for line in lines:
            name = self._rows.sections[line - 1]
            if name == wanted or name.startswith(f"{wanted}."):
                return line
        return lines[0] if lines else 1

    def _miss(self, keys: tuple[str, ...], kind: str) -> None:
        line = self.line_of_key(".".join(keys[:-1]), keys[-1])
        self.gaps.append(ManifestGap(reason=f"`{'.'.join(keys)}` is no {kind}", line=line))


class _Rows:
    """The lines of a text, by the tables they head, the keys and the quoted texts that stand on them."""

    def __init__(self, text: str) -> None:
        self.sections: list[str] = []
        self.heads: dict[str, int] = {}
        self.keys: dict[str, list[int]] = {}
        self.texts: dict[str, list[int]] = {}
        section = ""
        for number, line in enumerate(text.split("\n"), start=1):
            header = _HEADER.match(line)
            if header:
                section = _without_quotes(header[1])
                self.heads.setdefault(section, number)
            self.sections.append(section)
            self._note(line, number)

    def _note(self, line: str, number: int) -> None:
        for found in _QUOTED.findall(line):
            self.texts.setdefault(found[1:-1], []).append(number)
        for quoted, bare in _KEY.findall(line):
            self.keys.setdefault(quoted[1:-1] or bare, []).append(number)


def _parse(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        raise Unreadable(f"it is no TOML: {error}", int(line[1]) if line else None) from error
    except RecursionError as error:
        raise Unreadable("it is nested too deeply") from error


def _without_quotes(section: str) -> str:
    return re.sub(r"[\s\"']", "", section)
