"""Text in a file: its encoding, mark and line ends are kept; a piece is replaced, or told why it cannot be."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, unified_diff

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.value import Value

SHOWN = 3
MOST_LINES = 20_000
LONGEST = 300
LIKE = 0.6
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


class Binary(BadRequest):
    """A file that is no text."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is not text.", "use a command for binary files.")


class Unwritable(BadRequest):
    """Text that the file's encoding does not have."""

    def __init__(self, path: str, encoding: str, character: str) -> None:
        super().__init__(f"'{path}' is {encoding}, which has no {character!r}.", "write it with other characters.")


class NoMatch(NotFound):
    """The piece to replace is not in the file."""

    def __init__(self, path: str, near: str) -> None:
        super().__init__(f"old_string is not in '{path}'.", near or "read the file and copy the text exactly.")


class ManyMatches(BadRequest):
    """The piece to replace is there more than once."""

    def __init__(self, path: str, lines: Sequence[int]) -> None:
        listed = ", ".join(map(str, lines[:8])) + (", …" if len(lines) > 8 else "")
        super().__init__(
            f"old_string is in '{path}' {len(lines)} times (lines {listed}).",
            "give more of the lines around it, or set replace_all.",
        )


class DecodedText(Value):
    """A file's text with `\\n` and `\\r\\n` as they are, and how it is written."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def crlf(self) -> bool:
        """Whether most of its lines end in `\\r\\n`."""
        return 2 * self.text.count("\r\n") > self.text.count("\n")


def read_text(data: bytes, path: str) -> DecodedText:
    """The text in some bytes. Raises Binary. What is not UTF-8 is read byte by byte, and written back so."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return DecodedText(text=data[len(mark) :].decode(encoding), encoding=encoding, mark=mark)
            except UnicodeDecodeError:
                raise Binary(path) from None
    if b"\0" in data:
        raise Binary(path)
    try:
        return DecodedText(text=data.decode())
    except UnicodeDecodeError:
        return DecodedText(text=data.decode("latin-1"), encoding="latin-1")


def to_bytes(text: DecodedText, path: str) -> bytes:
    """A text as it is written. Raises Unwritable."""
    try:
        return text.mark + text.text.encode(text.encoding)
    except UnicodeEncodeError as error:
        raise Unwritable(path, text.encoding, text.text[error.start]) from None


def convert_line_ends(new: str, *, crlf: bool) -> str:
    """Text with the line ends of the file that it goes into."""
    plain = new.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if crlf else plain


def rewrite_text(old: DecodedText, new: str) -> DecodedText:
    """New text in the place of a whole file."""
    if old.mark and new.startswith("\ufeff"):
        new = new[1:]
    return DecodedText(
        text=convert_line_ends(new, crlf=True) if old.crlf else new, encoding=old.encoding, mark=old.mark
    )


def replace_piece(text: DecodedText, old: str, new: str, path: str, *, every: bool) -> DecodedText:
    """The text with a piece replaced, whatever its line ends. Raises NoMatch, ManyMatches."""
    lines = old.replace("\r\n", "\n").split("\n")
    found = list(re.finditer("\r?\n".join(map(re.escape, lines)), text.text))
    if not found:
        raise NoMatch(path, describe_nearest(text.text, old))
    if len(found) > 1 and not every:
        raise ManyMatches(path, [text.text.count("\n", 0, match.start()) + 1 for match in found])
    pieces, done = [], 0
    for match in found:
        crlf = "\r\n" in match[0] or ("\n" not in match[0] and text.crlf)
        pieces += [text.text[done : match.start()], convert_line_ends(new, crlf=crlf)]
        done = match.end()
    return DecodedText(text="".join([*pieces, text.text[done:]]), encoding=text.encoding, mark=text.mark)


def describe_nearest(text: str, old: str) -> str:
    """Where a text is most like a piece that is not in it, in words; empty where nothing is."""
    lines = text.split("\n")[:MOST_LINES]
    wanted = [line for line in old.split("\n") if line.strip()]
    if not wanted:
        return ""
    bare = wanted[0].strip()
    at = next((at for at, line in enumerate(lines) if line.strip() == bare), -1)
    if at < 0:
        at = _find_most_alike(lines, bare)
    if at < 0:
        return ""
    first = max(0, at - 1)
    shown = lines[first : at + max(SHOWN, min(len(wanted), 8))]
    listed = "\n".join(
        f"{number}\t{escape_controls(line)[:LONGEST]}" for number, line in enumerate(shown, start=first + 1)
    )
    return f"the nearest lines are:\n{listed}"


def _find_most_alike(lines: Sequence[str], bare: str) -> int:
    best, at = LIKE, -1
    matcher = SequenceMatcher(b=bare[:LONGEST], autojunk=False)
    for place, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:LONGEST])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (like := matcher.ratio()) > best:
            best, at = like, place
    return at


def escape_controls(text: str) -> str:
    """Text in which control characters are shown, not obeyed; a line's `\\r` at its end is left out."""
    return text.replace("\r\n", "\n").removesuffix("\r").translate(_CONTROLS)


def diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff of one file; a word for what is no text."""
    old, new = (_lines(data) for data in (before, after))
    if old is None or new is None:
        return f"Binary file {path} differs\n"
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, *names)
    )


def _lines(data: bytes | None) -> list[str] | None:
    try:
        text = read_text(data or b"", "").text
    except Binary:
        return None
    # Only `\n` ends a line of a diff.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
