"""holdfast database"""

import argparse

from holdfast.cli.common import opened
from holdfast.cli.output import Output, one_line
from holdfast.memory.databases import Named, migrate, state

EXAMPLES = """\
  holdfast database migrate --database postgresql://holdfast@db.example/holdfast
  holdfast database status                     by HOLDFAST_DATABASE_URL: its version, and the projects you see
"""
STATUS = (
    "0 fine · 1 not migrated · 2 no database named, or inside a client · 5 of a newer version · 6 it does not answer"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=("migrate", "status"), help="what to do")
    parser.add_argument("--database", default="", metavar="URL", help="which one; else HOLDFAST_DATABASE_URL")
    parser.add_argument("--team", default="", help="which team; else the setting `database.team`")
    parser.add_argument(
        "--as", dest="who", default="", metavar="PERSON", help="who you are there; git's name otherwise"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Look after a team's PostgreSQL."""
    app = opened(args, anywhere=True)
    if args.verb == "migrate":
        done = migrate(app, args.database)
        if out.as_json:
            out.json({"migrated": done})
        out.line(f"Migrated: {', '.join(done)}." if done else "Nothing to migrate.")
        return 0
    found = state(app, Named(url=args.database, team=args.team, person=args.who))
    ready = found.version == found.newest
    if out.as_json:
        out.json({
            "version": found.version, "newest": found.newest, "ready": ready, "person": found.person,
            "projects": list(found.projects),
        })  # fmt: skip
    out.line(f"Version {found.version} of {found.newest}" + ("" if ready else ": run `holdfast database migrate`"))
    for name in found.projects:
        out.cut(f"  {one_line(name)}")
    return 0 if ready else 1
