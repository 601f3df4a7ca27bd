"""The options that make up a memory, for remember, propose and edit; and the user's editor."""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from holdfast.core import memory_json
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Scope
from holdfast.review.remember import MemoryDraft, check_fields, parse_enforce, parse_memory_type, parse_rejected_option
from holdfast.workspace import App

LISTS = ("tags", "paths", "supersedes")
TEXTS = ("title", *(name for name in memory_json.TEXTS if name not in {"updated", "because"}))
TEMPLATE = "\n# Write the {kind} above. Lines that start with `# ` at the end are left out; an empty text stops.\n"


class EditorFailed(BadRequest):
    """An editor that could not be run, or that gave up."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"The editor {command!r} {reason}.", "set $EDITOR, or give the text on the command line.")


def add_fields(parser: argparse.ArgumentParser, about: str | None = None) -> None:
    """The options for a memory's fields."""
    group = parser.add_argument_group("fields", about)
    group.add_argument("--title", help="short title (default: the first line)")
    group.add_argument("--tag", dest="tags", action="append", help="a tag; again for more")
    group.add_argument("--path", dest="paths", action="append", metavar="GLOB", help="where it holds: src/api/**")
    group.add_argument("--category", help="a word to sort by")
    group.add_argument(
        "--subject", help="what it is about, in your words (default: read off the question or the title)"
    )
    group.add_argument("--question", help="decisions: what was to be decided")
    group.add_argument("--choice", help="decisions: what was chosen")
    group.add_argument("--rejected", action="append", metavar="'X: REASON'", help="decisions: what was not, and why")
    group.add_argument("--because", default="", help="why")
    group.add_argument("--error-type", help="failures: the kind of error")
    group.add_argument("--error-message", help="failures: what it said")
    group.add_argument("--root-cause", help="failures: why it happened")
    group.add_argument("--context", help="failures: what was being tried")
    group.add_argument("--attempts", type=int, help="failures: how often it was tried")
    group.add_argument("--fact", help="learnings: the fact in one sentence")
    group.add_argument("--confidence", type=float, help="from 0 to 1")
    group.add_argument("--supersedes", action="append", metavar="ID", help="the memory this one replaces")
    group.add_argument("--valid-from", metavar="DATE", help="since when it holds (default: today)")
    group.add_argument("--valid-until", metavar="DATE", help="until when it holds")
    group.add_argument(
        "--enforce", action="append", metavar="KEY=VALUE", help="what `check` holds code to: forbid_dependency=requests"
    )
    group.add_argument("--source", help="where it comes from: a run, a session, a meeting")
    parser.add_argument("--as-is", action="store_true", help="keep also what looks like a secret, and is none")


def add_draft(parser: argparse.ArgumentParser) -> None:
    """The words and options of a new memory."""
    parser.add_argument("type", metavar="TYPE", help="decision, assumption, invariant, failure, learning or pattern")
    parser.add_argument(
        "text", metavar="TEXT", nargs="*", help='the words; "-" reads standard input; none opens $EDITOR'
    )
    add_fields(parser)
    parser.add_argument(
        "--quote", default="", metavar="WORDS", help="the user's own words that it rests on; they are looked up"
    )
    parser.add_argument(
        "--cite", dest="cites", action="append", default=[], metavar="PATH[:LINES]", help="code it is about"
    )
    parser.add_argument(
        "--scope",
        choices=[str(scope) for scope in Scope],
        default="",
        help="workspace (default), or user: holds everywhere",
    )


def read_fields(args: argparse.Namespace) -> dict[str, Any]:
    """The fields given, each of its kind."""
    given: dict[str, Any] = {name: getattr(args, name) for name in TEXTS if getattr(args, name) is not None}
    given |= {name: tuple(getattr(args, name)) for name in LISTS if getattr(args, name)}
    if args.rejected:
        given["rejected"] = tuple(map(parse_rejected_option, args.rejected))
    if args.enforce:
        given["enforce"] = parse_enforce(args.enforce)
    for name in ("attempts", "confidence"):
        if getattr(args, name) is not None:
            given[name] = getattr(args, name)
    return given


def build_draft(args: argparse.Namespace, app: App) -> MemoryDraft:
    """What a command's words ask to keep."""
    kind = parse_memory_type(args.type)
    given = check_fields(read_fields(args))
    text = read_words(args.text) if args.text else ""
    if not args.text and sys.stdin.isatty():
        text = strip_template(open_editor(app, TEMPLATE.format(kind=kind)))
    return MemoryDraft(
        type=kind, text=text, because=args.because, quote=args.quote, scope=args.scope, cites=tuple(args.cites),
        fields=given, as_is=args.as_is,
    )  # fmt: skip


def read_words(given: list[str]) -> str:
    """The text given as words, or from standard input for `-`."""
    if given == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return " ".join(given)


def open_editor(app: App, text: str) -> str:
    """The text as the user leaves it in their editor."""
    chosen = str(app.settings["editor"] or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not chosen and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EditorFailed("vi", "needs a terminal")
    command = chosen or "vi"
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = os.path.join(folder, "memory.md")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            done = subprocess.run([*shlex.split(command), path])
        except OSError as error:
            raise EditorFailed(command, f"could not be run: {error.strerror}") from error
        if done.returncode:
            raise EditorFailed(command, f"ended with status {done.returncode}; nothing was changed")
        try:
            with open(path, encoding="utf-8", newline="", errors="surrogateescape") as file:
                return file.read()
        except FileNotFoundError:
            raise EditorFailed(command, "removed the file it was given; nothing was changed") from None


def strip_template(text: str) -> str:
    """The text without the hint at its end."""
    lines = text.rstrip().splitlines()
    while lines and lines[-1].startswith("# Write the "):
        lines.pop()
    return "\n".join(lines)
