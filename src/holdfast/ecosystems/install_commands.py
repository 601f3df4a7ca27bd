"""Command lines → the packages that they bring into a project or onto a machine."""

import re
from collections.abc import Iterator, Mapping, Sequence

from holdfast.ecosystems.installer_table import INSTALLERS, RUNNERS, Installer
from holdfast.ecosystems.package_names import (
    COMPOSER,
    CONDA,
    GEM,
    JSR,
    NPM,
    PUB,
    PYPI,
    SWIFT,
    NamedPackage,
    read_address,
    read_conda_spec,
    read_requirement,
)  # fmt: skip
from holdfast.guard.shell import SHELLS, ShellCommand, name_of, parse_pipelines

DEEPEST = 3
# Words before the program that does it.
_BEFORE = frozenset(
    ["sudo", "doas", "env", "command", "exec", "time", "nice", "nohup", "npx", "bunx", "pnpx", "corepack", "mise"]
)
_PROMPTS = frozenset({"$", ">", "%", "#"})
_PLACES = (".", "/", "~", "git+", "http://", "https://", "file:", "git@", "ssh://", "$", "<", "github:", "git:")
_FILES = (".txt", ".whl", ".gz", ".zip", ".toml", ".csproj", ".fsproj", ".sln", ".yml", ".yaml", ".tgz", ".nupkg")
_PREFIXED = re.compile(r"(npm|jsr|dev|override):/?(.*)")
Words = Sequence[str]


def read_installs(script: str, line: int = 1, *, everything: bool = False) -> Iterator[NamedPackage]:
    """The packages that a script brings into a project, each with its line; `line`: that on which the script begins.

    `everything`: also what it installs for the user or the machine.
    """
    for number, text in _walk_lines(script):
        for pipeline in parse_pipelines(text):
            for command in pipeline:
                for name, ecosystem in _read_command(command, 0, everything):
                    yield NamedPackage(name=name, ecosystem=ecosystem, line=line + number)


def names_installer(words: str) -> bool:
    """Whether a line begins with a program that installs packages, and says more."""
    parts = words.split(maxsplit=2)
    parts = parts[1:] if parts[:1] == ["sudo"] else parts
    return len(parts) > 1 and parts[0] in INSTALLERS


def _walk_lines(script: str) -> Iterator[tuple[int, str]]:
    """Whole command lines with the line they begin on; one that goes on after a backslash is one."""
    start = 0
    parts: list[str] = []
    for number, text in enumerate(script.split("\n")):
        start = start if parts else number
        if text.endswith("\\"):
            parts.append(text[:-1])
            continue
        yield start, " ".join([*parts, text])
        parts = []
    if parts:
        yield start, " ".join(parts)


def _read_command(command: ShellCommand, depth: int, everything: bool) -> Iterator[tuple[str, str]]:
    words = _drop_starters([word for word in command.words if word])
    if not words:
        return
    program = name_of(words[0])
    if program in SHELLS:
        for inner in _list_inner(words) if depth < DEEPEST else ():
            yield from _read_command(inner, depth + 1, everything)
        return
    for installer in INSTALLERS.get(program, ()):
        if everything or installer.for_project:
            rest = _after_verb(words[1:], installer)
            if rest is not None:
                yield from _list_named(rest, installer)
                return


def _list_inner(words: Words) -> Iterator[ShellCommand]:
    """The commands of `bash -c "…"`."""
    at = next((at for at, word in enumerate(words[1:3], start=1) if word in {"-c", "-lc", "-ec"}), None)
    script = words[at + 1] if at is not None and at + 1 < len(words) else ""
    for pipeline in parse_pipelines(script):
        yield from pipeline


def _drop_starters(words: list[str]) -> list[str]:
    """The words of the program that does the work: without `sudo -H`, `env X=1`, `poetry run`, `python -m`."""
    while words:
        first = name_of(words[0])
        if first in _BEFORE or words[0] in _PROMPTS:
            words = words[1:]
            while words and (words[0].startswith("-") or (first == "env" and "=" in words[0])):
                words = words[2 if words[0] in {"-u", "-n"} else 1 :]
        elif first in RUNNERS and words[1:2] == ["run"]:
            words = words[2:]
        elif first == "py" or first.startswith("python"):
            at = words.index("-m") if "-m" in words[1:4] else None
            return words[at + 1 :] if at is not None else words
        elif first == "php" and len(words) > 1 and name_of(words[1]).startswith("composer"):
            return ["composer", *words[2:]]
        elif first == "uv" and words[1:2] == ["pip"]:
            return words[1:]
        else:
            return words
    return words


def _after_verb(words: Words, installer: Installer) -> Words | None:
    """What stands after the verb; None where it is another. Options before it and their values are passed over."""
    rest = list(words)
    for expected in installer.before:
        rest = _skip_options(rest, installer)
        if expected != "*" and rest[:1] != [expected]:
            return None
        rest = rest[1:]
    rest = _skip_options(rest, installer)
    if not installer.verbs:
        return rest
    return rest[1:] if rest and rest[0] in installer.verbs else None


def _skip_options(words: list[str], installer: Installer) -> list[str]:
    while words and words[0].startswith("-") and words[0] not in installer.verbs:
        words = words[2 if words[0] in installer.taking else 1 :]
    return words


def _list_named(words: Words, installer: Installer) -> Iterator[tuple[str, str]]:
    skip = False
    ecosystem = PYPI if installer.ecosystem == CONDA and "--pypi" in words else installer.ecosystem
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in installer.taking
            continue
        yield from _read_word(word, ecosystem)


def _read_word(word: str, ecosystem: str) -> Iterator[tuple[str, str]]:
    """The package that a word after the verb means."""
    if ecosystem == SWIFT:
        yield from [(read_address(word), ecosystem)] if not word.startswith((".", "/")) else ()
        return
    alias, _, meant = word.partition("@npm:") if ecosystem == NPM else (word, "", "")
    for each in filter(None, (alias, meant)):
        yield from _read_package(each, ecosystem)


def _read_package(word: str, ecosystem: str) -> Iterator[tuple[str, str]]:
    prefixed = _PREFIXED.fullmatch(word) if ecosystem in _PREFIXES else None
    if prefixed:
        word, ecosystem = prefixed[2], _PREFIXES[ecosystem].get(prefixed[1], ecosystem)
    if ecosystem in {COMPOSER, PUB, GEM}:
        word = word.partition(":")[0]
    read = read_conda_spec if ecosystem == CONDA else read_requirement
    name = read(word) if not word.startswith(_PLACES) else ""
    # Composer takes a version as a word of its own.
    is_version = ecosystem == COMPOSER and "/" not in name and not name.startswith("ext-")
    if name and not name.endswith(_FILES) and not is_version:
        yield name if name.startswith("@") else name.partition("@")[0], ecosystem


# What may stand before a name and a colon, and whose package it then is.
_PREFIXES: Mapping[str, Mapping[str, str]] = {NPM: {"npm": NPM, "jsr": JSR}, JSR: {"npm": NPM, "jsr": JSR}, PUB: {}}
