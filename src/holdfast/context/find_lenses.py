"""The lenses in reach: the user's own, the workspace's as far as the user allowed them, and those of Holdfast."""

import os

from holdfast.context.lenses import (
    BrokenLens,
    LensChoice,
    check_name,
    choose_by_goal,
    describe_lens,
    load_built_in,
    merge_lenses,
    read_lens,
    render_template,
)
from holdfast.core.errors import Conflict, NotFound
from holdfast.core.home import FOLDER
from holdfast.core.run import Lens
from holdfast.core.value import Value, replace
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import create_file, lock_folder
from holdfast.trust.allow import find_registration
from holdfast.trust.lens_bytes import LENSES, hash_lens_files, read_lens_files
from holdfast.trust.lens_names import ENDINGS, NONE
from holdfast.trust.visibility import find_held_lenses
from holdfast.workspace import App, NoWorkspace, need_person

__all__ = [
    "ENDINGS",
    "AvailableLenses",
    "LensChoice",
    "NoSuchLens",
    "choose_lens",
    "create_lens",
    "describe_lens",
    "find_lens",
    "lens_json",
    "load_lenses",
]

USER, WORKSPACE, BUILT_IN = "user", "workspace", "built in"


class NoSuchLens(NotFound):
    """No lens of this name counts here."""

    def __init__(self, name: str, held: bool, known: list[str]) -> None:
        hint = (
            "somebody else wrote it: look at it (`holdfast config lens show`), then type `holdfast allow` yourself."
            if held
            else f"there are {', '.join(known)}; `none` works by no lens."
        )
        super().__init__(f"There is no lens {name[:60]!r}{' that you allowed' if held else ''}.", hint)


class LensExists(Conflict):
    """A lens of this name stands there already."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is there already.", "edit that file, or take another name.")


class PlacedLens(Value):
    """A lens, whose it is, and whether it is held back until the user allows it."""

    lens: Lens
    origin: str
    held: bool = False


class AvailableLenses(Value):
    """All lenses in reach. Of one name the user's own counts, then the workspace's, then Holdfast's."""

    placed: tuple[PlacedLens, ...]
    broken: tuple[str, ...] = ()

    @property
    def lenses(self) -> list[Lens]:
        """Those that count, by name."""
        return [each.lens for each in self.placed if not each.held]


def load_lenses(app: App) -> AvailableLenses:
    """The lenses in reach. A file that cannot be read is named in `broken`, and stops nothing.

    A person sees those that are held back, too; an agent does not, for they are somebody else's words.
    """
    broken: list[str] = []
    held = {os.path.basename(path) for path in find_held_lenses(app)} if hash_lens_files(app) else set()
    own = [PlacedLens(lens=lens, origin=USER) for lens in _read_all(app.home, broken)]
    theirs = _read_all(app.folder, broken) if app.workspace else []
    here = [PlacedLens(lens=lens, origin=WORKSPACE, held=os.path.basename(lens.path) in held) for lens in theirs]
    ours = [PlacedLens(lens=lens, origin=BUILT_IN) for lens in load_built_in()]
    counting = {
        id(lens)
        for lens in merge_lenses(*([each.lens for each in group if not each.held] for group in (own, here, ours)))
    }
    kept = [each for each in (*own, *here, *ours) if (each.held and not app.client) or id(each.lens) in counting]
    return AvailableLenses(
        placed=tuple(sorted(kept, key=lambda each: (each.lens.name, each.held))), broken=tuple(broken)
    )


def find_lens(app: App, name: str) -> PlacedLens:
    """The lens of a name, also one that is held back: for a person to look at. Raises NoSuchLens, BrokenLens."""
    found = load_lenses(app)
    for each in found.placed:
        if each.lens.name == name:
            return each
    for folder in (app.home, app.folder) if not app.client else ():
        for file, data in read_lens_files(folder).items():
            if os.path.splitext(file)[0] == name:
                _read(os.path.join(folder, LENSES, file), data)
    raise NoSuchLens(name, held=False, known=[lens.name for lens in found.lenses])


def choose_lens(app: App, name: str, goal: str) -> LensChoice | None:
    """The lens to work by: the one named, or else the one whose words the goal holds. `none` is none."""
    if name == NONE:
        return None
    found = load_lenses(app)
    if not name:
        return choose_by_goal(goal, found.lenses)
    for lens in found.lenses:
        if lens.name == name:
            return LensChoice(lens=lens, why="named")
    # Raises what is wrong with it, if there is a file of this name.
    held = find_lens(app, name).held
    raise NoSuchLens(name, held, [lens.name for lens in found.lenses])


def create_lens(app: App, name: str, about: str = "", scope: str = USER, ending: str = ".md") -> str:
    """Write the beginning of a lens for a person to fill in; its path."""
    check_name(name)
    need_person(app, f"config lens new {name}")
    if scope == WORKSPACE and not app.workspace:
        raise NoWorkspace(os.getcwd())
    folder = os.path.join(app.folder if scope == WORKSPACE else app.home, LENSES)
    path = os.path.join(folder, f"{name}{ending}")
    if any(os.path.lexists(os.path.join(folder, f"{name}{each}")) for each in ENDINGS):
        raise LensExists(path)
    place = WritableFolder(root=folder, private=scope != WORKSPACE)
    with lock_folder(place):
        create_file(place, f"{name}{ending}", render_template(about, ending).encode())
    if scope == WORKSPACE and find_registration(app) is not None:
        app.registry.learn(app.workspace_id, [hash_lens_files(app)[f"{FOLDER}/{LENSES}/{name}{ending}"]])
    return path


def lens_json(each: PlacedLens) -> dict[str, object]:
    """A lens for programs."""
    lens = each.lens
    return {
        "name": lens.name, "about": lens.about, "origin": each.origin, "held": each.held, "path": lens.path,
        "when": list(lens.when), "skills": list(lens.skills), "heuristics": list(lens.heuristics),
        "style": list(lens.style), "body": lens.body,
    }  # fmt: skip


def _read_all(folder: str, broken: list[str]) -> list[Lens]:
    found: list[Lens] = []
    for name, data in read_lens_files(folder).items():
        try:
            found.append(_read(os.path.join(folder, LENSES, name), data))
        except BrokenLens as error:
            broken.append(str(error))
    return found


def _read(path: str, data: bytes) -> Lens:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenLens(path, f"it is not UTF-8 (byte {error.start})") from None
    return replace(read_lens(path, text), path=path)
