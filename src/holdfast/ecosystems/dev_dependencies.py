"""Which dependencies of a manifest are for development alone: by the heading that they stand below."""

import re

_DEV = re.compile(
    r"(?:^|[^a-z])(?:dev|devs|development|test|tests|testing|lint|docs?|typing|ci|debug|dependency-groups|build-system|"
    r"build-dependencies|hatch\.envs|tool\.pdm\.dev-dependencies|dev-?dependencies)(?:[^a-z]|$)|devDependencies",
    re.IGNORECASE,
)
_SECTION = re.compile(r"^\s*\[+\s*(?P<name>[^\[\]]+?)\s*\]+\s*$")
_KEY = re.compile(r"""^(?P<indent>\s*)["']?(?P<name>[\w.-]+)["']?\s*[:=]\s*(?:[\[{]\s*)?(?:#.*)?$""")
_OPENED = re.compile(r"""^(?P<indent>\s*)["']?(?P<name>[\w.-]+)["']?\s*=\s*\[""")
_GROUP = re.compile(r"^\s*group\b(?P<name>[^\n]*)\bdo\b")


def is_for_development(path: str, text: str, line: int) -> bool:
    """Whether what a manifest names on a line is for development alone."""
    name = path.rpartition("/")[2].lower()
    if "." in name and _DEV.search(name.rpartition(".")[0]):
        return True
    return any(map(_DEV.search, _headings(text.split("\n")[:line])))


def _headings(lines: list[str]) -> list[str]:
    """What the last line stands below: the nearest key that opens a list or table, and the section."""
    found: list[str] = []
    indent = len(lines[-1]) - len(lines[-1].lstrip()) if lines else 0
    opened = _OPENED.match(lines[-1]) if lines else None
    if opened:
        found.append(opened["name"])
    for line in reversed(lines[:-1]):
        if section := _SECTION.match(line):
            return [*found, section["name"]]
        if group := _GROUP.match(line):
            return [*found, group["name"]]
        key = _KEY.match(line) or _OPENED.match(line)
        if key and (len(key["indent"]) < indent or (not found and line.rstrip().endswith("["))):
            found.append(key["name"])
            indent = len(key["indent"])
    return found
