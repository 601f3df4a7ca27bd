"""Long and binary text, cut to what a reader can use: size and hash say what is missing.

Cut after private text is out and before secrets are looked for: `values.clean` keeps that order.
"""

LEAST = 256
# Text as long as this with no blank in it is binary data.
BLOB = 4096
_PROBE = 64
_NEAR = 2048
_TOKEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/=%")


def elide(text: str, limit: int) -> str:
    """The text, if longer than the limit, as its head, a marker with size and hash of the whole, and its tail.

    Cut at line ends where there are any near, else between words: half a secret would be no secret to any rule.
    """
    text = replace_binary(text)
    limit = max(limit, LEAST)
    if len(text) <= limit:
        return text
    marker = f"\n{_marker('elided', text)}\n"
    room = limit - len(marker)
    head = _cut_before(text, room * 2 // 3)
    tail = _cut_after(text, len(text) - room // 3)
    return text[:head] + marker + text[tail:]


def replace_binary(text: str) -> str:
    """The text with binary data in it replaced by its size and hash; all of it when it is binary itself."""
    if "\0" in text or (not text.isascii() and text.count("\ufffd") * 10 > len(text)):
        return _marker("binary", text)
    if not has_blob(text):
        return text
    # Only here: `re` would cost more than all the rest of a hook that sees no such text.
    from holdfast.redact.binary_blobs import replace_blobs

    return replace_blobs(text, _marker, BLOB)


def has_blob(text: str) -> bool:
    """Whether a text may hold a data URI or a long run of base64."""
    if "base64," in text:
        return True
    return len(text) >= BLOB and any(_is_dense(text[at : at + _PROBE]) for at in range(0, len(text), BLOB // 2))


def _is_dense(probe: str) -> bool:
    if " " in probe:
        return False
    bare = (
        probe.replace("\n", "").replace("\r", "").replace("\\n", "").replace("+", "").replace("/", "").replace("=", "")
    )
    return len(bare) >= _PROBE // 2 and bare.isascii() and bare.replace("-", "").replace("_", "").isalnum()


def _marker(what: str, text: str) -> str:
    # Only where something is cut: hashlib loads OpenSSL.
    from hashlib import sha256

    data = text.encode("utf-8", "surrogatepass")
    return f"[{what}: {len(data)} bytes, sha256 {sha256(data).hexdigest()}]"


def _cut_before(text: str, at: int) -> int:
    floor = max(0, at - _NEAR)
    for end in ("\n", " "):
        if (found := text.rfind(end, floor, at)) >= 0:
            return found
    while at > floor and text[at - 1] in _TOKEN:
        at -= 1
    return at


def _cut_after(text: str, at: int) -> int:
    ceiling = min(len(text), at + _NEAR)
    for end in ("\n", " "):
        if (found := text.find(end, at, ceiling)) >= 0:
            return found + 1
    while at < ceiling and text[at] in _TOKEN:
        at += 1
    return at
