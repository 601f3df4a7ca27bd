"""The sentences a user wrote in a message, without what was pasted: code, diffs, logs, traces, quotations, markup.

Nothing is compiled: this runs in a cold hook, and every test here is a plain search.
"""

from collections.abc import Iterator

from holdfast.core.word_lists import split_phrases, word_set

# A message longer than this is mostly pasted; what the user wants stands at its ends.
_HEAD, _TAIL = 8000, 6000
_LONGEST = 600

_LEVELS = split_phrases("INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|FAILED|PASSED|E  |FAIL")
_TRACE = split_phrases(
    'traceback (|file "|at |caused by:|panic:|goroutine |error:|error[|warning:|warning[|npm err|npm warn|'
    "exception in|fatal:|hint:|stderr:|stdout:|segmentation fault|assertionerror|note:|= note:|= help:|help:"
)
_CODE = split_phrases("$ |% |>>> |... |//|/*|#include|#!|*/|<!--|import {|const |var |def |function |public |private ")
_DIFF = ("diff --git", "@@ ", "--- a/", "+++ b/", "index ", "--- /dev", "+++ /dev")
_PASTE_WORDS = word_set(
    "error errors log logs output trace traceback stacktrace docs documentation says said wrote message email "
    "response readme spec article diff stderr stdout transcript snippet fehler ausgabe meldung erreur sortie "
    "salida journal"
)
_ABBREVIATIONS = word_set("e.g i.e vs etc approx cf z.b bzw d.h ca p.ex ej no dr mr mrs st resp incl")
_MARKS = {"`": "`", '"': '"', "“": "”", "«": "»", "„": "“", "「": "」", "『": "』"}

# What stands for a character of a quotation or of inline code: patterns can take it for a thing, never for words.
MASK = "\ue000"


def split_sentences(text: str) -> Iterator[str]:
    """Every sentence the user wrote, verbatim, in order."""
    for line in lines_of(text):
        yield from _split(line)


def lines_of(text: str) -> Iterator[str]:
    """Every line the user wrote, without what was pasted."""
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + "\n\n" + text[-_TAIL:]
    return _own_lines(_strip_blocks(text).splitlines())


def mask_quotes(sentence: str) -> str:
    """The sentence in lower case, of the same length, with the insides of quotations and inline code blanked."""
    flat = sentence.replace("’", "'").replace("\u00a0", " ")
    low = flat.lower()
    if len(low) != len(flat):
        low = "".join(lower if len(lower := char.lower()) == 1 else char for char in flat)
    for opening, closing in _MARKS.items():
        low = _blank(low, opening, closing) if opening in low else low
    return low


def _strip_blocks(text: str) -> str:
    """Text without paired tags that open a line: what clients and people paste as markup."""
    kept: list[str] = []
    at, unclosed = 0, set[str]()
    while (start := text.find("<", at)) >= 0:
        name = _tag_name(text, start)
        if not name or name in unclosed or (start > 0 and text[start - 1] not in "\n\r"):
            kept.append(text[at : start + 1])
            at = start + 1
            continue
        end = text.find(f"</{name}", start)
        if end < 0:
            unclosed.add(name)
            continue
        kept.append(text[at:start])
        close = text.find(">", end)
        at = close + 1 if close >= 0 else len(text)
    return "".join(kept) + text[at:]


def _tag_name(text: str, start: int) -> str:
    end = start + 1
    while end < len(text) and end - start < 60 and (text[end].isalnum() or text[end] in "-_"):
        end += 1
    return text[start + 1 : end] if end < len(text) and text[end] in "> \t" else ""


def _own_lines(lines: list[str]) -> Iterator[str]:
    fence, pasted, diff, traced = "", False, False, False
    for line in lines:
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif bare.startswith(("```", "~~~")):
            fence = "" if len(bare) > 6 and bare.endswith(bare[:3]) else bare[:3]
        elif not bare:
            pasted = diff = traced = False
        elif bare.startswith(_DIFF):
            diff = True
        elif bare.lower().startswith("traceback ("):
            traced = True
        elif not (pasted or (diff and line[:1] in "+- \\")) and not _is_foreign(line, bare) and not traced:
            pasted = _announces_paste(bare)
            if not pasted:
                yield bare
        elif traced and not line.startswith((" ", "\t")):
            traced = False


def _is_foreign(line: str, bare: str) -> bool:
    """Whether a line is no prose of the user's: quoted, indented code, a log, a trace, a shell line, a table."""
    if bare.startswith((">", "|")) or (
        line.startswith(("    ", "\t")) and not bare.startswith(("-", "*", "•")) and not bare[:1].isdigit()
    ):
        return True
    low = bare.lower()
    return (
        bare.startswith(_CODE)
        or low.startswith(_TRACE)
        or bare.endswith(("{", "}", ";", "};", "*/", "\\"))
        or _is_log_like(bare)
    )


def _is_log_like(bare: str) -> bool:
    word = bare.split(None, 1)[0]
    level = bare.lstrip("[(<")
    if level.startswith(_LEVELS) and (
        level != bare or (level.split(None, 1)[0].rstrip(":]|") in _LEVELS and not _is_prose_after(level))
    ):
        return True
    digits = word.strip("[]()T")
    if digits[:1].isdigit() and (digits.count(":") >= 2 or (digits.count("-") == 2 and digits[:4].isdigit())):
        return True
    name, _, rest = word.partition(":")
    if rest[:1].isdigit() and "." in name:
        return True
    return word.endswith(("Error:", "Exception:", "Warning:")) or (
        word.endswith(("Error", "Exception")) and word == bare
    )


def _is_prose_after(level: str) -> bool:
    """Whether a level word opens a sentence ("ERROR handling should …") and not a log line."""
    word = level.split(None, 1)[0]
    return word.isalpha() and word not in ("FAILED", "PASSED", "INFO", "DEBUG", "TRACE", "FAIL")


def _announces_paste(bare: str) -> bool:
    """Whether the lines after this one are announced as somebody else's."""
    return bare.endswith((":", "：")) and any(word.strip(":：,.'\"").lower() in _PASTE_WORDS for word in bare.split())


def _split(line: str) -> Iterator[str]:
    """The sentences of one line; dots inside names, numbers and abbreviations do not end one."""
    line = strip_bullet(line)
    start = 0
    for at, char in enumerate(line):
        if char in "。！？；" or (char in ".!?;" and _ends_sentence(line, start, at)):
            yield from _trim_sentence(line[start : at + 1])
            start = at + 1
    yield from _trim_sentence(line[start:])


def _ends_sentence(line: str, start: int, at: int) -> bool:
    after = line[at + 1 : at + 2]
    if after and not after.isspace():
        return False
    if line[at] != "." or not after:
        return True
    word = line[start:at].rpartition(" ")[2].lower().lstrip("(")
    return word not in _ABBREVIATIONS or (word == "no" and not line[at + 2 : at + 3].isdigit())


def _trim_sentence(sentence: str) -> Iterator[str]:
    bare = sentence.strip().strip("*_").strip()
    if len(bare) > 1:
        yield bare[:_LONGEST]


def strip_bullet(line: str) -> str:
    """A line without what makes it an item of a list."""
    bare = line.lstrip("-*•–#·→ \t")
    for box in ("[ ]", "[x]", "[X]"):
        bare = bare.removeprefix(box)
    digits = bare.lstrip("0123456789")
    if digits != bare and digits[:2] in (". ", ") "):
        return digits[2:].lstrip()
    return bare.lstrip()


def _blank(text: str, opening: str, closing: str) -> str:
    """The text with what stands between the marks, and the marks, blanked."""
    at = 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + 1)
        if end < 0:
            break
        if text[start + 1 : end].strip():
            text = text[:start] + MASK * (end - start + 1) + text[end + 1 :]
        at = end + 1
    return text
