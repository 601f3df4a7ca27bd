"""holdfast status"""

import argparse

from holdfast.care.workspace_status import WorkspaceStatus, read_status
from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output, one_line
from holdfast.cli.unhooked_lines import describe_unvouched
from holdfast.clients.manage_clients import ClientState
from holdfast.core.value import as_dict
from holdfast.distil.distil import DistilStatus
from holdfast.recall.embed_passages import describe_meaning
from holdfast.review.conflict_pairs import ConflictPairs
from holdfast.review.expiry import SETTING
from holdfast.review.subjects import DoubledSubjects
from holdfast.workspace import App

EXAMPLES = """\
  holdfast status
  holdfast status --json
  holdfast status --badge           3 to review: for a prompt or a status line
"""
MOST_NAMED = 3
STATUS = "0 shown, outside a workspace your own memory · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the workspace, its counts and problems."""
    app = open_app(args, anywhere=True, quiet=True)
    state = read_status(app)
    if out.as_json:
        _json(app, state, out)
    else:
        _print(app, state, out)
    out.notices(app.notices)
    return 0


def _json(app: App, state: WorkspaceStatus, out: Output) -> None:
    stand = state.standing
    out.json({
        "workspace": app.workspace or None,
        "workspace_id": app.workspace_id or None,
        "home": app.home,
        "counts": state.counts,
        "user_memories": state.user_count,
        "candidates": state.candidates,
        "expired": state.expired,
        "expire_days": app.settings[SETTING],
        "refused_proposals": as_dict(state.refused) if state.refused.count else None,
        "conflicts": {
            "pairs": [
                {"new": pair.new.memory.id, "old": pair.old.memory.id, "reason": pair.reason}
                for pair in state.conflicts.conflicting
            ],
            "unseen": state.conflicts.unseen,
        },
        "subjects": {
            "doubled": [
                {"subject": each.subject, "new": each.new.memory.id, "old": each.old.memory.id}
                for each in state.doubled.found
            ],
            "unseen": state.doubled.unseen,
        },
        "allowed": stand.allowed if stand else None,
        "new": list(stand.new) if stand else [],
        "unproven": state.unproven,
        "unvouched": [each.session for each in state.unvouched.rows],
        "strays": [each.path for each in state.unvouched.strays],
        "clients": [as_dict(client) for client in state.clients],
        "hook_failures": {"today": state.failures.today, "last": state.failures.last or None},
        "private_sessions": state.private,
        "doctor": as_dict(state.checked) if state.checked else None,
        "curate": as_dict(state.curated) if state.curated else None,
        "distilling": {
            "waiting": state.work.waiting, "running": state.work.running or None, "done": state.work.done,
            "open": state.work.open,
            "failed": [{"session": session, "reason": reason} for session, reason in state.work.failed],
        },
        "backup": as_dict(state.backup) if state.backup.store else None,
        "meaning": describe_meaning(app),
        "last_event": state.last_event or None,
        "problems": [{"path": p.path, "line": p.line, "reason": p.reason} for p in state.problems],
    })  # fmt: skip


def _print(app: App, state: WorkspaceStatus, out: Output) -> None:
    out.line(f"workspace   {app.workspace or '(none here: your own memory only)'}")
    counts = ", ".join(f"{count} {kind}{'s' if count != 1 else ''}" for kind, count in state.counts.items() if count)
    out.line(f"memories    {counts or 'none yet'}")
    if app.workspace and state.user_count:
        out.line(f"your own    {state.user_count}, in {app.home}")
    out.line(f"candidates  {_queue_line(app, state)}")
    if state.refused.count:
        refused = format_count(state.refused.count, "proposal")
        out.line(
            f"proposals   {refused} of {one_line(state.refused.client)} refused today: `propose.per_session`, "
            "`propose.per_hour` set the limits"
        )
    if line := _conflicts_line(state.conflicts):
        out.line(f"conflicts   {line}")
    if line := _subjects_line(state.doubled):
        out.line(f"subjects    {line}")
    if state.standing:
        stand = state.standing
        word = "may reach agents" if stand.allowed else "reaches no agent until you run `holdfast allow`"
        out.line(
            f"allowed     {word}"
            + (f"; {format_count(stand.new, 'file')} new since" if stand.allowed and stand.new else "")
        )
    out.line(f"meaning     {describe_meaning(app)}")
    out.line(f"last event  {state.last_event or 'none yet'}")
    if line := _work_line(state.work):
        out.line(f"sessions    {line}")
    for session, reason in state.work.failed:
        out.cut(f"            {one_line(session)} failed: {reason}; `holdfast distil --retry` tries again")
    for client in state.clients:
        out.line(f"client      {client_line(client)}")
    _print_trouble(state, out)
    for problem in state.problems:
        out.line(f"problem     {one_line(problem.path)}:{problem.line or 1}: {problem.reason}")
    if state.problems:
        out.line("            `holdfast doctor` explains them.")


def _print_trouble(state: WorkspaceStatus, out: Output) -> None:
    if state.unproven:
        found = format_count(state.unproven, "memory")
        out.line(f"unproven    {found} accepted by nobody proven to be a person: `holdfast list --unproven`")
    for line in describe_unvouched(state.unvouched):
        out.line(f"unheard     {line}")
    if state.failures.today:
        out.line(
            f"hook        had trouble {format_count(state.failures.today, 'time')} today: "
            f"{one_line(state.failures.last)}"
        )
    if state.backup.warning:
        out.line(f"backup      {state.backup.warning}")
    if state.private:
        sessions = format_count(state.private, "session")
        out.line(f"private     {sessions} with a <private> that no </private> closed: nothing of it is kept")
    if state.checked and state.checked.left:
        found = format_count(state.checked.left, "problem")
        out.line(f"doctor      found {found} at {_when(state.checked.ts)}: run `holdfast doctor`")
    if state.curated and state.curated.findings:
        found = format_count(state.curated.findings, "thing")
        out.line(f"to tidy     {found} as of {_when(state.curated.ts)}: run `holdfast curate`")


def _queue_line(app: App, state: WorkspaceStatus) -> str:
    """How much waits, how long it does, and what did for too long, in a few words."""
    days = app.settings[SETTING]
    waits = f"{state.candidates} to review" + (f", each for {days} days" if state.candidates and days else "")
    left = f"; {state.expired} expired (`holdfast list --candidates --expired`)" if state.expired else ""
    return waits + left


def _subjects_line(doubled: DoubledSubjects) -> str:
    """Which subjects have two answers that hold."""
    names = list(dict.fromkeys(one_line(each.subject) for each in doubled.found))
    told = f"two answers hold on {', '.join(names[:MOST_NAMED])}" if names else ""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    left = f"{format_count(doubled.unseen, 'subject')} not compared yet" if doubled.unseen else ""
    look = ": holdfast doctor" if names else ""
    return "; ".join(filter(None, (f"{told}{more}{look}" if told else "", left)))


def _conflicts_line(found: ConflictPairs) -> str:
    """What is at odds among the memories that hold, in a few words."""
    memories = {each.memory.id for pair in found.conflicting for each in (pair.new, pair.old)}
    told = f"{format_count(memories, 'memory')} contradict each other: `holdfast check --memories`" if memories else ""
    left = f"{format_count(found.unseen, 'memory')} not compared yet: `holdfast check`" if found.unseen else ""
    return "; ".join(filter(None, (told, left)))


def _work_line(work: DistilStatus) -> str:
    """How distilling stands, in a few words."""
    parts = [
        f"{work.open} open" if work.open else "",
        f"{work.waiting} to distil (`holdfast distil`)" if work.waiting else "",
        f"{work.running} is being distilled" if work.running else "",
        f"{work.done} distilled" if work.done else "",
    ]
    return ", ".join(filter(None, parts))


def client_line(client: ClientState) -> str:
    """How a client is, in a few words."""
    if not client.installed:
        return f"{client.title}: found, not set up (`holdfast init --client {client.id}`)"
    words = [f"{client.title}: set up"]
    if not client.complete:
        words.append("its files changed since, run `holdfast init` again")
    if client.trusted is False:
        words.append("not trusted yet: type /hooks in Codex and trust ours")
    if client.last_event:
        words.append(f"last event {_when(client.last_event)}, {client.events_today} today")
    if client.failures_today:
        words.append(f"its hook failed {format_count(client.failures_today, 'time')} today")
    return "; ".join([*words, *_silence(client)])


def _silence(client: ClientState) -> list[str]:
    """What to say of a client that is not heard."""
    if client.used:
        return [
            f"SILENT: it was used here at {_when(client.used)} and nothing came; `holdfast doctor` says why it may be"
        ]
    if client.silent:
        return ["silent so far, no event came: start a session, then look again"]
    if not client.hooks:
        return ["it has no hooks, so nothing is captured"]
    return [] if client.last_event else ["not used here recently"]


def _when(ts: str) -> str:
    return ts[:16].replace("T", " ")
