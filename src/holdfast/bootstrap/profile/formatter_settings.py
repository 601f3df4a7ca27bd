"""What a formatter's or linter's settings say already. Settings that are programs are not run: only named."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.value import Value

# The files that may settle something, by name; only those at the root of what is read are looked at.
FILES = (
    "pyproject.toml", "ruff.toml", ".ruff.toml", "setup.cfg", ".flake8", "tox.ini", ".editorconfig", "package.json",
    ".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.js", ".prettierrc.cjs",
    ".prettierrc.mjs", "prettier.config.js", "prettier.config.cjs", "prettier.config.mjs", "biome.json", "biome.jsonc",
)  # fmt: skip
_PRETTIER = ("quotes", "semicolons", "indent")
_LENGTH = re.compile(r"^[ \t]*max-line-length[ \t]*=[ \t]*(\d+)", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]*indent_(?:size|style)[ \t]*=[ \t]*(\w+)", re.MULTILINE)
_YAML = re.compile(r"^[ \t]*(singleQuote|semi|tabWidth|useTabs|printWidth)[ \t]*:[ \t]*(\w+)", re.MULTILINE)


class ToolSettings(Value):
    """A tool's settings: which file and line, what they say, and the questions that this settles."""

    tool: str
    path: str
    line: int
    says: tuple[str, ...]
    keys: tuple[str, ...]


def read_settings(files: Mapping[str, str]) -> list[ToolSettings]:
    """What some settings files (by name) say. A file that does not parse says nothing."""
    found = [each for name, text in sorted(files.items()) for each in _read_file(name, text)]
    return [each for each in found if each.keys]


def _read_file(name: str, text: str) -> Iterator[ToolSettings]:
    if name == "pyproject.toml":
        tool = _toml(text).get("tool")
        table = tool if isinstance(tool, Mapping) else {}
        yield from _read_ruff(table.get("ruff"), name, _line(text, "[tool.ruff"))
        yield from _read_black(table.get("black"), name, _line(text, "[tool.black"))
    elif name.endswith("ruff.toml"):
        yield from _read_ruff(_toml(text), name, 1)
    elif name in {"setup.cfg", ".flake8", "tox.ini"}:
        length = _LENGTH.search(text)
        if length:
            says = (f"max-line-length {length[1]}",)
            line = text[: length.start(1)].count("\n") + 1
            yield ToolSettings(tool="flake8", path=name, line=line, says=says, keys=("python.line-length",))
    elif name == ".editorconfig":
        found = tuple(dict.fromkeys(_INDENT.findall(text)))
        if found:
            keys = ("python.indent", "ts.indent", "js.indent")
            line = _line(text, "indent_")
            yield ToolSettings(
                tool="EditorConfig", path=name, line=line, says=(f"indent {' '.join(found)}",), keys=keys
            )
    else:
        yield from _read_script_tools(name, text)


def _read_ruff(table: Any, path: str, line: int) -> Iterator[ToolSettings]:
    if not isinstance(table, Mapping):
        return
    formats = table.get("format")
    form: Mapping[str, Any] = formats if isinstance(formats, Mapping) else {}
    says = [f"{key} {table[key]}" for key in ("line-length", "indent-width") if key in table]
    says += [f"{key} {form[key]}" for key in ("quote-style", "indent-style") if key in form]
    keys = ["python.line-length"] * ("line-length" in table)
    keys += ["python.quotes", "python.indent"] * (isinstance(formats, Mapping))
    yield ToolSettings(tool="ruff", path=path, line=line, says=tuple(says), keys=tuple(keys))


def _read_black(table: Any, path: str, line: int) -> Iterator[ToolSettings]:
    if isinstance(table, Mapping):
        says = (f"line-length {table.get('line-length', 88)}", "double quotes")
        keys = ("python.line-length", "python.quotes", "python.indent")
        yield ToolSettings(tool="black", path=path, line=line, says=says, keys=keys)


def _read_script_tools(name: str, text: str) -> Iterator[ToolSettings]:
    keys = tuple(f"{prefix}.{key}" for prefix in ("ts", "js") for key in _PRETTIER)
    if name.startswith("biome"):
        says = tuple(
            f"{key} {value}" for key, value in re.findall(r'"(quoteStyle|semicolons|indentStyle)"\s*:\s*"(\w+)"', text)
        )
        yield ToolSettings(tool="Biome", path=name, line=1, says=says, keys=keys if says else ())
        return
    line = 1
    options: Any = {}
    if name == "package.json":
        options = _json(text).get("prettier")
        if options is None:
            return
        line = _line(text, '"prettier"')
    elif name.endswith((".js", ".cjs", ".mjs")):
        options = {}
    else:
        options = _json(text) or dict(_YAML.findall(text))
    given = options if isinstance(options, Mapping) else {}
    kept = ("singleQuote", "semi", "tabWidth", "useTabs", "printWidth")
    says = tuple(f"{key} {str(given[key]).lower()}" for key in kept if key in given)
    yield ToolSettings(tool="Prettier", path=name, line=line, says=says, keys=keys)


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _line(text: str, start: str) -> int:
    return next((at for at, line in enumerate(text.splitlines(), 1) if start in line), 1)
