"""A module that a source file imports."""

from holdfast.core.value import Value
from holdfast.ecosystems.package_names import last_part


class ImportedModule(Value):
    """A module that a file imports. `relative`: resolved from the file's own place. `mark` parts its name.

    `owned`: how many parts of the name say which package it is of.
    """

    module: str
    line: int
    relative: bool = False
    mark: str = "."
    owned: int = 1

    @property
    def package(self) -> str:
        """The package that it is of: `lodash` of `lodash/fp`, `@a/b` of `@a/b/c`, `host/a/b` of `host/a/b/c`."""
        parts = self.module.split(self.mark)
        return self.mark.join(parts[: 2 if self.module.startswith("@") else self.owned])

    @property
    def names(self) -> tuple[str, ...]:
        """What its package may be called: by its whole name, and without who owns it (`gin`)."""
        return (self.package, last_part(self.package)) if self.owned > 1 else (self.package,)

    def is_below(self, rule: str) -> bool:
        """Whether it is a module or something below it; a relative one also by what its path ends in.

        `*.db` is a `db` anywhere in the name; `log$` that module alone.
        """
        if rule.endswith("$"):
            return self.module == rule[:-1]
        anywhere = rule.startswith(f"*{self.mark}")
        parts, wanted = self.module.split(self.mark), rule.removeprefix("*").strip(self.mark).split(self.mark)
        starts = range(len(parts)) if self.relative or anywhere else range(1)
        return any(parts[start : start + len(wanted)] == wanted for start in starts)


def resolve_path(path: str, source: str) -> str:
    """The path in the workspace that a file means by a relative one."""
    parts = path.replace("\\", "/").split("/")[:-1]
    for part in source.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
