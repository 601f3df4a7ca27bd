"""Pieces: what one record of a transcript says, redacted and ready to be woven into events.

Made by readers in processes of their own, so a piece is a plain tuple and its content is JSON already. `raw` holds the
words as they came, for the key that a hook would give them; it never reaches the disk.
"""

import re
from _json import encode_basestring
from collections.abc import Callable, Mapping
from hashlib import blake2b
from importlib import import_module
from json import JSONEncoder
from typing import Any, NamedTuple

from holdfast.redact.clean import Cleaned, clean
from holdfast.redact.secret_rules import SecretRule

START, PROMPT, TEXT, CALL, RESULT, CUT, FOREIGN, OTHER, NODE, REWIND = (
    "start", "prompt", "text", "call", "result", "cut", "foreign", "other", "node", "rewind"
)  # fmt: skip
# Why words end or do not end a turn.
ENDS, GOES_ON, UNKNOWN = "ends", "goes on", ""

MOST_IDS = 2000
LONGEST_ID = 64

Suspects = Callable[[str], tuple[SecretRule, ...]]

_ENCODER = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
# Numbers that are written without an exponent.
_PLAIN = (1e-4, 1e16)
_ESCAPED = JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False)
# Ids as clients make them: no rule of redaction can match one, so they need not be asked.
_PLAIN_ID = re.compile(
    r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|toolu_[A-Za-z0-9_]{1,40}|(?:call|msg|prt)_[0-9A-Za-z]{1,32}"
    r"|a[0-9a-f]{8,20})"
)


class TranscriptPiece(NamedTuple):
    """One thing that a record says. `at` is the byte where its line begins, `after` where the next one does."""

    kind: str
    at: int
    after: int
    ts: str = ""
    session: str = ""
    id: str = ""
    parent: str | None = None
    thread: str = ""
    turn: str = ""
    call: str = ""
    name: str = ""
    group: str = ""
    stop: str = UNKNOWN
    failed: bool = False
    private: int = 0
    words: bytes = b""
    raw: str = ""
    body: bytes = b""


class Redactor:
    """Makes values fit for the disk, as capture does; `state` is how many `<private>` tags of the session are open."""

    def __init__(self, limits: Mapping[str, int], suspects: Suspects, state: int = 0) -> None:
        self.state = state
        # How much of each kind was taken out.
        self.found: dict[str, int] = {}
        self._limits = limits
        self._suspects = suspects
        # The same session, turn and tool stand in record after record.
        self._ids: dict[str, str] = {}

    def prompt(self, text: str) -> str:
        """The user's words: they alone open and close what is private."""
        cleaned = clean(text, state=self.state, suspects=self._suspects)
        self.state = cleaned.state
        return str(self._counted(cleaned))

    def text(self, text: str) -> str:
        """Other words, whole."""
        return str(self._counted(clean(text, state=self.state, suspects=self._suspects)))

    def value(self, name: str, value: object) -> object:
        """A value of a field, cut to what capture keeps of that field."""
        return self._counted(clean(value, state=self.state, limit=self._limits.get(name), suspects=self._suspects))

    def id(self, text: object) -> str:
        """A short name or id."""
        if not isinstance(text, str) or not text:
            return ""
        known = self._ids.get(text)
        if known is None:
            known = text if _PLAIN_ID.fullmatch(text) else str(clean(text[:500], suspects=self._suspects).value)
            if len(self._ids) < MOST_IDS and len(text) <= LONGEST_ID:
                self._ids[text] = known
        return known

    def _counted(self, cleaned: Cleaned) -> object:
        for kind, count in cleaned.found.items():
            self.found[kind] = self.found.get(kind, 0) + count
        return cleaned.value


def encode_field(name: str, value: object) -> bytes:
    """One member of a JSON object."""
    try:
        return b'"%s":%s' % (name.encode(), _encode_json(value))
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; as an escape it survives.
        return f'"{name}":{_ESCAPED.encode(value)}'.encode()


def encode_fields(values: Mapping[str, object]) -> bytes:
    """The members of a JSON object that say something."""
    return b",".join([encode_field(name, value) for name, value in values.items() if value not in ("", None)])


def words_key(text: str) -> bytes:
    """By what words are known again, however they are spaced."""
    return blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def value_key(value: object) -> bytes:
    """By what a JSON value is known again."""
    return body_key(encode_field("", value))


def body_key(member: bytes) -> bytes:
    """By what the value of a member of an object is known again."""
    return blake2b(member.partition(b":")[2], digest_size=8).digest()


def text_in(record: Mapping[str, Any], name: str) -> str:
    """A text of a record, or an empty one."""
    found = record.get(name)
    return found if isinstance(found, str) else ""


def object_in(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object of a record, or an empty one."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _encode_json(value: object) -> bytes:
    if _fast is not None and (type(value) is str or _encodes_alike(value)):
        return _fast(value)
    return (encode_basestring(value) if type(value) is str else _ENCODER.encode(value)).encode()


def _encodes_alike(value: object) -> bool:
    """Whether both encoders write a value the same: of numbers with an exponent they do not."""
    if isinstance(value, dict):
        return all(map(_encodes_alike, value.values()))
    if isinstance(value, list):
        return all(map(_encodes_alike, value))
    return not isinstance(value, float) or value == 0 or _PLAIN[0] <= abs(value) < _PLAIN[1]


def _fast_encoder() -> Callable[[object], bytes] | None:
    try:
        encode: Callable[[object], bytes] = import_module("msgspec.json").encode
    except ImportError:
        return None
    return encode


_fast = _fast_encoder()
