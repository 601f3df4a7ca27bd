"""Private keys in armour, whole or cut off at either end, with real line ends or escaped ones.

Whatever stands before each line (numbers, times, a log's level, quotes, `+` of a diff) goes with the key.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

_KEY = r"[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BETWEEN = r"(?:[\s\"'|>#*,]|\\+[nrt\"]|\\$|\s\+\s)"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID)\b[^\n\\]{0,200}"
_BEGUN = re.compile(
    rf"-----BEGIN{_KEY}(?P<body>(?:{_BETWEEN}*(?:{_HEADER}|[A-Za-z0-9+/=]{{16,}}))*(?:{_BETWEEN}*[A-Za-z0-9+/=]{{1,76}})?)"
    rf"(?:{_BETWEEN}*-----END[ A-Z0-9]{{0,60}}-----)?",
    re.ASCII,
)
_OPENED = re.compile(rf"-----BEGIN{_KEY}", re.ASCII)
_ENDED = re.compile(rf"-----END{_KEY}", re.ASCII)
_LINE_END = re.compile(r"\n|(?:\\+r)?\\+n")
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}", re.ASCII)
_HEADED = re.compile(_HEADER, re.ASCII)
_LAST = re.compile(r"[A-Za-z0-9+/]{1,76}={0,2}", re.ASCII)
_SHAPE = re.compile(r"[0-9]+|\s+", re.ASCII)
_LONGEST = 65_536
_LINE = 400  # characters of a line, with what stands before the key
_OTHERS = 3  # lines of others that may stand between those of a key


def find_key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where private keys stand. A block without a body, as documents show, is none."""
    done = 0
    for at, following in pairwise([*_marks(text), len(text)]):
        if at < done:
            continue
        if opened := _OPENED.match(text, at):
            last = _find_end(text, at, opened.end(), following)
            if last:
                yield at, last
            done = max(last, opened.end())
        elif ended := _ENDED.match(text, at):
            if (begun := _find_body_start(text, max(done, at - _LONGEST), at)) < at:
                yield begun, ended.end()
            done = ended.end()


def _marks(text: str) -> Iterator[int]:
    at = text.find("-----")
    while at >= 0:
        if text.startswith(("BEGIN", "END"), at + 5):
            yield at
        at = text.find("-----", at + 1)


def _find_end(text: str, at: int, opened: int, following: int) -> int:
    """Where the key ends that is opened at a place, up to the next mark of any block; 0 where it has no body."""
    ended = _ENDED.match(text, following)
    if ended and following - opened <= _LONGEST and _is_body(text, opened, following):
        return ended.end()
    found = _BEGUN.match(text, at)
    close = found.end() if found and re.search(r"[A-Za-z0-9+/=]{16}", found["body"]) else 0
    if close > following:
        return close
    line = max(text.rfind("\n", max(0, at - _LINE), at) + 1, at - _LINE, 0)
    return max(close, _walk_body(text, opened, following, _shape(text[line:at])))


def _is_body(text: str, first: int, last: int) -> bool:
    """Whether what stands between two marks is a key: half of its lines hold a part of one."""
    lines = [text[begun:end] for begun, end in _lines(text, first, last)]
    told = [line for line in lines if any(map(str.isalpha, line)) and not _HEADED.search(line)]
    return 0 < len(told) <= 2 * sum(1 for line in told if _key_run(line))


def _walk_body(text: str, first: int, last: int, shape: str) -> int:
    """Where the last line of a key ends that is not closed, or 0. Few lines of others may stand in between."""
    end, others = 0, 0
    for begun, stop in _lines(text, first, min(last, first + _LONGEST)):
        line = text[begun:stop]
        if run := _key_run(line):
            end, others = begun + run.end(), 0
        elif end and not others and (rest := _short_end(line, shape)):
            return begun + rest
        elif any(map(str.isalnum, line)) and not _HEADED.search(line):
            others += 1
        if others > _OTHERS:
            break
    return end


def _key_run(line: str) -> re.Match[str] | None:
    """The last run in a line that can be a line of a key: letters of both cases and digits, far along."""
    runs = [found for found in _RUN.finditer(line[:_LINE]) if _is_mixed(found[0])]
    return runs[-1] if runs else None


def _is_mixed(run: str) -> bool:
    return not run.islower() and not run.isupper() and any(map(str.isdigit, run)) and any(map(str.isalpha, run))


def _short_end(line: str, shape: str) -> int:
    """Where a key's short last line ends, behind what stands before each of its lines."""
    found = next((found for found in _LAST.finditer(line) if _shape(line[: found.start()]) == shape), None)
    return found.end() if found and not any(map(str.isalnum, line[found.end() :])) and shape else 0


def _shape(before: str) -> str:
    """What stands before a line, whatever numbers are in it: each line of a log has the same."""
    return _SHAPE.sub(lambda found: "0" if found[0].isdigit() else " ", before)


def _find_body_start(text: str, floor: int, at: int) -> int:
    """Where the body before an END begins: lines of a key to the left, one by one."""
    begun, others, short = at, 0, True
    for first, last in reversed(list(_lines(text, floor, at))):
        line = text[first:last]
        runs = [found for found in _RUN.finditer(line[:_LINE]) if _is_mixed(found[0])]
        if runs:
            begun, others, short = first + runs[0].start(), 0, False
        elif short and any(map(str.isalnum, line)) and first < at - 1:
            short = len(line) < _LINE
        elif any(map(str.isalnum, line)):
            others += 1
        if others > _OTHERS:
            break
    return begun


def _lines(text: str, floor: int, end: int) -> Iterator[tuple[int, int]]:
    first = floor
    for found in _LINE_END.finditer(text, floor, end):
        yield first, found.start()
        first = found.end()
    yield first, end
