"""The daily log."""

import os
from datetime import date

from holdfast.core.errors import BadRequest
from holdfast.records.daily_file import LogLine, append_line, list_days, read_day
from holdfast.redact import clean as redact
from holdfast.workspace import App

__all__ = ["LogLine", "add_log_line", "list_log_days", "read_daily_log"]


class BadLogDay(BadRequest):
    """A day that is none."""

    def __init__(self, value: str) -> None:
        super().__init__(f"{value!r} is not a date.", "write it like 2026-11-15.")


def add_log_line(app: App, text: str) -> str:
    """Put a line into today's log; its day."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadRequest("The text is not valid UTF-8.", "check the terminal's encoding.")
    if not text.strip():
        raise BadRequest("There is no text to log.", 'give it in quotes: holdfast log "tried X, it failed".')
    now = app.clock.now().astimezone()
    words = str(redact.clean(text.strip()).value)
    if app.client:
        words = f"{' '.join(words.split())} (said by {app.client})"
    append_line(_folder(app), now.date().isoformat(), now.strftime("%H:%M"), words)
    return now.date().isoformat()


def read_daily_log(app: App, day: str = "") -> tuple[str, tuple[LogLine, ...]]:
    """A day and its log; without one, today's."""
    chosen = day or app.clock.now().astimezone().date().isoformat()
    try:
        date.fromisoformat(chosen)
    except ValueError:
        raise BadLogDay(day) from None
    return chosen, read_day(_folder(app), chosen)


def list_log_days(app: App) -> list[str]:
    """Every day that has a log, newest first."""
    return sorted(list_days(_folder(app)), reverse=True)


def _folder(app: App) -> str:
    return os.path.join(app.folder, "log")
