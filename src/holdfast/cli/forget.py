"""holdfast forget"""

import argparse

from holdfast.cli.common import counted, opened
from holdfast.cli.output import Output
from holdfast.domain.errors import BadRequest, Damaged
from holdfast.memory.forget import Forgetting, Proof, forget, holds_anything, plan_ids, plan_subject, plan_text, purge
from holdfast.memory.forms import shown_path
from holdfast.memory.open import App

EXAMPLES = """\
  holdfast forget DEC-7K2MQ4 --because "wrong project"
  holdfast forget --text "hunter2" --purge      off the disk everywhere, with a proof
  holdfast forget --subject "Jane Doe"
"""
STATUS = "0 forgotten · 1 nothing holds it · 2 not confirmed, or inside a client · 3 no such id · 5 still found"


class StillThere(Damaged):
    """A purge that did not reach everything."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__(f"Still found in {', '.join(files)}.", "remove it there by hand, then run the command again.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="memories, candidates or events")
    parser.add_argument("--text", default="", help="everything that holds this text, letter for letter")
    parser.add_argument("--subject", default="", help="everything that names this person or thing")
    parser.add_argument("--purge", action="store_true", help="take it off the disk: vault, journal, log and index")
    parser.add_argument("--because", default="", help="why; kept with the tombstone")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what should not be remembered."""
    app = opened(args, anywhere=True)
    if sum(map(bool, (args.ids, args.text, args.subject))) != 1:
        raise BadRequest(
            "Say what to forget: ids, or --text, or --subject; one of them.", "see `holdfast forget --help`."
        )
    plan = _plan(args, app)
    if plan.empty and not (args.purge and holds_anything(app, plan)):
        return _nothing(out)
    _tell(app, plan, out)
    word = "Purge" if args.purge else "Forget"
    if (args.text or args.subject or args.purge) and not args.yes and not out.confirm(f"{word} all of this?"):
        raise BadRequest("Nothing was forgotten: nobody confirmed it.", "run it in a terminal, or with --yes.")
    proof = purge(app, plan, args.because) if args.purge else None
    if proof is None:
        forget(app, plan, args.because)
    _report(plan, proof, out)
    out.notices(app.notices)
    if proof and proof.found:
        raise StillThere(proof.found)
    return 0


def _plan(args: argparse.Namespace, app: App) -> Forgetting:
    if args.text:
        return plan_text(app, args.text)
    return plan_subject(app, args.subject) if args.subject else plan_ids(app, args.ids, purging=args.purge)


def _nothing(out: Output) -> int:
    if out.as_json:
        out.json({"forgotten": [], "events": [], "log_lines": 0, "records": []})
    out.line("Nothing holds that.")
    return 1


def _tell(app: App, plan: Forgetting, out: Output) -> None:
    for entry in plan.entries:
        out.cut(f"{entry.memory.id}  {entry.memory.title}  ({shown_path(app, entry)})")
    for record in plan.events:
        out.cut(f"{record.id}  event of {record.ts}")
    for _, line in plan.log_lines:
        out.cut(f"log: {line}")
    for path in plan.records:
        out.cut(f"record: {path}")


def _report(plan: Forgetting, proof: Proof | None, out: Output) -> None:
    if out.as_json:
        form = {
            "forgotten": [entry.memory.id for entry in plan.entries],
            "events": [record.id for record in plan.events],
            "log_lines": len(plan.log_lines),
            "records": list(plan.records),
        }
        shown = {"files": proof.files, "bytes": proof.size, "found": list(proof.found)} if proof else None
        out.json(
            form | {"purged": bool(proof), "proof": shown, "unreachable": list(proof.unreachable) if proof else []}
        )
        return
    counts = [counted(plan.entries, "memory"), counted(plan.events, "event"), counted(plan.log_lines, "log line")]
    counts += [counted(plan.records, "record")] if plan.records else []
    out.line(f"Forgotten: {', '.join(counts)}.")
    if proof:
        out.line(f"Proof: searched {counted(proof.files, 'file')}, {proof.size} bytes; found in {len(proof.found)}.")
        for reason in proof.unreachable:
            out.line(f"Out of reach: {reason}.")
