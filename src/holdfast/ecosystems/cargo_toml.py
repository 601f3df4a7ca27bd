"""Cargo.toml, the manifest of Rust projects."""

from collections.abc import Iterator, Mapping

from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import CARGO, list_packages
from holdfast.ecosystems.toml_with_lines import TomlDocument

_TABLES = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")


def read_cargo_toml(text: str) -> ManifestContents:
    """The crates of a package, of its targets and of its workspace; a renamed one by its own name."""
    document = TomlDocument(text)
    bins = document.tables.get("bin")
    programs = [each for each in (bins if isinstance(bins, list) else ()) if isinstance(each, Mapping)]
    return ManifestContents(
        packages=list_packages(CARGO, _walk_crates(document)), name=document.text("package", "name"),
        starts=tuple((str(each["path"]), f"command {each.get('name', '')}") for each in programs if each.get("path")),
        gaps=tuple(document.gaps),
    )  # fmt: skip


def _walk_crates(document: TomlDocument) -> Iterator[tuple[str, int]]:
    places: list[tuple[str, ...]] = [(), ("workspace",)]
    places += [("target", name) for name in document.table("target")]
    for place in places:
        for table in _TABLES:
            for name, how, line in document.walk_names(*place, table):
                renamed = how.get("package") if isinstance(how, Mapping) else None
                yield (renamed if isinstance(renamed, str) else name), line
