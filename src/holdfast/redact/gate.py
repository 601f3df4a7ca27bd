"""Whether any rule could match, by plain searches: most texts hold nothing and shall not pay for `re`.

The gate may say yes where the rules then find nothing; it never says no where they would find something.
"""

from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, RUN, RUN_CHARACTERS, TOKENS, SecretRule

_DIGITS = b"0123456789"
# Every character of a run as one and the same, all others as spaces: a long run is then a plain search.
_RUNS = bytes(97 if chr(byte) in RUN_CHARACTERS else 32 for byte in range(256))
_LONG_RUN = b"a" * RUN
# No literal is made of these alone, so a run of them (a hash, an id) holds none.
_HEX = b"0123456789abcdef"
_TOKENS = tuple((literal.encode(), rule) for rule in TOKENS for literal in rule.literals)
# Of these kinds, all that a rule matches stands without a space, and is at least so long: only such runs are searched.
SOLID = 30
_SOLID_KINDS = frozenset({
    "aws_session_token", "flyio_token", "webhook_secret", "slack_webhook", "discord_webhook", "teams_webhook",
    "telegram_token", "google_refresh_token", "asana_token", "azure_storage_key", "azure_sas_signature",
    "aws_signature",
})  # fmt: skip
_SPACES = bytes(32 if chr(byte).isspace() or byte in b"\x1c\x1d\x1e\x1f" else 97 for byte in range(256))


def _with_literals(*, solid: bool, any_case: bool) -> tuple[tuple[bytes, SecretRule], ...]:
    rules = [rule for rule in PLACES if (rule.kind in _SOLID_KINDS) == solid and ("(?i:" in rule.pattern) == any_case]
    return tuple((literal.encode(), rule) for rule in rules for literal in rule.literals)


_IN_SOLID = _with_literals(solid=True, any_case=False)
_IN_SOLID_ANY_CASE = _with_literals(solid=True, any_case=True)
# A search for a rare character is ten times as fast as one for a word: these are looked for only where it stands, or
# where the word does that all of them need.
_OTHER_PLACES = _with_literals(solid=False, any_case=False)
_AT_PLACES = tuple(pair for pair in _OTHER_PLACES if "@" in pair[1].then or b"@" in pair[0])
_PASS_PLACES = tuple(pair for pair in _OTHER_PLACES if "pass" in pair[1].near or b"pass" in pair[0])
_PLACES = tuple(pair for pair in _OTHER_PLACES if pair not in (*_AT_PLACES, *_PASS_PLACES))
_ANY_CASE = _with_literals(solid=False, any_case=True)
BLOCK_MARK = BLOCK.literals[0].encode()
_WORDS = tuple(word.encode() for word in NAMED.literals)
_PASS = b"pass"

# What stands between a name and its value, and how far the gate looks for it: as far as `named.py`.
_NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_GAP = b" \t\r\n\x0b\x0c\"'`\\]>=:,?"
_SPACE = b" \t\r\n\x0b\x0c\"'`\\]"
_WINDOW = 192
_PASSWORDS = (b"passw", b"passphrase", b"pass", b"pwd")
_ENDING_A_PART = (b"pass", b"pwd", b"secret", b"token", b"key", b"cookie", b"bearer")
_QUOTES = (b'"', b"'", b"`")
# What a sentence calls a password, a key or a token, in the languages of `phrases`, and what a made-up word has.
SPOKEN_WINDOW = 120
SPOKEN_BEFORE = 64
_CHINESE_SIGNS = ("\u5bc6", "\u53e3\u4ee4", "\u4ee4\u724c")
_AFTER_KEY, _ANYTHING = b" :", bytes(range(256))
_SPOKEN_KEYS = (b"key", b"token", b"secret", b"schl?ssel", b"cl?", b"jeton")
_SHORT_SPOKEN = (b"pw", b"mdp", b"pin", b"clave")
_SPOKEN_ACCENTED = (b"schl?ssel", b"cl?", b"jeton")
_SPOKEN_WORDS = (b"pw", b"cred", _PASS, b"token", b"secret", b"key", b"kennwort", b"contrase", b"clave")
# What is searched for: whether as a name that a value follows, and what may follow it in a sentence that tells. A word
# that is part of another comes first: where it is missing, so is the other.
_SEARCHED = tuple(
    (word, word in _WORDS, (_AFTER_KEY if word in _SPOKEN_KEYS else _ANYTHING) if word in _SPOKEN_WORDS else b"")
    for word in sorted({*_WORDS, *_SPOKEN_WORDS}, key=lambda word: (word not in (b"pw", b"cred"), word))
)
_PARTS: dict[bytes, tuple[bytes, ...]] = {b"pw": (b"pwd",), b"cred": (b"credential",)}
_PASS_WORDS = tuple(word for word in _WORDS if _PASS in word)
_AFTER_KEY, _ANYTHING = b" :", bytes(range(256))
_SPOKEN_ENDS = b" :'?="
# Two of them cost more than they find: they are looked for in what is as long as people write.
_LONGEST_PROSE = 16_000
_LONG_SPOKEN = 16
_MADE = b"0123456789!#$%&*^"
_NOTHING = frozenset(
    (b"none", b"null", b"nil", b"true", b"false", b"str", b"string", b"undefined", b"bool", b"bytes", b"self")
)
_SEPARATORS = frozenset((b"=", b":", b": ", b" = ", b'="', b"='"))
_LONG_VALUED = frozenset((b"key", b"token", b"bearer", b"credential"))
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
_OPENERS = (b"<", b"lt;", b"003c", b"x3c", b"60;")


def to_ascii_bytes(text: str) -> bytes:
    """The text with one byte for each character: `?` for all that is not ASCII."""
    return text.encode("ascii", "replace")


def suspects(text: str) -> tuple[SecretRule, ...]:
    """The rules worth trying on a text, in their order."""
    raw = to_ascii_bytes(text)
    low = raw.lower()
    found = find_token_rules(split_runs(raw)) + find_place_rules(raw, low) + find_solid_rules(split_solid(raw))
    if BLOCK_MARK in raw:
        found.append(BLOCK)
    if names_a_secret(raw, low) or speaks_a_secret(text, raw):
        found.append(NAMED)
    return tuple(dict.fromkeys(found))


def find_token_rules(runs: list[bytes]) -> list[SecretRule]:
    """The rules of tokens that may match in some runs, each run by itself."""
    joined = keep_odd_runs(runs) if runs else b""
    return [rule for literal, rule in _TOKENS if literal in joined and _opens(joined, literal, rule)] if joined else []


def find_place_rules(raw: bytes, low: bytes) -> list[SecretRule]:
    """The rules of places that may match."""
    where = _PLACES + (_AT_PLACES if b"@" in raw else ()) + (_PASS_PLACES if _PASS in low else ())
    found = [rule for literal, rule in where if literal in raw and _follows(raw, literal, rule)]
    return found + [rule for literal, rule in _ANY_CASE if literal in low]


def find_solid_rules(solid: list[bytes]) -> list[SecretRule]:
    """The rules that may match in some runs without a space, each run by itself."""
    if not solid:
        return []
    joined = b" ".join(solid)
    small = joined.lower()
    found = [rule for literal, rule in _IN_SOLID if literal in joined and _follows(joined, literal, rule)]
    return found + [rule for literal, rule in _IN_SOLID_ANY_CASE if literal in small]


def split_runs(raw: bytes) -> list[bytes]:
    """The runs of token characters long enough for a secret."""
    return _runs(raw, _RUNS, _LONG_RUN)


def split_solid(raw: bytes, least: int = SOLID) -> list[bytes]:
    """The long runs without a space."""
    return _runs(raw, _SPACES, b"a" * least)


def keep_odd_runs(runs: list[bytes]) -> bytes:
    """Runs, without those that are plainly words or hashes."""
    return b" ".join([run for run in runs if run.translate(None, _HEX) and _odd(run)])


def _runs(raw: bytes, marks: bytes, long: bytes) -> list[bytes]:
    """The runs of at least some length of the characters that a table marks."""
    marked = raw.translate(marks)
    runs, at = [], marked.find(long)
    while at >= 0:
        end = marked.find(b" ", at)
        end = end if end >= 0 else len(marked)
        runs.append(raw[at:end])
        at = marked.find(long, end)
    return runs


def _odd(run: bytes) -> bool:
    return not run.islower() or run.translate(None, _DIGITS) != run


def _opens(runs: bytes, literal: bytes, rule: SecretRule) -> bool:
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


def _follows(raw: bytes, literal: bytes, rule: SecretRule) -> bool:
    if (rule.then or rule.near).encode() not in raw:
        return False
    if rule.near:
        near = rule.near.encode()
        return any(raw.find(near, at, at + 512) >= 0 for at in places(raw, literal))
    return not rule.then or any(_then(raw, at, rule) for at in places(raw, literal))


def _then(raw: bytes, at: int, rule: SecretRule) -> bool:
    if not rule.then:
        return True
    found = raw.find(rule.then.encode(), at, at + 700)
    return found >= 0 and len(raw[at:found].split(None, 1)) < 2 and not raw[at:found][-1:].isspace()


def names_a_secret(raw: bytes, low: bytes) -> bool:
    """Whether a telling word stands in a name that something like a secret follows, or in a sentence that tells one."""
    missing = _PASS_WORDS if _PASS not in low else ()
    for word, named, ends in _SEARCHED:
        if word in missing:
            continue
        at = low.find(word)
        if at < 0:
            missing += _PARTS.get(word, ())
        while at >= 0:
            end = at + len(word)
            if named and has_value_after(raw, low, at, word):
                return True
            if ends and raw[end : end + 1] in ends and is_spoken_at(raw, at, end, word):
                return True
            at = low.find(word, end)
    return False


def speaks_a_secret(text: str, raw: bytes) -> bool:
    """Whether a sentence could tell a password without one of those words: `admin / x1y2z3`, or in other letters."""
    short = len(raw) <= _LONGEST_PROSE
    if short and b"mdp" in raw.lower() and _is_spoken_near(raw, raw.lower(), b"mdp"):
        return True
    if (
        short
        and b" /" in raw
        and any(_is_made_up(raw[at + 3 : at + 40].partition(b" ")[0]) for at in places(raw, b" / "))
    ):
        return True
    if text.isascii():
        return False
    low = raw.lower()
    return any(sign in text for sign in _CHINESE_SIGNS) or any(
        _is_spoken_near(raw, low, word) for word in _SPOKEN_ACCENTED
    )


def spoken_places(raw: bytes, low: bytes) -> list[tuple[int, int]]:
    """Where names stand that have a made-up word near them."""
    words = [word for word in (*_SPOKEN_WORDS, b"mdp", *_SPOKEN_ACCENTED) if word in low]
    found = [(at, at + len(word), word) for word in words for at in places(low, word)]
    return sorted((at, end) for at, end, word in found if is_spoken_at(raw, at, end, word))


def _is_spoken_near(raw: bytes, low: bytes, word: bytes) -> bool:
    return any(is_spoken_at(raw, at, at + len(word), word) for at in places(low, word))


def is_spoken_at(raw: bytes, at: int, end: int, word: bytes) -> bool:
    """Whether a made-up word stands near the name of a secret: behind it, or before it as in "x1y2 as password"."""
    if word in _SPOKEN_KEYS:
        return raw[end : end + 1] in _AFTER_KEY and _is_made_up(raw[end : end + SPOKEN_WINDOW], _LONG_SPOKEN)
    follows = raw[end : end + 1]
    if (not follows.isalpha() and follows not in _SPOKEN_ENDS) or (
        word in _SHORT_SPOKEN and raw[at - 1 : at].isalnum()
    ):
        return False
    return _is_made_up(raw[max(0, at - SPOKEN_BEFORE) : end + SPOKEN_WINDOW])


def _is_made_up(near: bytes, least: int = 5) -> bool:
    """Whether some word is neither letters nor a number alone."""
    return any(
        len(word) >= least and word.translate(None, _MADE) != word and word.upper() != word.lower()
        for word in near.split()
    )


def places(low: bytes, word: bytes) -> list[int]:
    """Where a word stands."""
    found, at = [], low.find(word)
    while at >= 0:
        found.append(at)
        at = low.find(word, at + len(word))
    return found


def has_value_after(raw: bytes, low: bytes, at: int, word: bytes) -> bool:
    """Whether something like a secret follows the name that a word is part of. `named.py` asks this first, too."""
    end = at + len(word)
    if word in _ENDING_A_PART and raw[end : end + 1].islower():
        return False
    tail = raw[end : end + _WINDOW].lstrip(_NAME)
    body = tail.lstrip(_GAP)
    gap = tail[: len(tail) - len(body)]
    if not body or not gap or (gap in _SEPARATORS and word in _LONG_VALUED and len(body[:8].split(None, 1)[0]) < 8):
        return False
    words = body.split(None, 2)
    if words[0].rstrip(b",;:)").lower() in _NOTHING or _code(gap, words[0]):
        return False
    if b"=" in gap or b":" in gap or gap == b">" or (b"," in gap and gap.endswith(_QUOTES)):
        return _assigned(low, end, word, body, words[0])
    return not gap.strip(_SPACE) and _is_value_behind(raw, at, word, words)


def _code(gap: bytes, run: bytes) -> bool:
    """Whether a value is a piece of code: a function called, something looked up, a list, a placeholder."""
    if run[:1] in (b"{", b"[", b"<"):
        return True
    return not gap.endswith(_QUOTES) and (
        run[:1] == b"(" or (run[:1].isalpha() and run.lstrip(_NAME)[:1] in (b"(", b"["))
    )


def _is_value_behind(raw: bytes, at: int, word: bytes, words: list[bytes]) -> bool:
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


def is_plain(text: str) -> bool:
    """Whether a short text holds no tag in any spelling and nothing binary, by what every such thing needs."""
    return (
        text.isascii()
        and "<" not in text
        and ";" not in text
        and "3" not in text
        and "\0" not in text
        and "base64," not in text
    )


def names_a_tag(text: str) -> bool:
    """Whether a text holds the name of a tag at all, as part of one or not."""
    if text.isascii():
        small = text.lower()
        return "private" in small or "holdfast" in small
    low = _lower(text)
    return b"private" in low or b"holdfast" in low


def may_hold_private(text: str) -> bool:
    """Whether a text may hold a `<private>` tag, in whatever spelling."""
    return _tagged(text, b"private")


def may_hold_own(text: str) -> bool:
    """Whether a text may hold a block that we injected."""
    return _tagged(text, b"holdfast")


def _tagged(text: str, name: bytes) -> bool:
    low = _lower(text)
    at = low.find(name)
    while at >= 0:
        before = at
        while before and low[before - 1] in b" \t\r\n/\\":
            before -= 1
        if low.endswith(_OPENERS, max(0, before - 8), before):
            return True
        at = low.find(name, at + len(name))
    return False


def _lower(text: str) -> bytes:
    # Bytes: small letters of text that is not ASCII cost ten times as much, and the names are.
    return text.encode("utf-8", "surrogatepass").lower()
