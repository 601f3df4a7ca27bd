"""Manifests → what they say: the packages that they name, each with its line, and what could not be read."""

import re

from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.manifest_table import REQUIREMENTS, find_manifest_kind
from holdfast.ecosystems.package_names import LONGEST
from holdfast.ecosystems.unreadable_text import Unreadable

# As files of requirements are called that no name gives away.
_INCLUDED = (".txt", ".in", ".pip", ".req", ".reqs", ".lst")
# Where the name of a package may stand: at the start of a quoted text, of a line, or between two tags.
_PLACES = re.compile(
    r"""["'](@?[A-Za-z0-9][\w.@/:-]*)
      |^[\ \t]*(?:[-+*]\ *)?(?:[a-z]+\ +)?(@?[A-Za-z0-9](?:[\w.@/-]|:(?=\S))*)[\ \t]*(?=[:=<>~!;\[(,]|$|\ v?\d)
      |>[ \t]*([A-Za-z0-9][\w.-]*)[ \t]*</""",
    re.MULTILINE | re.VERBOSE,
)


def is_manifest(path: str) -> bool:
    """Whether a path is that of a manifest."""
    return find_manifest_kind(path) is not None


def may_include(path: str) -> bool:
    """Whether a manifest may take in other files."""
    kind = find_manifest_kind(path)
    return kind is not None and kind.includes


def may_be_included(path: str) -> bool:
    """Whether a file that is no manifest by its name may be one that a file of requirements takes in."""
    return path.endswith(_INCLUDED) and not is_manifest(path)


def read_manifest(path: str, text: str, *, included: bool = False) -> ManifestContents:
    """What a manifest says; nothing for other files. Raises Unreadable.

    `included`: it is taken in by a file of requirements, whatever its own name.
    """
    kind = find_manifest_kind(path) or (REQUIREMENTS if included else None)
    said = text.removeprefix("\ufeff")
    if kind is None or not said.strip():
        return ManifestContents()
    return kind.read(said)


def list_names_in_piece(path: str, text: str) -> tuple[str, ...]:
    """The names that a piece of a manifest may add: it cannot be parsed, so all that stand where names do."""
    try:
        whole = [package.name for package in read_manifest(path, text).packages]
    except Unreadable:
        whole = []
    near = (name for found in _PLACES.findall(text) for name in found if 0 < len(name) <= LONGEST)
    return tuple(dict.fromkeys([*whole, *near]))
