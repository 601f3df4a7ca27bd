"""The memories near a new one, found by the search there is, and how near they are by the embedder there is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.core.errors import Unavailable
from holdfast.core.memory import Entry, Memory
from holdfast.core.search import Question
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.conflicts.model_judge import ModelJudge
    from holdfast.core.model_port import NoModel


def find_near_memories(app: App, new: Memory, most: int = 0, *, writing: bool = False) -> list[Entry]:
    """The valid memories that a new one may have to do with, best first; not itself.

    `writing`: somebody waits, so that most memories without a vector stay so for now.
    """
    from holdfast.conflicts.near_query import MOST, find_nearest
    from holdfast.recall.rank import search_ranked, search_while_writing

    found: dict[str, Entry] = {}

    def ask(text: str, limit: int) -> list[str]:
        question = Question(text=text, limit=limit)
        hits = (search_while_writing(app, question) if writing else search_ranked(app, question).found).hits
        found.update({hit.entry.memory.id: hit.entry for hit in hits})
        return [hit.entry.memory.id for hit in hits]

    names = find_nearest(new, ask, most or MOST)
    return [found[name] for name in names]


class Nearness:
    """Cosines of memories' texts, each text embedded once; nobody knows them where there is no embedder."""

    def __init__(self, app: App) -> None:
        from holdfast.embed.app_embedders import open_embedders

        there = open_embedders(app)
        self._app = app
        # Whether two say the same was measured with the static table.
        self._embedder = there.static or there.encoder
        self._vectors: dict[str, list[float]] = {}

    @property
    def known(self) -> bool:
        """Whether there is an embedder that answers."""
        return self._embedder is not None

    def learn(self, memories: Sequence[Memory]) -> None:
        """Embed what is not known yet, at once. An endpoint that does not answer is not asked again."""
        from holdfast.conflicts.read_memory import texts_for_nearness

        wanted = list(
            dict.fromkeys(text for each in memories for text in texts_for_nearness(each) if text not in self._vectors)
        )
        wanted = [text for text in wanted if text.strip()]
        if self._embedder is None or not wanted:
            return
        try:
            rows = self._embedder.embed(wanted)
        except Unavailable as trouble:
            self._app.notices.append(f"{trouble} {trouble.hint}".rstrip())
            self._embedder = None
            return
        self._vectors.update({text: row.tolist() for text, row in zip(wanted, rows, strict=True)})

    def __call__(self, one: str, other: str) -> float | None:
        """The cosine of two texts; None where one of them has no vector."""
        mine, theirs = self._vectors.get(one), self._vectors.get(other)
        if mine is None or theirs is None:
            return None
        return sum(a * b for a, b in zip(mine, theirs, strict=True))


def open_judge(app: App) -> "ModelJudge | NoModel":
    """A judge by the model that the settings name, within its budget."""
    from holdfast.conflicts.model_judge import ModelJudge
    from holdfast.core.model_port import NoModel
    from holdfast.llm.app_model import open_paid_model

    found = open_paid_model(app, remember=True)
    return found if isinstance(found, NoModel) else ModelJudge(found)
