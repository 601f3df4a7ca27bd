"""Check: which memory does a diff, a plan, a file or a text break, and which memories are in conflict?"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from threading import Lock
from typing import Any

from holdfast.check.run_check import check_diff, check_files, check_text, load_checkable_memory
from holdfast.check.sarif import COULD_NOT_READ, to_sarif
from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.finding import Checked, Finding, Other, Severity
from holdfast.core.home import FOLDER
from holdfast.core.memory import Problem
from holdfast.core.value import replace
from holdfast.index.entries import MEMORY
from holdfast.recall.find import notice_unread
from holdfast.review.branch_conflicts import check_branch, check_memories
from holdfast.workspace import App

__all__ = [
    "COULD_NOT_READ", "Checked", "Finding", "Other", "Severity", "check", "check_plan", "checked_json", "checked_sarif",
    "make_checker",
]  # fmt: skip

LARGEST_PLAN = 2 * 1024 * 1024
MOST_GIVEN = 1000
STDIN = "-"


class PlanMissing(NotFound):
    """A plan that is not there."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no plan {path!r}.", "`-` reads it from standard input.")


class PlanUnreadable(BadRequest):
    """A plan that is no text."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"The plan {path!r} cannot be read: {why}.", "give UTF-8 text of at most 2 MiB.")


def check(
    app: App,
    *,
    diff: str = "",
    staged: bool = False,
    plan: str = "",
    text: str = "",
    branch: str = "",
    paths: Sequence[str] = (),
) -> Checked:
    """One check. With a plan or a text, `paths` say where it will be carried out; alone, they are the files.

    With nothing at all, the memories that hold are checked against each other.
    """
    if plan or text:
        named = plan if plan != STDIN else "<stdin>"
        found = check_text(app, _read_plan(plan) if plan else text, name=named if plan else "", paths=paths)
    elif diff or staged:
        found = check_diff(app, diff, staged=staged)
    elif branch:
        found = check_branch(app, branch)
    elif paths:
        found = check_files(app, paths)
    else:
        found = check_memories(app)
    notice_unread(app)
    unread = (problem for problem in app.index.links()[1] if problem.path.startswith(f"{MEMORY}/"))
    # A memory that cannot be read enforces nothing: that must not pass unseen.
    more = tuple(replace(problem, path=f"{FOLDER}/{problem.path}") for problem in unread)
    return replace(found, problems=tuple(dict.fromkeys((*found.problems, *more))))


def check_plan(app: App, plan: str, paths: Sequence[str]) -> Checked:
    """A plan in words, and the paths of the workspace that it will touch."""
    root = os.path.realpath(app.workspace or os.getcwd())
    found = check_text(app, plan, paths=[os.path.join(root, path) for path in paths])
    notice_unread(app)
    return found


def make_checker(app: App) -> Callable[[str, Sequence[str]], Checked]:
    """The same for many plans: memory is read once, when the first is checked."""
    root = os.path.realpath(app.workspace or os.getcwd())
    counts = cache(lambda: load_checkable_memory(app))
    alone = Lock()

    def check(plan: str, paths: Sequence[str] = ()) -> Checked:
        # Plans are checked side by side, and one connection is not for two at once.
        with alone:
            known = counts()
        return check_text(app, plan, paths=[os.path.join(root, path) for path in paths], counts=known)

    return check


def checked_json(checked: Checked) -> dict[str, Any]:
    """A check for programs."""
    given = checked.findings[:MOST_GIVEN]
    form: dict[str, Any] = {
        "findings": [_form(found) for found in given],
        "unread": [_place(problem) for problem in checked.unread],
        "problems": [_place(problem) for problem in checked.problems],
        "checked": {"memories": checked.memories, "rules": checked.rules, "files": checked.files},
        "held_back": checked.held_back,
    }
    more = len(checked.findings) - len(given)
    return form | ({"more": more} if more else {})


def checked_sarif(checked: Checked) -> dict[str, Any]:
    """A check as SARIF 2.1.0."""
    return to_sarif(checked, version("holdfast"))


def _form(found: Finding) -> dict[str, Any]:
    form = {
        "memory": found.memory,
        "severity": str(found.severity),
        "rule": found.rule,
        "reason": found.reason,
        "title": found.title,
        "path": found.path,
        "line": found.line,
        "what": found.what,
        "confidence": found.confidence,
        "resolve": list(found.resolve),
    }
    return form if found.other is None else {**form, "text": found.other.found_text, "other": _other(found.other)}


def _other(other: Other) -> dict[str, Any]:
    return {"id": other.id, "title": other.title, "text": other.text, "branch": other.branch or None}


def _place(problem: Problem) -> dict[str, Any]:
    return {"path": problem.path, "line": problem.line, "reason": problem.reason}


def _read_plan(path: str) -> str:
    if path == STDIN:
        raw = sys.stdin.buffer.read(LARGEST_PLAN + 1)
    else:
        try:
            with open(path, "rb") as file:
                raw = file.read(LARGEST_PLAN + 1)
        except FileNotFoundError as error:
            raise PlanMissing(path) from error
        except IsADirectoryError as error:
            raise PlanUnreadable(path, "it is a folder") from error
    if len(raw) > LARGEST_PLAN:
        raise PlanUnreadable(path, "it is larger than 2 MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanUnreadable(path, f"it is not UTF-8 (byte {error.start})") from error
