"""Manifests of JavaScript projects: package.json, deno.json, and the workspaces of pnpm and Yarn."""

import re
from collections.abc import Iterator
from typing import Any

from holdfast.core.value import replace
from holdfast.ecosystems.json_with_lines import read_json_table
from holdfast.ecosystems.lined_values import LinedTable, walk_tables
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import JSR, NPM, NamedPackage, read_requirement
from holdfast.ecosystems.yaml_with_lines import read_yaml_table

_GROUPS = (
    "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "bundleDependencies",
    "bundledDependencies",
)  # fmt: skip
_STARTING = ("start", "dev", "serve")
# `npm:left-pad@1`, `jsr:@std/assert@1`, `npm:/chalk@5`.
_ADDRESSED = re.compile(r"(npm|jsr):/?(.+)", re.DOTALL)
Found = Iterator[NamedPackage]


def read_package_json(text: str) -> ManifestContents:
    """package.json, with the catalogs that Bun keeps in it."""
    document = read_json_table(text)
    gaps: list[ManifestGap] = []
    packages = tuple(dict.fromkeys([*_walk_groups(document, gaps), *_walk_workspaces(document, gaps)]))
    return ManifestContents(
        packages=packages, name=document.text("name"), starts=tuple(_list_starts(document)), gaps=tuple(gaps),
        typed=any(package.name == "typescript" for package in packages),
    )  # fmt: skip


def read_deno_json(text: str) -> ManifestContents:
    """deno.json: what its imports take from npm and JSR. Remarks may stand in it."""
    return replace(read_import_map(text), typed=True)


def read_import_map(text: str) -> ManifestContents:
    """An import map by itself: the same."""
    document = read_json_table(text, relaxed=True)
    gaps: list[ManifestGap] = []
    maps = [*walk_tables(document, ("imports",), gaps)]
    for scopes in walk_tables(document, ("scopes",), gaps):
        maps += [held for _, held, _ in scopes.pairs if isinstance(held, LinedTable)]
    found = [package for each in maps for _, held, line in each.pairs for package in _list_addressed(held, line)]
    return ManifestContents(packages=tuple(dict.fromkeys(found)), name=document.text("name"), gaps=tuple(gaps))


def read_workspace_yaml(text: str) -> ManifestContents:
    """pnpm-workspace.yaml or .yarnrc.yml: the packages of their catalogs."""
    document = read_yaml_table(text)
    gaps: list[ManifestGap] = []
    found = [*_walk_catalogs(document, gaps)]
    for table in walk_tables(document, ("configDependencies",), gaps):
        found += _list_versions(table)
    return ManifestContents(packages=tuple(dict.fromkeys(found)), gaps=tuple(gaps))


def _walk_groups(document: LinedTable, gaps: list[ManifestGap]) -> Found:
    for key, held, line in document.pairs:
        if key not in _GROUPS:
            continue
        if isinstance(held, LinedTable):
            yield from _list_versions(held)
        elif isinstance(held, list):
            yield from (_of_npm(name, at) for name, at in held if isinstance(name, str))
        elif held is not None and not (key.startswith("bundle") and isinstance(held, bool)):
            gaps.append(ManifestGap(reason=f"`{key}` is no table of names", line=line))


def _walk_workspaces(document: LinedTable, gaps: list[ManifestGap]) -> Found:
    yield from _walk_catalogs(document, gaps)
    if isinstance(document.get("workspaces"), LinedTable):
        yield from _walk_catalogs(document.table("workspaces"), gaps)


def _walk_catalogs(document: LinedTable, gaps: list[ManifestGap]) -> Found:
    for table in walk_tables(document, ("catalog",), gaps):
        yield from _list_versions(table)
    for catalogs in walk_tables(document, ("catalogs",), gaps):
        for table in walk_tables(catalogs, tuple(key for key, _, _ in catalogs.pairs), gaps, "catalogs."):
            yield from _list_versions(table)


def _list_versions(table: LinedTable) -> Found:
    """The packages of a table of versions; an alias counts by both names."""
    for name, version, line in table.pairs:
        yield _of_npm(name, line)
        yield from _list_addressed(version, line)


def _list_addressed(held: Any, line: int) -> Found:
    found = _ADDRESSED.match(held) if isinstance(held, str) else None
    name = read_requirement(found[2]) if found else ""
    if found and name:
        parts = name.split("/")
        whole = "/".join(parts[: 2 if name.startswith("@") else 1])
        yield NamedPackage(name=whole, ecosystem=JSR if found[1] == "jsr" else NPM, line=line)


def _of_npm(name: str, line: int) -> NamedPackage:
    return NamedPackage(name=name, ecosystem=NPM, line=line)


def _list_starts(document: LinedTable) -> Iterator[tuple[str, str]]:
    yield from ((path, f"command {name}") for name, path in _list_bins(document))
    mains = [document.text(key) for key in ("main", "module")]
    yield from [(main, "main") for main in mains if main][:1]
    scripts = document.table("scripts")
    yield from ((f"npm run {name}", scripts.text(name)) for name in _STARTING if scripts.text(name))


def _list_bins(document: LinedTable) -> list[tuple[str, str]]:
    if document.text("bin"):
        return [((document.text("name") or "bin").rpartition("/")[2], document.text("bin"))]
    return [(name, path) for name, path, _ in document.table("bin").pairs if isinstance(path, str)]
