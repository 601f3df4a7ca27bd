"""holdfast completion"""

import argparse
import os
import sys

from holdfast.cli.output import Output

EXAMPLES = """\
  eval "$(holdfast completion bash)"                                  in ~/.bashrc
  holdfast completion zsh > "${fpath[1]}/_holdfast"
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish
"""
STATUS = "0 printed"
SCRIPTS = {
    "bash": """\
_holdfast() {
  local IFS=$'\\n'
  COMPREPLY=($(holdfast --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _holdfast holdfast
""",
    "zsh": """\
#compdef holdfast
_holdfast() {
  local -a found
  found=("${(@f)$(holdfast --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
""",
    "fish": """\
complete -c holdfast -f -a '(holdfast --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}
TAKES_IDS = {"show", "history", "cites", "edit", "forget", "timeline"}
TAKES_CANDIDATES = {"accept", "reject"}
TAKES_TYPES = {"remember", "propose"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=list(SCRIPTS), help="the shell")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the completion script for a shell."""
    if out.as_json:
        out.json({"shell": args.shell, "script": SCRIPTS[args.shell]})
    else:
        print(SCRIPTS[args.shell], end="")
    return 0


def complete(words: list[str]) -> int:
    """Print what the last word could become, one a line. Never fails: a shell waits for it."""
    from holdfast.core.errors import HoldfastError

    current = words[-1] if words else ""
    try:
        found = _choices(words[:-1], current)
    except (HoldfastError, OSError):
        found = []
    for choice in sorted(c for c in found if c.casefold().startswith(current.casefold())):
        sys.stdout.write(choice + "\n")
    return 0


def _choices(before: list[str], current: str) -> list[str]:
    from holdfast.cli.main import COMMANDS, load, parser_of
    from holdfast.config.settings import SETTINGS
    from holdfast.core.memory import MemoryType

    if not before:
        return [*COMMANDS, "--help", "--version"]
    name = before[0]
    if name not in COMMANDS:
        return []
    parser = parser_of(name, load(name))  # type: ignore[arg-type]  # a module stands for the protocol
    options = {option: action for action in parser._actions for option in action.option_strings}  # noqa: SLF001  # no public way
    if current.startswith("-"):
        return list(options)
    if before[-1] in options and options[before[-1]].choices:
        return [str(choice) for choice in options[before[-1]].choices or ()]
    if name == "config":
        return list(SETTINGS)
    if name in TAKES_TYPES and len(before) == 1:
        return list(MemoryType)
    if name == "completion":
        return list(SCRIPTS)
    return _ids(name) if name in TAKES_IDS | TAKES_CANDIDATES else []


def _ids(name: str) -> list[str]:
    from holdfast.app import open_memory
    from holdfast.core.search import Select
    from holdfast.review.queue import list_waiting

    app = open_memory(os.getcwd(), anywhere=True)
    entries = list_waiting(app) if name in TAKES_CANDIDATES else app.index.select(Select())
    return [entry.memory.id for entry in entries]
