"""The texts of what a session gave: summary.md, lineage and observations as lines, briefing.json, learnings, the log.

Every word of a session is somebody's text: it is made inert and stays on its line, so that none of it can pass for a
heading, an entry or a fence of ours.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.distilled import Briefing, Distilled, Learned
from holdfast.core.fence import make_inert
from holdfast.core.value import as_dict
from holdfast.records.record_pages import file_stamp
from holdfast.records.work_criteria import prompt_slug
from holdfast.records.work_unit import to_yaml

VERSION = 1
# Search reads the page; the rest of a long session is in observations.jsonl.
MOST_OBSERVED = 60
_SECTIONS = ("request", "investigated", "learned", "completed", "next")


def render_summary(distilled: Distilled) -> str:
    """summary.md of a session."""
    told = distilled.summary
    head = {
        "run": distilled.run,
        "session": strip_tags(distilled.session),
        "client": strip_tags(distilled.client),
        "by": distilled.by,
        "started": distilled.started,
        "ended": distilled.ended,
        "candidates": [one.id for one in distilled.candidates],
    }
    parts = [f"---\n{to_yaml(head)}---\n", f"# {strip_tags(told.title) or 'A session without a request'}\n"]
    for name in _SECTIONS:
        parts += _section(name.capitalize(), getattr(told, name))
    parts += _section(
        "Files", [f"`{change.path}`: {change.why}" if change.why else f"`{change.path}`" for change in told.files]
    )
    parts += _section("Set aside", distilled.set_aside)
    parts += _section("Not read", [distilled.unread])
    parts += _section("Observed", [one.text for one in distilled.observations[:MOST_OBSERVED]])
    return "\n".join(parts)


def lineage_rows(distilled: Distilled) -> list[dict[str, Any]]:
    """The lines of lineage.jsonl."""
    about = {"session": distilled.session, "client": distilled.client, "run": distilled.run}
    return [_strip_row(as_dict(row)) | about for row in distilled.lineage]


def observation_rows(distilled: Distilled) -> list[dict[str, Any]]:
    """The lines of observations.jsonl."""
    return [_strip_row(as_dict(row)) | {"session": distilled.session} for row in distilled.observations]


def briefing_json(distilled: Distilled) -> dict[str, Any]:
    """What briefing.json says."""
    told = distilled.briefing
    return {
        "v": VERSION,
        **briefing_to_json(told),
        "session": distilled.session,
        "client": distilled.client,
        "by": distilled.by,
        "updatedAt": distilled.ended,
    }


def briefing_to_json(told: Briefing) -> dict[str, Any]:
    """A briefing in the fields that the server gives too."""
    return {
        "mission": strip_tags(told.mission),
        "status": told.status.value,
        "progress": strip_tags(told.progress),
        "hazards": [strip_tags(line) for line in told.hazards],
        "hotFiles": [strip_tags(path) for path in told.hot_files],
        "nextAction": strip_tags(told.next_action),
        "predictedSkills": [strip_tags(name) for name in told.predicted_skills],
    }


def render_learning(learned: Learned, distilled: Distilled) -> tuple[str, str]:
    """A learning as a record: its path below .holdfast, and its text."""
    at = learned.at if len(learned.at) > len("2026-11-15") else distilled.ended or distilled.started
    words = strip_tags(learned.text)
    path = f"learning/{learned.category}/{at[:7]}/{file_stamp(at)}_{prompt_slug(words)}.md"
    head = to_yaml({"session": distilled.session, "event": learned.event, "at": at, "by": distilled.by})
    return path, f"---\n{head}---\n\n# {words}\n"


def format_log_line(distilled: Distilled) -> str:
    """The day's line, without its time."""
    return strip_tags(distilled.log)


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def strip_tags(words: str) -> str:
    """Words on one line, without tags and escape codes."""
    return " ".join(make_inert(words).split())


def _section(name: str, lines: Iterable[str]) -> list[str]:
    shown = [f"- {strip_tags(line)}" for line in lines if strip_tags(line)]
    return [f"## {name}\n", *shown, ""] if shown else []


def _strip_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: strip_tags(value)
        if isinstance(value, str)
        else list(map(strip_tags, value))
        if isinstance(value, tuple)
        else value
        for name, value in row.items()
    }
