"""Manifests that cannot be read, in whole or in part: why, and on which line; never silently, never with a crash."""

import time
from contextlib import suppress

import pytest

from holdfast.ecosystems.manifest_readers import read_manifest
from holdfast.ecosystems.unreadable_text import Unreadable

BROKEN = [
    ("pyproject.toml", "[project\n", "TOML", 1),
    ("Pipfile", "[packages]\nx = \n", "TOML", 2),
    ("pixi.toml", "a = [", "TOML", None),
    ("setup.cfg", "no section = 1\n", "neither a section", 1),
    ("setup.cfg", "[options]\n  x\n", "goes on that none began", 2),
    ("setup.py", "def (\n", "no Python", 1),
    ("environment.yml", "dependencies: [numpy\n", "YAML", 2),
    ("environment.yml", "dependencies:\n\t- numpy\n", "YAML", 2),
    ("environment.yml", "- numpy\n", "no YAML mapping", 1),
    ("environment.yml", "a: 1\n---\nb: 2\n", "several documents", 2),
    ("environment.yml", "a: " + "[" * 5000, "deeply", 1),
    ("pubspec.yaml", "a: *nobody\n", "no anchor", 1),
    ("pubspec.yaml", "dependencies: {a: 1\n", "YAML", None),
    ("package.json", '{"dependencies": {"a": "1",}}', "comma", 1),
    ("package.json", '{\n"dependencies": ', "early", 2),
    ("package.json", "[1]", "no JSON object", 1),
    ("package.json", '{"a": 1} {', "after its end", 1),
    ("package.json", '{"a"', "early", 1),
    ("package.json", '{"a": 1.2.3}', "no number", 1),
    ("package.json", '{"a": ' + "[" * 5000, "deeply", 1),
    ("package.json", '{// a remark\n"a": 1}', "no JSON", 1),
    ("composer.json", '{"require": {"a/b": }}', "value belongs", 1),
    ("composer.json", '{"require"\n: {"a/b" "1"}}', "colon", 2),
    ("deno.json", '{"imports": {/* open', "early", 1),
    ("Cargo.toml", "x = " + "[" * 5000, "nested too deeply", None),
    ("pom.xml", "<project><dependencies>", "XML", 1),
    ("pom.xml", "<project>\n<a></b></project>", "XML", 2),
    ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project>&a;</project>', "document type", 1),
    ("pom.xml", "<a>" * 100 + "</a>" * 100, "deeply", 1),
    ("App.csproj", "not xml", "XML", 1),
    ("libs.versions.toml", "[libraries\n", "TOML", 1),
]


@pytest.mark.parametrize(("path", "text", "words", "line"), BROKEN)
def test_what_is_broken_says_why_and_where(path: str, text: str, words: str, line: int | None) -> None:
    with pytest.raises(Unreadable, match=words) as raised:
        read_manifest(path, text)

    assert raised.value.line == line or line is None


@pytest.mark.parametrize(
    ("path", "text", "words", "line"),
    [
        ("pyproject.toml", '[project]\ndependencies = "x"\n', "`project.dependencies` is no list", 2),
        ("pyproject.toml", "[tool.poetry]\ndependencies = [1]\n", "`tool.poetry.dependencies` is no table", 2),
        ("Cargo.toml", "\ndependencies = 1\n", "`dependencies` is no table", 2),
        ("Pipfile", "packages = 3\n", "`packages` is no table", 1),
        ("package.json", '{\n"dependencies": 3}', "`dependencies` is no table of names", 2),
        ("composer.json", '{"require": "monolog/monolog"}', "`require` is no table of names", 1),
        ("environment.yml", "name: x\ndependencies: numpy\n", "`dependencies` is no list", 2),
        ("environment.yml", "dependencies:\n- pip: x\n", "`pip` is no list", 2),
        ("pubspec.yaml", "dependencies: [http]\n", "`dependencies` is no table of names", 1),
        ("requirements.txt", "-r https://example.invalid/x.txt\n", "which is not here", 1),
        ("setup.py", "setup(install_requires=read())", "`install_requires` is made by code", 1),
        ("setup.py", "x = []\nx += y()\nsetup(\n install_requires=x)", "`install_requires` is made by code", 4),
        ("setup.py", "setup(**options())", "what setup.. is given is made by code", 1),
        ("setup.py", "a = {**a}\nsetup(**a)", "made by code", 1),
        ("setup.py", "a = a\nsetup(install_requires=a)", "made by code", 1),
        ("Gemfile", "%w[a b].each do |name|\n  gem name\nend\n", "made by code", 2),
        ("Gemfile", "eval_gemfile 'common.rb'\n", "it takes in 'common.rb', which is read by itself alone", 1),
        ("Package.swift", 'let u = "x"\n.package(url: u, from: "1")', "made by code", 2),
        ("pom.xml", "<p><dependency><groupId>${far.group}</groupId><artifactId>a</artifactId></dependency></p>",
         "has a property that is not set in it", 1),
    ],
)  # fmt: skip
def test_what_is_not_read_in_a_manifest_is_a_gap(path: str, text: str, words: str, line: int) -> None:
    [gap] = read_manifest(path, text).gaps

    assert words.replace("..", "()") in gap.reason
    assert gap.line == line


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("composer.json", '{"require": [], "require-dev": {}}'), ("environment.yml", "dependencies:\n"),
        ("environment.yml", "# nothing\n"), ("package.json", '{"bundleDependencies": true}'), ("package.json", ""),
        ("pom.xml", "\ufeff"), ("requirements.txt", "\\"), ("go.mod", "require\nreplace =>\nrequire (\n"),
        ("setup.py", "from setuptools import setup\nsetup()\n"), ("pubspec.yaml", "dependencies:\n"),
    ],
)  # fmt: skip
def test_manifests_that_name_nothing_are_whole(path: str, text: str) -> None:
    found = read_manifest(path, text)

    assert (found.packages, found.gaps) == ((), ())


def test_an_alias_in_yaml_is_what_it_stands_for() -> None:
    text = "x: &all\n  - numpy\ndependencies: *all\n"

    assert [(each.name, each.line) for each in read_manifest("environment.yml", text).packages] == [("numpy", 2)]


HOSTILE = [
    ("package.json", '{"a":' * 300_000), ("package.json", '"' + '\\"' * 500_000), ("deno.json", "/*" * 500_000),
    ("environment.yml", "&a [" * 200_000), ("environment.yml", "a: &a [*a, *a]\n" * 20_000),
    ("pom.xml", "<a>" + "<b/>" * 200_000), ("build.gradle", "plugins{" * 100_000), ("build.gradle", "/*" * 500_000),
    ("build.gradle", '"\\"' + '\\"' * 300_000), ("Gemfile", "gem " * 200_000), ("CMakeLists.txt", "\n" * 500_000),
    ("requirements.txt", "\\\n" * 300_000), ("mix.exs", "{:a, " * 200_000), ("Package.swift", ".package(" * 100_000),
    ("setup.cfg", "[a]\n" + "x =\n" * 100_000), ("go.mod", "require (" * 100_000),
    ("setup.py", "a0 = ['x']\n" + "".join(f"a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 40))
     + "setup(install_requires=a39)"),
    ("pyproject.toml", "x = '''\n" + "[ " + " " * 300_000 + "\n'''\n"),
    ("pyproject.toml", "x = '''\n" + '"' + '\\"' * 300_000 + "\n'''\n"),
    ("pyproject.toml", "[project]\ndependencies = [\n" + "".join(f'"p{n}",\n' for n in range(20_000)) + "]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), HOSTILE, ids=[f"{path}-{at}" for at, (path, _) in enumerate(HOSTILE)])
def test_hostile_manifests_end_in_time(path: str, text: str) -> None:
    begun = time.process_time()
    with suppress(Unreadable):
        read_manifest(path, text)

    assert time.process_time() - begun < 5
