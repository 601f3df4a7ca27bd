"""`holdfast review` in a real terminal, as over SSH: no mouse, few colours, 80 by 24."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.conftest import Run
from tests.journeys.terminal import Terminal
from tests.unit.tui.workspace import full

COLOUR = re.compile(rb"\x1b\[[0-9;]*?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;)[0-9;]*m")


@pytest.fixture
def shop(folder: Path) -> Path:
    full(folder)
    return folder


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    """Terminals that are closed again, whatever happens."""
    terminals: list[Terminal] = []
    yield terminals
    for each in terminals:
        each.close()


@pytest.mark.parametrize("kind", ["xterm", "screen", "xterm-256color", "linux"])
def test_one_is_accepted_and_the_terminal_is_as_before(
    shop: Path, bare: Run, opened: list[Terminal], kind: str
) -> None:
    terminal = Terminal(shop, "review", env={"TERM": kind})
    opened.append(terminal)

    terminal.see("Use SQLite for storage")
    terminal.see("contradicts DEC-PGPG00")
    terminal.press("j")
    terminal.see("candidate CAND-CARD00")
    terminal.press("a")
    terminal.see("Accepted INV-CARD00")
    terminal.press("q")

    assert terminal.end() == 0
    assert terminal.restored()
    assert [each["id"] for each in bare("list", "--type", "invariant", "--json").json["memories"]] == ["INV-CARD00"]


def test_no_color_is_honoured(shop: Path, opened: list[Terminal]) -> None:
    plain, coloured = (Terminal(shop, "review", env=env) for env in ({"NO_COLOR": "1"}, {}))
    opened += [plain, coloured]

    for terminal in (plain, coloured):
        terminal.see("contradicts DEC-PGPG00")
        terminal.press("q")
        assert terminal.end() == 0

    assert COLOUR.findall(plain.raw) == []
    assert COLOUR.findall(coloured.raw) != []


def test_the_editor_gets_the_terminal_and_gives_it_back(shop: Path, opened: list[Terminal], tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys\n"
        "print('EDITOR IS HERE', flush=True)\n"
        "sys.stdin.readline()\n"
        "text = open(sys.argv[1]).read()\n"
        "open(sys.argv[1], 'w').write(text.replace('Never log card numbers', 'Never log card numbers or names'))\n"
    )
    terminal = Terminal(shop, "review", env={"EDITOR": f"{sys.executable} {editor}", "VISUAL": ""})
    opened.append(terminal)

    terminal.see("contradicts DEC-PGPG00")
    terminal.press("j")
    terminal.see("candidate CAND-CARD00")
    terminal.press("e")
    terminal.see("EDITOR IS HERE")
    terminal.press("\n")
    terminal.see("Changed CAND-CARD00")
    terminal.press("q")

    assert terminal.end() == 0
    assert terminal.restored()
    assert "Never log card numbers or names" in (shop / ".holdfast/candidates/CAND-CARD00.md").read_text()


def test_ctrl_c_leaves_and_the_terminal_is_as_before(shop: Path, opened: list[Terminal]) -> None:
    terminal = Terminal(shop, "review")
    opened.append(terminal)

    terminal.see("contradicts DEC-PGPG00")
    terminal.press("r")
    terminal.see("why?")
    terminal.press("\x03")

    assert terminal.end() == 0
    assert terminal.restored()


def test_a_terminal_that_shrinks_is_drawn_anew(shop: Path, opened: list[Terminal]) -> None:
    terminal = Terminal(shop, "review", size=(160, 50))
    opened.append(terminal)

    terminal.see("contradicts DEC-PGPG00")
    terminal.resize(50, 15)
    os.kill(terminal.process.pid, 28)  # SIGWINCH
    terminal.press("j")
    terminal.see("candidate CAND-CARD00")
    terminal.press("q")

    assert terminal.end() == 0


def test_without_a_terminal_it_says_what_to_use(holdfast: Run) -> None:
    done = holdfast("review")

    assert done.status == 2
    assert "needs a terminal" in done.err
    assert "holdfast list --candidates" in done.err
    assert "holdfast accept" in done.err


def test_a_dumb_terminal_and_json_are_refused(shop: Path, bare: Run, opened: list[Terminal]) -> None:
    dumb = Terminal(shop, "review", env={"TERM": "dumb"})
    opened.append(dumb)

    dumb.see("needs a terminal")

    assert dumb.end() == 2
    assert bare("review", "--json").json["error"]["family"] == "bad_request"


def test_an_agent_may_not_review(shop: Path, opened: list[Terminal]) -> None:
    terminal = Terminal(shop, "review", env={"CLAUDECODE": "1"})
    opened.append(terminal)

    terminal.see("is for a person")

    assert terminal.end() == 2


def test_without_the_package_it_says_how_to_install_it(shop: Path, opened: list[Terminal], tmp_path: Path) -> None:
    hiding = tmp_path / "hiding"
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'textual' else find(name, *more)\n"
    )
    terminal = Terminal(shop, "review", env={"PYTHONPATH": f"{hiding}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})
    opened.append(terminal)

    terminal.see("pip install 'textual>=")

    assert terminal.end() == 6


def test_what_a_merge_of_branches_brought_together_is_resolved(
    folder: Path, holdfast: Run, git: Callable[..., str], opened: list[Terminal]
) -> None:
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "memory")
    git("checkout", "-qb", "other")
    assert holdfast("remember", "invariant", "Indent with spaces").status == 0
    git("add", "-A")
    git("commit", "-qm", "spaces")
    git("checkout", "-q", "main")
    assert holdfast("remember", "invariant", "Indent with tabs").status == 0
    git("add", "-A")
    git("commit", "-qm", "tabs")
    git("merge", "-q", "--no-edit", "other")
    assert holdfast("check", "--memories").status == 1
    terminal = Terminal(folder, "review")
    opened.append(terminal)

    terminal.see("newer of two memories")
    terminal.see("opposites:")
    terminal.press("s")
    terminal.see("Resolved: supersede")
    terminal.press("q")

    assert terminal.end() == 0
    assert holdfast("check", "--memories").status == 0
    assert holdfast("undo").status == 0
    assert holdfast("check", "--memories").status == 1
