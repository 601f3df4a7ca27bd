"""What a manifest says, whatever its kind."""

from holdfast.core.value import Value
from holdfast.ecosystems.package_names import NamedPackage


class ManifestGap(Value):
    """Something in a manifest that was not read, and why."""

    reason: str
    line: int | None = None


class IncludedFile(Value):
    """Another file that a manifest takes in, as it names it, and the line."""

    path: str
    line: int


class ManifestContents(Value):
    """What one manifest says of its project.

    `starts`: (where it starts, as its ecosystem writes it, what it is). `related`: names that tell of a framework and
    are no packages of their own. `typed`: whether its code is TypeScript. `gaps`: what in it was not read.
    """

    packages: tuple[NamedPackage, ...] = ()
    name: str = ""
    starts: tuple[tuple[str, str], ...] = ()
    related: frozenset[str] = frozenset()
    typed: bool = False
    includes: tuple[IncludedFile, ...] = ()
    gaps: tuple[ManifestGap, ...] = ()
