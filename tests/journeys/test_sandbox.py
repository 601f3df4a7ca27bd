"""A conductor's memory that outlives its sandbox: real processes, a real S3 server, and what goes wrong with both."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.conftest import Ran, run_in
from tests.journeys.hooking import Client
from tests.s3_server import S3Server

STORE = "s3://bucket/conductors"
PATIENCE = 60
# Runs until its standard input is closed.
WAITS = "import sys; sys.stdin.read(); sys.exit(5)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    found.start()
    yield found
    found.stop()


class Sandbox:
    """A machine of its own: its own home, its own folder, and the variables that every sandbox is given."""

    def __init__(self, place: Path, server: S3Server) -> None:
        self.folder, self.home = place / "project", place / "home"
        self.folder.mkdir(parents=True)
        key = {"HOLDFAST_SHARE_KEY": "env:CONDUCTOR_KEY", "CONDUCTOR_KEY": "ab" * 32}
        self.env = {**server.env, **key, "HOLDFAST_HOME": str(self.home)}
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.Queue[str] = queue.Queue()
        assert self.run("init", "--yes", "--client", "none").status == 0

    def run(self, *words: str) -> Ran:
        return run_in(self.folder, *words, env=self.env)

    def wrap(self, name: str, *command: str, store: str = STORE) -> None:
        words = ["-m", "holdfast.cli.main", "sandbox", "wrap", "--store", store, "--name", name, "--"]
        self.process = subprocess.Popen(
            [sys.executable, *words, *(command or (sys.executable, "-c", WAITS))], cwd=self.folder,
            env={**os.environ, **self.env}, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self.listening = threading.Thread(target=self._listen, args=(self.process,), daemon=True)
        self.listening.start()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr
        with process.stderr as lines:
            for line in lines:
                self.lines.put(line.decode())

    def says(self, words: str) -> str:
        """Wait for a line that holds some words."""
        while words not in (line := self.lines.get(timeout=PATIENCE)):
            pass
        return line

    def converses(self, prompt: str, *, ends: bool = True) -> None:
        client = Client(self.folder, session=f"s-{abs(hash(prompt))}", **self.env)
        client.says(prompt)
        if ends:
            client.send("Stop", last_assistant_message=f"Done: {prompt}")

    def ends(self) -> int:
        assert self.process is not None
        assert self.process.stdin
        self.process.stdin.close()
        return self._over()

    def _over(self) -> int:
        assert self.process is not None
        status = self.process.wait(timeout=PATIENCE)
        self.listening.join()
        if self.process.stdin:
            self.process.stdin.close()
        return status

    def term(self) -> int:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGTERM)
        return self._over()

    def lost(self) -> None:
        """The machine is gone, with all that ran on it."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self._over()

    def prompts(self) -> list[str]:
        found = []
        for segment in sorted((self.folder / ".holdfast/journal").glob("*.jsonl")):
            rows = [json.loads(line.split(" ", 3)[3]) for line in segment.read_text().splitlines()]
            found += [row["data"]["prompt"] for row in rows if row.get("name") == "prompt"]
        return sorted(found)

    def titles(self) -> list[str]:
        return sorted(memory["title"] for memory in self.run("list", "--json").json["memories"])


Make = Callable[[str], Sandbox]


@pytest.fixture
def sandbox(tmp_path: Path, server: S3Server) -> Iterator[Make]:
    made: list[Sandbox] = []

    def make(name: str) -> Sandbox:
        made.append(Sandbox(tmp_path / name, server))
        return made[-1]

    yield make
    for each in made:
        if each.process is not None and each.process.poll() is None:
            each.lost()


def test_a_sandbox_that_is_lost_loses_at_most_the_conversation_in_flight(sandbox: Make) -> None:
    first = sandbox("first")
    first.run("remember", "decision", "Use Textual for the TUI")
    first.wrap("planner")
    first.says("There is no memory")
    first.converses("plan the week")
    first.says("Wrote the memory")
    first.converses("and the weekend", ends=False)
    first.lost()

    second = sandbox("second")
    second.wrap("planner")
    second.says("Brought in the memory")
    status = second.ends()

    assert status == 5
    assert second.titles() == ["Use Textual for the TUI"]
    assert second.prompts() == ["plan the week"]


def test_two_writers_of_one_conductor_lose_nothing(sandbox: Make) -> None:
    one, other = sandbox("one"), sandbox("other")
    for each in (one, other):
        each.wrap("twins")
        each.says("There is no memory")
    one.run("remember", "decision", "Use Textual")
    other.run("remember", "decision", "Use Postgres")
    one.converses("said at one")
    one.says("Wrote the memory")
    other.converses("said at the other")
    other.says("Wrote the memory")

    assert [one.ends(), other.ends()] == [5, 5]
    third = sandbox("third")
    third.wrap("twins", sys.executable, "-c", "pass")
    third.says("Brought in the memory")
    assert third.ends() == 0
    assert third.titles() == ["Use Postgres", "Use Textual"]
    assert third.prompts() == ["said at one", "said at the other"]


def test_a_signal_is_passed_on_and_the_memory_written(sandbox: Make) -> None:
    first = sandbox("first")
    first.wrap("ended")
    first.says("There is no memory")
    first.run("remember", "decision", "Use Textual")

    assert first.term() == 128 + signal.SIGTERM
    first.says("Wrote the memory")


def test_a_store_that_goes_away_is_waited_for(sandbox: Make, server: S3Server) -> None:
    first = sandbox("first")
    first.wrap("patient")
    first.says("There is no memory")
    server.stop()
    try:
        first.converses("while it was away")
        first.says("does not answer")
    finally:
        server.start()
    first.says("Wrote the memory")

    assert first.ends() == 5
    second = sandbox("second")
    second.wrap("patient", sys.executable, "-c", "pass")
    second.says("Brought in the memory")
    assert second.ends() == 0
    assert second.prompts() == ["while it was away"]


def test_somebody_elses_memory_is_not_taken_as_ones_own(sandbox: Make) -> None:
    first = sandbox("first")
    first.run("remember", "decision", "Use Textual")
    first.wrap("sealed", sys.executable, "-c", "pass")
    first.says("Wrote the memory")
    first.ends()
    other = sandbox("other")
    other.env["CONDUCTOR_KEY"] = "cd" * 32

    other.wrap("sealed", sys.executable, "-c", "pass")

    other.says("sealed by another key")
    assert other.ends() == 2
    assert other.titles() == []


def test_workers_get_what_is_accepted_and_report_candidates(sandbox: Make, tmp_path: Path) -> None:
    conductor = sandbox("conductor")
    conductor.run("remember", "decision", "Use Textual for the screen", "--rejected", "curses: no layout engine")
    report = tmp_path / "report.json"
    rows = [{"type": "learning", "text": "Textual needs a screen of 80 columns"}, {"type": "nonsense"}]
    report.write_text(json.dumps({"format": "holdfast-report", "results": rows}))

    done = conductor.run("sandbox", "report", str(report), "--worker", "w1", "--json")
    packed = conductor.run("sandbox", "pack", "--goal", "which textual screen", str(tmp_path / "pack.json"))

    [candidate] = done.json["candidates"]
    assert len(done.json["rejected"]) == 1
    assert packed.status == 0
    pack = (tmp_path / "pack.json").read_text()
    assert "no layout engine" in pack
    assert "80 columns" not in pack
    assert conductor.run("candidates", "--json").json["candidates"][0]["id"] == candidate


def test_a_workers_bundle_becomes_candidates_though_our_key_sealed_it(sandbox: Make, tmp_path: Path) -> None:
    worker, conductor = sandbox("worker"), sandbox("conductor")
    worker.run("remember", "learning", "The tests need a database")
    worker.run("export", str(tmp_path / "w.tar.zst"))

    conductor.run("sandbox", "report", str(tmp_path / "w.tar.zst"))

    assert conductor.titles() == []
    [candidate] = conductor.run("candidates", "--json").json["candidates"]
    assert (candidate["title"], candidate["said_by"]) == ("The tests need a database", "tool")
