"""SessionContext: all that one execution is about, for every entrance alike."""

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeVar

from holdfast.app import FolderMissing, build_app, open_memory
from holdfast.context.find_lenses import choose_lens
from holdfast.context.session_briefing import SessionBriefing, read_last_briefing, save_session_briefing
from holdfast.context.session_prompts import (
    PLANNING_TOKENS,
    TASK_TOKENS,
    PromptSection,
    join_parts,
    measure_room,
    render_briefing_lines,
    render_data,
    render_goal,
    render_lens,
    render_preview_lines,
    render_task,
)
from holdfast.core.distilled import Briefing, Progress
from holdfast.core.errors import HoldfastError
from holdfast.core.ids import random_part
from holdfast.core.run import Lens, RunOptions, Task
from holdfast.core.value import as_dict
from holdfast.distil.session_pages import briefing_to_json
from holdfast.project.cached_scan import cache_workspace, load_cached_workspace
from holdfast.project.key_files import Preview, PreviewLimits, read_previews
from holdfast.project.scan_project import WorkspaceScan, scan_workspace
from holdfast.workspace import App

DEFAULT_MODEL = "default"
MOST_NAMED = 40
# Who carries out a task needs the goal to know what it is for.
LONGEST_ASIDE = 1_500
MOST_HOT = 20
HOT = PreviewLimits(files=5, lines=60, characters=2_000, all_characters=6_000)
SKILLS = PreviewLimits(files=3, lines=60, characters=2_000, all_characters=4_000)
NEAR = PreviewLimits(files=4, lines=60, characters=2_400, all_characters=6_000)
# Where clients keep what a skill says.
SKILL_FOLDERS = (".agents/skills", ".claude/skills", ".codex/skills", ".opencode/skill", "skills")
_FAILURES = (HoldfastError, OSError, ValueError, LookupError, TypeError, RecursionError)
Found = TypeVar("Found")


class SessionContext:
    """One execution: the workspace and its goal, what was left for it, how it may go; and how far it came."""

    def __init__(
        self,
        cwd: str | PathLike[str],
        goal: str,
        *,
        workspace: WorkspaceScan | None = None,
        options: RunOptions | None = None,
        lens: Lens | None = None,
        left: SessionBriefing | None = None,
        app: App | None = None,
    ) -> None:
        self.cwd = Path(cwd)
        self.goal = goal
        self.session_id = _new_id()
        found = workspace or WorkspaceScan(name=self.cwd.name or "workspace")
        self.project_name = found.name
        self.project_type = found.type
        self.framework = found.framework
        self.parts = found.parts
        self.key_files: list[Preview] = list(found.key_files)
        self.entry_points = list(found.entry_points)
        self.directory_tree = found.tree
        self.notes = list(found.notes)
        self.briefing: Briefing | None = left.briefing if left else None
        self.briefed_at: datetime | None = left.at if left else None
        self.options = options or RunOptions()
        self.trust = self.options.trust
        self.timeout = self.options.timeout_seconds
        self.model_name = self.options.model or DEFAULT_MODEL
        self.lens = lens
        self.lens_why = ""
        self.hot_files: list[Preview] = []
        self.skills: list[Preview] = []
        self.tasks: list[Task] = []
        self.current_task: Task | None = None
        self.artifacts_created: list[str] = []
        self.files_modified: list[str] = []
        self._app = app

    @classmethod
    def build(
        cls, workspace: str | PathLike[str], goal: str, options: RunOptions | None = None,
        flags: Mapping[str, str] | None = None,
    ) -> Self:  # fmt: skip
        """The session for a goal in a folder, with memory or without. What cannot be found out is a note, no error.

        `flags`: settings that were given on the command line.

        Raises FolderMissing; NoSuchLens and BrokenLens for a lens that was asked for by name.
        """
        made = cls._made(workspace, goal, options or RunOptions(), _scan_or_load, flags)
        made.prefetch()
        return made

    @classmethod
    def cached(cls, workspace: str | PathLike[str], goal: str = "", options: RunOptions | None = None) -> Self:
        """The same by the last look at the workspace, if it still holds; no file of the project is read. For hooks."""
        return cls._made(workspace, goal, options or RunOptions(), _load_cached)

    @classmethod
    def _made(
        cls, workspace: str | PathLike[str], goal: str, options: RunOptions,
        look: Callable[[App, str], WorkspaceScan | None], flags: Mapping[str, str] | None = None,
    ) -> Self:  # fmt: skip
        cwd, notes = os.path.realpath(os.fspath(workspace)), list[str]()
        if not os.path.isdir(cwd):
            raise FolderMissing(cwd)
        app = _find_safely("memory", lambda: open_memory(cwd, flags, anywhere=True), None, notes) or build_app("")
        found = _find_safely("the project", lambda: look(app, cwd), None, notes)
        left = _find_safely("the briefing", lambda: read_last_briefing(app), None, notes)
        # A lens that was named and cannot be had is the user's slip, and theirs to know.
        by_goal = None if options.lens else _find_safely("the lenses", lambda: choose_lens(app, "", goal), None, notes)
        chosen = choose_lens(app, options.lens, goal) if options.lens else by_goal
        made = cls(
            cwd, goal, workspace=found, options=options, lens=chosen.lens if chosen else None, left=left, app=app
        )
        made.lens_why = chosen.why if chosen else ""
        made.notes += notes
        return made

    def to_planning_prompt(self) -> str:
        """The goal and the project, for whoever plans; at most 6,000 tokens."""
        head = (render_goal(self.goal), render_lens(self.lens))
        return join_parts((*head, render_data(list(self._sections()), measure_room(PLANNING_TOKENS, *head))))

    def to_task_prompt(self, task: Task) -> str:
        """A task and the project, for whoever carries it out, with the files that it names as they are now."""
        head = (render_task(task), render_goal(self.goal, LONGEST_ASIDE), render_lens(self.lens))
        named = [task.target_path, *task.reads, *task.produces]
        near = read_previews(str(self.cwd), [_relative_path(path, self.cwd) for path in named if path], NEAR)
        changed = tuple(dict.fromkeys([*self.artifacts_created, *self.files_modified]))
        sections = [
            self._project(),
            PromptSection(heading="CHANGED SO FAR", lines=changed[:MOST_NAMED], share=0.1),
            PromptSection(heading="FILES OF THIS TASK", lines=render_preview_lines(near)),
            PromptSection(heading="ENTRY POINTS", lines=tuple(self.entry_points), share=0.1),
        ]
        return join_parts((*head, render_data(sections, measure_room(TASK_TOKENS, *head))))

    def save_briefing(self, briefing: Briefing | None = None) -> bool:
        """Keep what the next session must know: what is given, or what this one did. Whether there was a place for it.

        What was made of the whole session's record already says more, and stays.
        """
        app = self._app
        if app is None or not app.workspace:
            return False
        there = read_last_briefing(app)
        if briefing is None and there is not None and there.session == self.session_id:
            self.briefing = there.briefing
            return True
        self.briefing = briefing or self._done()
        return save_session_briefing(app, self.session_id, self.briefing)

    def summary(self) -> str:
        """The session in a few lines, for people."""
        kinds = [f"{part.kind}{f' in {part.folder}' if part.folder else ''}" for part in self.parts]
        kind = f"{self.project_type} ({', '.join(kinds)})" if len(kinds) > 1 else self.project_type
        told = [
            f"{self.project_name}: {kind}{f', {self.framework}' if self.framework else ''}",
            f"goal: {' '.join(self.goal.split())}" if self.goal.strip() else "",
            f"starts at: {', '.join(self.entry_points[:3])}" if self.entry_points else "",
            f"last session: {self.briefing.mission} ({self.briefing.status})"
            if self.briefing and self.briefing.mission
            else "",
            f"lens: {self.lens.name} ({self.lens_why})" if self.lens else "",
            f"trust: {self.trust}, model: {self.model_name}, at most {self.timeout} s",
            f"tasks: {len(self.tasks)}" if self.tasks else "",
            f"changed: {', '.join(self.files_modified)}" if self.files_modified else "",
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n".join(filter(None, told))

    def to_json(self) -> dict[str, Any]:
        """The session for programs, in the fields that the server gives."""
        return {
            "sessionId": self.session_id, "goal": self.goal, "path": str(self.cwd), "name": self.project_name,
            "type": self.project_type, "framework": self.framework, "parts": [as_dict(part) for part in self.parts],
            "keyFiles": _to_forms(self.key_files), "entryPoints": list(self.entry_points), "tree": self.directory_tree,
            "briefing": briefing_to_json(self.briefing) if self.briefing else None,
            "briefedAt": self.briefed_at.isoformat() if self.briefed_at else None,
            "trust": str(self.trust), "timeout": self.timeout, "model": self.model_name,
            "lens": self.lens.name if self.lens else None, "lensWhy": self.lens_why,
            "hotFiles": _to_forms(self.hot_files), "skills": _to_forms(self.skills), "notes": list(self.notes),
            "tasks": [_task_form(task) for task in self.tasks],
            "currentTask": _task_form(self.current_task) if self.current_task else None,
            "artifactsCreated": list(self.artifacts_created), "filesModified": list(self.files_modified),
        }  # fmt: skip

    def prefetch(self) -> None:
        """Read what this session will ask for first: the files that were hot, and what is said of its skills."""
        told = self.briefing if self.briefing and self._is_fresh() else Briefing()
        root, shown = str(self.cwd), {path for path, _ in self.key_files}
        hot = [_relative_path(path, self.cwd) for path in told.hot_files[:MOST_HOT]]
        self.hot_files = read_previews(root, [path for path in hot if path not in shown], HOT)
        names = [*(self.lens.skills if self.lens else ()), *told.predicted_skills]
        safe = [name for name in dict.fromkeys(names) if "/" not in name and not name.startswith(".")]
        self.skills = read_previews(root, [f"{at}/{name}/SKILL.md" for name in safe for at in SKILL_FOLDERS], SKILLS)

    def _sections(self) -> Iterator[PromptSection]:
        yield self._project()
        if self.briefing and self._is_fresh():
            at = f" ({self.briefed_at.date().isoformat()})" if self.briefed_at else ""
            yield PromptSection(heading=f"LAST SESSION{at}", lines=render_briefing_lines(self.briefing), share=0.2)
        yield PromptSection(heading="ENTRY POINTS", lines=tuple(self.entry_points), share=0.1)
        yield PromptSection(heading="FILES", lines=tuple(self.directory_tree.split("\n")), share=0.3)
        yield PromptSection(heading="FILES OF THE LAST SESSION", lines=render_preview_lines(self.hot_files), share=0.25)
        yield PromptSection(heading="SKILLS", lines=render_preview_lines(self.skills), share=0.2)
        yield PromptSection(heading="KEY FILES", lines=render_preview_lines(self.key_files))

    def _project(self) -> PromptSection:
        parts = [
            f"{part.kind}: {part.folder or '.'}{f', {part.framework}' if part.framework else ''}" for part in self.parts
        ]
        lines = [f"name: {self.project_name}", f"type: {self.project_type}"]
        lines += [f"framework: {self.framework}"] if self.framework else []
        lines += parts if len(parts) > 1 else []
        return PromptSection(heading="PROJECT", lines=(*lines, *(f"note: {note}" for note in self.notes)), share=0.2)

    def _is_fresh(self) -> bool:
        now = self._app.clock.now() if self._app else datetime.now(UTC)
        return self.briefing is not None and (
            self.briefed_at is None or SessionBriefing(briefing=self.briefing, at=self.briefed_at).is_fresh(now)
        )

    def _done(self) -> Briefing:
        """What this session did, by what it knows of itself."""
        before = self.briefing or Briefing()
        changed = tuple(dict.fromkeys([*self.files_modified, *self.artifacts_created]))
        open_task = self.current_task or next(iter(self.tasks), None)
        return Briefing(
            mission=self.goal, status=Progress.IN_PROGRESS if changed or open_task else Progress.NOT_STARTED,
            progress=f"changed {', '.join(changed[:5])}" if changed else "", hazards=before.hazards,
            hot_files=changed[:MOST_HOT] or before.hot_files,
            next_action=open_task.description if open_task else "", predicted_skills=before.predicted_skills,
        )  # fmt: skip


def _scan_or_load(app: App, cwd: str) -> WorkspaceScan:
    found = scan_workspace(cwd)
    if _is_same_folder(app, cwd):
        cache_workspace(app, found)
    return found


def _load_cached(app: App, cwd: str) -> WorkspaceScan | None:
    return load_cached_workspace(app) if _is_same_folder(app, cwd) else None


def _is_same_folder(app: App, cwd: str) -> bool:
    return bool(app.workspace) and os.path.realpath(app.workspace) == cwd


def _find_safely(what: str, find: Callable[[], Found], default: Found, notes: list[str]) -> Found:
    """What is found; where finding fails, a default and a note that says so."""
    try:
        return find()
    except _FAILURES as error:
        notes.append(f"{what} could not be read: {' '.join(str(error).split())[:200]}")
        return default


def _relative_path(path: str, cwd: Path) -> str:
    return os.path.relpath(path, cwd) if os.path.isabs(path) else os.path.normpath(path)


def _new_id() -> str:
    return f"run-{datetime.now(UTC).strftime('%Y-%m-%d-%H%M%S')}-{random_part(8).lower()}"


def _to_forms(found: list[Preview]) -> list[dict[str, str]]:
    return [{"path": path, "preview": text} for path, text in found]


def _task_form(task: Task) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in as_dict(task).items()}
