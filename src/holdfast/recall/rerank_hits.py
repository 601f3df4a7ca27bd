"""The best hits put in order again by the reranker that the settings name, within its time; else they stay."""

import math
import threading
import time
from collections.abc import Sequence

from holdfast.core.errors import HoldfastError
from holdfast.core.home import read_environment
from holdfast.core.reranker import NoReranker, Reranker
from holdfast.core.search import Hit
from holdfast.recall.rerank import Reranking, reorder_hits, text_of
from holdfast.workspace import App

SECONDS = "search.reranker_seconds"
# So many hits are looked at: each is a run of a network.
TOP = 20
# Those that did not come back in time. While one is at it nobody is asked: a server would fill with them.
_late: list[threading.Thread] = []


def rerank(app: App, question: str, hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], Reranking | None]:
    """The hits in their new order and what happened; as they were where there is no reranker, or it fails."""
    from holdfast.embed.open_reranker import open_reranker

    found = open_reranker(app.settings, app.home, read_environment())
    if isinstance(found, NoReranker):
        if found.wanted:
            app.notices.append(f"Hits are not reranked: {found.reason}. {found.hint}".rstrip())
        return tuple(hits), None
    begun = time.monotonic()
    scores = _scores(app, found, question, [text_of(hit.entry.memory) for hit in hits[:TOP]])
    if not scores:
        return tuple(hits), None
    ordered, moved = reorder_hits(hits, scores, found.name)
    return ordered, Reranking(by=found.name, seconds=round(time.monotonic() - begun, 3), moved=moved)


def _scores(app: App, reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    """Its scores; none, with a notice, where it fails, is late, or says what cannot be."""
    scores, trouble = _ask_reranker(reranker, question, texts, float(app.settings[SECONDS]))
    if not trouble and not _are_scores_valid(scores, len(texts)):
        trouble = "its answer is no list of numbers"
    if trouble:
        app.notices.append(f"Hits are not reranked by {reranker.name}: {trouble}")
        return []
    return [float(score) for score in scores]


def _ask_reranker(
    reranker: Reranker, question: str, texts: Sequence[str], seconds: float
) -> tuple[Sequence[float], str]:
    """What a reranker says within its time, or why it says nothing."""
    _late[:] = [thread for thread in _late if thread.is_alive()]
    if _late:
        return (), "an earlier question still waits for an answer"
    said = _RerankerReply()
    # Another package's code may never come back: search does.
    thread = threading.Thread(target=said.ask, args=(reranker, question, texts, seconds), daemon=True)
    thread.start()
    thread.join(seconds * 1.5)
    if thread.is_alive():
        _late.append(thread)
        return (), f"it did not answer within {seconds:g} s (`{SECONDS}`)"
    return said.scores, said.trouble


class _RerankerReply:
    """What a reranker said, from its thread."""

    def __init__(self) -> None:
        self.scores: Sequence[float] = ()
        self.trouble = ""

    def ask(self, reranker: Reranker, question: str, texts: Sequence[str], seconds: float) -> None:
        try:
            self.scores = reranker.scores(question, texts, seconds)
        except HoldfastError as error:
            self.trouble = f"{error} {error.hint}".rstrip()
        # Another package's code fails in every way there is.
        except Exception as error:
            self.trouble = f"{type(error).__name__}: {error}"


def _are_scores_valid(scores: object, most: int) -> bool:
    if not isinstance(scores, Sequence) or isinstance(scores, str) or len(scores) > most:
        return False
    return all(isinstance(each, int | float) and math.isfinite(each) for each in scores)
