"""Names of memory files: `<ID>-<slug>.md`. A convenience for people; the id inside counts."""

import re
import unicodedata

from holdfast.core.errors import BadRequest

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_WORDS = 8
MAX_SLUG = 60
_WORD = re.compile(r"[a-z0-9]+")
# Names that Windows keeps for devices, and the one page of the vault that is nobody's memory.
_RESERVED = frozenset(
    {"CON", "PRN", "AUX", "NUL", "OVERVIEW"} | {f"{port}{number}" for port in ("COM", "LPT") for number in range(10)}
)


class BadId(BadRequest):
    """An id that no memory can have."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"No memory can have the id {memory_id[:70]!r}.",
            "an id is 1–64 letters, digits, `.`, `_` or `-`, and starts with a letter or digit.",
        )


class BadPath(BadRequest):
    """A path that leads out of the vault, or nowhere."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path[:200]!r} is no path in a vault.", "name a file below the vault, such as 'decisions/x.md'."
        )


def title_slug(title: str) -> str:
    """Up to eight words of a title in ASCII letters and digits; empty when it has none."""
    plain = unicodedata.normalize("NFKD", title[:500]).encode("ascii", "ignore").decode().lower()
    return "-".join(_WORD.findall(plain)[:MAX_WORDS])[:MAX_SLUG].rstrip("-")


def file_stem(memory_id: str) -> str:
    """What the name of a memory's file starts with. Raises BadId."""
    if not ID.fullmatch(memory_id):
        raise BadId(memory_id)
    return f"_{memory_id}" if memory_id.partition(".")[0].upper() in _RESERVED else memory_id


def file_name(memory_id: str, title: str = "") -> str:
    """The name of a new file."""
    words = title_slug(title)
    return f"{file_stem(memory_id)}-{words}.md" if words else f"{file_stem(memory_id)}.md"


def may_be_named_for(name: str, memory_id: str) -> bool:
    """Whether a file's name says that it holds this id, or one that starts like it."""
    lower, start = name.lower(), file_stem(memory_id).lower()
    return lower == f"{start}.md" or (lower.startswith(f"{start}-") and lower.endswith(".md"))


def path_components(path: str) -> tuple[str, ...]:
    """The folders and the name in a vault path. Raises BadPath for one that could lead elsewhere."""
    parts = tuple(path.split("/"))
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise BadPath(path)
    return parts
