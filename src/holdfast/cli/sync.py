"""holdfast sync"""

import argparse
from urllib.parse import urlsplit

from holdfast.cli.asked_token import asked_token
from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.cli.sync_database import records_of
from holdfast.config.remotes import Remote
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.exchange.sync.sync_workspace import SyncStep
from holdfast.exchange.sync.team_servers import (
    RemoteState,
    RemoteSyncResult,
    add_remote,
    check_new_remote,
    drop_remote,
    list_remotes,
    preview_remotes,
    require_remote,
    set_token,
    sync_remotes,
)
from holdfast.workspace import App

EXAMPLES = """\
  holdfast sync                                now, with every server; it is also done after every session
  holdfast sync team --dry-run                 what would come, go, and be taken away here
  holdfast sync team --yes                     also where it takes away much
  holdfast sync add team https://memory.example.com      asks for the token
  holdfast sync add https://memory.example.com           the same; it is called `memory` here
  holdfast sync add team https://memory.example.com --token-file ~/team-token --workspace 6f8629f9e7849b0a
  holdfast sync set team --token-file ~/new-token        another token; all else stays
  holdfast sync list                           the servers, and how the last sync with each went
  holdfast sync remove team
  holdfast sync database                       with the team's database instead
"""
STATUS = (
    "0 done · 1 a server is away, waits for --yes, or both sides changed the same · 2 bad request, or inside a "
    "client · 3 no such server, no workspace"
)


NONE = "No servers. Add one: holdfast sync add NAME URL. With the team's database: holdfast sync database"


class NoAddress(BadRequest):
    """A server without an address."""

    def __init__(self) -> None:
        super().__init__("A server needs an address.", "for example: holdfast sync add team https://memory.example.com")


class SyncNameTaken(BadRequest):
    """A server that is called like a verb."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"`holdfast sync {name}` means something else.", f"another name: holdfast sync add my-{name} URL"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "verb",
        nargs="?",
        default="",
        metavar="VERB",
        help="add, set, list, status, remove; or a server's name: sync with it",
    )
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="what the server is called here")
    parser.add_argument("url", nargs="?", default="", metavar="URL", help="with add: its address")
    parser.add_argument("--dry-run", action="store_true", help="only say what would move")
    parser.add_argument("--yes", action="store_true", help="it may take away much of what is here")
    parser.add_argument("--pass-on", action="store_true", help="send also what came from other servers")
    group = parser.add_argument_group("with add and set")
    group.add_argument("--token-file", default="", metavar="FILE", help="a file with the token; else it asks")
    group.add_argument(
        "--workspace", dest="there", default="", metavar="ID", help="which of its workspaces this one is"
    )
    group.add_argument("--no-journal", action="store_true", help="no events, runs, ratings and cost")
    group.add_argument("--candidates", action="store_true", help="what waits for review goes too")


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring this workspace together with a team's server."""
    if args.verb not in VERBS:
        _as_name(args)
    app = open_app(args)
    code = VERBS[args.verb](app, args, out)
    out.notices(app.notices)
    return code


def _as_name(args: argparse.Namespace) -> None:
    """Read the first word as the server that is meant."""
    if args.name:
        raise BadRequest(f"`holdfast sync` has no {args.verb!r}.", "`holdfast sync --help` shows what it has.")
    args.verb, args.name = "", args.verb


def _add(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.url and "://" in args.name:
        args.name, args.url = (urlsplit(args.name).hostname or "").partition(".")[0], args.name
    if not args.name or not args.url:
        raise NoAddress
    if args.name in VERBS or args.name == "database":
        raise SyncNameTaken(args.name)
    check_new_remote(app, args.name, args.url)
    given = Remote(
        name=args.name, url=args.url, token=asked_token(args.token_file), workspace=args.there,
        journal=not args.no_journal, candidates=args.candidates,
    )  # fmt: skip
    made = add_remote(app, given)
    [first] = preview_remotes(app, made.name)
    if out.as_json:
        out.json(_form(RemoteState(remote=made)) | {"first": _would(first)})
    out.line(f"Added: {made.name}, {one_line(made.url)}, workspace {made.workspace}. Sync now: holdfast sync")
    if first.done:
        comes, goes = (format_count(len(_would(first)[each]), "file") for each in ("comes", "goes"))
        out.line(f"The first sync brings {comes}, and sends {goes}: holdfast sync {made.name} --dry-run")
    return 0


def _set(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.name or args.url or args.there or args.no_journal or args.candidates:
        raise BadRequest("`holdfast sync set` takes a name, and a token.", "all else: remove it, and add it anew.")
    require_remote(app, args.name)
    made = set_token(app, args.name, asked_token(args.token_file))
    if out.as_json:
        out.json(_form(RemoteState(remote=made)))
    out.line(f"{made.name} has another token now. Sync now: holdfast sync {made.name}")
    return 0


def _list(app: App, _: argparse.Namespace, out: Output) -> int:
    found = list_remotes(app)
    if out.as_json:
        out.json({"remotes": [_form(each) for each in found]})
    for each in found:
        out.cut(f"{each.remote.name}  {one_line(each.remote.url)}  last synced: {each.at or 'never'}")
        if each.failed:
            out.cut(f"  {each.failed_at}: {one_line(each.failed)}")
        if each.refused:
            out.cut(f"  not taken: {one_line(each.refused)}")
        if each.deletions:
            out.cut(f"  taken away here {one_line(each.deletions)}")
    if not found:
        out.line(NONE)
    return 1 if any(each.failed for each in found) else 0


def _plan(app: App, args: argparse.Namespace, out: Output) -> int:
    found = preview_remotes(app, args.name)
    if out.as_json:
        out.json({"remotes": [{"name": each.remote.name, "failed": each.failed, **_would(each)} for each in found]})
    for each in found:
        out.cut(f"{each.remote.name}: {one_line(each.failed) or format_count(_steps(each), 'file') + ' would move'}")
        for step in _steps(each):
            out.cut(f"  {step.does}  {one_line(step.path)}")
    out.line("Nothing was written." if found else NONE)
    return 1 if any(each.done is None for each in found) else 0


def _steps(found: RemoteSyncResult) -> tuple[SyncStep, ...]:
    return found.done.planned if found.done else ()


def _would(found: RemoteSyncResult) -> dict[str, list[str]]:
    """What a sync would bring, send, and take away, for programs."""
    ways = {"comes": ("pull", "clash"), "goes": ("push", "withdraw"), "taken": ("drop",)}
    return {way: [step.path for step in _steps(found) if step.does in does] for way, does in ways.items()}


def _asked(app: App, args: argparse.Namespace, out: Output) -> list[RemoteSyncResult]:
    """Sync; of a server that would take away much, a person is asked first."""
    found = sync_remotes(app, args.name, yes=args.yes, pass_on=args.pass_on)
    for at, each in enumerate(found):
        if each.asks and not out.as_json and out.confirm(f"{one_line(each.failed)} Let it?"):
            [found[at]] = sync_remotes(app, each.remote.name, yes=True, pass_on=args.pass_on)
    return found


def _sync(app: App, args: argparse.Namespace, out: Output) -> int:
    if args.dry_run:
        return _plan(app, args, out)
    found = _asked(app, args, out)
    if out.as_json:
        out.json({"remotes": [_done(each) for each in found]})
    for each in found:
        if each.done is None:
            out.cut(f"{each.remote.name}: {one_line(each.failed)} {one_line(each.hint)}")
            continue
        events = f", {format_count(each.done.events, 'event')} sent" if each.done.events else ""
        moved = f"{len(each.done.pulled)} came, {len(each.done.pushed)} went{records_of(each.done)}"
        first = "the first sync; " if each.done.first else ""
        out.line(f"{each.remote.name}: {first}{moved}{events}.")
        for taken in each.done.deletions:
            out.cut(f"  taken away here: {one_line(taken.what)}: {one_line(taken.why)}")
        for refusal in each.done.refused:
            out.cut(f"  not taken: {one_line(refusal.what)}: {one_line(refusal.why)}")
        for clash in each.done.conflicts:
            out.cut(f"  {one_line(clash.path)}: both changed it; yours waits: {', '.join(clash.candidates)}")
    if not found:
        out.line(NONE)
    return 1 if any(each.done is None or each.done.conflicts for each in found) else 0


def _remove(app: App, args: argparse.Namespace, out: Output) -> int:
    gone = drop_remote(app, args.name)
    if out.as_json:
        out.json({"removed": gone.name})
    out.line(f"Removed: {gone.name}. What came from it stays.")
    return 0


VERBS = {"": _sync, "add": _add, "set": _set, "list": _list, "status": _list, "remove": _remove}


def _form(state: RemoteState) -> dict[str, object]:
    """A remote for programs, never with its token."""
    held = {key: value for key, value in as_dict(state.remote).items() if key != "token"}
    return {
        **held,
        "at": state.at,
        "refused": state.refused,
        "taken": state.deletions,
        "failed": state.failed,
        "failed_at": state.failed_at,
    }


def _done(found: RemoteSyncResult) -> dict[str, object]:
    if found.done is None:
        return {"name": found.remote.name, "failed": found.failed, "hint": found.hint, "asks": found.asks}
    return {
        "name": found.remote.name, "pulled": list(found.done.pulled), "pushed": list(found.done.pushed),
        "events": found.done.events, "clashes": [as_dict(each) for each in found.done.conflicts],
        "records": {"pulled": found.done.records[0], "pushed": found.done.records[1]},
        "refused": [as_dict(each) for each in found.done.refused],
        "taken": [as_dict(each) for each in found.done.deletions], "first": found.done.first,
    }  # fmt: skip
