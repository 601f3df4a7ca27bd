"""Tags in every spelling a text may carry them in: plain, as HTML entities, and as JSON escapes inside a JSON text."""

import re
from collections.abc import Iterator

_LESS = r"(?:<|&lt;|&\#0{0,8}60;|&\#x0{0,8}3c;|\\u003c|\\x3c)"
_MORE = r"(?:>|&gt;|&\#0{0,8}62;|&\#x0{0,8}3e;|\\{1,8}u003e|\\{1,8}x3e)"


class Tag:
    """One tag as it stands in a text."""

    __slots__ = ("attributes", "closing", "first", "last", "name")

    def __init__(self, found: re.Match[str]) -> None:
        self.first, self.last = found.span()
        self.name = found["name"].lower()
        self.closing = bool(found["closing"])
        self.attributes = (found["attributes"] or "").strip()


class TagReader:
    """Finds the tags of some names (`a|b`). `space` may stand before the name, `inside` is what attributes hold."""

    def __init__(self, names: str, *, space: str, inside: str) -> None:
        attributes = rf"(?P<attributes>(?:[\s/]{inside}{{0,1024}}?)?)"
        pattern = rf"{_LESS}{space}(?P<closing>\\*/{space})?(?P<name>{names})(?:\s*\Z|{attributes}{_MORE})"
        self._pattern = re.compile(pattern, re.ASCII | re.IGNORECASE)

    def tags(self, text: str) -> Iterator[Tag]:
        """The tags of a text in their order."""
        return map(Tag, self._pattern.finditer(text))
