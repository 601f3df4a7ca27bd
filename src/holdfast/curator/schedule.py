"""What has the curator look every week: a line for cron, or units for systemd. Printed only: a person installs it."""

import shlex
from collections.abc import Mapping

from holdfast.core.errors import BadRequest
from holdfast.system.timetable import escape_cron, escape_word, render_units

CRON, SYSTEMD = "cron", "systemd"
# Monday morning, at no round minute: many machines wake at those.
CRON_TIME = "17 7 * * 1"
SYSTEMD_TIME = "Mon 07:17"


class Unschedulable(BadRequest):
    """A path that no line of a timetable can hold."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} holds a line break: no timetable takes it.", "move the workspace elsewhere.")


def render_schedule(how: str, program: str, workspace: str, variables: Mapping[str, str]) -> str:
    """What to put where, as text."""
    for each in (program, workspace, *variables.values()):
        if any(not letter.isprintable() for letter in each):
            raise Unschedulable(each)
    return _cron(program, workspace, variables) if how == CRON else _systemd(program, workspace, variables)


def _cron(program: str, workspace: str, variables: Mapping[str, str]) -> str:
    given = "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())
    command = f"{given}{shlex.quote(program)} curate --propose -C {shlex.quote(workspace)} > /dev/null"
    return f"# add with: crontab -e\n{CRON_TIME} {escape_cron(command)}\n"


def _systemd(program: str, workspace: str, variables: Mapping[str, str]) -> str:
    environment = "".join(f"Environment={_quote_word(f'{name}={value}')}\n" for name, value in variables.items())
    command = f"{_quote_word(program)} curate --propose -C {_quote_word(workspace)}"
    units = render_units(
        "holdfast-curate", "Holdfast looks after its memory", command, often="weekly", when=SYSTEMD_TIME,
        environment=environment,
    )  # fmt: skip
    return f"{units}\n"


def _quote_word(text: str) -> str:
    return '"' + escape_word(text).replace("$", "$$") + '"'
