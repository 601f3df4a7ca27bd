"""The console script: a hook goes straight to its work, everything else to the command line."""

import sys


def main() -> None:
    """Run `holdfast`."""
    if sys.argv[1:] == ["hook"]:
        # Clients may run this on every event: the parser and its help are not for them.
        from holdfast.memory.hook import take_payload

        take_payload()
        sys.exit(0)
    try:
        from holdfast.cli.main import main as command_line
    except KeyboardInterrupt:
        sys.exit(130)
    command_line()
