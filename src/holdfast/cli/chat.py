"""holdfast chat"""

import argparse
import asyncio
import contextlib
import signal
import sys

from holdfast.act.chat_session import AgentChat, format_conversation
from holdfast.act.open_run import open_run, read_options
from holdfast.act.run_files import OPEN
from holdfast.cli.common import open_app
from holdfast.cli.output import Output, make_inert, one_line
from holdfast.cli.run import asking
from holdfast.core.errors import HoldfastError
from holdfast.core.run import Trust
from holdfast.index.entries import is_candidate
from holdfast.inject.packs import build_goal_pack, prompt_of
from holdfast.review.accept import accept
from holdfast.review.batches import undo
from holdfast.review.queue import list_waiting
from holdfast.review.remember import MemoryDraft, remember
from holdfast.workspace import App

EXAMPLES = """\
  holdfast chat                          talk with the agent; it asks before each change
  holdfast chat --trust read_only        it can look and not touch
  holdfast chat --resume last            go on with a conversation
  echo "what did we decide on caching?" | holdfast chat --trust read_only
"""
STATUS = "0 said goodbye · 2 bad request, or inside a client · 3 no such conversation · 6 no model"
HELP = """\
/memory WORDS     what memory has on something
/remember TYPE …  keep a decision, learning, invariant, failure …
/candidates       what waits for review
/accept ID        accept a candidate
/undo             undo the last accept, reject, edit …
/history          what was said so far
/cost             what it took
/help, /quit"""
LONGEST_RESULT = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--trust", choices=[str(each) for each in Trust], default="", help="how far it goes by itself")
    parser.add_argument("--model", default="", metavar="NAME", help="the model, as in `holdfast config model`")
    parser.add_argument("--lens", default="", metavar="NAME", help="a way to work: `holdfast config lens list`")
    parser.add_argument("--resume", default="", metavar="CHAT", help="go on with a conversation; `last` is the newest")


def run(args: argparse.Namespace, out: Output) -> int:
    """Talk with the agent, with memory beside every message."""
    args.settings += [f"model={args.model}"] if args.model else []
    app = open_app(args)
    made = open_run(
        app,
        "chat",
        read_options(app, trust=args.trust, lens=args.lens),
        asking() if sys.stdin.isatty() else None,
        args.resume,
    )
    made.run.begin("chat", {"model": made.agent.model.name, "chat": True})
    chat = AgentChat(
        made.agent.model, made.agent.tool_executor, made.memory, made.run, made.session.to_planning_prompt(),
        made.agent.budget,
    )  # fmt: skip
    out.notices([*app.notices, *made.notices])
    if sys.stdin.isatty():
        out.line(f"{made.run.name} · {made.agent.model.name} · /help, /quit")
    try:
        asyncio.run(_talk(app, chat, out))
    finally:
        asyncio.run(made.agent.tool_executor.close())
    if chat.messages:
        made.memory.record_session(made.run.name)
        made.run.end(OPEN, {"budget": chat.budget.form()})
        out.line(f"Go on with it: holdfast chat --resume {made.run.name}")
    else:
        made.run.discard()
    return 0


async def _talk(app: App, chat: AgentChat, out: Output) -> None:
    while True:
        text = await asyncio.to_thread(_read)
        if text is None or text in {"/quit", "/exit"}:
            return
        if not text:
            continue
        try:
            if text.startswith("/"):
                _command(app, chat, text, out)
            else:
                await _answer(chat, text, out)
        except HoldfastError as error:
            out.error(error)


async def _answer(chat: AgentChat, text: str, out: Output) -> None:
    """The answer as it comes. Ctrl-C breaks it off, and not the conversation."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError, ValueError):
        loop.add_signal_handler(signal.SIGINT, task.cancel)
    said = []
    try:
        async with contextlib.aclosing(chat.say(text)) as pieces:
            async for piece in pieces:
                if piece.tool:
                    state = "failed: " if piece.failed else ""
                    out.cut(f"  [{piece.tool}] {state}{one_line(piece.result)[:LONGEST_RESULT]}")
                elif not out.as_json:
                    sys.stdout.write(make_inert(piece.text))
                    sys.stdout.flush()
                said.append(piece)
    except asyncio.CancelledError:
        task.uncancel()
        out.line("\n(broken off)")
    finally:
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
    if out.as_json:
        tools = [{"tool": piece.tool, "failed": piece.failed} for piece in said if piece.tool]
        out.json_line({"answer": "".join(piece.text for piece in said), "tools": tools})
    else:
        out.line()


def _read() -> str | None:
    if sys.stdin.isatty():
        print("> ", end="", flush=True, file=sys.stderr)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _command(app: App, chat: AgentChat, text: str, out: Output) -> None:
    name, _, rest = text[1:].partition(" ")
    known = {"history": _history, "cost": _cost}
    if name in known:
        known[name](chat, out)
    elif name in MEMORY and (rest.strip() or name in {"candidates", "undo"}):
        MEMORY[name](app, rest.strip(), out)
    elif name == "help":
        out.line(HELP)
    else:
        out.line(f"{text!r} is no command, or lacks something.\n{HELP}")


def _history(chat: AgentChat, out: Output) -> None:
    for who, words in format_conversation(chat.messages):
        out.cut(f"{who}: {one_line(words)}")


def _cost(chat: AgentChat, out: Output) -> None:
    form = chat.budget.form()
    out.line(f"{form['spent_tokens']} tokens, {form['spent_cents']} cents")


def _memory(app: App, words: str, out: Output) -> None:
    out.line(prompt_of(build_goal_pack(app, words)) or "Memory has nothing on this.")


def _remember(app: App, words: str, out: Output) -> None:
    kind, _, text = words.partition(" ")
    entry = remember(app, MemoryDraft(type=kind, text=text))
    word = "Waits as" if is_candidate(entry) else "Kept"
    out.line(f"{word} {entry.memory.id}: {one_line(entry.memory.title)}")


def _candidates(app: App, _: str, out: Output) -> None:
    for entry in list_waiting(app):
        out.cut(f"{entry.memory.id}  {entry.memory.type}: {entry.memory.title}")


def _accept(app: App, words: str, out: Output) -> None:
    done = accept(app, words.split())
    for each in done.accepted:
        out.line(f"Accepted {each.candidate} as {each.entry.memory.id}")
    for held in done.blocked:
        out.line(f"Blocked {held.entry.memory.id}: {held.conflicts[0].relation.reason} (holdfast review)")


def _undo(app: App, _: str, out: Output) -> None:
    done = undo(app)
    out.line(f"Undone: {done.verb} of {', '.join(done.ids)}")


MEMORY = {
    "memory": _memory, "remember": _remember, "candidates": _candidates, "accept": _accept, "undo": _undo
}  # fmt: skip
