"""What languages import whose imports are statements of their own: Go, Rust, Ruby, PHP, those of the JVM and more."""

import re
from collections.abc import Iterator

from holdfast.ecosystems.bare_code import LineCounter, blank_both, blank_hashes, blank_slashes
from holdfast.ecosystems.imported_modules import ImportedModule, resolve_path

LONGEST = 4000
MOST_NAMES = 1000
_GO = re.compile(r'^[ \t]*import\s*(?:\([^)]{0,20000}\)|(?:[\w.]+[ \t]+)?"[^"\n]+")', re.MULTILINE)
_GO_SOURCE = re.compile(r'"([^"\n]+)"')
_RUST = re.compile(
    rf"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:use[ \t]+([^;]{{1,{LONGEST}}});|extern[ \t]+crate[ \t]+(\w+))",
    re.MULTILINE,
)
_RUBY = re.compile(
    r"""^[ \t]*(?:(require|load|require_relative)[ \t(]+|autoload[ \t(]+:\w+,\s*)['"]([^'"\n]+)['"]""", re.MULTILINE
)
_JVM = re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+(?:\*|\{[^}]{1,1000}\})?)", re.MULTILINE)
_PHP = re.compile(rf"^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?(\\?[A-Za-z_][^;(]{{0,{LONGEST}}});", re.MULTILINE)
_DOTNET = re.compile(
    r"^[ \t]*(?:(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;"
    r"|open[ \t]+(?:type[ \t]+)?([\w.]+)[ \t]*$)",
    re.MULTILINE,
)
_DART = re.compile(r"""^[ \t]*(?:import|export)[ \t]+['"]([^'"\n]+)['"]""", re.MULTILINE)
_SWIFT = re.compile(
    r"^[ \t]*(?:@\w+[ \t]+)*(?:(?:public|internal|private|package|fileprivate)[ \t]+)?import[ \t]+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)[ \t]+)?([\w.]+)",
    re.MULTILINE,
)
_ELIXIR = re.compile(r"^[ \t]*(?:alias|import|use|require)[ \t(]+([A-Z][\w.]*(?:\{[^}]{1,1000}\})?)", re.MULTILINE)
Found = Iterator[ImportedModule]


def read_go_imports(_: str, text: str) -> Found:
    """The packages that a Go file imports."""
    code = blank_slashes(text)
    lines = LineCounter(code)
    for found in _GO.finditer(code):
        for source in _GO_SOURCE.finditer(code, *found.span()):
            # `host/owner/name` is a module; a package without a host is Go's own.
            owned = 3 if "." in source[1].partition("/")[0] else 1
            yield ImportedModule(module=source[1], line=lines.line_at(source.start()), mark="/", owned=owned)


def read_rust_imports(_: str, text: str) -> Found:
    """The paths that a Rust file uses, those of its own crate too."""
    code = blank_slashes(text)
    lines = LineCounter(code)
    for found in _RUST.finditer(code):
        line = lines.line_at(found.start(1) if found[1] else found.start(2))
        for module in expand_braces(found[1] or found[2]):
            whole = re.sub(r"\s+as\s+\w+$|::\*$|::self$|^::|\s+", "", module)
            own = whole.split("::")[0] in {"crate", "self", "super"}
            if whole:
                yield ImportedModule(module=whole, line=line, relative=own, mark="::")


def read_ruby_imports(path: str, text: str) -> Found:
    """The files that a Ruby file requires."""
    code = blank_hashes(text)
    lines = LineCounter(code)
    for found in _RUBY.finditer(code):
        own = found[1] == "require_relative" or found[2].startswith(".")
        module = resolve_path(path, found[2]) if own else found[2]
        line = lines.line_at(found.start(2))
        yield ImportedModule(module=module.removesuffix(".rb"), line=line, relative=own, mark="/")


def read_jvm_imports(_: str, text: str) -> Found:
    """What a file of Java, Kotlin, Scala or Groovy imports."""
    return _read_dotted(blank_slashes(text), _JVM)


def read_dotnet_imports(_: str, text: str) -> Found:
    """The namespaces that a file of C# uses or one of F# opens."""
    return _read_dotted(blank_slashes(text), _DOTNET)


def read_swift_imports(_: str, text: str) -> Found:
    """The modules that a Swift file imports."""
    return _read_dotted(blank_slashes(text), _SWIFT)


def read_elixir_imports(_: str, text: str) -> Found:
    """The modules that an Elixir file uses, imports, requires or gives another name."""
    return _read_dotted(blank_hashes(text), _ELIXIR)


def _read_dotted(code: str, statement: re.Pattern[str]) -> Found:
    lines = LineCounter(code)
    for found in statement.finditer(code):
        said = next(filter(None, found.groups()), "")
        for module in expand_braces(said):
            whole = re.sub(r"\s+as\s+\w+$|\s*=>.*$|\.[*_]$|\s+|\.$", "", module)
            if whole:
                yield ImportedModule(module=whole, line=lines.line_at(found.start(found.lastindex or 0)))


def read_php_imports(_: str, text: str) -> Found:
    """The names that a PHP file uses."""
    code = blank_both(text)
    lines = LineCounter(code)
    for found in _PHP.finditer(code):
        for module in expand_braces(found[1]):
            whole = re.sub(r"(?i)\s+as\s+\w+$|^(?:function|const)\s+", "", module.strip()).strip("\\ \n\t")
            if whole:
                yield ImportedModule(module=whole, line=lines.line_at(found.start(1)), mark="\\")


def read_dart_imports(path: str, text: str) -> Found:
    """The libraries that a Dart file imports or exports."""
    code = blank_slashes(text)
    lines = LineCounter(code)
    for found in _DART.finditer(code):
        own = not found[1].startswith(("package:", "dart:"))
        module = resolve_path(path, found[1]) if own else found[1].removeprefix("package:")
        line = lines.line_at(found.start(1))
        yield ImportedModule(module=module.removesuffix(".dart"), line=line, relative=own, mark="/")


def expand_braces(said: str) -> list[str]:
    """The names of `a::{b, c::{d, e}}`, each whole; at most a thousand."""
    found: list[str] = []
    heads = [""]
    part = ""
    for character in f"{said},":
        if character == "{":
            heads.append(heads[-1] + part.strip())
            part = ""
        elif character in "},":
            if part.strip():
                found.append(heads[-1] + part.strip())
            part = ""
            if character == "}" and len(heads) > 1:
                heads.pop()
        else:
            part += character
        if len(found) >= MOST_NAMES:
            break
    return found
