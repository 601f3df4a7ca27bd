"""pom.xml, by expat itself, which keeps lines."""

from collections.abc import Iterator
from xml.parsers.expat import ExpatError, ParserCreate

from holdfast.check.unreadable import UnreadableText

DEEPEST = 60


def read_pom(text: str) -> Iterator[tuple[str, int]]:
    """The packages that a pom names. Raises Unreadable: a document type could blow up, and no pom needs one."""
    reader = _Pom()
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, _: reader.start(name, parser.CurrentLineNumber)
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text

    def refuse(*_: object) -> None:
        raise UnreadableText("it has a document type, which is not read", parser.CurrentLineNumber)

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except ExpatError as error:
        raise UnreadableText(f"it is no XML: {error}", error.lineno) from error
    yield from reader.found


class _Pom:
    """The dependencies and plugins of a pom, as its elements come; what they exclude is not among them."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self._path: list[str] = []
        self._parts: dict[str, str] = {}
        self._line = 1

    def start(self, name: str, line: int) -> None:
        """An element begins."""
        plain = name.rpartition(":")[2]
        self._path.append(plain)
        if len(self._path) > DEEPEST:
            raise UnreadableText("it is nested too deeply", line)
        if plain in {"dependency", "plugin"}:
            self._parts, self._line = {}, line

    def text(self, data: str) -> None:
        """Text inside an element."""
        if len(self._path) > 1 and self._path[-2] in {"dependency", "plugin"}:
            self._parts[self._path[-1]] = (self._parts.get(self._path[-1], "") + data)[:400]

    def end(self, name: str) -> None:
        """An element ends."""
        plain = name.rpartition(":")[2]
        artifact = self._parts.get("artifactId", "").strip()
        if plain in {"dependency", "plugin"} and artifact:
            group = self._parts.get("groupId", "").strip() or ("org.apache.maven.plugins" if plain == "plugin" else "")
            self.found.append((f"{group}:{artifact}" if group else artifact, self._line))
            self._parts = {}
        if self._path:
            self._path.pop()
