"""holdfast show --related"""

import argparse
from typing import Any

from holdfast.cli.common import entry_line, open_app, parse_count
from holdfast.cli.output import Output, fit, one_line
from holdfast.recall.find import effective_status, find_superseded
from holdfast.recall.graph.related_memories import RelatedMemory, RelatedResult, RelatedWords, Relative, find_related
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

EXAMPLES = """\
  holdfast show DEC-7K2MQ4 --related
  holdfast show dec-7k --related --limit 3            a unique beginning is enough
  holdfast show DEC-7K2MQ4 --related --in all         also what was said and written down
  holdfast show DEC-7K2MQ4 --related --json | jq '.related[].why[].text'
"""
STATUS = "0 found · 1 looked, found nothing · 2 the id is not unique · 3 no such id · 5, 6 could not look"
SNIPPET = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", help="a memory")
    parser.add_argument(
        "--in",
        dest="place",
        default="memory",
        choices=["memory", "turns", "runs", "log", "research", "all"],
        help="where: memory (default), what was said in sessions, what was written down, or all of it",
    )
    parser.add_argument("-n", "--limit", type=parse_count, default=0, metavar="N", help="how many at most")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what belongs to a memory, and why."""
    app = open_app(args, anywhere=True)
    found = find_related(app, args.id, args.place, args.limit or int(app.settings["search.limit"]))
    if out.as_json:
        forms = [_form(app, each) for each in found.relatives]
        out.json({"id": found.entry.memory.id, "in": args.place, "related": forms})
    else:
        _print(app, found, out)
    out.notices(app.notices)
    return 0 if found.relatives else 1


def _form(app: App, relative: Relative) -> dict[str, Any]:
    why = [
        {"kind": bond.kind, "text": bond.why, "strength": round(bond.strength, 4), "names": list(bond.names)}
        for bond in relative.bonds
    ]
    score = round(relative.score, 6)
    match relative:
        case RelatedMemory(of=entry):
            memory = entry.memory
            return {
                "kind": "memory", "id": memory.id, "type": memory.type, "title": memory.title, "score": score,
                "why": why, "path": display_path(app, entry), "status": effective_status(entry, find_superseded(app)),
                "scope": entry.scope, "updated": memory.updated,
            }  # fmt: skip
        case RelatedWords(of=said):
            spoken = said.spoken
            return {
                "kind": spoken.kind, "id": spoken.id, "score": score, "why": why, "ts": spoken.ts,
                "session": spoken.group if spoken.kind == "turn" else None, "client": spoken.client or None,
                "said_by": spoken.said_by or None, "text": spoken.text,
            }  # fmt: skip


def _print(app: App, found: RelatedResult, out: Output) -> None:
    newer = find_superseded(app)
    for relative in found.relatives:
        before = f"{relative.score:4.2f}  "
        match relative:
            case RelatedMemory(of=entry):
                out.line(entry_line(entry, out, before=before, status=effective_status(entry, newer)))
            case RelatedWords(of=said):
                spoken = said.spoken
                who = f"{spoken.said_by} in {spoken.client}" if spoken.kind == "turn" else spoken.kind
                when = spoken.ts[:16].replace("T", " ")
                out.line(fit(f"{before}{one_line(spoken.id)}  {when}  {one_line(who)}", out.width))
                out.cut(f"      {one_line(spoken.text)[:SNIPPET]}")
        for bond in relative.bonds:
            out.cut(f"      · {bond.why}")
    if not found.relatives:
        out.line(f"Nothing here is related to {found.entry.memory.id}.")
