"""Projects of .NET: csproj and its kin, central package versions, packages.config."""

from collections.abc import Iterator

from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import NUGET, list_packages
from holdfast.ecosystems.xml_with_lines import XmlElement, read_xml

_NAMING = frozenset(
    {"PackageReference", "PackageVersion", "GlobalPackageReference", "PackageDownload", "DotNetCliToolReference"}
)


def read_dotnet_project(text: str) -> ManifestContents:
    """The packages that a project refers to, or whose versions are kept for it."""
    project = read_xml(text)
    name = next((each.text.strip() for each in project.walk() if each.tag == "AssemblyName"), "")
    return ManifestContents(packages=list_packages(NUGET, _walk_packages(project)), name="" if "$(" in name else name)


def _walk_packages(project: XmlElement) -> Iterator[tuple[str, int]]:
    for each in project.walk():
        if each.tag in _NAMING:
            said = each.attributes.get("Include") or each.attributes.get("Update") or ""
            yield from ((name.strip(), each.line) for name in said.split(";") if "$(" not in name)
        elif each.tag == "package":
            yield each.attributes.get("id", ""), each.line
