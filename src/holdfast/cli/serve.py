"""holdfast serve"""

import argparse
import gc
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output
from holdfast.core.errors import Unavailable
from holdfast.core.extras import extra_command
from holdfast.trust.presence import prove_person
from holdfast.workspace import App, need_person

if TYPE_CHECKING:
    from holdfast.exchange.team.serve_team import TeamMirrors

PORT = 7457
RATE = 100
BURST = 4
EXAMPLES = """\
  holdfast serve                           for Studio and programs of this machine
  holdfast serve --open                    open Studio; serve it, if no server runs yet
  holdfast serve --open --no-browser       only print the link: good once, for a minute
  holdfast serve --port 0 --json           any free port; the first line has url and token
  holdfast serve --host 0.0.0.0 --allow-remote --tls-cert site.pem --tls-key site.key --name memory.example
  holdfast serve --behind-proxy memory.example
  holdfast serve --set run.tokens=100000   in every workspace, whatever its files say, as long as it runs
  holdfast serve token add editor          a token for a program
  holdfast serve --database postgresql://holdfast@db/holdfast --team acme     one of several servers of a team
"""
STATUS = (
    "0 stopped by a signal, or opened · 2 bad request, a token that others can read, or inside a client · "
    "3 no such team · 6 the port is taken, or the packages are not installed"
)
PACKAGES = ("fastapi", "uvicorn", "websockets", "mcp")


class ServerNotInstalled(Unavailable):
    """The server's packages are an extra."""

    def __init__(self, missing: str) -> None:
        super().__init__(
            f"The server needs the package {missing!r}, which is not installed.",
            f"install what it needs: {extra_command('serve')}",
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--open", action="store_true", help="open Studio in the browser; of the server that runs already, if one does"
    )
    parser.add_argument("--no-browser", action="store_true", help="with --open: only print the link, open nothing")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine alone)")
    parser.add_argument("--port", type=port, default=PORT, metavar="N", help=f"default: {PORT}; 0: any that is free")
    parser.add_argument(
        "--rate",
        type=parse_count,
        default=RATE,
        metavar="N",
        help=f"requests a second for each token (default: {RATE})",
    )
    group = parser.add_argument_group("other machines")
    group.add_argument("--allow-remote", action="store_true", help="let other machines in; needs TLS or a proxy")
    group.add_argument("--tls-cert", default="", metavar="FILE", help="the certificate, in PEM")
    group.add_argument("--tls-key", default="", metavar="FILE", help="its key, in PEM")
    group.add_argument("--name", action="append", default=[], metavar="NAME", help="a name the certificate is for")
    group.add_argument(
        "--behind-proxy", action="append", default=[], metavar="NAME", help="a name that a proxy with TLS serves us as"
    )
    group = parser.add_argument_group("log, on standard error")
    group.add_argument("-v", dest="verbose", action="count", default=0, help="every request; -vv: the libraries too")
    group.add_argument("--log-format", choices=["plain", "json"], default="plain", help="json: one object a line")
    group = parser.add_argument_group("a team, over PostgreSQL")
    group.add_argument("--database", default="", metavar="URL", help="its database; else HOLDFAST_DATABASE_URL")
    group.add_argument("--team", default="", help="which team; else the setting `database.team`, or the only one")
    group.add_argument("--new-team", action="store_true", help="begin that team in a database that has others")
    group.add_argument("--no-database", action="store_true", help="this machine's own workspaces all the same")


def port(text: str) -> int:
    """A port's number."""
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"takes a number from 0 to 65535, not {text!r}")
    return int(text)


def run(args: argparse.Namespace, out: Output) -> int:
    """Serve until a signal says stop."""
    app = open_app(args, anywhere=True, quiet=True)
    need_person(app, "serve")
    if args.open and (url := _running(app)):
        tell_link(out, app, url, open_it=not args.no_browser)
        return 0
    return serve(args, app, lambda url: _tell(out, app, url, args))


def _running(app: App) -> str:
    """The address of the server that runs already, if one does."""
    from holdfast.server.http.running_lock import find_running_server

    return find_running_server(app.home) or ""


def serve(args: argparse.Namespace, app: App, up: Callable[[str], None]) -> int:
    """Serve in the foreground, and tell when it answers."""
    need_packages()
    from holdfast.server.http.binding import ServeOptions, bind_socket, check_binding
    from holdfast.server.http.security.server_tokens import TokenStore

    wanted = ServeOptions(
        host=args.host.removeprefix("[").removesuffix("]"),
        port=args.port,
        remote=args.allow_remote,
        certificate=args.tls_cert,
        key=args.tls_key,
        proxied=tuple(args.behind_proxy),
        names=tuple(args.name),
    )
    check_binding(wanted)
    # Tokens that others could read stop the start.
    TokenStore(app.home).records()
    # So does a setting that does not fit.
    _ = app.settings
    with closing(bind_socket(wanted)) as listening:
        # All that is loaded now stays: looking for what could go costs a tenth of the start.
        gc.disable()
        from holdfast.server.http.limits import RequestLimits
        from holdfast.server.http.request_log import start_logging
        from holdfast.server.http.server_state import Serving
        from holdfast.server.http.uvicorn_server import read_server_names, serve_on

        gc.freeze()
        gc.enable()
        start_logging(args.log_format, args.verbose)
        limits = RequestLimits(per_second=args.rate, burst=BURST * args.rate)
        own, mirrors = read_server_names(wanted, listening), mirrors_of(args, app)
        first = "" if mirrors else app.workspace
        serving = Serving(app.home, own, limits=limits, first=first, mirrors=mirrors, flags=app.flags)
        serve_on(serving, wanted, listening, up)
    return 0


def mirrors_of(args: argparse.Namespace, app: App) -> "TeamMirrors | None":
    """The projects of a team's database, where one is named."""
    url = args.database or str(app.settings["database.url"])
    if args.no_database or not url:
        return None
    from holdfast.exchange.sync.team_database import DatabaseSelector, NoDriver, find_database_person, find_served_team

    if find_spec("psycopg") is None:
        raise NoDriver
    from holdfast.exchange.team.serve_team import TeamMirrors

    team = find_served_team(
        app, DatabaseSelector(url=url, team=args.team, person=find_database_person(app), new=args.new_team)
    )
    found = TeamMirrors(app.home, url, team, find_database_person(app))
    found.open()
    return found


def need_packages() -> None:
    """Refuse without the extra."""
    for package in PACKAGES:
        if find_spec(package) is None:
            raise ServerNotInstalled(package)


def tell_link(out: Output, app: App, url: str, *, open_it: bool) -> None:
    """Print a one-time link to Studio, and open it where that is wanted."""
    from holdfast.server.http.security.studio_links import GOOD_FOR, new_link

    link = new_link(app.home, url, prove_person(app, "serve --open"))
    if out.as_json:
        out.json_line({"url": link, "seconds": int(GOOD_FOR)})
    out.line(f"Studio, once and within {GOOD_FOR:.0f} s: {link}")
    if open_it:
        import webbrowser

        if not webbrowser.open(link):
            out.notices(["no browser could be opened; follow the link."])


def _tell(out: Output, app: App, url: str, args: argparse.Namespace) -> None:
    if out.as_json:
        from holdfast.server.http.security.server_tokens import TokenStore

        out.json_line({"url": url, "token": TokenStore(app.home).own()})
    else:
        out.line(f"Holdfast serves at {url}  (Ctrl-C stops it)")
    if args.open or not out.as_json:
        tell_link(out, app, url, open_it=args.open and not args.no_browser)
    out.line("Another link: holdfast serve --open")
    sys.stdout.flush()
