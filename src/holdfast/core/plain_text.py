"""Text made inert: what escape codes and invisible marks would do is shown, not done."""

NO_BREAK_SPACE = 0xA0
# Bidirectional overrides and invisible marks can make a line read as what it is not.
DECEIVING = {*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x206A), 0xFEFF, 0x061C}


def make_inert(text: str) -> str:
    """Text in which escape codes and other tricks are shown, not obeyed. Newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _is_harmless(character) else _escape_character(character) for character in text)


def one_line(text: str) -> str:
    """Inert text on one line."""
    return make_inert(" ".join(text.split()))


def _is_harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    printable = character.isprintable() or (character.isspace() and ord(character) >= NO_BREAK_SPACE)
    return printable and ord(character) not in DECEIVING


def _escape_character(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
