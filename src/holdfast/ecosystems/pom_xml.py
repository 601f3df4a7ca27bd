"""pom.xml, the manifest of Maven projects."""

import re
from collections.abc import Iterator

from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import MAVEN, list_packages
from holdfast.ecosystems.xml_with_lines import XmlElement, read_xml

PLUGINS = "org.apache.maven.plugins"
_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
_NAMING = frozenset({"dependency", "plugin", "extension", "path"})
_STARTING = frozenset({"mainClass", "start-class"})


def read_pom_xml(text: str) -> ManifestContents:
    """The dependencies, plugins and extensions of a pom, as group and artifact; what they exclude is not among them."""
    project = read_xml(text)
    properties = _list_properties(project)
    gaps: list[ManifestGap] = []
    found = [*_walk_named(project, properties, gaps)]
    parents = [child for child in project.children if child.tag == "parent"]
    return ManifestContents(
        packages=list_packages(MAVEN, found), name=project.child_text("artifactId"), gaps=tuple(gaps),
        starts=tuple((each.text.strip(), "main class") for each in project.walk() if each.tag in _STARTING),
        related=frozenset(part for each in parents for part in map(each.child_text, ("groupId", "artifactId")) if part),
    )  # fmt: skip


def _walk_named(project: XmlElement, properties: dict[str, str], gaps: list[ManifestGap]) -> Iterator[tuple[str, int]]:
    for each in project.walk():
        artifact = each.child_text("artifactId") if each.tag in _NAMING else ""
        if not artifact:
            continue
        group = each.child_text("groupId") or (PLUGINS if each.tag == "plugin" else "")
        name = _fill(f"{group}:{artifact}" if group else artifact, properties)
        if _PROPERTY.search(name):
            gaps.append(ManifestGap(reason=f"{name[:100]!r} has a property that is not set in it", line=each.line))
        yield name, each.line


def _list_properties(project: XmlElement) -> dict[str, str]:
    """What `${…}` stands for in this file alone."""
    found = {
        child.tag: child.text.strip()
        for table in project.children
        if table.tag == "properties"
        for child in table.children
    }
    above = next((child for child in project.children if child.tag == "parent"), project)
    group = project.child_text("groupId") or above.child_text("groupId")
    own = {
        "groupId": group,
        "artifactId": project.child_text("artifactId"),
        "parent.groupId": above.child_text("groupId"),
    }
    for key, value in own.items():
        if value:
            found |= {f"project.{key}": value, f"pom.{key}": value}
    return found


def _fill(name: str, properties: dict[str, str]) -> str:
    for _ in range(3):
        name = _PROPERTY.sub(lambda found: properties.get(found[1], found[0]), name)[:400]
    return name
