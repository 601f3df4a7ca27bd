"""`<private>…</private>`: what the user wants kept out, nested, unclosed, or begun in an earlier event."""

from holdfast.redact.tags import Tag, TagReader

MARK = "[private]"
_READER = TagReader("private", space=r"\s*", inside="[^<>]")


# What ends a word of a shell, or begins another command.
_SHELL_SIGNS = frozenset(";|&\n\r\"'`$()<>")


def strip_private_words(command: str) -> tuple[str, int]:
    """A command that an agent runs, without what is private in a word of it, and how many passages went.

    Nothing else in it is hidden: a tag in one argument must not keep from the record what runs after it.
    """
    pieces, done, opened = [], 0, None
    for tag in _READER.tags(command):
        if not tag.closing:
            opened = tag
        elif opened and _SHELL_SIGNS.isdisjoint(command[opened.last : tag.first]):
            pieces += [command[done : opened.first], MARK]
            done, opened = tag.last, None
    return "".join([*pieces, command[done:]]), pieces.count(MARK)


def strip_private(text: str, depth: int = 0) -> tuple[str, int, int]:
    """The text without what is private, the tags still open at its end, and how many passages went.

    `depth` is how many tags were open before it. An unclosed tag hides the rest of the text.
    """
    found = list(_READER.tags(text))
    last_close = max((tag.first for tag in found if tag.closing), default=-1)
    pieces, done = ([MARK] if depth and text else []), 0
    for tag in found:
        if tag.closing:
            depth, done = (depth - 1, tag.last) if depth else (0, done)
        elif depth:
            depth += 1
        elif _opens_private(tag, last_close):
            pieces += [text[done : tag.first], MARK]
            depth = 1
    kept = [] if depth else [text[done:]]
    return ("".join(pieces + kept), depth, pieces.count(MARK)) if pieces else (text, depth, 0)


def _opens_private(tag: Tag, last_close: int) -> bool:
    """Whether a tag is meant as one: `<private key>` in a manual is not, unless something closes it."""
    return not tag.attributes or "=" in tag.attributes or tag.first < last_close
