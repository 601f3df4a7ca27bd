"""Everything that Holdfast keeps of a project, taken away: its folder, what other files say of it, every copy known."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence

from holdfast.app import need_person
from holdfast.clients.install.install_hook import apply
from holdfast.clients.install.install_plan import Plan as ClientPlan
from holdfast.clients.manage_clients import clients_to_leave, uninstall_plans
from holdfast.config.remotes import remotes_of
from holdfast.config.team_databases import used_path
from holdfast.core.home import FOLDER
from holdfast.core.value import Value, replace
from holdfast.exchange.bundles.bundle_log import Made, bundles_path
from holdfast.exchange.removal.bundle_removal import Bundle, Stands, given_up, known_bundles, remove, still_there
from holdfast.exchange.removal.database_removal import Meant, drop_project, project_rows
from holdfast.exchange.removal.everywhere import KEEPERS, Missed, unasked
from holdfast.forget.purge_proof import files_below
from holdfast.render.render_files import Plan as Blocks
from holdfast.render.render_files import removal, write
from holdfast.setup.merge_driver import asks_for_driver, uninstall_driver
from holdfast.system.git import ask
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

__all__ = ["Project", "Removed", "plan_project", "remove_project"]

# What of the home folder tells of workspaces; the user's own memory is another thing.
BOOKS = ("workspaces", "remotes", "cache", "share", "costs", "logs")
LINES = (".jsonl", ".log")
LARGEST = 64 << 20
STREAM = "-"


class Project(Value):
    """Everything there is of a project. `books`: files of the home folder that tell of it."""

    app: App
    files: int
    size: int
    blocks: Blocks
    hooks: tuple[ClientPlan, ...]
    driver: bool
    books: tuple[str, ...]
    bundles: tuple[Made, ...]
    database: tuple[str, Mapping[str, int]] = ("", {})
    servers: tuple[str, ...] = ()
    commits: int = 0
    missed: tuple[Missed, ...] = ()

    @property
    def name(self) -> str:
        """What the project is called."""
        return os.path.basename(self.app.workspace)

    @property
    def changed(self) -> list[str]:
        """The files of others in which our part goes."""
        hooks = [path for plan in self.hooks for path in plan.paths]
        driver = [os.path.join(self.app.workspace, ".gitattributes")] if self.driver else []
        return [*(change.path for change in self.blocks.news), *hooks, *driver]


class Removed(Value):
    """What is left of a project afterwards. `found`: what should be gone and is not; `unreachable`: others' copies.

    `bundles`: those that went; `parts`: of uploads that were cut short. `listed`: the file that still tells where the
    others lie.
    """

    looked: int
    found: tuple[str, ...]
    unreachable: tuple[str, ...]
    missed: tuple[Missed, ...]
    bundles: tuple[str, ...] = ()
    parts: int = 0
    listed: tuple[str, ...] = ()


def plan_project(app: App, meant: Meant, *, keep_bundles: bool = False) -> Project:
    """Everything that is kept of this workspace. Looks, and changes nothing."""
    need_person(app, "forget --project")
    files = list(files_below(app.folder))
    bundles, away = ([], []) if keep_bundles else known_bundles(app)
    missed = [Missed(place=each.place, why=each.why) for each in away]
    name, rows = project_rows(app, meant)
    missed += unasked(rows)
    return Project(
        app=app, files=len(files), size=sum(os.path.getsize(path) for path in files), blocks=removal(app),
        hooks=tuple(_hooks(app)), driver=asks_for_driver(app), books=tuple(_books(app)), bundles=tuple(bundles),
        database=(name, rows.found), servers=tuple(remotes_of(app.home, app.workspace_id)), commits=_commits(app),
        missed=tuple(missed),
    )  # fmt: skip


def remove_project(project: Project, meant: Meant) -> Removed:
    """Do it, and look what is left. The folder goes last: cut short, the same again does the rest."""
    app, missed = project.app, list(project.missed)
    left = drop_project(app, meant)
    missed += [each for each in unasked(left) if each not in missed]
    rows = project_rows(app, meant)[1].found
    known = [
        Bundle(made=made, stands=Stands.HOLDS) for made in project.bundles if made.name != STREAM and not made.gone
    ]
    taken = remove(app, known)
    stay = taken.left
    again = still_there([each for each in known if each.place not in {left.place for left in stay}])
    away = [Missed(place=each.place, why=each.why) for each in (*stay, *again) if each.stands is Stands.AWAY]
    missed += away
    listed = _lists(app, bundles=bool(away), databases=bool(left.failed))
    write(app, project.blocks, removing=True)
    for plan in project.hooks:
        apply(plan)
    if project.driver:
        uninstall_driver(app)
    wid, folder = app.workspace_id, app.folder
    for path in _books(app):
        if path not in listed:
            _drop_from(path, wid, app.workspace)
    shutil.rmtree(folder)
    left_there = [each.place for each in again if each.stands is Stands.HOLDS]
    done = _proven(project, left_there, missed, listed, rows=rows)
    unsent = [f"{each.place}: {each.why}" for each in stay if each.stands is Stands.UNSENT]
    return replace(
        done, bundles=taken.went, parts=sum(number for _, number in taken.parts),
        unreachable=(*done.unreachable, *unsent),
    )  # fmt: skip


def _lists(app: App, *, bundles: bool, databases: bool) -> tuple[str, ...]:
    """The files that tell where copies lie which could not be reached: they stay until those are gone."""
    found = [bundles_path(app)] if bundles else []
    found += [used_path(app.home, app.workspace_id)] if databases else []
    return tuple(path for path in found if os.path.exists(path))


def _proven(
    project: Project, bundles: Sequence[str], missed: list[Missed], listed: tuple[str, ...], *,
    rows: Mapping[str, int],
) -> Removed:  # fmt: skip
    app = project.app
    found = [app.folder] if os.path.lexists(app.folder) else []
    found += [path for path in _books(app) if path not in listed]
    found += bundles
    found += ["database"] if rows else []
    looked = sum(1 for top in BOOKS for _ in files_below(os.path.join(app.home, top)))
    return Removed(
        looked=looked, found=tuple(found), unreachable=tuple(_unreachable(project)), missed=tuple(missed),
        listed=listed,
    )  # fmt: skip


def _unreachable(project: Project) -> Iterator[str]:
    if project.commits:
        yield f"git history still holds {FOLDER}, in {project.commits} commits (`git filter-repo` rewrites it)"
    for name in project.servers:
        yield f"the server {name!r} keeps its copy; its keeper runs `holdfast forget --project` there"
    if project.database[0]:
        yield KEEPERS
    if any(made.name == STREAM for made in project.bundles):
        yield "bundles that went to standard output lie where you put them"
    yield from given_up(project.bundles)
    yield "your clients' own histories are theirs"


def _hooks(app: App) -> Iterator[ClientPlan]:
    """Our parts in clients' files inside the project; what is set up for all projects stays."""
    for plan in uninstall_plans(app, clients_to_leave(app, [])):
        inside = tuple(change for change in plan.changes if _is_inside(app, change.path))
        folders = tuple(folder for folder in plan.folders if _is_inside(app, folder))
        if inside:
            yield replace(plan, changes=inside, folders=folders)


def _is_inside(app: App, path: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(app.workspace) + os.sep)


def _books(app: App) -> Iterator[str]:
    """The files of the home folder that are of this workspace, or tell of it."""
    for path in (each for top in BOOKS for each in files_below(os.path.join(app.home, top))):
        if app.workspace_id in os.path.basename(path) or _tells(path, app.workspace_id, app.workspace):
            yield path


def _tells(path: str, workspace_id: str, folder: str) -> bool:
    if not path.endswith(LINES) or os.path.getsize(path) > LARGEST:
        return False
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return any(_is_of(line, workspace_id, folder) for line in file)


def _is_of(line: str, workspace_id: str, folder: str) -> bool:
    return workspace_id in line or f'"{folder}"' in line or f"{folder}/" in line


def _drop_from(path: str, workspace_id: str, folder: str) -> None:
    if workspace_id in os.path.basename(path):
        os.unlink(path)
        return
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        kept = [line for line in file if not _is_of(line, workspace_id, folder)]
    put_file(path, "".join(kept).encode("utf-8", "surrogateescape"))


def _commits(app: App) -> int:
    return len((ask(app.workspace, "log", "--all", "--oneline", "--", FOLDER) or "").splitlines())
