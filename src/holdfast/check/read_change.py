"""A change, and what it names, imports and calls; each read when a rule first asks, and once."""

from collections.abc import Callable, Sequence
from functools import cached_property

from holdfast.check.file_change import ProposedFile
from holdfast.core.memory import Problem
from holdfast.ecosystems.called_names import CalledName
from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.manifest_readers import read_manifest
from holdfast.ecosystems.package_names import NamedPackage
from holdfast.ecosystems.source_calls import read_calls, reads_calls
from holdfast.ecosystems.source_imports import read_imports, reads_imports
from holdfast.ecosystems.unreadable_text import Unreadable

LONGEST_LINE = 2000

# Pattern, lines → the places in the lines that match; None where the pattern cannot be used or took too long.
Match = Callable[[str, Sequence[str]], Sequence[int] | None]


class ReadChange:
    """A change, and what it names; each read when a rule first asks, and once."""

    def __init__(self, change: ProposedFile) -> None:
        self.change = change
        self.unread: list[Problem] = []

    @cached_property
    def depends(self) -> tuple[NamedPackage, ...]:
        """The packages that a manifest names now."""
        contents = self._read_manifest(self.change.after, aloud=True)
        self.unread += [Problem(path=self.change.path, reason=gap.reason, line=gap.line) for gap in contents.gaps]
        return contents.packages

    @cached_property
    def depended(self) -> frozenset[tuple[str, str]]:
        """The packages that it named before."""
        return frozenset((each.ecosystem, each.normal) for each in self._read_manifest(self.change.before).packages)

    @cached_property
    def imported(self) -> tuple[ImportedModule, ...]:
        """The modules that it newly imports."""
        change = self.change
        if change.after is None or not reads_imports(change.path):
            return ()
        try:
            found = read_imports(change.path, change.after)
        except Unreadable as error:
            self.unread.append(Problem(path=change.path, reason=error.reason, line=error.line))
            return ()
        return tuple(each for each in found if change.added is None or each.line in change.added)

    @cached_property
    def called(self) -> tuple[CalledName, ...]:
        """What it newly calls."""
        change = self.change
        if change.after is None or not reads_calls(change.path):
            return ()
        try:
            found = read_calls(change.path, change.after)
        except Unreadable as error:
            self.unread.append(Problem(path=change.path, reason=error.reason, line=error.line))
            return ()
        return tuple(each for each in found if change.added is None or each.line in change.added)

    @cached_property
    def lines(self) -> list[tuple[int, str]]:
        """Its new lines, by their number."""
        text = self.change.after or ""
        numbered = enumerate(text.split("\n"), start=1)
        return [(n, line[:LONGEST_LINE]) for n, line in numbered if self.change.added is None or n in self.change.added]

    def _read_manifest(self, text: str | None, *, aloud: bool = False) -> ManifestContents:
        try:
            return read_manifest(self.change.path, text or "", included=self.change.included)
        except Unreadable as error:
            if aloud:
                self.unread.append(Problem(path=self.change.path, reason=error.reason, line=error.line))
            return ManifestContents()
