"""Which packages a command line brings into a project."""

import pytest

from holdfast.check.install_commands import find_installs


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
        ("npm --prefix web install left-pad", []),
        ("npm run install-deps", []),
        ("yarn workspace web add left-pad", []),
        ("pnpm add --filter web left-pad", ["npm:left-pad"]),
        ("cargo add serde --features derive", ["cargo:serde"]),
        ("cargo install ripgrep", []),
        ("go get github.com/pkg/errors@v0.9.1", ["go:github.com/pkg/errors"]),
        ("bundle add sidekiq --version '~> 7'", ["gem:sidekiq"]),
        ("cd web && npm i a; pip install b | tee log", ["npm:a", "pypi:b"]),
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
    assert [f"{each.ecosystem}:{each.name}" for each in find_installs(command)] == found


def test_the_line_is_that_of_the_command() -> None:
    assert [each.line for each in find_installs("ls\npip install a\nnpm i b", 10)] == [11, 12]
