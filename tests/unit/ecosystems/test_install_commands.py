"""Which packages a command line brings into a project."""

import pytest

from holdfast.ecosystems.install_commands import names_installer, read_installs
from holdfast.ecosystems.installer_table import INSTALLERS


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("pip install urwid", ["pypi:urwid"]),
        ("python3 -m pip install -U 'Urwid[x]>=2' httpx==1", ["pypi:Urwid", "pypi:httpx"]),
        ("sudo pip3 install --user urwid", ["pypi:urwid"]),
        ("pip install -r requirements.txt -c c.txt", []),
        ("pip install -e . && pip install ./x https://example.invalid/x.whl", []),
        ("pip uninstall urwid", []),
        ("pip download urwid; pip show urwid", []),
        ("uv add urwid --group dev ruff", ["pypi:urwid", "pypi:ruff"]),
        ("uv pip install urwid", ["pypi:urwid"]),
        ("uv run pip-audit", []),
        ("uv tool install ruff", []),
        ("poetry add -G dev urwid@^2", ["pypi:urwid"]),
        ("npm i -D left-pad@1 @scope/pkg@^2", ["npm:left-pad", "npm:@scope/pkg"]),
        ("npm install", []),
        ("npm --prefix web install left-pad", ["npm:left-pad"]),
        ("npm i -E left-pad -w web", ["npm:left-pad"]),
        ("npm i old@npm:left-pad@1", ["npm:old", "npm:left-pad"]),
        ("npm run install-deps", []),
        ("yarn workspace web add left-pad", ["npm:left-pad"]),
        ("yarn add -D left-pad", ["npm:left-pad"]),
        ("bun add left-pad", ["npm:left-pad"]),
        ("deno add npm:chalk@5 jsr:@std/assert", ["npm:chalk", "jsr:@std/assert"]),
        ("npx expo install left-pad", ["npm:left-pad"]),
        ("pnpm add --filter web left-pad", ["npm:left-pad"]),
        ("cargo add serde --features derive", ["cargo:serde"]),
        ("cargo install ripgrep", []),
        ("cargo add serde@1 --optional tokio", ["cargo:serde", "cargo:tokio"]),
        ("go get -t github.com/pkg/errors", ["go:github.com/pkg/errors"]),
        ("composer require monolog/monolog:^3 --dev", ["composer:monolog/monolog"]),
        ("composer require monolog/monolog ^3.0 -W", ["composer:monolog/monolog"]),
        ("composer -d web require Monolog/Monolog 3.0", ["composer:Monolog/Monolog"]),
        ("php composer.phar require monolog/monolog", ["composer:monolog/monolog"]),
        ("composer install", []),
        ("composer remove monolog/monolog", []),
        ("conda install -y -c conda-forge numpy=1.26 'scipy>=1'", ["conda:numpy", "conda:scipy"]),
        ("mamba install conda-forge::numpy", ["conda:numpy"]),
        ("micromamba create -n env python=3.12 numpy", ["conda:numpy"]),
        ("conda install --file requirements.txt", []),
        ("conda env update -f environment.yml", []),
        ("pixi add numpy", ["conda:numpy"]),
        ("pixi add --pypi rich", ["pypi:rich"]),
        ("dotnet add package Newtonsoft.Json --version 13", ["nuget:Newtonsoft.Json"]),
        ("dotnet add src/App.csproj package Serilog", ["nuget:Serilog"]),
        ("dotnet package add Serilog@3", ["nuget:Serilog"]),
        ("dotnet tool install csharpier", []),
        ("Install-Package Serilog -Version 3", ["nuget:Serilog"]),
        ("flutter pub add http dev:mockito 'intl:^0.18'", ["pub:http", "pub:mockito", "pub:intl"]),
        ("swift package add-dependency https://github.com/apple/swift-nio.git --from 2.0.0",
         ["swift:github.com/apple/swift-nio"]),
        ("swift package add-dependency ../Core", []),
        ("gem install rails:7.1 -v 7", ["gem:rails"]),
        ("pipenv install --dev urwid", ["pypi:urwid"]),
        ("poetry add --optional urwid", ["pypi:urwid"]),
        ("poetry run pip install urwid", ["pypi:urwid"]),
        ("py -3 -m pip install urwid", ["pypi:urwid"]),
        ("sudo -H -u dev env A=1 pip install urwid", ["pypi:urwid"]),
        ("pipx install ruff", []),
        ("go get github.com/pkg/errors@v0.9.1", ["go:github.com/pkg/errors"]),
        ("bundle add sidekiq --version '~> 7'", ["gem:sidekiq"]),
        ("cd web && npm i a; pip install b | tee log", ["npm:a", "pypi:b"]),
        ("bash -lc 'npm i x'", ["npm:x"]),
        ("bash -lc 'true'; bash -c 'pip install inner'", ["pypi:inner"]),
        ("echo pip install no", []),
        ("git commit -m 'pip install no'", []),
        ("apt-get install redis", []),
        ("pip install \\\n  urwid", ["pypi:urwid"]),
        ("$ pip install urwid", ["pypi:urwid"]),
        ("pip install $PACKAGES", []),
        ("pip install", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_a_command_installs(command: str, found: list[str]) -> None:
    assert [f"{each.ecosystem}:{each.name}" for each in read_installs(command)] == found


def test_the_line_is_that_of_the_command() -> None:
    assert [each.line for each in read_installs("ls\npip install a\nnpm i b", 10)] == [11, 12]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("sudo apt-get install -y redis-server", ["system:redis-server"]),
        ("brew install redis", ["system:redis"]),
        ("apk add --no-cache redis", ["system:redis"]),
        ("pacman -S redis", ["system:redis"]),
        ("cargo install ripgrep", ["cargo:ripgrep"]),
        ("uv tool install ruff", ["pypi:ruff"]),
        ("pip install redis", ["pypi:redis"]),
        ("apt-get update", []),
    ],
)
def test_what_a_command_installs_anywhere(command: str, found: list[str]) -> None:
    assert [f"{each.ecosystem}:{each.name}" for each in read_installs(command, everything=True)] == found


def test_a_line_that_begins_with_a_package_manager() -> None:
    assert all(names_installer(f"{name} x") for name in INSTALLERS)
    assert names_installer("sudo pip install x")
    assert not any(map(names_installer, ["pip", "pipe x", "", "install pip x"]))


@pytest.mark.parametrize("script", ["pip install " * 5_000, "\\\n" * 10_000, "sudo " * 5_000, "bash -c " * 5_000])
def test_hostile_commands_end_in_time(script: str) -> None:
    list(read_installs(script))
