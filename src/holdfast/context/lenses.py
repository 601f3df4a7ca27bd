"""Lenses: ways to work, as files. Read from TOML or Markdown, and chosen by name or by the words of a goal."""

import os
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.core.errors import BadRequest, Damaged
from holdfast.core.plain_text import one_line
from holdfast.core.run import Lens
from holdfast.core.value import Value, replace
from holdfast.trust.lens_names import ENDINGS, FOLDER, LARGEST, NAME, NONE, parse_lens_name
from holdfast.vault.frontmatter import BadFrontmatter, Node, Scalar, read_block
from holdfast.vault.frontmatter import Sequence as NodeSequence

__all__ = ["ENDINGS", "FOLDER", "LARGEST", "parse_lens_name"]
MOST = 60
LONGEST = 400
LONGEST_BODY = 4_000
_BUILT_IN = os.path.join(os.path.dirname(__file__), "built_in")
_LISTS = ("heuristics", "style", "skills", "when")
_KEYS = frozenset({"about", *_LISTS})
_WORD = re.compile(r"\w+", re.UNICODE)
_BLANKS = re.compile(r"\n{3,}")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_ITEM = re.compile(r"^\s*[-*+]\s+(.*)$")


class BrokenLens(Damaged):
    """A lens file that cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Lens {path!r} cannot be read: {reason}.", "docs/formats/lens.md says what it holds.")


class BadLensName(BadRequest):
    """A name that no lens may have."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A lens cannot be called {name[:60]!r}.", "take small letters, digits and `-`, at most 40, and not `none`."
        )


class LensChoice(Value):
    """A lens for a goal, and the words of the goal that call for it."""

    lens: Lens
    why: str
    words: tuple[str, ...] = ()


def check_name(name: str) -> str:
    """The name, if a lens may have it."""
    if not NAME.fullmatch(name) or name == NONE:
        raise BadLensName(name)
    return name


def load_built_in() -> list[Lens]:
    """The lenses that Holdfast brings."""
    return [_read_built_in(name) for name in sorted(os.listdir(_BUILT_IN)) if parse_lens_name(name)]


def _read_built_in(name: str) -> Lens:
    with open(os.path.join(_BUILT_IN, name), encoding="utf-8") as file:
        return replace(read_lens(name, file.read()), path="")


def read_lens(path: str, text: str) -> Lens:
    """The lens in a file's text. Raises BrokenLens."""
    bare = text.removeprefix("\ufeff").replace("\r\n", "\n")
    said = _toml(path, bare) if path.endswith(".toml") else _markdown(path, bare)
    unknown = sorted(said.keys() - _KEYS - {"body"})
    if unknown:
        raise BrokenLens(path, f"there is no key {unknown[0][:40]!r}; there are {', '.join(sorted(_KEYS))}")
    lists = {name: _texts(path, name, said.get(name)) for name in _LISTS}
    about = said.get("about", "")
    if not isinstance(about, str):
        raise BrokenLens(path, "`about` is a text")
    lens = Lens(
        name=parse_lens_name(path),
        about=one_line(about)[:LONGEST],
        body=str(said.get("body", "")).strip()[:LONGEST_BODY],
        path=path,
        **lists,
    )
    if not (lens.heuristics or lens.style or lens.skills or lens.body):
        raise BrokenLens(path, "it says nothing: no heuristics, style, skills or text")
    return lens


def choose_by_goal(goal: str, lenses: Sequence[Lens]) -> LensChoice | None:
    """The lens whose words the goal holds most; of equals the first. None where no word of any fits."""
    words = [word.casefold() for word in _WORD.findall(goal)]
    found = [(lens, _find_fitting_words(lens, words)) for lens in lenses]
    best = max(found, key=lambda pair: len(pair[1]), default=None)
    if best is None or not best[1]:
        return None
    lens, fitting = best
    told = ", ".join(f"“{word}”" for word in fitting)
    return LensChoice(lens=lens, why=f"the goal says {told}", words=fitting)


def _find_fitting_words(lens: Lens, words: Sequence[str]) -> tuple[str, ...]:
    """The words of a goal that call for a lens: each place once, in their order."""
    text = f" {' '.join(words)} "
    found: dict[str, None] = {}
    for pattern in filter(_WORD.search, lens.when):
        for match in re.finditer(rf"(?<= ){_expression(pattern)}(?= )", text):
            found[match[0]] = None
    return tuple(sorted(found, key=text.index))


def _expression(pattern: str) -> str:
    """A pattern with stars as a regular expression. No pattern can make it slow: all but the last star look once."""
    first, *rest = [re.escape(chunk) for chunk in " ".join(pattern.casefold().split()).split("*")]
    middle = "".join(rf"(?>\w*?{chunk})" for chunk in rest[:-1] if chunk)
    return first + middle + (rf"\w*{rest[-1]}" if rest else "")


def merge_lenses(*shelves: Iterable[Lens]) -> list[Lens]:
    """Lenses of several places by name; of one name, that of the first place counts."""
    found: dict[str, Lens] = {}
    for shelf in shelves:
        for lens in shelf:
            found.setdefault(lens.name, lens)
    return [found[name] for name in sorted(found)]


def render_template(about: str, ending: str) -> str:
    """The text of a new lens."""
    told = one_line(about) or "What this way of working is for."
    if ending == ".toml":
        return (
            f"about = {_quote_text(told)}\nwhen = []\nskills = []\nheuristics = [\n"
            '    "What to do first, and what never.",\n]\nstyle = [\n    "How it reads when it is done.",\n]\n'
        )
    return (
        f"---\nabout: {_quote_text(told)}\nwhen: []\nskills: []\n---\n\n## Heuristics\n\n"
        "- What to do first, and what never.\n\n## Style\n\n- How it reads when it is done.\n"
    )


def describe_lens(lens: Lens) -> list[str]:
    """A lens in the lines that an agent reads."""
    lines = [lens.about] if lens.about else []
    lines += [f"- {line}" for line in lens.heuristics]
    lines += ["Style:", *(f"- {line}" for line in lens.style)] if lens.style else []
    lines += [f"Skills: {', '.join(lens.skills)}"] if lens.skills else []
    return [*lines, *lens.body.split("\n")] if lens.body else lines


def _toml(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BrokenLens(path, str(error) or "it is nested too deep") from None


def _markdown(path: str, text: str) -> dict[str, Any]:
    head, body = "", text
    if text.startswith("---\n"):
        head, parted, body = text[4:].partition("\n---\n")
        if not parted:
            raise BrokenLens(path, "its frontmatter is never closed")
    try:
        said = {key: _value(node) for key, (_, node) in read_block(head).pairs.items()} if head.strip() else {}
    except BadFrontmatter as error:
        raise BrokenLens(path, f"line {error.line + 2}: {error.reason}") from None
    return {**_sections(body), **said}


def _value(node: Node) -> Any:
    if isinstance(node, Scalar):
        return node.text
    return [_value(each) for each in node.items] if isinstance(node, NodeSequence) else {}


def _sections(body: str) -> dict[str, Any]:
    """The lists below the headings that we know; all other lines are the body."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    under = ""
    for line in body.split("\n"):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading:
            under = heading[1].casefold() if heading[1].casefold() in _LISTS else ""
        if under and item:
            found.setdefault(under, []).append(item[1].strip())
        elif under and line.startswith((" ", "\t")) and line.strip() and found.get(under):
            found[under][-1] += f" {line.strip()}"
        elif not (heading and under):
            rest.append(line)
    return {**found, "body": _BLANKS.sub("\n\n", "\n".join(rest)).strip()}


def _texts(path: str, name: str, value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) and value.strip() else value or []
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise BrokenLens(path, f"`{name}` is a list of texts")
    return tuple(one_line(each)[:LONGEST] for each in listed if each.strip())[:MOST]


def _quote_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
