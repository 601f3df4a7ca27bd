"""holdfast version"""

import argparse

from holdfast.cli.output import Output

EXAMPLES = """\
  holdfast version
  holdfast version --json | jq -r .version
"""
STATUS = "0 printed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:  # noqa: ARG001  # there is nothing to choose
    """Print the version."""
    from importlib.metadata import version

    if out.as_json:
        out.json({"version": version("holdfast")})
    out.line(f"holdfast {version('holdfast')}")
    return 0
