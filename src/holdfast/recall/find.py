"""Layer 1 of finding: search, and list."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Status
from holdfast.core.search import Found, Hit, Question
from holdfast.core.times import BadTime
from holdfast.core.value import replace
from holdfast.recall.rank import search_ranked
from holdfast.recall.select import select_entries
from holdfast.trust.allow import filter_visible
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

MOST = 1_000_000
LOOKED_AT = 50


class EmptyQuery(BadRequest):
    """Nothing to search for."""

    def __init__(self) -> None:
        super().__init__("There is nothing to search for.", "`holdfast list` shows all memories.")


def search(app: App, question: Question, recipe: str = "") -> Found:
    """Layer 1: ids, titles and scores. `recipe`: how to rank, if not as the settings say."""
    check_question(question)
    found = search_ranked(app, question, recipe, rerank=True).found
    notice_unread(app)
    allowed = {id(entry) for entry in filter_visible(app, [hit.entry for hit in found.hits])}
    hits = [hit for hit in found.hits if id(hit.entry) in allowed]
    if question.select.statuses:
        hits = list(_order_by_truth(hits, find_superseded(app)))
    if not found.hits:
        # The index also holds what waits, and what no longer holds: nobody looked for the question in those.
        found = replace(found, searched={**found.searched, "memories": len(select_entries(question, app.index))})
    # What held then may speak of code that is long gone: that is no news.
    looked = 0 if question.as_of else LOOKED_AT
    return replace(found, hits=(*_mark_citations(app, hits[:looked]), *hits[looked:]))


def _order_by_truth(hits: Sequence[Hit], newer: Mapping[str, str]) -> Iterator[Hit]:
    """What took another's place stands before it, however well the old words fit."""
    waiting = {hit.entry.memory.id: hit for hit in hits}
    for hit in hits:
        chain, at = [hit.entry.memory.id], hit.entry.memory.id
        while (at := newer.get(at, "")) and at not in chain:
            chain.append(at)
        for name in reversed(chain):
            if name in waiting:
                yield waiting.pop(name)


def _mark_citations(app: App, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, each with what became of the code that it cites; nothing is loaded for it where they cite none."""
    if not any(hit.entry.memory.cites for hit in hits):
        return list(hits)
    from holdfast.recall.citations.stale_citations import describe_drift

    return [
        replace(hit, stale=describe_drift(app.workspace, hit.entry, app.base)) if hit.entry.memory.cites else hit
        for hit in hits
    ]


def check_question(question: Question) -> None:
    """Refuse what cannot be asked."""
    if not question.text.strip():
        raise EmptyQuery
    if not 1 <= question.limit <= MOST:
        raise BadRequest(f"A search gives from 1 to {MOST} hits, not {question.limit}.")
    _check_times(question.since, question.as_of)


def list_entries(app: App, question: Question) -> list[Entry]:
    """All memories that a question's filters mean, newest first; without statuses named, those valid now."""
    _check_times(question.since, question.as_of)
    asked = question.select.statuses
    wide = replace(question, select=replace(question.select, statuses=tuple(Status))) if asked else question
    newer = find_superseded(app) if asked else {}
    found = [e for e in select_entries(wide, app.index) if not asked or effective_status(e, newer) in asked]
    notice_unread(app)
    newest_first = sorted(found, key=lambda entry: (entry.memory.updated, entry.memory.id), reverse=True)
    return filter_visible(app, newest_first)


def effective_status(entry: Entry, newer: Mapping[str, str]) -> Status:
    """The status that counts: an accepted memory that another one replaced is superseded."""
    status = entry.memory.status
    return Status.SUPERSEDED if status is Status.ACCEPTED and entry.memory.id in newer else status


def notice_unread(app: App) -> None:
    """A file that cannot be read may hold what was looked for."""
    broken = {problem.path for problem in app.index.links()[1]}
    if broken:
        many = "memory files cannot be read" if len(broken) > 1 else "memory file cannot be read"
        app.notices.append(f"{len(broken)} {many}: `holdfast doctor` says why.")


def find_superseded(app: App) -> dict[str, str]:
    """Which memory replaced which."""
    return {link.old: link.new for link in app.index.links()[0]}


def _check_times(since: str, as_of: str) -> None:
    for option, value in (("--since", since), ("--as-of", as_of)):
        if value and parse_moment(value) is None:
            raise BadTime(option, value)
