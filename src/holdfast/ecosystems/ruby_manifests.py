"""Manifests of Ruby projects: Gemfile and gemspecs. They are programs, and are not run."""

import re
from collections.abc import Iterator

from holdfast.ecosystems.bare_code import blank_hashes
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import GEM, list_packages

_TEXT = r"""(?:['"]([^'"\n]+)['"]|%[qQ]?[<({\[]([^>)}\]\n]+)[>)}\]])"""
_GEM = re.compile(rf"^\s*gem[ \t(]+{_TEXT}")
_MADE_GEM = re.compile(r"^\s*gem[ \t(]+[a-z_@]\w*")
_ADDED = re.compile(rf"\.add_(?:runtime_|development_)?dependency[ \t(]+{_TEXT}")
_MADE_ADDED = re.compile(r"\.add_(?:runtime_|development_)?dependency[ \t(]+[a-z_@]\w*")
_TAKEN_IN = re.compile(r"""^\s*eval_gemfile[ \t(]+(?:['"]([^'"\n]+)['"])?""")
_NAME = re.compile(r"""\.name\s*=\s*['"]([\w.-]+)['"]""")


def read_gemfile(text: str) -> ManifestContents:
    """A Gemfile: every `gem "name"`."""
    found, gaps = _read_lines(text, _GEM, _MADE_GEM)
    return ManifestContents(packages=list_packages(GEM, found), gaps=tuple(gaps))


def read_gemspec(text: str) -> ManifestContents:
    """A gemspec: `add_dependency "name"` and its kin."""
    found, gaps = _read_lines(text, _ADDED, _MADE_ADDED)
    name = _NAME.search(text)
    return ManifestContents(packages=list_packages(GEM, found), name=name[1] if name else "", gaps=tuple(gaps))


def _read_lines(
    text: str, named: re.Pattern[str], made: re.Pattern[str]
) -> tuple[list[tuple[str, int]], list[ManifestGap]]:
    found: list[tuple[str, int]] = []
    gaps: list[ManifestGap] = []
    for number, line in _walk_lines(text):
        name = named.search(line)
        if name:
            found.append((name[1] or name[2], number))
        elif taken := _TAKEN_IN.match(line):
            what = repr(taken[1][:100]) if taken[1] else "another file"
            gaps.append(ManifestGap(reason=f"it takes in {what}, which is read by itself alone", line=number))
        elif made.search(line):
            gaps.append(ManifestGap(reason="the name of a gem is made by code, which is not run", line=number))
    return found, gaps


def _walk_lines(text: str) -> Iterator[tuple[int, str]]:
    yield from enumerate(blank_hashes(text).split("\n"), start=1)
