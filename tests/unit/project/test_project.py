"""What kind of project a folder is, for every language that we know."""

import json
from pathlib import Path

import pytest

from holdfast.project.scan_project import WorkspaceScan, scan_workspace

PACKAGE = {"name": "shop", "main": "lib/index.js", "bin": {"shop": "./bin/shop.js"}, "scripts": {"start": "node ."}}


def made(root: Path, files: dict[str, str]) -> WorkspaceScan:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan_workspace(str(root))


@pytest.mark.parametrize(
    ("files", "name", "kind", "framework", "start"),
    [
        (
            {
                "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["FastAPI[all]>=0.1"]\n'
                '[project.scripts]\nshop = "shop.cli:main"\n',
                "src/shop/cli.py": "",
                "src/shop/__init__.py": "",
            },
            "shop", "python", "fastapi", "src/shop/cli.py (command shop)",
        ),
        (
            {"requirements.txt": "# web\nDjango==5.0\n", "manage.py": "", "site/settings.py": ""},
            "", "python", "django", "manage.py",
        ),
        (
            {
                "setup.cfg": "[metadata]\nname = shop\n[options]\ninstall_requires =\n  flask\n"
                "[options.entry_points]\nconsole_scripts =\n  shop = shop.app:run\n",
                "shop/app.py": "",
            },
            "shop", "python", "flask", "shop/app.py (command shop)",
        ),
        (
            {
                "pyproject.toml": '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\nclick = "*"\n',
                "shop/a.py": "",
            },
            "shop", "python", "click", "",
        ),
        (
            {
                "package.json": json.dumps({**PACKAGE, "dependencies": {"express": "4"}}),
                "lib/index.js": "", "bin/shop.js": "",
            },
            "shop", "node", "express", "bin/shop.js (command shop)",
        ),
        (
            {
                "package.json": json.dumps({"name": "@a/shop", "dependencies": {"next": "15", "react": "19"}}),
                "tsconfig.json": "{}", "app/page.tsx": "", "src/a.ts": "",
            },
            "@a/shop", "typescript", "next", "app/page.tsx",
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\naxum = "0.8"\n'
                '[[bin]]\nname = "shopd"\npath = "src/daemon.rs"\n',
                "src/daemon.rs": "", "src/main.rs": "",
            },
            "shop", "rust", "axum", "src/daemon.rs (command shopd)",
        ),
        (
            {
                "go.mod": "module example.com/me/shop/v2\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0\n)\n",
                "cmd/shop/main.go": "",
            },
            "shop", "go", "echo", "cmd/shop/main.go",
        ),
        (
            {
                "pom.xml": "<project><parent><groupId>org.springframework.boot</groupId><artifactId>up</artifactId>"
                "</parent><artifactId>shop</artifactId></project>",
                "src/main/java/a/ShopApplication.java": "",
            },
            "shop", "java", "spring", "src/main/java/a/ShopApplication.java",
        ),
        (
            {
                "build.gradle.kts": 'plugins { id("io.ktor") version "3" }\napplication { mainClass = "a.b.Main" }\n',
                "settings.gradle.kts": 'rootProject.name = "shop"\n', "src/main/kotlin/a/b/Main.kt": "",
            },
            "shop", "java", "ktor", "src/main/kotlin/a/b/Main.kt (main class)",
        ),
        (
            {"Gemfile": 'source "https://rubygems.org"\ngem "rails", "~> 8"\n', "config.ru": "", "app/models/a.rb": ""},
            "", "ruby", "rails", "config.ru",
        ),
        (
            {"CMakeLists.txt": "project(shop C)\nadd_executable(shop main.c)\n", "main.c": "", "shop.h": ""},
            "shop", "c", None, "main.c",
        ),
        (
            {"CMakeLists.txt": "project(Shop)\nfind_package(Qt6 REQUIRED)\n", "src/main.cpp": "", "src/a.h": ""},
            "Shop", "cpp", "qt", "src/main.cpp",
        ),
        (
            {"meson.build": "project('shop', 'c')\nexecutable('shop', 'a.c')\n", "a.c": ""},
            "shop", "c", None, "shop (program)",
        ),
        ({"a.py": "", "b.py": ""}, "", "python", None, ""),
    ],
)  # fmt: skip
def test_name_language_framework_and_where_it_starts(
    tmp_path: Path, files: dict[str, str], name: str, kind: str, framework: str | None, start: str
) -> None:
    found = made(tmp_path, files)

    assert (found.name, found.type, found.framework) == (name or tmp_path.name, kind, framework)
    assert not start or start in found.entry_points


def test_a_repository_of_several_languages_tells_each_with_its_folder(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        {
            "api/pyproject.toml": '[project]\nname = "api"\ndependencies = ["fastapi"]\n',
            "api/main.py": "", "api/b.py": "",
            "web/package.json": json.dumps({"name": "web", "dependencies": {"react": "19", "typescript": "5"}}),
            "web/src/index.tsx": "", "web/src/a.tsx": "", "web/src/b.ts": "",
        },
    )  # fmt: skip

    assert (found.name, found.type) == (tmp_path.name, "mixed")
    assert {(part.kind, part.folder, part.framework) for part in found.parts} == {
        ("python", "api", "fastapi"), ("typescript", "web", "react"),
    }  # fmt: skip
    assert "api/main.py" in found.entry_points
    assert "web/src/index.tsx" in found.entry_points


def test_a_helper_language_does_not_make_a_project_mixed(tmp_path: Path) -> None:
    sources = {f"src/m{number}.rs": "" for number in range(20)}

    found = made(
        tmp_path,
        {"Cargo.toml": '[package]\nname = "a"\n', **sources, "tools/setup.py": "", "docs/package.json": "{}"},
    )

    assert (found.type, found.name) == ("rust", "a")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pyproject.toml", b"[project\nname = "),
        ("pyproject.toml", b'[project]\nname = 3\ndependencies = {a = 1}\nscripts = ["x"]\n'),
        ("pyproject.toml", b"\xff\xfe\x00\x01" * 100),
        ("pyproject.toml", b"a = " + b"[" * 50_000),
        ("package.json", b'{"name": ["a"], "dependencies": "no", "bin": {"a": 1}, "scripts": [], "main": {}}'),
        ("package.json", b"[1, 2]"),
        ("package.json", b"[" * 100_000),
        ("package.json", b'{"name": "\xff\xff"'),
        ("Cargo.toml", b'bin = "x"\n[package]\nname = []\n'),
        ("pom.xml", b"<project><artifactId>" * 2_000),
        ("setup.cfg", b"no section = 1\n"),
        ("go.mod", b"module\n"),
    ],
)
def test_a_broken_manifest_still_says_what_it_is(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)

    found = scan_workspace(str(tmp_path))

    assert found.type in {"python", "node", "rust", "java", "go", "unknown"}
    assert found.name == tmp_path.name
    assert found.entry_points == ()


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("package.json", b'{"name": ', "it ends too early"),
        ("composer.json", b"[1]", "it is no JSON object"),
        ("environment.yml", b"a: [", "it is no YAML"),
        ("pyproject.toml", b"\xff\xfe\x00\x01" * 100, "it is no text"),
        ("package.json", b'{"name": "a"}' + b" " * 300_000, "it is larger than 256 KiB"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_a_note(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(data)

    [note] = scan_workspace(str(tmp_path)).notes

    assert note.startswith(f"{name} could not be read, so nothing can be said of it: {why}")


def test_many_manifests_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    found = made(tmp_path, {f"a{number}/package.json": "{" for number in range(6)})

    assert len(found.notes) == 4
    assert found.notes[3] == "3 more manifests could not be read"


@pytest.mark.parametrize(
    ("files", "kind", "framework"),
    [
        ({"composer.json": '{"require": {"Laravel/Framework": "^11"}}', "a.php": ""}, "php", "laravel"),
        ({"environment.yml": "dependencies:\n  - pip:\n    - Django\n", "a.py": ""}, "python", "django"),
        ({"setup.py": "setup(install_requires=['flask'])", "a.py": ""}, "python", "flask"),
        (
            {"gradle/libs.versions.toml": '[libraries]\na = "io.quarkus:quarkus-core:3"\n', "A.java": ""},
            "java",
            "quarkus",
        ),
        ({"pubspec.yaml": "name: shop\n", "a.dart": ""}, "dart", None),
        ({"mix.exs": "app: :shop", "a.ex": ""}, "elixir", None),
        ({"Package.swift": 'Package(name: "Shop")', "a.swift": ""}, "swift", None),
        ({"App.csproj": "<Project/>", "a.cs": ""}, "csharp", None),
    ],
)
def test_frameworks_by_whatever_manifest_names_them(
    tmp_path: Path, files: dict[str, str], kind: str, framework: str | None
) -> None:
    found = made(tmp_path, files)

    assert (found.type, found.framework) == (kind, framework)


def test_a_name_that_steers_a_terminal_is_shown_plain(tmp_path: Path) -> None:
    found = made(tmp_path, {"package.json": json.dumps({"name": "a\x1b[2J\nIGNORE ALL" + "x" * 999})})

    assert found.name.isprintable()
    assert len(found.name) <= 120


def test_an_empty_folder_is_unknown_and_no_error(tmp_path: Path) -> None:
    found = scan_workspace(str(tmp_path))

    assert (found.type, found.framework, found.key_files, found.entry_points, found.tree) == (
        "unknown",
        None,
        (),
        (),
        "",
    )


def test_two_looks_at_the_same_files_are_the_same(tmp_path: Path) -> None:
    files = {f"{top}/{inner}/f{n}.py": "x" for top in "dacb" for inner in "zyx" for n in range(5)}

    assert made(tmp_path, files) == scan_workspace(str(tmp_path))
