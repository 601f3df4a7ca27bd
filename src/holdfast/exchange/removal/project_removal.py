"""Everything that Holdfast keeps of a project, taken away: its folder, what other files say of it, every copy known."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence

from holdfast.clients.install.install_hook import apply_plan
from holdfast.clients.install.install_plan import ClientSetupPlan as ClientPlan
from holdfast.clients.manage_clients import find_clients_to_remove, plan_uninstalls
from holdfast.config.remotes import remotes_of
from holdfast.config.team_databases import used_databases_path
from holdfast.core.home import FOLDER
from holdfast.core.value import Value, replace
from holdfast.exchange.bundles.bundle_log import LoggedBundle, bundles_path
from holdfast.exchange.database_removal import PurgeTarget, count_project_rows, drop_project
from holdfast.exchange.removal.bundle_removal import (
    BundleMatch,
    SearchedBundle,
    describe_given_up,
    find_remaining,
    list_known_bundles,
    remove_bundles,
)
from holdfast.exchange.removal.everywhere import KEEPERS, UnreachedPlace, list_unasked
from holdfast.forget.purge_proof import list_files_below
from holdfast.render.render_files import RenderPlan as Blocks
from holdfast.render.render_files import plan_removal, write_plan
from holdfast.setup.merge_driver import is_driver_asked_for, uninstall_driver
from holdfast.system.git import ask_git
from holdfast.system.safe_write import put_file
from holdfast.workspace import App, need_person

__all__ = ["ProjectRemovalPlan", "ProjectRemovalResult", "plan_project", "remove_project"]

# What of the home folder tells of workspaces; the user's own memory is another thing.
HOME_STATE = ("workspaces", "remotes", "cache", "share", "costs", "logs", "spool")
LINES = (".jsonl", ".log")
LARGEST = 64 << 20
STREAM = "-"


class ProjectRemovalPlan(Value):
    """Everything there is of a project. `home_files`: files of the home folder that tell of it."""

    app: App
    files: int
    size: int
    blocks: Blocks
    hooks: tuple[ClientPlan, ...]
    driver: bool
    home_files: tuple[str, ...]
    bundles: tuple[LoggedBundle, ...]
    database: tuple[str, Mapping[str, int]] = ("", {})
    servers: tuple[str, ...] = ()
    commits: int = 0
    missed: tuple[UnreachedPlace, ...] = ()

    @property
    def name(self) -> str:
        """What the project is called."""
        return os.path.basename(self.app.workspace)

    @property
    def changed(self) -> list[str]:
        """The files of others in which our part goes."""
        hooks = [path for plan in self.hooks for path in plan.paths]
        driver = [os.path.join(self.app.workspace, ".gitattributes")] if self.driver else []
        return [*(change.path for change in self.blocks.changed_files), *hooks, *driver]


class ProjectRemovalResult(Value):
    """What is left of a project afterwards. `found`: what should be gone and is not; `unreachable`: others' copies.

    `bundles`: those that went; `parts`: of uploads that were cut short. `listed`: the file that still tells where the
    others lie.
    """

    looked: int
    found: tuple[str, ...]
    unreachable: tuple[str, ...]
    missed: tuple[UnreachedPlace, ...]
    bundles: tuple[str, ...] = ()
    parts: int = 0
    listed: tuple[str, ...] = ()


def plan_project(app: App, meant: PurgeTarget, *, keep_bundles: bool = False) -> ProjectRemovalPlan:
    """Everything that is kept of this workspace. Looks, and changes nothing."""
    need_person(app, "forget --project")
    files = list(list_files_below(app.folder))
    bundles, away = ([], []) if keep_bundles else list_known_bundles(app)
    missed = [UnreachedPlace(place=each.place, why=each.why) for each in away]
    name, rows = count_project_rows(app, meant)
    missed += list_unasked(rows)
    return ProjectRemovalPlan(
        app=app,
        files=len(files),
        size=sum(os.path.getsize(path) for path in files),
        blocks=plan_removal(app),
        hooks=tuple(_plan_hook_removal(app)),
        driver=is_driver_asked_for(app),
        home_files=tuple(_find_home_files(app)),
        bundles=tuple(bundles),
        database=(name, rows.found),
        servers=tuple(remotes_of(app.home, app.workspace_id)),
        commits=_count_commits(app),
        missed=tuple(missed),
    )


def remove_project(project: ProjectRemovalPlan, meant: PurgeTarget) -> ProjectRemovalResult:
    """Do it, and look what is left. The folder goes last: cut short, the same again does the rest."""
    app, missed = project.app, list(project.missed)
    left = drop_project(app, meant)
    missed += [each for each in list_unasked(left) if each not in missed]
    rows = count_project_rows(app, meant)[1].found
    known = [
        SearchedBundle(made=made, stands=BundleMatch.HOLDS)
        for made in project.bundles
        if made.name != STREAM and not made.gone
    ]
    taken = remove_bundles(app, known)
    stay = taken.left
    again = find_remaining([each for each in known if each.place not in {left.place for left in stay}])
    away = [
        UnreachedPlace(place=each.place, why=each.why) for each in (*stay, *again) if each.stands is BundleMatch.AWAY
    ]
    missed += away
    listed = _list_place_files(app, bundles=bool(away), databases=bool(left.failed))
    write_plan(app, project.blocks, removing=True)
    for plan in project.hooks:
        apply_plan(plan)
    if project.driver:
        uninstall_driver(app)
    wid, folder = app.workspace_id, app.folder
    for path in _find_home_files(app):
        if path not in listed:
            _drop_from(path, wid, app.workspace)
    shutil.rmtree(folder)
    left_there = [each.place for each in again if each.stands is BundleMatch.HOLDS]
    done = _prove_removal(project, left_there, missed, listed, rows=rows)
    unsent = [f"{each.place}: {each.why}" for each in stay if each.stands is BundleMatch.UNSENT]
    return replace(
        done, bundles=taken.went, parts=sum(number for _, number in taken.parts),
        unreachable=(*done.unreachable, *unsent),
    )  # fmt: skip


def _list_place_files(app: App, *, bundles: bool, databases: bool) -> tuple[str, ...]:
    """The files that tell where copies lie which could not be reached: they stay until those are gone."""
    found = [bundles_path(app)] if bundles else []
    found += [used_databases_path(app.home, app.workspace_id)] if databases else []
    return tuple(path for path in found if os.path.exists(path))


def _prove_removal(
    project: ProjectRemovalPlan, bundles: Sequence[str], missed: list[UnreachedPlace], listed: tuple[str, ...], *,
    rows: Mapping[str, int],
) -> ProjectRemovalResult:  # fmt: skip
    app = project.app
    found = [app.folder] if os.path.lexists(app.folder) else []
    found += [path for path in _find_home_files(app) if path not in listed]
    found += bundles
    found += ["database"] if rows else []
    looked = sum(1 for top in HOME_STATE for _ in list_files_below(os.path.join(app.home, top)))
    return ProjectRemovalResult(
        looked=looked, found=tuple(found), unreachable=tuple(_describe_unreachable(project)), missed=tuple(missed),
        listed=listed,
    )  # fmt: skip


def _describe_unreachable(project: ProjectRemovalPlan) -> Iterator[str]:
    if project.commits:
        yield f"git history still holds {FOLDER}, in {project.commits} commits (`git filter-repo` rewrites it)"
    for name in project.servers:
        yield f"the server {name!r} keeps its copy; its keeper runs `holdfast forget --project` there"
    if project.database[0]:
        yield KEEPERS
    if any(made.name == STREAM for made in project.bundles):
        yield "bundles that went to standard output lie where you put them"
    yield from describe_given_up(project.bundles)
    yield "your clients' own histories are theirs"


def _plan_hook_removal(app: App) -> Iterator[ClientPlan]:
    """Our parts in clients' files inside the project; what is set up for all projects stays."""
    for plan in plan_uninstalls(app, find_clients_to_remove(app, [])):
        inside = tuple(change for change in plan.changes if _is_inside(app, change.path))
        folders = tuple(folder for folder in plan.folders if _is_inside(app, folder))
        if inside:
            yield replace(plan, changes=inside, folders=folders)


def _is_inside(app: App, path: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(app.workspace) + os.sep)


def _find_home_files(app: App) -> Iterator[str]:
    """The files of the home folder that are of this workspace, or tell of it."""
    for path in (each for top in HOME_STATE for each in list_files_below(os.path.join(app.home, top))):
        named = app.workspace_id in os.path.relpath(path, app.home)
        if named or _mentions_workspace(path, app.workspace_id, app.workspace):
            yield path


def _mentions_workspace(path: str, workspace_id: str, folder: str) -> bool:
    if not path.endswith(LINES) or os.path.getsize(path) > LARGEST:
        return False
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return any(_is_line_of_workspace(line, workspace_id, folder) for line in file)


def _is_line_of_workspace(line: str, workspace_id: str, folder: str) -> bool:
    return workspace_id in line or f'"{folder}"' in line or f"{folder}/" in line


def _drop_from(path: str, workspace_id: str, folder: str) -> None:
    if workspace_id in os.path.basename(path):
        os.unlink(path)
        return
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        kept = [line for line in file if not _is_line_of_workspace(line, workspace_id, folder)]
    put_file(path, "".join(kept).encode("utf-8", "surrogateescape"))


def _count_commits(app: App) -> int:
    return len((ask_git(app.workspace, "log", "--all", "--oneline", "--", FOLDER) or "").splitlines())
