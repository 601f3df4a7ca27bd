"""What git leaves out: `.gitignore` files, each for its own folder and below, and `.git/info/exclude`."""

import os
import re
from collections.abc import Iterable, Sequence

from holdfast.core.value import Value
from holdfast.project.git_globs import (
    PatternNeverMatches,
    parse_literal,
    translate_name_pattern,
    translate_path_pattern,
)
from holdfast.project.read_beginning import head_of

NAME = ".gitignore"
LARGEST = 256 * 1024
MOST_RULES = 2_000
LONGEST_RULE = 400
# Rules with wildcards take time to make ready: no file may have us wait for it.
MOST_WILD, EACH_WILD = 16 * 1024, 32
HIGHEST = 40
_BOM = b"\xef\xbb\xbf"


class IgnoreRule(Value):
    """One line: what it matches (a `name`, `ending` or `path` if plain), if it takes back, if for folders alone."""

    expression: bytes
    negated: bool = False
    folders: bool = False
    whole: bool = False
    name: bytes = b""
    ending: bytes = b""
    path: bytes = b""

    @property
    def wild(self) -> bool:
        """Whether it takes an expression to find what it matches."""
        return not (self.name or self.ending or self.path)


class IgnoreRules:
    """The rules of one file. Of all that match, the last one counts."""

    def __init__(self, rules: Sequence[IgnoreRule]) -> None:
        self._rules = tuple(rules)
        self._folders = _Table(enumerate(self._rules))
        self._files = _Table((at, rule) for at, rule in enumerate(self._rules) if not rule.folders)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: bytes, *, folder: bool) -> bool | None:
        """Whether a path, relative to the rules' folder, is left out; None where no rule speaks of it."""
        last = (self._folders if folder else self._files).last(path)
        return None if last < 0 else not self._rules[last].negated


class _Table:
    """Numbered rules, by how they are found. Most are a plain name or ending: no expression is tried for those."""

    def __init__(self, rules: Iterable[tuple[int, IgnoreRule]]) -> None:
        self._names: dict[bytes, int] = {}
        self._endings: dict[bytes, int] = {}
        self._paths: dict[bytes, int] = {}
        others: dict[bool, list[tuple[int, bytes]]] = {True: [], False: []}
        for at, rule in rules:
            if rule.name:
                self._names[rule.name] = at
            elif rule.ending:
                self._endings[rule.ending] = at
            elif rule.path:
                self._paths[rule.path] = at
            else:
                others[rule.whole].insert(0, (at, rule.expression))
        self._by_name, self._by_path = _Expression(others[False]), _Expression(others[True])

    def last(self, path: bytes) -> int:
        """The number of the last rule that matches; -1 where none does."""
        name = path.rpartition(b"/")[2]
        plain = max(self._names.get(name, -1), self._endings.get(name.rpartition(b".")[2], -1) if b"." in name else -1)
        return max(plain, self._paths.get(path, -1), self._by_name.first(name), self._by_path.first(path))


class _Expression:
    """Numbered expressions as one: the group that matched tells which of them came first."""

    def __init__(self, numbered: Sequence[tuple[int, bytes]]) -> None:
        self._numbers = [number for number, _ in numbered]
        joined = b"|".join(b"(" + expression + b")" for _, expression in numbered)
        self._compiled = re.compile(joined) if numbered else None

    def first(self, text: bytes) -> int:
        match = self._compiled.fullmatch(text) if self._compiled else None
        return self._numbers[match.lastindex - 1] if match and match.lastindex else -1


NO_RULES = IgnoreRules(())


class IgnoreRuleStack:
    """The rules in force in a folder: those of the folders above it, then its own; the nearest that speaks counts."""

    def __init__(self, levels: tuple[tuple[bytes, IgnoreRules], ...] = ()) -> None:
        self._levels = levels

    def below(self, folder: str, rules: IgnoreRules) -> "IgnoreRuleStack":
        """The same with the rules of a folder added."""
        return IgnoreRuleStack((*self._levels, (os.fsencode(folder), rules))) if rules else self

    def __call__(self, path: str, *, folder: bool) -> bool:
        """Whether a path is left out, if its folder is not."""
        whole = os.fsencode(path)
        for base, rules in reversed(self._levels):
            told = rules.verdict(_relative_to_base(whole, base), folder=folder)
            if told is not None:
                return told
        return False


def rules_of(data: bytes) -> IgnoreRules:
    """The rules in the bytes of a file. Of those with wildcards, the first; of others, all."""
    lines = data.removeprefix(_BOM).split(b"\n")[:MOST_RULES]
    rules: list[IgnoreRule] = []
    wild = 0
    for line in lines:
        rule = _rule(line)
        if rule is None:
            continue
        wild += len(line) + EACH_WILD if rule.wild else 0
        if wild <= MOST_WILD or not rule.wild:
            rules.append(rule)
    return IgnoreRules(rules) if rules else NO_RULES


def rules_in(root: str, folder: str) -> IgnoreRules:
    """The rules that a folder below a root brings. A link is no such file, for git neither."""
    data = head_of(root, f"{folder}/{NAME}" if folder else NAME, LARGEST, links=False)
    return rules_of(data) if data else NO_RULES


def rules_above(root: str) -> IgnoreRuleStack:
    """The rules in force at a root before its own: of the repository around it, if there is one."""
    top = _repository(root)
    if not top:
        return IgnoreRuleStack()
    between = os.path.relpath(root, top).split(os.sep) if top != root else []
    # Paths are told from the root: a folder above it has a base that is cut off in front.
    ignored = IgnoreRuleStack().below(_base_above(between, 0), rules_of(_read_exclude(top)))
    for depth in range(len(between)):
        ignored = ignored.below(_base_above(between, depth), rules_in(top, "/".join(between[:depth])))
    return ignored


def _base_above(between: Sequence[str], depth: int) -> str:
    """A base above the root, as `_inside` knows it: a slash, then the folders from there to the root."""
    rest = between[depth:]
    return "/" + "/".join(rest) if rest else ""


def _relative_to_base(path: bytes, base: bytes) -> bytes:
    """A path as the rules of a base see it."""
    if base.startswith(b"/"):
        return base[1:] + b"/" + path
    return path[len(base) + 1 :] if base else path


def _repository(root: str) -> str:
    folder = root
    for _ in range(HIGHEST):
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return ""


def _read_exclude(top: str) -> bytes:
    """The bytes of `info/exclude`; a worktree's lies in the repository that it belongs to."""
    marker = os.path.join(top, ".git")
    if not os.path.isdir(marker):
        named = (head_of(top, ".git", 4096) or b"").partition(b"gitdir:")[2].strip()
        marker = os.path.join(top, os.fsdecode(named)) if named and b"\0" not in named else ""
        common = (head_of(marker, "commondir", 4096) or b"").strip() if marker else b""
        marker = os.path.join(marker, os.fsdecode(common)) if common and b"\0" not in common else marker
    return (head_of(marker, "info/exclude", LARGEST) or b"") if marker else b""


def _rule(line: bytes) -> IgnoreRule | None:
    text = _trim_line(line.removesuffix(b"\r"))
    negated = text.startswith(b"!")
    pattern = text[negated:]
    if not pattern or text.startswith(b"#") or len(pattern) > LONGEST_RULE or b"\0" in pattern:
        return None
    folders = pattern.endswith(b"/")
    pattern = pattern[:-1] if folders else pattern
    whole = b"/" in pattern
    try:
        expression = translate_path_pattern(pattern.removeprefix(b"/")) if whole else translate_name_pattern(pattern)
    except PatternNeverMatches:
        return None
    name = b"" if whole else parse_literal(pattern) or b""
    ending = b"" if whole or not pattern.startswith(b"*.") else parse_literal(pattern[2:]) or b""
    return IgnoreRule(
        expression=expression,
        negated=negated,
        folders=folders,
        whole=whole,
        name=name,
        ending=b"" if b"." in ending else ending,
        path=parse_literal(pattern.removeprefix(b"/")) or b"" if whole else b"",
    )


def _trim_line(line: bytes) -> bytes:
    """The line without the spaces at its end, unless a backslash keeps them."""
    bare = line.rstrip(b" ")
    kept = (len(bare) - len(bare.rstrip(b"\\"))) % 2
    return line[: len(bare) + kept]
