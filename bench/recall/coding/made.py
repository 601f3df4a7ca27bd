"""The notes of bench/recall/coding/notes → memories.jsonl and questions.jsonl, the same bytes in every run.

python -m bench.recall.coding.made           write both files anew
python -m bench.recall.coding.made --check   say whether they are behind the notes; exit 1 if so
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from holdfast.core.memory import PREFIXES, MemoryType
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value

HERE = os.path.dirname(os.path.abspath(__file__))
NOTES = os.path.join(HERE, "notes")
# Weights may be fitted on the first half; figures are told of the second.
HALVES: Mapping[str, Sequence[str]] = {
    "tune": ("shop", "cli", "pipeline", "compiler"),
    "test": ("mobile", "game", "infra", "frontend"),
}
STARTS = {
    "shop": date(2024, 2, 5),
    "cli": date(2023, 9, 18),
    "pipeline": date(2023, 3, 1),
    "compiler": date(2022, 10, 10),
    "mobile": date(2023, 5, 22),
    "game": date(2024, 1, 8),
    "infra": date(2022, 6, 13),
    "frontend": date(2023, 1, 16),
}
KINDS = ("decision", "dead-end", "supersession", "scope", "multi-hop", "keyword", "abstention")
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_LETTERS = 6
MARKS = {"#": "title", "?": "question", "=": "choice", "!": "error_message", "~": "root_cause"}
NOBODY = "-"

Row = dict[str, Any]


class BadNotes(Exception):
    """A notes file that cannot be read: which, where, and why."""

    def __init__(self, project: str, key: str, reason: str) -> None:
        super().__init__(f"{project}, {key!r}: {reason}")


class Made(Value):
    """The whole set."""

    memories: Sequence[Row]
    questions: Sequence[Row]


def made(folder: str = NOTES) -> Made:
    """Read all notes. Raises BadNotes."""
    memories: list[Row] = []
    questions: list[Row] = []
    for half, projects in HALVES.items():
        for project in projects:
            notes = list(_notes(folder, project, half))
            memories += notes
            questions += _questions(folder, project, half, {note["key"]: note for note in notes})
    _unique([row["id"] for row in memories])
    _unique([(row["project"], row.get("path"), row["text"]) for row in questions])
    for number, row in enumerate(questions, 1):
        row["id"] = f"Q{number:03}"
    return Made(memories=memories, questions=[{"id": row.pop("id"), **row} for row in questions])


def lines(rows: Sequence[Row]) -> str:
    """As JSONL."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def files() -> Iterator[tuple[str, str]]:
    """Each file's path and what it should hold."""
    found = made()
    yield os.path.join(HERE, "memories.jsonl"), lines(found.memories)
    yield os.path.join(HERE, "questions.jsonl"), lines(found.questions)


def _notes(folder: str, project: str, half: str) -> Iterator[Row]:
    rows = [_note(project, half, block) for block in _blocks(os.path.join(folder, f"{project}.txt"))]
    ids = {row["key"]: row["id"] for row in rows}
    _unique([row["key"] for row in rows])
    replaced = {row["supersedes"] for row in rows}
    for row in rows:
        old = row["supersedes"]
        if old and old not in ids:
            raise BadNotes(project, row["key"], f"supersedes {old!r}, which is nowhere")
        row["status"] = "superseded" if row["key"] in replaced else "accepted"
        row["supersedes"] = [ids[old]] if old else []
        yield row


def _note(project: str, half: str, block: Sequence[str]) -> Row:
    key, kind, day, *more = block[0][1:].split()
    given = dict(each.split("=", 1) for each in more)
    parts: dict[str, list[str]] = {}
    rejected: list[Row] = []
    into = "body"
    for line in block[1:]:
        mark, _, rest = line.partition(" ")
        if mark == "-":
            option, _, reason = rest.partition(": ")
            rejected.append({"option": option, "reason": reason})
            into = "rejected"
        elif mark in MARKS:
            into = MARKS[mark]
            parts.setdefault(into, []).append(rest)
        elif line.startswith("  ") and into == "rejected":
            rejected[-1]["reason"] += " " + line.strip()
        elif line.startswith("  "):
            parts[into].append(line.strip())
        else:
            into = "body"
            parts.setdefault(into, []).append(line)
    if "title" not in parts:
        raise BadNotes(project, key, "has no title")
    texts = {name: " ".join(words) for name, words in parts.items()}
    return {
        "id": _id(MemoryType(kind), f"{project}/{key}"),
        "key": key,
        "project": project,
        "half": half,
        "type": kind,
        **{name: texts.get(name, "") for name in (*MARKS.values(), "body")},
        "rejected": rejected,
        "paths": [path for path in given.pop("paths", "").split(",") if path],
        "author": given.pop("by", ""),
        "updated": (STARTS[project] + timedelta(days=int(day))).isoformat(),
        "supersedes": given.pop("after", ""),
        **_nothing_left(project, key, given),
    }


def _questions(folder: str, project: str, half: str, notes: Mapping[str, Row]) -> Iterator[Row]:
    for line in _lines(os.path.join(folder, f"{project}.questions.txt")):
        kind, gold, text, *more = line.split(" | ")
        given = dict(each.split("=", 1) for each in more)
        keys = [] if gold == NOBODY else gold.split(",")
        wrong = [key for key in given.pop("not", "").split(",") if key]
        unknown = [key for key in (*keys, *wrong) if key not in notes]
        if kind not in KINDS or unknown or bool(keys) is (kind == "abstention"):
            raise BadNotes(project, text, f"kind {kind!r}, gold {gold!r}, unknown {unknown}")
        path = given.pop("path", "")
        if not all(applies_to(notes[key]["paths"], path) for key in keys if path):
            raise BadNotes(project, text, f"its gold does not apply to {path}")
        yield {
            "project": project,
            "half": half,
            "kind": kind,
            "text": text,
            "path": path,
            "gold": [notes[key]["id"] for key in keys],
            "wrong": [notes[key]["id"] for key in wrong],
            **_nothing_left(project, text, given),
        }


def _blocks(path: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in _lines(path):
        if line.startswith("@") and block:
            yield block
            block = []
        if not line.startswith("%"):
            block.append(line)
    yield block


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file if line.strip())


def _id(kind: MemoryType, name: str) -> str:
    number = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
    return f"{PREFIXES[kind]}-" + "".join(ALPHABET[number >> 5 * at & 31] for at in range(ID_LETTERS))


def _nothing_left(project: str, key: str, given: Mapping[str, str]) -> Row:
    if given:
        raise BadNotes(project, key, f"has unknown fields: {', '.join(given)}")
    return {}


def _unique(names: Sequence[object]) -> None:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadNotes("all", str(twice), "stands twice")


def main() -> int:
    """Write both files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    behind = False
    for path, wanted in files():
        if not check:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(wanted)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != wanted:
                behind = True
                print(f"{os.path.basename(path)} is behind the notes: python -m bench.recall.coding.made")
    return int(behind)


if __name__ == "__main__":
    sys.exit(main())
