"""A user's machine: a home, a project under git, Holdfast, and a client that is run against the stub."""

import html
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests import warm
from tests.conftest import KEY
from tests.journeys.clients.stub.model import Model, texts_in
from tests.waiting import LONG

from holdfast.core.value import Value

DECISION = "Let's go with Postgres instead of Redis."
PROMPT = f"{DECISION} Then run a command that says hello."
REJECTED = "Redis: too much to run"
# What a whole session with one tool call is, in our names. Clients send more; these come in this order.
SESSION = ("session_start", "prompt", "before_tool", "after_tool", "answer", "session_end")
LONGEST_SESSION = 90


class Ran(Value):
    """What a program left: its status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Machine:
    """One user's machine below a folder. Nothing of the real user's is seen by what runs on it."""

    def __init__(self, root: Path, model: Model) -> None:
        self.root = root
        self.model = model
        self.user = _made(root / "user")
        self.folder = self.project("project")
        self.running: list[subprocess.Popen[bytes]] = []
        self.env = {
            "PATH": os.pathsep.join(dict.fromkeys([*_folders("node", "git"), "/usr/bin", "/bin"])),
            "HOME": str(self.user),
            "TMPDIR": str(_made(root / "tmp")),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            # Nothing goes on behind a test that did not ask for it.
            "HOLDFAST_DISTIL_AUTO": "false",
            "HOLDFAST_PACKS_ASK_AGAIN": "false",
            # Whatever is not on loopback ends at the stub.
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), model.url),
            **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        }

    def project(self, name: str) -> Path:
        """A fresh project with one commit."""
        folder = _made(self.root / name)
        (folder / "README.md").write_text("# A project\n")
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "init.defaultBranch=main")
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
            subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True, timeout=LONG)
        return folder

    def holdfast(self, *words: str) -> Ran:
        """The command, as a person runs it in the project."""
        done = warm.run(words, self.folder, {**self.env, "HOLDFAST_KEY": KEY})
        return Ran(status=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def set_up(self, *clients: str) -> None:
        """A workspace, with our hook in some clients."""
        done = self.holdfast("init", "--yes", *(word for client in clients for word in ("--client", client)))
        assert done.status == 0, done.err

    def state(self, client: str) -> dict[str, Any]:
        """What `holdfast status` says of a client."""
        [found] = [each for each in self.holdfast("status", "--json").json["clients"] if each["id"] == client]
        return dict(found)

    def run(self, *command: str | Path, at: Path | None = None) -> Ran:
        """A client's program, to its end or to the end of our patience; nothing that it started stays."""
        prints = Path(tempfile.mkdtemp(dir=self.root))
        out, err = prints / "out", prints / "err"
        with out.open("wb") as printed, err.open("wb") as complained:
            process = subprocess.Popen(
                command,
                cwd=at or self.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=complained,
                start_new_session=True,
            )
            self.running.append(process)
            try:
                status = process.wait(LONGEST_SESSION)
            except subprocess.TimeoutExpired:
                status = -1
            finally:
                self.running.remove(process)
                _end_group(process)
        return Ran(status=status, out=out.read_text(errors="replace"), err=err.read_text(errors="replace"))

    def kill(self) -> None:
        """End the clients that run, as a power cut would."""
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)

    def events(self) -> list[dict[str, Any]]:
        """What clients sent, in the order of the journal."""
        records = []
        for segment in sorted((self.folder / ".holdfast/journal").glob("*.jsonl")):
            records += [json.loads(line.split(" ", 3)[3]) for line in segment.read_text().splitlines()]
        return [each for each in records if each["kind"] == "event" and each["client"] != "holdfast"]

    def buffer(self) -> str:
        return (self.folder / ".holdfast/context/working-buffer.md").read_text()

    def fences(self) -> str:
        """All that the model was told between our fences, in all requests so far."""
        text = "\n".join(html.unescape(text) for text in self.model.texts())
        return "\n".join(re.findall(r"<holdfast\b.*?</holdfast>", text, re.DOTALL))


Session = Callable[..., Ran]


def names(events: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The events of a session that every client has, in their order."""
    return tuple(event["name"] for event in events if event["name"] in SESSION)


def check_captured(machine: Machine, client: str, done: Ran, expected: Sequence[str] = SESSION) -> None:
    """One session is in the journal, whole and in order, and its decision in the buffer."""
    events = machine.events()
    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert {event["client"] for event in events} == {client}
    assert len({event["session"] for event in events}) == 1
    assert names(events) == tuple(expected)
    said = {event["name"]: event["data"] for event in events}
    assert said["prompt"]["prompt"] == PROMPT
    assert "echo hello-from-tool" in json.dumps(said["before_tool"]["input"])
    assert "hello-from-tool" in json.dumps(said["after_tool"]["output"])
    assert said["answer"]["answer"].strip() == "Done, the tool said hello."
    verified = machine.holdfast("doctor", "--verify")
    assert verified.status == 0, verified.out + verified.err
    assert "Postgres instead of Redis" in machine.buffer()
    state = machine.state(client)
    assert state["installed"]
    assert state["complete"]
    assert state["last_event"]
    assert not state["silent"]


def check_told(machine: Machine, session: Session) -> None:
    """What a person accepted, and what was said in another session, reaches the model of the next one."""
    first = session(PROMPT)
    assert first.status == 0, (first.out[-2000:], first.err[-2000:])
    assert "Redis" not in machine.fences()
    kept = machine.holdfast("remember", "decision", "Postgres for storage", "--rejected", REJECTED)
    assert kept.status == 0, kept.err
    machine.model.asked.clear()

    asks = "Which storage do we have?"
    second = session(asks)

    assert second.status == 0, (second.out[-2000:], second.err[-2000:])
    told = machine.fences()
    assert "rejected: Redis (too much to run)" in told
    [line, *_] = [line for line in told.splitlines() if "Postgres instead of Redis" in line]
    assert "unconfirmed" in line
    events = machine.events()
    assert len({event["session"] for event in events}) == 2
    # What we told is not what the user said.
    assert [event["data"]["prompt"] for event in events if event["name"] == "prompt"] == [PROMPT, asks]
    assert "<holdfast" not in html.unescape(json.dumps(events))
    _check_accepted(machine, session)
    assert machine.holdfast("doctor", "--verify").status == 0


def _check_accepted(machine: Machine, session: Session) -> None:
    """What was said binds once the user accepts it: its other option is a constraint, and nothing is unconfirmed."""
    kept = machine.holdfast("session", "buffer", "accept", "Postgres instead of Redis", "--json")
    assert kept.status == 0, kept.err
    machine.model.asked.clear()

    assert session("Which cache do we have?").status == 0

    told = machine.fences()
    assert f"instead of Redis [{kept.json['id']}]" in told
    assert "unconfirmed)" not in told


def check_resumed(machine: Machine, session: Session, *words: str) -> None:
    """A session that is taken up again stays one session, and is told what was said in it."""
    assert session(PROMPT).status == 0
    before = machine.events()
    machine.model.asked.clear()

    done = session("And what comes next?", *words)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    after = machine.events()[len(before) :]
    assert {event["session"] for event in after} == {before[0]["session"]}
    assert names(after)[:2] == ("session_start", "prompt")
    assert after[0]["data"]["source"] == "resume"
    told = machine.fences()
    assert "WORKING BUFFER of this session" in told
    assert "Postgres instead of Redis" in told
    assert machine.holdfast("doctor", "--verify").status == 0


def check_killed(machine: Machine, session: Session) -> None:
    """A client that dies in the middle: what it did until then is kept, and the next session is told."""

    def cut_off(body: dict[str, Any]) -> None:
        if any("hello-from-tool" in text for text in texts_in(body)):
            machine.kill()

    machine.model.before_answering = cut_off
    died = session(PROMPT)
    machine.model.before_answering = lambda _: None
    events = machine.events()
    machine.model.asked.clear()

    done = session("Where were we?")

    assert died.status == -signal.SIGKILL
    assert names(events) == SESSION[:4]
    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert "Postgres instead of Redis" in machine.fences()
    assert names(machine.events()[len(events) :])[:2] == SESSION[:2]
    assert machine.holdfast("doctor", "--verify").status == 0


def check_gone(machine: Machine, session: Session) -> None:
    """After uninstalling, the client works as if we had never been there."""
    assert session(PROMPT).status == 0
    before = machine.events()
    gone = machine.holdfast("uninstall", "--yes")
    machine.model.asked.clear()

    done = session("And what comes next?")

    assert before
    assert gone.status == 0, gone.err
    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert "holdfast" not in done.out + done.err
    assert machine.events() == before
    assert machine.model.asked
    assert machine.fences() == ""


def check_left_alone(machine: Machine, session: Session) -> None:
    """A project that was never initialised gets no file and no event, though the client runs our hook."""
    other = machine.project("other")
    before = _files(other)

    done = session(PROMPT, at=other)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert "hello-from-tool" in "\n".join(machine.model.texts())
    assert _files(other) == before
    assert machine.events() == []
    assert machine.fences() == ""


def _folders(*programs: str) -> list[str]:
    return [os.path.dirname(found) for program in programs if (found := shutil.which(program))]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
