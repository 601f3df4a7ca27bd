"""holdfast studio"""

import argparse
import sys

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.cli.serve import add_address, serve, tell_link
from holdfast.workspace import need_person

EXAMPLES = """\
  holdfast studio                          open Studio; serve it, if no server runs yet
  holdfast studio --no-browser             only print the link: good once, for a minute
"""
STATUS = "0 opened, or stopped by a signal · 2 bad request, or inside a client · 6 the packages are not installed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--no-browser", action="store_true", help="print the link, open nothing")
    add_address(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Open Studio of the server that runs, or serve it."""
    from holdfast.server.http.running_lock import find_running_server

    app = open_app(args, anywhere=True)
    need_person(app, "studio")
    url = find_running_server(app.home)
    if url:
        tell_link(out, app.home, url, open_it=not args.no_browser)
        return 0

    def up(address: str) -> None:
        out.line(f"Holdfast serves at {address}  (Ctrl-C stops it)")
        tell_link(out, app.home, address, open_it=not args.no_browser)
        sys.stdout.flush()

    return serve(args, app, up)
