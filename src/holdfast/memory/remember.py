"""Remember, propose and change: how words become memories."""

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from holdfast.curate.lifecycle import same_proposal
from holdfast.domain.errors import BadRequest
from holdfast.domain.event import Event
from holdfast.domain.ids import random_part
from holdfast.domain.memory import (
    CANDIDATE_PREFIX,
    PREFIXES,
    Citation,
    Entry,
    Memory,
    MemoryType,
    RejectedOption,
    SaidBy,
    Scope,
    Status,
)
from holdfast.domain.value import Value, replace
from holdfast.memory.allow import learn
from holdfast.memory.entries import CANDIDATES, from_index, is_candidate, scope_for, to_index, vault_of
from holdfast.memory.forms import moment, now, today
from holdfast.memory.open import NoWorkspace, need_person
from holdfast.wiring.app import App

LONGEST_TITLE = 80


class UnknownType(BadRequest):
    """A type that is none of the six."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no memory type {name!r}.", f"the types are {', '.join(MemoryType)}.")


class EmptyText(BadRequest):
    """Nothing to remember."""

    def __init__(self) -> None:
        super().__init__("There is no text to remember.", 'give it in quotes, or "-" to read it from standard input.')


class UnusableText(BadRequest):
    """Text with what no Markdown file can hold."""

    def __init__(self, field: str) -> None:
        super().__init__(f"The {field} holds a NUL or is not valid UTF-8.", "remove the binary part and try again.")


class BadField(BadRequest):
    """A value that does not fit its field."""

    def __init__(self, field: str, value: object, takes: str) -> None:
        super().__init__(f"{field} takes {takes}, not {value!r}.", "`holdfast remember --help` has examples.")


class Draft(Value):
    """What somebody wants kept. `fields` are the memory's own fields, already of their kind."""

    type: str
    text: str
    because: str = ""
    scope: str = ""
    cites: tuple[str, ...] = ()
    fields: Mapping[str, Any] | None = None


def remember(app: App, draft: Draft) -> Entry:
    """Keep a memory. Inside a client it becomes a candidate: an agent is not the person."""
    if app.client:
        app.notices.append(f"Inside {app.client} this is a candidate: a person accepts it in a terminal of their own.")
        return propose(app, draft, said_by=SaidBy.AGENT)
    memory = composed(app, draft, SaidBy.USER)
    scope = scope_for(app, draft.scope)
    if scope is Scope.WORKSPACE and not app.workspace:
        raise NoWorkspace(os.getcwd())
    entry = app.vaults[scope].create(memory)
    learn(app, entry)
    note(app, "memory.added", entry)
    app.refresh()
    return to_index(entry)


def propose(app: App, draft: Draft, said_by: SaidBy = SaidBy.USER) -> Entry:
    """Keep a candidate; one that says the same as an earlier candidate is that candidate."""
    by = SaidBy.AGENT if app.client else said_by
    memory = composed(app, draft, by)
    memory = replace(memory, id=f"{CANDIDATE_PREFIX}-{memory.id.rpartition('-')[2]}", status=Status.CANDIDATE)
    earlier = same_proposal(memory, app.candidates.all())
    if earlier:
        state = "was rejected before" if earlier.memory.status is Status.REJECTED else "waits already"
        app.notices.append(f"The same proposal {state}, as {earlier.memory.id}: nothing was added.")
        return to_index(earlier, CANDIDATES)
    entry = app.candidates.add(memory)
    note(app, "candidate.added", entry)
    app.refresh()
    return to_index(entry, CANDIDATES)


def change(app: App, entry: Entry, fields: Mapping[str, Any]) -> Entry:
    """Change fields of an entry, and nothing else of its file."""
    if not is_candidate(entry):
        need_person(app, f"edit {entry.memory.id}")
    memory = replace(entry.memory, **checked(fields))
    if memory == entry.memory:
        return entry
    place = entry.path.partition("/")[0]
    changed = vault_of(app, entry).rewrite(from_index(entry), replace(memory, updated=now(app)))
    learn(app, changed, before=entry.sha256)
    note(app, "memory.changed", changed)
    app.refresh()
    return to_index(changed, place)


def composed(app: App, draft: Draft, said_by: SaidBy) -> Memory:
    """The memory a draft becomes."""
    kind = memory_type(draft.type)
    text = draft.text.strip()
    if not text:
        raise EmptyText
    fields = checked({"body": body_of(text, draft.because), **(draft.fields or {})})
    fields.setdefault("title", title_of(text))
    if draft.cites:
        fields["cites"] = tuple(cited(app, place) for place in draft.cites)
    fields.setdefault("valid_from", today(app))
    return Memory(id=f"{PREFIXES[kind]}-{random_part()}", type=kind, said_by=said_by, updated=now(app), **fields)


def memory_type(name: str) -> MemoryType:
    """The type a word means; plurals are understood."""
    word = name.lower().removesuffix("s")
    if word not in set(MemoryType):
        raise UnknownType(name)
    return MemoryType(word)


def title_of(text: str) -> str:
    """A title out of the first line."""
    line = text.strip().splitlines()[0].strip().lstrip("#").strip() if text.strip() else ""
    if len(line) <= LONGEST_TITLE:
        return line.removesuffix(".")
    return line[:LONGEST_TITLE].rsplit(" ", 1)[0] + "…"


def body_of(text: str, because: str) -> str:
    """The body: the words, and the reason where one is given."""
    return f"{text}\n\nRationale: {because.strip()}" if because.strip() else text


def rejected_option(text: str) -> RejectedOption:
    """`X: reason` as an option that was not chosen."""
    option, _, reason = text.partition(":")
    if not option.strip():
        raise BadField("--rejected", text, "`option: reason`")
    return RejectedOption(option=option.strip(), reason=reason.strip())


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields whose text a file can hold, and whose values fit."""
    for name, value in fields.items():
        for text in (value,) if isinstance(value, str) else ():
            if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
                raise UnusableText(name)
    confidence = fields.get("confidence")
    if confidence is not None and not 0 <= confidence <= 1:
        raise BadField("--confidence", confidence, "a number from 0 to 1")
    for name in ("valid_from", "valid_until"):
        if fields.get(name) and moment(fields[name]) is None:
            raise BadField(f"--{name.replace('_', '-')}", fields[name], "a date like 2026-11-15")
    return dict(fields)


def cited(app: App, place: str) -> Citation:
    """`PATH` or `PATH:10-24` in the workspace, with the hash of what stands there now."""
    path, lines = split_lines(place)
    root = os.path.realpath(app.workspace or os.getcwd())
    target = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, target]) != root or not os.path.isfile(target):
        raise BadField("--cite", place, "a file of this workspace, with lines if you like: src/app.py:10-24")
    with open(target, "rb") as file:
        content = file.read().splitlines(keepends=True)
    if lines:
        first, _, last = lines.partition("-")
        content = content[int(first) - 1 : int(last or first)]
    relative = os.path.relpath(target, root).replace(os.sep, "/")
    return Citation(path=relative, lines=lines, sha256=sha256(b"".join(content)).hexdigest())


def split_lines(place: str) -> tuple[str, str]:
    """A citation's path and its lines, if it names some."""
    path, colon, lines = place.rpartition(":")
    if colon and lines.replace("-", "", 1).isdigit() and lines[0] != "-" and lines[-1] != "-":
        return path, lines
    return place, ""


def note(app: App, name: str, entry: Entry) -> None:
    """Journal that a memory changed: its id, and none of its words (a file's name holds some)."""
    data = {"id": entry.memory.id, "sha256": entry.sha256, "text": entry.memory.id}
    app.journal.append([Event(client="holdfast", name=name, data=data)])
