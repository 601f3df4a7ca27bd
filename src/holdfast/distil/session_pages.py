"""The texts of what a session gave: summary.md, lineage and observations as lines, briefing.json, learnings, the log.

Every word of a session is somebody's text: it is made inert and stays on its line, so that none of it can pass for a
heading, an entry or a fence of ours.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.distilled import Briefing, Distilled, Learned
from holdfast.core.fence import inert
from holdfast.core.value import as_dict
from holdfast.records.record_pages import stamp
from holdfast.records.work_criteria import eight_words
from holdfast.records.work_unit import yaml

VERSION = 1
# Search reads the page; the rest of a long session is in observations.jsonl.
MOST_OBSERVED = 60
_SECTIONS = ("request", "investigated", "learned", "completed", "next")


def summary_page(distilled: Distilled) -> str:
    """summary.md of a session."""
    told = distilled.summary
    head = {
        "run": distilled.run,
        "session": plain(distilled.session),
        "client": plain(distilled.client),
        "by": distilled.by,
        "started": distilled.started,
        "ended": distilled.ended,
        "candidates": [one.id for one in distilled.candidates],
    }
    parts = [f"---\n{yaml(head)}---\n", f"# {plain(told.title) or 'A session without a request'}\n"]
    for name in _SECTIONS:
        parts += _section(name.capitalize(), getattr(told, name))
    parts += _section(
        "Files", [f"`{change.path}`: {change.why}" if change.why else f"`{change.path}`" for change in told.files]
    )
    parts += _section("Observed", [one.text for one in distilled.observations[:MOST_OBSERVED]])
    return "\n".join(parts)


def lineage_rows(distilled: Distilled) -> list[dict[str, Any]]:
    """The lines of lineage.jsonl."""
    about = {"session": distilled.session, "client": distilled.client, "run": distilled.run}
    return [_plain(as_dict(row)) | about for row in distilled.lineage]


def observation_rows(distilled: Distilled) -> list[dict[str, Any]]:
    """The lines of observations.jsonl."""
    return [_plain(as_dict(row)) | {"session": distilled.session} for row in distilled.observations]


def briefing_json(distilled: Distilled) -> dict[str, Any]:
    """What briefing.json says."""
    told = distilled.briefing
    return {
        "v": VERSION,
        **briefing_form(told),
        "session": distilled.session,
        "client": distilled.client,
        "by": distilled.by,
        "updatedAt": distilled.ended,
    }


def briefing_form(told: Briefing) -> dict[str, Any]:
    """A briefing in the fields that the server gives too."""
    return {
        "mission": plain(told.mission),
        "status": told.status.value,
        "progress": plain(told.progress),
        "hazards": [plain(line) for line in told.hazards],
        "hotFiles": [plain(path) for path in told.hot_files],
        "nextAction": plain(told.next_action),
        "predictedSkills": [plain(name) for name in told.predicted_skills],
    }


def learning_page(learned: Learned, distilled: Distilled) -> tuple[str, str]:
    """A learning as a record: its path below .holdfast, and its text."""
    at = learned.at if len(learned.at) > len("2026-11-15") else distilled.ended or distilled.started
    words = plain(learned.text)
    path = f"learning/{learned.category}/{at[:7]}/{stamp(at)}_{eight_words(words)}.md"
    head = yaml({"session": distilled.session, "event": learned.event, "at": at, "by": distilled.by})
    return path, f"---\n{head}---\n\n# {words}\n"


def log_line(distilled: Distilled) -> str:
    """The day's line, without its time."""
    return plain(distilled.log)


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def plain(words: str) -> str:
    """Words on one line, without tags and escape codes."""
    return " ".join(inert(words).split())


def _section(name: str, lines: Iterable[str]) -> list[str]:
    shown = [f"- {plain(line)}" for line in lines if plain(line)]
    return [f"## {name}\n", *shown, ""] if shown else []


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: plain(value) if isinstance(value, str) else list(map(plain, value)) if isinstance(value, tuple) else value
        for name, value in row.items()
    }
