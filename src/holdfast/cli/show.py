"""holdfast show"""

import argparse
import json
from typing import Any

from holdfast.cli.common import open_app
from holdfast.cli.output import Output, one_line
from holdfast.cli.show_cites import state_words
from holdfast.core.event import JournalRecord
from holdfast.index.entries import is_candidate
from holdfast.recall.find import find_superseded
from holdfast.recall.memory_history import MemoryAtTime
from holdfast.recall.show_memory import ShownMemory, find_events, show, shown_json
from holdfast.review.endings import find_endings, is_suggestion
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast show DEC-7K2MQ4
  holdfast show dec-7k                 a unique beginning is enough
  holdfast show DEC-7K2MQ4 FAIL-0A1B2C --json
  holdfast show DEC-7K2MQ4 --as-of 2026-03-01    whether it held then, and what it said
  holdfast show DEC-7K2MQ4 --history             when it was believed, and every version of it
  holdfast show DEC-7K2MQ4 --related             what belongs to it, and why
  holdfast show --cites --drifted                whose code moved, changed or is gone
  holdfast show 01KA3ZK8J3T5WXYZ0123456789    an event, by the id that `timeline` and `search --in` print
"""
STATUS = "0 shown · 2 the id is not unique, or that is no date · 3 no such id · 5, 6 could not look"
FIELDS = (
    "status", "category", "tags", "paths", "subject", "question", "choice", "error_type", "error_message", "root_cause",
    "context", "attempts", "fact", "confidence", "said_by", "from", "supersedes", "superseded_by", "valid_from",
    "valid_until", "source", "updated", "because",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="memories, candidates or events")
    parser.add_argument(
        "--as-of", default="", metavar="DATE", help="whether it held then, and what git has of its text"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show memories in full."""
    app = open_app(args, anywhere=True)
    newer = find_superseded(app)
    events, ids = find_events(app, args.ids)
    forms = [(shown, shown_json(app, shown, newer)) for shown in show(app, ids, args.as_of)]
    if out.as_json:
        memories = [form | _more_json(shown) for shown, form in forms]
        out.json({"memories": memories} | ({"events": [dict(record.data) for record in events]} if events else {}))
    for record in events:
        _print_event(record, out)
    for shown, form in forms:
        _print(app, shown, form, out)
    out.notices(app.notices)
    return 0


def _print_event(record: JournalRecord, out: Output) -> None:
    data = record.data
    out.line(f"{record.id}  {data.get('name')}  {data.get('client')}  {record.ts}")
    out.line(f"  session: {data.get('session')}")
    inside = data.get("data")
    for name, value in inside.items() if isinstance(inside, dict) else ():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines = text.splitlines() or [""]
        out.line(f"  {name}: {lines[0]}")
        for line in lines[1:]:
            out.line(f"    {line}")


def _more_json(shown: ShownMemory) -> dict[str, Any]:
    evidence = [
        {"event": ev.event, "quote": ev.quote, "found": dict(record.data) if record else None}
        for ev, record in shown.evidence
    ]
    history = [{"commit": c.commit, "date": c.date, "author": c.author, "subject": c.subject} for c in shown.history]
    return {"evidence": evidence, "history": history}


def _print(app: App, shown: ShownMemory, form: dict[str, Any], out: Output) -> None:
    memory = shown.entry.memory
    out.line(f"{memory.id}  {memory.type}  {one_line(memory.title)}")
    out.line(f"  {one_line(display_path(app, shown.entry))}:{shown.entry.line}")
    if shown.then:
        _print_then(shown.then, out)
    for name in FIELDS:
        value = form.get(name)
        if value not in (None, "", [], {}):
            out.line(f"  {name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    for old in find_endings(app, memory) if is_candidate(shown.entry) else ():
        how = "an agent suggests to end, with --supersede," if is_suggestion(memory) else "would end"
        out.cut(f"  {how} {old.memory.id}: {one_line(old.memory.title)}")
    for option in memory.rejected:
        out.line(f"  rejected: {option.option}" + (f" ({option.reason})" if option.reason else ""))
    _print_cites(shown, out)
    for name, value in memory.extra.items():
        out.line(f"  {name}: {value}")
    out.line()
    for line in memory.body.splitlines():
        out.line(f"  {line}".rstrip())
    if shown.evidence or shown.history:
        out.line()
    for evidence, record in shown.evidence:
        where = f"{record.ts} {record.data.get('client', '')}" if record else "event not in this journal"
        out.line(f"  evidence: “{evidence.quote}” ({where})")
        if record and record.data.get("session"):
            out.line(f"    there: holdfast session show --turn {record.id}")
    for commit in shown.history:
        out.cut(f"  {commit.commit}  {commit.date[:10]}  {commit.author}: {commit.subject}")


def _print_then(found: MemoryAtTime, out: Output) -> None:
    out.line(f"  as of {found.when}: {'held' if found.held else f'did not hold ({found.why})'}")
    if found.note:
        out.line(f"  {found.note}")
    elif found.version:
        out.line(f"  text of {found.version.commit[:10]}, committed {found.version.committed}")


def _print_cites(shown: ShownMemory, out: Output) -> None:
    """How the code it cites stands; of another time, only where it stood."""
    for drift in shown.drifts:
        out.line(f"  cites: {state_words(drift)}")
    for cite in () if shown.drifts else shown.entry.memory.cites:
        out.line(f"  cites: {cite.path}" + (f":{cite.lines}" if cite.lines else ""))
