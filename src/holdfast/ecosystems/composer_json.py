"""composer.json, the manifest of PHP projects."""

from holdfast.ecosystems.json_with_lines import read_json_table
from holdfast.ecosystems.lined_values import walk_tables
from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import COMPOSER, list_packages

# PHP and Composer themselves are no packages.
_PLATFORM = ("php", "php-64bit", "php-ipv6", "php-zts", "php-debug", "hhvm", "composer")


def read_composer_json(text: str) -> ManifestContents:
    """What a PHP project requires, also for development."""
    document = read_json_table(text)
    gaps: list[ManifestGap] = []
    found = [
        (name, line)
        for table in walk_tables(document, ("require", "require-dev"), gaps)
        for name, _, line in table.pairs
        if name.lower() not in _PLATFORM and not name.lower().startswith("composer-")
    ]
    return ManifestContents(packages=list_packages(COMPOSER, found), name=document.text("name"), gaps=tuple(gaps))
