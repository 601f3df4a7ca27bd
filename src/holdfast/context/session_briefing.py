"""The briefing that the last session left, as a value; and the one that a session of ours leaves."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from holdfast.core.distilled import Briefing, Progress
from holdfast.core.plain_text import one_line
from holdfast.core.run import AGENT
from holdfast.core.value import Value
from holdfast.distil.session_pages import VERSION, briefing_to_json
from holdfast.inject.briefing_parts import BRIEFING, FRESH
from holdfast.project.read_beginning import head_of
from holdfast.records.refresh_records import write_if_changed
from holdfast.redact.clean import clean
from holdfast.review.agent_access import is_allowed
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App

LARGEST = 64 * 1024
LONGEST = 600
MOST = 30


class SessionBriefing(Value):
    """What a session left behind: its briefing, when, and its name."""

    briefing: Briefing
    at: datetime
    session: str = ""

    def is_fresh(self, now: datetime) -> bool:
        """Whether it may still be where the work stands."""
        return now - self.at <= FRESH


def read_last_briefing(app: App) -> SessionBriefing | None:
    """What the last session left; nothing where none did, or somebody else may have written it."""
    form = _read(app)
    if not form or not is_allowed(app) or TrackedFiles(app).holds(BRIEFING):
        return None
    try:
        at = datetime.fromisoformat(str(form.get("updatedAt", "")))
    except ValueError:
        return None
    return SessionBriefing(
        briefing=_briefing(form), at=at if at.tzinfo else at.replace(tzinfo=UTC), session=_text(form, "session")
    )


def save_session_briefing(app: App, session: str, briefing: Briefing) -> bool:
    """Keep a briefing for the next session, without secrets; whether there was a place for it."""
    if not app.workspace or TrackedFiles(app).holds(BRIEFING):
        return False
    cleaned: Any = clean(briefing_to_json(briefing)).value
    now = app.clock.now().isoformat(timespec="milliseconds")
    form = {"v": VERSION, **cleaned, "session": session, "client": AGENT, "by": "run", "updatedAt": now}
    write_if_changed(app, BRIEFING, json.dumps(form, ensure_ascii=False, indent=1) + "\n")
    return True


def _read(app: App) -> Mapping[str, Any]:
    data = head_of(app.folder, BRIEFING, LARGEST, links=False) if app.workspace else None
    try:
        form = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return form if isinstance(form, dict) else {}


def _briefing(form: Mapping[str, Any]) -> Briefing:
    status = _text(form, "status")
    return Briefing(
        mission=_text(form, "mission"), status=Progress(status) if status in set(Progress) else Progress.IN_PROGRESS,
        progress=_text(form, "progress"), hazards=_texts(form, "hazards"), hot_files=_texts(form, "hotFiles"),
        next_action=_text(form, "nextAction"), predicted_skills=_texts(form, "predictedSkills"),
    )  # fmt: skip


def _text(form: Mapping[str, Any], name: str) -> str:
    found = form.get(name)
    return one_line(found)[:LONGEST] if isinstance(found, str) else ""


def _texts(form: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = form.get(name)
    listed = [each for each in found if isinstance(each, str) and each.strip()] if isinstance(found, list) else []
    return tuple(one_line(each)[:LONGEST] for each in listed[:MOST])
