"""Ids: random ones for memories, time-ordered ones for records."""

import posix
import time

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ULID_LENGTH = 26


def random_part(length: int = 6) -> str:
    """Random Crockford base32 characters: branches do not mint the same one."""
    return "".join(CROCKFORD[byte & 31] for byte in posix.urandom(length))


def encode(number: int, length: int) -> str:
    """The number in Crockford base32, padded to a length; sorts like the number."""
    digits = []
    for _ in range(length):
        digits.append(CROCKFORD[number & 31])
        number >>= 5
    return "".join(reversed(digits))


def decode(text: str) -> int:
    """The number that `encode` wrote."""
    number = 0
    for character in text:
        number = number << 5 | CROCKFORD.index(character)
    return number


def ulid(milliseconds: int | None = None) -> str:
    """A time-ordered id: 48 bits of milliseconds, 80 random bits."""
    if milliseconds is None:
        milliseconds = time.time_ns() // 1_000_000
    return encode(milliseconds, 10) + encode(int.from_bytes(posix.urandom(10), "big"), 16)


def is_ulid(text: str) -> bool:
    """Whether a text has the form of a time-ordered id."""
    return len(text) == ULID_LENGTH and all(character in CROCKFORD for character in text)
