"""The hook in a process of its own, against bare Python and a bare shell hook: capture, and what injects.

With peers, claude-mem's hooks stand in the same table; they are run after ours, so that its worker is not there yet.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench import peers
from bench.cold import workspace
from bench.table import Row, table
from holdfast.clients.install.shim import write_shim

ROUNDS = 61
LINES = "drwxr-xr-x 2 ann staff 4096 Nov 15 09:22 src\n" * 20


def main(sizes: list[int] | None = None, *, with_peers: bool = False) -> None:
    """Print the tables."""
    rows = capture_rows()
    found, remark = peer_rows() if with_peers else ([], "")
    rows += found
    print(table("Hook: capture", ("command", "best ms", "median ms", "ratio of bests", "of medians"), rows))
    if remark:
        print(remark + "\n")
    rows = [row for size in sizes or [10_000] for row in inject_rows(size)]
    print(table("Hook: injecting, cold process", ("event", "memories", "p50 ms", "p95 ms"), rows))


def capture_rows() -> list[Row]:
    """One process an event, in turns."""
    with workspace(0) as place:
        hook = shim()
        commands = {
            "python -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"],
            "HOLDFAST_HOME/bin/hook, a tool's result": [hook],
            "the same with a secret in it: rules compile": [hook],
            "holdfast hook, the console script": [str(Path(sys.executable).with_name("holdfast")), "hook"],
            "sh -c 'cat >> file'": ["sh", "-c", f"cat >> '{place}/spool'"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(ROUNDS):
            for name, command in commands.items():
                secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" if "secret" in name else ""
                times[name].append(timed(command, _result(place, number, secret), place))
    base = sorted(next(iter(times.values())))
    return [_row(name, sorted(found), base) for name, found in times.items()]


def peer_rows() -> tuple[list[Row], str]:
    """The hooks of claude-mem, or a row that says why there are none; and what it leaves running."""
    try:
        times, remark = peers.measured([sys.executable, "-I", "-S", "-c", "pass"])
    except peers.CannotRun as error:
        return [(f"{peers.NAME}: not run, {error}", "", "", "", "")], ""
    base = sorted(times.pop("base"))
    return [_row(name, sorted(found), base) for name, found in times.items()], remark


def inject_rows(count: int) -> list[Row]:
    """A prompt and a session's start, each in a cold process, with so many memories."""
    rows: list[Row] = []
    with workspace(count) as place:
        hook = shim()
        # Vectors by the encoder are made in the background as a rule; here they are there.
        subprocess.run([str(Path(sys.executable).with_name("holdfast")), "doctor", "--embed"], cwd=place, check=True)
        timed([hook], payload(place, "SessionStart", source="startup"), place)
        time.sleep(2.2)
        for event, more in (
            ("SessionStart", {"source": "startup"}),
            ("UserPromptSubmit", {"prompt": "why does the connection pool time out in src/db/users.py"}),
            ("PreToolUse", {"tool_name": "Edit", "tool_input": {"file_path": str(place / "src/db/users.py")}}),
        ):
            found = sorted(_after_a_session(hook, place, event, more) for _ in range(21))
            rows.append((event, f"{count:,}", f"{found[10]:.0f}", f"{found[19]:.0f}"))
    return rows


def _after_a_session(hook: str, place: Path, event: str, more: Mapping[str, object]) -> float:
    """One event, as it comes: the session before has ended, and what that left running has too."""
    if event == "SessionStart":
        timed([hook], payload(place, "SessionEnd", reason="exit"), place)
        time.sleep(1)
    return timed([hook], payload(place, event, **more), place)


def shim() -> str:
    """The installed hook."""
    root = str(Path(__file__).parents[1] / "src")
    return write_shim(os.environ["HOLDFAST_HOME"], sys.executable, root)


def _result(place: Path, number: int, secret: str) -> bytes:
    return payload(
        place, "PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": LINES + secret},
        tool_use_id=f"toolu_{number}",
    )  # fmt: skip


def payload(place: Path, event: str, **more: object) -> bytes:
    """What Claude Code sends."""
    base = {
        "session_id": "bench", "transcript_path": "/home/dev/.claude/projects/p/bench.jsonl", "cwd": str(place),
        "hook_event_name": event, "permission_mode": "default",
    }  # fmt: skip
    return json.dumps(base | more).encode()


def timed(command: list[str], sent: bytes, place: Path) -> float:
    """How long a process takes, in milliseconds."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    begun = time.perf_counter()
    subprocess.run(command, input=sent, cwd=place, env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


def _row(name: str, found: list[float], base: list[float]) -> Row:
    middle, usual = found[len(found) // 2], base[len(base) // 2]
    return (
        name, f"{found[0]:.1f}", f"{middle:.1f}", f"{found[0] / base[0]:.2f} ×", f"{middle / usual:.2f} ×",
    )  # fmt: skip


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
