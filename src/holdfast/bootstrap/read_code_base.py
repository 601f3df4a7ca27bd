"""A code base on disk, read for its profile: files by git or by walking, bounded, nothing run, no link followed."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping

from holdfast.bootstrap.profile.choose_files import (
    LARGEST,
    MOST_BYTES,
    SKIPPED,
    choose_files,
    is_ignored,
    is_written_by_program,
    parse_gitignore,
)
from holdfast.bootstrap.profile.commit_style import count_commits
from holdfast.bootstrap.profile.formatter_settings import FILES, ToolSettings, read_settings
from holdfast.bootstrap.profile.profile_values import Trait, TraitTallies
from holdfast.bootstrap.profile.python_files import PythonReader
from holdfast.bootstrap.profile.script_files import ScriptReader
from holdfast.core.value import Value
from holdfast.system.git import ask_git

MOST_SECONDS = 60.0
MOST_COMMITS = 500
MOST_WALKED = 500_000
PREFIXES = {"typescript": "ts", "javascript": "js"}
ALL_PREFIXES = {"python": "python", **PREFIXES}
Progress = Callable[[str, int, int], None]


class CodeBaseProfile(Value):
    """What was read, and what it shows. `samples`: by the traits' prefix, what to say where not all was read."""

    files: Mapping[str, int]
    skipped: int
    samples: Mapping[str, str]
    traits: tuple[Trait, ...]
    tools: tuple[ToolSettings, ...]


def read_profile(folder: str, root: str, progress: Progress | None = None) -> CodeBaseProfile:
    """The profile of everything below a folder. What settings above it settle, up to the root, is settled here too."""
    chosen = choose_files(_paths(folder))
    book = TraitTallies()
    tools = read_settings(dict(_settings(folder)))
    counts: dict[str, int] = {}
    skipped = chosen.skipped
    samples: dict[str, str] = {}
    scripts = _main_script(chosen.files)
    for language, paths in chosen.files.items():
        if language in PREFIXES and language != scripts:
            continue
        reading = _Reading(folder, book, language, paths, progress)
        counts[language], left_out, late = reading.run()
        skipped += left_out
        if late or language in chosen.sampled:
            total = chosen.sampled.get(language, len(paths))
            samples[ALL_PREFIXES[language]] = f"A sample: {counts[language]:,} of {total:,} files were read."
    log = ask_git(folder, "log", f"-{MOST_COMMITS}", "--no-merges", "--format=%s")
    count_commits((log or "").splitlines(), book)
    above = [each for parent in _parents(folder, root) for each in read_settings(dict(_settings(parent)))]
    keys = [key for tool in [*tools, *above] for key in tool.keys]
    prefixes = {ALL_PREFIXES[language] for language in counts}
    used = [tool for tool in tools if prefixes & {key.partition(".")[0] for key in tool.keys}]
    traits = tuple(book.traits(keys))
    return CodeBaseProfile(files=counts, skipped=skipped, samples=samples, traits=traits, tools=tuple(used))


class _Reading:
    """The files of one language, within bytes and time."""

    def __init__(
        self, folder: str, book: TraitTallies, language: str, paths: tuple[str, ...], progress: Progress | None
    ) -> None:
        self._folder, self._paths, self._progress = folder, paths, progress
        self._what = f"reading {language}"
        packages = frozenset(_packages(paths)) if language == "python" else frozenset()
        self._python = PythonReader(book, packages) if language == "python" else None
        self._script = ScriptReader(book, PREFIXES.get(language, ""))

    def run(self) -> tuple[int, int, bool]:
        """How many files were read, how many were left out, and whether it was cut short."""
        begun, size, read, left_out = time.monotonic(), 0, 0, 0
        for at, path in enumerate(self._paths, 1):
            if size > MOST_BYTES or time.monotonic() - begun > MOST_SECONDS:
                self._finish()
                return read, left_out, True
            text = read_text(os.path.join(self._folder, path))
            size += len(text or "")
            good = text is not None and not is_written_by_program(text) and self._one(path, text)
            read, left_out = read + good, left_out + (not good)
            if self._progress:
                self._progress(self._what, at, len(self._paths))
        self._finish()
        return read, left_out, False

    def _one(self, path: str, text: str) -> bool:
        return self._python.read(path, text) if self._python else self._script.read(path, text)

    def _finish(self) -> None:
        if self._python:
            self._python.finish()


def read_text(path: str) -> str | None:
    """A file's text; None when it is a link, no file, too large, or no text."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(fd, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return None
        try:
            data = file.read(LARGEST + 1)
        except OSError:
            return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _main_script(files: Mapping[str, tuple[str, ...]]) -> str:
    """TypeScript or JavaScript, whichever there is more of: the other is settings and leftovers."""
    return max(PREFIXES, key=lambda name: (len(files.get(name, ())), name))


def _packages(paths: tuple[str, ...]) -> Iterator[str]:
    """The names by which the project's own modules are imported."""
    for path in paths:
        parts = path.split("/")
        top = parts[1:] if parts[0] in {"src", "lib"} and len(parts) > 1 else parts
        yield top[0].removesuffix(".py")


def _paths(folder: str) -> list[str]:
    if (ask_git(folder, "rev-parse", "--is-inside-work-tree") or "").strip() != "true":
        return list(_walk_files(folder))
    listed = ask_git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path for path in dict.fromkeys((listed or "").split("\0")) if path]


def _walk_files(folder: str) -> Iterator[str]:
    """Files without git: all but links and what `.gitignore` files leave out."""
    rules: list[tuple[str, str]] = []
    seen = 0
    for parent, folders, names in os.walk(folder):
        base = os.path.relpath(parent, folder).replace(os.sep, "/")
        base = "" if base == "." else base
        if ".gitignore" in names:
            text = read_text(os.path.join(parent, ".gitignore")) or ""
            rules += [(base, rule) for rule in parse_gitignore(text)]
        within = [f"{base}/{name}" if base else name for name in sorted(folders)]
        folders[:] = [
            path.rpartition("/")[2]
            for path in within
            if path.rpartition("/")[2] not in SKIPPED and not is_ignored(path, rules, folder=True)
        ]
        for name in sorted(names):
            path = f"{base}/{name}" if base else name
            seen += 1
            if seen > MOST_WALKED:
                return
            if not is_ignored(path, rules):
                yield path


def _parents(folder: str, root: str) -> Iterator[str]:
    while folder != root and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder


def _settings(folder: str) -> Iterator[tuple[str, str]]:
    for name in FILES:
        text = read_text(os.path.join(folder, name))
        if text is not None:
            yield name, text
