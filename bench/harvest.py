"""How fast `harvest` and the rules distiller are beside plain `json.loads` of every line, by parts; and their memory.

Walls say what was seen; on a busy machine the CPU says more. What two idle cores would take is reckoned from it: the
CPU of harvest spread over the workers, all else one after the other.

python -m bench.harvest --mb 200 --workers 2
"""

import argparse
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple, TypeVar

from bench.redact import events
from bench.table import Row, table
from holdfast.app import build_app
from holdfast.distil.distil_sessions import distil, filter_waiting, list_jobs
from holdfast.harvest.harvest_transcripts import CHUNK, HarvestRequest, HarvestResult, harvest
from holdfast.harvest.read_chunk import ChunkTask, decode_object, read_chunk
from holdfast.journal.capture_event import TOOL_LIMITS
from holdfast.records.refresh_records import refresh_records

HEAD = ("what", "wall", "of json.loads", "CPU", "of json.loads", "MB/s of CPU", "peak MB")
ROUNDS = 5
FILE_MB = 20
GOAL = 2.5
SOURCES = Path(__file__).parents[1]


T = TypeVar("T")


class Spent(NamedTuple):
    """What a piece of work took, in seconds: of the clock, and of all processors."""

    wall: float
    cpu: float


class Transcripts:
    """Transcripts of the shape that Claude Code writes: tool results twice, images, and many small lines between."""

    def __init__(self, cwd: str, seed: int = 7) -> None:
        self._cwd = cwd
        self._chance = random.Random(seed)
        self._words = [*events(secrets=False)[:30], *_sources()]
        self._number = 0

    def write(self, path: Path, size: int) -> None:
        """One session of about so many bytes."""
        session = self._uuid()
        with open(path.with_name(f"{session}.jsonl"), "w", encoding="utf-8") as file:
            written, parent = 0, None
            while written < size:
                for record in self._turn(session, parent):
                    line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
                    written += file.write(line)
                    parent = record.get("uuid", parent)

    def _turn(self, session: str, parent: str | None) -> Iterator[dict[str, Any]]:
        prompt = self._uuid()
        knot = self._knot(session, parent)
        yield {**knot, "type": "user", "promptId": prompt, "message": {"role": "user", "content": self._text(400)}}
        parent = knot["uuid"]
        for kind in ("deferred_tools_delta", "skill_listing", "hook_success"):
            knot = self._knot(session, parent)
            yield {**knot, "type": "attachment", "attachment": {"type": kind, "content": self._text(300)}}
            parent = knot["uuid"]
        for _ in range(self._chance.randint(3, 12)):
            for record in self._step(session, parent, prompt):
                yield record
                parent = record.get("uuid", parent)
        yield from self._said(session, parent, self._text(1500), "end_turn")
        yield {"type": "last-prompt", "lastPrompt": self._text(100), "sessionId": session}

    def _step(self, session: str, parent: str | None, prompt: str) -> Iterator[dict[str, Any]]:
        if self._chance.random() < 0.5:
            for record in self._said(session, parent, self._text(200), "tool_use"):
                yield record
                parent = record["uuid"]
        call = f"toolu_{self._number:024d}"
        tool, given, result, content = self._tool()
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        knot = self._knot(session, parent)
        yield {**knot, "type": "assistant", "message": self._message([block], "tool_use")}
        above, knot = knot["uuid"], self._knot(session, knot["uuid"])
        answer = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": False}
        message = {"role": "user", "content": [answer]}
        yield {
            **knot, "type": "user", "promptId": prompt, "message": message, "toolUseResult": result,
            "sourceToolAssistantUUID": above,
        }  # fmt: skip
        hook = {"type": "hook_success", "hookName": "PostToolUse", "stdout": "", "exitCode": 0, "command": "hook"}
        yield {**self._knot(session, knot["uuid"]), "type": "attachment", "attachment": hook}

    def _tool(self) -> tuple[str, dict[str, Any], Any, Any]:
        dice = self._chance.random()
        path = f"{self._cwd}/src/module_{self._chance.randint(1, 99)}.py"
        if dice < 0.01:
            image = base64.b64encode(self._chance.randbytes(300_000)).decode()
            source = {"type": "base64", "media_type": "image/png", "data": image}
            content = [{"type": "image", "source": source}]
            return "Read", {"file_path": f"{self._cwd}/shot.png"}, {"type": "image", "file": {"base64": image}}, content
        if dice < 0.35:
            text = self._text(self._chance.choice((400, 1500, 4000, 9000, 40_000)))
            file = {"filePath": path, "content": text, "numLines": 99, "startLine": 1, "totalLines": 99}
            return "Read", {"file_path": path}, {"type": "text", "file": file}, text
        if dice < 0.6:
            old, new = self._text(600), self._text(700)
            original = self._text(self._chance.choice((1500, 5000, 20_000, 60_000)))
            result = {
                "filePath": path, "oldString": old, "newString": new, "originalFile": original,
                "structuredPatch": [{"oldStart": 1, "lines": new.splitlines()}], "userModified": False,
            }  # fmt: skip
            given = {"file_path": path, "old_string": old, "new_string": new}
            return "Edit", given, result, f"The file {path} has been updated."
        text = self._text(self._chance.choice((60, 60, 300, 300, 1200, 4000, 15_000, 90_000)))
        result = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        return "Bash", {"command": f"pytest -q {path}", "description": self._text(60)}, result, text

    def _said(self, session: str, parent: str | None, text: str, stop: str) -> Iterator[dict[str, Any]]:
        knot = self._knot(session, parent)
        yield {**knot, "type": "assistant", "message": self._message([{"type": "text", "text": text}], stop)}

    def _message(self, content: list[Any], stop: str) -> dict[str, Any]:
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 12,
        }
        about = {"id": f"msg_{self._number:024d}", "type": "message", "role": "assistant", "model": "claude-sonnet-5"}
        return {**about, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}

    def _knot(self, session: str, parent: str | None) -> dict[str, Any]:
        self._number += 1
        seconds, milliseconds = divmod(self._number * 731, 1000)
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_770_000_000 + seconds))
        return {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": self._cwd, "sessionId": session,
            "version": "2.1.325", "gitBranch": "main", "uuid": self._uuid(), "timestamp": f"{at}.{milliseconds:03d}Z",
        }  # fmt: skip

    def _uuid(self) -> str:
        found = f"{self._chance.getrandbits(128):032x}"
        return f"{found[:8]}-{found[8:12]}-{found[12:16]}-{found[16:20]}-{found[20:]}"

    def _text(self, size: int) -> str:
        text = self._chance.choice(self._words)
        start = self._chance.randrange(max(1, len(text) - size)) if size < len(text) else 0
        return (text * (size // len(text) + 1))[start : start + size]


def _sources() -> list[str]:
    """What agents read most: code and its documents. Our own."""
    paths = sorted([*SOURCES.rglob("src/holdfast/**/*.py"), *SOURCES.rglob("docs/**/*.md")])
    # Our own rules of redaction name every kind of secret, which other code does not.
    texts = [path.read_text(encoding="utf-8") for path in paths if "redact" not in str(path)]
    # Nor does it name us in every line.
    texts = [text.replace("holdfast", "project") for text in texts]
    return [text for text in texts if len(text) > 2000 and "<private" not in text]


def made(root: Path, megabytes: int, *, one_file: bool = False) -> Path:
    """A user's home with transcripts of a workspace; the workspace."""
    workspace = root / "project"
    (workspace / ".holdfast").mkdir(parents=True)
    name = "".join(char if char.isalnum() else "-" for char in str(workspace.resolve()))
    project = root / "user" / ".claude" / "projects" / name
    project.mkdir(parents=True)
    transcripts = Transcripts(str(workspace.resolve()))
    sizes = [megabytes] if one_file else [FILE_MB] * max(1, megabytes // FILE_MB)
    for size in sizes:
        transcripts.write(project / "x", size * 1_000_000)
    for path in project.iterdir():
        os.utime(path, (1_770_100_000, 1_770_100_000))
    return workspace


def plain(root: Path) -> None:
    """Parse every line and do nothing with it."""
    for path in _files(root):
        with open(path, "rb") as file:
            for line in file:
                json.loads(line)


def parsed(root: Path) -> None:
    """The same, as harvest parses."""
    for path in _files(root):
        with open(path, "rb") as file:
            for line in file:
                decode_object(line)


def read(root: Path) -> None:
    """Read, parse and redact, in one process."""
    for path in _files(root):
        size = path.stat().st_size
        for start in range(0, size, CHUNK):
            end = min(size, start + CHUNK)
            read_chunk(ChunkTask("claude-code", str(path), start, end, 0, path.stem, "", 0, tuple(TOOL_LIMITS)))


def once(workspace: Path, workers: int) -> HarvestResult:
    """Harvest everything into an empty journal."""
    subprocess.run(["rm", "-rf", str(workspace / ".holdfast")], check=True)
    (workspace / ".holdfast").mkdir()
    folder = str(workspace.resolve())
    return harvest(build_app(folder), HarvestRequest(folders={folder: folder}, workers=workers))


def then(workspace: Path) -> dict[str, Spent]:
    """What `harvest` does after it has read, and `distil` of all that waits, by rules."""
    app = build_app(str(workspace.resolve()))
    records, _ = spent(lambda: refresh_records(app))
    app.refresh()
    index, _ = spent(lambda: app.index)
    distilling, done = spent(lambda: list(distil(app, filter_waiting(list_jobs(app)))))
    assert done, "nothing was distilled"
    return {"records": records, "index": index, "distil": distilling}


def spent(work: Callable[[], T]) -> tuple[Spent, T]:
    """What some work took, and what came of it."""
    cpu, wall = _cpu(), time.perf_counter()
    found = work()
    return Spent(time.perf_counter() - wall, _cpu() - cpu), found


def peak(root: Path, workspace: Path, workers: int) -> tuple[float, float]:
    """Peak memory in MB of a harvest in a process of its own: the process that writes, and the largest that reads."""
    code = (
        "from resource import *; from pathlib import Path; from bench.harvest import once; "
        f"once(Path({str(workspace)!r}), {workers}); "
        "print(getrusage(RUSAGE_SELF).ru_maxrss, getrusage(RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=_env(root), capture_output=True, text=True, check=True
    )  # fmt: skip
    scale = 1 if sys.platform == "darwin" else 1024
    one, other = (int(found) * scale / 1e6 for found in done.stdout.split())
    return one, other


def _files(root: Path) -> list[Path]:
    return sorted((root / "user").rglob("*.jsonl"))


def _cpu() -> float:
    """CPU seconds of this process and of those that it waited for."""
    own, others = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _env(root: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(root / "user"), "HOLDFAST_HOME": str(root / "home")}


def rows(megabytes: int, workers: int) -> list[Row]:
    """Each part beside plain parsing, the best of some rounds taken in turns."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=".") as folder:
        root = Path(folder).resolve()
        workspace = made(root, megabytes)
        os.environ.update(_env(root))
        size = sum(path.stat().st_size for path in _files(root)) / 1e6
        best: dict[str, Spent] = {}
        last = HarvestResult()
        for number in range(ROUNDS):
            found = {"plain": spent(lambda: plain(root))[0], "parse": spent(lambda: parsed(root))[0]}
            found["read"] = spent(lambda: read(root))[0]
            found["harvest"], last = spent(lambda: once(workspace, workers))
            # The disk is asked for thousands of small files: twice is enough.
            found |= then(workspace) if number < 2 else {}
            best |= {name: _least(took, best.get(name, took)) for name, took in found.items()}
        writer, reader = peak(root, workspace, workers)
        kept = sum(path.stat().st_size for path in (workspace / ".holdfast/journal").glob("*.jsonl")) / 1e6
        about = f"{last.fresh} events, {kept:.0f} MB journal"
        memory = f"{writer:.0f} + {reader:.0f} a reader"
        return [
            _row(f"json.loads of {size:.0f} MB", best["plain"], best, size),
            _row("parse, as harvest does", best["parse"], best, size),
            _row("parse and redact, in one process", best["read"], best, size),
            _row(f"harvest, {workers} workers, {about}", best["harvest"], best, size, memory),
            _row("distil by rules", best["distil"], best, size),
            _total(best, workers, size),
            _row("besides: records", best["records"], best, size),
            _row("besides: index", best["index"], best, size),
        ]  # fmt: skip


def _least(one: Spent, other: Spent) -> Spent:
    return Spent(min(one.wall, other.wall), min(one.cpu, other.cpu))


def _row(what: str, took: Spent, best: dict[str, Spent], size: float, memory: str = "") -> Row:
    wall, cpu = took.wall / best["plain"].wall, took.cpu / best["plain"].cpu
    return (
        what,
        f"{took.wall:.2f} s",
        f"{wall:.2f} ×",
        f"{took.cpu:.2f} s",
        f"{cpu:.2f} ×",
        f"{size / took.cpu:.0f}",
        memory,
    )


def _total(best: dict[str, Spent], workers: int, size: float) -> Row:
    """Harvest and distil together, seen and as idle cores would do it."""
    done = Spent(best["harvest"].wall + best["distil"].wall, best["harvest"].cpu + best["distil"].cpu)
    idle = (best["harvest"].cpu / workers + best["distil"].cpu) / best["plain"].cpu
    return _row(f"harvest and distil; on {workers} idle cores {idle:.2f} × (bar {GOAL})", done, best, size)


def large(megabytes: int, workers: int) -> list[Row]:
    """One large file: wall and peak memory."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=".") as folder:
        root = Path(folder).resolve()
        workspace = made(root, megabytes, one_file=True)
        begun = time.perf_counter()
        writer, reader = peak(root, workspace, workers)
        wall = time.perf_counter() - begun
        memory = f"{writer:.0f} + {reader:.0f} a reader"
        return [(f"harvest of one file of {megabytes} MB", f"{wall:.2f} s", "", "", "", "", memory)]


def main(megabytes: int = 100, big: int = 400, workers: int = 0) -> None:
    """Print the table."""
    count = workers or os.cpu_count() or 1
    found = rows(megabytes, count) + (large(big, count) if big else [])
    print(table("Harvest", HEAD, found), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mb", type=int, default=100, help="size of all transcripts together")
    parser.add_argument("--large", type=int, default=400, help="size of one large file; 0 for none")
    parser.add_argument("--workers", type=int, default=0, help="processes that read")
    given = parser.parse_args()
    main(given.mb, given.large, given.workers)
