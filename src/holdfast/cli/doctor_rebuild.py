"""holdfast doctor --rebuild"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.index.maintenance import rebuild

EXAMPLES = """\
  holdfast doctor --rebuild
"""
STATUS = "0 built · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Build the index anew from the files."""
    app = open_app(args, anywhere=True)
    files, entries = rebuild(app, as_it_is=True)
    if out.as_json:
        out.json({"files": files, "entries": entries})
    out.line(f"Built the index anew: {format_count(entries, 'entry')} from {format_count(files, 'file')}.")
    out.notices(app.notices)
    return 0
