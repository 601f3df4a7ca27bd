"""What a sentence names: code, paths, packages, and things that a phrase stands for, each with its place in it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from holdfast.check.rule_places import is_path
from holdfast.core.value import Value

CODE, PATH, PHRASE, PACKAGE = "code", "path", "phrase", "package"
_TICKED = re.compile(r"`([^`\n]{1,120})`")
_WRITTEN = re.compile(
    r"(?<![\w`/.@-])(?:"
    r"(?P<path>(?:\.{0,2}/)?(?:[\w.@*{}-]+/)+[\w.@*{},-]*|[\w-]+\.(?:py|tsx?|jsx?|mjs|go|rs|rb|java|kt|php|cs|swift|toml|ya?ml|json|md|sql|sh|lock|proto|tf|env)\b|\.env\b)|"
    r"(?P<code>@?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*!?)+(?:\(\))?|[A-Za-z_$][\w$]*!?\(\)|[A-Za-z_$][\w$]*!(?=[\s,.]|$)|"
    r"[A-Za-z][\w.-]*\.(?:com|org|io|dev|net)/[\w./-]+|\.[A-Z]\w+(?:\(\))?|<[A-Za-z]\w*>|[a-z]+[:=][\w\"'.=-]+|[a-z]+(?:-[a-z]+)+:\s\w+|#[a-z]+\s\w+|\d+\.\d+\.\d+\.\d+(?:/\d+)?|!!|"
    r"[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|@[A-Z]\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)"
    r")(?![\w(])"
)


class Mention(Value):
    """Something that a sentence names. `text`: as a rule would write it, code between back-ticks."""

    kind: str
    text: str
    start: int
    end: int


def find_mentions(sentence: str, phrases: Iterable[str], packages: Iterable[str]) -> list[Mention]:
    """What a sentence names, in its order; of two that overlap the one that was marked, or the longer."""
    found: list[Mention] = []
    for each in (*_find_ticked(sentence), *_find_written(sentence), *_find_words(sentence, phrases, packages)):
        if not any(each.start < other.end and other.start < each.end for other in found):
            found.append(each)
    return sorted(found, key=lambda each: each.start)


def _find_ticked(sentence: str) -> Iterator[Mention]:
    for found in _TICKED.finditer(sentence):
        kind = PATH if is_path(found[1]) and ("/" in found[1] or not found[1][:1].isupper()) else CODE
        text = found[1] if kind == PATH else f"`{found[1]}`"
        yield Mention(kind=kind, text=text, start=found.start(), end=found.end())


def _find_written(sentence: str) -> Iterator[Mention]:
    for found in _WRITTEN.finditer(sentence):
        kind = PATH if found["path"] else CODE
        text = found[0].rstrip(".,") if kind == PATH else f"`{found[0]}`"
        yield Mention(kind=kind, text=text, start=found.start(), end=found.start() + len(found[0]))


def _find_words(sentence: str, phrases: Iterable[str], packages: Iterable[str]) -> Iterator[Mention]:
    for kind, words in ((PHRASE, tuple(phrases)), (PACKAGE, tuple(packages))):
        for found in _any_of(words).finditer(sentence):
            yield Mention(kind=kind, text=found[0].lower(), start=found.start(), end=found.end())


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(words, key=len, reverse=True)
    body = "|".join(re.escape(word) for word in longest)
    return re.compile(rf"(?<![\w/.-])(?:{body})(?:s|es)?(?![\w/(-]|\.\w)", re.IGNORECASE)
