"""Forget: the one verb for removal. First a plan that a person can read, then the deed, then the proof."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence

from holdfast.config.home import FOLDER
from holdfast.domain.errors import BadRequest, NotFound
from holdfast.domain.event import Event, Record
from holdfast.domain.jsonform import to_json
from holdfast.domain.memory import Entry
from holdfast.domain.search import Select
from holdfast.domain.value import Value, replace
from holdfast.memory.allow import learn
from holdfast.memory.backup_age import age
from holdfast.memory.batches import drop_batches
from holdfast.memory.care import rebuild
from holdfast.memory.contradictions import forget_pairs
from holdfast.memory.entries import NoSuchId, entry_with, from_index, vault_of
from holdfast.memory.open import need_person
from holdfast.memory.traces import drop_traces, traces
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.distilling import renew_page
from holdfast.wiring.git import ask
from holdfast.wiring.index import cached_index, discard, index_path
from holdfast.wiring.records import catch_up
from holdfast.wiring.rendering import renew_blocks
from holdfast.wiring.triples import forget_triples

SHORTEST_TEXT = 3
LONG_LINE = 20
FORGOTTEN = "memory.forgotten"
ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[nrtbf\"/])")
INDEX = "index.db"
OUTBOX = os.path.join("state", "share", "outbox")
LARGEST_LOG = 64 * 1024 * 1024
# Folders of files whose lines stand each for itself.
LINES = ("log", "changes")
SIDE_FOLDERS = (
    ("journal", "torn"), ("state", "edits"), ("state", "models"), ("state", "batches"), ("state", "triples"),
)  # fmt: skip


class TooShort(BadRequest):
    """A text so short that it would match everything."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is too short to forget by.", f"give at least {SHORTEST_TEXT} characters.")


class AlreadyForgotten(NotFound):
    """An id that was forgotten before."""

    def __init__(self, wanted: str, when: str) -> None:
        super().__init__(
            f"{wanted!r} was forgotten on {when[:10]}.",
            f"`holdfast forget {wanted} --purge` takes the last traces away.",
        )


def _matches_nothing(_: str) -> bool:
    return False


class Forgetting(Value):
    """What would go: memories and candidates, events, lines of the daily log, record files or lines of them."""

    entries: tuple[Entry, ...] = ()
    events: tuple[Record, ...] = ()
    log_lines: tuple[tuple[str, str], ...] = ()
    records: tuple[str, ...] = ()
    needles: tuple[str, ...] = ()
    matches: Callable[[str], bool] = _matches_nothing

    @property
    def empty(self) -> bool:
        """Whether nothing would go."""
        return not (self.entries or self.events or self.log_lines or self.records)


class Proof(Value):
    """What was searched afterwards, and what was still found there."""

    files: int
    size: int
    found: tuple[str, ...]
    unreachable: tuple[str, ...]


def plan_ids(app: App, ids: Sequence[str], *, purging: bool = False) -> Forgetting:
    """What goes with some ids, of memories, candidates or events. A purge also takes the journal's copies."""
    need_person(app, f"forget {' '.join(ids)}")
    catch_up(app)
    entries: list[Entry] = []
    events: list[Record] = []
    for wanted in ids:
        try:
            entries.append(entry_with(app, wanted))
        except NoSuchId:
            events.extend(_traces(app, wanted, purging=purging))
    if purging:
        events.extend(_tellings(app, {entry.memory.id for entry in entries}))
    lines = tuple(line for entry in entries for line in _lines(entry.memory.body) if len(line) > LONG_LINE)
    lines += tuple(line for record in events for line in _lines(_removed(record)) if len(line) > LONG_LINE)
    plan = Forgetting(
        entries=tuple(entries), events=tuple(events), needles=lines, matches=lambda text: any(n in text for n in lines)
    )
    return replace(plan, records=_records(app, plan))


def _traces(app: App, wanted: str, *, purging: bool) -> list[Record]:
    """The event that an id names, or what the journal keeps of a memory that was forgotten."""
    exact = [record for record in _events(app) if record.id == wanted.upper()]
    copies = [record for record in _events(app) if _is_copy_of(record, wanted.upper())]
    if not exact and not copies:
        raise NoSuchId(wanted)
    if not exact and not purging:
        raise AlreadyForgotten(wanted, copies[-1].ts)
    return exact or copies


def _tellings(app: App, ids: set[str]) -> list[Record]:
    """The events that say what a memory can be known again by: they hold names of its words."""
    if not ids:
        return []
    found = ((record, record.data.get("data")) for record in _events(app))
    about = ((record, data.get("about")) for record, data in found if isinstance(data, dict))
    return [record for record, known in about if isinstance(known, dict) and ids & known.keys()]


def plan_text(app: App, text: str) -> Forgetting:
    """What holds a text, letter for letter."""
    need_person(app, f"forget --text {text!r}")
    if len(text.strip()) < SHORTEST_TEXT:
        raise TooShort(text)
    return _plan(app, lambda words: text in words, (text,))


def plan_subject(app: App, subject: str) -> Forgetting:
    """What speaks of a person or thing: its name as whole words, in any case."""
    need_person(app, f"forget --subject {subject!r}")
    if len(subject.strip()) < SHORTEST_TEXT:
        raise TooShort(subject)
    words = r"[\s_-]+".join(map(re.escape, subject.split()))
    pattern = re.compile(rf"(?<![^\W_]){words}(?![^\W_])", re.IGNORECASE)
    return _plan(app, lambda text: pattern.search(text) is not None, (subject.strip(),))


def forget(app: App, plan: Forgetting, why: str) -> None:
    """Take it out of sight: files go; the journal keeps a tombstone, with what a memory said, until a purge."""
    for entry in plan.entries:
        text = vault_of(app, entry).remove(from_index(entry))
        _tombstone(app, entry, why, text)
    if plan.events:
        app.journal.delete([record.id for record in plan.events], why)
    drop_batches(app, {entry.memory.id for entry in plan.entries})
    _drop_log_lines(plan)
    _drop_records(app, plan)
    forget_triples(app, [entry.memory.id for entry in plan.entries])
    app.refresh()
    renew_page(app)
    renew_blocks(app)


def holds_anything(app: App, plan: Forgetting) -> bool:
    """Whether a purge would find something: an entry, an event, a log line, a side file or a name."""
    proof = prove(app, plan)
    return not plan.empty or bool(proof.found)


def purge(app: App, plan: Forgetting, why: str) -> Proof:
    """Take it off the disk: vault, journal, log, index; then search every file for it."""
    for entry in plan.entries:
        vault_of(app, entry).remove(from_index(entry))
        _tombstone(app, entry, why, "")
    ids = {record.id for record in plan.events}
    gone = {entry.memory.id for entry in plan.entries}
    ids |= {r.id for r in _events(app) if any(_is_copy_of(r, memory_id) and _removed(r) for memory_id in gone)}
    if ids:
        app.journal.delete(sorted(ids), why)
    app.journal.compact()
    _drop_log_lines(plan)
    _drop_records(app, plan)
    _drop_side_files(app, plan)
    forget_pairs(app)
    forget_triples(app, sorted(gone))
    _rename(app, plan)
    app.refresh()
    # A table emptied still holds words in its free pages: the files themselves must go.
    for path in (cached_index(app), index_path(app)):
        discard(path)
    rebuild(app)
    renew_page(app)
    renew_blocks(app)
    return prove(app, plan)


def prove(app: App, plan: Forgetting) -> Proof:
    """Search every file we keep for the words that went."""
    # The index was thrown away and made anew from the files searched here; its terms would only match by accident.
    paths = [path for path in _files_below(app.folder) if not os.path.basename(path).startswith(INDEX)]
    found = [os.path.relpath(path, app.folder) for path in paths if _holds(path, plan)]
    found += [entry.path for entry in _misnamed(app, plan)]
    found += [path for path in _records(app, plan) if path not in found]
    size = sum(os.path.getsize(path) for path in paths)
    return Proof(files=len(paths), size=size, found=tuple(found), unreachable=tuple(_unreachable(app, plan)))


def _plan(app: App, matches: Callable[[str], bool], needles: tuple[str, ...]) -> Forgetting:
    catch_up(app)
    entries = [entry for entry in app.index.select(Select()) if matches(_words_of(to_json(entry.memory)))]
    events = [record for record in _events(app) if matches(_words_of(dict(record.data)))]
    lines = [(path, line) for path, text in _logs(app) for line in text.splitlines() if matches(line)]
    plan = Forgetting(
        entries=tuple(entries), events=tuple(events), log_lines=tuple(lines), needles=needles, matches=matches
    )
    return replace(plan, records=_records(app, plan))


def _records(app: App, plan: Forgetting) -> tuple[str, ...]:
    return tuple(traces(app, lambda text: _came_of(text, plan), lambda path: _named(path, plan)))


def _came_of(text: str, plan: Forgetting) -> bool:
    """Whether a record holds the words, or names an event that goes."""
    return plan.matches(text) or any(record.id in text for record in plan.events)


def _drop_records(app: App, plan: Forgetting) -> None:
    gone = {record.id for record in plan.events}
    drop_traces(app, plan.records, lambda text: _came_of(text, plan), lambda path: _named(path, plan), gone)


def _words_of(value: object) -> str:
    match value:
        case str():
            return value
        case dict():
            return "\n".join(_words_of(part) for pair in value.items() for part in pair)
        case list() | tuple():
            return "\n".join(map(_words_of, value))
        case _:
            return ""


def _events(app: App) -> Iterator[Record]:
    return (record for record in app.journal.read() if record.kind == "event")


def _is_copy_of(record: Record, memory_id: str) -> bool:
    data = record.data.get("data")
    return isinstance(data, dict) and data.get("id") == memory_id and record.data.get("name") == FORGOTTEN


def _removed(record: Record) -> str:
    data = record.data.get("data")
    return str(data.get("removed", "")) if isinstance(data, dict) else ""


def _tombstone(app: App, entry: Entry, why: str, text: str) -> None:
    data = {"id": entry.memory.id, "sha256": entry.sha256, "why": why, "text": f"{entry.memory.id} forgotten"}
    if text:
        data["removed"] = text
    app.journal.append([Event(client="holdfast", name=FORGOTTEN, data=data)])


def _logs(app: App) -> Iterator[tuple[str, str]]:
    for path in (each for name in LINES for each in _files_below(os.path.join(app.folder, name))):
        if os.path.getsize(path) <= LARGEST_LOG:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                yield path, file.read()


def _drop_log_lines(plan: Forgetting) -> None:
    for path in {path for path, _ in plan.log_lines}:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            lines = file.read().splitlines(keepends=True)
        kept = "".join(line for line in lines if not plan.matches(line))
        put_file(path, kept.encode("utf-8", "surrogateescape"))


def _drop_side_files(app: App, plan: Forgetting) -> None:
    # A bundle that waits to be sent holds everything, packed.
    shutil.rmtree(os.path.join(app.folder, OUTBOX), ignore_errors=True)
    for names in SIDE_FOLDERS:
        for path in _files_below(os.path.join(app.folder, *names)):
            if _holds(path, plan):
                os.unlink(path)


def _holds(path: str, plan: Forgetting) -> bool:
    with open(path, "rb") as file:
        text = file.read().decode(errors="replace")
    return plan.matches(text) or ("\\" in text and plan.matches(_unescaped(text)))


def _unescaped(text: str) -> str:
    """Text of JSON lines with its escapes read, so that they hide nothing."""
    return ESCAPE.sub(lambda found: json.loads(f'"{found[0]}"'), text)


def _rename(app: App, plan: Forgetting) -> None:
    """A file's name may hold words of a title it once had."""
    app.refresh()
    for entry in _misnamed(app, plan):
        vault = vault_of(app, entry)
        vault.remove(from_index(entry))
        learn(app, vault.create(entry.memory))
    app.refresh()


def _misnamed(app: App, plan: Forgetting) -> list[Entry]:
    return [e for e in app.index.select(Select()) if _named(e.path, plan) and not _named(e.memory.title, plan)]


def _named(text: str, plan: Forgetting) -> bool:
    words = _as_name(text)
    return any(_as_name(needle) in words for needle in plan.needles)


def _as_name(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", text.casefold())) + " "


def _files_below(folder: str) -> Iterator[str]:
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _unreachable(app: App, plan: Forgetting) -> Iterator[str]:
    if (last := age(app)).last:
        yield f"backups may still hold it, the last one of {last.last} ({last.name}): back up again, then prune"
    if not app.workspace or not plan.needles:
        return
    words = ("log", "--all", "--oneline", "--no-ext-diff", "--no-textconv", f"-S{plan.needles[0]}", "--", FOLDER)
    logged = ask(app.workspace, *words)
    if logged is None:
        yield "git history could not be searched"
        return
    commits = logged.splitlines()
    if commits:
        yield f"git history still holds it, in {len(commits)} commits from {commits[-1].split()[0]} on"
