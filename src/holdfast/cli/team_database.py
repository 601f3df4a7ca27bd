"""holdfast team database"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, open_app, parse_count
from holdfast.cli.hit_lines import RECIPES, WEAK, lanes_json
from holdfast.cli.output import Output, one_line
from holdfast.core.search import Hit, Question
from holdfast.exchange.sync.database_search import search_database
from holdfast.exchange.sync.team_database import DatabaseSelector, migrate_database, read_database_state
from holdfast.workspace import App

EXAMPLES = """\
  holdfast team database migrate --database postgresql://holdfast@db.example/holdfast
  holdfast team database status                     by HOLDFAST_DATABASE_URL: its version, and the projects you see
  holdfast team database search "rate limit"        in every project you see, without a checkout
  holdfast team database person                     who is in the team, and whose logins there are
  holdfast team database person add ada --login ada_db        that login sees what Ada sees, and no more
  holdfast team database person remove ada
  holdfast team database project close github.com/acme/app ada bob      only they see it
  holdfast team database project open github.com/acme/app     the whole team does
"""
STATUS = (
    "0 fine · 1 not migrated, or nothing found · 2 no database named, no right to it, or inside a client · "
    "3 no such team, person, login or project · 5 of a newer version · 6 it does not answer"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=("migrate", "status", "search", "person", "project"), help="what to do")
    parser.add_argument(
        "query", nargs="*", metavar="WORD", help="with search: words to find; with person and project: what, and who"
    )
    parser.add_argument("--login", default="", metavar="ROLE", help="with person add: a database login of theirs alone")
    parser.add_argument("--project", default="", metavar="NAME", help="with search: only in this project")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=0, metavar="N", help="with search: how many of each project"
    )
    parser.add_argument(
        "--recipe", default="", choices=RECIPES, help="with search: rank so (default: as the settings say)"
    )
    parser.add_argument("--database", default="", metavar="URL", help="which one; else HOLDFAST_DATABASE_URL")
    parser.add_argument("--team", default="", help="which team; else as the first push, or the only one")
    parser.add_argument(
        "--as", dest="who", default="", metavar="PERSON", help="who you are there; git's name otherwise"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Look after a team's PostgreSQL."""
    app = open_app(args, anywhere=True, quiet=True)
    if args.verb == "migrate":
        done = migrate_database(app, args.database)
        if out.as_json:
            out.json({"migrated": done})
        out.line(f"Migrated: {', '.join(done)}." if done else "Nothing to migrate.")
        return 0
    if args.verb == "search":
        return _search(args, app, out)
    if args.verb in ("person", "project"):
        from holdfast.cli.team_database_people import run_people

        return run_people(args, app, out)
    found = read_database_state(app, DatabaseSelector(url=args.database, team=args.team, person=args.who))
    ready = found.version == found.newest
    if out.as_json:
        out.json({
            "version": found.version, "newest": found.newest, "ready": ready, "person": found.person,
            "projects": list(found.projects),
        })  # fmt: skip
    out.line(f"Version {found.version} of {found.newest}" + ("" if ready else ": run `holdfast team database migrate`"))
    for name in found.projects:
        out.cut(f"  {one_line(name)}")
    return 0 if ready else 1


def _search(args: argparse.Namespace, app: App, out: Output) -> int:
    named = DatabaseSelector(url=args.database, team=args.team, project=args.project, person=args.who)
    asked = Question(text=" ".join(args.query), limit=args.limit or int(app.settings["search.limit"]))
    found = search_database(app, named, asked, args.recipe)
    if out.as_json:
        rows = [_hit(each.project, hit) for each in found for hit in each.found.hits]
        out.json({"query": asked.text, "hits": rows, "searched": [each.project for each in found]})
    for each in found:
        if each.found.hits:
            out.line(f"{one_line(each.project)}:" if each.project else "the team's own memory:")
        for hit in each.found.hits:
            out.line(entry_line(hit.entry, out, before="~ " if hit.weak else "  "))
    if any(hit.weak for each in found for hit in each.found.hits):
        out.line(WEAK)
    out.notices(app.notices)
    if not any(each.found.hits for each in found):
        out.line(f"Nothing found in {len(found) - (not args.project)} projects.")
        return 1
    return 0


def _hit(project: str, hit: Hit) -> dict[str, Any]:
    memory = hit.entry.memory
    return {
        "project": project, "id": memory.id, "type": memory.type, "title": memory.title, "score": round(hit.score, 6),
        "weak": hit.weak, "lanes": lanes_json(hit), "path": hit.entry.path, "status": memory.status,
        "updated": memory.updated,
    }  # fmt: skip
