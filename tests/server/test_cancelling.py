"""A run ended from another process: a terminal's by the server, a server's by a terminal. Real processes all."""

import json
import os
import signal
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests import warm
from tests.journeys.moulds import environment
from tests.journeys.terminal import Terminal
from tests.journeys.test_run import FIX, FUNCTIONS, Agent, once, plan_of
from tests.minds import Heard, Say, minding
from tests.server.conftest import PATIENCE, Served, holdfast, serving
from tests.server.test_streams import opened
from tests.waiting import wait_for

from holdfast.act.run_files import CANCEL, AgentRun, Runs

GOAL = "fix add in app.py"
LONG = "sleep 98765.25"


class Slow(Agent):
    """A mind that thinks for as long as nobody lets it go on."""

    def __init__(self, *, plan: bool = False) -> None:
        self.go_on, self.thinks = threading.Event(), threading.Event()

        def planned(_: Heard) -> Say:
            if plan:
                self.wait()
            return Say(text=plan_of("Fix add in app.py"))

        def work(heard: Heard) -> Say:
            self.wait()
            return once(FIX)(heard)

        super().__init__(planned, work)

    def wait(self) -> None:
        self.thinks.set()
        self.go_on.wait(PATIENCE)


class Ground:
    """A workspace, its server, and a model for whoever runs there."""

    def __init__(self, server: Served, wid: str, env: dict[str, str]) -> None:
        self.server, self.env = server, env
        self.base = f"/api/workspace/{wid}"
        self.runs = Runs(str(server.folder / ".holdfast"))

    def terminal(self, *words: str) -> Terminal:
        return Terminal(self.server.folder, "run", *words, "--set", "run.gates=none", env=self.env)

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return warm.told(words, self.server.folder, self.env)

    def going(self) -> AgentRun:
        found = wait_for(lambda: next(iter(self.runs.going()), None), "a run")
        assert found is not None
        return found


@pytest.fixture
def grounded(ground: tuple[Path, Path, str], wid: str) -> Callable[[Agent], Any]:
    home, folder, _ = ground
    (folder / "app.py").write_text(FUNCTIONS)

    @contextmanager
    def begin(mind: Agent) -> Iterator[Ground]:
        with minding(mind) as model:
            env = {**environment(home), **model.environment("anthropic"), "HOLDFAST_RUN_GATES": "none"}
            with serving(home, folder, **model.environment("anthropic"), HOLDFAST_RUN_GATES="none") as server:
                yield Ground(server, wid, env)

    return begin


def kept(run: AgentRun) -> dict[str, Any]:
    return run.state() | {"last": run.events()[-1].type}


def test_a_terminal_that_waits_for_its_person_is_cancelled_over_the_server(grounded: Any) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Fix add in app.py")), once(FIX))
    with grounded(mind) as at:
        terminal = at.terminal(GOAL)
        terminal.see("Do it?")
        run = at.going()
        with opened(at.server, f"{at.base}/events") as stream:
            stream.of("snapshot")
            answer = at.server.ask("DELETE", f"{at.base}/run/{run.name}")
            ended = stream.of("run_complete")
        terminal.see("Cancelled over the server by the token 'owner'. Go on with it: holdfast run --resume")
        status = terminal.end()
        detail = at.server.get(f"{at.base}/runs/{run.name}").json()

    assert (answer.status_code, status) == (204, 1)
    assert ended["data"]["status"] == "cancelled"
    assert (kept(run)["status"], kept(run)["last"]) == ("cancelled", "cancelled")
    assert (detail["why"], detail["canResume"]) == ("cancelled over the server by the token 'owner'", True)
    assert "a - b" in (at.server.folder / "app.py").read_text()
    assert not os.path.lexists(os.path.join(run.folder, CANCEL))


@pytest.mark.parametrize("plan", [True, False], ids=["while it plans", "while it works"])
def test_a_terminal_that_waits_for_its_model_is_cancelled_from_another_one(grounded: Any, *, plan: bool) -> None:
    mind = Slow(plan=plan)
    with grounded(mind) as at:
        terminal = at.terminal(GOAL, "--yes")
        assert mind.thinks.wait(PATIENCE)
        run = at.going()
        done = at.command("runs", "cancel", "--json")
        terminal.see("Cancelled from another terminal.")
        status = terminal.end()
        again = at.command("runs", "cancel", run.name)
        mind.go_on.set()
        resumed = at.command("run", "--resume", run.name, "--yes", "--json")

    assert (done.returncode, status) == (0, 1), done.stderr
    assert json.loads(done.stdout) == {"run": run.name, "status": "cancelled", "cancelled": True}
    assert again.returncode == 0
    assert f"{run.name} had ended before: cancelled." in again.stdout
    assert resumed.returncode == 0, resumed.stderr
    assert "a + b" in (at.server.folder / "app.py").read_text()


def test_a_command_under_way_ends_with_its_run(grounded: Any) -> None:
    mind = Agent(lambda _: Say(text=plan_of("Wait")), once(("run", {"command": LONG, "timeout": 600})))
    with grounded(mind) as at:
        terminal = at.terminal(GOAL, "--yes")
        wait_for(lambda: processes(LONG), "the command")
        answer = at.server.ask("DELETE", f"{at.base}/run/{at.going().name}")
        status = terminal.end()

        assert (answer.status_code, status) == (204, 1)
        wait_for(lambda: not processes(LONG), "the end of the command")


def test_a_run_of_the_server_is_cancelled_in_a_terminal(grounded: Any) -> None:
    mind = Slow()
    with grounded(mind) as at, opened(at.server, f"{at.base}/events") as stream:
        stream.of("snapshot")
        name = at.server.post(f"{at.base}/run", json={"goal": GOAL, "trust": "workspace"}).json()["runId"]
        assert mind.thinks.wait(PATIENCE)
        done = at.command("runs", "cancel")
        told = stream.of("cancelled")
        ended = stream.of("run_complete")
        mind.go_on.set()
        second = at.server.post(f"{at.base}/run", json={"goal": GOAL, "trust": "workspace", "resume": name})
        over = stream.of("run_complete")

    assert done.returncode == 0, done.stderr
    assert f"Cancelled: {name}." in done.stdout
    assert told["data"] == {
        "message": "cancelled from another terminal", "way": "terminal", "by": "", "runId": name
    }  # fmt: skip
    assert ended["data"]["status"] == "cancelled"
    assert second.status_code == 202
    assert over["data"]["status"] == "complete"


def test_a_run_that_was_killed_has_ended_and_its_request_is_not_for_who_goes_on(grounded: Any) -> None:
    mind = Slow()
    with grounded(mind) as at:
        terminal = at.terminal(GOAL, "--yes")
        assert mind.thinks.wait(PATIENCE)
        run = at.going()
        terminal.process.send_signal(signal.SIGSTOP)
        run.ask_to_cancel("terminal")
        mode = stat.S_IMODE(os.stat(os.path.join(run.folder, CANCEL)).st_mode)
        terminal.process.kill()
        terminal.end()
        done = at.command("runs", "cancel", "last")
        mind.go_on.set()
        resumed = at.command("run", "--resume", "last", "--yes", "--json")

    assert mode == 0o600
    assert f"{run.name} had ended before: interrupted." in done.stdout
    assert resumed.returncode == 0, resumed.stderr


def test_an_agent_may_not_cancel(grounded: Any) -> None:
    with grounded(Slow()) as at:
        refused = holdfast(at.server.home, at.server.folder, "runs", "cancel", CLAUDECODE="1")

    assert refused.returncode == 2
    assert "is for a person" in refused.stderr


def processes(command: str) -> list[str]:
    """Those that have these words on their command line."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if command in words and "holdfast.cli.main" not in words:
            found.append(name)
    return found
