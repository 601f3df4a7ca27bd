"""Prompts that a hook took for the user's, looked up in the client's own transcript: what nobody typed is settled.

The hook is told the words alone. Who they are from stands in the transcript, once it is written.
"""

import os
from collections.abc import Collection, Iterator, Sequence

from holdfast.core.event import Event, JournalRecord
from holdfast.core.memory import NOT_TYPED, Memory, Status, doubt_candidate
from holdfast.harvest.hook_events import MARK, SessionHookEvents
from holdfast.harvest.journal_events import read_session_events
from holdfast.harvest.transcript_pieces import text_in
from holdfast.harvest.untyped_prompts import UntypedPrompt, find_untyped_prompts
from holdfast.journal.capture_event import TOOL_LIMITS
from holdfast.phrases.typed_words import typed_sentences, typed_words
from holdfast.records.work_unit import first_sentence, one_line
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.standing import digest_words, list_settled, normalise_words, settle
from holdfast.workspace import App

OURS = "holdfast"
# How far each transcript was looked through, by its size: it is not looked through twice.
LOOKED = os.path.join("state", "looked-up.json")
MOST_LOOKED = 200
# Of what a hook looked through, the end alone.
END = "#end"
# In a hook: so much of the transcript's end, and no more where the journal is longer than this.
HOOK_BYTES = 2 * 1024 * 1024
HOOK_JOURNAL = 32 * 1024 * 1024


def mark_untyped_prompts(app: App, session: str, path: str = "", *, hooked: bool = False) -> int:
    """Look a session's prompts up in its transcript, and mark those that nobody typed; how many."""
    journal = os.path.join(app.folder, "journal")
    if hooked and (not _is_new(app, f"{path}{END}", path) or _measure_folder(journal) > HOOK_JOURNAL):
        return 0
    records = list(read_session_events(journal, {session}))
    path = path or _find_transcript(records)
    if not path or not _is_new(app, path, path):
        return 0
    found = _look_up(records, session, path, HOOK_BYTES if hooked else 0)
    client = next((str(each.data.get("client", "")) for each in records if each.data.get("client") != OURS), "")
    if found:
        app.journal.append([_mark(session, client, each) for each in found])
        settle_prompts(app, session, {each.event for each in found})
    _note_looked(app, f"{path}{END}" if hooked else path, path)
    return len(found)


def settle_prompts(app: App, session: str, events: Collection[str]) -> None:
    """Have nobody told what came of some prompts; what the user typed in that session besides stays theirs."""
    records = list(read_session_events(os.path.join(app.folder, "journal"), {session}))
    said = {
        each.id: text_in(each.data.get("data") or {}, "prompt") for each in records if each.data.get("name") == "prompt"
    }
    untyped = set(events) | {text_in(each.data.get("data") or {}, "of") for each in records}
    typed = " \n ".join(normalise_words(text) for event, text in said.items() if event not in untyped)
    known = {(row.event, row.digest) for row in list_settled(app)}
    rows = [row for event in sorted(set(events) & set(said)) for row in _list_rows(event, said[event], typed)]
    fresh = [row for row in rows if (row[0], row[1]) not in known]
    settle(app, fresh, app.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"))
    _doubt_candidates(app, events)


def _doubt_candidates(app: App, events: Collection[str]) -> None:
    """What waits and rests on such a prompt is nobody's word."""
    for entry in app.candidates.all():
        if events and entry.memory.status is Status.CANDIDATE and _rests_on(entry.memory, events):
            doubted = doubt_candidate(entry.memory, NOT_TYPED)
            if doubted != entry.memory:
                app.candidates.rewrite(entry, doubted)


def _rests_on(memory: Memory, events: Collection[str]) -> bool:
    return any(each.event in events for each in memory.evidence)


def _list_rows(event: str, text: str, typed: str) -> Iterator[list[str]]:
    """The event itself, and what was taken from it: sentences, and the line that a log makes of it."""
    yield [event, "", ""]
    task = first_sentence(typed_words(text))
    said = [*typed_sentences(text), task, one_line(task, 120).removesuffix("…")]
    for plain in dict.fromkeys(map(normalise_words, said)):
        if plain and plain not in typed:
            yield [event, digest_words(plain), plain]


def _look_up(records: Sequence[JournalRecord], session: str, path: str, most: int) -> list[UntypedPrompt]:
    heard, client, marked = SessionHookEvents(), "", set()
    for record in records:
        data = record.data.get("data")
        if not isinstance(data, dict) or record.data.get("session") != session or record.data.get("client") == OURS:
            continue
        if record.data.get("name") == MARK:
            marked.add(text_in(data, "of"))
        elif data.get("harvested") is not True:
            client = str(record.data.get("client", ""))
            heard.note(record.id, record.ts, str(record.data.get("name", "")), data)
    found = find_untyped_prompts(client, path, session, heard, most=most, limits=dict(TOOL_LIMITS))
    return [each for each in found if each.event not in marked]


def _mark(session: str, client: str, found: UntypedPrompt) -> Event:
    data = {"of": found.event, "why": found.why, "harvested": True}
    return Event(client=client, name=MARK, session=session, key=f"{MARK}:{found.event}", data=data)


def _find_transcript(records: Sequence[JournalRecord]) -> str:
    """The session's transcript, as its hooks named it."""
    named = (text_in(each.data.get("data") or {}, "transcript") for each in records)
    return next(filter(None, named), "")


def _is_new(app: App, name: str, path: str) -> bool:
    """Whether a transcript, or its end, has grown since it was looked through under a name."""
    try:
        return read_json_cache(os.path.join(app.folder, LOOKED)).get(name) != os.stat(path).st_size
    except (OSError, ValueError):
        return False


def _note_looked(app: App, name: str, path: str) -> None:
    file = os.path.join(app.folder, LOOKED)
    known = {**read_json_cache(file), name: os.stat(path).st_size}
    write_json_cache(file, dict(list(known.items())[-MOST_LOOKED:]))


def _measure_folder(folder: str) -> int:
    try:
        with os.scandir(folder) as files:
            return sum(each.stat().st_size for each in files)
    except OSError:
        return 0
