"""Places as people name them → globs: `src/db`, "tests", "library code", "the UI", "TypeScript"."""

import re

from holdfast.core.value import Value

LONGEST = 120
TESTS = (
    "tests/**", "test/**", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**", "**/test_*", "**/*_test.*",
    "**/*.test.*", "**/*.spec.*", "**/conftest.py",
)  # fmt: skip
_TYPES = {
    "python": ("py", "pyi"), "typescript": ("ts", "tsx", "mts", "cts"), "ts": ("ts", "tsx"), "javascript": ("js",
    "jsx", "mjs", "cjs"),
    "js": ("js", "jsx", "mjs"), "go": ("go",), "golang": ("go",), "rust": ("rs",), "java": ("java",), "kotlin": ("kt",
    "kts"),
    "ruby": ("rb",), "php": ("php",), "c#": ("cs",), "swift": ("swift",), "shell": ("sh", "bash"), "script": ("sh",
    "bash"), "component": ("tsx", "jsx", "vue", "svelte", "ts"), "bash": ("sh",
    "bash"),
    "css": ("css", "scss", "less"), "html": ("html",), "sql": ("sql",), "yaml": ("yml", "yaml"), "markdown": ("md",),
    "svelte": ("svelte",), "vue": ("vue",), "react": ("tsx", "jsx"), "notebook": ("ipynb",), "json": ("json",),
    "toml": ("toml",),
    "dart": ("dart",), "elixir": ("ex", "exs"), "scala": ("scala",),
}  # fmt: skip
_NAMED = {
    "dockerfile": ("**/Dockerfile", "**/Dockerfile.*", "**/*.dockerfile"), "workflow": (".github/workflows/**",),
    "github workflow": (".github/workflows/**",), "ci workflow": (".github/workflows/**",),
    "ci": (".github/workflows/**", ".gitlab-ci.yml", ".circleci/**"),
    "makefile": ("**/Makefile", "**/*.mk"), "lock file": ("**/*.lock", "**/package-lock.json", "**/pnpm-lock.yaml",
    "**/go.sum"),
    "lockfile": ("**/*.lock", "**/package-lock.json", "**/pnpm-lock.yaml", "**/go.sum"), "binary": ("**/*.exe",
    "**/*.dll", "**/*.so", "**/*.bin", "**/*.dylib", "**/*.o"),
    "binaries": ("**/*.exe", "**/*.dll", "**/*.so", "**/*.bin", "**/*.dylib", "**/*.o"),
    "env file": ("**/.env", "**/.env.*"), "dotenv file": ("**/.env", "**/.env.*"), "secret": ("**/.env", "**/.env.*",
    "**/*.pem", "**/id_rsa"),
    "doc": ("docs/**", "doc/**"), "documentation": ("docs/**", "doc/**"),
    "migration": ("**/migrations/**", "migrations/**", "**/migrate/**", "**/alembic/versions/**"),
    "database migration": ("**/migrations/**", "migrations/**", "**/migrate/**", "**/alembic/versions/**"),
    "generated file": ("**/generated/**", "**/gen/**", "**/*.generated.*", "**/*_pb2.py", "**/*.pb.go",
    "**/__generated__/**"),
    "generated code": ("**/generated/**", "**/gen/**", "**/*.generated.*", "**/*_pb2.py", "**/*.pb.go",
    "**/__generated__/**"),
    "vendored code": ("vendor/**", "third_party/**", "**/vendor/**"), "vendor": ("vendor/**", "third_party/**",
    "**/vendor/**"),
}  # fmt: skip
_TEST = re.compile(
    r"^(?:unit |integration |e2e |end-to-end |browser |api )?(?:tests?|test (?:code|files?|suites?|cases?|modules?|"
    r"functions?)|specs?|the test suite)$"
)
_NOT_TESTS = re.compile(
    r"^(?:production|prod|library|application|app|source|shipped|runtime|non-test|product|package|business|real|"
    r"committed|our)(?: code(?:base)?| source| files?| sources)?$"
)
_EVERYWHERE = re.compile(
    r"^(?:code|workspace|monorepo|new code|there|prod|this|codebase|code base|repository|repo|project|workspace|"
    r"monorepo|here|there|anywhere|new code|prod|source|sources|this (?:repo(?:sitory)?|project|workspace|codebase|"
    r"service|app|package|code)|"
    r"this project|it|them|place|any file|files?|all code|main)$"
)
_SORT = re.compile(
    r"\s+(?:code|layer|modules?|packages?|folders?|director(?:y|ies)|files?|class(?:es)?|components?|functions?|"
    r"sources?|scripts?|side|tree|methods?)$"
)
_PATH = re.compile(
    r"^[\w.@*{}\[\],~-]*(?:/[\w.@*{}\[\],~-]*)+$|^\*?[\w.-]*\.[A-Za-z]\w{0,9}$|^[\w-]*\*[\w.*-]*$|^\.\w[\w.-]*$"
)
_APART = re.compile(
    r"^(?:code |anything |files? |modules? )?(?:outside(?: of)?|except(?: in| for)?|other than|apart from|"
    r"but)\s+(?P<place>.+)$",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(r"^[a-z][\w-]{1,40}$")


class Globs(Value):
    """Some globs. `without`: they are where it does not hold."""

    globs: tuple[str, ...]
    without: bool = False


def is_path(text: str) -> bool:
    """Whether a text is written as a path or a file's name."""
    return bool(_PATH.match(text.strip("`")))


def outside_of(subject: str) -> str:
    """The place in `code outside src/db`; empty where none is named so."""
    found = _APART.match(subject.strip())
    return found["place"] if found else ""


def globs_of(place: str, *, files_only: bool = False) -> Globs | None:
    """The globs of a place; no globs for everywhere; None where nobody can say what is meant."""
    said = re.sub(
        r"^(?:(?:the|a|an|any|all|our|every|each|your|new|shipped|whole|entire|rest of the)\s+)+",
        "",
        place.strip(" .,:\"'").strip(),
        flags=re.IGNORECASE,
    )
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", said)
    if len(parts) > 1:
        each = [globs_of(part, files_only=files_only) for part in parts]
        known = [one for one in each if one is not None]
        same = len(known) == len(each) and len({one.without for one in known}) == 1
        return (
            Globs(globs=tuple(glob for one in known for glob in one.globs), without=known[0].without) if same else None
        )
    marked = re.fullmatch(r"`([^`]+)`(?:\s+(?:folder|directory|module|package|files?|layer|code|tree))?", said)
    if marked and not is_path(marked[1]):
        return _folder(marked[1]) if re.fullmatch(r"[\w-]+", marked[1]) else None
    path = next((word.strip("`(),") for word in said.split() if is_path(word.strip("`(),"))), "")
    if path and len(said) <= LONGEST:
        return Globs(globs=_of_kind(said.lower().partition(path.lower())[0], _of_path(path)))
    return _of_words(said.lower(), files_only=files_only)


def _of_path(path: str) -> tuple[str, ...]:
    bare = path.removeprefix("./").rstrip("/")
    if re.fullmatch(r"\.env", bare):
        return "**/.env", "**/.env.*"
    if re.fullmatch(r"\.\w+", bare) and "/" not in path and bare not in {".github", ".gitignore"}:
        return f"**/*{bare}", f"**/{bare}"
    if bare.startswith("*.") or ("/" not in path and "." in bare):
        return (f"**/{bare}",)
    return (bare,) if "*" in bare or re.search(r"\.\w{1,6}$", bare) else (f"{bare}/**",)


def _of_kind(before: str, globs: tuple[str, ...]) -> tuple[str, ...]:
    """The globs of a folder, limited to the kind of files that is named before it: "every shell script in tools/"."""
    kinds = [_TYPES[form] for word in before.split() for form in (word, word.removesuffix("s")) if form in _TYPES]
    if not kinds or not all(glob.endswith("/**") for glob in globs):
        return globs
    return tuple(f"{glob}/*.{ending}" for glob in globs for ending in kinds[0])


def _of_words(said: str, *, files_only: bool) -> Globs | None:
    if _EVERYWHERE.match(said):
        return None if files_only else Globs(globs=())
    if _TEST.match(said):
        return Globs(globs=TESTS)
    if _NOT_TESTS.match(said) and not files_only:
        return Globs(globs=TESTS, without=True)
    plain = re.sub(r"s$", "", re.sub(r"\s+files?$", "", said))
    for form in (said, said.removesuffix("s"), plain):
        if form in _NAMED:
            return Globs(globs=_NAMED[form])
    kind = _SORT.sub("", said)
    if kind in _TYPES or kind.removesuffix("s") in _TYPES:
        return Globs(
            globs=tuple(f"**/*.{ending}" for ending in _TYPES.get(kind, _TYPES.get(kind.removesuffix("s"), ())))
        )
    return None if files_only else _folder(kind)


def _folder(word: str) -> Globs | None:
    """The folders and files that go by a word: `domain`, `handlers`."""
    if not _ONE_WORD.match(word.lower()):
        return None
    low = word.lower()
    forms = dict.fromkeys((low, low.removesuffix("s"), low if low.endswith("s") else f"{low}s"))
    return Globs(globs=tuple(glob for form in forms for glob in (f"{form}/**", f"**/{form}/**", f"**/{form}.*")))
