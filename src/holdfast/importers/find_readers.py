"""The readers there are, which of them a path is for, and where other memories usually lie."""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.home import read_environment
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.importers.import_values import Importer, ImportSource

GROUP = "holdfast.importers"
SURE = 0.4
ALL_PROJECTS = "all"
ADR_FOLDERS = (
    "docs/adr", "doc/adr", "docs/adrs", "adr", "docs/decisions", "doc/decisions", "docs/architecture/decisions",
    "docs/architecture/adr", "doc/architecture/decisions", "architecture/decisions", "docs/architecture-decisions",
)  # fmt: skip
INSTRUCTIONS = (
    "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".claude/CLAUDE.md", ".claude/rules", ".cursor/rules",
    ".cursorrules", ".github/copilot-instructions.md", ".github/instructions",
)  # fmt: skip


class UnknownSourceKind(BadRequest):
    """A kind of source that nobody reads."""

    def __init__(self, name: str, known: Mapping[str, object]) -> None:
        super().__init__(
            f"There is no kind of source {name!r}.",
            f"the kinds are {', '.join(known)}; `holdfast import --list` tells more.",
        )


class UnrecognisedSource(BadRequest):
    """A path that no reader knows."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"What {path!r} holds cannot be told.",
            "name its kind with --from (`holdfast import --list`), or let `holdfast import` look for what is here.",
        )


class ImportOfOwnFiles(BadRequest):
    """Our own files, which are no other tool's."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} is Holdfast's own.", "`holdfast list --candidates` and `holdfast list` show what is there."
        )


class ImportPathMissing(NotFound):
    """No file and no folder at a path."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is nothing at {path!r}.", "`holdfast import` without a path looks for what is here.")


def load_importers(app: App) -> dict[str, "Importer"]:
    """Every reader by its kind; those that other packages bring come last, and replace none of ours."""
    from importlib.metadata import entry_points

    from holdfast.importers import claude_mem
    from holdfast.importers.claude_mem_database import SqliteTables
    from holdfast.importers.importer_table import FILE_KINDS

    ours = (claude_mem.make_importer(SqliteTables), *FILE_KINDS)
    found = {importer.name: importer for importer in sorted(ours, key=lambda each: each.name)}
    for entry in entry_points(group=GROUP):
        try:
            found.setdefault(entry.name, entry.load())
        except Exception as error:  # another package's fault must not stop ours
            app.notices.append(f"The importer {entry.name!r} of another package could not be loaded: {error}")
    return found


def find_importer(app: App, path: str, kind: str) -> "Importer":
    """The reader for a path: the one named, else the one that is surest of it."""
    known = load_importers(app)
    if kind and kind not in known:
        raise UnknownSourceKind(kind, known)
    if not os.path.lexists(path):
        raise ImportPathMissing(path)
    if any(_is_inside(path, own) for own in (app.folder, app.home)):
        raise ImportOfOwnFiles(path)
    if kind:
        return known[kind]
    best = max(known.values(), key=lambda each: each.detect(path))
    if best.detect(path) < SURE:
        raise UnrecognisedSource(path)
    return best


def _is_inside(path: str, folder: str) -> bool:
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder)}/")


def source_of(app: App, path: str, project: str) -> "ImportSource":
    """A path as something to read, with the name that ids and places use. A link named outright is followed."""
    from holdfast.importers.import_values import ImportSource

    real = os.path.realpath(path)
    everywhere = project == ALL_PROJECTS
    return ImportSource(
        path=real, label=label_of(app, real), workspace="" if everywhere else app.workspace,
        project="" if everywhere else project or os.path.basename(app.workspace),
    )  # fmt: skip


def label_of(app: App, path: str) -> str:
    """A path as it is called in ids and places: below the workspace, below the home folder, else whole."""
    for root, name in ((app.workspace, ""), (os.path.realpath(os.path.expanduser("~")), "~/")):
        if root and (path == root or path.startswith(root + os.sep)):
            return name + os.path.relpath(path, root).replace(os.sep, "/")
    return path


def find_usual_places(app: App) -> Iterator[tuple[str, str]]:
    """Memories of other tools that are on this machine, for this workspace: kind and path."""
    for kind, path in _places(app):
        if os.path.lexists(path):
            yield kind, path


def _places(app: App) -> Iterator[tuple[str, str]]:
    if app.workspace:
        yield from _find_in_workspace(app.workspace)
    env = read_environment()
    claude = env.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    if app.workspace:
        from holdfast.clients.client_traces import make_project_slug
        from holdfast.clients.other_instructions import find_git_root

        yield (
            "claude-memory",
            os.path.join(claude, "projects", make_project_slug(find_git_root(app.workspace)), "memory"),
        )
    yield "agents-md", os.path.join(claude, "CLAUDE.md")
    yield (
        "claude-mem",
        os.path.join(env.get("CLAUDE_MEM_DATA_DIR") or os.path.expanduser("~/.claude-mem"), "claude-mem.db"),
    )
    yield "codex-memories", os.path.join(env.get("CODEX_HOME") or os.path.expanduser("~/.codex"), "memories")
    if app.workspace:
        from holdfast.clients.client_traces import find_gemini_folders

        gemini = os.path.expanduser("~/.gemini")
        for name in find_gemini_folders(gemini, app.workspace):
            yield "gemini-memory", os.path.join(gemini, "tmp", name, "memory")
    yield "basic-memory", os.path.expanduser("~/basic-memory")
    yield "pai", os.path.join(claude, "MEMORY")
    yield "pai", os.path.expanduser("~/.config/opencode/MEMORY")


def _find_in_workspace(root: str) -> Iterator[tuple[str, str]]:
    for folder in ADR_FOLDERS:
        yield "adr", os.path.join(root, folder)
    for name in INSTRUCTIONS:
        yield "agents-md", os.path.join(root, name)
    yield "agentplane", os.path.join(root, ".agentplane")
    yield "sunwell", os.path.join(root, ".sunwell")
    if os.path.isfile(os.path.join(root, "MEMORY.md")) and os.path.isdir(os.path.join(root, "memory")):
        yield "omoios", root
    agents = os.path.join(root, ".claude", "agent-memory")
    for name in sorted(os.listdir(agents)) if os.path.isdir(agents) else ():
        yield "claude-memory", os.path.join(agents, name)
