"""The table of manifests: by the name of a file its ecosystem, the language it speaks for, and what reads it."""

import re
from collections.abc import Callable, Mapping
from importlib import import_module

from holdfast.core.value import Value
from holdfast.ecosystems.manifest_contents import ManifestContents

# The languages of projects, as the context of a session names them.
PYTHON, NODE, RUST, GO, JAVA, RUBY, C, PHP, CSHARP, ELIXIR, SWIFT, DART = (
    "python", "node", "rust", "go", "java", "ruby", "c", "php", "csharp", "elixir", "swift", "dart",
)  # fmt: skip
Reader = Callable[[str], ManifestContents]


class ManifestKind(Value):
    """A kind of manifest: the language of the projects that it speaks for, and what reads it (module and function).

    `includes`: whether it may take in other files.
    """

    language: str
    reader: str
    includes: bool = False

    def read(self, text: str) -> ManifestContents:
        """What a text of this kind says. Raises Unreadable."""
        # Loaded when it is needed: a check before a tool runs reads one kind, or none.
        module, _, function = self.reader.partition(".")
        read: Reader = getattr(import_module(f"holdfast.ecosystems.{module}"), function)
        return read(text)


def find_manifest_kind(path: str) -> ManifestKind | None:
    """What kind of manifest a path is, by its name; None for other files."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    known = _BY_NAME.get(name)
    if known or "." not in name:
        return known
    ending = _BY_ENDING.get(name[name.rindex(".") :].lower())
    if ending:
        return ending
    if name.startswith("Gemfile.") and not name.endswith(".lock"):
        return _GEMFILE
    if name.endswith((".txt", ".in")):
        named = "requirements" in name.lower() or folder.rpartition("/")[2] == "requirements"
        return REQUIREMENTS if named else None
    return _CONDA if name.endswith((".yml", ".yaml")) and _ENVIRONMENT.fullmatch(name) else None


REQUIREMENTS = ManifestKind(language=PYTHON, reader="python_manifests.read_requirements", includes=True)
_CONDA = ManifestKind(language=PYTHON, reader="conda_manifests.read_conda_environment", includes=True)
_GRADLE = ManifestKind(language=JAVA, reader="gradle_builds.read_gradle")
_GEMFILE = ManifestKind(language=RUBY, reader="ruby_manifests.read_gemfile")
_DENO = ManifestKind(language=NODE, reader="node_manifests.read_deno_json")
_WORKSPACE = ManifestKind(language=NODE, reader="node_manifests.read_workspace_yaml")
_DOTNET = ManifestKind(language=CSHARP, reader="dotnet_projects.read_dotnet_project")
# environment.yml, environment-dev.yaml, docs.environment.yml, conda-env.yml
_ENVIRONMENT = re.compile(r"(?:[\w.-]+[-_.])?environment(?:[-_.][\w.-]+)?\.ya?ml|conda[-_]env(?:[-_.][\w.-]+)?\.ya?ml")
_BY_NAME: Mapping[str, ManifestKind] = {
    "pyproject.toml": ManifestKind(language=PYTHON, reader="python_manifests.read_pyproject"),
    "setup.py": ManifestKind(language=PYTHON, reader="setup_py.read_setup_py"),
    "setup.cfg": ManifestKind(language=PYTHON, reader="python_manifests.read_setup_cfg"),
    "Pipfile": ManifestKind(language=PYTHON, reader="python_manifests.read_pipfile"),
    "pixi.toml": ManifestKind(language=PYTHON, reader="conda_manifests.read_pixi"),
    "package.json": ManifestKind(language=NODE, reader="node_manifests.read_package_json"),
    "deno.json": _DENO,
    "deno.jsonc": _DENO,
    "import_map.json": ManifestKind(language=NODE, reader="node_manifests.read_import_map"),
    "pnpm-workspace.yaml": _WORKSPACE,
    ".yarnrc.yml": _WORKSPACE,
    "Cargo.toml": ManifestKind(language=RUST, reader="cargo_toml.read_cargo_toml"),
    "go.mod": ManifestKind(language=GO, reader="go_mod.read_go_mod"),
    "pom.xml": ManifestKind(language=JAVA, reader="pom_xml.read_pom_xml"),
    "build.gradle": _GRADLE,
    "build.gradle.kts": _GRADLE,
    "settings.gradle": _GRADLE,
    "settings.gradle.kts": _GRADLE,
    "libs.versions.toml": ManifestKind(language=JAVA, reader="gradle_builds.read_version_catalog"),
    "Gemfile": _GEMFILE,
    "gems.rb": _GEMFILE,
    "composer.json": ManifestKind(language=PHP, reader="composer_json.read_composer_json"),
    "Directory.Packages.props": _DOTNET,
    "Directory.Build.props": _DOTNET,
    "Directory.Build.targets": _DOTNET,
    "packages.config": _DOTNET,
    "mix.exs": ManifestKind(language=ELIXIR, reader="mix_exs.read_mix_exs"),
    "Package.swift": ManifestKind(language=SWIFT, reader="swift_package.read_swift_package"),
    "pubspec.yaml": ManifestKind(language=DART, reader="dart_pubspec.read_pubspec"),
    "CMakeLists.txt": ManifestKind(language=C, reader="native_builds.read_cmake"),
    "meson.build": ManifestKind(language=C, reader="native_builds.read_meson"),
    "configure.ac": ManifestKind(language=C, reader="native_builds.read_autoconf"),
    "configure": ManifestKind(language=C, reader="native_builds.read_nothing"),
}
_BY_ENDING: Mapping[str, ManifestKind] = {
    ".gemspec": ManifestKind(language=RUBY, reader="ruby_manifests.read_gemspec"),
    ".gemfile": _GEMFILE,
    ".gradle": _GRADLE,
    ".sbt": ManifestKind(language=JAVA, reader="gradle_builds.read_sbt"),
    ".csproj": _DOTNET,
    ".fsproj": _DOTNET,
    ".vbproj": _DOTNET,
}
