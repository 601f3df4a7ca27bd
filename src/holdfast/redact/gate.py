"""Whether any rule could match, by plain searches: most texts hold nothing and shall not pay for `re`.

The gate may say yes where the rules then find nothing; it never says no where they would find something.
"""

from holdfast.redact.rules import BLOCK, NAMED, PLACES, RUN, RUN_CHARACTERS, TOKENS, Rule

_DIGITS = b"0123456789"
_RUNS = bytes(byte if chr(byte) in RUN_CHARACTERS else 32 for byte in range(256))
_TOKENS = tuple((literal.encode(), rule) for rule in TOKENS for literal in rule.literals)
_PLACES = tuple((literal.encode(), rule) for rule in PLACES if "(?i:" not in rule.pattern for literal in rule.literals)
_ANY_CASE = tuple((literal.encode(), rule) for rule in PLACES if "(?i:" in rule.pattern for literal in rule.literals)
_BLOCK = BLOCK.literals[0].encode()
_WORDS = tuple(word.encode() for word in NAMED.literals)

# What stands between a name and its value, and how far the gate looks for it: as far as `named.py`.
_NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_GAP = b" \t\r\n\x0b\x0c\"'`\\]>=:,?"
_SPACE = b" \t\r\n\x0b\x0c\"'`\\]"
_WINDOW = 192
_PASSWORDS = (b"passw", b"passphrase", b"pass", b"pwd")
_ENDING_A_PART = (b"pass", b"pwd", b"secret", b"token", b"key", b"cookie", b"bearer")
_QUOTES = (b'"', b"'", b"`")
_NOTHING = (b"none", b"null", b"nil", b"true", b"false", b"str", b"string", b"undefined", b"bool", b"bytes", b"self")
_SCHEMES = (
    b"bearer",
    b"basic",
    b"token",
    b"apikey",
    b"key",
    b"digest",
    b"aws4",
    b"negotiate",
    b"oauth",
    b"sharedkey",
    b"ssws",
    b"splunk",
)
_OPENERS = ("<", "lt;", "003c", "x3c", "60;")


def flat(text: str) -> bytes:
    """The text with one byte for each character: `?` for all that is not ASCII."""
    return text.encode("ascii", "replace")


def suspects(text: str) -> tuple[Rule, ...]:
    """The rules worth trying on a text, in their order."""
    raw = flat(text)
    low = raw.lower()
    runs = long_runs(raw)
    found = [rule for literal, rule in _TOKENS if literal in runs and _opens(runs, literal, rule)] if runs else []
    found += [rule for literal, rule in _PLACES if literal in raw and _follows(raw, literal, rule)]
    found += [rule for literal, rule in _ANY_CASE if literal in low]
    if _BLOCK in raw:
        found.append(BLOCK)
    if names_a_secret(raw, low):
        found.append(NAMED)
    return tuple(dict.fromkeys(found))


def long_runs(raw: bytes) -> bytes:
    """The runs of token characters long enough for a secret, without those that are plainly words."""
    runs = [run for run in raw.translate(_RUNS).split() if len(run) >= RUN]
    return b" ".join([run for run in runs if _odd(run)])


def _odd(run: bytes) -> bool:
    return not run.islower() or run.translate(None, _DIGITS) != run


def _opens(runs: bytes, literal: bytes, rule: Rule) -> bool:
    """Whether a literal stands where a token could begin."""
    if rule.back or not rule.edge:
        return True
    return any(_edge(runs, at) and _then(runs, at, rule) for at in places(runs, literal))


def _edge(runs: bytes, at: int) -> bool:
    if not runs[at - 1 : at].isalnum():
        return True
    before = runs[max(0, at - 6) : at].rpartition(b" ")[2]
    return len(before) < 6 and _escape(before)


def _escape(before: bytes) -> bool:
    """Whether this is what an escape (`\\n`, `%3D`, `\\x3d`, `\\u003d`, a terminal's colour) leaves before a run."""
    if len(before) < 3:
        return before in (b"n", b"r", b"t", b"b", b"f", b"0", b"m") or len(before) == 2
    return before[:1] in (b"u", b"x") or before[-1:] == b"m"


def _follows(raw: bytes, literal: bytes, rule: Rule) -> bool:
    if rule.near:
        near = rule.near.encode()
        return any(raw.find(near, at, at + 512) >= 0 for at in places(raw, literal))
    return not rule.then or any(_then(raw, at, rule) for at in places(raw, literal))


def _then(raw: bytes, at: int, rule: Rule) -> bool:
    return not rule.then or rule.then.encode() in raw[at : at + 700].split(None, 1)[0]


def names_a_secret(raw: bytes, low: bytes) -> bool:
    """Whether a telling word stands in a name that something like a secret follows."""
    return any(valued(raw, low, at, word) for word in _WORDS if word in low for at in places(low, word))


def places(low: bytes, word: bytes) -> list[int]:
    """Where a word stands."""
    found, at = [], low.find(word)
    while at >= 0:
        found.append(at)
        at = low.find(word, at + len(word))
    return found


def valued(raw: bytes, low: bytes, at: int, word: bytes) -> bool:
    """Whether something like a secret follows the name that a word is part of. `named.py` asks this first, too."""
    end = at + len(word)
    if word in _ENDING_A_PART and raw[end : end + 1].islower():
        return False
    tail = raw[end : end + _WINDOW].lstrip(_NAME)
    body = tail.lstrip(_GAP)
    gap, words = tail[: len(tail) - len(body)], body.split(None, 2)
    if not words or words[0].rstrip(b",;:)").lower() in _NOTHING or _code(gap, words[0]):
        return False
    if b"=" in gap or b":" in gap or gap == b">" or (b"," in gap and gap.endswith(_QUOTES)):
        return _assigned(low, end, word, body, words[0])
    return not gap.strip(_SPACE) and _told(raw, at, word, words)


def _code(gap: bytes, run: bytes) -> bool:
    """Whether a value is a piece of code: a function called, something looked up, a list, a placeholder."""
    if run[:1] in (b"{", b"[", b"<"):
        return True
    return not gap.endswith(_QUOTES) and (
        run[:1] == b"(" or (run[:1].isalpha() and run.lstrip(_NAME)[:1] in (b"(", b"["))
    )


def _told(raw: bytes, at: int, word: bytes, words: list[bytes]) -> bool:
    """Whether a value stands behind its name with nothing but space between, as after a flag or in a sentence."""
    if words[0].startswith((b"value", b'"value', b"'value")):
        return True
    run = words[1] if len(words) > 1 and words[0] in (b"is", b"was", b"to") else words[0]
    if word == b"pass" and raw[at - 1 : at] not in (b"-", b"_"):
        return False
    if word in _PASSWORDS:
        return len(run) >= 6 or (b"-" in raw[max(0, at - 48) : at + 1] and len(run) >= 3)
    flag = word == b"bearer" or b"-" in raw[max(0, at - 48) : at + 1]
    return len(run) >= (8 if flag else 16) and (_odd(run) or len(run) > 24)


def _assigned(low: bytes, end: int, word: bytes, body: bytes, run: bytes) -> bool:
    if word in _PASSWORDS:
        return len(run) >= 3
    if word == b"secret":
        return len(run) >= 6
    if word == b"cookie":
        return b"=" in body
    if word == b"auth":
        if low.startswith(b"or", end) and not low.startswith((b"oriz", b"oris"), end):
            return False
        if run.lower().startswith(_SCHEMES):
            return True
    return len(run) >= 8 and (_odd(run) or len(run) > 24)


def private(text: str) -> bool:
    """Whether a text may hold a `<private>` tag, in whatever spelling."""
    return _tagged(text, "private")


def own(text: str) -> bool:
    """Whether a text may hold a block that we injected."""
    return _tagged(text, "holdfast")


def _tagged(text: str, name: str) -> bool:
    low = text.lower()
    at = low.find(name)
    while at >= 0:
        before = at
        while before and low[before - 1] in " \t\r\n/\\":
            before -= 1
        if low.endswith(_OPENERS, max(0, before - 8), before):
            return True
        at = low.find(name, at + len(name))
    return False
