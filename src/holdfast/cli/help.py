"""holdfast help"""

import argparse
from collections.abc import Iterable, Iterator

from holdfast.cli.output import Output
from holdfast.cli.table import COMMANDS, EVERY_DAY, FORMS, GROUPS, Command, Form, entry, in_group

EXAMPLES = """\
  holdfast help                  the commands of every day, and the names of all
  holdfast help find             a group of commands
  holdfast help show             one command; the same as: holdfast show --help
  holdfast help show --history   one form of it
  holdfast help all              every command, by group
"""
STATUS = "0 shown · 2 there is no such command or group"
HEAD = "Holdfast, the memory of AI coding agents: kept as Markdown in your repository."
MORE = """\
  holdfast help COMMAND   one command: options, examples, exit status (the same as COMMAND --help)
  holdfast help GROUP     one group, such as `find`
  holdfast help all       every command, by group
"""
EVERYWHERE = """\
  --json            print one JSON document
  -C DIR            work in this workspace
  --set KEY=VALUE   a setting, for this call
"""
STATUS_WORDS = (
    "0 fine · 1 nothing found, or findings · 2 bad request or refused · 3 not there · 4 conflict · "
    "5 damaged · 6 unavailable"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="WHAT", help="a command, a group, or all")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what there is."""
    words = [word for word in args.words if word not in {"--json", "--help", "-h"}]
    if words and words[0] in COMMANDS:
        return _one(words, out)
    groups = _asked(words)
    if out.as_json:
        out.json({"groups": [_form(group) for group in groups]})
    out.line("\n".join(_listing(groups) if words else _overview()))
    return 0


def overview() -> str:
    """The commands of every day, and the names of all."""
    return "\n".join(_overview())


def _asked(words: list[str]) -> Iterable[str]:
    from holdfast.cli.suggest import NoSuchCommand

    if not words or words == ["all"]:
        return GROUPS
    if len(words) > 1 or words[0] not in GROUPS:
        raise NoSuchCommand(words)
    return words


def _one(words: list[str], out: Output) -> int:
    from holdfast.cli.parse import build_parser, choose_form, load_command

    call, _ = choose_form(words[0], words[1:])
    text = build_parser(call, load_command(call)).format_help()
    if out.as_json:
        out.json({"command": call, "about": entry(call).about, "help": text})
    out.line(text.rstrip())
    return 0


def _overview() -> Iterator[str]:
    yield f"{HEAD}\n\nusage: holdfast COMMAND …\n\nevery day:"
    yield from _lines((name, COMMANDS[name].about) for name in EVERY_DAY)
    yield "\nall commands, by group:"
    yield from _lines((group, " ".join(command.name for command in in_group(group))) for group in GROUPS)
    yield f"\nmore:\n{MORE.rstrip()}"


def _listing(groups: Iterable[str]) -> Iterator[str]:
    for group in groups:
        yield f"{group}: {GROUPS[group]}"
        yield from _lines((call, each.about) for command in in_group(group) for call, each in _with_forms(command))
        yield ""
    yield f"in every command, before it or behind it:\n{EVERYWHERE}\nexit status:\n  {STATUS_WORDS}"


def _with_forms(command: Command) -> Iterator[tuple[str, Command | Form]]:
    yield command.name, command
    for form in FORMS.get(command.name, ()):
        yield called(command.name, form), form


def called(name: str, form: Form) -> str:
    """A form as it is typed."""
    return f"{name} {form.word} {form.value}".rstrip()


def _lines(rows: Iterable[tuple[str, str]]) -> list[str]:
    kept = list(rows)
    width = max(len(left) for left, _ in kept)
    return [f"  {left:<{width}}  {right}" for left, right in kept]


def _form(group: str) -> dict[str, object]:
    rows = [
        {"call": f"holdfast {call}", "about": each.about}
        for command in in_group(group)
        for call, each in _with_forms(command)
    ]
    return {"group": group, "about": GROUPS[group], "commands": rows}
