"""What a tool call brings into a project: packages it installs, imports it writes, names it puts into a manifest."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.word_lists import word_set
from holdfast.records.tool_steps import ToolStep

INSTALLED, IMPORTED, WRITTEN = "installed", "imported", "written into a manifest"
LONGEST = 200_000
_INSTALLERS = word_set(
    "pip pip3 pipx uv poetry pipenv pdm rye conda mamba npm pnpm yarn bun deno cargo go gem bundle composer "
    "apt apt-get brew apk dnf yum nuget dotnet mix"
)
_INSTALLING = frozenset({"install", "add", "i", "get", "require"})
_NEW = ("content", "contents", "new_string", "new_str", "newString", "file_text", "new_source", "code_edit", "patch")
_OLD = ("old_string", "old_str", "oldString")
_MANIFEST = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|package\.json|Cargo\.toml|"
    r"go\.mod|Gemfile|composer\.json|environment\.ya?ml|(?:docker-)?compose[\w.-]*\.ya?ml|Dockerfile[\w.-]*|"
    r"build\.gradle(?:\.kts)?|pom\.xml|mix\.exs)$"
)
_IMPORTS = re.compile(
    r"""^[+ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b
      |import[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)[ \t]*(?:as\b|;|\#|$)
      |(?:import|export)\b[^'"\n]{0,300}['"]([^'"\n]+)['"]
      |.{0,200}?\brequire\([ \t]*['"]([^'"\n]+)['"]
      |use[ \t]+(\w+)::
      |(?:require|gem)[ \t]+['"]([^'"\n]+)['"])""",
    re.MULTILINE | re.VERBOSE,
)
_SPEC = re.compile(r"[\[=<>~!;^]|(?<=.)@")
_WORDS = re.compile(r"[A-Za-z][\w-]*")
_APART = re.compile(r"[-_.\s]+")
_COMMANDS = re.compile(r"&&|\|\||[;|\n]")


def find_added_packages(step: ToolStep, given: object) -> dict[str, str]:
    """The names a call brings in, without marks between their parts (`redispy` for `redis-py`), and how."""
    found: dict[str, str] = {}
    new, old = _join_texts(given, _NEW), _join_texts(given, _OLD)
    for path in step.files:
        if _MANIFEST.search(path):
            before = set(map(strip_name_marks, _WORDS.findall(old)))
            found |= {name: WRITTEN for name in map(strip_name_marks, _WORDS.findall(new)) if name not in before}
    found |= {name: IMPORTED for name in map(strip_name_marks, find_imported(new)) if name}
    found |= {name: INSTALLED for name in map(strip_name_marks, find_installed(step.command)) if name}
    return found


def find_installed(command: str) -> Iterator[str]:
    """The packages that a command line installs."""
    for part in _COMMANDS.split(command):
        words = part.split()
        program = next((at for at, word in enumerate(words) if word.rpartition("/")[2] in _INSTALLERS), None)
        verb = next((at for at, word in enumerate(words) if word in _INSTALLING), None)
        if program is None or verb is None or verb < program:
            continue
        for word in words[verb + 1 :]:
            if not word.startswith(("-", ".", "/", "git+", "http://", "https://")):
                yield _SPEC.split(word.strip("'\""))[0]


def find_imported(text: str) -> Iterator[str]:
    """The packages that some code imports."""
    for match in _IMPORTS.finditer(text[:LONGEST]):
        for group in filter(None, match.groups()):
            for name in group.split(","):
                yield _package(name.strip())


def strip_name_marks(name: str) -> str:
    """A name without the marks that ecosystems spell differently."""
    return _APART.sub("", name.lower().lstrip("@"))


def _package(name: str) -> str:
    if name.startswith((".", "/")):
        return ""
    if name.startswith("@"):
        return "/".join(name.split("/")[:2])
    return name.partition("/")[0].partition(".")[0]


def _join_texts(given: Any, keys: tuple[str, ...]) -> str:
    if isinstance(given, str):
        return given if "patch" in keys else ""
    if isinstance(given, list):
        return "\n".join(_join_texts(each, keys) for each in given)
    if not isinstance(given, Mapping):
        return ""
    texts = [given[key] for key in keys if isinstance(given.get(key), str)]
    inner = [_join_texts(given[key], keys) for key in ("edits", "changes") if isinstance(given.get(key), list)]
    return "\n".join([*texts, *filter(None, inner)])
