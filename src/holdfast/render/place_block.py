"""Our block in a text that is not ours: put in, renewed where it stands, taken out. No other byte changes."""

import re

from holdfast.clients.install.marked_text import BEGIN, END
from holdfast.core.errors import BadRequest
from holdfast.core.value import Value

VERSION = "v1"
# Alone on its line; in the middle of one, or in code, it is somebody's words.
_ALONE = re.compile(r"^[ \t\ufeff]*(<!-- holdfast:(begin|end)\b([^\n>]*)-->)[ \t]*\r?$", re.MULTILINE)
_ANYWHERE = re.compile(r"(?<!`)<!-- holdfast:(?:begin|end)\b")


class BrokenBlock(BadRequest):
    """Markers of ours that are not one pair; the file is left alone."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"our block in it is broken: {reason}.",
            f"fix it by hand: one line {BEGIN} and, below it, one line {END}; or take the markers and what is "
            "between them out.",
        )


class BlockSpan(Value):
    """Where our block stands, markers included."""

    start: int
    end: int


def find_block(text: str) -> BlockSpan | None:
    """Where the block is; None when there is none. Raises BrokenBlock."""
    marks = list(_ALONE.finditer(text))
    if len(marks) != len(_ANYWHERE.findall(text)):
        raise BrokenBlock("a marker does not stand on a line of its own")
    if not marks:
        return None
    kinds = [mark[2] for mark in marks]
    if kinds != ["begin", "end"]:
        raise BrokenBlock(_what_is_wrong(kinds))
    if marks[0][3].strip() != VERSION:
        raise BrokenBlock(f"it is of version {marks[0][3].strip() or 'none'!r}, and this release knows {VERSION}")
    return BlockSpan(start=marks[0].start(1), end=marks[1].end(1))


def block_text(text: str) -> str | None:
    """What stands between the markers, with plain line ends; None where there is no block. Raises BrokenBlock."""
    span = find_block(text)
    if span is None:
        return None
    return text[span.start : span.end].replace("\r\n", "\n").removeprefix(f"{BEGIN}\n").removesuffix(END).rstrip("\n")


def put_block(text: str, block: str) -> str:
    """The text with the block: in its old place, or at the end. Raises BrokenBlock."""
    span = find_block(text)
    newline = _newline(text, span)
    marked = f"{BEGIN}\n{block}\n{END}".replace("\n", newline)
    if span is not None:
        return text[: span.start] + marked + text[span.end :]
    if not text:
        return marked + newline
    # A text whose last line does not end keeps that: so the way back is known.
    return text + newline + marked + newline if text.endswith("\n") else text + newline * 2 + marked


def remove_block(text: str) -> str:
    """The text without the block and what `put` set around it. Raises BrokenBlock."""
    span = find_block(text)
    if span is None:
        return text
    newline = _newline(text, span)
    before, after = text[: span.start], text[span.end :]
    if not after:
        return before.removesuffix(newline * 2)
    if after == newline and before.endswith("\n" + newline):
        return before.removesuffix(newline)
    return before + after.removeprefix(newline)


def count_foreign_bytes(text: str) -> int:
    """How many bytes are not ours."""
    span = find_block(text)
    return len((text if span is None else text[: span.start] + text[span.end :]).encode("utf-8", "replace"))


def _newline(text: str, span: BlockSpan | None) -> str:
    """The block's own line ends; without one, those that most lines of the text have."""
    if span is not None:
        return "\r\n" if text[span.start + len(BEGIN) :].startswith("\r\n") else "\n"
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _what_is_wrong(kinds: list[str]) -> str:
    if kinds.count("begin") > 1 and kinds.count("end") > 1:
        return "it is there twice"
    if "end" not in kinds:
        return "it begins and does not end"
    if "begin" not in kinds:
        return "it ends and does not begin"
    return "its markers are not in order"
