"""holdfast review"""

import argparse
import os
import sys
from importlib.util import find_spec

from holdfast.cli.common import open_app
from holdfast.cli.drafts import open_editor
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.extras import extra_command
from holdfast.workspace import need_person

EXAMPLES = """\
  holdfast review                          a accepts, r rejects, ? shows all keys
  NO_COLOR=1 holdfast review               without colours
  holdfast list --candidates --json               for programs, with accept, reject, merge and resolve
"""
STATUS = "0 left by q · 2 no terminal, or inside a client · 3 no such folder · 6 the package `textual` is not installed"


class TuiNotInstalled(Unavailable):
    """The screen's package is an extra."""

    def __init__(self) -> None:
        super().__init__(
            "Review on the screen needs the package 'textual', which is not installed.",
            f"install it: `{extra_command('review')}`; without it: `holdfast list --candidates`, `holdfast accept`.",
        )


class NoScreen(BadRequest):
    """Nothing to draw on."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"`holdfast review` needs a terminal: {reason}.",
            "`holdfast list --candidates` lists what waits; `holdfast accept ID…` and `holdfast reject ID…` decide.",
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the queue until the person leaves it."""
    app = open_app(args, anywhere=True)
    need_person(app, "review")
    if out.as_json:
        raise NoScreen("--json is for programs")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoScreen("standard input or output is none")
    if os.environ.get("TERM", "") in {"", "dumb", "unknown"}:
        raise NoScreen(f"TERM={os.environ.get('TERM', '')} cannot move the cursor")
    if find_spec("textual") is None:
        raise TuiNotInstalled
    from holdfast.tui.review_app import ReviewApp

    screen = ReviewApp(app, open_editor)
    # Without the mouse, text on the screen can be marked and copied as anywhere in a terminal.
    screen.run(mouse=False)
    out.notices(list(dict.fromkeys(app.notices)))
    return screen.return_code or 0
