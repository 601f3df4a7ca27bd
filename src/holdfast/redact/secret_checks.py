"""What tells a secret from a word, a reference, a placeholder, a digest or an id."""

import re

_ENOUGH = 96  # characters of a text that tell whether it is made of words
_SEGMENTS = re.compile(r"[^A-Za-z0-9]+")
_JOINTS = re.compile(r"[-_.:/]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VOWELS = re.compile(r"[aeiouy]", re.IGNORECASE)
_CLUSTER = re.compile(r"[b-df-hj-np-tv-xz]{6}", re.IGNORECASE)
_IDENTITY = re.compile(
    r"(?:[0-9a-fA-F]{7,128}"  # a git SHA, a digest, a colour
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"  # a UUID
    r"|[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"  # a ULID
    r"|[A-Z]{2,5}-[0-9A-Z]{4,8}"  # our ids, tickets
    r"|(?:sha(?:1|224|256|384|512)|md5|blake[23][bs]?)[-:~_=][A-Za-z0-9+/=_-]{16,}"  # integrity
    r"|[0-9]+(?:[.:/_-][0-9]+)*[A-Za-z]{0,3}"  # numbers, dates, versions
    r"|ssh-[a-z0-9]+|AAAA[BCDEFG]3Nza\S*)"  # public keys
)
_REFERENCE = re.compile(
    r"\$|%[A-Za-z_]|@[A-Za-z_]|<|\{|\[|(?:[a-z][a-z0-9+.-]*:)?//|arn:|ref\+|vault:|env:|file:"
    r"|[~.]{1,2}/|/(?:home|root|etc|run|var|usr|opt|tmp|app|mnt|srv|dev|Users)/"
    r"|(?:process|os|sys|self|this|import|config|cfg|conf|settings|secrets?|env|environ|var|local|data|module|request"
    r"|req|args|params|options|opts|ctx|context|props|state|user|app|event|body|response|res|json|kwargs|c|s|e)[.\[]"
)
_FILLED = re.compile(r"\$\{|\{\{|\$\(|%\(|%s|\{[A-Za-z_]?[\w.\[\]'\"() ]*\}|…|\.\.\.|\[redacted:|\[private\]")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TYPES = _words(
    """
    str string bytes bytearray int integer float bool boolean none null nil undefined true false yes no on off any
    object text varchar char number optional required secretstr list dict array map void self unknown never readonly
    private public protected char255 value type default auto todo tbd empty missing invalid wrong correct expired
    valid ok error failed
    """
)
_STAND_INS = _words(
    """
    your yours my some insert replace replaceme enter put example examples sample dummy fake mock changeme change
    changeit placeholder here foo bar baz foobar xxx xxxx xxxxx redacted hidden masked omitted removed none null
    undefined todo fixme abc abcd secretvalue notasecret
    """
)
_SAME_WORD = _words(
    """
    password passwd pass pwd passphrase secret token key apikey api_key api-key auth user username credentials
    """
)


def is_wordy(text: str) -> bool:
    """Whether a text is made of words and small numbers, as identifiers and names of things are."""
    return all(map(_is_word, filter(None, _SEGMENTS.split(text[:_ENOUGH]))))


def _is_word(segment: str) -> bool:
    stem = segment.rstrip("0123456789")
    if not stem or len(segment) <= 3:
        return len(segment) <= 8
    if len(segment) - len(stem) > 4 or not stem.isalpha():
        return False
    humps = _HUMPS.findall(stem)
    mean = 2.5 if len(stem) < 12 or len(humps) == 1 else 3.5
    return len(stem) >= mean * len(humps) and max(map(len, humps)) <= 24 and (len(stem) < 8 or _is_speakable(stem))


def _is_speakable(stem: str) -> bool:
    return len(_VOWELS.findall(stem)) >= 0.2 * len(stem) and not _CLUSTER.search(stem)


def is_camel_case(text: str) -> bool:
    """Whether a text without digits reads like a name in a program: `xmlSecGetKey`."""
    return text.isidentifier() and text.isascii() and len(text) >= 2.5 * len(_HUMPS.findall(text))


def looks_random(found: str) -> bool:
    """Whether a token looks random: some part of it is neither a plain word nor a small number."""
    return not all(map(_is_plain_word, filter(None, _SEGMENTS.split(found[:_ENOUGH]))))


def _is_plain_word(segment: str) -> bool:
    stem = segment.rstrip("0123456789")
    if len(segment) - len(stem) > 4 or not stem:
        return not stem and len(segment) <= 8
    return stem.isalpha() and len(stem) <= 24 and (stem.islower() or stem.isupper() or stem.istitle())


def is_odd(found: str) -> bool:
    """Whether a token is anything but small letters: the least that is asked of any, and what the gate looks for."""
    return not found.islower() or any(map(str.isdigit, found))


def is_identity(value: str) -> bool:
    """Whether a value is of a form that names things in public: digests, UUIDs, ULIDs, versions, dates, ids.

    Also when words stand before or after it, as in the keys of caches.
    """
    if _IDENTITY.fullmatch(value):
        return True
    return all(is_wordy(part) or _IDENTITY.fullmatch(part) for part in _JOINTS.split(value))


def is_reference(value: str) -> bool:
    """Whether a value says where the secret is instead of being one."""
    return _REFERENCE.match(value) is not None or _FILLED.search(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value stands in for a secret that is not there."""
    low = value.lower().strip("\"'`;,.!?()[]{}<>")
    if len(set(low)) <= 2 or low in _SAME_WORD or low in _TYPES:
        return True
    if not is_wordy(value):
        return False
    humps = [hump.lower() for hump in _HUMPS.findall(value)]
    return any(part in _STAND_INS for part in _SEGMENTS.split(low)) or (
        len(humps) > 1 and any(map(_SAME_WORD.__contains__, humps))
    )


def is_url_password(value: str) -> bool:
    """Whether what stands for a password in a URL or a command is one."""
    return not (is_reference(value) or is_placeholder(value))


CHECKS = {"": is_odd, "mixed": looks_random, "url_password": is_url_password}
