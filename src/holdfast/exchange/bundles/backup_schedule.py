"""Units that back a workspace up every night: for cron, and for systemd's user manager."""

import os
import shlex
import sys

from holdfast.core.errors import BadRequest
from holdfast.exchange.bundles.backups import backup_folder
from holdfast.workspace import App

SCHEDULES = ("cron", "systemd")
USUAL_HOME = "~/.holdfast"
HOME = "HOLDFAST_HOME"
UNIT = """\
# ~/.config/systemd/user/{name}.service
[Unit]
Description=Holdfast backup

[Service]
Type=oneshot
# Credentials, one NAME=VALUE a line, mode 0600:
EnvironmentFile=-%h/.config/holdfast/backup.env
{home}ExecStart={command}

# ~/.config/systemd/user/{name}.timer
[Unit]
Description=Holdfast backup, every night

[Timer]
OnCalendar=*-*-* 03:17:00
Persistent=true

[Install]
WantedBy=timers.target

# then: systemctl --user enable --now {name}.timer"""


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
        # To cron a percent sign is a line break, also between quotes.
        command = (before + shlex.join(words)).replace("%", "\\%")
        return f"# crontab -e, then this line; credentials in variables above it.\n17 3 * * * {command}"
    told = f"Environment={_quote_word(f'{HOME}={home}')}\n" if home else ""
    command = " ".join(_quote_word(word).replace("$", "$$") for word in words)
    return UNIT.format(name=f"holdfast-backup-{backup_folder(app)}", home=told, command=command)


def _quote_word(word: str) -> str:
    """A word as systemd reads it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return escaped if word.replace("/", "").replace("-", "").replace(".", "").isalnum() else f'"{escaped}"'


def _program() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "holdfast")
    return beside if os.path.exists(beside) else "holdfast"
