"""pubspec.yaml, the manifest of Dart and Flutter projects."""

from holdfast.ecosystems.lined_values import LinedTable, walk_tables
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import PUB, list_packages
from holdfast.ecosystems.yaml_with_lines import read_yaml_table

_TABLES = ("dependencies", "dev_dependencies", "dependency_overrides")


def read_pubspec(text: str) -> ManifestContents:
    """What a Dart project depends on; what comes with an SDK is no package."""
    document = read_yaml_table(text)
    gaps: list[ManifestGap] = []
    found: list[tuple[str, int]] = []
    of_sdk: set[str] = set()
    for table in walk_tables(document, _TABLES, gaps):
        for name, held, line in table.pairs:
            if isinstance(held, LinedTable) and held.get("sdk"):
                of_sdk.add(name)
            else:
                found.append((name, line))
    return ManifestContents(
        packages=list_packages(PUB, found), name=document.text("name"), related=frozenset(of_sdk), gaps=tuple(gaps)
    )
