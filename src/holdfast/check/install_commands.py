"""Command lines → the packages that they bring into a project."""

from collections.abc import Iterator

from holdfast.check.package_names import CARGO, GEM, GO, NPM, PYPI, NamedPackage, requirement_name
from holdfast.core.word_lists import word_set
from holdfast.guard.shell import ShellCommand, name_of, parse_pipelines

DEEPEST = 3
# Program → the verbs that add to a project, and whose packages they are.
_ADDS = {
    "pip": (word_set("install"), PYPI),
    "pip3": (word_set("install"), PYPI),
    "uv": (word_set("add"), PYPI),
    "poetry": (word_set("add"), PYPI),
    "pdm": (word_set("add"), PYPI),
    "rye": (word_set("add"), PYPI),
    "pipenv": (word_set("install"), PYPI),
    "npm": (word_set("install i add in ins isntall"), NPM),
    "pnpm": (word_set("add install i"), NPM),
    "yarn": (word_set("add"), NPM),
    "bun": (word_set("add install i"), NPM),
    "cargo": (word_set("add"), CARGO),
    "go": (word_set("get"), GO),
    "gem": (word_set("install"), GEM),
    "bundle": (word_set("add"), GEM),
}
# Words before the program that does it, and before its verb.
_BEFORE = word_set("sudo doas env command exec time nice nohup npx corepack mise")
_NOT_THE_VERB = word_set("pip global workspace --")
# Options whose value is the next word, which is then no package.
_TAKING = word_set(
    "-r -c -e -i -t -f -p -w -F -G -E -C --requirement --constraint --editable --index-url --extra-index-url --index "
    "--find-links --target --platform --python --python-version --prefix --root --src --group --extra --extras "
    "--features --path --git --branch --tag --rev --registry --package --manifest-path --rename --source --optional "
    "--dir --filter --workspace --project --directory --cache-dir --log --proxy --timeout --version -v --bounds"
)
_PLACES = (".", "/", "~", "git+", "http://", "https://", "file:", "git@", "ssh://", "$", "<", "github:")


def find_installs(script: str, line: int = 1) -> Iterator[NamedPackage]:
    """The packages that a script installs, with the line on which the script begins or, if it has several, theirs."""
    for number, text in _join_command_lines(script):
        for pipeline in parse_pipelines(text):
            for command in pipeline:
                for name, ecosystem in _installs_of(command, 0):
                    yield NamedPackage(name=name, ecosystem=ecosystem, line=line + number)


def _join_command_lines(script: str) -> Iterator[tuple[int, str]]:
    """Whole command lines with the line they begin on; one that goes on after a backslash is one."""
    start, held = 0, ""
    for number, text in enumerate(script.split("\n")):
        start = start if held else number
        held += text
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        yield start, held
        held = ""
    if held:
        yield start, held


def _installs_of(command: ShellCommand, depth: int) -> Iterator[tuple[str, str]]:
    words = [word for word in command.words if word]
    while words and (name_of(words[0]) in _BEFORE or words[0] in {"$", ">", "%", "#"}):
        words = words[1:]
    if not words:
        return
    program = name_of(words[0])
    if program in {"sh", "bash", "zsh"} and "-c" in words[1:3] and depth < DEEPEST:
        for pipeline in parse_pipelines(words[words.index("-c") + 1] if words[-1] != "-c" else ""):
            for inner in pipeline:
                yield from _installs_of(inner, depth + 1)
        return
    if program.startswith("python") and words[1:3] == ["-m", "pip"]:
        program, words = "pip", words[2:]
    if program == "uv" and words[1:2] == ["pip"]:
        program, words = "pip", words[1:]
    verbs, ecosystem = _ADDS.get(program, (frozenset(), ""))
    yield from ((name, ecosystem) for name in _packages_after_verb(words[1:], verbs))


def _packages_after_verb(words: list[str], verbs: frozenset[str]) -> Iterator[str]:
    """The packages after the verb; none where another verb comes first."""
    verb = next((at for at, word in enumerate(words) if word in verbs), None)
    if verb is None or any(not word.startswith("-") and word not in _NOT_THE_VERB for word in words[:verb]):
        return
    skip = False
    for word in words[verb + 1 :]:
        if skip or word.startswith("-"):
            skip = not skip and word in _TAKING
            continue
        name = requirement_name(word) if not word.startswith(_PLACES) else ""
        if name and not name.endswith((".txt", ".whl", ".gz", ".zip", ".toml")):
            yield name.partition("@")[0] or name if not name.startswith("@") else name
