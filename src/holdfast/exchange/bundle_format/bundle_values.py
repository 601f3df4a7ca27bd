"""What a bundle is made of, how much of it is taken, and what can be wrong with one. See docs/formats/bundle.md."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.errors import BadRequest, Damaged, Refused, Unavailable
from holdfast.core.extras import extra_command
from holdfast.core.value import Value, as_dict

FORMAT = "holdfast-bundle"
VERSION = 1
SUFFIX = ".holdfast.tar.zst"
HEAD, MANIFEST, SEAL = "holdfast.json", "manifest.json", "seal.json"
MB = 1_000_000


class BundleLimits(Value):
    """How much a bundle may hold. `ratio`: unpacked bytes for each packed one, once `floor` bytes came."""

    bytes: int = 20_000 * MB
    files: int = 200_000
    file_bytes: int = 256 * MB
    ratio: int = 500
    floor: int = 64 * MB
    manifest_bytes: int = 128 * MB


class FileRow(Value):
    """One file of a bundle. `name` is its tar name, where the path does not fit there.

    `foreign`: memory that came by other hands and that the user had not allowed when the bundle was made.
    """

    path: str
    kind: str
    size: int
    sha256: str
    mtime: int = 0
    name: str = ""
    foreign: bool = False


class BundleManifest(Value):
    """What a bundle says of itself, once all of it is written."""

    id: str
    created: str
    workspace: Mapping[str, Any]
    scopes: tuple[str, ...]
    contains: tuple[str, ...]
    counts: Mapping[str, int]
    redaction: Mapping[str, int]
    left_out: tuple[Mapping[str, str], ...]
    files: tuple[FileRow, ...]
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        """As it stands in the bundle."""
        files = [{name: held for name, held in as_dict(row).items() if held or name == "size"} for row in self.files]
        lists = {"scopes": list(self.scopes), "contains": list(self.contains), "left_out": list(self.left_out)}
        return {"format": FORMAT, **as_dict(self), **lists, "files": files}


class Head(Value):
    """What stands first in a bundle: enough to know whether to go on reading."""

    id: str
    created: str
    workspace: Mapping[str, Any]
    scopes: tuple[str, ...]
    contains: tuple[str, ...]
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        """As it stands in the bundle."""
        lists = {"scopes": list(self.scopes), "contains": list(self.contains)}
        return {"format": FORMAT, **as_dict(self), **lists}


class MissingExtra(Unavailable):
    """A library that bundles need is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"Bundles need the package {package!r}, which is not installed.", f"install it: {extra_command('share')}"
        )


class BadBundle(Damaged):
    """A bundle that is not what it says."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The bundle is damaged: {reason}. Nothing was imported.", "take another copy of it, or export again."
        )


class UnsafeBundle(Refused):
    """A bundle that holds what no bundle of ours does."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The bundle is refused: {reason}. Nothing was imported.",
            "somebody made it by other means than `holdfast export`; ask where it comes from.",
        )


class TooMuch(Refused):
    """A bundle with more than the settings let in."""

    def __init__(self, what: str, setting: str) -> None:
        super().__init__(
            f"The bundle is refused: {what}. Nothing was imported.",
            f"if you trust it, raise the limit for this call: --set {setting}=N",
        )


class NoBundle(BadRequest):
    """Something else than a bundle."""

    def __init__(self) -> None:
        super().__init__("This is no bundle.", "bundles are written by `holdfast export`.")


class FutureVersion(BadRequest):
    """A bundle of a later Holdfast."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"The bundle has format version {version}, and this Holdfast reads up to {VERSION}. Nothing was imported.",
            "install a newer Holdfast.",
        )
