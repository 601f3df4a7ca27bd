"""The seal: by a key that only this user has, a bundle of theirs is told from anybody else's."""

import hmac
import json
from hashlib import sha256

from holdfast.core.errors import BadRequest

KEY_BYTES = 32
_USE = b"holdfast bundle seal 1\n"


class BadSealKey(BadRequest):
    """A key that is none."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"What {where} holds is no key for bundles.",
            "a key is 64 hex digits: openssl rand -hex 32",
        )


def parse_key(text: str, where: str) -> bytes:
    """A key from its 64 hex digits."""
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        raise BadSealKey(where) from None
    if len(key) != KEY_BYTES:
        raise BadSealKey(where)
    return key


def key_name(key: bytes) -> str:
    """What a key is called: it tells nothing of the key itself."""
    return hmac.new(key, b"holdfast key name", sha256).hexdigest()[:16]


def seal(manifest: bytes, key: bytes) -> bytes:
    """The last file of a bundle."""
    told = {"key": key_name(key), "hmac": hmac.new(key, _USE + manifest, sha256).hexdigest()}
    return json.dumps(told).encode()


def verify_seal(sealed: bytes, manifest: bytes, key: bytes) -> bool:
    """Whether a key made this seal for this manifest."""
    try:
        told = json.loads(sealed)
    except (ValueError, RecursionError):
        return False
    mark = told.get("hmac") if isinstance(told, dict) else None
    wanted = hmac.new(key, _USE + manifest, sha256).hexdigest()
    return isinstance(mark, str) and mark.isascii() and hmac.compare_digest(mark, wanted)
