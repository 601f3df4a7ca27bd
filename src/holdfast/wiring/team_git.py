"""A team's memory in a git repository of its own: cloned, committed, brought together with what others pushed."""

import os
from collections.abc import Mapping
from importlib import import_module

from holdfast.domain.errors import BadRequest, Conflict, Unavailable
from holdfast.domain.value import Value

# No hook, filter or monitor of the repository runs, and nothing but git's own ways to fetch.
GIT = (
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false",
    "-c", "protocol.ext.allow=never", "-c", "submodule.recurse=false", "-c", "commit.gpgSign=false",
)  # fmt: skip
# What says which team's memory it is, beside `memory/`.
TEAM_FILE = "team.json"
# Who writes holds a lock of their own machine in the folder.
OURS = ("memory", TEAM_FILE, ":(exclude,glob)**/.lock")
LOCK = "memory/.lock"
SECONDS = 120
TRIES = 3


class GitFailed(Unavailable):
    """Git could not do it."""

    def __init__(self, what: str, said: str) -> None:
        super().__init__(f"git could not {what}: {said or 'it said nothing'}.", "try it by hand in that folder.")


class NotOneLine(Conflict):
    """Two changed the same lines of the team's memory."""

    def __init__(self, root: str) -> None:
        super().__init__(
            f"Others changed the same lines in {root!r}.",
            f"settle it with git in {root}, then sync again.",
        )


class NoUrl(BadRequest):
    """What cannot be cloned from."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url!r} is no address to clone from.", "give a folder, or an address as git takes it.")


class Pulled(Value):
    """What a sync did: whether something was committed, came, and was sent."""

    committed: bool
    came: bool
    sent: bool


def clone(url: str, root: str) -> None:
    """Clone a team's repository; one that holds nothing yet is as good."""
    if url.startswith(("-", "ext::")) or "\0" in url:
        raise NoUrl(url)
    os.makedirs(os.path.dirname(root), mode=0o700, exist_ok=True)
    _git(os.path.dirname(root), "clone", "--quiet", "--no-recurse-submodules", "--", url, root, what=f"clone {url}")


def origin(root: str) -> str:
    """Where a repository fetches from; empty where it has no such place."""
    return _git(root, "config", "--get", "remote.origin.url", what="look", may_fail=True).strip()


def refresh(root: str) -> None:
    """Take what others pushed, where nothing here waits to be committed: a sync brings that together."""
    if not _changed(root):
        _take(root)


def is_repository(root: str) -> bool:
    """Whether a folder is a repository's own."""
    return os.path.exists(os.path.join(root, ".git"))


def to_clone(source: str) -> bool:
    """Whether a source is cloned, and not used where it lies: an address, or a repository without files of its own."""
    bare = os.path.isfile(os.path.join(source, "HEAD")) and os.path.isdir(os.path.join(source, "objects"))
    return bare or not os.path.isdir(source)


def person(folder: str) -> str:
    """Who commits here, by git's own word; empty where git does not know."""
    return _git(folder, "config", "user.name", what="tell who you are", may_fail=True).strip()


def bring_together(root: str, message: str, author: str) -> Pulled:
    """Commit what changed in the team's memory, take what others pushed, and push."""
    there = [name for name in OURS if name != TEAM_FILE or os.path.exists(os.path.join(root, name))]
    _git(root, "add", "--all", "--", *there, what="add")
    _git(root, "rm", "--quiet", "--cached", "--ignore-unmatch", "--", LOCK, what="leave the lock out", may_fail=True)
    committed = bool(_git(root, "diff", "--cached", "--name-only", "--", "memory", TEAM_FILE, what="look").strip())
    if committed:
        name = author or "holdfast"
        as_whom = {"GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name}
        known = person(root)
        _git(root, "commit", "--quiet", "-m", message, what="commit", more={} if known else {
            **as_whom, "GIT_AUTHOR_EMAIL": "holdfast@localhost", "GIT_COMMITTER_EMAIL": "holdfast@localhost",
        })  # fmt: skip
    if not _git(root, "remote", what="look").strip():
        return Pulled(committed=committed, came=False, sent=False)
    came = sent = False
    for _ in range(TRIES):
        came = _take(root) or came
        if not _ahead(root):
            break
        if _push(root):
            sent = True
            break
    else:
        raise GitFailed("push", "others push all the time")
    return Pulled(committed=committed, came=came, sent=sent)


def waiting(root: str) -> tuple[int, int]:
    """How many commits we have that others do not, and files that are not committed; as far as git knows by itself."""
    shared = bool(_git(root, "remote", what="look", may_fail=True).strip())
    return _ahead(root) if shared else 0, len(_changed(root))


def _changed(root: str) -> list[str]:
    asked = ("status", "--porcelain", "--untracked-files=all", "--", *OURS)
    return _git(root, *asked, what="look", may_fail=True).splitlines()


def _ahead(root: str) -> int:
    """How many commits the others do not have."""
    there = _git(root, "rev-parse", "--verify", "--quiet", f"origin/{_branch(root)}", what="look", may_fail=True)
    asked = ("rev-list", "--count", "HEAD", *([f"^{there.strip()}"] if there.strip() else ()))
    found = _git(root, *asked, what="count", may_fail=True).strip()
    return int(found) if found.isdecimal() else 0


def _branch(root: str) -> str:
    return _git(root, "symbolic-ref", "--short", "HEAD", what="name the branch", may_fail=True).strip() or "main"


def _take(root: str) -> bool:
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
    except GitFailed:
        _git(root, "rebase", "--abort", what="stop", may_fail=True)
        raise NotOneLine(root) from None
    return True


def _push(root: str) -> bool:
    if not _head(root):
        return True
    done = _run(root, ("push", "--quiet", "--set-upstream", "origin", "HEAD"), {})
    if done[0] and "rejected" not in done[2] and "fetch first" not in done[2]:
        raise GitFailed("push", _last(done[2]))
    return done[0] == 0


def _head(root: str) -> str:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD", what="look", may_fail=True).strip()


def _git(root: str, *words: str, what: str, may_fail: bool = False, more: Mapping[str, str] | None = None) -> str:
    code, out, said = _run(root, words, more or {})
    if code and not may_fail:
        raise GitFailed(what, _last(said))
    return out if not code else ""


def _run(root: str, words: tuple[str, ...], more: Mapping[str, str]) -> tuple[int, str, str]:
    subprocess = import_module("subprocess")
    asked = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **more}
    try:
        done = subprocess.run([*GIT, "-C", root, *words], capture_output=True, timeout=SECONDS, env=asked)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, "", str(error)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _last(said: str) -> str:
    """What git failed of, and the line before, which may say why; else its last word."""
    lines = [line.strip().rstrip(".") for line in said.strip().splitlines() if line.strip()]
    fatal = next((at for at, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), len(lines) - 1)
    told = [line.removeprefix("fatal:").removeprefix("error:").strip() for line in lines[max(0, fatal - 1) : fatal + 1]]
    return "; ".join(told)
