"""What runs the others: an environment made once in the user's cache, then a process per store, answering line by line.

A process is told the passages first (one line of JSON), then each question, and answers with places, best first.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from bench.recall.data import Passage
from holdfast.core.embedder import Embedder
from holdfast.core.value import Value

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST_INSTALL = 1800
LONGEST_TOLD = 400


class CannotRun(Exception):
    """Why there are no figures of a peer."""


class Peer(Value):
    """How a peer is installed and started; `oldest` is the Python it asks for."""

    name: str
    script: str
    packages: tuple[str, ...]
    oldest: tuple[int, int] = (3, 11)
    arguments: tuple[str, ...] = ()
    vectors: bool = False


# 0.24.1 asks for a certifi that is newer than some mirrors have; 0.23.2 is the newest that does not.
_BASIC = ("basic-memory==0.23.2", "pysqlite3-binary==0.5.4.post2")
PEERS = (
    Peer(name="basic-memory, text", script="basic.py", packages=_BASIC, oldest=(3, 12), arguments=("text",)),
    Peer(name="basic-memory, hybrid", script="basic.py", packages=_BASIC, oldest=(3, 12), arguments=("hybrid",)),
    Peer(name="chromadb", script="chroma.py", packages=("chromadb==1.5.9",), vectors=True),
)


class Outside:
    """A peer with one store in it."""

    def __init__(
        self, peer: Peer, python: str, passages: Sequence[Passage], encoder: Embedder | None, model: str
    ) -> None:
        self._encoder = encoder if peer.vectors else None
        command = [python, os.path.join(HERE, peer.script), *peer.arguments]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "PEER_MODEL": model, "PYTHONPATH": ""},
        )
        told: dict[str, object] = {"passages": [[each.head, each.text] for each in passages]}
        if self._encoder is not None:
            told["vectors"] = self._encoder.embed([each.whole for each in passages]).round(6).tolist()
        self._tell(told)
        self._hear(peer.name)

    def rank(self, query: str, k: int, now: str = "", path: str = "") -> Sequence[int]:  # noqa: ARG002  # words only
        """As many places as the peer gives."""
        asked: dict[str, object] = {"query": query, "k": k}
        if self._encoder is not None:
            asked["vector"] = self._encoder.embed([query], query=True)[0].round(6).tolist()
        self._tell(asked)
        return [int(place) for place in self._hear("the peer")][:k]

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _tell(self, said: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(said) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise CannotRun("its process ended") from error

    def _hear(self, name: str) -> list[int]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer = json.loads(line) if line.strip() else {"error": "its process ended without a word"}
        if isinstance(answer, dict):
            self.close()
            raise CannotRun(f"{name}: {answer['error']}")
        found: list[int] = answer
        return found


def python_of(peer: Peer) -> str:
    """The Python of the peer's environment, made and filled the first time. Raises CannotRun."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(cache, "holdfast-bench", peer.packages[0].replace("==", "-"))
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "done")):
        return python
    _run([_interpreter(peer.oldest), "-m", "venv", "--clear", folder])
    _run([python, "-m", "pip", "install", "--quiet", *peer.packages])
    with open(os.path.join(folder, "done"), "w", encoding="utf-8"):
        return python


def _interpreter(oldest: tuple[int, int]) -> str:
    """A Python new enough: this one, one on the path, or one of pyenv's."""
    if sys.version_info[:2] >= oldest:
        return sys.executable
    pyenv = os.path.join(os.environ.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv"), "versions")
    versions = sorted(os.listdir(pyenv)) if os.path.isdir(pyenv) else []
    for minor in range(oldest[1], oldest[1] + 4):
        of_pyenv = [os.path.join(pyenv, each, "bin", "python") for each in versions if each.startswith(f"3.{minor}.")]
        for found in (*of_pyenv, shutil.which(f"python3.{minor}")):
            if found and os.path.exists(found):
                return found
    raise CannotRun(f"it needs Python {oldest[0]}.{oldest[1]} or newer, and there is none")


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_INSTALL)
    if done.returncode:
        raise CannotRun(f"{' '.join(command[1:5])} … failed: {done.stderr.strip()[-LONGEST_TOLD:]}")
