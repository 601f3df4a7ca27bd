"""holdfast remote"""

import argparse

from holdfast.cli.asked_token import asked_token
from holdfast.cli.common import counted, opened
from holdfast.cli.output import Output, one_line
from holdfast.cli.vault import records_of
from holdfast.config.remotes import Remote
from holdfast.domain.errors import BadRequest
from holdfast.domain.value import as_dict
from holdfast.memory.open import App
from holdfast.memory.sync.remotes import RemoteState, SyncedWith, add, check_new, drop, remotes, sync_remotes

EXAMPLES = """\
  holdfast remote add team https://memory.example.com      asks for the token
  holdfast remote add team https://memory.example.com --token-file ~/team-token --workspace 6f8629f9e7849b0a
  holdfast remote sync                         now; it is also done after every session
  holdfast remote list
  holdfast remote remove team
"""
STATUS = (
    "0 done · 1 a server is away, or both sides changed the same · 2 bad request, or inside a client · 3 no such remote"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=("add", "list", "sync", "remove"), help="what to do")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="what the server is called here")
    parser.add_argument("url", nargs="?", default="", metavar="URL", help="with add: its address")
    parser.add_argument(
        "--token-file", default="", metavar="FILE", help="with add: a file with the token; else it asks"
    )
    parser.add_argument(
        "--workspace", dest="there", default="", metavar="ID", help="with add: which of its workspaces this one is"
    )
    parser.add_argument("--no-journal", action="store_true", help="with add: no events, runs, ratings and cost")
    parser.add_argument("--candidates", action="store_true", help="with add: what waits for review goes too")


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring this workspace together with a team's server."""
    app = opened(args)
    code = VERBS[args.verb](app, args, out)
    out.notices(app.notices)
    return code


def _add(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.name or not args.url:
        raise BadRequest("A remote needs a name and an address.", EXAMPLES.splitlines()[0].strip())
    check_new(app, args.name, args.url)
    given = Remote(
        name=args.name, url=args.url, token=asked_token(args.token_file), workspace=args.there,
        journal=not args.no_journal, candidates=args.candidates,
    )  # fmt: skip
    made = add(app, given)
    if out.as_json:
        out.json(_form(RemoteState(remote=made)))
    out.line(f"Added: {made.name}, {one_line(made.url)}, workspace {made.workspace}. Sync now: holdfast remote sync")
    return 0


def _list(app: App, _: argparse.Namespace, out: Output) -> int:
    found = remotes(app)
    if out.as_json:
        out.json({"remotes": [_form(each) for each in found]})
    for each in found:
        out.cut(f"{each.remote.name}  {one_line(each.remote.url)}  last synced: {each.at or 'never'}")
        if each.failed:
            out.cut(f"  {each.failed_at}: {one_line(each.failed)}")
        if each.refused:
            out.cut(f"  not taken: {one_line(each.refused)}")
    if not found:
        out.line("No remotes. Add one: holdfast remote add NAME URL")
    return 1 if any(each.failed for each in found) else 0


def _sync(app: App, args: argparse.Namespace, out: Output) -> int:
    found = sync_remotes(app, args.name)
    if out.as_json:
        out.json({"remotes": [_done(each) for each in found]})
    for each in found:
        if each.done is None:
            out.cut(f"{each.remote.name}: {one_line(each.failed)} {one_line(each.hint)}")
            continue
        events = f", {counted(each.done.events, 'event')} sent" if each.done.events else ""
        moved = f"{len(each.done.pulled)} came, {len(each.done.pushed)} went{records_of(each.done)}"
        out.line(f"{each.remote.name}: {moved}{events}.")
        for refusal in each.done.refused:
            out.cut(f"  not taken: {one_line(refusal.what)}: {one_line(refusal.why)}")
        for clash in each.done.clashes:
            out.cut(f"  {one_line(clash.path)}: both changed it; yours waits: {', '.join(clash.candidates)}")
    if not found:
        out.line("No remotes. Add one: holdfast remote add NAME URL")
    return 1 if any(each.done is None or each.done.clashes for each in found) else 0


def _remove(app: App, args: argparse.Namespace, out: Output) -> int:
    gone = drop(app, args.name)
    if out.as_json:
        out.json({"removed": gone.name})
    out.line(f"Removed: {gone.name}. What came from it stays.")
    return 0


VERBS = {"add": _add, "list": _list, "sync": _sync, "remove": _remove}


def _form(state: RemoteState) -> dict[str, object]:
    """A remote for programs, never with its token."""
    held = {key: value for key, value in as_dict(state.remote).items() if key != "token"}
    return {**held, "at": state.at, "refused": state.refused, "failed": state.failed, "failed_at": state.failed_at}


def _done(found: SyncedWith) -> dict[str, object]:
    if found.done is None:
        return {"name": found.remote.name, "failed": found.failed, "hint": found.hint}
    return {
        "name": found.remote.name, "pulled": list(found.done.pulled), "pushed": list(found.done.pushed),
        "events": found.done.events, "clashes": [as_dict(each) for each in found.done.clashes],
        "records": {"pulled": found.done.records[0], "pushed": found.done.records[1]},
        "refused": [as_dict(each) for each in found.done.refused],
    }  # fmt: skip
