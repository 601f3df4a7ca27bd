"""Manifests of every kind: which packages they name, on which line."""

from importlib import import_module

import pytest

from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.manifest_readers import is_manifest, list_names_in_piece, read_manifest
from holdfast.ecosystems.manifest_table import _BY_ENDING, _BY_NAME, _CONDA, REQUIREMENTS

PYPROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]

[project]
name = "x"
dependencies = [
    "Ruamel.YAML>=0.17",  # remark
    'requests[socks]>=2; python_version > "3"',
    "local @ file:///x",
]

[project.optional-dependencies]
fast = ["orjson"]

[dependency-groups]
dev = ["pytest", {include-group = "lint"}]
lint = ["ruff"]

[tool.poetry.dependencies]
python = "^3.11"
django = {version = "^5", extras = ["x"]}

[tool.poetry.group.docs.dependencies]
mkdocs = "*"

[tool.uv]
dev-dependencies = ["mypy"]

[tool.pdm.dev-dependencies]
test = ["tox"]

[tool.hatch.envs.docs]
dependencies = ["sphinx"]

[tool.flit.metadata]
requires = ["flit-one"]

[tool.rye]
dev-dependencies = ["black"]

[tool.pixi.dependencies]
compilers = "*"
"""
PIPFILE = """\
[[source]]
url = "https://example.invalid"
verify_ssl = true

[packages]
requests = "*"
"ruamel.yaml" = {version = "*"}

[dev-packages]
pytest = "*"

[docs]
sphinx = "*"

[requires]
python_version = "3.12"
"""
SETUP_CFG = """\
[metadata]
name = x

[options]
install_requires =
    requests>=2
    # a remark
    importlib-metadata; python_version<"3.8"
setup_requires = wheel; setuptools_scm
[options.extras_require]
test =
    pytest
[tool:pytest]
addopts = -q
"""
SETUP_PY = """\
from setuptools import setup

BASE = ["requests>=2"]
MORE = BASE + ["rich"]
setup(
    name="x",
    install_requires=MORE,
    extras_require={"test": ["pytest", "tox"]},
    tests_require=read("requirements.txt"),
    entry_points={"console_scripts": ["x = x.cli:main"], "x.plugins": ["a = b"]},
)
"""
REQUIREMENTS_TXT = """\
# comment
-r base.txt
--index-url https://example.invalid/simple
Django>=4,<5 \\
    --hash=sha256:abc
uvicorn[standard]==0.30 ; python_version > "3.8"
git+https://example.invalid/x.git#egg=Odd_Name
name @ https://example.invalid/n.whl
./local
https://example.invalid/plain.whl
zope.interface  # trailing
-r https://example.invalid/more.txt
"""
ENVIRONMENT = """\
name: x
channels:
  - conda-forge
dependencies:
  - python=3.12
  - numpy>=1.26
  - conda-forge::scipy=1.11=py_0
  - https://example.invalid/pkg.conda
  - pip
  - pip:
      - Requests[socks]==2.31
      - -r requirements.txt
"""
PIXI = """\
[workspace]
name = "x"

[dependencies]
python = ">=3.11"
numpy = "*"

[pypi-dependencies]
rich = "*"

[feature.test.dependencies]
pytest = "*"

[target.linux-64.dependencies]
gcc = "*"
"""
PACKAGE = """\
{
  "name": "x",
  "dependencies": {"react": "^18", "@Scope/pkg": "1"},
  "devDependencies": {
    "vite": "5",
    "old": "npm:left-pad@1.0.0"
  },
  "peerDependencies": {"vue": "3"},
  "optionalDependencies": {"fsevents": "2"},
  "bundleDependencies": ["tar"],
  "scripts": {"lodash": "echo"},
  "workspaces": {
    "packages": ["a/*"],
    "catalog": {"zod": "3"},
    "catalogs": {"old": {"zod-old": "2"}}
  }
}
"""
DENO = """\
{
  // what it takes
  "imports": {
    "chalk": "npm:chalk@5",
    "assert": "jsr:@std/assert@^1", /* two */
    "deep": "npm:/lodash@4/fp",
    "local/": "./src/",
  },
  "scopes": {"x": {"y": "npm:@a/b@1"}}
}
"""
PNPM = """\
packages:
  - "apps/*"
catalog:
  react: ^18
catalogs:
  next:
    "@scope/pkg": ^1
"""
COMPOSER = """\
{
  "name": "acme/shop",
  "require": {
    "php": ">=8.1",
    "ext-json": "*",
    "composer-runtime-api": "^2",
    "Monolog/Monolog": "^3"
  },
  "require-dev": {"phpunit/phpunit": "^10"},
  "conflict": {"guzzlehttp/guzzle": "<6"}
}
"""
CARGO = """\
[package]
name = "x"

[dependencies]
serde = { version = "1", features = ["derive"] }
alias = { package = "real_crate", version = "1" }
shared.workspace = true

[dependencies.tokio]
version = "1"

[dev-dependencies]
proptest = "1"

[target.'cfg(unix)'.dependencies]
nix = "0.29"

[workspace.dependencies]
anyhow = "1"
"""
GO = """\
module example.com/x

go 1.22

require github.com/one/two/v2 v2.1.0
require (
\tgithub.com/pkg/errors v0.9.1
\tgolang.org/x/net v0.1.0 // indirect
)

replace github.com/a/b => github.com/fork/b v1.0.0
replace github.com/c/d => ../local
"""
GEMFILE = """\
source "https://rubygems.org"
gem "rails", "~> 7"
  gem 'sidekiq'
# gem "redis"
gem("pg")
"""
GEMSPEC = """\
Gem::Specification.new do |s|
  s.name = "x"
  s.add_dependency "rack", ">= 2"
  s.add_development_dependency(%q<rspec>, "~> 3") # s.add_dependency "no"
end
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>com.acme</groupId>
  <properties><log.group>org.slf4j</log.group></properties>
  <dependencies>
    <dependency>
      <groupId>${log.group}</groupId>
      <artifactId>slf4j-log4j12</artifactId>
      <exclusions><exclusion><groupId>log4j</groupId><artifactId>log4j</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId></dependency>
  </dependencies>
  <build><plugins>
    <plugin>
      <artifactId>maven-shade-plugin</artifactId>
      <dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies>
    </plugin>
  </plugins></build>
</project>
"""
GRADLE = """\
plugins {
    id 'java'
    id 'org.springframework.boot' version '3.2.0'
}
dependencies {
    implementation 'com.google.guava:guava:33.0.0-jre'
    // implementation 'no:no:1'
    testImplementation group: 'junit', name: 'junit', version: '4.13'
    implementation platform("io.micronaut:micronaut-bom:4")
    implementation project(':core')
}
def url = "localhost:8080"
"""
GRADLE_KTS = """\
plugins {
    kotlin("plugin.serialization") version "2.0"
    id("io.ktor.plugin") version "3"
}
dependencies {
    implementation(kotlin("stdlib"))
    implementation("io.ktor:ktor-server:$ktor")
}
"""
CATALOG = """\
[versions]
kotlin = "2.0"

[libraries]
guava = "com.google.guava:guava:33"
core = { module = "io.ktor:ktor-core", version.ref = "kotlin" }
junit = { group = "junit", name = "junit", version = "4" }

[plugins]
shadow = { id = "com.gradleup.shadow", version = "8" }
"""
CSPROJ = """\
<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />
    <PackageReference Include="Serilog;Serilog.Sinks.Console">
      <Version>3</Version>
    </PackageReference>
    <PackageReference Include="$(Made)" />
    <ProjectReference Include="..\\Core\\Core.csproj" />
  </ItemGroup>
</Project>
"""
PROPS = '<Project>\n<ItemGroup>\n<PackageVersion Include="xunit" Version="2"/>\n</ItemGroup></Project>\n'
PUBSPEC = """\
name: shop
dependencies:
  flutter:
    sdk: flutter
  http: ^1.0.0
dev_dependencies:
  mockito: any
"""
SWIFT = """\
// swift-tools-version:5.9
let package = Package(
    name: "Shop",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),
        // .package(url: "https://github.com/no/no", from: "1.0.0"),
        .package(
            name: "Old", url: "git@github.com:vapor/vapor.git", branch: "main"),
        .package(id: "mona.LinkedList", from: "1.0.0"),
        .package(path: "../Core"),
    ]
)
"""
MIX = """\
defmodule Shop.MixProject do
  def project, do: [app: :shop, deps: deps()]
  defp deps do
    [
      {:phoenix, "~> 1.7"},
      # {:no, "~> 1.0"},
      {:plug, git: "https://example.invalid/plug"},
      {:core, path: "../core"},
      {:other, in_umbrella: true}
    ]
  end
end
"""
SBT = 'name := "shop"\nlibraryDependencies += "org.typelevel" %% "cats-core" % "2.10.0"\n'
CMAKE = "project(shop)\n# find_package(No)\nfind_package(Qt6 REQUIRED)\n"
MESON = "project('shop', 'c')\ndep = dependency('gtk4')\n"

KINDS = [
    ("a/pyproject.toml", PYPROJECT, {
        "hatchling": 2, "Ruamel.YAML": 7, "requests": 8, "local": 9, "orjson": 13, "pytest": 16, "ruff": 17,
        "django": 21, "mkdocs": 24, "mypy": 27, "tox": 30, "sphinx": 33, "flit-one": 36, "black": 39, "compilers": 42,
    }),
    ("Pipfile", PIPFILE, {"requests": 6, "ruamel.yaml": 7, "pytest": 10, "sphinx": 13}),
    ("setup.cfg", SETUP_CFG, {
        "requests": 6, "importlib-metadata": 8, "wheel": 9, "setuptools_scm": 9, "pytest": 12,
    }),
    ("setup.py", SETUP_PY, {"requests": 3, "rich": 4, "pytest": 8, "tox": 8}),
    *((path, REQUIREMENTS_TXT, {"Django": 4, "uvicorn": 6, "Odd_Name": 7, "name": 8, "zope.interface": 11})
      for path in ("requirements.txt", "requirements-dev.txt", "dev-requirements.in", "requirements/ci.txt")),
    *((path, ENVIRONMENT, {"numpy": 6, "scipy": 7, "pip": 9, "Requests": 11})
      for path in ("environment.yml", "environment.yaml", "ci/environment-dev.yml", "conda-env.yml")),
    ("pixi.toml", PIXI, {"numpy": 6, "rich": 9, "pytest": 12, "gcc": 15}),
    ("package.json", PACKAGE, {
        "react": 3, "@Scope/pkg": 3, "vite": 5, "old": 6, "left-pad": 6, "vue": 8, "fsevents": 9, "tar": 10,
        "zod": 14, "zod-old": 15,
    }),
    ("deno.json", DENO, {"chalk": 4, "@std/assert": 5, "lodash": 6, "@a/b": 9}),
    ("deno.jsonc", DENO, {"chalk": 4, "@std/assert": 5, "lodash": 6, "@a/b": 9}),
    ("pnpm-workspace.yaml", PNPM, {"react": 4, "@scope/pkg": 7}),
    ("composer.json", COMPOSER, {"ext-json": 5, "Monolog/Monolog": 7, "phpunit/phpunit": 9}),
    ("Cargo.toml", CARGO, {
        "serde": 5, "real_crate": 6, "shared": 7, "tokio": 9, "proptest": 13, "nix": 16, "anyhow": 19,
    }),
    ("go.mod", GO, {"github.com/one/two/v2": 5, "github.com/pkg/errors": 7, "github.com/fork/b": 11}),
    ("Gemfile", GEMFILE, {"rails": 2, "sidekiq": 3, "pg": 5}),
    ("Gemfile.next", GEMFILE, {"rails": 2, "sidekiq": 3, "pg": 5}),
    ("x.gemspec", GEMSPEC, {"rack": 3, "rspec": 4}),
    ("pom.xml", POM, {
        "org.slf4j:slf4j-log4j12": 5, "com.acme:core": 10, "org.apache.maven.plugins:maven-shade-plugin": 13, "a:b": 15,
    }),
    ("build.gradle", GRADLE, {
        "org.springframework.boot": 3, "com.google.guava:guava": 6, "junit:junit": 8, "io.micronaut:micronaut-bom": 9,
    }),
    ("build.gradle.kts", GRADLE_KTS, {
        "org.jetbrains.kotlin.plugin.serialization": 2, "io.ktor.plugin": 3, "org.jetbrains.kotlin:kotlin-stdlib": 6,
        "io.ktor:ktor-server": 7,
    }),
    ("gradle/libs.versions.toml", CATALOG, {
        "com.google.guava:guava": 5, "io.ktor:ktor-core": 6, "junit:junit": 7, "com.gradleup.shadow": 10,
    }),
    ("build.sbt", SBT, {"org.typelevel:cats-core": 2}),
    ("src/Shop.csproj", CSPROJ, {"Newtonsoft.Json": 3, "Serilog": 4, "Serilog.Sinks.Console": 4}),
    ("Directory.Packages.props", PROPS, {"xunit": 3}),
    ("packages.config", '<packages>\n<package id="NUnit" version="3"/></packages>', {"NUnit": 2}),
    ("pubspec.yaml", PUBSPEC, {"http": 5, "mockito": 7}),
    ("Package.swift", SWIFT, {"github.com/apple/swift-nio": 5, "github.com/vapor/vapor": 8, "mona.LinkedList": 9}),
    ("mix.exs", MIX, {"phoenix": 5, "plug": 7}),
    ("CMakeLists.txt", CMAKE, {"Qt6": 3}),
    ("meson.build", MESON, {"gtk4": 2}),
]  # fmt: skip


def named(path: str, text: str) -> dict[str, int]:
    return {each.name: each.line for each in read_manifest(path, text).packages}


@pytest.mark.parametrize(("path", "text", "found"), KINDS, ids=[path for path, _, _ in KINDS])
def test_every_kind_names_its_packages_with_their_lines(path: str, text: str, found: dict[str, int]) -> None:
    assert named(path, text) == found


@pytest.mark.parametrize(("path", "text", "found"), KINDS, ids=[path for path, _, _ in KINDS])
def test_line_ends_and_a_byte_order_mark_change_nothing(path: str, text: str, found: dict[str, int]) -> None:
    assert named(path, "\ufeff" + text) == found
    assert named(path, text.replace("\n", "\r\n")) == found


def test_every_row_of_the_table_names_a_reader_that_is_there() -> None:
    for kind in {*_BY_NAME.values(), *_BY_ENDING.values(), REQUIREMENTS, _CONDA}:
        module, _, function = kind.reader.partition(".")
        assert callable(getattr(import_module(f"holdfast.ecosystems.{module}"), function))


def test_other_files_are_no_manifests() -> None:
    for path in ("notes.txt", "src/package.json.bak", ".github/workflows/conda.yml", "k8s/deployment.yaml"):
        assert not is_manifest(path)
    assert not is_manifest("Gemfile.lock")
    assert read_manifest("main.py", "import x") == ManifestContents()


def test_names_come_with_their_ecosystem() -> None:
    found = read_manifest("environment.yml", ENVIRONMENT).packages + read_manifest("deno.json", DENO).packages

    assert {each.name: each.ecosystem for each in found} == {
        "numpy": "conda", "scipy": "conda", "pip": "conda", "Requests": "pypi", "chalk": "npm", "@std/assert": "jsr",
        "lodash": "npm", "@a/b": "npm",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text", "line"), [("requirements.txt", REQUIREMENTS_TXT, 2), ("environment.yml", ENVIRONMENT, 12)]
)
def test_files_that_are_taken_in_are_told(path: str, text: str, line: int) -> None:
    [included] = read_manifest(path, text).includes

    assert (included.path, included.line) == ("base.txt" if line == 2 else "requirements.txt", line)


def test_a_file_that_is_taken_in_is_read_as_requirements_whatever_its_name() -> None:
    assert [each.name for each in read_manifest("deps.txt", "urwid\n", included=True).packages] == ["urwid"]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("pyproject.toml", PYPROJECT, "x"), ("setup.cfg", SETUP_CFG, "x"), ("setup.py", SETUP_PY, "x"),
        ("environment.yml", ENVIRONMENT, "x"), ("pixi.toml", PIXI, "x"), ("package.json", PACKAGE, "x"),
        ("composer.json", COMPOSER, "acme/shop"), ("Cargo.toml", CARGO, "x"), ("go.mod", GO, "x"),
        ("x.gemspec", GEMSPEC, "x"), ("build.sbt", SBT, "shop"), ("pubspec.yaml", PUBSPEC, "shop"),
        ("Package.swift", SWIFT, "Shop"), ("mix.exs", MIX, "shop"), ("CMakeLists.txt", CMAKE, "shop"),
    ],
)  # fmt: skip
def test_the_name_of_the_project(path: str, text: str, name: str) -> None:
    assert read_manifest(path, text).name == name


def test_where_a_project_starts_by_its_setup_py() -> None:
    assert read_manifest("setup.py", SETUP_PY).starts == (("x.cli:main", "command x"),)


@pytest.mark.parametrize(
    ("path", "piece", "name"),
    [
        ("pyproject.toml", 'dependencies = ["curses>=2"]', "curses"),
        ("package.json", '"curses": "2",', "curses"),
        ("Cargo.toml", 'curses = "1"', "curses"),
        ("go.mod", "\tgithub.com/a/curses v1.2.0", "github.com/a/curses"),
        ("environment.yml", "  - curses=1\n", "curses"),
        ("pom.xml", "<artifactId>curses</artifactId>", "curses"),
        ("App.csproj", '<PackageReference Include="Curses" />', "Curses"),
        ("build.gradle", "implementation 'org.x:curses:1'", "org.x:curses"),
        ("Gemfile", "gem 'curses'", "curses"),
        ("requirements.txt", "curses", "curses"),
        ("mix.exs", '{:curses, "~> 1"}', "curses"),
    ],
)
def test_the_names_in_a_piece_of_a_manifest(path: str, piece: str, name: str) -> None:
    assert name in list_names_in_piece(path, piece)
