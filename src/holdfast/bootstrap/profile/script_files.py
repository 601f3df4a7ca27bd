"""JavaScript and TypeScript files: names, quotes, semicolons, modules, exports, types, tests."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from holdfast.bootstrap.profile.frameworks import SCRIPT
from holdfast.bootstrap.profile.name_styles import name_shape
from holdfast.bootstrap.profile.profile_values import TraitTallies
from holdfast.ecosystems.js_tokens import NAME, STRING, ScriptToken, scan_tokens

# Between `=` and `=>` of an arrow function, as many tokens are looked at.
MOST_ARGUMENTS = 200
_MARKUP = (".tsx", ".jsx")
_TEST = re.compile(r"\.(?:test|spec)\.[mc]?[jt]sx?$")
_STEM = re.compile(
    r"^(.+?)(?:\.(?:test|spec|stories|d|config|module|styles?|types?|service|component|controller))*\.[mc]?[jt]sx?$"
)
_INDENT = re.compile(r"^([ \t]+)(?![ \t*/]|$)", re.MULTILINE)
_DECLARES = frozenset(
    {"const", "let", "var", "function", "class", "interface", "type", "enum", "async", "abstract", "{", "*"}
)


def is_script_test(path: str) -> bool:
    """Whether a file holds tests."""
    return bool(_TEST.search(path)) or "/__tests__/" in f"/{path}"


class ScriptReader:
    """Takes files one after the other; keys begin with `ts` or `js`."""

    def __init__(self, book: TraitTallies, prefix: str) -> None:
        self._book, self._prefix = book, prefix

    def read(self, path: str, source: str) -> bool:
        """Count what a file shows."""
        found = list(scan_tokens(source))
        self._file_name(path)
        self._indent(path, source)
        self._modules(path, found)
        for at, token in enumerate(found):
            if token.kind == STRING:
                self._quote(path, token, found[at - 1] if at else None)
            elif token.kind == NAME:
                self._word(path, found, at)
        return True

    def _case(self, key: str, unit: str, answer: str, path: str, token: ScriptToken, text: str = "") -> None:
        self._book.case(f"{self._prefix}.{key}", unit, answer, path, token.line, text)

    def _word(self, path: str, found: Sequence[ScriptToken], at: int) -> None:
        token, after = found[at], found[at + 1 : at + 3]
        before = found[at - 1].text if at else ""
        following = after[0].text if after else ""
        if before in {".", "?."}:
            if token.text == "then" and following == "(":
                self._case("async", "waits", "then", path, token)
            return
        match token.text:
            case "function":
                self._declared(path, found, at)
            case "const" | "let" if len(after) > 1 and after[0].kind == NAME:
                self._assigned(path, found, at)
            case "class" if after and after[0].kind == NAME:
                self._class(path, found, at)
            case "interface" if after and after[0].kind == NAME and before not in {",", "{", "("}:
                self._case("types", "object types", "interface", path, token, f"interface {following}")
            case "type" if len(after) > 1 and after[0].kind == NAME and _is_object_type(found, at):
                self._case("types", "object types", "type", path, token, f"type {following}")
            case "await":
                self._case("async", "waits", "await", path, token)
            case "export":
                self._export(path, token, following)
            case "import":
                self._import(path, found, at)
            case _:
                return

    def _named(self, path: str, token: ScriptToken, how: str) -> None:
        self._case("functions-as", "named functions", how, path, token, token.text)
        found = name_shape(token.text)
        # A name with a capital is a component where there is markup.
        if found and not (path.endswith(_MARKUP) and token.text[:1].isupper()):
            self._case("functions", "functions", found, path, token, token.text)

    def _declared(self, path: str, found: Sequence[ScriptToken], at: int) -> None:
        name = next((token for token in found[at + 1 : at + 3] if token.text != "*"), None)
        if name and name.kind == NAME:
            self._named(path, name, "declaration")

    def _assigned(self, path: str, found: Sequence[ScriptToken], at: int) -> None:
        equals = next(
            (place for place in range(at + 2, min(at + 40, len(found))) if found[place].text in {"=", ";"}), 0
        )
        if equals and found[equals].text == "=" and _is_arrow(found, equals + 1):
            self._named(path, found[at + 1], "arrow")

    def _class(self, path: str, found: Sequence[ScriptToken], at: int) -> None:
        name = found[at + 1]
        kind = name_shape(name.text)
        if kind:
            self._case("classes", "classes", kind, path, name, f"class {name.text}")
        if len(found) > at + 3 and found[at + 2].text == "extends" and found[at + 3].text.endswith("Error"):
            text = f"class {name.text} extends {found[at + 3].text}"
            self._book.file(f"{self._prefix}.errors", "error classes", "own-classes", path, name.line, text)

    def _export(self, path: str, token: ScriptToken, following: str) -> None:
        if following == "default":
            self._case("exports", "exports", "default", path, token, "export default")
        elif following in _DECLARES:
            self._case("exports", "exports", "named", path, token, f"export {following}")

    def _import(self, path: str, found: Sequence[ScriptToken], at: int) -> None:
        source = next((place for place in range(at + 1, min(at + 80, len(found))) if _ends_import(found[place])), 0)
        if not source or found[source].kind != STRING:
            return
        after = found[source + 1] if source + 1 < len(found) else None
        ended = after is not None and after.text == ";"
        if ended or after is None or after.line > found[source].line:
            self._case("semicolons", "imports", "always" if ended else "never", path, found[at])

    def _quote(self, path: str, token: ScriptToken, before: ScriptToken | None) -> None:
        attribute = (
            path.endswith(_MARKUP) and before is not None and before.text == "=" and token.tight and before.tight
        )
        if attribute or "'" in token.text[1:-1] or '"' in token.text[1:-1]:
            return
        self._case("quotes", "strings", "double" if token.text[0] == '"' else "single", path, token)

    def _modules(self, path: str, found: Sequence[ScriptToken]) -> None:
        packages: dict[str, int] = {}
        esm = commonjs = 0
        for at, token in enumerate(found):
            if token.kind != NAME or (at and found[at - 1].text == "."):
                continue
            if token.text in {"import", "export"}:
                esm = esm or token.line
            elif token.text == "require" and [each.text for each in found[at + 1 : at + 2]] == ["("]:
                commonjs = commonjs or token.line
        for name, line in _sources(found):
            packages.setdefault(name, line)
        if esm or commonjs:
            answer = "esm" if esm else "commonjs"
            self._book.file(f"{self._prefix}.modules", "files", answer, path, esm or commonjs)
        for name in packages.keys() & SCRIPT.keys():
            key = f"{self._prefix}.framework.{name}"
            self._book.file(key, "files that import it", "used", path, packages[name], f"import {name}")

    def _file_name(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        stem = _STEM.match(name)
        found = name_shape(stem[1]) if stem else ""
        if found:
            self._book.file(f"{self._prefix}.files", "file names", found, path, 1, name)
        if is_script_test(path):
            layout = "__tests__" if "__tests__" in folder.split("/") else _layout(folder)
            self._book.file(f"{self._prefix}.test-layout", "test files", layout, path, 1, name)

    def _indent(self, path: str, source: str) -> None:
        depths = Counter("tab" if "\t" in each[1] else str(len(each[1])) for each in _INDENT.finditer(source))
        spaces = {int(depth): count for depth, count in depths.items() if depth != "tab"}
        total = depths.total()
        if not total:
            return
        if depths["tab"] > total / 2:
            answer = "tab"
        else:
            odd = sum(count for depth, count in spaces.items() if depth % 4 == 2)
            answer = "2" if odd > total / 10 else "4"
        self._book.file(f"{self._prefix}.indent", "files", answer, path)


def _layout(folder: str) -> str:
    return "tests/" if {"tests", "test"} & set(folder.split("/")) else "beside"


def _ends_import(token: ScriptToken) -> bool:
    return token.kind == STRING or token.text in {";", "(", "="}


def _is_arrow(found: Sequence[ScriptToken], at: int) -> bool:
    """Whether an arrow function begins here: `async`? `(…)` or a name, then `=>`, before the statement ends."""
    if at < len(found) and found[at].text == "async":
        at += 1
    if at >= len(found):
        return False
    if found[at].kind == NAME:
        return at + 1 < len(found) and found[at + 1].text == "=>"
    if found[at].text not in {"(", "<"}:
        return False
    depth = 0
    for place in range(at, min(at + MOST_ARGUMENTS, len(found))):
        text = found[place].text
        depth += (text in {"(", "{", "["}) - (text in {")", "}", "]"})
        if depth == 0 and text == "=>":
            return True
        if depth < 0 or (depth == 0 and text in {";", "const", "let", "export"}):
            return False
    return False


def _is_object_type(found: Sequence[ScriptToken], at: int) -> bool:
    """Whether `type X = {` stands here: the one an interface could say as well."""
    ahead = [token.text for token in found[at + 2 : at + 4]]
    return ahead == ["=", "{"]


def _sources(found: Sequence[ScriptToken]) -> Iterator[tuple[str, int]]:
    """The packages that are imported or required."""
    for at, token in enumerate(found):
        before = [each.text for each in found[max(0, at - 2) : at]]
        if token.kind != STRING or not before or not (before[-1] in {"from", "import"} or before == ["require", "("]):
            continue
        name = token.text[1:-1]
        if name and name[0] not in "./":
            yield "/".join(name.split("/")[: 2 if name.startswith("@") else 1]), token.line
