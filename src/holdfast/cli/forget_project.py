"""holdfast forget --project"""

import argparse

from holdfast.cli.common import format_count
from holdfast.cli.output import Output
from holdfast.clients.manage_clients import shorten_path
from holdfast.core.errors import BadRequest, Damaged, Unavailable
from holdfast.exchange.removal.everywhere import PurgeTarget, UnreachedPlace
from holdfast.exchange.removal.project_removal import (
    ProjectRemovalPlan,
    ProjectRemovalResult,
    plan_project,
    remove_project,
)
from holdfast.workspace import App


class NotTyped(BadRequest):
    """Nobody typed the project's name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Nothing was removed: nobody typed {name!r}.", "run it in a terminal and type the name, or add --yes."
        )


class SomeLeft(Damaged):
    """A project of which something is still there."""

    def __init__(self, found: tuple[str, ...]) -> None:
        super().__init__(f"Still there: {', '.join(found)}.", "remove it by hand.")


class SomeMissed(Unavailable):
    """Copies that could not be reached. All else is gone, or nothing was done yet: `listed` tells where they lie."""

    def __init__(self, missed: tuple[UnreachedPlace, ...], listed: tuple[str, ...] | None = None) -> None:
        hint = "nothing was removed; with --yes all else goes."
        if listed is not None:
            kept = f" {', '.join(map(shorten_path, listed))} still lists it." if listed else ""
            hint = f"remove that copy where it lies, or `holdfast init` and the same again when it is there.{kept}"
        super().__init__(f"Not reached: {'; '.join(f'{each.place} ({each.why})' for each in missed)}", hint)


def run_project(app: App, args: argparse.Namespace, meant: PurgeTarget, out: Output) -> int:
    """Remove everything that is kept of a project."""
    project = plan_project(app, meant, keep_bundles=args.keep_bundles)
    _tell(project, out)
    if project.missed and not args.yes:
        raise SomeMissed(project.missed)
    question = (
        f"This cannot be undone; `holdfast export DEST --everything` keeps a copy. Type {project.name} to remove it:"
    )
    if not args.yes and not out.typed(question, project.name):
        raise NotTyped(project.name)
    done = remove_project(project, meant)
    _report(project, done, out)
    out.notices(app.notices)
    if done.found:
        raise SomeLeft(done.found)
    if done.missed:
        raise SomeMissed(done.missed, done.listed)
    return 0


def _tell(project: ProjectRemovalPlan, out: Output) -> None:
    out.cut(f"{project.app.folder}: {format_count(project.files, 'file')}, {project.size} bytes")
    for path in project.changed:
        out.cut(f"our part of {shorten_path(path)}")
    for path in project.home_files:
        out.cut(f"what {shorten_path(path)} says of it")
    for made in project.bundles:
        out.cut(f"bundle: {made.place}{'  its store is gone, as you said' if made.gone else ''}")
    name, rows = project.database
    if name:
        told = ", ".join(f"{table} {count}" for table, count in rows.items())
        out.cut(f"database: the project {name!r}, for everybody of the team: {told or 'no rows'}")


def _report(project: ProjectRemovalPlan, done: ProjectRemovalResult, out: Output) -> None:
    if out.as_json:
        out.json({
            "project": project.name, "files": project.files, "bytes": project.size, "changed": project.changed,
            "bundles": list(done.bundles), "parts": done.parts, "database": dict(project.database[1]),
            "proof": {"files": done.looked, "found": list(done.found)}, "unreachable": list(done.unreachable),
            "missed": [{"place": each.place, "why": each.why} for each in done.missed], "listed": list(done.listed),
        })  # fmt: skip
    cut = f", {format_count(done.parts, 'part')} of uploads that were cut short" if done.parts else ""
    out.line(
        f"Removed {project.name}: {format_count(project.files, 'file')}, {format_count(done.bundles, 'bundle')}{cut}."
    )
    looked = format_count(done.looked, "file")
    out.line(f"Proof: the folder is gone; {looked} of your home folder searched for it; found in {len(done.found)}.")
    for each in done.missed:
        out.line(f"Not reached: {each.place} ({each.why})")
    for reason in done.unreachable:
        out.line(f"Out of reach: {reason}.")
