"""Other people's text made fit to keep: no codes, one line where a line is wanted, dates as ISO 8601."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime

from holdfast.core.times import parse_moment

TITLE = 120
FIELD = 400
REASON = 300
BODY = 16_000
LONGEST = 8000
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[PX^_][^\x1b]{0,2000}\x1b\\|.)?"
)
# Control characters, and marks that make a line read as what it is not.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_INJECTED = re.compile(
    r"<(system-reminder|hook_context|persisted-output|claude-mem-context)\b[^>]{0,200}>.*?(?:</\1\s*>|\Z)", re.DOTALL
)
_OURS = re.compile(r"<!--\s*holdfast:begin\b.*?(?:<!--\s*holdfast:end[^>]*-->|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]{0,200}\]\([^)]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()\s]{0,500}(?:\s+\"[^\"]*\")?\)|\[[^\[\]]{0,100}\])")
_RST_LINK = re.compile(r"`([^`<>]{1,200}?)\s*<[^`<>]{1,400}>`__?")
_EMPHASIS = re.compile(r"(\*{1,3}|(?<![A-Za-z0-9_])_{1,3}|~~)(?=\S)(.{1,400}?)(?<=\S)\1(?![A-Za-z0-9])")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-ZÀ-Þ0-9\"'(\[*`])|(?<=[。！？])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|al|Mr|Dr|St)\.$", re.IGNORECASE)
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_WORDED = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_AMERICAN = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan", "feb fev", "mar", "apr avr", "may mai", "jun", "jul", "aug aou", "sep", "oct okt", "nov", "dec dez"), 1
    )
    for name in names.split()
}
LATEST = 2100
EARLIEST = 1970


def split_phrases(text: str) -> tuple[str, ...]:
    """The phrases between bars."""
    return tuple(" ".join(part.split()) for part in text.split("|") if part.strip())


def phrase_set(text: str) -> frozenset[str]:
    """The phrases between bars, to look one up in."""
    return frozenset(split_phrases(text))


def strip_codes(text: str) -> str:
    """Text without terminal codes, control characters, and blocks that a memory once put before an agent."""
    text = _TERMINAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _INJECTED.sub(_keep_newlines, _OURS.sub(_keep_newlines, _CONTROL.sub("", text)))


def _keep_newlines(found: re.Match[str]) -> str:
    """What is left of a block that goes: its newlines, so that line numbers hold."""
    return "\n" * found[0].count("\n")


def without_comments(text: str) -> str:
    """Markdown without HTML comments."""
    return _COMMENT.sub(_keep_newlines, text)


def strip_markdown(text: str) -> str:
    """One line of Markdown as people read it: no marks, links by their words."""
    text = _RST_LINK.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub("", text[:LONGEST])))
    for _ in range(3):
        text, changed = _EMPHASIS.subn(r"\2", text)
        if not changed:
            break
    return " ".join(text.split()).strip()


def one_line(text: str, most: int = FIELD) -> str:
    """Text on one line, cut between words."""
    text = strip_markdown(strip_codes(text[: most * 20]))
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def limit_body(text: str, place: str, most: int = BODY) -> str:
    """A body that is not too long; what was cut is told, with its place."""
    text = strip_codes(text).strip("\n")
    if len(text) <= most:
        return text
    kept = text[:most]
    kept = kept[: kept.rfind("\n")] if "\n" in kept[most // 2 :] else kept
    fence = "\n```" if kept.count("\n```") % 2 else ""
    return f"{kept}{fence}\n\n(cut: {len(text) - len(kept)} characters more in {place})"


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph."""
    begun = ""
    for part in _SENTENCE.split(text):
        begun = f"{begun} {part}".strip()
        if not _ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun


def split_tokens(text: str) -> list[str]:
    """Words to compare by: no case, no accents, no marks."""
    return re.findall(r"[a-z0-9][a-z0-9+#]*|[^\W_a-z0-9]+", fold_text(strip_markdown(text)))


def fold_text(text: str) -> str:
    """Text without case and accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def find_date(text: str) -> str:
    """The first date in a text as YYYY-MM-DD; empty when there is none that can be told."""
    for pattern, order in ((_ISO, (1, 2, 3)), (_WORDED, (3, 2, 1)), (_AMERICAN, (3, 1, 2))):
        for found in pattern.finditer(text[:2000]):
            if date := _date(*(found[at] for at in order)):
                return date
    return ""


def _date(year: str, month: str, day: str) -> str:
    number = int(month) if month.isdigit() else _MONTHS.get(fold_text(month)[:3], 0)
    try:
        date = datetime(int(year), number, int(day), tzinfo=UTC)
    except ValueError:
        return ""
    return date.date().isoformat() if EARLIEST <= date.year <= LATEST else ""


def parse_time(value: object) -> str:
    """A time of any common kind (ISO text, seconds or milliseconds since 1970) as ISO 8601; empty when it is none."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return _stamp(float(value))
    text = str(value).strip()
    found = parse_moment(text.replace(" UTC", "Z").replace("+00:00Z", "Z"))
    if found is not None and EARLIEST <= found.year <= LATEST:
        return text if len(text) == len("2026-11-15") else found.strftime("%Y-%m-%dT%H:%M:%SZ")
    return _stamp(float(text)) if text.isascii() and text.isdigit() and len(text) in {10, 13} else find_date(text)


def _stamp(seconds: float) -> str:
    if seconds > 1e11:
        seconds /= 1000
    try:
        found = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%SZ") if EARLIEST < found.year <= LATEST else ""
