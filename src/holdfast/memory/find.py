"""Layer 1 of finding: search, and list."""

from holdfast.domain.errors import BadRequest
from holdfast.domain.memory import Entry
from holdfast.domain.search import Found, Question
from holdfast.memory.forms import moment
from holdfast.recall.search import search as ask
from holdfast.recall.search import select
from holdfast.wiring.app import App


class EmptyQuery(BadRequest):
    """Nothing to search for."""

    def __init__(self) -> None:
        super().__init__("There is nothing to search for.", "`holdfast list` shows all memories.")


class BadTime(BadRequest):
    """A time that cannot be read."""

    def __init__(self, option: str, value: str) -> None:
        super().__init__(f"{option} takes a date like 2026-11-15 or a time like 2026-11-15T09:30, not {value!r}.")


def search(app: App, question: Question) -> Found:
    """Layer 1: ids, titles and scores."""
    if not question.text.strip():
        raise EmptyQuery
    _check_times(question.since, question.as_of)
    return ask(question, app.index)


def list_entries(app: App, question: Question) -> list[Entry]:
    """All memories that a question's filters mean, newest first; without statuses named, those valid now."""
    _check_times(question.since, question.as_of)
    found = select(question, app.index)
    return sorted(found, key=lambda entry: (entry.memory.updated, entry.memory.id), reverse=True)


def superseded_by(app: App) -> dict[str, str]:
    """Which memory replaced which."""
    return {link.old: link.new for link in app.index.links()[0]}


def _check_times(since: str, as_of: str) -> None:
    for option, value in (("--since", since), ("--as-of", as_of)):
        if value and moment(value) is None:
            raise BadTime(option, value)
