"""XML as elements with their lines, by expat itself."""

from collections.abc import Iterator
from xml.parsers.expat import ExpatError, ParserCreate

from holdfast.ecosystems.lined_values import DEEPEST
from holdfast.ecosystems.unreadable_text import Unreadable

LONGEST_TEXT = 400


class XmlElement:
    """An element: its name without a prefix, its line, its attributes, the elements in it and its own text."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag.rpartition(":")[2], attributes, line
        self.children: list[XmlElement] = []
        self.text = ""

    def child_text(self, tag: str) -> str:
        """The text of the first element in it that has a name; empty where there is none."""
        return next((child.text.strip() for child in self.children if child.tag == tag), "")

    def walk(self) -> Iterator["XmlElement"]:
        """It and all elements below it, in their order."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_xml(text: str) -> XmlElement:
    """The outermost element. Raises Unreadable: a document type could blow up, and no manifest needs one."""
    # What the text says of its encoding was true of its bytes.
    parser = ParserCreate("utf-8")
    above = [XmlElement("", {}, 1)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(above) > DEEPEST:
            raise Unreadable("it is nested too deeply", parser.CurrentLineNumber)
        made = XmlElement(tag, attributes, parser.CurrentLineNumber)
        above[-1].children.append(made)
        above.append(made)

    def add_text(data: str) -> None:
        above[-1].text = (above[-1].text + data)[:LONGEST_TEXT]

    def refuse(*_: object) -> None:
        raise Unreadable("it has a document type, which is not read", parser.CurrentLineNumber)

    parser.StartElementHandler, parser.CharacterDataHandler = start, add_text
    parser.EndElementHandler = lambda _: above.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except ExpatError as error:
        raise Unreadable(f"it is no XML: {error}", error.lineno) from error
    return above[0].children[0]
