"""The files that tell most of a project, with the beginning of each: bounded, without secrets, without escape codes."""

import re
from collections.abc import Iterable, Iterator, Sequence

from holdfast.core.plain_text import make_inert
from holdfast.core.value import Value
from holdfast.project.entry_points import EntryPoint
from holdfast.project.file_tree import FolderListing
from holdfast.project.project_kind import ProjectInfo
from holdfast.project.read_beginning import text_of
from holdfast.redact.clean import clean

READ = 16 * 1024
LONGEST_LINE = 160
# Fewer characters than this tell nothing of a file.
LEAST = 120
_README = re.compile(r"readme(\.(md|rst|txt|adoc|markdown))?", re.IGNORECASE)
_TOLD = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
_SETTINGS = (
    "tsconfig.json", "vite.config.ts", "vite.config.js", "next.config.js", "next.config.ts", "next.config.mjs",
    "svelte.config.js", "angular.json", "Makefile", "justfile", "Dockerfile", "docker-compose.yml", "compose.yaml",
    "tox.ini", "ruff.toml", "config/application.rb", "config/routes.rb",
)  # fmt: skip
# Files that hold secrets by their nature: their beginning is nobody's business, redacted or not.
_SECRET = re.compile(
    r"(?i)(\.env(\..*)?|\.?netrc|\.npmrc|\.yarnrc(\.yml)?|\.pypirc|\.pgpass|\.git-credentials|id_[a-z0-9]+|.*\.(pem|key|p12|pfx|jks|keystore|kdbx)"
    r"|credentials(\..*)?|secrets?(\..*)?|.*\.tfstate(\..*)?)"
)
_HARMLESS = re.compile(r"(?i)\.env\.(example|sample|template|dist)")


class PreviewLimits(Value):
    """How much is shown."""

    files: int = 12
    lines: int = 40
    characters: int = 1_200
    all_characters: int = 10_000


ROOM = PreviewLimits()
Preview = tuple[str, str]


def find_key_files(
    root: str, found: FolderListing, project: ProjectInfo, entries: Sequence[EntryPoint], room: PreviewLimits = ROOM
) -> list[Preview]:
    """The files that tell most, with previews: what explains first, then manifests, where it starts, and settings."""
    return read_previews(root, _choose_paths(found, project, entries), room)


def read_previews(root: str, paths: Iterable[str], room: PreviewLimits = ROOM) -> list[Preview]:
    """The beginnings of some files below a root, as far as there is room. What cannot be shown is left out."""
    shown: list[Preview] = []
    left = room.all_characters
    for path in dict.fromkeys(paths):
        if len(shown) >= room.files or left < LEAST:
            break
        text = read_preview(root, path, room)
        if text:
            shown.append((path, _cut(text, room.lines, min(room.characters, left))))
            left -= len(shown[-1][1])
    return shown


def read_preview(root: str, path: str, room: PreviewLimits = ROOM) -> str:
    """The beginning of a file, without secrets; empty where there is no text to show."""
    if is_secret(path) or not path.isprintable():
        return ""
    text = text_of(root, path, READ)
    if not text or not text.strip():
        return ""
    # Before anything is cut: half a secret is not known as one.
    plain = make_inert(str(clean(text).value)).expandtabs(4)
    lines = (line.rstrip()[:LONGEST_LINE] for line in plain.strip("\n").splitlines())
    return _cut("\n".join(lines), room.lines, room.characters)


def is_secret(path: str) -> bool:
    """Whether a file holds secrets by its nature."""
    name = path.rpartition("/")[2]
    return bool(_SECRET.fullmatch(name)) and not _HARMLESS.fullmatch(name)


def _choose_paths(found: FolderListing, project: ProjectInfo, entries: Sequence[EntryPoint]) -> Iterator[str]:
    at_root = found.in_folder("").files
    yield from (name for name in at_root if _README.fullmatch(name))
    yield from (name for name in _TOLD if name in at_root)
    yield from (manifest.path for manifest in project.manifests if not manifest.folder)
    yield from [manifest.path for manifest in project.manifests if manifest.folder][:4]
    yield from [entry.path for entry in entries if entry.path][:4]
    yield from (path for path in _SETTINGS if found.has(path))
    workflows = ".github/workflows"
    yield from [f"{workflows}/{name}" for name in found.in_folder(workflows).files if name.endswith((".yml", ".yaml"))][
        :2
    ]


def _cut(text: str, lines: int, characters: int) -> str:
    """Whole lines, as many as fit, with a mark where there was more."""
    kept: list[str] = []
    room = characters
    for line in text.split("\n"):
        room -= len(line) + 1
        if room < 0 or len(kept) == lines:
            return "\n".join([*kept, "…"]) if kept else text[:characters]
        kept.append(line)
    return text
