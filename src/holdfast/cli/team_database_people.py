"""holdfast team database person|project"""

import argparse
from importlib.util import find_spec

from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.exchange.sync.team_database import DatabaseSelector, NoDriver
from holdfast.workspace import App


class UnknownWords(BadRequest):
    """Words that say nothing."""

    def __init__(self, verb: str) -> None:
        hints = {
            "person": "holdfast team database person [add NAME [--login ROLE] | remove NAME]",
            "project": "holdfast team database project [close PROJECT WHO… | open PROJECT]",
        }
        super().__init__(f"`holdfast team database {verb}` takes other words.", hints[verb])


def run_people(args: argparse.Namespace, app: App, out: Output) -> int:
    """Say who is in a team, and who sees which project."""
    if find_spec("psycopg") is None:
        raise NoDriver
    named = DatabaseSelector(url=args.database, team=args.team, person=args.who)
    return {"person": _person, "project": _project}[args.verb](args, app, named, out)


def _person(args: argparse.Namespace, app: App, named: DatabaseSelector, out: Output) -> int:
    from holdfast.exchange.team import team_people

    match args.query:
        case []:
            found = team_people.list_people(app, named)
            if out.as_json:
                out.json({"people": [as_dict(each) for each in found]})
            for each in found:
                out.cut(one_line(each.name) + (f"  login {', '.join(each.logins)}" if each.logins else ""))
        case ["add", name]:
            team_people.add_person(app, named, name, args.login)
            if out.as_json:
                out.json({"added": name, "login": args.login})
            bound = f" The login {one_line(args.login)} is theirs alone." if args.login else ""
            out.line(f"Added: {one_line(name)}.{bound}")
        case ["remove", name]:
            team_people.remove_person(app, named, name)
            if out.as_json:
                out.json({"removed": name})
            out.line(
                f"Removed: {one_line(name)}. What they wrote for the team stays; what was their own is set aside, and "
                "nobody who comes later sees it."
            )
        case _:
            raise UnknownWords("person")
    return 0


def _project(args: argparse.Namespace, app: App, named: DatabaseSelector, out: Output) -> int:
    from holdfast.exchange.team import team_people

    match args.query:
        case []:
            found = team_people.list_projects(app, named)
            if out.as_json:
                out.json({"projects": [as_dict(each) for each in found]})
            for each in found:
                out.cut(one_line(each.name) + (f"  closed to all but {', '.join(each.members)}" if each.closed else ""))
        case ["close", project, *names]:
            outside = team_people.close_project(app, named, project, names)
            if out.as_json:
                out.json({"closed": project, "members": names})
            out.line(f"Closed: {one_line(project)}, seen by {', '.join(map(one_line, names))}.")
            if outside:
                out.notices([f"{outside} does not see it any more; servers that work as {outside} serve it no longer."])
        case ["open", project]:
            team_people.open_project(app, named, project)
            if out.as_json:
                out.json({"opened": project})
            out.line(f"Open: {one_line(project)}, seen by the whole team.")
        case _:
            raise UnknownWords("project")
    return 0
