"""Names inside a bundle: where a file may come from and go to. Everything else is refused."""

import unicodedata
from collections.abc import Iterable

from holdfast.exchange.bundle_format.bundle_values import UnsafeBundle

LONGEST = 1024
LONGEST_PART = 240
SCOPES = ("workspace", "user", "team")
TEAM = "team"
MEMORY, CANDIDATE, RECORD, PAGE, CONFIG, JOURNAL, LEDGER, DISTILLED = (
    "memory", "candidate", "record", "page", "config", "journal", "ledger", "distilled",
)  # fmt: skip
# What a bundle says the number of: files of these kinds, and lines of its journals.
COUNTED, EVENTS = frozenset({MEMORY, CANDIDATE, PAGE, RECORD, CONFIG}), "events"
RECORD_FOLDERS = ("runs", "work", "log", "learning", "research", "security")
RECORD_FILES = ("briefing.json", "context/todo.md")
CONFIG_FILE = "config.toml"
PAGE_FILE = "memory/overview.md"
LEDGER_FILE = "ledger.jsonl"
DISTILLED_FILE = "distilled.json"
MARKDOWN = ".md"
LINES = ".jsonl"


def kind_of(path: str) -> str:
    """What a path below a scope holds; empty where it holds nothing that bundles know."""
    top, _, rest = path.partition("/")
    plain = {PAGE_FILE: PAGE, CONFIG_FILE: CONFIG, LEDGER_FILE: LEDGER, DISTILLED_FILE: DISTILLED}
    plain |= dict.fromkeys(RECORD_FILES, RECORD)
    if path in plain:
        return plain[path]
    if top == "memory" and rest.endswith(MARKDOWN):
        return MEMORY
    if top == "candidates" and rest.endswith(MARKDOWN) and "/" not in rest:
        return CANDIDATE
    if top == "journal" and rest.endswith(LINES) and "/" not in rest:
        return JOURNAL
    return RECORD if top in RECORD_FOLDERS and rest else ""


def split_scope(path: str) -> tuple[str, str]:
    """The scope of a bundle's path, and the path below it."""
    scope, _, rest = path.partition("/")
    return scope, rest


def check_path(path: str, kind: str) -> None:
    """Refuse a path that could lead elsewhere, or to what is not its kind."""
    if reason := _find_fault(path):
        raise UnsafeBundle(f"the name {path[:120]!r} {reason}")
    scope, rest = split_scope(path)
    if scope not in SCOPES or not kind or kind_of(rest) != kind or (scope == TEAM and kind != MEMORY):
        raise UnsafeBundle(f"{path[:120]!r} is no place for a file of kind {kind[:20]!r}")


def check_distinct(paths: Iterable[str]) -> None:
    """Refuse two paths that are one where case or spelling does not count, or a file that is another's folder."""
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(fold_path(path), path)
        if other != path:
            raise UnsafeBundle(f"{path[:120]!r} and {other[:120]!r} are one name on some disks")
    for name, path in seen.items():
        parts = name.split("/")
        if any("/".join(parts[:depth]) in seen for depth in range(1, len(parts))):
            raise UnsafeBundle(f"{path[:120]!r} lies below a file")


def _find_fault(path: str) -> str:
    if not path or len(path.encode("utf-8", "surrogatepass")) > LONGEST:
        return "is empty or too long"
    if path.startswith("/") or "\\" in path:
        return "is absolute"
    if any(not character.isprintable() for character in path):
        return "holds characters that do not print"
    for part in path.split("/"):
        if part in {"", ".", ".."}:
            return "leads out of its folder"
        if len(part.encode()) > LONGEST_PART or part.startswith("."):
            return "has a part that is hidden or too long"
    return ""


def fold_path(path: str) -> str:
    """A path as the most forgiving disk reads it."""
    return unicodedata.normalize("NFKC", path).casefold()
