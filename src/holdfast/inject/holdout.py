"""Which sessions are told nothing, so that it can be seen whether telling helps."""

from _blake2 import blake2b

_WHOLE = 1 << 64


def is_held_out(session: str, share: float) -> bool:
    """Whether a session falls into the share that is told nothing: always the same way."""
    if not session or share <= 0:
        return False
    drawn = blake2b(f"holdout:{session}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < share * _WHOLE
