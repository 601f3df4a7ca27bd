"""Text made inert: what escape codes and invisible marks would do is shown, not done."""

from holdfast.core.unseen_text import name_character, show_unseen

NO_BREAK_SPACE = 0xA0
# These end a line or turn its direction: a line must not read as what it is not.
DECEIVING = {*range(0x2028, 0x202F)}


def make_inert(text: str) -> str:
    """Text in which escape codes and other tricks are shown, not obeyed. Newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if _is_harmless(letter) else name_character(letter) for letter in show_unseen(text))


def one_line(text: str) -> str:
    """Inert text on one line."""
    return make_inert(" ".join(text.split()))


def _is_harmless(letter: str) -> bool:
    """Whether a character may stand; what `show_unseen` left of the others is needed where it stands."""
    code = ord(letter)
    return letter in "\n\t" or (code >= NO_BREAK_SPACE and code not in DECEIVING) or letter.isprintable()
