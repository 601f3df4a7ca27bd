"""Lists of words and phrases, written as one text: data that is read as prose, not one line each."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def split_phrases(text: str) -> tuple[str, ...]:
    """The parts of a text between upright bars; spaces count."""
    return tuple(text.split("|"))
