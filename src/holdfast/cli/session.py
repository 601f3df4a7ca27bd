"""holdfast session"""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output, fit, make_inert, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.tool_words import list_tool_words
from holdfast.core.user_answers import describe_choice
from holdfast.core.value import as_dict
from holdfast.phrases.foreign_words import why_foreign
from holdfast.records.sessions import (
    Conversation,
    SessionSummary,
    Turn,
    TurnKind,
    count_branches,
    list_sessions,
    open_session,
    turn_json,
)

EXAMPLES = """\
  holdfast session list                  every session, the newest first
  holdfast session show 12b74c57         a unique beginning is enough
  holdfast session show --turn 01KA3ZK8J3T5WXYZ0123456789   open it where this was said
  holdfast session tree 12b74c57         branches, subagents and cuts
  holdfast session list --client codex --json
  holdfast session buffer                what was decided and corrected recently
"""
STATUS = (
    "0 also when there is none · 2 bad request or refused · 3 no such session or turn, no workspace · 6 could not look"
)
WHO = {
    TurnKind.START: "start", TurnKind.PROMPT: "user", TurnKind.ANSWER: "agent", TurnKind.TOOL: "tool",
    TurnKind.CUT: "cut", TurnKind.END: "end", TurnKind.OTHER: "other",
}  # fmt: skip
CONTEXT = 5
MOST_LINES = 60
INTERRUPTION = "interruption"
HIGHEST_TREE = 2000
_TELLING = ("command", "file_path", "path", "filePath", "pattern", "query", "url", "description", "prompt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", default="list", choices=["list", "show", "tree"], help="what to do")
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="a session's id, or a beginning of it")
    parser.add_argument("--turn", default="", metavar="EVENT_ID", help="open the session at this turn")
    parser.add_argument("--context", type=parse_count, default=CONTEXT, metavar="N", help="turns around it (default 5)")
    parser.add_argument("--client", default="", help="with `list`: only of this client")
    parser.add_argument("--full", action="store_true", help="with `show`: long texts whole, and what tools gave back")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=20, metavar="N", help="with `list`: how many (default 20)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show sessions."""
    app = open_app(args, anywhere=True)
    if args.verb == "list":
        if args.id or args.turn:
            raise BadRequest(
                "`holdfast session list` takes no id.", f"to see one: holdfast session show {args.id or '--turn ID'}"
            )
        _listed(list_sessions(app, limit=args.limit, client=args.client), out)
    else:
        if not args.id and not args.turn:
            raise BadRequest(f"`holdfast session {args.verb}` needs an id.", "`holdfast session list` lists them.")
        found = open_session(app, args.id, args.turn)
        shown = (
            _around(found.conversation, found.turn, args.context) if args.verb == "show" else found.conversation.turns
        )
        if out.as_json:
            out.json(_form(found.conversation, shown, found.turn))
        elif args.verb == "show":
            _show(found.conversation, shown, found.turn, out, full=args.full)
        else:
            _tree(found.conversation, found.turn, out)
    out.notices(app.notices)
    return 0


def _listed(found: list[SessionSummary], out: Output) -> None:
    if out.as_json:
        out.json({"sessions": [as_dict(each) for each in found]})
    for each in found:
        about = [each.client, format_count(each.turns, "turn")]
        about += [_branches(each.branches)] if each.branches else []
        out.cut(f"{each.started[:16].replace('T', ' ')}  {each.id}  {' · '.join(about)}")
        out.line(fit(f"    {one_line(each.title) or '(no prompt)'}", out.width))
    if not found:
        out.line("No session yet. `holdfast harvest` reads the clients' own transcripts.")


def _branches(number: int) -> str:
    return "1 branch" if number == 1 else f"{number} branches"


def _form(found: Conversation, turns: tuple[Turn, ...], at: str) -> dict[str, Any]:
    return {
        "session": found.session,
        "client": found.client,
        "title": found.title,
        "branches": count_branches(found),
        "turn": at or None,
        "turns": [turn_json(turn) for turn in turns],
    }


def _around(found: Conversation, at: str, context: int) -> tuple[Turn, ...]:
    if not at:
        return found.turns
    place = next(number for number, turn in enumerate(found.turns) if turn.id == at)
    return found.turns[max(0, place - context) : place + context + 1]


# One turn a block


def _show(found: Conversation, turns: tuple[Turn, ...], at: str, out: Output, *, full: bool) -> None:
    out.line(f"{one_line(found.session)}  {found.client}  {format_count(found.turns, 'turn')}")
    out.line(f"  {one_line(found.title)}" if found.title else "  (no prompt)")
    skipped = len(found.turns) - len(turns)
    out.line(
        f"  {format_count(skipped, 'turn')} left out; all: holdfast session show {found.session}" if skipped else ""
    )
    before: Turn | None = None
    for turn in turns:
        if turn.kind is TurnKind.OTHER and not full and turn.id != at:
            continue
        if before is not None and turn.parent and turn.parent != before.id and turn.agent == before.agent:
            out.line(f"  ⎇ follows {turn.parent}")
        _print(turn, out, full=full or turn.id == at, here=turn.id == at)
        before = turn


def _print(turn: Turn, out: Output, *, full: bool, here: bool) -> None:
    mark = "▶ " if here else "  "
    if turn.kind is TurnKind.TOOL:
        out.line(fit(f"{mark}{_step(turn)}", out.width if not here else 10_000))
        answered = [("user", describe_choice(each)) for each in turn.choices]
        for who, said in answered or list_tool_words(turn.tool, turn.input, turn.output):
            out.cut(f"      {who}: {one_line(said)}")
        for line in make_inert(turn.output).splitlines() if full else ():
            out.line(f"      {line}")
        return
    out.line(f"{mark}{_head(turn)}")
    lines = make_inert(turn.text).splitlines()
    for line in lines if full else lines[:MOST_LINES]:
        out.line(f"    {line}")
    if not full and len(lines) > MOST_LINES:
        out.line(f"    … {format_count(len(lines) - MOST_LINES, 'line')} more: --full, or holdfast show {turn.id}")
    out.line()


def _head(turn: Turn) -> str:
    who = WHO[turn.kind]
    if turn.kind is TurnKind.OTHER:
        who = one_line(str(turn.extra.get("name", who)))
    if turn.foreign:
        who = _describe_absent(one_line(str(turn.extra.get("why") or why_foreign(turn.text) or "injected")))
    if turn.kind is TurnKind.CUT:
        who = f"cut: what stood before was compacted ({one_line(str(turn.extra.get('trigger', 'auto')))})"
    agent = f"  [subagent {one_line(turn.agent)[:20]}]" if turn.agent else ""
    return f"{_clock(turn.ts)}  {who}{agent}  {turn.id}"


def _describe_absent(why: str) -> str:
    """Who a turn is from that no person typed: a client, or the user who stopped the agent."""
    return "the user stopped the agent" if why == INTERRUPTION else f"not typed ({why})"


def _step(turn: Turn) -> str:
    agent = f"[{one_line(turn.agent)[:8]}] " if turn.agent else ""
    went = "failed" if turn.failed else "…" if turn.extra.get("name") == "before_tool" else "ok"
    return f"{_clock(turn.ts)}  {agent}{one_line(turn.tool) or 'tool'}: {_about(turn.input)}  ({went})  {turn.id}"


def _about(given: Mapping[str, Any]) -> str:
    said = next((given[key] for key in _TELLING if isinstance(given.get(key), str) and given[key]), None)
    text = said if said is not None else json.dumps(dict(given), ensure_ascii=False) if given else ""
    return fit(one_line(text), 100)


def _clock(ts: str) -> str:
    return ts[:19].replace("T", " ")


# The tree


def _tree(found: Conversation, at: str, out: Output) -> None:
    out.line(f"{one_line(found.session)}  {found.client}  {_branches(count_branches(found))}")
    children: dict[str, list[Turn]] = {}
    ids = {turn.id for turn in found.turns}
    for turn in found.turns:
        if turn.kind is not TurnKind.OTHER:
            children.setdefault(turn.parent if turn.parent in ids else "", []).append(turn)
    for number, line in enumerate(_drawn(children, at)):
        if number >= HIGHEST_TREE:
            out.line(f"… more than {HIGHEST_TREE} turns; --json has all of them")
            return
        out.cut(line)


def _drawn(children: Mapping[str, list[Turn]], at: str) -> Iterator[str]:
    """Lines of the tree, without recursion: what goes straight on stays in its column, only branches move in."""
    todo: list[tuple[Turn, int, str]] = [(turn, 0, "") for turn in reversed(children.get("", []))]
    seen: set[str] = set()
    while todo:
        turn, depth, mark = todo.pop()
        if turn.id in seen:
            continue
        seen.add(turn.id)
        yield f"{'│ ' * depth}{mark}{'▶ ' if turn.id == at else ''}{_leaf(turn)}"
        following = children.get(turn.id, [])
        own = [each for each in following if each.agent == turn.agent]
        below = [each for each in following if each.agent != turn.agent]
        # The last of one's own goes on in this column; earlier branches and subagents are drawn first, one step in.
        if own:
            todo.append((own[-1], depth, ""))
        aside = [(each, depth + 1, "├ branch: ") for each in own[:-1]]
        aside += [(each, depth + 1, f"├ subagent {each.agent[:20]}: ") for each in below]
        todo += reversed(aside)


def _leaf(turn: Turn) -> str:
    match turn.kind:
        case TurnKind.TOOL:
            return f"· {turn.tool or 'tool'}: {_about(turn.input)}{'  (failed)' if turn.failed else ''}  {turn.id}"
        case TurnKind.CUT:
            return f"✂ cut ({turn.extra.get('trigger', 'auto')})  {turn.id}"
        case TurnKind.PROMPT:
            who = f"not typed, {turn.extra.get('why', 'injected')}" if turn.foreign else "user"
            return f"● {who}: {fit(one_line(turn.text), 100)}  {turn.id}"
        case TurnKind.ANSWER:
            return f"○ {fit(one_line(turn.text), 100)}  {turn.id}"
        case _:
            return f"– {WHO[turn.kind]}  {turn.id}"
