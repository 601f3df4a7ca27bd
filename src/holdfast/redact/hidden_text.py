"""What a text holds and no reader sees: terminal codes, control characters, characters of no width.

One inside a secret would hide it from every rule (`grep --color` puts codes there). So secrets are looked for in the
text without them, too, and go from the text as it is. No `re` here: a hook asks this of every event.
"""

_ESCAPE, _GONE, _BACK = "\x1b", "\x00", "\b"
_CONTROLS = (*range(9), *range(14, 32), 127)
_WIDTHLESS = (
    *range(0x80, 0xA0), 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810),
    *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF,
    0xFFA0, *range(0xFFF9, 0xFFFC),
)  # fmt: skip
# Tags and selectors of variants: how all of them, U+E0000 to U+E0FFF, begin in UTF-8.
_TAGS, _TAG_BYTES = range(0xE0000, 0xE1000), b"\xf3\xa0"
# Texts inside of texts spell them: `\u001b[31m` in JSON, `\033[0m` in a shell.
_SPELLED_ESCAPES = ("\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033")
_SPELLED = ("\\u200b", "\\u200c", "\\u200d", "\\u2060", "\\ufeff", "\\u00ad", "\\u200B", "\\uFEFF", "\\u00AD")
_CONTROL_BYTES = bytes(_CONTROLS)
_ASCII = bytes(range(128))
_IN_OTHERS = frozenset(map(chr, _WIDTHLESS))
_TABLE = dict.fromkeys(map(chr, (*_CONTROLS, *_WIDTHLESS)), _GONE) | {_ESCAPE: _ESCAPE}
_PARAMETERS = frozenset(map(chr, range(0x20, 0x40)))
_BETWEEN = frozenset(map(chr, range(0x20, 0x30)))
_LONGEST_STRING = 4096

Spans = list[tuple[int, int]]


def holds_hidden(text: str) -> bool:
    """Whether a text holds anything that is not shown."""
    if "\\" in text and _spells_hidden(text):
        return True
    raw = text.encode("utf-8", "surrogatepass")
    # One pass over the bytes: in UTF-8 a control character is a byte that stands for nothing else.
    if len(raw.translate(None, _CONTROL_BYTES)) != len(raw):
        return True
    if len(raw) == len(text):
        return False
    others = raw.translate(None, _ASCII)
    return _TAG_BYTES in others or not _IN_OTHERS.isdisjoint(others.decode("utf-8", "surrogatepass"))


def shown_text(text: str) -> tuple[str, Spans]:
    """The text as a reader sees it, and the pieces of the text that it is made of."""
    marked = _mark_hidden(text)
    gaps = marked.replace(_ESCAPE, _GONE)
    kept: Spans = []
    at = 0
    while (gap := gaps.find(_GONE, at)) >= 0:
        if gap > at:
            kept.append((at, gap))
        if text[gap] == _BACK:
            _apply_backspaces(text, kept)
        at = _end_of_code(marked, gap) if marked[gap] == _ESCAPE else gap + 1
    if at < len(text):
        kept.append((at, len(text)))
    return "".join([text[first:last] for first, last in kept]), kept


def _mark_hidden(text: str) -> str:
    """The text, place for place, with one mark for all that is gone and one where a code begins."""
    marked = text
    for hidden in set(text).intersection(_TABLE):
        marked = marked.replace(hidden, _TABLE[hidden])
    if not text.isascii() and _has_tags(text):
        marked = marked.translate(dict.fromkeys(_TAGS, _GONE))
    for spelled in _SPELLED_ESCAPES:
        marked = marked.replace(spelled, _GONE * (len(spelled) - 1) + _ESCAPE)
    for spelled in _SPELLED:
        marked = marked.replace(spelled, _GONE * len(spelled))
    return marked


def _spells_hidden(text: str) -> bool:
    # Words are slow to search for: the few letters first that all of them need.
    if "\\u" in text and any(word in text for word in (*_SPELLED_ESCAPES[:2], *_SPELLED)):
        return True
    return "\\x1" in text or "\\033" in text


def _has_tags(text: str) -> bool:
    return _TAG_BYTES in text.encode("utf-8", "surrogatepass")


def _end_of_code(marked: str, at: int) -> int:
    """Where a terminal's code ends that begins at a place. None goes on in the next line."""
    kind = marked[at + 1 : at + 2]
    if kind and kind in "]PX^_":
        return _end_of_string(marked, at + 2)
    inside, finals = (_PARAMETERS, "@") if kind == "[" else (_BETWEEN, "0")
    end = at + 2 if kind == "[" else at + 1
    while marked[end : end + 1] in inside:
        end += 1
    return end + 1 if finals <= marked[end : end + 1] <= "~" else end


def _end_of_string(marked: str, at: int) -> int:
    """Behind the string of a code, as a title or a link is one; where it is not closed, only its opening goes."""
    line = marked.find("\n", at, at + _LONGEST_STRING)
    last = line if line >= 0 else at + _LONGEST_STRING
    bell, closed = marked.find(_GONE, at, last), marked.find(_ESCAPE + "\\", at, last)
    if closed >= 0 and not 0 <= bell < closed:
        return closed + 2
    return bell + 1 if bell >= 0 else at


def _apply_backspaces(text: str, kept: Spans) -> None:
    """A backspace takes the character before it in its line: so bold and underlined print."""
    if kept and text[kept[-1][1] - 1] != "\n":
        first, last = kept.pop()
        if last - first > 1:
            kept.append((first, last - 1))


def number_same_keys(entries: list[tuple[str, object]]) -> dict[str, object]:
    """An object of these entries; keys that have become alike are numbered, so that none is lost."""
    made: dict[str, object] = {}
    for key, held in entries:
        name, number = key, 2
        while name in made:
            name, number = f"{key} {number}", number + 1
        made[name] = held
    return made


def named_entry(value: dict[str, object]) -> str:
    """The name that an object gives the value it holds: `{"name": "DB_PASSWORD", "value": "…"}`."""
    name = value.get("name") or value.get("key") or value.get("Name") or value.get("Key")
    return name if isinstance(name, str) and isinstance(value.get("value", value.get("Value")), str) else ""
