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
from tests.candidate_files import write_candidate
from tests.journeys.conftest import Ran, run_in
from tests.journeys.hooking import Client
from tests.s3_server import S3Server
from tests.waiting import LONG, wait_for

STORE = "s3://bucket/conductors"
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

    def wrap(self, name: str, *command: str, store: str = STORE, every: str = "86400") -> None:
        words = ["-m", "holdfast.cli.main", "sandbox", "wrap", "--store", store, "--name", name, "--every", every, "--"]
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
        seen: list[str] = []
        while not seen or words not in seen[-1]:
            try:
                seen.append(self.lines.get(timeout=LONG))
            except queue.Empty:
                raise AssertionError(f"{words!r} is not among {seen}") from None
        return seen[-1]

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
        status = self.process.wait(timeout=LONG)
        self.listening.join()
        if self.process.stdin:
            self.process.stdin.close()
        return status

    def gets(self, number: signal.Signals) -> int:
        """The wrapper gets a signal, and ends."""
        assert self.process is not None
        os.kill(self.process.pid, number)
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_is_passed_on_and_the_memory_written(sandbox: Make, number: signal.Signals) -> None:
    first = sandbox("first")
    # A command that tells by its status which signal it got.
    told = "import signal, sys, time\nfor n in (1, 2, 15): signal.signal(n, lambda n, _: sys.exit(40 + n))\n"
    told += "print('ready', file=sys.stderr, flush=True)\nwhile True: time.sleep(1)"
    first.wrap(f"ended-{number.name}", sys.executable, "-c", told)
    first.says("ready")
    first.run("remember", "decision", "Use Textual")

    assert first.gets(number) == 40 + number
    first.says("Wrote the memory")


def test_a_command_that_heeds_no_signal_is_written_out_all_the_same(sandbox: Make) -> None:
    first = sandbox("first")
    deaf = "import signal, sys, time; signal.signal(15, signal.SIG_IGN); print('ready', file=sys.stderr, flush=True)\n"
    first.wrap("deaf", sys.executable, "-c", f"{deaf}while True: time.sleep(1)")
    first.says("ready")
    first.run("remember", "decision", "Use Textual")
    assert first.process is not None

    os.kill(first.process.pid, signal.SIGTERM)

    first.says("Wrote the memory")
    first.lost()


def test_a_long_conversation_is_written_out_before_its_end(sandbox: Make) -> None:
    first = sandbox("first")
    first.wrap("talker", every="1")
    first.says("There is no memory")
    first.converses("the first of many words", ends=False)
    first.says("Wrote the memory")
    first.lost()

    second = sandbox("second")
    second.wrap("talker", sys.executable, "-c", "pass")
    second.says("Brought in the memory")
    second.ends()
    assert second.prompts() == ["the first of many words"]


def test_many_writers_at_once_lose_nothing(sandbox: Make) -> None:
    many = [sandbox(f"s{number}") for number in range(4)]
    for number, each in enumerate(many):
        each.run("remember", "decision", f"Choice {number}")
        each.wrap("crowd")
    for each in many:
        each.says("There is no memory")
    speaking = [
        threading.Thread(target=each.converses, args=(f"said at {number}",)) for number, each in enumerate(many)
    ]
    for thread in speaking:
        thread.start()
    for each in many:
        each.says("Wrote the memory")
    for thread in speaking:
        thread.join()

    assert [each.ends() for each in many] == [5] * 4
    last = sandbox("last")
    last.wrap("crowd", sys.executable, "-c", "pass")
    last.says("Brought in the memory")
    assert last.ends() == 0
    assert last.titles() == [f"Choice {number}" for number in range(4)]
    assert last.prompts() == [f"said at {number}" for number in range(4)]


def test_a_store_that_stays_away_is_sent_to_later(sandbox: Make, tmp_path: Path) -> None:
    first = sandbox("first")
    (tmp_path / "store").write_text("a disk that is not mounted")
    first.wrap("later", store=str(tmp_path / "store"))
    first.says("does not serve as a store")
    first.converses("while it was away")
    late = wait_for(
        lambda: (seen := first.run("backup", "status", "--json")).json["waiting"] and seen, "what waits to be sent"
    )
    first.lost()

    (tmp_path / "store").unlink()
    sent = first.run("sandbox", "push", "--store", str(tmp_path / "store"), "--name", "later")

    assert late.status == 1
    [waiting] = late.json["waiting"]
    assert waiting["place"] == f"{tmp_path}/store/later/head.json"
    assert "does not serve as a store" in waiting["reason"]
    assert sent.status == 0, sent.err
    assert first.run("backup", "status", "--json").json["waiting"] == []
    second = sandbox("second")
    assert second.run("sandbox", "pull", "--store", str(tmp_path / "store"), "--name", "later").status == 0
    assert second.prompts() == ["while it was away"]


@pytest.mark.parametrize(
    "head",
    [
        b"no json", b"{}", b"[]", b'{"bundle": "../../etc/passwd", "sha256": ""}',
        b'{"bundle": "other/bundles/x.holdfast.tar.zst", "sha256": ""}',
        b'{"bundle": "bent/bundles/../../other/x.holdfast.tar.zst", "sha256": ""}',
        b'{"bundle": "bent/bundles/gone.holdfast.tar.zst", "sha256": ""}',
    ],
    ids=range(7),
)  # fmt: skip
def test_a_head_that_names_something_else_is_refused(sandbox: Make, tmp_path: Path, head: bytes) -> None:
    first = sandbox("first")
    (tmp_path / "store" / "bent").mkdir(parents=True)
    (tmp_path / "store" / "bent" / "head.json").write_bytes(head)

    done = first.run("sandbox", "pull", "--store", str(tmp_path / "store"), "--name", "bent")

    assert done.status == 4
    assert "names no bundle of its own" in done.err
    assert "Traceback" not in done.err


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


def test_workers_never_see_each_others_results(sandbox: Make, tmp_path: Path) -> None:
    conductor = sandbox("conductor")
    conductor.run("remember", "decision", "Use Textual for the screen")
    texts = {"w1": "The screen flickers below 80 columns", "w2": "The screen needs a font with box drawing"}
    for name, text in texts.items():
        rows = [{"type": "learning", "text": text}]
        (tmp_path / name).write_text(json.dumps({"format": "holdfast-report", "results": rows}))
        assert conductor.run("sandbox", "report", str(tmp_path / name), "--worker", name).status == 0

    for name in texts:
        conductor.run("sandbox", "pack", "--goal", "the textual screen and its columns", str(tmp_path / f"{name}.pack"))

    for name in texts:
        pack = tmp_path / f"{name}.pack"
        assert "Use Textual for the screen" in pack.read_text()
        assert not any(text in pack.read_text() for text in texts.values())
        assert pack.stat().st_mode & 0o222 == 0
    waiting = conductor.run("list", "--candidates", "--json").json["candidates"]
    assert sorted(each["title"] for each in waiting) == sorted(texts.values())


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
    assert conductor.run("list", "--candidates", "--json").json["candidates"][0]["id"] == candidate


def test_workers_get_nothing_that_waits_for_review(sandbox: Make, tmp_path: Path) -> None:
    conductor, goal = sandbox("conductor"), "how do uploads reach the queue"
    conductor.run("remember", "decision", "Uploads reach the queue in parts")
    head = "id: CAND-USER01\ntype: decision\nstatus: candidate\ntitle: Uploads skip the queue\nsaid_by: user\n"
    write_candidate(conductor.folder, "CAND-USER01", f"---\n{head}---\n", conductor.home)

    told = conductor.run("pack", goal).out
    conductor.run("sandbox", "pack", "--goal", goal, str(tmp_path / "pack.json"))

    assert "Uploads skip the queue (unconfirmed)" in told
    pack = (tmp_path / "pack.json").read_text()
    assert "in parts" in pack
    assert "skip" not in pack


def test_a_report_of_which_nothing_is_taken_is_told(sandbox: Make, tmp_path: Path) -> None:
    conductor = sandbox("conductor")
    (tmp_path / "report.json").write_text(
        json.dumps({"format": "holdfast-report", "results": [{"type": "nonsense", "text": "x"}]})
    )

    done = conductor.run("sandbox", "report", str(tmp_path / "report.json"))

    assert done.status == 1
    assert "not taken" in done.out


@pytest.mark.parametrize("name", ["../evil", "a/b", "two words", ".", "x" * 61])
def test_a_name_that_would_be_another_is_refused(sandbox: Make, tmp_path: Path, name: str) -> None:
    done = sandbox("one").run("sandbox", "push", "--store", str(tmp_path / "store"), "--name", name)

    assert done.status == 2
    assert "no name for a conductor" in done.err
    assert not (tmp_path / "store").exists()


def test_a_command_that_cannot_start_is_told_as_shells_do(sandbox: Make, tmp_path: Path) -> None:
    one, store = sandbox("one"), str(tmp_path / "store")
    (tmp_path / "plain").write_text("no program")
    wrap = ("sandbox", "wrap", "--store", store, "--name", "one", "--")

    assert one.run(*wrap, "no-such-command").status == 127
    assert one.run(*wrap, str(tmp_path / "plain")).status == 126


def test_a_workers_bundle_becomes_candidates_though_our_key_sealed_it(sandbox: Make, tmp_path: Path) -> None:
    worker, conductor = sandbox("worker"), sandbox("conductor")
    worker.run("remember", "learning", "The tests need a database")
    worker.run("export", str(tmp_path / "w.tar.zst"))

    conductor.run("sandbox", "report", str(tmp_path / "w.tar.zst"))

    assert conductor.titles() == []
    [candidate] = conductor.run("list", "--candidates", "--json").json["candidates"]
    assert (candidate["title"], candidate["said_by"]) == ("The tests need a database", "tool")
