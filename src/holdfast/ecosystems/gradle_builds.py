"""Builds of the JVM that are programs: Gradle's scripts and version catalogs, sbt's. They are not run."""

import re
from collections.abc import Iterator, Mapping

from holdfast.ecosystems.bare_code import LineCounter, blank_slashes
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import MAVEN, list_packages
from holdfast.ecosystems.toml_with_lines import TomlDocument

# "group:artifact", with a version or without; not "localhost:8080" and not ":app".
_COORDINATES = re.compile(r"""(['"])([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)(?::[^'"\n]*|@[^'"\n]*)?\1""")
_MAPPED = re.compile(r"""\bgroup\s*[:=]\s*['"]([\w.-]+)['"]\s*,\s*name\s*[:=]\s*['"]([\w.-]+)['"]""")
_PLUGIN = re.compile(r"""(?:\bid\s*\(?\s*|\bapply\s*\(?\s*plugin\s*[:=]\s*)['"]([\w-]+(?:\.[\w-]+)+)['"]""")
_KOTLIN = re.compile(r"""\bkotlin\s*\(\s*['"]([\w.-]+)['"]""")
_NAME = re.compile(r"""rootProject\.name\s*=\s*['"]([^'"\n]+)['"]""")
_MAIN = re.compile(r"""mainClass(?:Name)?(?:\.set\(|\s*=\s*)\s*['"]([\w.$]+)['"]""")
_PLUGINS_BLOCK = re.compile(r"\bplugins\s*\{[^}]{0,4000}\}")
_SBT = re.compile(r'"([\w.-]+)"\s*%{1,3}\s*"([\w.-]+)"\s*%')
_SBT_NAME = re.compile(r'\bname\s*:=\s*"([^"\n]+)"')
Found = Iterator[tuple[str, int]]


def read_gradle(text: str) -> ManifestContents:
    """build.gradle, settings.gradle and their Kotlin forms: coordinates, and plugins by their id."""
    code = blank_slashes(text)
    name = _NAME.search(code)
    return ManifestContents(
        packages=list_packages(MAVEN, _walk_gradle(code)), name=name[1] if name else "",
        starts=tuple((found, "main class") for found in _MAIN.findall(code)),
    )  # fmt: skip


def read_version_catalog(text: str) -> ManifestContents:
    """libs.versions.toml: the libraries and plugins that a Gradle build takes its names from."""
    document = TomlDocument(text)
    found: list[tuple[str, int]] = []
    for _, held, line in document.walk_names("libraries"):
        table = held if isinstance(held, Mapping) else {"module": held}
        module = table.get("module") or f"{table.get('group', '')}:{table.get('name', '')}"
        found.append((":".join(str(module).split(":")[:2]), line))
    for _, held, line in document.walk_names("plugins"):
        plugin = held.get("id") if isinstance(held, Mapping) else held
        found.append((str(plugin or "").partition(":")[0], line))
    return ManifestContents(packages=list_packages(MAVEN, found), gaps=tuple(document.gaps))


def read_sbt(text: str) -> ManifestContents:
    """build.sbt: `"group" %% "artifact" % "version"`."""
    code = blank_slashes(text)
    name = _SBT_NAME.search(code)
    lines = LineCounter(code)
    found = [(f"{each[1]}:{each[2]}", lines.line_at(each.start())) for each in _SBT.finditer(code)]
    return ManifestContents(packages=list_packages(MAVEN, found), name=name[1] if name else "")


def _walk_gradle(code: str) -> Found:
    lines = LineCounter(code)
    blocks = [found.span() for found in _PLUGINS_BLOCK.finditer(code)]
    for found in _COORDINATES.finditer(code):
        yield f"{found[2]}:{found[3]}", lines.line_at(found.start())
    for found in _MAPPED.finditer(code):
        yield f"{found[1]}:{found[2]}", lines.line_at(found.start())
    for found in _PLUGIN.finditer(code):
        yield found[1], lines.line_at(found.start())
    for found in _KOTLIN.finditer(code):
        is_plugin = any(start <= found.start() < end for start, end in blocks)
        mark = "org.jetbrains.kotlin." if is_plugin else "org.jetbrains.kotlin:kotlin-"
        yield f"{mark}{found[1]}", lines.line_at(found.start())
