"""Package.swift, the manifest of Swift packages. It is a program, and is not run."""

import re

from holdfast.ecosystems.bare_code import LineCounter, blank_slashes
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import SWIFT, list_packages, read_address

_PACKAGE = re.compile(r'\.[pP]ackage\s*\(\s*(?:name\s*:\s*"[^"\n]*"\s*,\s*)?(url|id)\s*:\s*(?:"([^"\n]+)"|(\w+))')
_NAME = re.compile(r'\bPackage\s*\(\s*name\s*:\s*"([^"\n]+)"')


def read_swift_package(text: str) -> ManifestContents:
    """The packages by their addresses, or by their ids in a registry; those beside it are its own."""
    code = blank_slashes(text)
    lines = LineCounter(code)
    found: list[tuple[str, int]] = []
    gaps: list[ManifestGap] = []
    for each in _PACKAGE.finditer(code):
        line = lines.line_at(each.start(1))
        if each[3]:
            gaps.append(ManifestGap(reason="the address of a package is made by code, which is not run", line=line))
        else:
            found.append((read_address(each[2]) if each[1] == "url" else each[2], line))
    name = _NAME.search(code)
    return ManifestContents(packages=list_packages(SWIFT, found), name=name[1] if name else "", gaps=tuple(gaps))
