"""The cases: a repository, a goal, what memory holds, the dead end and the good way."""

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from holdfast.core.home import FOLDER
from holdfast.core.memory import FOLDERS, Memory, MemoryType, RejectedOption
from holdfast.core.run import Gate
from holdfast.core.value import Value
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import allow
from holdfast.vault.render_memory import render

HERE = os.path.dirname(__file__)
CODING = os.path.join(HERE, "..", "recall", "coding", "memories.jsonl")
SAID, OTHER_WORDS, NOTHING = "said", "other words", "nothing"
NOISE = 45
GATE = "tools/gate.py"
# Stands for the project's own tests: the goal's file must be there, and the dead end must not.
GATE_TEXT = '''\
"""Whether the project is whole."""

import pathlib
import sys

GOOD, BEFORE, DEAD, MARK, ERROR = {values}


def read(path):
    file = pathlib.Path(path)
    return file.read_text() if path and file.is_file() else ""


if MARK and MARK in read(DEAD):
    sys.exit(ERROR)
if read(GOOD) == BEFORE:
    sys.exit(f"AssertionError: {{GOOD}} does not do it yet")
'''


class Way(Value):
    """How to reach a goal: in words, and the file it writes. `mark`: what a gate meets in it."""

    approach: str
    path: str
    text: str
    mark: str = ""


class Case(Value):
    """A repository and a goal."""

    name: str
    kind: str
    goal: str
    files: Mapping[str, str]
    memories: tuple[Memory, ...]
    noise: tuple[Memory, ...]
    good: Way
    dead: Way | None = None
    told: tuple[str, ...] = ()
    error: str = ""

    def knows(self, prompt: str) -> bool:
        """Whether who reads a prompt is told of the dead end by name."""
        said = " ".join(prompt.split()).casefold()
        return any(words in said for words in self.told)

    @property
    def gate(self) -> Gate:
        """The check of the repository."""
        return Gate(name="gate", command=(sys.executable, GATE))

    def lay_out(self, folder: Path, *, remembers: bool = True) -> None:
        """The repository as a workspace, with its memory, which the user allowed, or with none."""
        for path, text in {**self.files, GATE: self._gate_text()}.items():
            _write(folder / path, text)
        for memory in (*self.memories, *self.noise) if remembers else ():
            _write(folder / FOLDER / "memory" / FOLDERS[memory.type] / f"{memory.id}.md", render(memory))
        app = plan_init(str(folder), named=True)
        init(app)
        allow(app)

    def _gate_text(self) -> str:
        dead = self.dead or Way(approach="", path="", text="")
        before = self.files.get(self.good.path, "")
        return GATE_TEXT.format(values=repr((self.good.path, before, dead.path, dead.mark, self.error)))


@cache
def cases() -> tuple[Case, ...]:
    """All of them."""
    with open(os.path.join(HERE, "cases.toml"), "rb") as file:
        rows = tomllib.load(file)["case"]
    return tuple(_case(number, row) for number, row in enumerate(rows))


def _case(number: int, row: dict[str, Any]) -> Case:
    own = tuple(_memory(f"{number:03}{at:03}", each) for at, each in enumerate(row.pop("memory", ())))
    dead = row.pop("dead", None)
    return Case(
        memories=own, noise=noise(row.pop("noise"))[:NOISE], good=Way(**row.pop("good")),
        dead=Way(**dead) if dead else None, told=tuple(row.pop("told", ())), **row,
    )  # fmt: skip


def _memory(digits: str, row: dict[str, Any]) -> Memory:
    kind = MemoryType(row.pop("type"))
    rejected = tuple(RejectedOption(**each) for each in row.pop("rejected", ()))
    lists: dict[str, Any] = {name: tuple(row.pop(name)) for name in ("tags", "paths") if name in row}
    return Memory(id=f"{PREFIX[kind]}-{digits}", type=kind, rejected=rejected, **lists, **row)


@cache
def noise(project: str = "") -> tuple[Memory, ...]:
    """The notes of a project that has nothing to do with the cases, or of all of them."""
    with open(CODING, encoding="utf-8") as file:
        rows = [row for line in file if (row := json.loads(line))["status"] == "accepted"]
    return tuple(
        Memory(
            id=row["id"], type=MemoryType(row["type"]), title=row["title"], body=row["body"], question=row["question"],
            choice=row["choice"], error_message=row["error_message"], root_cause=row["root_cause"],
            rejected=tuple(RejectedOption(**each) for each in row["rejected"]), paths=tuple(row["paths"]),
        )
        for row in rows
        if project in ("", row["project"])
    )  # fmt: skip


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


PREFIX = {MemoryType.DECISION: "DEC", MemoryType.FAILURE: "FAIL", MemoryType.INVARIANT: "INV"}
