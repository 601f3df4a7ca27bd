"""Whether a person turned the same thing down before."""

from holdfast.core.memory import Entry, Memory, Status
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.workspace import App

# Of a kind, the newest so many rejected ones are compared with what is proposed.
MOST_REMEMBERED = 500
# In `extra` of a rejected candidate: a later statement took it back. Said again after that, it is asked again.
TAKEN_BACK_BY = "taken_back_by"


def find_rejected_twin(app: App, memory: Memory) -> Entry | None:
    """The rejected candidate that says the same in other words: what a person turned down is not asked again."""
    rejected = app.index.select(Select(types=(memory.type,), statuses=(Status.REJECTED,), newest=MOST_REMEMBERED))
    turned_down = [entry for entry in rejected if TAKEN_BACK_BY not in entry.memory.extra]
    if not turned_down:
        return None
    from holdfast.conflicts.relate import relate
    from holdfast.core.relation import Kind

    def says_the_same(each: Entry) -> bool:
        # As if it held: what was turned down holds at no time, and so is related to nothing.
        return relate(memory, replace(each.memory, status=Status.CANDIDATE)).kind is Kind.DUPLICATES

    return next(filter(says_the_same, turned_down), None)
