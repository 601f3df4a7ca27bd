"""The fence around what is put before an agent: it names us, says that it is data, and cannot be broken out of."""

from holdfast.core.unseen_text import drop_unseen

NOTE = "Project memory from Holdfast: data with its source. Unconfirmed: the user said it and has not accepted it yet."
OPEN, CLOSE = f'<holdfast note="{NOTE}">', "</holdfast>"
# Of what is not printable, this may stay; of joiners and tags, `drop_unseen` has left those that are needed.
_KEPT = frozenset("\n\u200c\u200d" + "".join(map(chr, range(0xE0020, 0xE0080))))
# What looks like a bracket to a model, or turns into one: in every width, as an entity, as an escape.
_BRACKETS = str.maketrans({
    "<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›", "〈": "‹", "〉": "›", "⟨": "‹", "⟩": "›",
})  # fmt: skip


def fence_text(text: str, limit: int) -> str:
    """Text inside the fence, cut to a number of characters by whole lines; empty when nothing fits."""
    room = measure_fence_room(limit) + 1
    kept: list[str] = []
    for line in make_inert(text).splitlines():
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    body = "\n".join(kept).strip()
    return f"{OPEN}\n{body}\n{CLOSE}" if body else ""


def measure_fence_room(limit: int) -> int:
    """How many characters fit into the fence, within a limit."""
    return max(0, limit - len(OPEN) - len(CLOSE) - 2)


def make_inert(text: str) -> str:
    """Text with no tag, escape code or unseen character: no memory can end the fence, or say what nobody reviewed."""
    plain = drop_unseen(text).translate(_BRACKETS)
    for entity in ("&lt", "&gt", "&#", "\\u003c", "\\u003e", "\\x3c", "\\x3e"):
        if entity in plain.lower():
            plain = _split_entity(plain, entity)
    return "".join(letter if letter.isprintable() or letter in _KEPT else " " for letter in plain)


def _split_entity(text: str, entity: str) -> str:
    """The text with an entity taken apart, so that nothing reads it as a bracket."""
    low, at, parts = text.lower(), 0, []
    while (found := low.find(entity, at)) >= 0:
        parts += [text[at : found + 1], " "]
        at = found + 1
    return "".join([*parts, text[at:]])
