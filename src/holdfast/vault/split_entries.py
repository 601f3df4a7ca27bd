"""Text of a memory file → where its entries stand. Knows lines and fences, not YAML."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.value import Value

BOM = "\ufeff"
_MARKER = re.compile(r"^(?:(?P<rule>---)[ \t]*\r?| {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*))$", re.MULTILINE)
_KEY = re.compile(r"^(?:id|type):", re.MULTILINE)
# What would open an entry, and what would open an unresolved merge.
_RULE = r"(?:---[ \t\r]*|<{7,} [^\n]*)"
_RULE_TEXT = re.compile(rf"^(\\*{_RULE})$", re.MULTILINE)
_ESCAPED_RULE_TEXT = re.compile(rf"^\\(\\*{_RULE})$", re.MULTILINE)
_UNMERGED = "<<<<<<< "
_MERGE_MARKER = re.compile(r"^(?:<{7,} [^\n]*|={7,}\r?|>{7,} [^\n]*)$", re.MULTILINE)


class EntrySpan(Value):
    """Where one entry stands: offsets into the text, the line it opens on, and the newline it uses.

    `start` opening line · `block` first line of the frontmatter · `close` closing line · `body` · `end`
    """

    start: int
    block: int
    close: int
    body: int
    end: int
    line: int
    newline: str


class Suspect(Value):
    """A place that looks like an entry and is none."""

    line: int
    reason: str
    hint: str


class Layout(Value):
    """The entries of a text, and what only looks like one."""

    spans: tuple[EntrySpan, ...]
    suspects: tuple[Suspect, ...] = ()


class _Marker(Value):
    """A line that may open or close something: `---`, or a code fence with what follows it."""

    start: int
    after: int
    line: int
    fence: str
    info: str

    def opens_fence(self) -> bool:
        return bool(self.fence) and not (self.fence[0] == "`" and "`" in self.info)

    def closes(self, fence: str) -> bool:
        return self.fence.startswith(fence) and not self.info.strip()


def split_bom(text: str) -> tuple[str, str]:
    """The byte order mark, if there is one, and the text after it."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def split_entries(text: str) -> Layout:
    """Where the entries of a text stand, in order. The text has no byte order mark."""
    return _Splitter(text).layout()


def body_of(text: str, span: EntrySpan) -> str:
    """What the entry says: without the blank line before it, the last newline and our backslashes."""
    raw = text[span.body : span.end]
    if span.newline == "\r\n":
        raw = raw.replace("\r\n", "\n")
    raw = raw.removeprefix("\n").removesuffix("\n")
    return _ESCAPED_RULE_TEXT.sub(r"\1", raw) if _may_hold_rules(raw) else raw


def escape_rules(body: str) -> str:
    """The body with a backslash before each line that would open an entry, or a stretch that git could not merge."""
    return _RULE_TEXT.sub(r"\\\1", body) if _may_hold_rules(body) else body


def find_unmerged(text: str) -> list[tuple[int, int]]:
    """Where a merge left both sides between its markers."""
    found: list[tuple[int, int]] = []
    start, parted = -1, False
    for marker in _MERGE_MARKER.finditer(text) if _UNMERGED in text else ():
        match marker[0][0]:
            case "<":
                start, parted = marker.start(), False
            case "=":
                parted = start >= 0
            case _ if parted:
                found.append((start, marker.end()))
                start, parted = -1, False
    return found


def _may_hold_rules(body: str) -> bool:
    return "---" in body or _UNMERGED in body


class _Splitter:
    """One walk over the marker lines of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._markers = list(_markers(text))
        self._next_rule = _next_rules(self._markers)
        self._opened: list[tuple[_Marker, _Marker]] = []
        self._suspects: list[Suspect] = []

    def layout(self) -> Layout:
        at = 0
        while at < len(self._markers):
            marker = self._markers[at]
            if marker.opens_fence():
                at = self._after_fence(at)
            elif not marker.fence and self._looks_like_entry(at):
                at = self._after_entry(at)
            else:
                at += 1
        return Layout(spans=tuple(self._spans()), suspects=tuple(self._suspects))

    def _after_fence(self, at: int) -> int:
        opening = self._markers[at]
        for later in range(at + 1, len(self._markers)):
            if self._markers[later].closes(opening.fence):
                return later + 1
        self._report_hidden(at)
        return len(self._markers)

    def _report_hidden(self, fence_at: int) -> None:
        fence = self._markers[fence_at]
        for at in range(fence_at + 1, len(self._markers)):
            if not self._markers[at].fence and self._looks_like_entry(at):
                reason = f"looks like an entry, but the code fence of line {fence.line} is never closed"
                self._suspect(self._markers[at], reason, f"close the fence with a line {fence.fence}")
                return

    def _looks_like_entry(self, at: int) -> bool:
        end = self._closing_start(at)
        return _KEY.search(self._text, self._markers[at].after, end) is not None

    def _closing_start(self, at: int) -> int:
        closing = self._next_rule[at]
        return len(self._text) if closing is None else self._markers[closing].start

    def _after_entry(self, at: int) -> int:
        closing = self._next_rule[at]
        if closing is None:
            self._suspect(
                self._markers[at], "looks like an entry that is never closed", "add a line --- after its keys"
            )
            return at + 1
        self._opened.append((self._markers[at], self._markers[closing]))
        return closing + 1

    def _suspect(self, marker: _Marker, reason: str, hint: str) -> None:
        self._suspects.append(Suspect(line=marker.line, reason=reason, hint=hint))

    def _spans(self) -> Iterator[EntrySpan]:
        ends = [opening.start for opening, _ in self._opened[1:]] + [len(self._text)]
        for (opening, closing), end in zip(self._opened, ends, strict=False):
            crlf = self._text[opening.start : opening.after].endswith("\r\n")
            yield EntrySpan(
                start=opening.start,
                block=opening.after,
                close=closing.start,
                body=closing.after,
                end=end,
                line=opening.line,
                newline="\r\n" if crlf else "\n",
            )


def _markers(text: str) -> Iterator[_Marker]:
    line, counted = 1, 0
    for match in _MARKER.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        after = min(match.end() + 1, len(text))
        fence, info = match["fence"] or "", match["info"] or ""
        yield _Marker(start=counted, after=after, line=line, fence=fence, info=info)


def _next_rules(markers: Sequence[_Marker]) -> list[int | None]:
    following: list[int | None] = []
    upcoming: int | None = None
    for at in range(len(markers) - 1, -1, -1):
        following.append(upcoming)
        if not markers[at].fence:
            upcoming = at
    following.reverse()
    return following
