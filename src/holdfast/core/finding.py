"""What a check finds: a memory that something breaks, where, why, and how sure that is."""

from enum import StrEnum

from holdfast.core.memory import Problem
from holdfast.core.value import Value


class Severity(StrEnum):
    """How grave a finding is: errors are certain, warnings are not."""

    ERROR = "error"
    WARNING = "warning"


class Other(Value):
    """The other memory of a pair, and the words of both in conflict. `branch`: where one of them is, if not here."""

    id: str
    title: str = ""
    text: str = ""
    found_text: str = ""
    branch: str = ""


class Finding(Value):
    """A memory and what breaks it. `rule`: the `enforce` key or the kind of recall; `what`: the name that was met.

    `other`: where two memories are in conflict, the second one.
    """

    memory: str
    severity: Severity
    rule: str
    reason: str
    title: str = ""
    path: str = ""
    line: int | None = None
    what: str = ""
    confidence: float = 1.0
    other: Other | None = None

    @property
    def place(self) -> str:
        """Where it is, as compilers write it; empty for a text."""
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    @property
    def resolve(self) -> tuple[str, ...]:
        """What can be done about it."""
        if self.other is not None:
            return _resolution_hints(self.memory, self.other)
        return (
            f"comply: {_compliance_hint(self)}",
            f"supersede: holdfast remember … --supersedes {self.memory}",
            f"narrow: holdfast edit {self.memory} (its `paths` say where it holds)",
        )


class Checked(Value):
    """What a check came to: findings, what could not be read, memory whose `enforce` cannot be used, and counts."""

    findings: tuple[Finding, ...] = ()
    unread: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    memories: int = 0
    rules: int = 0
    files: int = 0
    held_back: int = 0

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are certain."""
        return tuple(found for found in self.findings if found.severity is Severity.ERROR)

    @property
    def clean(self) -> bool:
        """Whether nothing at all is to be said."""
        return not (self.findings or self.unread or self.problems or self.held_back)


def _resolution_hints(memory: str, other: Other) -> tuple[str, ...]:
    when = "after the merge, " if other.branch else ""
    both = f"holdfast resolve {memory} {other.id}"
    return (
        f"supersede: {when}{both} --supersede, or with the ids the other way round",
        f"keep the other: {when}{both} --keep-old",
        f"keep both: {when}{both} --narrow GLOB, or --keep-both --because WHY",
    )


_COMPLY = {
    "forbid_dependency": "take {what!r} out",
    "approve_new_dependency": "do without {what!r}, or have it approved",
    "approve_new_runtime_dependency": "do without {what!r}, make it one for development, or have it approved",
    "forbid_import": "do not import {what!r}",
    "forbid_call": "do not call {what!r}",
    "forbid_path": "put the file elsewhere",
    "forbid_change": "leave {what!r} as it is",
    "require_path": "add a file at {what!r}",
    "require_change": "change {what} too",
    "require_pattern": "add that line",
    "forbid_pattern": "write the line another way",
    "forbid_code": "write the line another way",
    "rejected": "do it without {what!r}",
}


def _compliance_hint(found: Finding) -> str:
    return _COMPLY.get(found.rule, "change what is planned").format(what=found.what)
