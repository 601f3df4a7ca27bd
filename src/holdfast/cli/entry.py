"""The console script: a hook and a badge go straight to their work, everything else to the command line."""

import os
import sys


def main() -> None:
    """Run `holdfast`."""
    if sys.argv[1:] == ["hook"]:
        # Clients may run this on every event: the parser and its help are not for them.
        from holdfast.hook.entry import take_payload

        take_payload()
        sys.exit(0)
    if sys.argv[1:3] == ["status", "--badge"]:
        # Shells run this before every prompt.
        from holdfast.cli.badge_line import quick

        if quick(sys.argv[3:]):
            sys.exit(0)
    # A question's matrices are small: threads would only wait for each other, and take time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from holdfast.cli.main import main as command_line
    except KeyboardInterrupt:
        sys.exit(130)
    command_line()
