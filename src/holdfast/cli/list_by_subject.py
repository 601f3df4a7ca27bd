"""holdfast list --by subject"""

import argparse
from typing import Any

from holdfast.cli.common import open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.memory import Entry
from holdfast.review.subjects import SubjectTruth, list_subjects

EXAMPLES = """\
  holdfast list --by subject                  what holds on each subject, and what it replaced
  holdfast list --by subject --json | jq -r '.subjects[] | select(.holds | length > 1) | .subject'
  holdfast edit DEC-7K2MQ4 --subject "retry library"
"""
STATUS = "0 also when there is none · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--by", choices=["subject"], required=True, help="what to list by")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show for each subject what holds and what held before."""
    app = open_app(args, anywhere=True)
    found = list_subjects(app)
    if out.as_json:
        out.json({"subjects": [_form(each) for each in found]})
    for each in found:
        out.line(one_line(each.subject))
        for entry in each.holds:
            out.cut(f"    holds   {_line(entry)}")
        for entry in each.before:
            out.cut(f"    before  {_line(entry)}{_end(entry)}")
    if not found:
        out.line("No decisions, invariants or patterns yet.")
    out.notices(app.notices)
    return 0


def _line(entry: Entry) -> str:
    memory = entry.memory
    return f"{memory.id}  {one_line(memory.title)}" + (f"  since {memory.valid_from}" if memory.valid_from else "")


def _end(entry: Entry) -> str:
    return f" until {entry.memory.valid_until}" if entry.memory.valid_until else ""


def _form(truth: SubjectTruth) -> dict[str, Any]:
    return {
        "subject": truth.subject, "holds": [_entry(each) for each in truth.holds],
        "before": [_entry(each) for each in truth.before],
    }  # fmt: skip


def _entry(entry: Entry) -> dict[str, Any]:
    memory = entry.memory
    return {
        "id": memory.id, "type": str(memory.type), "title": memory.title, "valid_from": memory.valid_from or None,
        "valid_until": memory.valid_until or None,
    }  # fmt: skip
