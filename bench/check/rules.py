"""Rules in plain words against changes that break them and changes that obey: how many are caught, how many falsely.

`rules.jsonl` was written by people who had not read the code: `half` tune was looked at while the rules were made,
`test` was not, `talk` is how people say rules in chats and reviews. One line: the rule, its type, and changes,
each with the path, the text before (null: a new file), the
text after, and whether it breaks the rule.
"""

import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bench.table import Row, table
from holdfast.check.compile_rule import compile_memory
from holdfast.check.enforce_rules import EnforceRule, rules_of
from holdfast.check.file_change import ProposedFile
from holdfast.check.judge_changes import ChangeJudge
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value
from holdfast.system.bounded_regex import match_lines

CORPUS = os.path.join(os.path.dirname(__file__), "rules.jsonl")


class JudgedChange(Value):
    """A change of the corpus, and what was found in it. `read`: whether anything was read from the rule's words."""

    half: str
    rule: str
    path: str
    breaks: bool
    found: tuple[str, ...]
    read: bool


def judge_corpus() -> list[JudgedChange]:
    """Every change of the corpus."""
    with open(CORPUS, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [one for row in rows for one in _judge_rule(row)]


def main(words: Sequence[str] = ()) -> None:
    """Print the table; with `--show`, what was missed and what was false in the half that may be looked at."""
    judged = judge_corpus()
    rows: list[Row] = [_row(half, [one for one in judged if one.half == half]) for half in ("tune", "talk", "test")]
    head = ("half", "rules", "read from words", "breaking caught", "obeying flagged", "recall", "false")
    print(table("Check: rules in plain words", head, rows))
    for one in judged if "--show" in words else ():
        if (one.half != "test" or "--test" in words) and one.breaks != bool(one.found):
            kind = "missed" if one.breaks else f"false ({', '.join(one.found)})"
            print(f"{kind}{'' if one.read else ', not read'}: {one.rule} | {one.path}")


def _row(half: str, part: Sequence[JudgedChange]) -> Row:
    rules = {one.rule: one.read for one in part}
    breaking, obeying = [one for one in part if one.breaks], [one for one in part if not one.breaks]
    caught, flagged = sum(bool(one.found) for one in breaking), sum(bool(one.found) for one in obeying)
    return (
        half, str(len(rules)), str(sum(rules.values())), f"{caught} of {len(breaking)}", f"{flagged} of {len(obeying)}",
        f"{caught / max(1, len(breaking)):.2f}", f"{flagged / max(1, len(obeying)):.3f}",
    )  # fmt: skip


def _judge_rule(row: dict[str, Any]) -> Iterator[JudgedChange]:
    memory = Memory(id="INV-1", type=MemoryType(row.get("type", "invariant")), title=row["rule"])
    compiled = compile_memory(memory)
    rules = list(rules_of(memory, proposed=compiled.enforce)) if compiled else []
    usable = [each for each in rules if isinstance(each, EnforceRule)]
    for change in row["changes"]:
        files = [_build_change(each) for each in change["files"]]
        there = [each.path for each in files if not each.deleted]
        judge = ChangeJudge(files, match=match_lines, exists=partial(_is_there, there))
        found = tuple(dict.fromkeys(each.rule for each in judge.judged(usable).findings))
        yield JudgedChange(
            half=row["half"], rule=row["rule"], path=files[0].path, breaks=change["breaks"], found=found,
            read=compiled is not None,
        )  # fmt: skip


def _is_there(paths: Sequence[str], glob: str) -> bool:
    return any(applies_to((glob,), path) for path in paths)


def _build_change(file: dict[str, Any]) -> ProposedFile:
    before, after = file.get("before"), file.get("after")
    had = (before or "").split("\n")
    added = None
    if before is not None and after is not None:
        added = frozenset(at for at, line in enumerate(after.split("\n"), start=1) if line not in had)
    return ProposedFile(
        path=file["path"], after=after, before=before, added=added, new=before is None, deleted=after is None
    )
