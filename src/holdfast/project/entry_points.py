"""Where a project starts: commands it installs, main files, programs it builds."""

import re
from collections.abc import Iterator

from holdfast.core.value import Value
from holdfast.project.file_tree import FolderListing
from holdfast.project.manifest_facts import ProjectManifest
from holdfast.project.project_kind import ProjectInfo

MOST = 20
_ROOT_FILES = (
    "manage.py", "main.py", "app.py", "__main__.py", "wsgi.py", "asgi.py", "cli.py", "src/main.py", "src/app.py",
    "app/main.py", "src/main.rs", "src/lib.rs", "main.go", "src/index.ts", "src/index.tsx", "src/index.js",
    "src/main.ts", "src/main.tsx", "src/main.js", "index.ts", "index.js", "server.ts", "server.js", "app.js",
    "src/server.ts", "src/app.ts", "src/App.tsx", "app/page.tsx", "src/app/page.tsx", "pages/index.tsx",
    "pages/index.js", "src/routes/+page.svelte", "config.ru", "main.rb", "app.rb", "main.c", "main.cpp", "main.cc",
    "src/main.c", "src/main.cpp", "src/main.cc", "src/main.cxx", "index.php", "public/index.php", "Program.cs",
    "lib/main.dart",
)  # fmt: skip
_DEEPER = re.compile(
    r"""(?x)
    (?:cmd|src/bin)/[^/]+(?:/main\.(?:go|rs)|\.rs)      # programs of their own
  | (?:[^/]+/){1,3}__main__\.py
  | (?:[^/]+/){1,2}(?:manage|main)\.py
  | (?:[^/]+/){1,3}(?:src/main\.(?:rs|ts|tsx|c|cpp)|src/index\.(?:ts|tsx|js)|main\.go)
  | (?:[^/]+/)?src/main/(?:java|kotlin)/(?:[^/]+/)*(?:[A-Z]\w*)?(?:Application|Main)\.(?:java|kt)
  | (?:bin|exe)/[^/.]+
    """
)
# What no file is called that such a path ends in is not looked at twice.
_MAY_START = re.compile(r"[^.]+|.*\.(?:py|rs|go|tsx?|js|c|cpp|java|kt)").fullmatch


class EntryPoint(Value):
    """One place where it starts: a file where there is one, else a command; and what it is."""

    where: str
    what: str = ""
    path: str = ""

    def __str__(self) -> str:
        return f"{self.where} ({self.what})" if self.what else self.where


def find_entry_points(found: FolderListing, project: ProjectInfo) -> tuple[EntryPoint, ...]:
    """Where a project starts, what its manifests name first; no more than twenty."""
    entries: dict[str, EntryPoint] = {}
    for entry in (*_find_named(found, project), *_find_usual(found)):
        key = entry.path or entry.where
        if key not in entries and len(entries) < MOST:
            entries[key] = entry
    return tuple(entries.values())


def _find_named(found: FolderListing, project: ProjectInfo) -> Iterator[EntryPoint]:
    for manifest in project.manifests:
        for where, what in manifest.starts:
            path = _file_of(found, manifest, where)
            yield EntryPoint(where=path or _describe_place(manifest, where), what=what, path=path)


def _describe_place(manifest: ProjectManifest, where: str) -> str:
    """What is not a file: where it is told, if that is not the top."""
    return f"{where} in {manifest.folder}" if manifest.folder and where.startswith("npm ") else where


def _file_of(found: FolderListing, manifest: ProjectManifest, where: str) -> str:
    """The file that a manifest means; empty where it was not seen."""
    before = f"{manifest.folder}/" if manifest.folder else ""
    bare = where.partition(":")[0].removeprefix("./")
    dotted = bare.replace(".", "/")
    asked = [bare, f"{dotted}.py", f"src/{dotted}.py", f"{dotted}/__init__.py", f"src/{dotted}/__init__.py"]
    asked += [f"src/main/java/{dotted}.java", f"src/main/kotlin/{dotted}.kt", f"src/{bare}.c", f"src/{bare}.cpp"]
    asked += [f"{bare}.c", f"{bare}.cpp", f"{bare}.js", f"{bare}/index.js"]
    return next((f"{before}{path}" for path in asked if path and found.has(f"{before}{path}")), "")


def _find_usual(found: FolderListing) -> Iterator[EntryPoint]:
    yield from (EntryPoint(where=path, path=path) for path in _ROOT_FILES if found.has(path))
    near = found.named(_MAY_START, aside=False)
    yield from (EntryPoint(where=path, path=path) for path in near if _DEEPER.fullmatch(path) and path.isprintable())
