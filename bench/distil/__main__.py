"""Precision, recall and speed of distilling: python -m bench.distil [--faults] [--set tune|held] [--real | --recorded].

`tune` is what the rules were made on; `held` was written before them and is not tuned on. Both are ours: unit tests, no
measure. `--real` reads the shared sessions of real people and says how much of what is proposed readers found worth it;
`--recorded` the same with a strong model as judge, whose answers were written down.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from bench.distil import real, recorded
from bench.distil.labels import FIELDS, SETS, WORKSPACE, load
from bench.distil.score import Score, score
from bench.made import Generator
from bench.table import Row, table
from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Known
from holdfast.core.memory import MemoryType
from holdfast.distil.rule_distiller import RuleDistiller

HEAD = ("set", "what", "precision", "recall", "wanted", "found")
FIELD_HEAD = ("set", "field", "right", "of")
SPEED_HEAD = ("what", "figure")
ROUNDS = 5


def rows(name: str, counts: Score) -> list[Row]:
    """Precision and recall per type."""
    kinds = ["all", *(kind.value for kind in MemoryType)]
    return [
        (
            name,
            kind,
            f"{counts.precision(kind):.2f}",
            f"{counts.recall(kind):.2f}",
            str(counts.wanted[kind]),
            str(counts.found[kind]),
        )
        for kind in kinds
    ]


def field_rows(name: str, counts: Score) -> list[Row]:
    """How many fields of the right candidates are right."""
    return [
        (name, field, str(counts.fields_right[field]), str(counts.fields[field]))
        for field in FIELDS
        if counts.fields[field]
    ]


def speed_rows() -> list[Row]:
    """The rules beside `json.loads` of the transcript that holds the same turns."""
    talk = made_session()
    lines = transcript(talk)
    size = sum(map(len, lines))
    reading = min(_seconds(lambda: [json.loads(line) for line in lines]) for _ in range(ROUNDS))
    rules = RuleDistiller()
    distilling = min(_seconds(lambda: rules.distil(talk, Known())) for _ in range(ROUNDS))
    return [
        ("a made session", f"{len(talk.turns):,} turns, {len(lines):,} lines of a transcript, {size / 1e6:.1f} MB"),
        ("json.loads", f"{size / reading / 1e6:.0f} MB/s"),
        ("rules", f"{size / distilling / 1e6:.0f} MB/s"),
        ("rules of json.loads", f"{distilling / reading:.2f} ×"),
    ]


def made_session(prompts: int = 60) -> Conversation:
    """A long session of a common mix: per prompt some reads, searches, edits, runs, checks and answers."""
    words, chance, turns = Generator(), random.Random(7), list[Turn]()

    def add(kind: TurnKind, **fields: object) -> None:
        turns.append(Turn(id=f"e{len(turns)}", kind=kind, ts="2026-11-15T09:00:00Z", **fields))  # type: ignore[arg-type]  # by name

    def prose(count: int) -> str:
        return "\n".join(f"{' '.join(words.words(9)).capitalize()}." for _ in range(count))

    def code(count: int) -> str:
        return "\n".join(
            f"    {words.words(1)[0]} = self.{'_'.join(words.words(2))}({chance.randrange(99)})" for _ in range(count)
        )

    for number in range(prompts):
        add(
            TurnKind.PROMPT,
            text=f"{prose(2)} Let's use {words.words(1)[0]} instead of {words.words(1)[0]}."
            if number % 6 == 0
            else prose(3),
        )
        for _ in range(6):
            path = f"{WORKSPACE}/src/{words.words(1)[0]}.py"
            add(TurnKind.TOOL, tool="Read", input={"file_path": path}, output=code(120))
            add(TurnKind.TOOL, tool="Grep", input={"pattern": words.words(1)[0]}, output=code(20))
            add(
                TurnKind.TOOL,
                tool="Edit",
                input={"file_path": path, "old_string": code(8), "new_string": code(10)},
                output="ok",
            )
            add(TurnKind.TOOL, tool="Bash", input={"command": f"rg -n {words.words(1)[0]} src | head"}, output=code(15))
            add(TurnKind.ANSWER, text=prose(3))
        failed = number % 3 == 0
        add(
            TurnKind.TOOL,
            tool="Bash",
            input={"command": "pytest -q tests"},
            output=code(30) + ("\nE   ValueError: no\n1 failed" if failed else "\n9 passed"),
            failed=failed,
        )
        add(TurnKind.ANSWER, text=prose(12))
    return Conversation(session="made", client="claude-code", workspace=WORKSPACE, turns=tuple(turns))


def transcript(talk: Conversation) -> list[str]:
    """The session as Claude Code would write it: a call and its result are two lines, the result stands there twice."""
    lines = []
    for turn in talk.turns:
        said = "assistant" if turn.kind is TurnKind.ANSWER else "user"
        if turn.kind is not TurnKind.TOOL:
            lines.append(_line(turn, said, turn.text, None))
            continue
        call = [{"type": "tool_use", "id": f"toolu_{turn.id:0>24}", "name": turn.tool, "input": dict(turn.input)}]
        lines.append(_line(turn, "assistant", call, None))
        result = [
            {
                "type": "tool_result",
                "tool_use_id": f"toolu_{turn.id:0>24}",
                "content": turn.output,
                "is_error": turn.failed,
            }
        ]
        lines.append(
            _line(turn, "user", result, {"stdout": turn.output, "stderr": "", "interrupted": False, "isImage": False})
        )
    return lines


def _line(turn: Turn, role: str, content: object, result: object) -> str:
    usage = {
        "input_tokens": 4,
        "cache_creation_input_tokens": 512,
        "cache_read_input_tokens": 40_211,
        "output_tokens": 201,
    }
    message = {"role": role, "content": content, "id": f"msg_{turn.id:0>24}", "model": "some-model-5"}
    return json.dumps(
        {"parentUuid": f"{turn.id:0>36}", "isSidechain": False, "userType": "external", "cwd": WORKSPACE,
         "sessionId": f"{turn.id:0>36}", "version": "2.1.325", "gitBranch": "main", "type": role,
         "uuid": f"{turn.id:0>36}", "timestamp": turn.ts, "toolUseResult": result,
         "message": message | ({"usage": usage, "stop_reason": None} if role == "assistant" else {})}
    )  # fmt: skip


def _seconds(work: object) -> float:
    """The processor's time: both sides of the ratio only compute, and the machine may be shared."""
    begun = time.process_time()
    work()  # type: ignore[operator]  # a callable
    return time.process_time() - begun


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.distil", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--faults",
        action="store_true",
        help="name what is missing, not wanted or wrong (of `tune` only, unless --set held)",
    )
    parser.add_argument("--set", choices=SETS, help="only this set")
    parser.add_argument("--real", action="store_true", help="the shared sessions instead")
    parser.add_argument(
        "--recorded", action="store_true", help="shared sessions, with a strong model's recorded answers"
    )
    parser.add_argument("--keep", default="", metavar="DIR", help="keep the harvested workspaces here between runs")
    args = parser.parse_args(arguments)
    if args.real:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            print(table("Real sessions", real.HEAD, list(real.real_rows(Path(args.keep or folder)))))
        return
    if args.recorded:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            print(recorded.report(Path(args.keep or folder)))
        return
    names = [args.set] if args.set else list(SETS)
    scores = {name: score(RuleDistiller(), load(name)) for name in names}
    print(table("Candidates by rules", HEAD, [row for name in names for row in rows(name, scores[name])]), flush=True)
    print(
        table("Their fields", FIELD_HEAD, [row for name in names for row in field_rows(name, scores[name])]), flush=True
    )
    if not args.faults:
        print(table("Speed", SPEED_HEAD, speed_rows()), flush=True)
        return
    for name in names:
        if name == "tune" or args.set:
            print("\n".join(scores[name].faults))


if __name__ == "__main__":
    main()
