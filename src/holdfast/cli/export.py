"""holdfast export"""

import argparse
import sys
from typing import Any

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.memory import Scope
from holdfast.exchange.bundles.bundle_log import note_bundle
from holdfast.exchange.bundles.bundle_places import STREAM, WrittenBundle, export_json, export_to
from holdfast.exchange.bundles.export_import import ALL, build_export_request, export_bundle, locks_from
from holdfast.exchange.bundles.passphrases import read_passphrase
from holdfast.workspace import App

EXAMPLES = """\
  holdfast export memory.holdfast.tar.zst        this workspace's memory, in one file
  holdfast export ~/backups/                     the same, under a name with time and sum
  holdfast export all.tar.zst --everything       all that is kept about you here, in plain files
  holdfast export s3://bucket/team --scope all --conversations
  holdfast export - --encrypt-to age1… | ssh other holdfast import -
"""
STATUS = "0 written · 2 refused, or a bad address · 3 no workspace or folder · 4 the file is there · 6 could not write"


class ToTerminal(BadRequest):
    """A bundle on a screen."""

    def __init__(self) -> None:
        super().__init__("A bundle is no text for a terminal.", "send it on: holdfast export - > FILE")


class NobodyReads(Unavailable):
    """Whoever read the bundle went away before it was whole."""

    def __init__(self) -> None:
        super().__init__(
            "The bundle was not taken to its end.", "look at the command that reads it, then run it again."
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "place", metavar="DEST", help="a file, a folder, s3://BUCKET/PATH, gs://…, az://…, postgresql://…, or -"
    )
    parser.add_argument(
        "--scope",
        choices=[*map(str, Scope), ALL],
        default="",
        help="whose memory (default: the workspace's); all: with yours and the team's",
    )
    parser.add_argument("--journal", action="store_true", help="with the journal's events that hold no conversation")
    parser.add_argument("--conversations", action="store_true", help="with all events: prompts, answers, tool calls")
    parser.add_argument(
        "--everything", action="store_true", help="all that is kept: both scopes, records, runs, every event"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    add_locks(parser)


def add_locks(parser: argparse.ArgumentParser) -> None:
    """The options that close a bundle."""
    parser.add_argument(
        "--encrypt-to", action="append", default=[], metavar="RECIPIENT", help="an age recipient: age1…"
    )
    add_passphrase(parser)


def add_passphrase(parser: argparse.ArgumentParser) -> None:
    """Where a passphrase is."""
    parser.add_argument(
        "--passphrase-file", default="", metavar="FILE", help="a file with a passphrase, or env:NAME for a variable"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Write a bundle."""
    app = open_app(args, anywhere=True)
    locks = locks_from(app, tuple(args.encrypt_to), read_passphrase(args.passphrase_file))
    if args.everything and args.scope:
        raise BadRequest("--everything is of every scope.", "leave --scope out.")
    asked = build_export_request(
        app, args.scope, journal=args.journal, conversations=args.conversations, everything=args.everything
    )  # fmt: skip
    if args.place == STREAM:
        return _stream(app, asked, locks, out)
    done = export_to(app, args.place, asked, locks, force=args.force)
    if out.as_json:
        out.json(form(done))
    say(done, out)
    out.notices(app.notices)
    return 0


def _stream(app: App, asked: Any, locks: Any, out: Output) -> int:
    """To standard output; what is said of it goes to standard error."""
    if sys.stdout.isatty():
        raise ToTerminal
    try:
        made = export_bundle(app, sys.stdout.buffer, asked, locks)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise NobodyReads from None
    note_bundle(app, STREAM, made.sha256)
    aside = Output(as_json=out.as_json, stdout=sys.stderr)
    done = WrittenBundle(place=STREAM, report=export_json(made))
    if out.as_json:
        aside.json(form(done))
        aside.close()
    say(done, aside)
    aside.notices(app.notices)
    return 0


def form(done: WrittenBundle) -> dict[str, Any]:
    """A bundle in its place, for programs."""
    parts = {"sent": done.sent.sent, "known": done.sent.known} if done.sent else None
    return {"place": done.place, **done.report, "parts": parts, "resumed": done.resumed}


def say(done: WrittenBundle, out: Output) -> None:
    """A bundle in its place, for people."""
    held = done.report
    counts = ", ".join(format_count(number, _WORDS.get(kind, kind)) for kind, number in held["counts"].items())
    out.line(f"{'Sent on' if done.resumed else 'Wrote'} {done.place}: {counts or 'nothing'}.")
    out.line(f"  {held['bytes']:,} bytes, sha256 {held['sha256']}")
    if done.resumed:
        out.line(f"  It is the bundle of {held['created']}, whose sending was cut short.")
    if found := sum(held["redacted"].values()):
        out.line(f"  {format_count(found, 'secret')} or private parts were taken out on the way.")
    for each in held["left_out"]:
        out.cut(f"  left out  {each['path']}: {each['reason']}")


_WORDS = {"memory": "memory file", "page": "page", "config": "settings file", "events": "event"}
