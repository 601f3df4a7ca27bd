"""Memory's values in the shapes that the server gives."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from holdfast.core.conversation import Turn
from holdfast.core.memory import Citation, Entry
from holdfast.core.memory import Memory as OurMemory
from holdfast.core.memory_json import to_json
from holdfast.core.value import Value, as_dict
from holdfast.recall.citations.citation_status import STALE, CitationDrift, CitationState
from holdfast.recall.find import effective_status
from holdfast.records.evidence_context import QuotedEvidence
from holdfast.review.relations import EntryRelation
from holdfast.server.http.shapes.base_shape import ApiView
from holdfast.server.http.shapes.memory_shapes import (
    DecisionView,
    FailureView,
    LearningView,
    MemoryRow,
    MemoryView,
    QuotedEvidenceView,
    RelationView,
    TurnRow,
)
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

S = TypeVar("S", bound=ApiView)
Newer = Mapping[str, str]
RATIONALE = re.compile(r"\n\s*Rationale: ")
STATES = {CitationState.INTACT: "same", CitationState.UNREADABLE: ""}


def build_view(kind: type[S], given: Mapping[str, Any] | Value, **more: Any) -> S:
    """A shape out of a value's or other fields. Captured text may hold what no JSON can: the rest is given."""
    fields = {**(as_dict(given) if isinstance(given, Value) else given), **more}
    known = {name: fields[name] for name in kind.model_fields if name in fields}
    try:
        return kind(**known)
    except ValidationError:
        return kind(**sanitize_json(known))


def sanitize_json(value: Any) -> Any:
    """A value that JSON can carry: half characters and numbers that are none are left out."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {sanitize_json(str(key)): sanitize_json(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [sanitize_json(each) for each in value]
    return value


def build_memory_view(app: App, entry: Entry, newer: Newer, drifts: Sequence[CitationDrift] = ()) -> MemoryView:
    """A memory in full; with `drifts`, how the code it cites stands."""
    memory = entry.memory
    fields = to_json(memory) | _numbers(memory) | _build_aliases(memory) | _place(app, entry, newer)
    fields["cites"] = [_cite(drift) for drift in drifts] or [_build_plain_cite(cite) for cite in memory.cites]
    fields |= {"enforce": sanitize_json(dict(memory.enforce)), "extra": sanitize_json(dict(memory.extra))}
    return build_view(MemoryView, fields)


def build_memory_row(entry: Entry, newer: Newer, uses: Mapping[str, int]) -> MemoryRow:
    """A memory in one line."""
    memory = entry.memory
    return build_view(
        MemoryRow,
        {
            **_build_common_fields(entry, newer),
            **_numbers(memory),
            "category": memory.category,
            "updated": memory.updated,
            "valid_from": memory.valid_from,
            "valid_until": memory.valid_until,
            "superseded_by": newer.get(memory.id),
            "uses": uses.get(memory.id, 0),
        },
    )


def build_decision_view(entry: Entry, newer: Newer) -> DecisionView:
    """A decision in its list."""
    memory = entry.memory
    return build_view(
        DecisionView,
        {
            **_build_common_fields(entry, newer), "category": memory.category, "question": memory.question,
            "choice": memory.choice, "rationale": rationale(memory), "rejected": _options(memory),
            "timestamp": timestamp(memory), "supersedes": list(memory.supersedes),
            "superseded_by": newer.get(memory.id), "valid_from": memory.valid_from, "valid_until": memory.valid_until,
        },
    )  # fmt: skip


def build_failure_view(entry: Entry, newer: Newer) -> FailureView:
    """A failure in its list."""
    memory = entry.memory
    return build_view(
        FailureView,
        {
            **_build_common_fields(entry, newer),
            "description": memory.body or memory.title,
            "error_type": memory.error_type,
            "root_cause": memory.root_cause,
            "context": memory.context,
            "attempts": memory.attempts or 1,
            "timestamp": timestamp(memory),
        },
    )


def build_learning_view(entry: Entry, newer: Newer) -> LearningView:
    """A learning in its list."""
    memory = entry.memory
    return build_view(
        LearningView,
        {
            **_build_common_fields(entry, newer), "fact": memory.fact or memory.body, "category": memory.category,
            "confidence": _numbers(memory)["confidence"], "source": memory.source, "timestamp": timestamp(memory),
        },
    )  # fmt: skip


def build_relation_view(each: EntryRelation) -> RelationView:
    """What another memory is to the one asked about."""
    relation, other = each.relation, each.old.memory
    return build_view(
        RelationView,
        {
            "id": relation.old, "relation": str(relation.kind), "reason": relation.reason, "sure": relation.sure,
            "rule": relation.rule, "title": other.title, "status": str(other.status), "text": relation.old_text,
            "own_text": relation.new_text,
        },
    )  # fmt: skip


def build_turn_row(turn: Turn) -> TurnRow:
    """A turn of a conversation."""
    return build_view(TurnRow, turn, input=sanitize_json(dict(turn.input)), extra=sanitize_json(dict(turn.extra)))


def build_quote_view(each: QuotedEvidence) -> QuotedEvidenceView:
    """Evidence in its conversation."""
    turns = [build_turn_row(turn) for turn in each.turns]
    return build_view(QuotedEvidenceView, each, event=each.evidence.event, quote=each.evidence.quote, turns=turns)


def rationale(memory: OurMemory) -> str:
    """The reasons of a memory, as its body tells them."""
    parts = RATIONALE.split(memory.body)
    return parts[-1].strip() if len(parts) > 1 else ""


def timestamp(memory: OurMemory) -> str:
    """When a memory was last changed or began to hold."""
    return memory.updated or memory.valid_from


def find_first_line(entry: Entry) -> str:
    """The first line of a body that says more than the title."""
    title = " ".join(entry.memory.title.split()).rstrip(".…").casefold()
    lines = (" ".join(line.split()) for line in entry.memory.body.splitlines())
    return next((line for line in lines if line and not line.casefold().startswith(title)), "")[:300]


def _build_common_fields(entry: Entry, newer: Newer) -> dict[str, Any]:
    memory = entry.memory
    return {
        "id": memory.id, "type": str(memory.type), "status": str(effective_status(entry, newer)), "title": memory.title,
        "scope": str(entry.scope), "tags": list(memory.tags), "paths": list(memory.paths),
    }  # fmt: skip


def _numbers(memory: OurMemory) -> dict[str, Any]:
    return {"confidence": sanitize_json(memory.confidence), "attempts": memory.attempts}


def _build_aliases(memory: OurMemory) -> dict[str, Any]:
    """What lists call by other names."""
    described = memory.body if str(memory.type) == "failure" else ""
    return {"rationale": rationale(memory), "timestamp": timestamp(memory), "description": described}


def _place(app: App, entry: Entry, newer: Newer) -> dict[str, Any]:
    return {
        "status": str(effective_status(entry, newer)), "superseded_by": newer.get(entry.memory.id),
        "scope": str(entry.scope), "path": display_path(app, entry), "line": entry.line, "sha256": entry.sha256,
    }  # fmt: skip


def _options(memory: OurMemory) -> list[dict[str, str]]:
    return [{"option": each.option, "reason": each.reason} for each in memory.rejected]


def _cite(drift: CitationDrift) -> dict[str, str]:
    state = STATES.get(drift.state, str(drift.state))
    kept = f" ({drift.kept} of {drift.of} lines left)" if drift.of and state == "changed" else ""
    words = drift.why or STALE.get(drift.state, "") + kept
    moved = {"now_path": drift.path, "now_lines": drift.lines} if state in {"moved", "changed"} else {}
    return _build_plain_cite(drift.citation) | {"state": state, "words": words} | moved


def _build_plain_cite(cite: Citation) -> dict[str, str]:
    return {"path": cite.path, "lines": cite.lines, "sha256": cite.sha256}


def build_relation_views(found: Iterable[EntryRelation]) -> list[RelationView]:
    """Relations, the most important first."""
    return [build_relation_view(each) for each in found]
