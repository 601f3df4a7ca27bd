"""Values that a name announces: `PASSWORD=…`, `"apiKey": "…"`, `Authorization: Bearer …`, "the password is …"."""

import re
from collections.abc import Callable, Iterator

from holdfast.redact.gate import has_value_after, places, to_ascii_bytes
from holdfast.redact.secret_checks import (
    is_camel_case,
    is_identity,
    is_odd,
    is_placeholder,
    is_reference,
    is_wordy,
    looks_random,
)
from holdfast.redact.secret_names import is_strong, kind_of
from holdfast.redact.secret_rules import NAMED

Span = tuple[int, int, str]

_WORDS = tuple(word.encode() for word in NAMED.literals)
_NAME_CHARACTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST_NAME = 48
_JUDGED = 256  # characters of a value that tell whether it is a secret

_AFTER = re.compile(
    r"(?P<gap>\\*[\"'`]?\]?"
    r"(?:(?P<sep>(?P<element>>)|\s{0,16}(?::=|=>|\?=|==?|:)\s{0,16}|,\s{0,4}(?=\\*[\"'`])"
    r"|\s{1,4}\n?\s{0,16}\\*[\"']?value\\*[\"']?\s{0,4}[:=]\s{0,4})"
    r"|(?P<prose>\s{1,4}(?:is|was|to)\s{1,4}[:=]?\s{0,4})|(?P<space>\s{1,16})))"
    r"(?P<open>\\*[\"'`])?",
    re.ASCII,
)
_QUOTED = {quote: re.compile(rf"(?:[^{quote}\\\r\n]|\\.)+") for quote in "\"'`"}
_ESCAPED = {quote: re.compile(rf"[^{quote}\r\n]+") for quote in "\"'`"}
_BARE = re.compile(r"[^\s\"'`,;&|<>(){}\[\]\\]+|<[^<>\n]{0,80}>|[${(\[][^\s]*")
_LINE = re.compile(r"[^\"'`\r\n\\]+")
_TOKEN = re.compile(r"[^\s\"'`,;\\<>(){}]+|\S+")
_WHOLE = re.compile(r"\S+")
_SCHEME = re.compile(
    r"(?i:bearer|basic|token|apikey|api-key|key|digest|aws4-hmac-sha256|negotiate|oauth|sharedkey|ssws|splunk)\s{1,4}"
)
_COOKIE = re.compile(r"[\w.!#$%&*+^|~-]{1,128}=(?P<value>[^\s;]{8,})", re.ASCII)

_HEADERS = ("authorization", "cookie")
# Keys that are made to stand in a page.
_PUBLISHED = ("phc_", "pk_live_", "pk_test_", "sb_publishable_")
_LINE_OPENERS = frozenset(
    ["", "-", "+", "$", "export", "set", "ENV", "ARG", "-e", "--env", "declare -x", "local", "env"]
)
_CODE = re.compile(r"[A-Za-z_][\w.-]*[(\[]|[(*&!|]", re.ASCII)
_FILE = re.compile(r"[\w.+~-]*(?:/[\w.+~-]+)+\.\w{1,5}", re.ASCII)


def find_named(text: str) -> Iterator[Span]:
    """Where named secrets stand, and of which kind."""
    done = 0
    for first, last in _names(to_ascii_bytes(text)):
        before = text[max(0, first - 10) : first]
        if first < done or before.endswith(("[redacted:", "/")) or "-----" in text[first:last]:
            continue
        if (kind := kind_of(text[first:last])) and (span := _secret_after(text, first, last, kind)):
            done = span[1]
            yield span


def find_in_pair(name: str, value: str) -> Span | None:
    """Where a secret stands in a value that has a name: an entry of an object, what follows a flag."""
    kind = kind_of(name)
    if kind in _HEADERS:
        return _header(kind, value, 0)
    judged = value[:_JUDGED]
    fits = kind and judged and not re.search(r"\s", judged) and _is_secret(name, kind, judged, sure=True)
    return (0, len(value), kind) if fits else None


def _names(raw: bytes) -> Iterator[tuple[int, int]]:
    """The names around every telling word that something follows, each once, in order."""
    low = raw.lower()
    spots = ((at, word) for word in _WORDS if word in low for at in places(low, word))
    at_words = sorted((at, at + len(word)) for at, word in spots if has_value_after(raw, low, at, word))
    done = 0
    for at, after in at_words:
        if at < done:
            continue
        first, last = at, after
        while first > max(done, at - _LONGEST_NAME) and raw[first - 1] in _NAME_CHARACTERS:
            first -= 1
        while last < min(len(raw), after + _LONGEST_NAME) and raw[last] in _NAME_CHARACTERS:
            last += 1
        done = last
        yield first, last


def _secret_after(text: str, first: int, last: int, kind: str) -> Span | None:
    """The secret that follows a name, if one does."""
    found = _AFTER.match(text, last)
    if found is None or (found["element"] and text[first - 1 : first] != "<"):
        return None
    return _header(kind, text, found.end("gap")) if kind in _HEADERS else _value(text, first, kind, found)


def _header(kind: str, text: str, begin: int) -> Span | None:
    """The secret in what follows `Authorization` or `Cookie`."""
    opening = text[begin : begin + 16]
    begin += len(opening) - len(opening.lstrip("\\\"'` "))
    if kind == "cookie":
        return _checked_match(_LINE, text, begin, kind, _is_cookie_line)
    scheme = _SCHEME.match(text, begin)
    rich = scheme is not None and scheme[0].lower().startswith(("digest", "aws4"))
    return _checked_match(_LINE if rich else _TOKEN, text, scheme.end() if scheme else begin, kind, _is_token)


def _checked_match(
    pattern: re.Pattern[str], text: str, begin: int, kind: str, check: Callable[[str], bool]
) -> Span | None:
    """What a pattern takes from a place on, if its beginning passes a check: no value is too long to go whole."""
    head = pattern.match(text, begin, begin + _JUDGED)
    if head is None or not check(head[0]):
        return None
    whole = pattern.match(text, begin) or head
    return begin, begin + len(whole[0].rstrip()), kind


def _is_token(token: str) -> bool:
    return len(token) >= 8 and not (is_wordy(token) or is_reference(token) or is_placeholder(token))


def _is_cookie_line(line: str) -> bool:
    return any(_is_token(found["value"]) for found in _COOKIE.finditer(line))


def _value(text: str, first: int, kind: str, found: re.Match[str]) -> Span | None:
    opened, begin = found["open"] or "", found.end()
    bare = _WHOLE if found["sep"] and _starts_line(text, first) else _BARE
    pattern = (_QUOTED if len(opened) == 1 else _ESCAPED)[opened[-1]] if opened else bare
    span = _checked_match(
        pattern, text, begin, kind, lambda value: _fits_place(text, first, kind, _trim_value(value, opened), found)
    )
    return (begin, begin + len(_trim_value(text[begin : span[1]], opened)), kind) if span else None


def _trim_value(value: str, opened: str) -> str:
    return value.rstrip("\\") if opened else value.rstrip(",;.)\"'`\\")


def _starts_line(text: str, first: int) -> bool:
    """Whether nothing stands before a name on its line but what shells and lists put there."""
    begin = max(0, first - 64)
    line = text.rfind("\n", begin, first) + 1
    if not line and begin:
        return False
    return text[line:first].strip() in _LINE_OPENERS


def _fits_place(text: str, first: int, kind: str, value: str, found: re.Match[str]) -> bool:
    """Whether a value can be a secret where it stands: as an assignment, after a flag, or in a sentence."""
    name, quoted = text[first : found.start()], bool(found["open"])
    if not value or (re.search(r"\s", value) and not _is_passphrase(name, kind, value, found)):
        return False
    if found["sep"]:
        return _is_assigned(text, first, kind, value, found)
    if found["space"] and name.startswith("-") and not value.startswith("-"):
        return (quoted or _is_telling(value)) and (
            _is_secret(name, kind, value, sure=True) or _is_weak_token(kind, value)
        )
    if kind.endswith("password") and (found["prose"] or quoted):
        return (
            len(value) >= 6 and (looks_random(value) or _is_telling(value)) and _is_secret(name, kind, value, sure=True)
        )
    return len(value) >= 20 and _is_secret("", "key", value, sure=quoted)


def _is_weak_token(kind: str, value: str) -> bool:
    """Whether what follows a flag for a token is one that a person made up: `--target-token password1234`."""
    made_up = len(value) >= 8 and value.isalnum() and not value.isdigit() and any(map(str.isdigit, value))
    return kind.endswith("token") and made_up and not (is_reference(value) or is_placeholder(value))


def _is_passphrase(name: str, kind: str, value: str, found: re.Match[str]) -> bool:
    """Whether several words can be one password: `PASSPHRASE="correct horse battery"`."""
    return (
        kind.endswith("password")
        and name.isupper()
        and found["sep"] == "="
        and bool(found["open"])
        and "\n" not in value
    )


def _is_assigned(text: str, first: int, kind: str, value: str, found: re.Match[str]) -> bool:
    name, quoted = text[first : found.start()], bool(found["open"])
    if name == "PASS" and text[max(0, first - 4) : first] == "--- ":
        # A test runner's verdict, and the name of a test.
        return False
    config = not quoted and _is_config_line(text, first, found, value)
    if not (quoted or config) and (_CODE.match(text, found.end()) or _is_identifier(value)):
        return False
    if found["sep"].strip() in (",", "==") and not _belongs_to_name(name, value):
        return False
    if kind.endswith("secret") and config and name.isupper() and len(value) >= 6:
        return not (is_reference(value) or is_placeholder(value))
    return _is_secret(name, kind, value, sure=quoted or config)


def _belongs_to_name(name: str, value: str) -> bool:
    """Whether a text after a comma belongs to the name before it, and is not the next of a list of words."""
    return any(map(str.isdigit, value)) or (looks_random(value) and (len(value) >= 20 or name.isupper()))


def _is_config_line(text: str, first: int, found: re.Match[str], value: str) -> bool:
    """Whether name and value stand as in .env, ini and YAML files, alone on a line, or in a connection string."""
    if _CODE.match(value):
        return False
    shouted = found["sep"] == "=" and text[first : found.start()].isupper()
    if shouted or text[first - 1 : first] in (";", "&") or "value" in found["sep"]:
        return True
    line = text[found.end() : found.end() + _JUDGED].partition("\n")[0].strip()
    return _starts_line(text, first) and line == value and found["sep"] in ("=", ": ", ":")


def _is_secret(name: str, kind: str, value: str, *, sure: bool) -> bool:
    """Whether a value is a secret by its form; `sure` when it cannot be a piece of code."""
    if is_reference(value) or is_placeholder(value) or _is_path(value) or value.startswith(_PUBLISHED):
        return False
    if name.lower() == "pass" and not (looks_random(value) and (sure or not is_wordy(value))):
        return False
    if kind.endswith("password"):
        return len(value) >= 3 if sure else len(value) >= 5 and _is_telling(value)
    if len(value) < 8 or not (is_odd(value) or len(value) > 24) or is_wordy(value):
        return False
    return is_strong(name, kind) or (len(value) >= 16 and not is_identity(value))


def _is_telling(value: str) -> bool:
    return not is_wordy(value) or any(map(str.isdigit, value))


def _is_path(value: str) -> bool:
    return "/" in value and (is_wordy(value) or _FILE.fullmatch(value) is not None)


def _is_identifier(value: str) -> bool:
    """Whether a bare value reads like a name in a program: `xmlSecGetKey`, `win32api.RegOpenKeyEx`."""
    if "." in value:
        return all(part.isidentifier() for part in value.split("."))
    return len(value) <= 24 and not any(map(str.isdigit, value)) and is_camel_case(value)
