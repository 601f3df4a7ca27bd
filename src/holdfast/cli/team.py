"""holdfast team"""

import argparse
from typing import Any

from holdfast.cli.asked_token import asked_token
from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.exchange.team import manage_teams
from holdfast.exchange.team.member_names import set_team_person
from holdfast.review.conflict_pairs import ConflictPair
from holdfast.workspace import App

EXAMPLES = """\
  holdfast team init acme                          a folder in this repository: .holdfast/team
  holdfast team init acme git@host:acme/memory.git a repository of its own
  holdfast team init acme postgresql://me@db/holdfast    a database; `database` for the one in the settings
  holdfast team join                               the team's memory that lies in this repository
  holdfast team join git@host:acme/memory.git      clone it, and take part
  holdfast team join https://memory.example.com    a server's team; asks for the token
  holdfast team join https://memory.example.com --token-file better    the same with another token
  holdfast team join postgresql://me@db/holdfast --name acme
  holdfast team promote DEC-7K2MQ4                 propose it to the team: a candidate, accepted as any other
  holdfast team sync                               take what others pushed, push what was accepted here
  holdfast team status
  holdfast team name "Ada Lovelace"                who you are there; signs what you added without a name
  holdfast team leave                              none of it is told any more
  holdfast team database status                    a team's PostgreSQL: its version, and the projects you see
"""
STATUS = (
    "0 done · 1 conflicts with memory here, or both sides changed the same · 2 bad request, or inside a client · "
    "3 no such team or memory · 4 same lines changed, not sent yet, or much would be taken away here (--yes) · "
    "6 git, database or server did not answer"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=tuple(VERBS), help="what to do")
    parser.add_argument("words", nargs="*", metavar="WORD", help="a name and a source, a source, ids, or your name")
    parser.add_argument("--name", default="", help="with join: which team of a database; what it is called here")
    parser.add_argument("--as", dest="who", default="", metavar="PERSON", help="your name in it; git's otherwise")
    parser.add_argument(
        "--token-file", default="", metavar="FILE", help="with join: a file with the server's token; else it asks"
    )
    parser.add_argument(
        "--workspace",
        dest="there",
        default="",
        metavar="ID",
        help="with join: which workspace of a server is the team's",
    )
    parser.add_argument("--yes", action="store_true", help="with sync: it may take away much of what is here")
    parser.add_argument("--drop-unsent", action="store_true", help="with leave: also what no other has yet")


def run(args: argparse.Namespace, out: Output) -> int:
    """Share memory with a team."""
    app = open_app(args)
    code = VERBS[args.verb](app, args, out)
    out.notices(app.notices)
    return code


def _init(app: App, args: argparse.Namespace, out: Output) -> int:
    name, *source = args.words or [""]
    if not name or len(source) > 1:
        raise BadRequest("A team needs a name.", "for example: holdfast team init acme")
    return _joined(manage_teams.init_team(app, name, "".join(source), args.who), "Begun", out)


def _join(app: App, args: argparse.Namespace, out: Output) -> int:
    if len(args.words) > 1:
        raise BadRequest("One source at a time.", "for example: holdfast team join git@host:acme/memory.git")
    source = "".join(args.words)
    done = manage_teams.join_team(
        app, source, args.name, args.who, token=_token(app, source, args), workspace=args.there
    )
    return _joined(done, "Joined", out)


def _token(app: App, source: str, args: argparse.Namespace) -> str:
    """A server's token; not asked for again where a remote of this workspace has it."""
    if not manage_teams.is_server(source) or (not args.token_file and manage_teams.find_known_token(app, source)):
        return ""
    return asked_token(args.token_file)


def _joined(done: manage_teams.JoinedTeam, verb: str, out: Output) -> int:
    if out.as_json:
        out.json(
            {
                "team": manage_teams.membership_json(done.team),
                "counts": dict(done.counts),
                "conflicts": _pairs(done.conflicts),
            }
        )
    number = sum(done.counts.values())
    out.line(f"{verb}: {done.team.name}, {format_count(number, 'memory')} in {one_line(done.team.root)}")
    _print_pairs(done.conflicts, out)
    return 0


def _leave(app: App, args: argparse.Namespace, out: Output) -> int:
    done = manage_teams.leave_team(app, drop_unsent=args.drop_unsent)
    found = done.team
    if out.as_json:
        out.json({"left": found.name, "root": found.root, "removed": done.removed})
    files = "What was kept of it here is gone." if done.removed else f"Its files stay in {one_line(found.root)}."
    out.line(f"Left: {one_line(found.name)}. {files}")
    return 0


def _status(app: App, _: argparse.Namespace, out: Output) -> int:
    found = manage_teams.read_team_state(app)
    if out.as_json:
        out.json(
            {
                "team": manage_teams.membership_json(found.team),
                "counts": dict(found.counts),
                "authors": dict(found.authors),
                "promotions": list(found.promotions),
                "conflicts": _pairs(found.conflicts),
                "unsent": list(found.unsent),
                "pending": as_dict(found.pending) if found.pending else None,
                "person": found.person,
                "unsigned": list(found.unsigned),
            }
        )
    out.line(f"{found.team.name}: {found.team.kind}, {one_line(found.team.root)}, since {found.team.joined[:10]}")
    counts = ", ".join(format_count(number, one_line(name)) for name, number in sorted(found.counts.items()))
    out.line(f"  {counts or 'nothing yet'}")
    if found.authors:
        out.cut(f"  by {', '.join(f'{one_line(name)} ({number})' for name, number in sorted(found.authors.items()))}")
    _print_names(found, out)
    if found.promotions:
        out.cut(f"  to review: {', '.join(found.promotions)} (holdfast review)")
    commits, files = found.unsent
    if commits or files:
        out.line(
            f"  not shared yet: {format_count(commits, 'commit')}, {format_count(files, 'file')}: holdfast team sync"
        )
    if found.pending:
        _print_pending(found.pending, out)
    _print_pairs(found.conflicts, out)
    return 1 if found.conflicts else 0


def _print_names(found: manage_teams.TeamState, out: Output) -> None:
    if not found.person:
        out.line("  nobody knows your name here: holdfast team name NAME")
    if found.unsigned:
        told = f"{format_count(found.unsigned, 'memory')} without a name: {', '.join(found.unsigned)}"
        out.cut(f"  {told}")
        out.line("  what went from here gets yours by `holdfast team name NAME`; the rest, where it was accepted")


def _name(app: App, args: argparse.Namespace, out: Output) -> int:
    if len(args.words) != 1:
        raise BadRequest("What is your name in the team?", 'for example: holdfast team name "Ada Lovelace"')
    done = set_team_person(app, args.words[0])
    if out.as_json:
        out.json({"team": manage_teams.membership_json(done.team), "signed": list(done.signed)})
    signed = f" Signed: {', '.join(done.signed)}; others have it with `holdfast team sync`." if done.signed else ""
    out.line(f"In {one_line(done.team.name)} you are {one_line(done.team.person)} now.{signed}")
    return 0


def _print_pending(found: manage_teams.TeamSyncPreview, out: Output) -> None:
    out.line(f"  last synced: {found.at or 'never'}")
    if found.unsent:
        out.line(f"  not shared yet: {format_count(found.unsent, 'file')}: holdfast team sync")
    if found.behind:
        out.line(f"  not here yet: {format_count(found.behind, 'file')}: holdfast team sync")
    if found.waiting:
        out.cut(f"  {format_count(found.waiting, 'candidate')} in the team's own space: {one_line(found.review)}")
    if found.behind is None:
        out.cut(f"  what others have is not known: {one_line(found.failed)}")
    elif found.missed:
        out.cut(f"  the last sync failed: {one_line(found.missed)}")


def _promote(app: App, args: argparse.Namespace, out: Output) -> int:
    if not args.words:
        raise BadRequest("Name the memories to promote.", "for example: holdfast team promote DEC-7K2MQ4")
    made = manage_teams.promote_memories(app, args.words)
    if out.as_json:
        rows = [
            {"candidate": e.memory.id, "from": e.memory.supersedes[0], "to": e.memory.extra["promote_to"]} for e in made
        ]
        out.json({"promoted": rows})
    for entry in made:
        out.cut(
            f"Proposed to the {entry.memory.extra['promote_to']}: {entry.memory.id}  {one_line(entry.memory.title)}"
        )
    out.line("Accept: holdfast review, or holdfast accept ID…")
    return 0


def _sync(app: App, args: argparse.Namespace, out: Output) -> int:
    try:
        done = manage_teams.sync_team_memory(app, yes=args.yes)
    except manage_teams.TooManyDeletions as error:
        if out.as_json or not out.confirm(f"{error} Let it?"):
            raise
        done = manage_teams.sync_team_memory(app, yes=True)
    if isinstance(done, manage_teams.SyncReport):
        return _synced(done, out)
    if out.as_json:
        out.json(as_dict(done) if done else {"committed": False, "came": False, "sent": False})
    if done is None:
        out.line("Read anew. A folder has nothing to fetch: share it as you share files.")
        return 0
    parts = [
        words
        for words, told in (("committed", done.committed), ("took others'", done.came), ("pushed", done.sent))
        if told
    ]
    out.line(f"Synced: {', '.join(parts) or 'nothing new'}.")
    return 0


def _synced(done: manage_teams.SyncReport, out: Output) -> int:
    if out.as_json:
        out.json({
            "pulled": list(done.pulled), "pushed": list(done.pushed), "left": list(done.left),
            "clashes": [as_dict(each) for each in done.conflicts], "refused": [as_dict(each) for each in done.refused],
            "taken": [as_dict(each) for each in done.deletions],
        })  # fmt: skip
    for clash in done.conflicts:
        out.cut(f"  {one_line(clash.path)}: both changed it; yours waits: {', '.join(clash.candidates)}")
    for each in done.refused:
        out.cut(f"  {one_line(each.what)} stays here: {one_line(each.why)}")
    for taken in done.deletions:
        out.cut(f"  taken away here: {one_line(taken.what)}: {one_line(taken.why)}")
    out.line(f"Synced: {len(done.pulled)} came, {len(done.pushed)} went.")
    if done.left:
        out.line(f"{format_count(len(done.left), 'file')} moved meanwhile: run it again.")
    return 1 if done.conflicts else 0


VERBS = {
    "init": _init, "join": _join, "leave": _leave, "status": _status, "promote": _promote, "sync": _sync, "name": _name,
}  # fmt: skip


def _pairs(found: tuple[ConflictPair, ...]) -> list[dict[str, Any]]:
    return [{"new": pair.new.memory.id, "old": pair.old.memory.id, "reason": pair.reason} for pair in found]


def _print_pairs(found: tuple[ConflictPair, ...], out: Output) -> None:
    for pair in found:
        new, old = (f"{each.memory.id} ({each.scope})" for each in (pair.new, pair.old))
        out.cut(f"  conflict: {new} and {old}: {one_line(pair.reason)}")
    if found:
        out.line("  Resolve: holdfast resolve NEW OLD --supersede|--keep-old|--narrow GLOB|--keep-both --because WHY")
