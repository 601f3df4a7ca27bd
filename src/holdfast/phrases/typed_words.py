"""What a person typed in a message: without what was pasted, quoted, handed over, or put there by a program.

The one place that tells own words from others': the buffer, the distiller, quotes and rules of the user all ask here.
Whatever is doubtful is left out: words of others that passed for the user's would be remembered as the user's will.
"""

import re
from collections.abc import Sequence

from holdfast.core.fence import NOTE
from holdfast.core.word_lists import split_phrases
from holdfast.phrases.foreign_words import why_foreign
from holdfast.phrases.paste_patterns import paste_pattern
from holdfast.phrases.prose import split_sentences
from holdfast.redact.own_words import strip_own_blocks

# Longer than this is mostly pasted: only its first and last paragraph may be the user's, where they are short.
_DOCUMENT = 1200
_OWN_PARAGRAPH = 300
# A message on one line of this length that holds none of these marks is looked at no further.
_PLAIN_LENGTH = 200
_MARKED = frozenset('\n<>"`“«„「:')
# Of a document: so many lines or characters stand above a request about it.
_BLOCK_LINES, _BLOCK_CHARACTERS = 3, 160
_MOST_QUOTED = 6
_MARKS = ('"', "`", "“", "«", "„", "「")
_PACK = (
    "⛔", "⚠", "✓ TEAM", "KNOWN FACTS", "KNOWN DEAD ENDS", "CONSTRAINTS", "PATTERNS", "HAZARDS", "WORKING BUFFER",
    "LESSONS", "THE USER SAID LATELY", "OVERVIEW (from", "OPEN TODOS", "TODAY (from",
)  # fmt: skip
_UNCONFIRMED = ("unconfirmed)", "(unconfirmed", "Project memory from Holdfast", NOTE[:40])
_SAYING = split_phrases("sa|read|state|wr|tell|told|contain|claim|sagt|schreib|mein|dit|dic|dij")


def typed_words(text: str) -> str:
    """What a person typed in a message, as far as that is certain."""
    if why_foreign(text):
        return ""
    text = strip_own_blocks(text)[0] if "oldfast" in text.lower() else text
    if not text.isascii() and paste_pattern("hidden").search(paste_pattern("joined").sub("", text)):
        return ""
    if len(text) <= _PLAIN_LENGTH and _MARKED.isdisjoint(text):
        return "" if paste_pattern("command").match(text) else text
    text = _strip_blocks(text) if "```" in text or "~~~" in text or "<" in text else text
    return _strip_others(_first_and_last(_strip_handed_over(text)))


def typed_sentences(text: str) -> list[str]:
    """The sentences of a message that are the person's own."""
    words = typed_words(text)
    return [sentence for sentence in split_sentences(words) if not _is_report(sentence)] if words else []


def _is_report(text: str) -> bool:
    """Whether a sentence gives somebody else's words: "the README says: …"."""
    return (
        (":" in text or "," in text)
        and any(verb in text for verb in _SAYING)
        and bool(paste_pattern("report").search(text))
    )


def _first_and_last(text: str) -> str:
    """A message as it is; of a document, the first and the last paragraph, where they are short."""
    if len(text) <= _DOCUMENT:
        return text
    first, _, rest = text.partition("\n\n")
    last = rest.rpartition("\n\n")[2]
    return "\n\n".join(part for part in (first, last) if len(part) < _OWN_PARAGRAPH)


# What was handed over: a document that the message is about


def _strip_handed_over(text: str) -> str:
    """A message without the page, mail, log, review or answer that it is about."""
    lines = text.splitlines()
    if any(map(paste_pattern("chat").match, lines)):
        return lines[0] if not paste_pattern("chat").match(lines[0]) else ""
    for at, line in enumerate(lines):
        below = any(each.strip() for each in lines[at + 1 :])
        if paste_pattern("heading").match(line) or (below and _begins_document(lines, at)):
            return _strip_above(lines[:at])
        if below and (paste_pattern("handed").search(line) or _asks_about_below(lines, at)):
            return _strip_above(lines[: at + 1])
    return _strip_above(lines)


def _asks_about_below(lines: Sequence[str], at: int) -> bool:
    """Whether a short line asks something about what follows it: "summarise this page", "reply to this politely:"."""
    line = lines[at].strip()
    if not line or len(line) > _OWN_PARAGRAPH // 2 or paste_pattern("mine").search(line):
        return False
    announced = line.endswith((":", "："))
    if not (announced or not lines[at + 1].strip() or at == 0):
        return False
    return bool(paste_pattern("about").search(line)) or (announced and bool(paste_pattern("source").search(line)))


def _begins_document(lines: Sequence[str], at: int) -> bool:
    """Whether somebody else's text begins on a line: a ticket's number, a header, a salutation, an assistant's"""
    """opening."""
    line = lines[at].strip()
    if not line:
        return False
    if paste_pattern("document").match(line) or paste_pattern("assistant").match(line):
        return True
    below = "\n".join(lines[at + 1 :])
    return bool(paste_pattern("salutation").match(line) and paste_pattern("closing").search(below))


def _strip_above(lines: Sequence[str]) -> str:
    """A message without the block that its last words ask about: "… what do you think?"."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    if len(kept) < _BLOCK_LINES or not paste_pattern("asks").match(kept[-1].strip()):
        return "\n".join(lines)
    block = "\n".join(kept[:-1]).strip()
    large = sum(bool(line.strip()) for line in kept) > _BLOCK_LINES or len(block) > _BLOCK_CHARACTERS
    is_document = _looks_foreign(block) or (large and not paste_pattern("own").search(block))
    return kept[-1] if is_document else "\n".join(lines)


def _looks_foreign(block: str) -> bool:
    """Whether a block is laid out as documents, reviews and answers of models are."""
    return bool(paste_pattern("laid").search(block))


# Lines of other speakers


def _strip_blocks(text: str) -> str:
    """Text without fenced code and without what stands in tags, closed or not.

    Of a block whose beginning was cut off, what follows it.
    """
    text = paste_pattern("fenced").sub("\n\n", text)
    text = paste_pattern("block tag").sub("\n\n", text)
    opened = paste_pattern("open tag").search(text)
    text = text[: opened.start()] if opened else text
    *_, after = paste_pattern("close tag").split(text)
    return after


def _strip_others(text: str) -> str:
    """Text without lines of other speakers, mails, and what was announced as somebody else's."""
    kept: list[str] = []
    skipping, fence = "", False
    lines = text.splitlines()
    chat = sum(1 for line in lines if (":" in line or ">" in line) and paste_pattern("speaker").match(line)) > 1
    for line in lines:
        bare = line.strip()
        if bare.startswith(("```", "~~~", '"""')):
            fence = not fence
        if (
            paste_pattern("mail intro").match(line) or (":" in line and paste_pattern("mail").match(line))
        ) and not fence:
            break
        if skipping == "block" and bare:
            continue
        skipping = ""
        if bare.startswith(_PACK) or (bare.endswith((":", "：")) and paste_pattern("announced").search(bare)):
            skipping = "block"
        elif fence or _is_foreign_line(line, chat=chat):
            kept.append("")
        else:
            kept.append(paste_pattern("quoted").sub(_keep_only_names, line) if _holds_any(line, _MARKS) else line)
    return "\n".join(kept)


def _keep_only_names(quoted: re.Match[str]) -> str:
    """A quotation as it is when it is a name or a command, else nothing."""
    inner = quoted[0][1:-1]
    says = len(inner.split()) > _MOST_QUOTED or any(mark in inner for mark in (". ", "! ", "? ", "; "))
    return " " if says and not (quoted[0][0] == "`" and "." not in inner) else quoted[0]


def _is_foreign_line(line: str, *, chat: bool) -> bool:
    if _holds_any(line, _UNCONFIRMED) or paste_pattern("command").match(line):
        return True
    if ":" not in line and ">" not in line:
        return False
    if paste_pattern("role").match(line):
        return True
    spoken = paste_pattern("speaker").match(line)
    return spoken is not None and (chat or bool(paste_pattern("clocked").match(line)) or _is_name(spoken["name"]))


def _holds_any(line: str, marks: Sequence[str]) -> bool:
    return any(mark in line for mark in marks)


def _is_name(name: str) -> bool:
    """Whether it is one word with a capital, as a person's name in a chat: "Bob: let's …"."""
    return " " not in name.strip() and name[:1].isupper() and name[1:].islower()
