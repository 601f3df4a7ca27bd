"""A manifest → what it says of its project: the name, what it needs, where it starts, or why it cannot be read."""

from collections.abc import Iterable

from holdfast.core.value import Value
from holdfast.ecosystems.manifest_readers import read_manifest
from holdfast.ecosystems.manifest_table import find_manifest_kind
from holdfast.ecosystems.package_names import MAVEN, NamedPackage
from holdfast.ecosystems.unreadable_text import Unreadable

LONGEST = 120
MOST = 2_000


class ProjectManifest(Value):
    """What one file says. `starts`: (where it starts, as its ecosystem writes it, what it is).

    `unread`: why nothing can be said of it but that it is there.
    """

    path: str
    kind: str
    name: str = ""
    needs: frozenset[str] = frozenset()
    starts: tuple[tuple[str, str], ...] = ()
    typed: bool = False
    unread: str = ""

    @property
    def folder(self) -> str:
        """The folder it stands in."""
        return self.path.rpartition("/")[0]


def kind_of(path: str) -> str:
    """The kind of project that a file speaks for; empty for one that is no manifest."""
    kind = find_manifest_kind(path)
    return kind.language if kind else ""


def describe_manifest(path: str, text: str) -> ProjectManifest:
    """What a manifest says; of one that is broken, no more than that it is there, and why."""
    try:
        said = read_manifest(path, text)
    except Unreadable as error:
        return ProjectManifest(path=path, kind=kind_of(path), unread=_shorten_name(error.reason))
    return ProjectManifest(
        path=path,
        kind=kind_of(path),
        name=_shorten_name(said.name),
        needs=_needs(said.packages, said.related),
        starts=tuple((_shorten_name(where), _shorten_name(what)) for where, what in said.starts[:MOST]),
        typed=said.typed,
    )


def _needs(packages: Iterable[NamedPackage], related: Iterable[str]) -> frozenset[str]:
    """What is needed, in one case, `_` as `-`; of Maven also the groups alone."""
    names = [*related, *(name for package in packages for name in _spelled(package))][:MOST]
    return frozenset(name.lower().replace("_", "-") for name in names if name)


def _spelled(package: NamedPackage) -> tuple[str, ...]:
    group, colon, artifact = package.name.partition(":")
    return (package.name, group, artifact) if colon and package.ecosystem == MAVEN else (package.name,)


def _shorten_name(found: str) -> str:
    """A name on one line, and not a long one."""
    words = " ".join(found.split())
    return "".join(character if character.isprintable() else "?" for character in words)[:LONGEST]
