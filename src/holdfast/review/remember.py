"""Remember, propose and change: how words become memories."""

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from holdfast.check.enforce_rules import APPROVING, EXCEPT, KEYS, PATHS, PATTERNS
from holdfast.conflicts.rejected_twin import find_rejected_twin
from holdfast.conflicts.subject import subject_of
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, Unavailable
from holdfast.core.event import Event
from holdfast.core.ids import random_part
from holdfast.core.memory import (
    CANDIDATE_PREFIX,
    DOUBT,
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
from holdfast.core.memory_json import from_json, to_json
from holdfast.core.presence import UNPROVEN, presence_json
from holdfast.core.relation import LEARNED
from holdfast.core.search import Select
from holdfast.core.value import Value, names_of, replace
from holdfast.distil.stated_choice import fill_choice, title_choice
from holdfast.index.entries import CANDIDATES, choose_scope, find_entry, is_candidate, to_index_entry
from holdfast.index.open_index import may_know_id
from holdfast.recall.citations.citation import LARGEST, lines_of, make_citation, span_of
from holdfast.redact.clean import clean_secrets
from holdfast.render.refresh import refresh_generated
from holdfast.review.batches import open_batch
from holdfast.review.find_quote import rest_on_quote
from holdfast.review.lifecycle import find_same_proposal
from holdfast.review.proposal_limits import limit_proposals, mark_proposal
from holdfast.review.relations import EntryRelation, RelationFinder, is_blocking
from holdfast.review.wait_again import put_back_expired
from holdfast.system.bounded_regex import find_pattern_error
from holdfast.trust.allow import mark_as_own
from holdfast.trust.presence import find_presence, prove_person
from holdfast.vault.entry_json import now, parse_moment, today
from holdfast.vault.promotion import PROMOTE_TO
from holdfast.workspace import App, find_agent, need_person

LONGEST_TITLE = 80
LARGEST_TEXT = 1024 * 1024
LISTS = ("tags", "paths", "supersedes")
# What makes memory, or changes it: the journal says who did it.
BY_PERSON = frozenset({"memory.added", "memory.changed", "candidate.accepted"})
STATES = {Status.CANDIDATE: "waits already", Status.REJECTED: "was rejected before"}
NUMBERS = ("confidence", "attempts")
WAITING = Select(statuses=(Status.CANDIDATE,))
# How a notice begins that tells of a memory which waits for a person's word.
HELD_BACK = "It waits as a candidate"
# How a notice begins that tells of a secret which was left out.
LEFT_OUT = "What looks like a secret was left out"
AS_THEY_ARE = ("enforce", "evidence", "cites", "extra", "type", "status", "said_by", "id")


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


class TooMuchText(BadRequest):
    """A text that nobody could read, and that every search would carry."""

    def __init__(self, field: str, size: int) -> None:
        super().__init__(
            f"The {field} has {size:,} bytes; a memory takes at most {LARGEST_TEXT:,} (1 MiB).",
            "keep the text in a file of the project, and remember what matters in it with --cite PATH.",
        )


class BadField(BadRequest):
    """A value that does not fit its field."""

    def __init__(self, field: str, value: object, takes: str) -> None:
        super().__init__(
            f"The field {field!r} takes {takes}, not {value!r}.", "`holdfast remember --help` has examples."
        )


class UnknownField(BadRequest):
    """A field that no memory has."""

    def __init__(self, names: str) -> None:
        super().__init__(f"A memory has no field {names}.", "docs/formats/memory-file.md lists the fields.")


class SupersedesItself(Conflict):
    """A chain of supersession that would bite its own tail."""

    def __init__(self, memory_id: str, other: str) -> None:
        super().__init__(
            f"{memory_id!r} cannot supersede {other!r}: it would come to supersede itself.",
            f"look at both: holdfast show {memory_id} {other}",
        )


class MemoryDraft(Value):
    """What somebody wants kept. `fields` are the memory's own fields, already of their kind.

    `as_is`: a person says that nothing in it is a secret, whatever it looks like. `quote`: the user's words that an
    agent rests it on; they are looked up.
    """

    type: str
    text: str
    because: str = ""
    quote: str = ""
    scope: str = ""
    cites: tuple[str, ...] = ()
    fields: Mapping[str, Any] | None = None
    as_is: bool = False


def remember(app: App, draft: MemoryDraft) -> Entry:
    """Keep a memory. Inside a client it becomes a candidate: an agent is not the person.

    What contradicts or replaces a memory that holds becomes one too, until the person says which of them stays.
    """
    if client := find_agent(app):
        app.notices.append(f"Inside {client} this is a candidate: a person accepts it in a terminal of their own.")
        return propose(app, draft, said_by=SaidBy.AGENT)
    prove_person(app, "remember")
    scope = choose_scope(app, draft.scope)
    memory = compose_memory(app, draft, SaidBy.USER)
    if held := _hold_back(app, memory, scope):
        return held
    entry = app.vaults[scope].create(memory, drawn=_is_drawn(app, draft, memory))
    mark_as_own(app, entry)
    journal_entry_change(app, "memory.added", entry)
    refresh_generated(app)
    return to_index_entry(entry)


def _is_drawn(app: App, draft: MemoryDraft, memory: Memory) -> bool:
    """Whether the id is a new random one: going through the names of 10,000 files costs more than all the rest."""
    return "id" not in (draft.fields or {}) and not may_know_id(app, memory.id)


def _hold_back(app: App, memory: Memory, scope: Scope) -> Entry | None:
    """What contradicts or replaces what holds waits as a candidate; once, however often it is said."""
    against = _find_blocking(app, memory, scope)
    if not against:
        return None
    app.notices.append(
        f"{HELD_BACK}: it {against[0].relation.kind} {against[0].relation.old}. Say which of them stays."
    )
    candidate = replace(memory, id=f"{CANDIDATE_PREFIX}-{memory.id.rpartition('-')[2]}", status=Status.CANDIDATE)
    if earlier := find_same_proposal(candidate, app.index.select(WAITING)):
        return earlier
    if scope is not app.scope:
        candidate = replace(candidate, extra={**candidate.extra, PROMOTE_TO: str(scope)})
    entry = app.candidates.add(candidate)
    journal_entry_change(app, "candidate.added", entry)
    app.refresh()
    return to_index_entry(entry, CANDIDATES)


def _find_blocking(app: App, memory: Memory, scope: Scope) -> list[EntryRelation]:
    """What a new memory is in conflict with. Where nobody could look, that is said, and it is kept."""
    # Facts may differ in a number: they are told beside the memory that is kept, and hold nothing back.
    decides = memory.type is MemoryType.DECISION
    if scope is not Scope.TEAM and not decides:
        return []
    asked = Entry(memory=memory, scope=scope, path="", line=1, sha256="")
    try:
        found = [each for each in RelationFinder(app, writing=True).at(asked) if is_blocking(each)]
    except (HoldfastError, OSError) as error:
        app.notices.append(f"What {memory.id} is to other memories could not be looked at: {error}")
        return []
    if scope is Scope.TEAM:
        return found
    # Likeness only asks.
    return [each for each in found if each.relation.rule not in LEARNED]


def propose(app: App, draft: MemoryDraft, said_by: SaidBy = SaidBy.USER) -> Entry:
    """Keep a candidate; one that says the same as an earlier candidate is that candidate."""
    choose_scope(app, draft.scope)
    client = find_agent(app)
    memory = _doubt_speaker(app, compose_memory(app, draft, SaidBy.AGENT if client else said_by))
    memory = mark_proposal(app, memory) if client else memory
    if draft.quote:
        memory = rest_on_quote(app, memory, draft.quote)
    memory = replace(memory, id=f"{CANDIDATE_PREFIX}-{memory.id.rpartition('-')[2]}", status=Status.CANDIDATE)
    earlier = find_same_proposal(memory, app.index.select(Select(types=(memory.type,)))) or find_rejected_twin(
        app, memory
    )
    if earlier and (again := put_back_expired(app, earlier)):
        app.notices.append(f"{again.memory.id} left the queue unreviewed; it was said again, and waits again.")
        return again
    if earlier:
        state = STATES.get(earlier.memory.status, "is a memory already")
        why = f" ({earlier.memory.because})" if earlier.memory.because else ""
        app.notices.append(f"The same {state}, as {earlier.memory.id}{why}: nothing was added.")
        return earlier
    with limit_proposals(app, memory):
        entry = app.candidates.add(memory)
        journal_entry_change(app, "candidate.added", entry)
    app.refresh()
    return to_index_entry(entry, CANDIDATES)


def _doubt_speaker(app: App, memory: Memory) -> Memory:
    """A proposal in the user's name that nobody is proven to have made waits for them, whatever their rule says."""
    if memory.said_by is not SaidBy.USER or find_presence(app).proven:
        return memory
    why = f"{UNPROVEN}: {find_presence(app).why}"
    return replace(memory, said_by=SaidBy.AGENT, extra={**memory.extra, DOUBT: why})


def change_entry(app: App, entry: Entry, fields: Mapping[str, Any], *, as_is: bool = False) -> Entry:
    """Change fields of an entry, and nothing else of its file; `as_is` as in a draft."""
    if not is_candidate(entry):
        prove_person(app, f"edit {entry.memory.id}")
    given = resolve_supersedes(app, check_fields(fields), entry.memory.id)
    new = {name: value for name, value in given.items() if value != getattr(entry.memory, name)}
    memory = _redact_fields(app, replace(entry.memory, **new), new, as_is=as_is)
    if memory == entry.memory:
        return entry
    _check_times({"valid_from": memory.valid_from, "valid_until": memory.valid_until})
    if is_candidate(entry) and memory.status not in {Status.CANDIDATE, Status.REJECTED}:
        raise BadField("status", str(memory.status), "candidate or rejected here: `holdfast accept` makes it a memory")
    with open_batch(app, "edit") as made:
        changed = made.rewrite(entry, replace(memory, updated=now(app)))
        journal_entry_change(app, "memory.changed", changed)
    return changed


def compose_memory(app: App, draft: MemoryDraft, said_by: SaidBy) -> Memory:
    """The memory a draft becomes."""
    kind = parse_memory_type(draft.type)
    text = _text("text", draft.text).strip()
    if not text:
        raise EmptyText
    # Before there is a title of it: a secret that is cut in half looks like none.
    text = text if draft.as_is else _clean_words(app, text)
    fields = resolve_supersedes(app, check_fields({"body": body_of(text, draft.because), **(draft.fields or {})}))
    if unknown := fields.keys() - set(names_of(Memory)):
        raise UnknownField(", ".join(sorted(unknown)))
    long = kind is MemoryType.DECISION and len(text.split("\n")[0]) > LONGEST_TITLE
    fields.setdefault("title", (title_choice(text) if long else "") or title_of(text))
    if draft.cites:
        fields["cites"] = tuple(cite_place(app, place) for place in draft.cites)
    fields.setdefault("valid_from", today(app))
    memory = Memory(id=f"{PREFIXES[kind]}-{random_part()}", type=kind, said_by=said_by, updated=now(app), **fields)
    memory = fill_choice(memory, text) if kind is MemoryType.DECISION else memory
    fields["subject"] = subject_of(memory)
    memory = replace(memory, subject=fields["subject"])
    return _redact_fields(app, memory, fields, as_is=draft.as_is)


def _clean_words(app: App, text: str) -> str:
    cleaned = clean_secrets(text)
    _notice_redacted(app, cleaned.found)
    return str(cleaned.value)


def _redact_fields(app: App, memory: Memory, names: Collection[str], *, as_is: bool) -> Memory:
    """The memory with what looks like a secret left out of some fields, and that said."""
    if as_is:
        need_person(app, "remember --as-is")
        return memory
    cleaned = clean_secrets(to_json(memory))
    if not cleaned.found:
        return memory
    assert isinstance(cleaned.value, dict)
    kept = from_json(cleaned.value)
    changed = {name: getattr(kept, name) for name in names if getattr(kept, name) != getattr(memory, name)}
    if changed:
        _notice_redacted(app, cleaned.found)
    return replace(memory, **changed)


def _notice_redacted(app: App, found: Mapping[str, int]) -> None:
    if found:
        app.notices.append(
            f"{LEFT_OUT} ({', '.join(sorted(found))}). If it is none, a person can keep the words with --as-is, in a "
            "terminal of their own."
        )


def parse_memory_type(name: str) -> MemoryType:
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


def parse_rejected_option(text: str) -> RejectedOption:
    """`X: reason` as an option that was not chosen."""
    option, _, reason = _text("rejected", text).partition(":")
    if not option.strip():
        raise BadField("rejected", text, "`option: reason`")
    return RejectedOption(option=option.strip(), reason=reason.strip())


def parse_enforce(pairs: Sequence[str]) -> dict[str, Any]:
    """`KEY=VALUE` as what `check` reads; a key again is one more value."""
    found: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in {*KEYS, PATHS, EXCEPT}:
            raise BadRequest(f"--enforce knows no {key!r}.", f"it knows {', '.join(KEYS)}.")
        if key in PATTERNS and (slip := find_pattern_error(value.strip())):
            raise BadRequest(f"--enforce {pair!r}: {slip}.", "write a regular expression that can be compiled.")
        if value.strip():
            found.setdefault(key, []).append(value.strip())
        elif key in APPROVING:
            found[key] = True
        else:
            raise BadRequest(f"--enforce {key} needs a value.", f"write it like: --enforce {key}=requests")
    return found


def check_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of their kind, with values that fit and text that a file can hold."""
    found = {name: convert_value(name, value) for name, value in fields.items()}
    if "title" in found:
        found["title"] = " ".join(found["title"].split())
        if not found["title"]:
            raise BadField("title", "", "some words")
    if not 0 <= (found.get("confidence") or 0) <= 1:
        raise BadField("confidence", found["confidence"], "a number from 0 to 1")
    if (found.get("attempts") or 0) < 0:
        raise BadField("attempts", found["attempts"], "a number of 0 or more")
    _check_times(found)
    return found


def convert_value(name: str, value: Any) -> Any:
    """A value of the kind its field takes; one text is a list of one, a date is its ISO form."""
    if name in LISTS:
        return tuple(_text(name, each) for each in ((value,) if isinstance(value, str) else value))
    if name in NUMBERS:
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise BadField(name, value, "a number")
        return value
    if name == "rejected":
        return tuple(each if isinstance(each, RejectedOption) else parse_rejected_option(each) for each in value)
    if name in AS_THEY_ARE:
        return value
    return _text(name, value.isoformat() if isinstance(value, date) else value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadField(name, value, "text")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise UnusableText(name)
    if len(value) * 4 > LARGEST_TEXT and (size := len(value.encode())) > LARGEST_TEXT:
        raise TooMuchText(name, size)
    if name == "paths" and ".." in value.replace("\\", "/").split("/"):
        raise BadField(name, value, "a glob inside the project, like src/api/**")
    if name in LISTS and not value.strip():
        raise BadField(name, value, "words that are not empty")
    return value


def _check_times(found: Mapping[str, Any]) -> None:
    for name in ("valid_from", "valid_until"):
        if found.get(name) and parse_moment(found[name]) is None:
            raise BadField(name, found[name], "a date like 2026-11-15")
    begin, end = parse_moment(found.get("valid_from", "")), parse_moment(found.get("valid_until", ""))
    if begin and end and end < begin:
        raise BadField("valid_until", found["valid_until"], f"a time after valid_from ({found['valid_from']})")


def resolve_supersedes(app: App, fields: dict[str, Any], own_id: str = "") -> dict[str, Any]:
    """The fields with each id in `supersedes` resolved: it is there, and nothing comes to supersede itself."""
    if not fields.get("supersedes"):
        return fields
    ids = tuple(find_entry(app, wanted).memory.id for wanted in fields["supersedes"])
    newer = {link.old: link.new for link in app.index.links()[0]}
    above, at = {own_id}, own_id
    while at in newer and newer[at] not in above:
        at = newer[at]
        above.add(at)
    for each in ids:
        if own_id and each in above:
            raise SupersedesItself(own_id, each)
    return {**fields, "supersedes": ids}


def cite_place(app: App, place: str) -> Citation:
    """`PATH` or `PATH:10-24` in the workspace, with the hash and the marks of what stands there now."""
    path, lines = split_lines(place)
    if "\0" in place:
        raise BadField("cites", place, "a path")
    root = os.path.realpath(app.workspace or os.getcwd())
    target = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, target]) != root or not os.path.isfile(target):
        raise BadField("cites", place, "a file of this workspace, with lines if you like: src/app.py:10-24")
    if os.path.getsize(target) > LARGEST:
        raise BadField("cites", place, f"a file of at most {LARGEST // 1024 // 1024} MiB")
    with open(target, "rb") as file:
        content = file.read(LARGEST)
    many, span = len(lines_of(content)), span_of(lines)
    if lines and (span is None or span.end > many):
        raise BadField("cites", place, f"lines that are there: the file has {many}")
    return make_citation(os.path.relpath(target, root).replace(os.sep, "/"), content, span)


def split_lines(place: str) -> tuple[str, str]:
    """A citation's path and its lines, if it names some."""
    path, colon, lines = place.rpartition(":")
    if colon and lines.replace("-", "", 1).isdigit() and lines[0] != "-" and lines[-1] != "-":
        return path, lines
    return place, ""


def journal_entry_change(app: App, name: str, entry: Entry) -> None:
    """Journal that a memory changed: its id, and none of its words (a file's name holds some)."""
    data: dict[str, Any] = {"id": entry.memory.id, "sha256": entry.sha256, "text": entry.memory.id}
    if app.presence is not None and name in BY_PERSON:
        data["by"] = presence_json(app.presence)
    try:
        app.journal.append([Event(client="holdfast", name=name, data=data)])
    except Unavailable as error:
        # The file is durable: to fail now would have the user do it twice.
        app.notices.append(f"{entry.memory.id} is kept, but the journal could not note it: {error}")
