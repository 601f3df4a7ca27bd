"""The hooks of claude-mem as its plugin runs them: a home of their own, no network, what stays running ended by id."""

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "claude-mem@13.25.3"
# What its plugin runs on, and what it would fetch at its first start.
NEEDS = ("bun@1.4.4", "zod@4.4.3", "shell-quote@1.9.0")
ROUNDS = 21
LONGEST_INSTALL = 300
LONGEST_HOOK = 60
SUBREAPER = 36
LINES = "drwxr-xr-x 2 ann staff 4096 Nov 15 09:22 src\n" * 20


class CannotRun(Exception):
    """Why there are no figures."""


def measured(base: list[str]) -> tuple[dict[str, list[float]], str]:
    """The times of bare Python and of its hooks in turns, by what was run; and a line on what it leaves running."""
    if not sys.platform.startswith("linux"):
        raise CannotRun("measured on Linux only: elsewhere the processes it leaves cannot be told from others")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast-bench"
    plugin, bun = installed(cache, os.environ)
    with _left_to_us(), tempfile.TemporaryDirectory(prefix="holdfast-peers-") as folder:
        try:
            return _timed_hooks(base, plugin, bun, Path(folder))
        finally:
            _end_descendants()


def _timed_hooks(base: list[str], plugin: Path, bun: Path, folder: Path) -> tuple[dict[str, list[float]], str]:
    hooks = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]
    starts, tells = (hook["command"] for hook in hooks["SessionStart"][0]["hooks"])
    observes = hooks["PostToolUse"][0]["hooks"][0]["command"]
    env = _environment(plugin, bun, folder)
    times = {f"{NAME}, SessionStart: its worker starts": [_run(starts, "SessionStart", env, folder)]}
    names = {tells: "SessionStart: what it tells", observes: "PostToolUse (async in Claude Code)"}
    for number in range(ROUNDS):
        times.setdefault("base", []).append(_timed(base, b"", env, folder))
        for command, what in names.items():
            took = _run(command, "SessionStart" if command == tells else "PostToolUse", env, folder, number)
            times.setdefault(f"{NAME}, {what}", []).append(took)
    left = _descendants()
    return times, f"{NAME} leaves {len(left)} process running, with {sum(map(_megabytes, left)):.0f} MB."


def _run(command: str, event: str, env: dict[str, str], folder: Path, number: int = 0) -> float:
    payload = {
        "session_id": "bench", "transcript_path": str(folder / "t.jsonl"), "cwd": str(folder), "hook_event_name": event,
        "permission_mode": "default", "source": "startup", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": LINES}, "tool_use_id": f"toolu_{number}",
    }  # fmt: skip
    return _timed(["bash", "-c", command], json.dumps(payload).encode(), env, folder)


def _timed(command: list[str], payload: bytes, env: dict[str, str], folder: Path) -> float:
    begun = time.perf_counter()
    try:
        done = subprocess.run(command, input=payload, cwd=folder, env=env, capture_output=True, timeout=LONGEST_HOOK)
    except subprocess.TimeoutExpired:
        raise CannotRun(f"a hook took more than {LONGEST_HOOK} s") from None
    if done.returncode:
        raise CannotRun(f"its hook failed: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return (time.perf_counter() - begun) * 1000


def _environment(plugin: Path, bun: Path, folder: Path) -> dict[str, str]:
    """A home of its own, a port of its own, and a proxy that is not there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    node = os.path.dirname(shutil.which("node") or "")
    return {
        "PATH": os.pathsep.join([str(bun.parent), node, "/usr/bin", "/bin"]),
        "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8",
        "CLAUDE_PLUGIN_ROOT": str(plugin), "CLAUDE_MEM_DATA_DIR": str(folder / ".claude-mem"),
        "CLAUDE_MEM_WORKER_PORT": str(port), "CLAUDE_MEM_CHROMA_ENABLED": "false", "DO_NOT_TRACK": "1",
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
    }  # fmt: skip


# Installing


def installed(cache: Path, env: Mapping[str, str]) -> tuple[Path, Path]:
    """The plugin of claude-mem and the bun it runs on, got by npm once and kept in a folder."""
    if not all(shutil.which(program, path=env.get("PATH")) for program in ("npm", "node", "bash")):
        raise CannotRun("npm, node and bash are needed")
    folder = cache / NAME
    if not (folder / "package/plugin/node_modules").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install(folder, env)
    found = sorted(folder.glob("package/plugin/node_modules/@oven/*/bin/bun"))
    if not found:
        raise CannotRun("there is no bun for this machine")
    return folder / "package/plugin", found[0]


def _install(folder: Path, env: Mapping[str, str]) -> None:
    """Its package as it is published, without what only its server needs; no script of any package runs."""
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts")
    packed = _npm(folder, env, "pack", "--silent", NAME).split()[-1]
    shutil.unpack_archive(folder / packed, folder, filter="data")
    _npm(folder, env, "install", *quiet, "--prefix", str(folder), *NEEDS)
    (folder / "node_modules").rename(folder / "package/plugin/node_modules")


def _npm(folder: Path, env: Mapping[str, str], *words: str) -> str:
    try:
        done = subprocess.run(
            ["npm", *words], cwd=folder, env=env, capture_output=True, text=True, timeout=LONGEST_INSTALL
        )
    except subprocess.TimeoutExpired:
        raise CannotRun(f"npm took more than {LONGEST_INSTALL} s") from None
    if done.returncode:
        raise CannotRun(f"npm could not get it ({words[0]})")
    return done.stdout


# Processes


@contextmanager
def _left_to_us() -> Iterator[None]:
    """What a hook leaves running becomes a child of ours, and so nobody else's can be taken for it."""
    libc = ctypes.CDLL(None)
    libc.prctl(SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(SUBREAPER, 0, 0, 0, 0)


def _descendants() -> list[int]:
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for parent in found:
        found += [child for child, its in parents.items() if its == parent]
    return found[1:]


def _end_descendants() -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        for process in _descendants():
            with suppress(ProcessLookupError):
                os.kill(process, how)
        until = time.monotonic() + 5
        while time.monotonic() < until and _descendants():
            with suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
            time.sleep(0.05)


def _megabytes(process: int) -> float:
    with suppress(OSError):
        for line in Path("/proc", str(process), "status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0
