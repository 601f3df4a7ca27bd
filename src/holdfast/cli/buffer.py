"""holdfast buffer"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.output import Output
from holdfast.domain.value import as_dict
from holdfast.memory.packs import buffered, rendered

EXAMPLES = """\
  holdfast buffer            what was decided and corrected in the sessions of late
  holdfast buffer --json
"""
STATUS = "0 also when it is empty · 3 no workspace · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the working buffer."""
    app = opened(args)
    sessions = buffered(app)
    if out.as_json:
        forms = [as_dict(session) | {"notes": [as_dict(note) for note in session.notes]} for session in sessions]
        out.json({"sessions": forms})
    filled = any(session.goal or session.notes for session in sessions)
    out.line(rendered(sessions).rstrip() if filled else "Nothing was said yet.")
    out.notices(app.notices)
    return 0
