"""Units that back a workspace up every night: for cron, and for systemd's user manager."""

import os
import shlex
import sys

from holdfast.core.errors import BadRequest
from holdfast.exchange.bundles.backups import backup_folder
from holdfast.system.timetable import escape_cron, escape_word, render_units
from holdfast.workspace import App

SCHEDULES = ("cron", "systemd")
USUAL_HOME = "~/.holdfast"
HOME = "HOLDFAST_HOME"
CREDENTIALS = """\
# Credentials, one NAME=VALUE a line, mode 0600:
EnvironmentFile=-%h/.config/holdfast/backup.env
"""


class PathNotSchedulable(BadRequest):
    """A path that no line of a unit can hold."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} has a line break in it.", "move the workspace to a path without one.")


def render_backup_schedule(app: App, kind: str) -> str:
    """A unit for cron or systemd that backs this workspace up every night."""
    words = [_program(), *(("-C", app.workspace) if app.workspace else ()), "backup", "now", "--prune"]
    home = "" if app.home == os.path.expanduser(USUAL_HOME) else app.home
    for text in (*words, home):
        if "\n" in text or "\r" in text:
            raise PathNotSchedulable(text)
    if kind == "cron":
        before = f"{HOME}={shlex.quote(home)} " if home else ""
        command = escape_cron(before + shlex.join(words))
        return f"# crontab -e, then this line; credentials in variables above it.\n17 3 * * * {command}"
    told = f"Environment={_quote_word(f'{HOME}={home}')}\n" if home else ""
    command = " ".join(_quote_word(word).replace("$", "$$") for word in words)
    return render_units(
        f"holdfast-backup-{backup_folder(app)}", "Holdfast backup", command, often="every night",
        when="*-*-* 03:17:00", environment=CREDENTIALS + told,
    )  # fmt: skip


def _quote_word(word: str) -> str:
    """A word as systemd reads it."""
    escaped = escape_word(word)
    return escaped if word.replace("/", "").replace("-", "").replace(".", "").isalnum() else f'"{escaped}"'


def _program() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "holdfast")
    return beside if os.path.exists(beside) else "holdfast"
