"""The entrance: finds the command, runs it, and turns failures into words and an exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn, Protocol

from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest, HoldfastError

# Named here, so that `holdfast --help` and completion need to load none of them.
COMMANDS = {
    "init": "make this folder a workspace with memory",
    "remember": "keep a memory: decision, assumption, invariant, failure, learning or pattern",
    "search": "find memories by words",
    "list": "list memories",
    "show": "show memories in full, with evidence and history",
    "history": "show when a memory was believed, and every version that git has",
    "cites": "show how the code that memories cite stands now, and follow it",
    "timeline": "show what happened around a memory or a time",
    "harvest": "read the clients' own transcripts into the journal",
    "session": "show sessions: the list, one as a conversation, its tree",
    "distil": "make summaries, briefings and candidates of finished sessions",
    "related": "show what belongs to a memory, and why",
    "graph": "show what hangs together: memories, events, files, symbols, packages, people, tags",
    "inspect": "show what search does with a question",
    "edit": "change a memory",
    "forget": "remove a memory, an event, or everything that holds a text",
    "propose": "propose a memory for review",
    "candidates": "list what waits for review",
    "review": "go through what waits, on the screen: accept, edit, reject, merge, resolve",
    "conflicts": "show what contradicts, replaces or repeats what",
    "curate": "look after memory: what is stale, doubled or without evidence, with plans to mend it",
    "accept": "accept candidates: they become memories",
    "reject": "reject candidates: they are not proposed again",
    "merge": "merge candidates into one, or into a memory",
    "resolve": "resolve the conflict of two memories",
    "undo": "undo the last accept, reject, merge, edit, resolve or curate",
    "render": "put memory as a block into the files that clients read as instructions",
    "badge": "print how much waits for review: for a status line or a prompt",
    "import": "bring in a bundle, or what other tools remember, as candidates",
    "export": "write memory as one file: to a folder, a store, or another machine",
    "backup": "keep bundles in a store of yours: now, status, list, restore, prune, schedule",
    "sandbox": "keep a conductor's memory beyond its sandbox, and serve its workers",
    "pack": "show what an agent should know for a goal",
    "check": "say which decisions a diff, a plan or a file breaks",
    "buffer": "show what was decided and corrected of late, or drop a note",
    "log": "read the daily log, or add a line to it",
    "guard": "show what the guard said, and what it would say",
    "database": "look after a team's PostgreSQL",
    "vault": "bring this checkout's memory and the team's database together",
    "remote": "bring this workspace together with a team's server",
    "team": "share memory with a team, over git, a folder, a server or a database",
    "todo": "show the open work items, or change them",
    "work": "show what was worked on, or close a unit",
    "progress": "show goals that take many sessions, or steer one",
    "rate": "rate the newest answer",
    "ratings": "show how answers were rated",
    "failures": "show the sessions that went wrong",
    "research": "show what subagents found out",
    "activity": "show which files changed of late, and for which prompts",
    "run": "reach a goal with our own agent: plan with memory, carry out, validate, learn",
    "chat": "talk with our own agent, with memory beside every message",
    "runs": "show the agent's runs, what they changed, or take one back",
    "lineage": "show a file's story: which runs and sessions changed it, and why",
    "synthesis": "put a week's or a month's ratings, failures and learnings together",
    "stats": "show what agents were told, what it cost and what came of it",
    "bootstrap": "read how the code base is written and propose patterns",
    "status": "show the workspace, its counts and its problems",
    "allow": "let this workspace's memory reach agents",
    "verify": "check every record, file and index row",
    "doctor": "find problems, explain them, and mend them",
    "rebuild": "build the index anew from the files",
    "embed": "give every passage its vector by the embedder that is set",
    "triples": "have the model read facts out of memories, for the graph",
    "compact": "take deleted and retired events off the disk",
    "config": "show and change settings",
    "changes": "show what altered the memory system itself: settings, rules, clients, migrations",
    "git": "merge two edits of one memory key by key: set that up in a repository",
    "lens": "show ways to work, and begin one of your own",
    "model": "show which model is set and could be, or try it",
    "cost": "show what the model took, day by day",
    "uninstall": "take our hook out of clients again",
    "serve": "serve memory to Studio and to programs, over HTTP",
    "studio": "open Studio, the page that shows and steers memory",
    "token": "make, list and remove the tokens that the server takes",
    "mcp": "speak MCP with a client: memory as tools for its agent",
    "hook": "take a client's event from standard input",
    "completion": "print the completion script for a shell",
}

INTERMIXED = frozenset({"remember", "propose", "sandbox"})

EPILOG = """\
examples:
  holdfast init
  holdfast remember decision "Use Textual for the TUI" --choice Textual --rejected "curses: no layout engine"
  holdfast search "which tui toolkit"
  holdfast show DEC-7K2MQ4

Every command explains itself: holdfast COMMAND --help. Guide: docs/guide.
"""

STATUS_WORDS = (
    "0 fine · 1 nothing found, or findings · 2 bad request or refused · 3 not there · 4 conflict · "
    "5 damaged · 6 unavailable"
)


class Misused(BadRequest):
    """Words on the command line that do not fit."""

    def __init__(self, prog: str, message: str) -> None:
        super().__init__(f"{message[:1].upper()}{message[1:]}.", f"`{prog} --help` shows how.")


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are our errors."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        raise Misused(self.prog, message)


class CommandModule(Protocol):
    """What every file of this folder named after a command has."""

    EXAMPLES: str
    STATUS: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, args: argparse.Namespace, out: Output) -> int:
        """Do it; the exit status."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        status = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) went away: nothing to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        print("\nStopped. Nothing that was confirmed is lost.", file=sys.stderr)
        status = 130
    except OSError as error:
        # Only what is left in the buffer of standard output can fail here.
        print(
            f"error: The answer could not be printed: {error.strerror}. The command was carried out.", file=sys.stderr
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 6
    sys.exit(status)


def _open_streams() -> None:
    """Streams that are closed count as empty, and no character is too odd to be printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> int:
    if words[:1] == ["--complete"]:
        from holdfast.cli.completion import complete

        return complete(words[1:])
    name = words[0] if words else ""
    if name not in COMMANDS:
        return _top(words)
    return run_command(name, words[1:])


def run_command(name: str, words: list[str]) -> int:
    """Parse one command's words, run it, and report what goes wrong."""
    command: CommandModule = load(name)  # type: ignore[assignment]  # a module stands for the protocol
    out = Output(as_json="--json" in words)
    try:
        parser = parser_of(name, command)
        # Words may stand before and after options: holdfast remember learning --tag ci "CI needs two cores".
        given = parser.parse_intermixed_args(words) if name in INTERMIXED else parser.parse_args(words)
        status = command.run(given, out)
        out.close()
        return status
    except HoldfastError as error:
        out.error(error)
        return error.exit_status
    except BrokenPipeError:
        raise
    except OSError as error:
        out.error(_named(error))
        return _named(error).exit_status
    except UnicodeEncodeError:
        out.error(HoldfastError("Some text given is not valid UTF-8.", "check the terminal's encoding."))
        return 2


def load(name: str) -> object:
    """The module of a command."""
    return import_module(f"holdfast.cli.{name}_" if name == "import" else f"holdfast.cli.{name}")


def parser_of(name: str, command: CommandModule) -> argparse.ArgumentParser:
    """A command's parser, with the options every command has."""
    parser = Parser(
        prog=f"holdfast {name}",
        description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
        epilog=f"examples:\n{command.EXAMPLES}\nexit status:\n  {command.STATUS or STATUS_WORDS}\n",
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    common = parser.add_argument_group("common options")
    common.add_argument("--json", action="store_true", help="print one JSON document")
    common.add_argument("-C", dest="workspace", metavar="DIR", default="", help="work in this workspace")
    common.add_argument(
        "--set", dest="settings", metavar="KEY=VALUE", action="append", default=[], help="a setting, for this call"
    )
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    # Left to find the width itself, argparse loads shutil and its archive formats for every command.
    return argparse.RawDescriptionHelpFormatter(prog, width=_columns() - 2)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 80
    except (OSError, ValueError):
        return 80


def _top(words: list[str]) -> int:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {about}" for name, about in COMMANDS.items())
    parser = Parser(
        prog="holdfast",
        description="The memory of AI coding agents: kept as Markdown in your repository.",
        epilog=f"commands:\n{listing}\n\n{EPILOG}\nexit status:\n  {STATUS_WORDS}\n",
        formatter_class=_formatter,
        usage="holdfast [--help | --version] COMMAND …",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    out = Output(as_json="--json" in words)
    if words and not words[0].startswith("-"):
        return _unknown(words[0], out)
    try:
        args = parser.parse_args(words)
    except Misused as error:
        out.error(error)
        return error.exit_status
    if args.version:
        _tell_version(out)
    else:
        parser.print_help()
    return 0


def _tell_version(out: Output) -> None:
    from importlib.metadata import version

    if out.as_json:
        out.json({"version": version("holdfast")})
        out.close()
    out.line(f"holdfast {version('holdfast')}")


def _unknown(word: str, out: Output) -> int:
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean `holdfast {near[0]}`?" if near else "`holdfast --help` lists the commands."
    out.error(BadRequest(f"There is no command {word!r}.", hint))
    return 2


def _named(error: OSError) -> HoldfastError:
    from holdfast.core.errors import Unavailable

    where = f" {error.filename!r}" if error.filename else ""
    return Unavailable(
        f"The file system refused{where}: {error.strerror or error}.", "check the permissions and the free space."
    )


if __name__ == "__main__":
    main()
