"""holdfast hook"""

import argparse

from holdfast.cli.output import Output
from holdfast.hook.entry import take_payload

EXAMPLES = """\
  holdfast hook < payload.json         what a client's hook does, by hand
  echo '{"hook_event_name":"SessionStart","session_id":"s","cwd":"'$PWD'","source":"startup"}' | holdfast hook
  holdfast hook merge-driver BASE OURS THEIRS      what git runs, once `holdfast init --merge-driver` was
"""
STATUS = "0 always: a client must never suffer from its memory. Trouble is in HOLDFAST_HOME/logs/hook.log"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:  # noqa: ARG001  # the payload is on standard input
    """Take a client's payload from standard input, and print what that client may be told."""
    take_payload()
    return 0
