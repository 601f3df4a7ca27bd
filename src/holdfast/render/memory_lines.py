"""A memory as one line of a block: inert, whatever it says."""

import re

from holdfast.core.fence import make_inert
from holdfast.core.memory import Memory, MemoryType
from holdfast.recall.state_memory import full_title

LONGEST = 400
LONGEST_PATHS = 160
# A client puts a file in the place of `@path`, at the beginning of a word; a mark at a line's start makes it another
# kind of line; three tildes open a fence.
_IMPORT = re.compile(r"(?<![\w\\.+-])@")
_OPENS = re.compile(r"^([#>+*=|_~-]|\d+[.)])")
_FENCE = re.compile(r"~{3,}")


def line_of(memory: Memory) -> str:
    """What a memory says, with its id, on one line."""
    where = [plain_line(f"[{_shorten(', '.join(memory.paths), LONGEST_PATHS)}]")] if memory.paths else []
    return " ".join(["-", plain_line(words_for_agent(memory)), *where, f"({memory.id})"])


def words_for_agent(memory: Memory) -> str:
    """The words of a memory that an agent needs: a decision's with what was rejected, a dead end's with its cause."""
    words = full_title(memory)
    match memory.type:
        case MemoryType.DECISION:
            if memory.choice and memory.choice.casefold() not in words.casefold():
                words = f"{words.rstrip('.')}: {memory.choice}"
            words = _add_rejected(words, memory)
        case MemoryType.FAILURE:
            times = f" (failed {memory.attempts}×)" if (memory.attempts or 0) > 1 else ""
            words = f"{words}{times}" + (f": {memory.root_cause}" if memory.root_cause else "")
        case MemoryType.LEARNING:
            words = memory.fact or words
    return _shorten(words, LONGEST)


def plain_line(text: str) -> str:
    """Text on one line that opens no tag, fence, list or heading, and brings in no file."""
    flat = " ".join(make_inert(" ".join(text.split())).split()).replace("`", "'")
    flat = _IMPORT.sub(r"\\@", _FENCE.sub("~~", flat))
    return f"\\{flat}" if _OPENS.match(flat) else flat


def _add_rejected(words: str, memory: Memory) -> str:
    options = [each.option + (f" ({each.reason})" if each.reason else "") for each in memory.rejected]
    return f"{words.rstrip('.')}. Rejected: {'; '.join(options)}" if options else words


def _shorten(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[:longest].rsplit(" ", 1)[0] + "…"
