"""Manifests of every kind: which packages they name, on which line, and what cannot be read."""

import pytest

from holdfast.check.manifests import find_dependencies, kind_of
from holdfast.check.package_names import parse_pattern
from holdfast.check.unreadable import UnreadableText

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
  "scripts": {"lodash": "echo"}
}
"""
CARGO = """\
[package]
name = "x"

[dependencies]
serde = { version = "1", features = ["derive"] }
alias = { package = "real_crate", version = "1" }

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
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <dependencies>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-log4j12</artifactId>
      <exclusions><exclusion><groupId>log4j</groupId><artifactId>log4j</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>maven-shade-plugin</artifactId></plugin></plugins></build>
</project>
"""
REQUIREMENTS = """\
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
"""


def named(path: str, text: str) -> dict[str, int]:
    return {each.name: each.line for each in find_dependencies(path, text)}


def test_pyproject_in_all_its_tables() -> None:
    assert named("a/pyproject.toml", PYPROJECT) == {
        "hatchling": 2, "Ruamel.YAML": 7, "requests": 8, "local": 9, "orjson": 13, "pytest": 16, "ruff": 17,
        "django": 21, "mkdocs": 24, "mypy": 27,
    }  # fmt: skip


def test_package_json_in_all_its_groups() -> None:
    assert named("package.json", PACKAGE) == {
        "react": 3, "@Scope/pkg": 3, "vite": 5, "old": 6, "left-pad": 6, "vue": 8, "fsevents": 9, "tar": 10,
    }  # fmt: skip


def test_cargo_with_targets_workspaces_and_renames() -> None:
    assert named("Cargo.toml", CARGO) == {
        "serde": 5, "real_crate": 6, "tokio": 8, "proptest": 12, "nix": 15, "anyhow": 18,
    }  # fmt: skip


def test_go_mod_without_what_is_indirect() -> None:
    assert named("go.mod", GO) == {"github.com/one/two/v2": 5, "github.com/pkg/errors": 7, "github.com/fork/b": 11}


def test_gemfile_and_gemspec() -> None:
    assert named("Gemfile", GEMFILE) == {"rails": 2, "sidekiq": 3, "pg": 5}
    assert named("x.gemspec", 'spec.add_development_dependency "rspec", "~> 3"\n') == {"rspec": 1}


def test_pom_without_what_it_excludes() -> None:
    assert named("pom.xml", POM) == {
        "org.slf4j:slf4j-log4j12": 3, "org.apache.maven.plugins:maven-shade-plugin": 9,
    }  # fmt: skip


@pytest.mark.parametrize(
    "path", ["requirements.txt", "requirements-dev.txt", "dev-requirements.in", "requirements/ci.txt"]
)
def test_requirements_by_whatever_name(path: str) -> None:
    assert named(path, REQUIREMENTS) == {"Django": 4, "uvicorn": 6, "Odd_Name": 7, "name": 8, "zope.interface": 11}


def test_other_files_are_no_manifests() -> None:
    assert kind_of("notes.txt") is None
    assert kind_of("src/package.json.bak") is None
    assert find_dependencies("main.py", "import x") == ()


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("pyproject.toml", "[project\n", "TOML"),
        ("package.json", '{"dependencies": {"a": "1",}}', "comma"),
        ("package.json", "[1]", "no JSON object"),
        ("package.json", '{"a": 1} {', "after its end"),
        ("package.json", '{"a"', "early"),
        ("package.json", '{"a": ' + "[" * 5000, "deeply"),
        ("Cargo.toml", "x = " + "[" * 5000, "nested too deeply"),
        ("pom.xml", "<project><dependencies>", "XML"),
        ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project>&a;</project>', "document type"),
        ("pom.xml", "<a>" * 100 + "</a>" * 100, "deeply"),
    ],
)
def test_what_is_broken_says_why_and_never_crashes(path: str, text: str, words: str) -> None:
    with pytest.raises(UnreadableText, match=words):
        find_dependencies(path, text)


@pytest.mark.parametrize(
    ("text", "path"),
    [('[project]\ndependencies = "x"\n[tool.poetry]\ndependencies = [1]\n', "pyproject.toml"),
     ('{"dependencies": [["a"], null], "devDependencies": 3}', "package.json"),
     ("dependencies = 1\n[target]\nx = 2\n", "Cargo.toml"), ("require\nreplace =>\nrequire (\n", "go.mod"),
     ("", "package.json"), ("\ufeff", "pom.xml"), ("\\", "requirements.txt")],
)  # fmt: skip
def test_values_of_the_wrong_kind_name_nothing(text: str, path: str) -> None:
    assert find_dependencies(path, text) == ()


@pytest.mark.parametrize(
    ("rule", "path", "text", "met"),
    [
        ("ruamel-yaml", "requirements.txt", "Ruamel_YAML==1", True),
        ("npm:left-pad", "package.json", '{"dependencies": {"left-pad": "1"}}', True),
        ("pypi:left-pad", "package.json", '{"dependencies": {"left-pad": "1"}}', False),
        ("@aws-sdk/*", "package.json", '{"dependencies": {"@aws-sdk/client-s3": "1"}}', True),
        ("aws-sdk", "package.json", '{"dependencies": {"@x/aws-sdk": "1"}}', False),
        ("real-crate", "Cargo.toml", '[dependencies]\nreal_crate = "1"', True),
        ("github.com/one/two", "go.mod", "require github.com/one/two/v3 v3.0.0", True),
        ("github.com/one/two/v2", "go.mod", "require github.com/one/two/v3 v3.0.0", False),
        ("gopkg.in/yaml", "go.mod", "require gopkg.in/yaml.v3 v3.0.0", True),
        ("slf4j-log4j12", "pom.xml", POM, True),
        ("log4j:log4j", "pom.xml", POM, False),
        ("django-*", "requirements.txt", "django", False),
        ("a[bc]", "requirements.txt", "a", True),
        ("x?z", "requirements.txt", "xyz", False),
    ],
)
def test_a_rule_means_a_name_in_its_ecosystems_form(rule: str, path: str, text: str, met: bool) -> None:
    assert any(parse_pattern(rule).means(each) for each in find_dependencies(path, text)) is met


@pytest.mark.parametrize("rule", ["", "  ", "pydantic<2", "react@18", "two words", "x" * 400])
def test_names_that_cannot_be_compared_are_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"name|version"):
        parse_pattern(rule)
