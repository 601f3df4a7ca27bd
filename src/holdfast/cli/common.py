"""What commands share: opening the workspace, filters, progress, and how a memory reads on one line."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence, Sized
from datetime import UTC, datetime

from holdfast.app import open_memory
from holdfast.cli.output import Output, count_columns, fit, make_inert, one_line
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, MemoryType, Scope, Status
from holdfast.core.search import Question, Select
from holdfast.vault.entry_json import format_age
from holdfast.workspace import App

BAR = 24
NARROW = 60
SECONDS_BETWEEN = 10
MOST = 1_000_000
OWN_MEMORY = (
    "No workspace here: this is your own memory, in {home}. `holdfast init` makes this folder a workspace; "
    "-C DIR names another."
)


class BadSetting(BadRequest):
    """A --set that is no pair."""

    def __init__(self, text: str) -> None:
        super().__init__(f"--set takes KEY=VALUE, not {text!r}.", "`holdfast config` lists the settings.")


def open_app(args: argparse.Namespace, *, anywhere: bool = False, quiet: bool = False) -> App:
    """The app a command works in; a bar shows progress where a person watches.

    `anywhere`: outside a workspace it is the user's own memory, and that is said unless it is no surprise (`quiet`).
    """
    app = open_memory(args.workspace, parse_settings(args.settings), anywhere=anywhere)
    if not app.workspace and not quiet and getattr(args, "scope", "") != Scope.USER:
        # Standard error, also with --json: the document stays whole.
        print(f"note: {OWN_MEMORY.format(home=make_inert(app.home))}", file=sys.stderr)
    if sys.stderr.isatty():
        app.progress = make_progress_bar()
    _finish_imports(app)
    return app


def _finish_imports(app: App) -> None:
    """Finish what an import that was killed had decided; almost always there is nothing to load for that."""
    try:
        left = os.listdir(os.path.join(app.folder, "state", "imports"))
    except OSError:
        return
    if any(len(name) > len("lock") for name in left):
        from holdfast.exchange.bundles.apply_import import finish_imports

        finish_imports(app)


def parse_settings(pairs: list[str]) -> dict[str, str]:
    """The settings given by --set."""
    for pair in pairs:
        if "=" not in pair:
            raise BadSetting(pair)
    return dict(pair.split("=", 1) for pair in pairs)


def make_progress_bar() -> Callable[[str, int, int], None]:
    """A progress bar on stderr that shows itself only when the work is long."""
    begun = datetime.now(UTC)

    def show(what: str, done: int, total: int) -> None:
        if (datetime.now(UTC) - begun).total_seconds() < 1 or not total:
            return
        filled = BAR * done // total
        end = "\n" if done >= total else ""
        print(f"\r{what} [{'#' * filled}{'.' * (BAR - filled)}] {done}/{total}", end=end, file=sys.stderr, flush=True)

    return show


def make_progress_lines(clock: Callable[[], float] = time.monotonic) -> Callable[[str, int, int], None]:
    """Progress in lines on stderr, for where no terminal is: one every few seconds, none where the work is short."""
    told = clock()

    def show(what: str, done: int, total: int) -> None:
        nonlocal told
        if clock() - told >= SECONDS_BETWEEN and done < total:
            told = clock()
            print(f"{what}: {done:,} of {total:,}", file=sys.stderr, flush=True)

    return show


def add_filters(parser: argparse.ArgumentParser) -> None:
    """The options that narrow a search or a list."""
    group = parser.add_argument_group("filters")
    group.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="TYPE",
        choices=[str(kind) for kind in MemoryType],
        help="only this type",
    )
    group.add_argument("--tag", action="append", default=[], help="only with this tag")
    group.add_argument("--path", default="", help="only what holds at this path of the workspace")
    group.add_argument("--since", default="", metavar="DATE", help="only what changed since then")
    group.add_argument("--as-of", default="", metavar="DATE", help="what was valid then, not now")
    group.add_argument(
        "--scope", choices=[str(scope) for scope in Scope], default="", help="only the workspace's, or only your own"
    )
    group.add_argument(
        "--status",
        action="append",
        default=[],
        choices=[*map(str, Status), "all"],
        help="of this status (default: valid now)",
    )
    group.add_argument("-n", "--limit", type=parse_count, default=0, metavar="N", help="how many at most")


def parse_count(text: str) -> int:
    """A number of things, from 1 to a million."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"takes a whole number from 1 to {MOST}, not {text!r}")
    return int(text)


def build_question(args: argparse.Namespace, app: App, text: str = "") -> Question:
    """What the filters and words of a command ask for."""
    statuses = tuple(Status) if "all" in args.status else tuple(map(Status, args.status))
    return Question(
        text=text,
        select=Select(
            types=tuple(map(MemoryType, args.type)),
            statuses=statuses,
            scopes=(Scope(args.scope),) if args.scope else (),
        ),
        tags=tuple(args.tag),
        path=args.path,
        since=args.since,
        as_of=args.as_of,
        limit=args.limit or int(app.settings["search.limit"]),
    )


def entry_line(entry: Entry, out: Output, *, before: str = "", status: Status | None = None) -> str:
    """One memory on one line (two where the terminal is narrow): id, type, title, age."""
    memory = entry.memory
    state = status or memory.status
    mark = "" if state is Status.ACCEPTED else f" ({state})"
    old = format_age(memory.updated, datetime.now(UTC))
    head = f"{before}{memory.id}  {memory.type}{mark}"
    if out.width < NARROW:
        return f"{fit(one_line(head), out.width)}\n  {fit(one_line(memory.title), out.width - 2)}"
    head = f"{before}{memory.id:<12} {memory.type + mark:<11}"
    room = out.width - count_columns(head) - count_columns(old) - 4
    return join_lines(f"{head} {fit(one_line(memory.title), max(room, 8))}  {old}".rstrip())


def print_remembered(found: Sequence[Entry], out: Output) -> None:
    """What came of clients' own memories, each with where it stood."""
    if found:
        out.line(f"{format_count(found, 'candidate')} of what clients remember themselves:")
    for entry in found:
        out.cut(f"  {entry.memory.id}  {one_line(entry.memory.title)}  ({one_line(entry.memory.source)})")


def format_count(things: int | Sized, word: str) -> str:
    """A number with its word: 1 file, 2 files, 3 memories."""
    number = things if isinstance(things, int) else len(things)
    if number == 1:
        return f"1 {word}"
    return f"{number} {word[:-1]}ies" if word.endswith("y") and word[-2] not in "aeiou" else f"{number} {word}s"


def join_lines(text: str) -> str:
    """A line whose columns are kept."""
    return text.replace("\n", " ")


def snippet(entry: Entry, out: Output) -> str:
    """The one line under a hit: the body's first that is not the title again."""
    title = one_line(entry.memory.title).rstrip(".…").casefold()
    for line in entry.memory.body.splitlines():
        words = one_line(line).strip()
        if words and not words.casefold().startswith(title):
            return fit(f"    {words}", out.width)
    return ""
