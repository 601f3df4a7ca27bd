"""Traits → candidates: what is new, what changed, what was said or decided before. Nothing is written here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.bootstrap.profile.formatter_settings import ToolSettings
from holdfast.bootstrap.profile.profile_values import ExamplePlace, Trait
from holdfast.bootstrap.profile.trait_wording import TraitWording, count_evidence, word_trait
from holdfast.core.memory import Entry, Memory, MemoryType, SaidBy, Status
from holdfast.core.value import Value
from holdfast.report.effect import estimate_share

SOURCE = "bootstrap"
KEY = "profile"
MOST_FOLDERS = 3
MOST_CONFIDENT = 0.95
ENDINGS = {"python": "*.py", "ts": "*.{ts,tsx}", "js": "*.{js,jsx,mjs,cjs}"}


class Pattern(Value):
    """A trait in the form of a candidate that has no id yet. `places`: what it cites, as PATH:LINE.

    `prefix` is the folder that was read, `key` the question: two folders may have two answers.
    """

    key: str
    answer: str
    prefix: str = ""
    title: str
    body: str
    category: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    confidence: float
    places: tuple[str, ...]
    phrasings: tuple[tuple[str, ...], ...] = ()

    @property
    def profile(self) -> str:
        """By which it is known again."""
        return f"{self.prefix}{self.key}={self.answer}"

    @property
    def answered(self) -> frozenset[str]:
        """The profiles that say the same, of this folder or one above it."""
        parts = self.prefix.split("/")[:-1]
        above = ("".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts) + 1))
        return frozenset(f"{prefix}{self.key}={self.answer}" for prefix in above)


class NewPattern(Value):
    """Propose it. `supersedes`: the accepted pattern that had another answer."""

    pattern: Pattern
    supersedes: str = ""


class ChangedPattern(Value):
    """It waits already, with another answer."""

    pattern: Pattern
    entry: Entry


class KnownPattern(Value):
    """It was said, proposed or decided before."""

    pattern: Pattern
    by: str


Step = NewPattern | ChangedPattern | KnownPattern


def build_patterns(
    traits: Iterable[Trait], tools: Iterable[ToolSettings], prefix: str = "", samples: Mapping[str, str] | None = None
) -> list[Pattern]:
    """What is worth proposing, in a stable order. `prefix`: the folder, from the workspace's root, that was read.

    `samples`: what to say of a language (`python`, `ts`, `js`) of which not all files were read.
    """
    found = [
        _pattern(trait, words, prefix, samples or {}) for trait in traits if (words := word_trait(trait)) is not None
    ]
    return [*found, *(_settings_pattern(each, prefix) for each in tools)]


def plan_patterns(found: Sequence[Pattern], entries: Sequence[Entry]) -> list[Step]:
    """What to do about each pattern, given everything that is accepted, waits, or was decided."""
    return [_step(pattern, entries) for pattern in found]


def memory_of(pattern: Pattern, candidate_id: str, now: str) -> Memory:
    """The candidate; its citations are added by whoever may read files."""
    return Memory(
        id=candidate_id,
        type=MemoryType.PATTERN,
        status=Status.CANDIDATE,
        title=pattern.title,
        body=pattern.body,
        category=pattern.category,
        tags=pattern.tags,
        paths=pattern.paths,
        confidence=pattern.confidence,
        said_by=SaidBy.TOOL,
        source=SOURCE,
        valid_from=now[:10],
        updated=now,
        extra={KEY: pattern.profile},
    )


def _step(pattern: Pattern, entries: Sequence[Entry]) -> Step:
    question = f"{pattern.prefix}{pattern.key}"
    ours = [entry for entry in entries if str(entry.memory.extra.get(KEY, "")).rpartition("=")[0] == question]
    same = [entry for entry in entries if entry.memory.extra.get(KEY) in pattern.answered]
    current = next((entry for entry in ours if entry.memory.status is Status.ACCEPTED), None)
    decided = next((e for e in same if e.memory.status is not Status.SUPERSEDED or current is None), None)
    if decided:
        return KnownPattern(pattern=pattern, by=decided.memory.id)
    said = next((entry for entry in entries if _says_same(entry, pattern)), None)
    if said:
        return KnownPattern(pattern=pattern, by=said.memory.id)
    waiting = next((entry for entry in ours if entry.memory.status is Status.CANDIDATE), None)
    if waiting:
        return ChangedPattern(pattern=pattern, entry=waiting)
    return NewPattern(pattern=pattern, supersedes=current.memory.id if current else "")


def _says_same(entry: Entry, pattern: Pattern) -> bool:
    """Whether somebody's own words say the same."""
    memory = entry.memory
    if KEY in memory.extra or memory.status is not Status.ACCEPTED:
        return False
    text = f"{memory.title} {memory.choice} {memory.fact} {memory.body}".lower()
    return any(all(word in text for word in words) for words in pattern.phrasings)


def _pattern(trait: Trait, words: TraitWording, prefix: str, samples: Mapping[str, str]) -> Pattern:
    sure = estimate_share(trait.cases, trait.of)
    counts = " ".join(filter(None, [count_evidence(trait), samples.get(trait.key.partition(".")[0])]))
    return Pattern(
        key=trait.key,
        answer=trait.answer,
        prefix=prefix,
        title=words.title,
        body="\n\n".join([words.title, counts, *_places(trait, prefix)]),
        category=words.category,
        tags=words.tags,
        paths=_globs(trait, prefix),
        confidence=round(min(MOST_CONFIDENT, sure[1] if sure else 0.5), 2),
        places=tuple(f"{prefix}{seen.path}:{seen.line}" for seen in trait.seen if seen.path),
        phrasings=words.phrasings,
    )


def _places(trait: Trait, prefix: str) -> Iterator[str]:
    for heading, several in (("Seen in", trait.seen), ("Not so", trait.exceptions)):
        if several:
            yield f"{heading}: " + "; ".join(_place(seen, prefix) for seen in several)


def _place(seen: ExamplePlace, prefix: str) -> str:
    text = " ".join(seen.text.replace("`", "'").split())
    quoted = f"`{text}`" if text else ""
    return " ".join(filter(None, [f"{prefix}{seen.path}:{seen.line}" if seen.path else "", quoted]))


def _globs(trait: Trait, prefix: str) -> tuple[str, ...]:
    """Where it holds: the folders at the top in which nearly all of its files lie, else everywhere of its kind."""
    ending = ENDINGS.get(trait.key.partition(".")[0])
    if ending is None:
        return ()
    tops = Counter(path.partition("/")[0] if "/" in path else "" for path in trait.paths)
    if not tops or "" in tops or len(tops) > MOST_FOLDERS:
        return (f"{prefix}**/{ending}",)
    return tuple(f"{prefix}{top}/**/{ending}" for top in sorted(tops))


def _settings_pattern(tool: ToolSettings, prefix: str) -> Pattern:
    said = f"It says {', '.join(tool.says)}. " if tool.says else ""
    title = f"{tool.tool} settles the format ({prefix}{tool.path})"
    languages = sorted({key.partition(".")[0] for key in tool.keys})
    names = ", ".join(sorted({key.partition(".")[2] for key in tool.keys}))
    return Pattern(
        key=f"tool.{tool.tool.lower()}",
        answer=", ".join(tool.says).replace("=", " ") or "set up",
        prefix=prefix,
        title=title,
        body=f"{title}\n\n{said}It decides on {names}: run it, and do not format by hand.",
        category="style",
        tags=("style", tool.tool.lower()),
        paths=tuple(f"{prefix}**/{ENDINGS[each]}" for each in languages),
        confidence=MOST_CONFIDENT,
        places=(f"{prefix}{tool.path}:{tool.line}",),
        phrasings=((tool.tool.lower(), "format"),),
    )
