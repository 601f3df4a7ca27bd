"""Words on the command line → the command they call, and its parser. Loads that command alone."""

import argparse
import os
import sys
from importlib import import_module
from typing import NoReturn, Protocol

from holdfast.cli.output import Output
from holdfast.cli.table import FORMS, Form, entry, is_option
from holdfast.core.errors import BadRequest

INTERMIXED = frozenset({"remember", "propose", "sandbox", "log --rate", "accept --into"})


# Options of every command: they may stand before it too. These take a value.
VALUED = ("-C", "--set")


class Misused(BadRequest):
    """Words on the command line that do not fit."""

    def __init__(self, prog: str, message: str) -> None:
        super().__init__(f"{message[:1].upper()}{message[1:]}.", f"`{prog} --help` shows how.")


class TwoForms(BadRequest):
    """Two forms of one command at once."""

    def __init__(self, name: str, words: list[str]) -> None:
        super().__init__(
            f"{' and '.join(words)} are two ways to call `holdfast {name}`.",
            f"one at a time: holdfast {name} {words[0]}",
        )


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


def split_common_options(words: list[str]) -> tuple[list[str], list[str]]:
    """The options of every command that stand before all other words, and the rest."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in VALUED:
            at += 2
        elif word == "--json" or word.startswith(("-C", "--set=")):
            at += 1
        else:
            break
    return words[:at], words[at:]


def choose_form(name: str, words: list[str]) -> tuple[str, list[str]]:
    """The form of a command that its words call for, such as `show --history`, and the words that are left for it."""
    before, rest = split_common_options(words)
    plain = rest[: rest.index("--")] if "--" in rest else rest
    options = [form for form in FORMS.get(name, ()) if is_option(form) and _has_form(plain, form)]
    if len(options) > 1:
        raise TwoForms(name, [form.word for form in options])
    for form in FORMS.get(name, ()):
        if not is_option(form) and rest[:1] == [form.word] and _is_meant(form, split_common_options(rest[1:])[1]):
            return f"{name} {form.word}", [*before, *rest[1:]]
    for form in options:
        left = rest if form.value else [word for word in plain if word != form.word] + rest[len(plain) :]
        return f"{name} {form.word}", [*before, *left]
    return name, words


def _has_form(words: list[str], form: Form) -> bool:
    return form.word in words or (bool(form.value) and any(word.startswith(f"{form.word}=") for word in words))


def _is_meant(form: Form, following: list[str]) -> bool:
    """Whether a verb is meant, and not a setting of that name that gets a value."""
    return not form.before or not following or following[0] in form.before


def load_command(call: str) -> CommandModule:
    """The module of a command, or of a form of it."""
    return import_module(entry(call).module)


def build_parser(call: str, command: CommandModule) -> argparse.ArgumentParser:
    """A command's parser, with the options every command has."""
    about = entry(call).about
    parser = Parser(
        prog=f"holdfast {_typed_call(call)}",
        description=about[0].upper() + about[1:] + ".",
        epilog=f"{_describe_forms(call)}examples:\n{command.EXAMPLES}\nexit status:\n  {command.STATUS}\n",
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


def _typed_call(call: str) -> str:
    """A call without an option that takes a value: the parser has that one itself."""
    found = entry(call)
    return call.partition(" ")[0] if isinstance(found, Form) and found.value else call


def _describe_forms(call: str) -> str:
    """The other forms of a command, for its help."""
    rows = [(f"holdfast {call} {form.word} {form.value}".rstrip(), form.about) for form in FORMS.get(call, ())]
    if not rows:
        return ""
    width = max(len(left) for left, _ in rows)
    lines = "\n".join(f"  {left:<{width}}  {right}" for left, right in rows)
    return f"also, each with a --help of its own:\n{lines}\n\n"


def _formatter(prog: str) -> argparse.HelpFormatter:
    # Left to find the width itself, argparse loads shutil and its archive formats for every command.
    return argparse.RawDescriptionHelpFormatter(prog, width=_count_columns() - 2)


def _count_columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 80
    except (OSError, ValueError):
        return 80
