"""Characters that no reader sees: the one function that tells them, for what agents get and what people review.

Agents get text without them (`drop_unseen`), people see where they stand (`show_unseen`). What a script or an emoji
needs stays: joiners between letters of Arabic, Persian and Indic scripts, one selector behind a sign of two
looks, joiners between emoji, and the flags of England, Scotland and Wales.
"""

# Printable by their class, and yet nothing is drawn.
_BLANK = frozenset((
    0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
    *range(0xE0000, 0xE1000),
))  # fmt: skip
_ZWNJ, _ZWJ, _SELECTORS, _KEYCAP = "\u200c", "\u200d", "\ufe0e\ufe0f", "\u20e3"
# Scripts whose letters change their form where a joiner stands.
_JOINING = ((0x600, 0x85F), (0x8A0, 0xDFF), (0xF00, 0x109F), (0x1780, 0x18AF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC))
_PICTURES = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2190, 0x21FF), (0x2300, 0x23FF), (0x24C2, 0x24C2), (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF),
    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF),
)  # fmt: skip
_FLAG, _TAGS = "\U0001f3f4", 0xE0000
_FLAGS = tuple(
    "".join(chr(_TAGS + ord(letter)) for letter in name) + "\U000e007f" for name in ("gbeng", "gbsct", "gbwls")
)


def find_unseen(text: str) -> list[int]:
    """Where characters stand that no reader sees and no script needs. Line ends, tabs and controls are not meant."""
    if text.isascii():
        return []
    return [at for at, letter in enumerate(text) if ord(letter) > 0x7F and _is_unseen(letter) and not _fits(text, at)]


def drop_unseen(text: str) -> str:
    """The text without them, as agents get it."""
    return _replace_unseen(text, lambda _: "")


def show_unseen(text: str) -> str:
    """The text with a mark like `\\u200b` for each of them, as people review it."""
    return _replace_unseen(text, name_character)


def name_character(letter: str) -> str:
    """A character spelled by its number: `\\x1b`, `\\u200b`, `\\U000e0041`."""
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# MYPY is true for type checkers only: hooks that answer load this, and `typing` costs more than it.
MYPY = False
if MYPY:
    from collections.abc import Callable


def _replace_unseen(text: str, replace: "Callable[[str], str]") -> str:
    parts, done = [], 0
    for at in find_unseen(text):
        parts += [text[done:at], replace(text[at])]
        done = at + 1
    return "".join([*parts, text[done:]]) if parts else text


def _is_unseen(letter: str) -> bool:
    """Whether nothing is drawn for a character, though it is no space."""
    return ord(letter) in _BLANK or not (letter.isprintable() or letter.isspace())


def _fits(text: str, at: int) -> bool:
    """Whether a character that is not seen has its work where it stands."""
    letter, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if letter in _SELECTORS:
        return _is_in(before, _PICTURES) or (before in tuple("0123456789#*") and after == _KEYCAP)
    if letter == _ZWNJ:
        return _is_in(before, _JOINING) and _is_in(after, _JOINING)
    if letter == _ZWJ:
        joins = _is_in(before, _JOINING) and _is_in(after, _JOINING)
        base = text[at - 2 : at - 1] if before and before in _SELECTORS else before
        return joins or (_is_in(base, _PICTURES) and _is_in(after, _PICTURES))
    return ord(letter) in range(_TAGS, _TAGS + 0x80) and _is_in_flag(text, at)


def _is_in_flag(text: str, at: int) -> bool:
    flag = text.rfind(_FLAG, max(0, at - 6), at)
    return flag >= 0 and text.startswith(_FLAGS, flag + 1)


def _is_in(letter: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return bool(letter) and any(first <= ord(letter) <= last for first, last in ranges)
