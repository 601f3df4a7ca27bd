"""A box for commands: bubblewrap, where it is installed and works. The workspace is writable, the rest is not."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from glob import escape, glob

from holdfast.core.value import Value

PROBE_SECONDS = 10
# What a command has no business reading: keys, tokens, and sockets that lead out of the box.
HIDDEN = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".config/gcloud", ".config/gh",
    ".config/op", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".config/git/credentials", ".codex/auth.json",
    ".claude/.credentials.json", ".local/share/opencode/auth.json",
)  # fmt: skip
# The same of Holdfast's home folder: the server's tokens, keys, what others' servers gave us, settings with addresses.
HIDDEN_OF_OURS = ("serve", "share", "remotes", "config.toml", "workspaces/*.team*")
OWN_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108  # empty ones of the box's own
SOCKETS = "/run"
KEPT_FROM_WRITING = (".git", ".holdfast")


class Sandbox(Value):
    """How commands are boxed in. `program` empty: they are not, and `missing` says why."""

    program: str = ""
    missing: str = ""


def find_sandbox(environment: Mapping[str, str]) -> Sandbox:
    """The box on this machine, tried once."""
    program = shutil.which("bwrap", path=environment.get("PATH", "")) or ""
    if not program:
        return Sandbox(missing="bubblewrap (bwrap) is not installed")
    why = _try_sandbox(program)
    return Sandbox(missing=f"bubblewrap does not work here: {why}") if why else Sandbox(program=program)


@cache
def _try_sandbox(program: str) -> str:
    """Why a box cannot be made; empty where it can."""
    words = [program, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/true"]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)[:200]
    return "" if done.returncode == 0 else done.stderr.decode(errors="replace").strip()[:200] or "it failed"


def wrap_command(  # noqa: PLR0913  # a command and its box
    program: str,
    root: str,
    cwd: str,
    command: Sequence[str],
    *,
    home: str = "",
    ours: str = "",
    network: bool = False,
    fixed: Iterable[str] = (),
) -> list[str]:
    """The words that run a command in the box. `fixed`: files of the workspace that others are writing.

    `home` is the user's, `ours` Holdfast's own.
    """
    words = [program, "--die-with-parent", "--new-session", "--unshare-all", *(["--share-net"] if network else [])]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for folder in (*OWN_FOLDERS, *(() if network else (SOCKETS,))):
        words += ["--tmpfs", folder] if os.path.isdir(folder) and not os.path.islink(folder) else []
    secrets = [os.path.join(home, name) for name in HIDDEN if home]
    secrets += [path for name in HIDDEN_OF_OURS if ours for path in sorted(glob(os.path.join(escape(ours), name)))]
    # A link hides nothing: where it leads is what is hidden.
    for path in dict.fromkeys(map(os.path.realpath, secrets)):
        words += _hide_path(path)
    words += ["--bind", root, root]
    kept = [os.path.join(root, name) for name in (*KEPT_FROM_WRITING, *sorted(fixed))]
    for path in kept:
        words += ["--ro-bind", path, path] if os.path.exists(path) and not os.path.islink(path) else []
    return [*words, "--chdir", cwd, "--", *command]


def _hide_path(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    return ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
