"""holdfast session told"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.core.errors import BadRequest
from holdfast.records.injection_history import InjectionEvent, injections_to_json, read_injections
from holdfast.records.injection_marks import InjectionVerdict, mark_injection

EXAMPLES = """\
  holdfast session told                     what the last session heard: when, why, and what came of it
  holdfast session told 12b74c57            another one; a unique beginning is enough
  holdfast session told --irrelevant DEC-7QK2P4    it had nothing to do with what you asked: told less from now on
  holdfast session told --wrong DEC-7QK2P4         it is not true: told to nobody until you take that back
  holdfast session told --always INV-3MZ8RT        every session hears it when it begins
  holdfast session told --none DEC-7QK2P4          take back what you said of it
"""
STATUS = "0 shown or marked · 2 bad request or refused · 3 no such session or memory, nothing told · 6 could not look"
AT = {
    "session_start": "at the start", "prompt": "at a prompt", "before_tool": "before a tool",
    "subagent_start": "to a subagent", "before_compact": "before a compaction",
}  # fmt: skip
# How a session went on that did not begin.
RESUMED = {"compact": "after a compaction", "resume": "when it was resumed", "clear": "after it was cleared"}
WORDS = {
    InjectionVerdict.WRONG: "is told to no agent any more; `holdfast edit` or `holdfast forget` corrects it",
    InjectionVerdict.IRRELEVANT: "will be told less readily",
    InjectionVerdict.ALWAYS: "will be told at every start",
    InjectionVerdict.NONE: "is told as if nothing had been said of it",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", nargs="?", default="", metavar="SESSION", help="a session's id, or a beginning of it")
    for verdict, about in (
        (InjectionVerdict.WRONG, "this memory is wrong"),
        (InjectionVerdict.IRRELEVANT, "it had nothing to do with what was asked"),
        (InjectionVerdict.ALWAYS, "tell it at every start"),
        (InjectionVerdict.NONE, "take back what was said of it"),
    ):
        parser.add_argument(f"--{verdict}", default="", metavar="ID", help=about)


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what a session was told, or say what to think of it."""
    app = open_app(args)
    said = [(verdict, wanted) for verdict in InjectionVerdict if (wanted := getattr(args, verdict.value))]
    if len(said) > 1:
        raise BadRequest("One thing at a time can be said of what was told.", "give one of the options.")
    if said:
        from holdfast.index.entries import find_entry

        [(verdict, wanted)] = said
        memory = find_entry(app, wanted).memory
        mark = mark_injection(app, memory.id, verdict, args.id).mark
        if out.as_json:
            out.json({"id": memory.id, "wrong": mark.wrong, "always": mark.always, "irrelevant": mark.irrelevant})
        out.cut(f"{memory.id} {WORDS[verdict]}: {memory.title}")
        out.notices(app.notices)
        return 0
    found = read_injections(app, args.id)
    if out.as_json:
        out.json(injections_to_json(found))
    times = format_count(len(found.tellings), "time")
    heard = f"{times}, {found.tokens} tokens in all" if found.tellings else "nothing"
    out.cut(f"{found.session} ({found.client or 'unknown client'}) was told {heard}.")
    for telling in found.tellings:
        _show(telling, out)
    out.notices(app.notices)
    return 0


def _show(telling: InjectionEvent, out: Output) -> None:
    withheld = "  (withheld: this session was told nothing, to compare)" if telling.withheld else ""
    who = f" {telling.agent}" if telling.agent else ""
    out.line("")
    when, where = telling.ts[:19].replace("T", " "), _describe_cause(telling)
    out.cut(f"{when}  {where}{who}  {telling.tokens} tokens{withheld}")
    if telling.prompt:
        out.cut(f"  for: {one_line(telling.prompt)}")
    for line in telling.text.splitlines():
        out.line(f"  | {one_line(line)}")
    for memory in telling.memories:
        about = [memory.why, memory.came_of_it, f"you said: {memory.marked}" if memory.marked else ""]
        out.cut(f"  {memory.id}  {' · '.join(filter(None, about))}".rstrip())


def _describe_cause(telling: InjectionEvent) -> str:
    if telling.at == "session_start" and telling.cause in RESUMED:
        return RESUMED[telling.cause]
    tool = f" ({one_line(telling.cause)})" if telling.at == "before_tool" and telling.cause else ""
    return AT.get(telling.at, telling.at) + tool
