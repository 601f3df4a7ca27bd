"""A memory as one line of a block: inert, whatever it says."""

import re

from holdfast.core.fence import inert
from holdfast.core.memory import Memory, MemoryType
from holdfast.recall.pack import whole_title

LONGEST = 400
LONGEST_PATHS = 160
# A client puts a file in the place of `@path`, at the beginning of a word; a mark at a line's start makes it another
# kind of line; three tildes open a fence.
_IMPORT = re.compile(r"(?<![\w\\.+-])@")
_OPENS = re.compile(r"^([#>+*=|_~-]|\d+[.)])")
_FENCE = re.compile(r"~{3,}")


def line_of(memory: Memory) -> str:
    """What a memory says, with its id, on one line."""
    where = [plain(f"[{_cut(', '.join(memory.paths), LONGEST_PATHS)}]")] if memory.paths else []
    return " ".join(["-", plain(said(memory)), *where, f"({memory.id})"])


def said(memory: Memory) -> str:
    """The words of a memory that an agent needs: a decision's with what was rejected, a dead end's with its cause."""
    words = whole_title(memory)
    match memory.type:
        case MemoryType.DECISION:
            if memory.choice and memory.choice.casefold() not in words.casefold():
                words = f"{words.rstrip('.')}: {memory.choice}"
            words = _with_rejected(words, memory)
        case MemoryType.FAILURE:
            times = f" (failed {memory.attempts}×)" if (memory.attempts or 0) > 1 else ""
            words = f"{words}{times}" + (f": {memory.root_cause}" if memory.root_cause else "")
        case MemoryType.LEARNING:
            words = memory.fact or words
    return _cut(words, LONGEST)


def plain(text: str) -> str:
    """Text on one line that opens no tag, fence, list or heading, and brings in no file."""
    flat = " ".join(inert(" ".join(text.split())).split()).replace("`", "'")
    flat = _IMPORT.sub(r"\\@", _FENCE.sub("~~", flat))
    return f"\\{flat}" if _OPENS.match(flat) else flat


def _with_rejected(words: str, memory: Memory) -> str:
    options = [each.option + (f" ({each.reason})" if each.reason else "") for each in memory.rejected]
    return f"{words.rstrip('.')}. Rejected: {'; '.join(options)}" if options else words


def _cut(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[:longest].rsplit(" ", 1)[0] + "…"
