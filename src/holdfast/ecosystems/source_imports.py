"""Source files → the modules that they import, each with its line."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from holdfast.core.value import replace
from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.unreadable_text import Unreadable

# By the endings of files what reads them: module and function.
_READERS = {
    "python_imports.read_python_imports": ".py .pyi",
    "js_imports.read_script_imports": ".js .jsx .mjs .cjs .ts .tsx .mts .cts",
    "js_imports.read_markup_imports": ".vue .svelte .astro",
    "statement_imports.read_go_imports": ".go",
    "statement_imports.read_rust_imports": ".rs",
    "statement_imports.read_ruby_imports": ".rb .rake",
    "statement_imports.read_jvm_imports": ".java .kt .kts .scala .groovy",
    "statement_imports.read_php_imports": ".php",
    "statement_imports.read_dotnet_imports": ".cs .fs",
    "statement_imports.read_dart_imports": ".dart",
    "statement_imports.read_swift_imports": ".swift",
    "statement_imports.read_elixir_imports": ".ex .exs",
}
_BY_ENDING = {ending: reader for reader, endings in _READERS.items() for ending in endings.split()}
# Of code that stands in a text: the ending of the files that it would be in.
ENDINGS = {
    "python": ".py", "py": ".py", "python3": ".py", "js": ".js", "javascript": ".js", "jsx": ".jsx", "ts": ".ts",
    "typescript": ".ts", "tsx": ".tsx", "mjs": ".mjs", "vue": ".vue", "svelte": ".svelte", "go": ".go",
    "golang": ".go", "rust": ".rs", "rs": ".rs", "ruby": ".rb", "rb": ".rb", "java": ".java", "kotlin": ".kt",
    "kt": ".kt", "scala": ".scala", "php": ".php", "csharp": ".cs", "cs": ".cs", "dart": ".dart",
    "swift": ".swift", "elixir": ".ex", "ex": ".ex",
}  # fmt: skip
Reader = Callable[[str, str], Iterable[ImportedModule]]


def reads_imports(path: str) -> bool:
    """Whether the imports of such a file can be read."""
    return _ending_of(path) in _BY_ENDING


def read_imports(path: str, text: str) -> tuple[ImportedModule, ...]:
    """The modules that a file imports. Raises Unreadable; nothing for files of other languages."""
    named = _BY_ENDING.get(_ending_of(path))
    if named is None:
        return ()
    # Loaded when it is needed: a check before a tool runs reads one language, or none.
    module, _, function = named.partition(".")
    read: Reader = getattr(import_module(f"holdfast.ecosystems.{module}"), function)
    return tuple(dict.fromkeys(read(path, text)))


def read_piece_imports(path: str, text: str) -> tuple[ImportedModule, ...]:
    """The modules that a piece of code imports: it need not be a whole file, but its lines may be."""
    try:
        return read_imports(path, text)
    except Unreadable:
        return tuple(each for at, line in enumerate(text.split("\n"), start=1) for each in _read_line(path, line, at))


def _read_line(path: str, text: str, at: int) -> Iterator[ImportedModule]:
    if not text.lstrip().startswith(("import ", "from ")):
        return
    try:
        yield from (replace(each, line=at) for each in read_imports(path, text.strip()))
    except Unreadable:
        return


def _ending_of(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name[name.rfind(".") :] if "." in name else ""
