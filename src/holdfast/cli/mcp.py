"""holdfast mcp"""

import argparse
import gc
import sys
from importlib.util import find_spec
from signal import SIG_DFL, SIGINT, signal

from holdfast.cli.common import open_app, parse_settings
from holdfast.cli.output import Output
from holdfast.core.errors import Unavailable
from holdfast.core.extras import extra_command

EXAMPLES = """\
  claude mcp add holdfast -- holdfast mcp
  codex mcp add holdfast -- holdfast mcp
  holdfast mcp -C ~/src/app                for a client that starts elsewhere
"""
STATUS = "0 the client hung up · 2 bad request · 3 no such folder · 6 the package `mcp` is not installed"


class McpNotInstalled(Unavailable):
    """The server's package is an extra."""

    def __init__(self) -> None:
        super().__init__(
            "The MCP server needs the package 'mcp', which is not installed.",
            f"install it: {extra_command('mcp')}",
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""


def run(args: argparse.Namespace, _: Output) -> int:
    """Speak MCP with a client on standard input and output."""
    settings = parse_settings(args.settings)
    if args.workspace:
        open_app(args, anywhere=True, quiet=True)
    if find_spec("mcp") is None:
        raise McpNotInstalled
    if sys.stdin.isatty():
        print("This speaks MCP with a client, on standard input. Ctrl-C ends it.", file=sys.stderr)
    # All that is loaded now stays: looking for what could go costs a tenth of the start.
    gc.disable()
    from holdfast.server.mcp.mcp_server import serve

    gc.freeze()
    gc.enable()
    # A thread waits for the client's next line, and Python would wait for the thread. Every write survives this.
    signal(SIGINT, SIG_DFL)
    serve(args.workspace, settings)
    return 0
