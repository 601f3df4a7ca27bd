"""Manifests of Conda environments: environment.yml and pixi.toml."""

from collections.abc import Iterator
from typing import Any

from holdfast.ecosystems.lined_values import LinedTable, walk_texts
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import CONDA, PYPI, NamedPackage, list_packages, read_conda_spec
from holdfast.ecosystems.requirement_lines import sort_requirement_lines
from holdfast.ecosystems.toml_with_lines import TomlDocument
from holdfast.ecosystems.yaml_with_lines import read_yaml_table

_PIXI_TABLES = ("dependencies", "host-dependencies", "build-dependencies", "run-dependencies")


def read_conda_environment(text: str) -> ManifestContents:
    """environment.yml: what Conda installs, and what its `pip` list does."""
    document = read_yaml_table(text)
    gaps: list[ManifestGap] = []
    conda: list[tuple[str, int]] = []
    pip: list[tuple[str, int]] = []
    for held, line in _walk_dependencies(document, gaps):
        if isinstance(held, str):
            conda.append((read_conda_spec(held), line))
        elif isinstance(held, LinedTable):
            for key, listed, at in held.pairs:
                pip += walk_texts(listed, key, at, gaps) if key == "pip" else ()
    lines = sort_requirement_lines(iter(pip))
    return ManifestContents(
        packages=(*list_packages(CONDA, conda), *list_packages(PYPI, lines.found)), name=document.text("name"),
        includes=lines.includes, gaps=(*gaps, *lines.gaps),
    )  # fmt: skip


def read_pixi(text: str) -> ManifestContents:
    """pixi.toml, with its features and targets."""
    document = TomlDocument(text)
    return ManifestContents(
        packages=list_pixi_packages(document),
        name=document.text("workspace", "name") or document.text("project", "name"),
        gaps=tuple(document.gaps),
    )


def list_pixi_packages(document: TomlDocument, *above: str) -> tuple[NamedPackage, ...]:
    """The packages of a Pixi workspace below some keys, those of its features and targets too."""
    places = [above, *((*above, "target", name) for name in document.table(*above, "target"))]
    for feature in document.table(*above, "feature"):
        inside = (*above, "feature", feature)
        places += [inside, *((*inside, "target", name) for name in document.table(*inside, "target"))]
    conda = [
        (name, line)
        for place in places
        for table in _PIXI_TABLES
        for name, _, line in document.walk_names(*place, table)
        if name != "python"
    ]
    pypi = [(name, line) for place in places for name, _, line in document.walk_names(*place, "pypi-dependencies")]
    return (*list_packages(CONDA, conda), *list_packages(PYPI, pypi))


def _walk_dependencies(document: LinedTable, gaps: list[ManifestGap]) -> Iterator[tuple[Any, int]]:
    for key, held, line in document.pairs:
        if key != "dependencies":
            continue
        if isinstance(held, list):
            yield from held
        elif held not in (None, "", "null", "~"):
            gaps.append(ManifestGap(reason="`dependencies` is no list", line=line))
