"""holdfast uninstall --merge-driver"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.init_merge_driver import tell_driver
from holdfast.cli.output import Output
from holdfast.setup.merge_driver import uninstall_driver

EXAMPLES = """\
  holdfast uninstall --merge-driver        git merges memory line by line again, in this repository
"""
STATUS = "0 done, also when there was none · 2 no repository, or inside a client · 3 no workspace · 6 no git"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Take the merge driver out of the repository and this clone of it."""
    app = open_app(args)
    tell_driver(app, uninstall_driver(app), out)
    return 0
