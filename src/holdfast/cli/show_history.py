"""holdfast show --history"""

import argparse
from typing import Any

from holdfast.cli.common import open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.memory import Citation, Memory
from holdfast.recall.memory_history import MemoryHistory, VersionChange, history_json, read_history
from holdfast.trust.acceptances import describe_acceptance, hash_text

EXAMPLES = """\
  holdfast show DEC-7K2MQ4 --history              when did we believe this, and what did it say
  holdfast show DEC-7K2MQ4 --history --json | jq -r '.histories[].versions[] | "\\(.committed) \\(.what)"'
  holdfast show DEC-7K2MQ4 --as-of 2026-03-01
"""
STATUS = "0 shown · 2 the id is not unique · 3 no such id, also not in git · 5, 6 could not look"
SHORT = 10
LONGEST_VALUE = 60
# What does not read on one line is only named.
LONG = frozenset({"body", "evidence", "rejected", "enforce", "extra"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="memories; of one that was removed, its whole id")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show when memories were believed, and every version that git has of them."""
    app = open_app(args, anywhere=True)
    found = [belief for wanted in args.ids for belief in read_history(app, wanted)]
    if out.as_json:
        out.json({"histories": [history_json(app, belief) for belief in found]})
    for belief in found:
        _print(belief, out)
    out.notices(app.notices)
    return 0


def _print(belief: MemoryHistory, out: Output) -> None:
    memory = belief.memory
    out.line(f"{memory.id}  {memory.type}  {one_line(memory.title)}")
    begin = f"from {memory.valid_from}" if memory.valid_from else "from an unknown time"
    end = "until now" if belief.holds else f"until {belief.until}" if belief.until else "not now"
    out.line(f"  believed {begin} {end}" + (f" ({belief.why})" if belief.why else ""))
    for change in belief.changes:
        _print_change(change, out)
    for accepted in reversed(belief.accepted):
        out.line(f"  {describe_acceptance(accepted)}")
    if belief.accepted and belief.accepted[-1].text != hash_text(memory):
        out.line("  the text has changed since, outside our commands: it is not the one that was accepted")
    if belief.note:
        out.line(f"  {belief.note}")


def _print_change(change: VersionChange, out: Output) -> None:
    version = change.version
    when = f"{version.commit[:SHORT]}, {version.committed[:10]}, {version.author}: " if change.committed else ""
    out.cut(f"  {change.what} ({when}{version.subject})")
    if change.before and version.memory:
        for name in change.fields:
            out.cut(f"      {_field(name, change.before, version.memory)}")


def _field(name: str, before: Memory, after: Memory) -> str:
    old, new = _value(getattr(before, name)), _value(getattr(after, name))
    return f"{name}: {old} → {new}" if name not in LONG and old != new else name


def _value(value: Any) -> str:
    text = one_line(", ".join(map(_said, value)) if isinstance(value, tuple) else str(value))
    if text in {"", "None"}:
        return "nothing"
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _said(value: object) -> str:
    return f"{value.path}:{value.lines}".rstrip(":") if isinstance(value, Citation) else str(value)
