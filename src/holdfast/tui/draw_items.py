"""How things look. Every text of others is made inert and never read as markup; marks say what colours say."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.memory import DOUBT, Entry, Memory, SaidBy, Status
from holdfast.core.plain_text import make_inert, one_line
from holdfast.core.relation import Kind, Reach, Relation
from holdfast.records.evidence_context import QuotedEvidence
from holdfast.review.queue_groups import SettledCandidate
from holdfast.review.relations import EntryRelation
from holdfast.tui.queue_items import QueueItem
from holdfast.vault.entry_json import format_age

LONGEST_BODY = 12_000
LONGEST_TURN = 700
LEAD = 240
SHORT = 8
MARKS = {Kind.CONTRADICTS: "!", Kind.SUPERSEDES: "»", Kind.DUPLICATES: "="}
WORDS = {
    Kind.CONTRADICTS: "contradicts", Kind.SUPERSEDES: "replaces", Kind.DUPLICATES: "repeats", Kind.REFINES: "beside",
    Kind.UNRELATED: "beside",
}  # fmt: skip
PLACES = {
    Reach.SAME: "at the same paths", Reach.INSIDE: "at a part of its paths", Reach.AROUND: "at its paths and more",
    Reach.SOME: "at some shared paths", Reach.APART: "at other paths",
}  # fmt: skip
WHO = {TurnKind.PROMPT: "user", TurnKind.ANSWER: "agent", TurnKind.TOOL: "tool", TurnKind.CUT: "cut"}
FIELDS = (
    ("subject", "subject"), ("question", "question"), ("choice", "choice"), ("fact", "fact"), ("error", "error_type"),
    ("message", "error_message"), ("cause", "root_cause"), ("while", "context"), ("category", "category"),
)  # fmt: skip
SOURCES = (
    ("finished sessions", "holdfast distil"), ("other tools", "holdfast import"),
    ("the code base", "holdfast distil --code"), ("agents, and you", "holdfast propose"),
)  # fmt: skip
_ABOUT = ("command", "file_path", "path", "filePath", "pattern", "query", "url", "description", "prompt")
QUIET, LOUD, WARN = "dim", "bold", "bold red"


# One line of the queue


def draw_row(item: QueueItem, seen: Sequence[EntryRelation] | None, width: int, *, here: bool, selected: bool) -> str:
    """The cursor, whether it is selected, its type's letter, how sure it is, what it is to others, and its title."""
    memory = item.entry.memory
    sure = "two" if item.pair else _format_confidence(memory.confidence)
    head = f"{'▸' if here else ' '}{'*' if selected else ' '}{memory.type[0].upper()} {sure} {choose_mark(item, seen)} "
    title = (
        f"{one_line(memory.title)} ≠ {one_line(item.pair.old.memory.title)}" if item.pair else one_line(memory.title)
    )
    title = f"+{len(item.settles)} {title}" if item.settles else title
    return fit(head + title, width)


def choose_mark(item: QueueItem, related: Sequence[EntryRelation] | None) -> str:
    """The most important relation of an item, as one character; a dot where nobody has looked yet."""
    if item.pair:
        return MARKS[Kind.CONTRADICTS]
    if related is None:
        return "·"
    return next((MARKS[each.relation.kind] for each in related if each.relation.kind in MARKS), " ")


def fit(text: str, width: int) -> str:
    """Text in exactly so many columns."""
    if cell_len(text) > width > 0:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, max(width, 0))


def _format_confidence(confidence: float | None) -> str:
    if confidence is None:
        return " – "
    return "1.0" if confidence >= 0.995 else f"{confidence:.2f}"[1:]


# The candidate


def draw_candidate(item: QueueItem, now: datetime) -> RenderableType:
    """An entry in full: what it says, and about itself."""
    memory = item.entry.memory
    parts: list[RenderableType] = [Text(one_line(memory.title), style=LOUD), _about(item.entry, now)]
    if item.expiry:
        parts.append(Text(item.expiry, style=QUIET))
    parts += [_draw_settled(each) for each in item.settles]
    if fields := list(_fields(memory)):
        parts.append(_grid(fields))
    body = _body(memory)
    if body:
        parts += [Text(), Text(body)]
    return Group(*parts)


def _draw_settled(each: SettledCandidate) -> Text:
    """Another candidate that goes with this one, and why."""
    text = Text().append(f"{each.how} ", style=QUIET).append(one_line(each.entry.memory.title))
    return text.append(f" ({make_inert(each.reason)})" if each.reason else "", style=QUIET)


def _about(entry: Entry, now: datetime) -> Text:
    memory = entry.memory
    said = [str(memory.type), f"said by {memory.said_by}"]
    if memory.confidence is not None:
        said.append(f"sure {memory.confidence:.2f}")
    if memory.status is not Status.CANDIDATE:
        said.append(f"{memory.status}, {entry.scope}")
    said += [old] if (old := format_age(memory.updated, now)) else []
    text = Text().append(" · ".join(said), style=QUIET)
    if memory.said_by is SaidBy.TOOL:
        text.append("\n! from what a tool showed: nobody said it", style=WARN)
    if doubt := memory.extra.get(DOUBT):
        text.append(f"\n! {make_inert(str(doubt))}", style=WARN)
    return text


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    for label, name in FIELDS:
        value = str(getattr(memory, name))
        if value.strip() and _differs(value, memory.title):
            yield label, make_inert(value.strip())
    for option in memory.rejected:
        yield "not", make_inert(f"{option.option}: {option.reason}" if option.reason else option.option)
    if memory.attempts is not None:
        yield "attempts", str(memory.attempts)
    for label, values in (("paths", memory.paths), ("tags", memory.tags), ("replaces", memory.supersedes)):
        if values:
            yield label, make_inert(", ".join(values))
    for cite in memory.cites:
        yield "cites", make_inert(f"{cite.path}:{cite.lines}" if cite.lines else cite.path)
    if memory.enforce:
        yield "enforce", make_inert(", ".join(f"{name}: {value}" for name, value in memory.enforce.items()))
    page = memory.extra.get("overview")
    if isinstance(page, dict):
        yield "page", make_inert(f"overview.md: {page.get('line', '')} → {page.get('status', '')}")
    if memory.valid_until:
        yield "until", make_inert(memory.valid_until)
    if memory.source:
        yield "from", make_inert(memory.source)


def _differs(one: str, other: str) -> bool:
    return _normalize_text(one) != _normalize_text(other)


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".…")


def _body(memory: Memory) -> str:
    """The body, unless it is the title again."""
    text = memory.body.strip()
    first, _, rest = text.partition("\n")
    if not _differs(first, memory.title):
        text = rest.strip()
    if len(text) > LONGEST_BODY:
        text = f"{text[:LONGEST_BODY]}\n… {len(text) - LONGEST_BODY} more characters: holdfast show {memory.id}"
    return make_inert(text)


def _grid(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(style=QUIET, no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows:
        table.add_row(Text(label), Text(value))
    return table


# What it conflicts with


def draw_conflicts(related: Sequence[EntryRelation], chosen: int) -> RenderableType:
    """Each relation: what it is, why, and both texts."""
    parts: list[RenderableType] = []
    for place, each in enumerate(related):
        here = len(related) > 1 and place == chosen
        parts += [_relation_head(each, here=here), _relation_grid(each), Text()]
    return Group(*parts[:-1]) if parts else Text("No memory near it says otherwise.", style=QUIET)


def _relation_head(each: EntryRelation, *, here: bool) -> Text:
    kind, old = each.relation.kind, each.old.memory
    style = WARN if kind is Kind.CONTRADICTS else LOUD
    text = Text().append("▸ " if here else "", style=LOUD)
    text.append(f"{MARKS.get(kind, ' ')} {WORDS[kind]} {one_line(old.id)}", style=style)
    return text.append(f"  {one_line(old.title)}", style=LOUD)


def _relation_grid(each: EntryRelation) -> Table:
    relation = each.relation
    rows = [("why", _why(relation))]
    rows += [("new", make_inert(relation.new_text))] if relation.new_text else []
    rows += [("old", make_inert(relation.old_text))] if relation.old_text else []
    old = each.old.memory
    body = _body(old)
    if body and _differs(body, relation.old_text):
        rows.append(("", body[:LONGEST_TURN] + ("…" if len(body) > LONGEST_TURN else "")))
    return _grid(rows)


def _why(relation: Relation) -> str:
    where = PLACES[relation.scope.paths]
    when = "" if relation.scope.time else ", at another time"
    reason = (relation.reason or relation.rule).removesuffix(f" ({relation.sure:.2f})")
    return make_inert(f"{reason} ({relation.sure:.2f}; {where}{when})")


# Where it comes from


def draw_evidence(item: QueueItem, quoted: Sequence[QuotedEvidence]) -> RenderableType:
    """Each piece of evidence among the turns around it."""
    if not quoted:
        return Text(_no_evidence(item.entry.memory), style=QUIET)
    parts: list[RenderableType] = []
    for each in quoted:
        parts += [_evidence_head(item.entry.memory, each), *_evidence_turns(each), Text()]
    return Group(*parts[:-1])


def _no_evidence(memory: Memory) -> str:
    if memory.source:
        return f"No event stands behind it; it came from {one_line(memory.source)}."
    return "No event stands behind it."


def _evidence_head(memory: Memory, each: QuotedEvidence) -> Text:
    """The quoted words, and who said them when: the beginning of it is read first."""
    text = Text(f"“{one_line(each.evidence.quote)}”" if each.evidence.quote else "(no quote)")
    if each.missing:
        return text.append(f"\n{one_line(each.missing)}", style=QUIET)
    at = next(turn for turn in each.turns if turn.id == each.at)
    said = [_who(at), at.ts[:16].replace("T", " "), one_line(each.client)]
    said += [] if each.session == memory.source else [one_line(each.session)[:SHORT]]
    return text.append(f"\n{' · '.join(said)}", style=QUIET)


def _evidence_turns(each: QuotedEvidence) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for turn in each.turns:
        here = turn.id == each.at
        said = _mark_quote(turn, each.evidence.quote) if here else Text(_cut(_format_turn(turn)), style=QUIET)
        table.add_row(Text("▸" if here else " ", style=LOUD), Text(_who(turn), style=LOUD if here else QUIET), said)
    if each.turns:
        yield table


def _who(turn: Turn) -> str:
    return "other" if turn.foreign else WHO.get(turn.kind, "other")


def _format_turn(turn: Turn) -> str:
    if turn.kind is not TurnKind.TOOL:
        return make_inert(turn.text.strip()) or "(nothing)"
    about = next((turn.input[name] for name in _ABOUT if isinstance(turn.input.get(name), str)), "")
    went = "failed" if turn.failed else "ok"
    shown = f"{one_line(turn.tool) or 'tool'}: {one_line(str(about))} ({went})"
    return f"{shown}\n{make_inert(turn.output.strip())}" if turn.output.strip() else shown


def _cut(text: str, most: int = LEAD) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most].rsplit(" ", 1)[0] + " …"


def _mark_quote(turn: Turn, quote: str) -> Text:
    """The turn itself, its quoted words marked; of a long one, the part around them."""
    words = _format_turn(turn)
    begin, end = _locate_quote(words, make_inert(quote))
    first = max(0, begin - LEAD) if len(words) > LONGEST_TURN else 0
    last = max(first + LONGEST_TURN, end)
    before, after = "… " if first else "", " …" if last < len(words) else ""
    text = Text(before + words[first:last] + after)
    if end > begin:
        text.stylize("bold underline", begin - first + len(before), end - first + len(before))
    return text


def _locate_quote(text: str, quote: str) -> tuple[int, int]:
    """Where a quote stands in a text, whatever the white space in both; (0, 0) where it does not."""
    wanted = "".join(quote.split())
    places = [at for at, character in enumerate(text) if not character.isspace()]
    begin = "".join(text.split()).find(wanted) if wanted else -1
    if begin < 0:
        return 0, 0
    return places[begin], places[begin + len(wanted) - 1] + 1


# Around it


def draw_head(place: str, count: int, total: int, selected: int, filtered: str) -> Text:
    """The line on top: which workspace, how much waits."""
    text = Text().append(" holdfast review ", style=LOUD).append(one_line(place), style=QUIET)
    many = f"{count} of {total} shown" if filtered else f"{count} to review"
    text.append(f"  {many}")
    text.append(f"  *{selected} selected", style=LOUD) if selected else None
    return text.append(f"  / {one_line(filtered)}", style=WARN) if filtered else text


def draw_keys(pairs: Iterable[tuple[str, str]]) -> Text:
    """Keys and what they do."""
    text = Text()
    for key, does in pairs:
        text.append(f" {key}", style=LOUD).append(f" {does}", style=QUIET)
    return text


def draw_empty(filtered: str, total: int) -> RenderableType:
    """What is said where there is nothing to review."""
    if filtered:
        return Text(f"Nothing of {total} fits “{one_line(filtered)}”.\n\n/ changes the filter; empty shows all.")
    return Group(Text("Nothing waits for review.", style=LOUD), Text("\nCandidates come from"), _grid(SOURCES))
