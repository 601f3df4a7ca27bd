"""Names of packages: which rule means which."""

import pytest

from holdfast.ecosystems.manifest_readers import read_manifest
from holdfast.ecosystems.package_names import NamedPackage, normalize_name, parse_wanted, plain_name

DEPENDENCY = "<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>"
SWIFT = '.package(url: "https://github.com/Apple/swift-nio.git", from: "2")'


@pytest.mark.parametrize(
    ("rule", "path", "text", "met"),
    [
        ("ruamel-yaml", "requirements.txt", "Ruamel_YAML==1", True),
        ("foo-bar", "environment.yml", "dependencies: [Foo_bar=1]", True),
        ("pypi:foo-bar", "environment.yml", "dependencies: [Foo_bar=1]", False),
        ("conda:foo.bar", "environment.yml", "dependencies: [Foo_bar=1]", True),
        ("npm:left-pad", "package.json", '{"dependencies": {"left-pad": "1"}}', True),
        ("pypi:left-pad", "package.json", '{"dependencies": {"left-pad": "1"}}', False),
        ("@aws-sdk/*", "package.json", '{"dependencies": {"@aws-sdk/client-s3": "1"}}', True),
        ("aws-sdk", "package.json", '{"dependencies": {"@x/aws-sdk": "1"}}', False),
        ("monolog/monolog", "composer.json", '{"require": {"Monolog/MonoLog": "1"}}', True),
        ("Monolog/Monolog", "composer.json", '{"require": {"monolog/monolog": "1"}}', True),
        ("composer:symfony/*", "composer.json", '{"require": {"symfony/console": "1"}}', True),
        ("monolog", "composer.json", '{"require": {"monolog/monolog": "1"}}', False),
        ("real-crate", "Cargo.toml", '[dependencies]\nreal_crate = "1"', True),
        ("github.com/one/two", "go.mod", "require github.com/one/two/v3 v3.0.0", True),
        ("github.com/one/two/v2", "go.mod", "require github.com/one/two/v3 v3.0.0", False),
        ("gopkg.in/yaml", "go.mod", "require gopkg.in/yaml.v3 v3.0.0", True),
        ("slf4j-api", "pom.xml", f"<p>{DEPENDENCY}</p>", True),
        ("slf4j-api", "build.gradle", "implementation 'org.slf4j:slf4j-api:2'", True),
        ("log4j:log4j", "pom.xml", f"<p>{DEPENDENCY}</p>", False),
        ("newtonsoft.json", "A.csproj", '<P><PackageReference Include="Newtonsoft.Json"/></P>', True),
        ("swift-nio", "Package.swift", SWIFT, True),
        ("github.com/apple/swift-nio", "Package.swift", SWIFT, True),
        ("qt6", "CMakeLists.txt", "find_package(Qt6)", True),
        ("django-*", "requirements.txt", "django", False),
        ("a[bc]", "requirements.txt", "a", True),
        ("x?z", "requirements.txt", "xyz", False),
    ],
)
def test_a_rule_means_a_name_in_its_ecosystems_form(rule: str, path: str, text: str, met: bool) -> None:
    assert any(parse_wanted(rule).means(each) for each in read_manifest(path, text).packages) is met


@pytest.mark.parametrize("rule", ["", "  ", "pydantic<2", "react@18", "two words", "x" * 400])
def test_names_that_cannot_be_compared_are_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"name|version"):
        parse_wanted(rule)


def test_spellings_of_one_name_are_one() -> None:
    assert normalize_name("Foo_bar", "pypi") == normalize_name("foo-bar", "pypi") == normalize_name("FOO.Bar", "conda")
    assert NamedPackage(name="Vendor/Package", ecosystem="composer").normal == "vendor/package"
    assert plain_name("Redis-Py") == plain_name("redis_py") == "redispy"
