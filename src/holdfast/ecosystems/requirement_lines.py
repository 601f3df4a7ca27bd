"""The lines of a file for `pip install -r`: requirements, files that it takes in, and options."""

import re
from collections.abc import Iterator

from holdfast.core.value import Value
from holdfast.ecosystems.manifest_contents import IncludedFile, ManifestGap
from holdfast.ecosystems.package_names import read_requirement

_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][\w.-]*)")
_INCLUDE = re.compile(r"(?:-r\s*|--requirement(?:\s+|=))(\S.*)")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://|git\+")
_REMARK = re.compile(r"(?:^|\s)#")


class RequirementLines(Value):
    """What requirement lines say: (name, line), the files that they take in, and what is not read."""

    found: tuple[tuple[str, int], ...]
    includes: tuple[IncludedFile, ...]
    gaps: tuple[ManifestGap, ...]


def read_requirement_lines(text: str) -> RequirementLines:
    """The requirements of a text, whole lines with their numbers."""
    return sort_requirement_lines(_join_lines(text))


def sort_requirement_lines(lines: Iterator[tuple[str, int]]) -> RequirementLines:
    """The requirements among some lines, and what else they say."""
    found: list[tuple[str, int]] = []
    includes: list[IncludedFile] = []
    gaps: list[ManifestGap] = []
    for line, number in lines:
        said = _REMARK.split(line, maxsplit=1)[0].strip()
        taken = _INCLUDE.fullmatch(said)
        if taken and _ADDRESS.match(taken[1]):
            gaps.append(ManifestGap(reason=f"it takes in {taken[1][:100]!r}, which is not here", line=number))
        elif taken:
            includes.append(IncludedFile(path=taken[1].strip("'\""), line=number))
        else:
            found.append((_name_in(said, line), number))
    return RequirementLines(found=tuple(found), includes=tuple(includes), gaps=tuple(gaps))


def _name_in(said: str, line: str) -> str:
    egg = _EGG.search(line)
    if egg:
        return egg[1]
    if not said or said.startswith(("-", ".", "/")) or _ADDRESS.match(said):
        return ""
    return read_requirement(said)


def _join_lines(text: str) -> Iterator[tuple[str, int]]:
    """Whole lines with the number they begin on; one that goes on after a backslash is one."""
    parts: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), start=1):
        start = start if parts else number
        said = line.rstrip("\r")
        if said.endswith("\\"):
            parts.append(said[:-1])
            continue
        yield " ".join([*parts, said]), start
        parts = []
    if parts:
        yield " ".join(parts), start
