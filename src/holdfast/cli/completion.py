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
TAKES_IDS = {
    "show",
    "show --history",
    "show --cites",
    "show --related",
    "check --memories",
    "edit",
    "forget",
    "timeline",
}
TAKES_CANDIDATES = {"accept", "accept --into", "reject"}
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
    from holdfast.cli.parse import build_parser, choose_form, load_command, split_common_options
    from holdfast.cli.table import COMMANDS

    common, words = split_common_options(before)
    if not words:
        return [*COMMANDS, "--help", "--version", "--json", "-C", "--set"]
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        return []
    if name == "help":
        return _to_explain(rest)
    call, given = choose_form(name, [*common, *rest])
    parser = build_parser(call, load_command(call))
    options = {option: action for action in parser._actions for option in action.option_strings}  # noqa: SLF001  # no public way
    if current.startswith("-"):
        return [*options, *(word for word in _verbs_and_options(call) if word.startswith("-"))]
    if before[-1] in options and options[before[-1]].choices:
        return [str(choice) for choice in options[before[-1]].choices or ()]
    verbs = [word for word in _verbs_and_options(call) if not word.startswith("-")]
    return [*_named(call, parser, split_common_options(given)[1]), *(verbs if not rest else ())]


def _verbs_and_options(call: str) -> list[str]:
    """The words that lead to other forms of a command."""
    from holdfast.cli.table import FORMS

    return [form.word for form in FORMS.get(call, ())]


def _to_explain(rest: list[str]) -> list[str]:
    from holdfast.cli.table import COMMANDS, GROUPS

    return _verbs_and_options(rest[0]) if rest else [*COMMANDS, *GROUPS, "all"]


def _named(call: str, parser: argparse.ArgumentParser, given: list[str]) -> list[str]:
    """What the next plain word could be: a verb, a setting, a type, an id."""
    from holdfast.config.settings import SETTINGS
    from holdfast.core.memory import MemoryType

    if call == "config":
        return list(SETTINGS) if not given else []
    if call in TAKES_TYPES and not given:
        return list(MemoryType)
    if call in TAKES_IDS | TAKES_CANDIDATES:
        return _ids(call)
    if call == "sync" and not given:
        return ["add", "set", "list", "status", "remove"]
    first = next((action for action in parser._actions if not action.option_strings), None)  # noqa: SLF001  # no public way
    plain = [word for word in given if not word.startswith("-")]
    return [str(choice) for choice in first.choices if choice] if first and first.choices and not plain else []


def _ids(name: str) -> list[str]:
    from holdfast.app import open_memory
    from holdfast.core.search import Select
    from holdfast.review.queue import list_waiting

    app = open_memory(os.getcwd(), anywhere=True)
    entries = list_waiting(app) if name in TAKES_CANDIDATES else app.index.select(Select())
    return [entry.memory.id for entry in entries]
