"""The candidates of one question and what lanes need of them, looked up once and only for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from holdfast.core.shelf import Shelf, Text, Totals
from holdfast.recall.engine.engine_values import PreparedQuestion

AGENT = frozenset({"agent", "assistant"})
LENDS_NOTHING = AGENT | {"tool"}
NOTHING: Mapping[str, int] = {}

T = TypeVar("T")


class Table:
    """Candidates, in the order of their rows, with their windows.

    `look` is the first look at them as a share of the best, `seeds` the best by it. What lanes put in `kept` stays when
    other rows become candidates.
    """

    def __init__(self, asking: PreparedQuestion, shelf: Shelf, totals: Totals) -> None:
        self.shelf, self.totals = shelf, totals
        self.rows: Sequence[int] = ()
        self.look: Mapping[int, float] = {}
        self.seeds: Sequence[int] = ()
        self.texts: dict[int, Text] = {}
        self.kept: dict[str, Any] = {}
        self._terms = frozenset(asking.terms)
        self._asked = list(dict.fromkeys((*asking.terms, *asking.stems)))
        self._reach = asking.recipe.settings.before, asking.recipe.settings.after
        self._lending: set[int] = set()
        self._windows: dict[int, tuple[int, ...]] = {}
        self._held: dict[int, Mapping[str, int]] = {}
        self._counts: dict[int, Mapping[str, int]] = {}
        self._made: dict[str, Any] = {}

    def set_rows(self, rows: Iterable[int]) -> None:
        """Make these the candidates. Rows that are gone are left out."""
        wanted = sorted(set(rows))
        fresh = [row for row in wanted if row not in self._windows]
        around = self.shelf.around(fresh, *self._reach)
        self._load({*fresh, *chain.from_iterable(around.values())})
        for row in fresh:
            self._windows[row] = tuple([near for near in around.get(row, ()) if near == row or near in self._lending])
        self.rows = [row for row in wanted if row in self.texts]
        self._made.clear()

    def window(self, row: int) -> Sequence[int]:
        """A candidate and its neighbours. What an agent said lends nothing to what stands beside it."""
        return self._windows[row]

    def members(self) -> list[int]:
        """All rows of all windows."""
        return self.once("members", lambda: sorted({near for row in self.rows for near in self._windows[row]}))

    def counts(self, row: int) -> Mapping[str, int]:
        """How often the question's terms stand in a loaded passage."""
        return self._counts.get(row, NOTHING)

    def stems(self, row: int) -> Mapping[str, int]:
        """How often its terms and the stems of its words do."""
        return self._held.get(row, NOTHING)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What several lanes need, made when the first asks."""
        if name not in self._made:
            self._made[name] = make()
        found: T = self._made[name]
        return found

    def _load(self, rows: set[int]) -> None:
        fresh = sorted(rows - self.texts.keys())
        texts = self.shelf.texts(fresh)
        self.texts |= texts
        self._lending.update(row for row, text in texts.items() if text.said_by not in LENDS_NOTHING)
        held = self.shelf.holding(fresh, self._asked)
        self._held |= held
        if len(self._terms) == len(self._asked):
            self._counts |= held
        else:
            for row, each in held.items():
                self._counts[row] = {term: times for term, times in each.items() if term in self._terms}
