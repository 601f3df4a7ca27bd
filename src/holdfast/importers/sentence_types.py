"""Which of the six types a sentence is, by its words; and whether it stands by itself."""

import re

from holdfast.core.memory import Memory, MemoryType, SaidBy, Status
from holdfast.importers.foreign_text import (
    FIELD,
    TITLE,
    fold_text,
    limit_body,
    one_line,
    split_phrases,
    split_sentences,
    split_tokens,
    strip_markdown,
)

FEWEST_WORDS = 3
LONGEST_MARKS = 400
_MUST = re.compile(
    r"\b(?:must(?: not|n't)?|never|always|do not|don't|shall(?: not)?|required?|forbidden|prohibited|mandatory"
    r"|not allowed|under no circumstances|no exceptions|only ever|cannot|may not"
    r"|ne jamais|toujours|niemals|immer|nunca|siempre)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"^(?:please\s+)?(?:use|prefer|avoid|follow|keep|write|run|add|make|ensure|put|name|wrap|return|handle|test|check|document"
    r"|create|place|include|export|import|update|commit|split|favou?r|stick|treat|assume|limit|group|store|log|validate|call"
    r"|read|ask|start|set|define|declare|pass|throw|mock|reuse|format|lint|extend|inject|batch|cache|quote|sort|reach)\b"
    r"|\b(?:should|prefer(?:red|s)?|convention|by default|instead of|rather than|likes?|wants?)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:failed|fails|broke|breaks|crash(?:es|ed)?|symptom|root cause|regression|did not work"
    r"|didn't work|doesn't work|bug|dead end)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:we (?:decided|chose|picked|went with|agreed)|decided to|decision|chose|chosen|let's go with)\b",
    re.IGNORECASE,
)
_ASSUMED = re.compile(r"\b(?:assum(?:e|es|ing|ption)|presumably|we think|probably)\b", re.IGNORECASE)
_CAUSE = re.compile(r"\b(?:because|caused by|root cause|due to|the cause was|turned out)\b", re.IGNORECASE)
_ONLY_MARKS = re.compile(
    r"[\s`*_>#|~\[\]()-]*(?:https?://\S+|\[[^\]]*\]\([^)]*\)|`[^`]*`|[\w./-]+\.\w{1,5}/?)?[\s`*_|~.:;-]*"
)
_PARTS = re.compile(r"\n\s*\n|\n\s*[-*+•]\s+|\n#+\s")
_BREAK = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|#|```|~~~|\||\*\*\w[^*]{0,40}:\*\*)")
PROGRESS = re.compile(
    r"^(?:done|completed?|finished|fixed|implemented|added|updated|created|wired|moved|renamed|merged|committed|pushed|"
    r"refactored|removed|started|working on|next|todo|wip|in progress|all \d+ tests|\d+ tests|tests? pass"
    r"|commit|ran|run tests)\b",
    re.IGNORECASE,
)


def kind_of(text: str) -> MemoryType:
    """The type that a rule or a fact is."""
    if _MUST.search(text):
        return MemoryType.INVARIANT
    if _FAILED.search(text) and _CAUSE.search(text):
        return MemoryType.FAILURE
    if _DECIDED.search(text):
        return MemoryType.DECISION
    if _SHOULD.search(text):
        return MemoryType.PATTERN
    return MemoryType.ASSUMPTION if _ASSUMED.search(text) else MemoryType.LEARNING


def why_not_alone(text: str) -> str:
    """Why a text does not stand by itself; empty when it does."""
    if len(text) <= LONGEST_MARKS and _ONLY_MARKS.fullmatch(text):
        return "only a link, a path or a command"
    words = strip_markdown(text)
    if words.endswith(":"):
        return "only leads to what follows it"
    if len(split_tokens(words)) < FEWEST_WORDS:
        return "too few words to stand by itself"
    return ""


def find_cause(text: str) -> str:
    """The sentence that tells why something went wrong; empty when none does."""
    told = (sentence for part in _PARTS.split(text) for sentence in split_sentences(strip_markdown(part)))
    return one_line(next((sentence for sentence in told if _CAUSE.search(sentence)), ""))


def title_of(text: str) -> str:
    """A title out of the first sentence."""
    words = strip_markdown(first_paragraph(text))
    return one_line(next(split_sentences(words), words).rstrip(".:;"), TITLE)


def first_paragraph(text: str) -> str:
    """The first paragraph: to a blank line, a list, a heading or code."""
    kept: list[str] = []
    for each in text.strip().split("\n"):
        if kept and (not each.strip() or _BREAK.match(each)):
            break
        kept.append(each.strip())
    return " ".join(kept)


def build_memory(kind: MemoryType, text: str, place: str, said_by: SaidBy, **fields: object) -> Memory:
    """A candidate of a type, with the fields that its words fill."""
    found: dict[str, object] = {"title": title_of(text), **fill_own_fields(kind, text), **fields}
    found = {name: value for name, value in found.items() if value not in ("", (), None)}
    return Memory(id="", type=kind, status=Status.CANDIDATE, body=limit_body(text, place), said_by=said_by, **found)  # type: ignore[arg-type]  # fields of a memory by name


def fill_own_fields(kind: MemoryType, text: str) -> dict[str, object]:
    """The fields of a type that a text fills by itself."""
    if kind is MemoryType.LEARNING:
        return {"fact": one_line(first_paragraph(text), FIELD)}
    if kind is MemoryType.FAILURE:
        return {"root_cause": find_cause(text)}
    return {"choice": one_line(first_paragraph(text), FIELD)} if kind is MemoryType.DECISION else {}


def kind_named(word: str) -> MemoryType | None:
    """The type that somebody's own word for it means; None when it means none."""
    return _NAMED.get(fold_text(word).strip().replace("_", "-").removesuffix("s"))


_NAMED = {
    name: kind
    for kind, names in {
        MemoryType.DECISION: "decision|choice|adr|design-decision|architecture-decision|decided|resolution|design",
        MemoryType.INVARIANT: "invariant|constraint|rule|requirement|must|guardrail|policy|principle|limitation",
        MemoryType.FAILURE: """failure|bug|problem|issue|error|incident|mistake|dead-end|pitfall|antipattern|
            anti-pattern|risk""",
        MemoryType.PATTERN: """pattern|convention|preference|practice|best-practice|style|workflow|process|technique|
            method|habit|feedback""",
        MemoryType.ASSUMPTION: "assumption|hypothesi|hypothesis|guess|belief",
        MemoryType.LEARNING: """learning|lesson|insight|fact|note|tip|tech|gotcha|finding|discovery|observation|idea|
            feature|info|detail""",
    }.items()
    for name in split_phrases(names)
}
