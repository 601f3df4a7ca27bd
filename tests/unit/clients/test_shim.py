"""The hook that clients run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.clients.install.shim import OddInterpreter, build_shim, hook_path, write_shim

LOUD = """
import sys
def main() -> None:
    print("heard", len(sys.stdin.buffer.read()), sys.flags.isolated, sys.flags.no_site)
"""


def package(folder: Path, body: str) -> str:
    """A package of our name whose hook does what the test wants."""
    hook = folder / "holdfast" / "hook"
    hook.mkdir(parents=True)
    (folder / "holdfast" / "__init__.py").touch()
    (hook / "__init__.py").touch()
    (hook / "run_hook.py").write_text(body)
    return str(folder)


def run(hook: str, *, said: bytes = b"{}") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([hook], input=said, capture_output=True, check=False, env={"PATH": "/usr/bin:/bin"})


@pytest.fixture(params=["short", "long", "blank"])
def python(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Python under a path that fits a first line, and under ones that do not."""
    if request.param == "short":
        return sys.executable
    folder = tmp_path / ("x" * 150 if request.param == "long" else "with a blank")
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    return str(folder / "python")


def test_it_runs_our_hook_in_a_bare_python(tmp_path: Path, python: str) -> None:
    hook = write_shim(str(tmp_path / "home"), python, package(tmp_path / "p", LOUD))

    ran = run(hook, said=b"12345")

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"heard 5 1 1\n", b"")


@pytest.mark.parametrize(
    "body",
    [
        "def main():\n    raise ValueError\n",
        "def main():\n    raise SystemExit(2)\n",
        "def main():\n    raise KeyboardInterrupt\n",
        "import argparse\ndef main():\n    argparse.ArgumentParser().parse_args(['--no'])\n",
        "import nowhere\n",
        "syntax error",
        "import os\ndef main():\n    os.close(1)\n    print('x')\n",
    ],
)
def test_whatever_happens_it_exits_0(tmp_path: Path, python: str, body: str) -> None:
    hook = write_shim(str(tmp_path / "home"), python, package(tmp_path / "p", body))

    ran = run(hook)

    assert (ran.returncode, ran.stdout) == (0, b"")


def test_words_printed_before_a_quiet_exit_come_through(tmp_path: Path) -> None:
    body = "def main():\n    print('words')\n    raise SystemExit(0)\n"

    assert run(write_shim(str(tmp_path / "home"), sys.executable, package(tmp_path / "p", body))).stdout == b"words\n"


def test_without_the_package_it_does_nothing(tmp_path: Path) -> None:
    ran = run(write_shim(str(tmp_path / "home"), sys.executable, str(tmp_path / "gone")))

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_it_is_written_once_and_stays_runnable(tmp_path: Path) -> None:
    path = write_shim(str(tmp_path), sys.executable, "/p")
    first = os.stat(path).st_ino

    assert write_shim(str(tmp_path), sys.executable, "/p") == path == hook_path(str(tmp_path))
    assert os.stat(path).st_ino == first
    os.chmod(path, 0o600)
    write_shim(str(tmp_path), sys.executable, "/p")
    assert os.access(path, os.X_OK)
    assert os.listdir(tmp_path / "bin") == ["hook"]


def test_the_text_changes_only_in_the_paths() -> None:
    one, other = build_shim("/usr/bin/python3", "/a"), build_shim("/opt/py/bin/python", "/b")

    assert one.replace(b"/usr/bin/python3", b"/opt/py/bin/python").replace(b"'/a'", b"'/b'") == other


def test_a_python_whose_path_breaks_quotes_is_refused() -> None:
    with pytest.raises(OddInterpreter, match="quote"):
        build_shim("/home/o'brien is here/python", "/p")
