"""`./do walk`: what is counted on the way."""

import subprocess
import sys
from pathlib import Path

from bench.walk import TRACE, Walk, text
from tests.waiting import LONG

MODULE = """
def named():
    return [each for each in (1, 2)]
class Body:
    inside = (lambda: 1)()
"""


def test_a_switch_is_a_change_of_package_between_modules_in_their_order() -> None:
    walk = Walk("accept", ("h.cli.main", "h.cli.accept", "h.vault.write", "h.cli.output", "h"))

    assert walk.runs == [
        ("cli", ("h.cli.main", "h.cli.accept")),
        ("vault", ("h.vault.write",)),
        ("cli", ("h.cli.output",)),
        ("h", ("h",)),
    ]
    assert (len(walk.modules), walk.packages, walk.switches) == (5, 3, 3)


def test_every_run_is_a_line_and_a_table_comes_last() -> None:
    shown = text([Walk("accept", ("h.cli.main", "h.cli.sub.accept", "h.vault.write"))])

    assert "  1  cli: main, sub.accept\n  2  vault: write\n" in shown
    assert shown.rstrip().splitlines()[-1].split() == ["|", "accept", "|", "3", "|", "2", "|", "1", "|"]


def test_only_functions_with_a_name_count_and_an_abrupt_end_loses_nothing(tmp_path: Path) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    for name in ("__init__", "first", "second", "unused"):
        (package / f"{name}.py").write_text(MODULE)
    script, out = tmp_path / "script", tmp_path / "out"
    script.write_text(
        "from pack import first, second, unused\nsecond.named()\nfirst.named()\nsecond.named()\n"
        "from posix import _exit\n_exit(3)\n"
    )

    done = subprocess.run([sys.executable, str(TRACE), str(package), str(out), str(script)], timeout=LONG)

    assert done.returncode == 3
    assert out.read_text().split() == ["pack.second", "pack.first"]
