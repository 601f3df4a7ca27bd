"""A user's own words: what a person typed in the main thread, without what was pasted, quoted or put there by tools.

Whatever is doubtful is left out: words of others that passed for the user's would be remembered as the user's will.
"""

import re
from functools import cache

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.fence import NOTE
from holdfast.core.value import Value
from holdfast.distil.lasting_phrases import PATTERNS
from holdfast.distil.make_candidate import strip_controls
from holdfast.phrases.prose import split_sentences
from holdfast.phrases.triggers import Trigger, TriggerReader, load_reader, read_with_readers
from holdfast.records.injected_context import goes_on_from_summary
from holdfast.redact.own_words import strip_own_blocks

# Longer than this is a document, not a message: only its first and last paragraph may be the user's.
_DOCUMENT = 4000
_BLOCK_TAG = re.compile(r"<([a-z][\w:-]{1,60})(?:\s[^<>]{0,500})?>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_OPEN_TAG = re.compile(r"<(?:system|hook|user|command|local|environment|task|context|"
                       r"instructions?)[\w:-]*(?:\s[^<>]{0,500})?>",
                       re.IGNORECASE)  # fmt: skip
_CLOSE_TAG = re.compile(r"</[a-z][\w:-]{0,60}\s*>", re.IGNORECASE)
# A line that another person, a log or a program would begin like this; "note: …" and the like are the user's own.
_SPEAKER = re.compile(
    r"^\s*(?:[-*>#]+\s*)?(?:\*\*)?(?:\[?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]m)?\]?\s+)?@?(?:\*\*)?(?!(?:note|"
    r"notes|todo|fyi|"
    r"decision|decisions|architecture|design|rule|rules|goal|priority|blocker|correction|next|update|edit|ps|p\.s|"
    r"assumption|convention|context|also|ok|yes|no|important|warning|reminder|plan|agreed|decided|preference|hint|"
    r"entscheidung|architektur|annahme|priorität|décision|hypothèse|decisión|arquitectura|supuesto|base branch|docs|"
    r"stack|top priority|follow-up|remaining work|two things|one thing|one thing to know|one more thing)\b)"
    r"(?P<name>[A-Za-zÀ-ÿ][\w.' -]{0,24}?)(?:\*\*)?\s?(?:\([^)]{1,30}\)\s?)?(?:\*\*)?[:>]\s+\S",
    re.IGNORECASE,
)
_ROLES = re.compile(
    r"^\s*[\[<(*#]*\s*(?:system|user|human|assistant|ai|developer|tool|admin|claude|codex|gemini|gpt|chatgpt|copilot|"
    r"bot)"
    r"\s*[\])>*]*\s*[:>]", re.IGNORECASE
)  # fmt: skip
_CLOCKED = re.compile(r"^\s*\[?\(?\d{1,2}[:.]\d{2}")
_MAIL = re.compile(r"^\s*(?:from|to|subject|date|cc|sent|reply-to|von|an|betreff|de|objet|asunto)\s*:\s", re.IGNORECASE)
_MAIL_INTRO = re.compile(r"^\s*(?:on .{5,60} wrote:|am .{5,60} schrieb|le .{5,60} a écrit|el .{5,60} escribió|"
                         r"-{3,}\s?(?:original|forwarded))",
                         re.IGNORECASE)  # fmt: skip
_ANNOUNCED = re.compile(
    r"(?:\b(?:says?|said|wrote|writes|reads|states?|told (?:me|us)|quote|quoting|pasted?|copied|from the (?:docs?|"
    r"readme|issue|"
    r"ticket|wiki|spec|thread|chat|mail|email|slack)|here(?:'s| is| are) (?:the|a|an|what|his|her|their|my "
    r"colleague)|see the "
    r"(?:thread|mail|issue|ticket|log|chat)|sagt|schreibt|dit|écrit|dice|escribe|message|thread|transcript|answer from|"
    r"feedback|review|comment)\b[^.!?\n]{0,60}|(?:says|said|wrote|reads))[:：]\s*$",
    re.IGNORECASE,
)  # fmt: skip
_INLINE = re.compile(
    r"\b(?:readme|docs?|documentation|wiki|issue|ticket|comment|mail|email|slack|message|file|log|output|article|"
    r"post|policy|"
    r"spec|page|memory|note|agents\.md|claude\.md|boss|he|she|they|colleague|customer|reviewer|bot|assistant|tool|"
    r"website|"
    r"injection|prompt|header|banner|sign|linter|doku|kollege|chef|documentation|collègue|documentación|"
    r"jefe)\b[^.!?:\n]{0,40}"
    r"\b(?:says?|said|reads?|states?|wrote|writes|tells?|told|contains?|claims?|sagt|sagte|schreibt|meint|dit|écrit|"
    r"dice|"
    r"dijo)\b[^.!?:\n]{0,20}[:：,]",
    re.IGNORECASE,
)
_SAYING = (
    "sa",
    "read",
    "state",
    "wr",
    "tell",
    "told",
    "contain",
    "claim",
    "sagt",
    "schreib",
    "mein",
    "dit",
    "dic",
    "dij",
)
_PACK = (
    "⛔", "⚠", "✓ TEAM", "KNOWN FACTS", "KNOWN DEAD ENDS", "CONSTRAINTS", "PATTERNS", "HAZARDS", "WORKING BUFFER",
    "LESSONS", "THE USER SAID LATELY", "OVERVIEW (from", "OPEN TODOS", "TODAY (from",
)  # fmt: skip
_UNCONFIRMED = ("unconfirmed)", "(unconfirmed", "Project memory from Holdfast", NOTE[:40])
# What is quoted at length is somebody's text, not a name; it may hold whole sentences.
_QUOTED = re.compile(r"“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|„[^“\n]*“|`[^`\n]*`|「[^」\n]*」")
_MOST_QUOTED = 6
_MARKS = ('"', "`", "“", "«", "„", "「")
_COMMAND = re.compile(r"^\s*/[a-z][\w:-]*(?:\s|$)")
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


class UserSentence(Value):
    """A sentence of the user's own: its turn, the sentence after it, and what the patterns see in it."""

    turn: Turn
    text: str
    after: str = ""
    triggers: tuple[Trigger, ...] = ()


def is_prompt(turn: Turn) -> bool:
    """Whether a turn is a message of the person: a subagent's prompts are the agent's, a foreign turn a tool's."""
    return turn.kind is TurnKind.PROMPT and not turn.foreign and not turn.agent


def own_words(turn: Turn) -> str:
    """What the person typed in a turn, as far as that is certain."""
    if not is_prompt(turn) or goes_on_from_summary(turn.text):
        return ""
    words = strip_controls(turn.text)
    text = strip_own_blocks(words)[0] if "oldfast" in words.lower() else words
    if not text.isascii() and _HIDDEN.search(text):
        return ""
    text = _first_and_last(text)
    return _strip_others(_strip_tagged(text) if "<" in text else text)


def own_sentences(turn: Turn) -> list[str]:
    """The sentences of a turn that are the user's own."""
    words = own_words(turn)
    return [text for text in split_sentences(words) if not _is_report(text)] if words else []


def user_sentences(turn: Turn) -> list[UserSentence]:
    """The sentences of a turn that are the user's own, each with what the patterns see in it."""
    texts = own_sentences(turn)
    if not texts:
        return []
    following = [*texts[1:], ""][: len(texts)]
    return [
        UserSentence(turn=turn, text=text, after=after, triggers=(*heard, *held))
        for text, after, heard, held in zip(
            texts, following, *read_with_readers(texts, load_reader(), load_own_reader()), strict=True
        )
    ]


def _is_report(text: str) -> bool:
    """Whether a sentence gives somebody else's words: "the README says: …"."""
    return (":" in text or "," in text) and any(verb in text for verb in _SAYING) and bool(_INLINE.search(text))


@cache
def load_own_reader() -> TriggerReader:
    """The reader of this room's own patterns."""
    return TriggerReader(PATTERNS)


def _first_and_last(text: str) -> str:
    """A message as it is; of a document, the first and the last paragraph, where they are short."""
    if len(text) <= _DOCUMENT:
        return text
    first, _, rest = text.partition("\n\n")
    last = rest.rpartition("\n\n")[2]
    return "\n\n".join(part for part in (first, last) if len(part) < _DOCUMENT // 4)


def _strip_tagged(text: str) -> str:
    """Text without what stands in tags, closed or not; of a block whose beginning was cut off, what follows it."""
    text = _BLOCK_TAG.sub("\n\n", text)
    opened = _OPEN_TAG.search(text)
    text = text[: opened.start()] if opened else text
    *_, after = _CLOSE_TAG.split(text)
    return after


def _strip_others(text: str) -> str:
    """Text without lines of other speakers, mails, and what was announced as somebody else's."""
    kept: list[str] = []
    skipping, fence = "", False
    lines = text.splitlines()
    chat = sum(1 for line in lines if (":" in line or ">" in line) and _SPEAKER.match(line)) > 1
    for line in lines:
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fence = not fence
        if (_MAIL_INTRO.match(line) or (":" in line and _MAIL.match(line))) and not fence:
            break
        if skipping == "block" and bare:
            continue
        skipping = ""
        if bare.startswith(_PACK) or (bare.endswith((":", "：")) and _ANNOUNCED.search(bare)):
            skipping = "block"
        elif _is_foreign(line, chat=chat):
            kept.append("")
        else:
            kept.append(_QUOTED.sub(_keep_only_names, line) if _holds_any(line, _MARKS) else line)
    return "\n".join(kept)


def _keep_only_names(quoted: re.Match[str]) -> str:
    """A quotation as it is when it is a name or a command, else nothing."""
    inner = quoted[0][1:-1]
    says = len(inner.split()) > _MOST_QUOTED or any(mark in inner for mark in (". ", "! ", "? ", "; "))
    return " " if says and not (quoted[0][0] == "`" and "." not in inner) else quoted[0]


def _is_foreign(line: str, *, chat: bool) -> bool:
    if _holds_any(line, _UNCONFIRMED) or _COMMAND.match(line):
        return True
    if ":" not in line and ">" not in line:
        return False
    if _ROLES.match(line):
        return True
    spoken = _SPEAKER.match(line)
    return spoken is not None and (chat or bool(_CLOCKED.match(line)) or _is_name(spoken["name"]))


def _holds_any(line: str, marks: tuple[str, ...]) -> bool:
    return any(mark in line for mark in marks)


def _is_name(name: str) -> bool:
    """Whether it is one word with a capital, as a person's name in a chat: "Bob: let's …"."""
    return " " not in name.strip() and name[:1].isupper() and name[1:].islower()
