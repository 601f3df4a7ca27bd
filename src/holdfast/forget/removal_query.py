"""What is to be forgotten, and how it is known again in any text: words, a person or thing, or ids."""

import codecs
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value

SHORTEST = 3
LONG_LINE = 20
# JSON may lie in JSON, as a tool's answer does in an event.
DEEPEST = 3
WINDOW = 1 << 20
OVERLAP = 8192
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[nrtbf\"/\\])"
)  # fmt: skip


class ForgetTextTooShort(BadRequest):
    """A text so short that it would match everything."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is too short to forget by.", f"give at least {SHORTEST} characters.")


class ForgetQuery(Value):
    """Words as they stand, a subject by its name, or ids with the lines that they hold; all in any case.

    `ids` are of memories and candidates, `events` of events.
    """

    text: str = ""
    subject: str = ""
    ids: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def needles(self) -> tuple[str, ...]:
        """The words themselves."""
        return tuple(each for each in (self.text, self.subject.strip(), *self.lines) if each)

    @property
    def by_words(self) -> bool:
        """Whether it is known by words alone: then also what was said of it goes."""
        return bool(self.text or self.subject)

    def matches(self, text: str) -> bool:
        """Whether a text holds it."""
        folded = fold_text(text)
        if self.subject:
            return _pattern(self.subject).search(folded) is not None
        return any(_fold_needle(each) in folded for each in ((self.text,) if self.text else self.lines))

    def holds_derived(self, text: str) -> bool:
        """The same for what we made of words ourselves: there, spaces may stand for what is between them."""
        return self.holds(text) or bool(self.text and _to_file_name(self.text) in _to_file_name(text))

    def holds(self, text: str) -> bool:
        """The same for a text that may be JSON, whose escapes must hide nothing."""
        for _ in range(DEEPEST + 1):
            if self.matches(text):
                return True
            if "\\" not in text or (plain := ESCAPE.sub(_unescape_match, text)) == text:
                return False
            text = plain
        return False

    def named(self, text: str) -> bool:
        """Whether a name is made of the words, as the names of files are."""
        words = _to_file_name(text)
        return any(_to_file_name(each) in words for each in self.needles)

    def in_pieces(self, pieces: Iterable[bytes]) -> bool:
        """Whether bytes that come in turn hold it; in constant memory."""
        return is_in_any_window(pieces, self.holds)


def is_in_any_window(pieces: Iterable[bytes], holds: Callable[[str], bool]) -> bool:
    """Whether a text that comes in turn holds something that is no longer than an overlap."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    held, fresh = list[str](), 0
    for piece in pieces:
        held.append(decode(piece))
        fresh += len(held[-1])
        if fresh >= WINDOW:
            text = "".join(held)
            if holds(text):
                return True
            held, fresh = [text[-OVERLAP:]], 0
    return holds("".join(held) + decode(b"", final=True))


def build_text_query(text: str) -> ForgetQuery:
    """A text as it stands, in any case. Raises TooShort."""
    if len(text.strip()) < SHORTEST:
        raise ForgetTextTooShort(text)
    return ForgetQuery(text=text)


def build_subject_query(subject: str) -> ForgetQuery:
    """A person or thing: its name as whole words, in any case. Raises TooShort."""
    if len(subject.strip()) < SHORTEST:
        raise ForgetTextTooShort(subject)
    return ForgetQuery(subject=subject)


def find_long_lines(text: str) -> tuple[str, ...]:
    """The lines of a text that are long enough to be known again."""
    return tuple(line for each in text.splitlines() if len(line := each.strip()) > LONG_LINE)


def words_of(value: object) -> str:
    """Every text inside a value of JSON."""
    match value:
        case str():
            return value
        case dict():
            return "\n".join(words_of(part) for pair in value.items() for part in pair)
        case list() | tuple():
            return "\n".join(map(words_of, value))
        case _:
            return ""


@lru_cache(maxsize=32)
def _pattern(subject: str) -> re.Pattern[str]:
    words = r"[\s_-]+".join(map(re.escape, fold_text(subject).split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])")


@lru_cache(maxsize=256)
def _fold_needle(needle: str) -> str:
    return fold_text(needle)


def fold_text(text: str) -> str:
    """One spelling for what Unicode has in several: case, letters with marks, wide and narrow forms."""
    if text.isascii():
        return text.lower()
    # Folding may bring up what is to be taken apart again.
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", folded)


def _unescape_match(found: re.Match[str]) -> str:
    return str(json.loads(f'"{found[0]}"'))


def _to_file_name(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", fold_text(text))) + " "
