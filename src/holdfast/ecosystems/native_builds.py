"""Builds of C and C++: CMake, Meson, Autoconf."""

import re

from holdfast.ecosystems.bare_code import LineCounter, blank_hashes
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import NATIVE, list_packages

_CMAKE_NAME = re.compile(r"^[ \t]*project\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_CMAKE_NEED = re.compile(r"^[ \t]*find_package\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_CMAKE_MADE = re.compile(r"^[ \t]*add_executable\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_MESON_NAME = re.compile(r"""\bproject\s*\(\s*['"]([\w.+ -]+)['"]""")
_MESON_NEED = re.compile(r"""\bdependency\s*\(\s*['"]([\w.+-]+)['"]""")
_MESON_MADE = re.compile(r"""\bexecutable\s*\(\s*['"]([\w.+-]+)['"]""")
_AUTOCONF_NAME = re.compile(r"AC_INIT\(\s*\[?([\w.+ -]+?)\]?\s*[,)]")


def read_cmake(text: str) -> ManifestContents:
    """CMakeLists.txt: what it finds, and the programs that it makes."""
    return _read_build(blank_hashes(text), _CMAKE_NAME, _CMAKE_NEED, _CMAKE_MADE)


def read_meson(text: str) -> ManifestContents:
    """meson.build: what it depends on, and the programs that it makes."""
    return _read_build(blank_hashes(text), _MESON_NAME, _MESON_NEED, _MESON_MADE)


def read_autoconf(text: str) -> ManifestContents:
    """configure.ac: the name alone."""
    name = _AUTOCONF_NAME.search(text)
    return ManifestContents(name=name[1] if name else "")


def read_nothing(_: str) -> ManifestContents:
    """A file that tells by being there."""
    return ManifestContents()


def _read_build(
    code: str, naming: re.Pattern[str], needing: re.Pattern[str], making: re.Pattern[str]
) -> ManifestContents:
    lines = LineCounter(code)
    name = naming.search(code)
    found = [(each[1], lines.line_at(each.start(1))) for each in needing.finditer(code)]
    return ManifestContents(
        packages=list_packages(NATIVE, found), name=name[1] if name else "",
        starts=tuple((made, "program") for made in making.findall(code)),
    )  # fmt: skip
