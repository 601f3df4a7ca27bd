"""A team's memory in a git repository of its own: cloned, committed, synced with what others pushed."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module

from holdfast.core.errors import BadRequest, Conflict, Unavailable
from holdfast.core.value import Value
from holdfast.system.git_programs import LISTING, NamesPrograms, find_programs

# No hook or monitor of the repository runs, and nothing but git's own ways to fetch; where its own settings name other
# programs (filters, an ssh of its own), git is not asked at all.
GIT = (
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false",
    "-c", "protocol.ext.allow=never", "-c", "submodule.recurse=false", "-c", "commit.gpgSign=false",
)  # fmt: skip
# What says which team's memory it is, beside `memory/`.
TEAM_FILE = "team.json"
# Who writes holds a lock of their own machine in the folder.
OURS = ("memory", TEAM_FILE, ":(exclude,glob)**/.lock")
LOCK = "memory/.lock"
# How git begins a place that two wrote.
OPENING = "<<<<<<< "
SECONDS = 120
TRIES = 3


class TeamGitFailed(Unavailable):
    """Git could not do it."""

    def __init__(self, what: str, said: str) -> None:
        super().__init__(f"git could not {what}: {said or 'it said nothing'}.", "try it by hand in that folder.")


class TeamMergeConflict(Conflict):
    """Two changed the same lines of the team's memory."""

    def __init__(self, root: str) -> None:
        super().__init__(
            f"Others changed the same lines in {root!r}.",
            f"settle it with git in {root}, then sync again.",
        )


class UnfinishedMerge(Conflict):
    """A merge that somebody began and did not end."""

    def __init__(self, root: str, files: Sequence[str]) -> None:
        super().__init__(
            f"A merge in {root!r} is not settled: {', '.join(files)}.",
            f"settle it with git in {root} (no line may begin with {OPENING!r}), then sync again; nothing was sent.",
        )


class BadCloneUrl(BadRequest):
    """What cannot be cloned from."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url!r} is no address to clone from.", "give a folder, or an address as git takes it.")


class TeamGitSync(Value):
    """What a sync did: whether something was committed, came, and was sent."""

    committed: bool
    came: bool
    sent: bool


def clone_repository(url: str, root: str) -> None:
    """Clone a team's repository; one that holds nothing yet is as good."""
    if url.startswith(("-", "ext::")) or "\0" in url:
        raise BadCloneUrl(url)
    os.makedirs(os.path.dirname(root), mode=0o700, exist_ok=True)
    _git(os.path.dirname(root), "clone", "--quiet", "--no-recurse-submodules", "--", url, root, what=f"clone {url}")


def read_origin(root: str) -> str:
    """Where a repository fetches from; empty where it has no such place."""
    return _git(root, "config", "--get", "remote.origin.url", what="look", may_fail=True).strip()


def pull_if_clean(root: str) -> None:
    """Take what others pushed, where nothing here waits to be committed: a sync merges that."""
    if not _list_changed(root):
        _pull(root)


def is_repository(root: str) -> bool:
    """Whether a folder is a repository's own."""
    return os.path.exists(os.path.join(root, ".git"))


def needs_clone(source: str) -> bool:
    """Whether a source is cloned, and not used where it lies: an address, or a repository without files of its own."""
    bare = os.path.isfile(os.path.join(source, "HEAD")) and os.path.isdir(os.path.join(source, "objects"))
    return bare or not os.path.isdir(source)


def read_git_person(folder: str) -> str:
    """Who commits here, by git's own word; empty where git does not know."""
    return _git(folder, "config", "user.name", what="tell who you are", may_fail=True).strip()


def sync_repository(root: str, message: str, author: str) -> TeamGitSync:
    """Commit what changed in the team's memory, take what others pushed, and push."""
    _require_settled(root)
    _leave_out(root, LOCK)
    if there := [name for name in ("memory", TEAM_FILE) if _is_known_to_git(root, name)]:
        _git(root, "add", "--all", "--", *there, *OURS[2:], what="add")
    _git(root, "rm", "--quiet", "--cached", "--ignore-unmatch", "--", LOCK, what="leave the lock out", may_fail=True)
    committed = bool(_git(root, "diff", "--cached", "--name-only", "--", "memory", TEAM_FILE, what="look").strip())
    if committed:
        name = author or "holdfast"
        as_whom = {"GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name}
        known = read_git_person(root)
        _git(root, "commit", "--quiet", "-m", message, what="commit", more={} if known else {
            **as_whom, "GIT_AUTHOR_EMAIL": "holdfast@localhost", "GIT_COMMITTER_EMAIL": "holdfast@localhost",
        })  # fmt: skip
    if not _git(root, "remote", what="look").strip():
        return TeamGitSync(committed=committed, came=False, sent=False)
    came = sent = False
    for _ in range(TRIES):
        came = _pull(root) or came
        if not _count_ahead(root):
            break
        if _push(root):
            sent = True
            break
    else:
        raise TeamGitFailed("push", "others push all the time")
    return TeamGitSync(committed=committed, came=came, sent=sent)


def count_unsent(root: str) -> tuple[int, int]:
    """How many commits we have that others do not, and files that are not committed; as far as git knows by itself."""
    shared = bool(_git(root, "remote", what="look", may_fail=True).strip())
    return _count_ahead(root) if shared else 0, len(_list_changed(root))


def _require_settled(root: str) -> None:
    """What two wrote is never sent with both in one file: every member would lose that memory."""
    open_ = _git(root, "diff", "--name-only", "--diff-filter=U", what="look").splitlines()
    asked = ("status", "--porcelain", "--no-renames", "-z", "--untracked-files=all", "--", *OURS)
    new = [line[3:] for line in _git(root, *asked, what="look").split("\0") if line[3:].endswith(".md")]
    marked = [name for name in new if _has_conflict_markers(os.path.join(root, name))]
    if found := sorted({*open_, *marked}):
        raise UnfinishedMerge(root, found)


def _has_conflict_markers(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return any(line.startswith(OPENING.encode()) for line in file)
    except FileNotFoundError:
        return False


def _is_known_to_git(root: str, name: str) -> bool:
    """Whether git has something to add there: files, or their absence."""
    return os.path.exists(os.path.join(root, name)) or bool(_git(root, "ls-files", "--", name, what="look"))


def _leave_out(root: str, name: str) -> None:
    """Keep a file of this machine alone out of what `git add` takes, without a file that others would see."""
    path = os.path.join(root, _git(root, "rev-parse", "--git-path", "info/exclude", what="look").strip())
    with suppress(FileNotFoundError), open(path, encoding="utf-8", errors="replace") as file:
        if name in file.read().splitlines():
            return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{name}\n")


def _list_changed(root: str) -> list[str]:
    asked = ("status", "--porcelain", "--untracked-files=all", "--", *OURS)
    return _git(root, *asked, what="look", may_fail=True).splitlines()


def _count_ahead(root: str) -> int:
    """How many commits the others do not have."""
    there = _git(root, "rev-parse", "--verify", "--quiet", f"origin/{_branch(root)}", what="look", may_fail=True)
    asked = ("rev-list", "--count", "HEAD", *([f"^{there.strip()}"] if there.strip() else ()))
    found = _git(root, *asked, what="count", may_fail=True).strip()
    return int(found) if found.isdecimal() else 0


def _branch(root: str) -> str:
    return _git(root, "symbolic-ref", "--short", "HEAD", what="name the branch", may_fail=True).strip() or "main"


def _pull(root: str) -> bool:
    """Take what others pushed, ours on top; whether something came."""
    branch = _branch(root)
    _git(root, "fetch", "--quiet", "--no-recurse-submodules", "origin", what="fetch")
    there = _git(root, "rev-parse", "--verify", "--quiet", f"origin/{branch}", what="look", may_fail=True).strip()
    if not there or there == _head(root):
        return False
    if not _head(root):
        _git(root, "reset", "--quiet", "--hard", f"origin/{branch}", what="take what is there")
        return True
    already = _git(root, "merge-base", "HEAD", f"origin/{branch}", what="look", may_fail=True).strip() == there
    if already:
        return False
    try:
        _git(root, "rebase", "--quiet", f"origin/{branch}", what="rebase")
    except TeamGitFailed:
        _git(root, "rebase", "--abort", what="stop", may_fail=True)
        raise TeamMergeConflict(root) from None
    return True


def _push(root: str) -> bool:
    if not _head(root):
        return True
    done = _run(root, ("push", "--quiet", "--set-upstream", "origin", "HEAD"), {})
    if done[0] and "rejected" not in done[2] and "fetch first" not in done[2]:
        raise TeamGitFailed("push", _last_error_lines(done[2]))
    return done[0] == 0


def _head(root: str) -> str:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD", what="look", may_fail=True).strip()


def _git(root: str, *words: str, what: str, may_fail: bool = False, more: Mapping[str, str] | None = None) -> str:
    code, out, said = _run(root, words, more or {})
    if code and not may_fail:
        raise TeamGitFailed(what, _last_error_lines(said))
    return out if not code else ""


def _run(root: str, words: tuple[str, ...], more: Mapping[str, str]) -> tuple[int, str, str]:
    if words[0] not in {"clone", "config"}:
        _require_no_programs(root, _settings_stamp(root))
    return _run_unchecked(root, words, more)


@cache
def _require_no_programs(root: str, stamp: tuple[int, ...]) -> None:
    """Refuse a repository whose settings, as they are at a stamp, name programs."""
    if stamp and (names := find_programs(_run_unchecked(root, LISTING, {})[1])):
        raise NamesPrograms(root, names)


def _settings_stamp(root: str) -> tuple[int, ...]:
    try:
        found = os.stat(os.path.join(root, ".git", "config"))
    except NotADirectoryError:
        return (time.monotonic_ns(),)
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _run_unchecked(root: str, words: tuple[str, ...], more: Mapping[str, str]) -> tuple[int, str, str]:
    subprocess = import_module("subprocess")
    asked = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **more}
    try:
        done = subprocess.run([*GIT, "-C", root, *words], capture_output=True, timeout=SECONDS, env=asked)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, "", str(error)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _last_error_lines(said: str) -> str:
    """What git failed of, and the line before, which may say why; else its last word."""
    lines = [line.strip().rstrip(".") for line in said.strip().splitlines() if line.strip()]
    fatal = next((at for at, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), len(lines) - 1)
    told = [line.removeprefix("fatal:").removeprefix("error:").strip() for line in lines[max(0, fatal - 1) : fatal + 1]]
    return "; ".join(told)
