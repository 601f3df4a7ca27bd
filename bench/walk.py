"""How far a reader walks through the code to follow one step: modules entered, and changes of package on the way.

./do walk            `holdfast accept` of a candidate, and a prompt that the hook answers with a memory
./do walk --json     the same as JSON

Each runs in a process of its own, in a workspace that is gone afterwards, by the installed command and the installed
hook. A module is entered when a function of it first runs; a switch is a change of package (`holdfast.<package>`) from
one entered module to the next.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import holdfast
from bench.table import Row, table

PACKAGE = Path(holdfast.__file__).parent
TRACE = Path(__file__).with_name("walk_trace.py")
COMMAND = Path(sys.executable).with_name("holdfast")
SESSION: Mapping[str, Any] = {"transcript_path": os.devnull, "permission_mode": "default"}
SAID = "We decided to use SQLite for storage, not Postgres, because it needs no server."
ASKED = "which database do we use for storage, sqlite?"
PATIENCE = 300
# Younger files are read again, since their stamps could hide an edit: the walk would differ from run to run.
SETTLED = 2.2


class Walk(NamedTuple):
    """The modules that one step enters, in that order."""

    name: str
    modules: tuple[str, ...]

    @property
    def runs(self) -> list[tuple[str, tuple[str, ...]]]:
        """Modules of one package that follow each other."""
        return [(package, tuple(found)) for package, found in groupby(self.modules, key=package_of)]

    @property
    def switches(self) -> int:
        return max(len(self.runs) - 1, 0)

    @property
    def packages(self) -> int:
        return len({package for package, _ in self.runs})


def package_of(module: str) -> str:
    """`holdfast.<package>`; the root for what lies in no package."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the walks."""
    parser = argparse.ArgumentParser(
        prog="./do walk", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="holdfast-walk-") as folder:
        walks = Workspace(Path(folder)).walks()
    print(json.dumps({walk.name: form(walk) for walk in walks}, indent=2) if args.json else text(walks))


def form(walk: Walk) -> dict[str, Any]:
    """A walk as JSON."""
    runs = [{"package": package, "modules": list(modules)} for package, modules in walk.runs]
    return {"modules": len(walk.modules), "packages": walk.packages, "switches": walk.switches, "runs": runs}


def text(walks: Sequence[Walk]) -> str:
    """Every run on a line, and a table at the end."""
    lines: list[str] = []
    for walk in walks:
        lines += [f"## {walk.name}", ""]
        lines += [f"{at:>3}  {package}: {_shown(package, found)}" for at, (package, found) in enumerate(walk.runs, 1)]
        lines.append("")
    rows: list[Row] = [(w.name, str(len(w.modules)), str(w.packages), str(w.switches)) for w in walks]
    return "\n".join(lines) + "\n" + table("Walks", ("step", "modules", "packages", "switches"), rows)


def _shown(package: str, modules: Sequence[str]) -> str:
    return ", ".join(module.partition(f".{package}.")[2] or module for module in modules)


class Workspace:
    """A workspace with one candidate, which came of a conversation."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._project, self._home = folder, folder / "project", folder / "home"
        self._project.mkdir()
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "TMPDIR"}}
        self._env = {**kept, "HOME": str(folder), "HOLDFAST_HOME": str(self._home), "HOLDFAST_DISTIL_AUTO": "false"}
        # What a set gives first would otherwise differ from run to run.
        self._env["PYTHONHASHSEED"] = "0"
        # The person's key: without a terminal nothing else proves a person.
        self._person = {**self._env, "HOLDFAST_KEY": "hfpk_" + secrets.token_urlsafe(24)}

    def walks(self) -> list[Walk]:
        """Accept the candidate, then ask about it in a new session."""
        self._command("init", "--yes", "--client", "none")
        self._told("SessionStart", source="startup")
        self._told("UserPromptSubmit", prompt=SAID)
        self._told("Stop", stop_hook_active=False, last_assistant_message="Done: storage is SQLite now.")
        self._told("SessionEnd", reason="exit")
        self._command("distil")
        [waiting] = json.loads(self._command("list", "--candidates", "--json"))["candidates"]
        accepting = self._walked("accept", [str(COMMAND), "accept", waiting["id"]], self._person)
        return [accepting, self._prompted()]

    def _prompted(self) -> Walk:
        name = "prompt"
        env = {**self._env, "CLAUDECODE": "1"}
        payload = self._payload("UserPromptSubmit", session="second", prompt=ASKED)
        return self._walked(name, [str(self._hook)], env, flags=("-S",), stdin=payload, expect="SQLite")

    def _walked(
        self, name: str, command: Sequence[str], env: Mapping[str, str], *, flags: Sequence[str] = (),
        stdin: str = "", expect: str = "Accepted",
    ) -> Walk:  # fmt: skip
        time.sleep(SETTLED)
        out = self._folder / f"{name}.txt"
        said = self._run([sys.executable, *flags, str(TRACE), str(PACKAGE), str(out), *command], env, stdin)
        if expect not in said:
            raise SystemExit(f"error: {name} did not do what is walked here; it printed: {said!r}")
        return Walk(name=name, modules=tuple(out.read_text(encoding="utf-8").split()))

    @property
    def _hook(self) -> Path:
        return self._home / "bin" / "hook"

    def _told(self, event: str, **more: Any) -> None:
        self._run([str(self._hook)], {**self._env, "CLAUDECODE": "1"}, self._payload(event, session="first", **more))

    def _payload(self, event: str, *, session: str, **more: Any) -> str:
        return json.dumps(
            {**SESSION, "session_id": session, "cwd": str(self._project), "hook_event_name": event, **more}
        )

    def _command(self, *words: str) -> str:
        return self._run([str(COMMAND), *words], self._person)

    def _run(self, command: Sequence[str], env: Mapping[str, str], stdin: str = "") -> str:
        done = subprocess.run(
            command, cwd=self._project, env=env, input=stdin, capture_output=True, text=True, timeout=PATIENCE
        )
        if done.returncode:
            raise SystemExit(f"error: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
        return done.stdout


if __name__ == "__main__":
    main()
