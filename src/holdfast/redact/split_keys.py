"""A private key whose lines are texts of their own: a list of lines, rows of a search, blocks of an output."""

from collections.abc import Iterator

from holdfast.redact.key_blocks import find_key_blocks
from holdfast.redact.secret_rules import BLOCK

_MARK = f"[redacted:{BLOCK.kind}]"


def redact_split_keys(value: object, found: dict[str, int]) -> object:
    """The value without keys that go on from one text to the next; the same object where there is none."""
    texts = list(_texts(value))
    if len(texts) < 2 or not any(BLOCK.literals[0] in text for text in texts):
        return value
    starts, joined, at = [], "\n".join(texts), 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    cut = dict(_cut_texts(texts, starts, joined, found))
    return _replaced(value, iter(range(len(texts))), cut) if cut else value


def _cut_texts(texts: list[str], starts: list[int], joined: str, found: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Each text that a key of several touches, without its part of it."""
    for first, last in find_key_blocks(joined):
        touched = [at for at, text in enumerate(texts) if starts[at] < last and first < starts[at] + len(text)]
        if len(touched) < 2:
            continue
        found[BLOCK.kind] = found.get(BLOCK.kind, 0) + 1
        for at in touched:
            begin, end = max(0, first - starts[at]), min(len(texts[at]), last - starts[at])
            yield at, texts[at][:begin] + _MARK + texts[at][end:]


def _texts(value: object) -> Iterator[str]:
    """Every text of a value but the keys, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _texts(each)


def _replaced(value: object, numbers: Iterator[int], cut: dict[int, str]) -> object:
    """The value with some of its texts replaced, by their number."""
    if isinstance(value, str):
        return cut.get(next(numbers), value)
    if isinstance(value, list):
        return [_replaced(each, numbers, cut) for each in value]
    if isinstance(value, dict):
        return {key: _replaced(held, numbers, cut) for key, held in value.items()}
    return value
