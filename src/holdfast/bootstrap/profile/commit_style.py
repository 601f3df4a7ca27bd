"""How commits are worded."""

import re
from collections.abc import Iterable

from holdfast.bootstrap.profile.profile_values import TraitTallies
from holdfast.core.word_lists import word_set

SHORT, LONG = 50, 72
_CONVENTIONAL = re.compile(
    r"(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert|deps|wip|release)(?:\([^)]{1,60}\))?!?: \S",
    re.IGNORECASE,
)
_TICKET = re.compile(r"\[?[A-Z][A-Z0-9]{1,9}-\d+\]?[:\s]")
_MERGE = re.compile(r"(?:Merge |Revert \"|fixup! |squash! |Bump |Initial commit)")
# The plain form of a verb, as an order has it; with -ed, -s or -ing it is no order.
_ORDERS = word_set(
    "add allow apply avoid bring build bump call change check clean close convert copy correct create cut "
    "declare define delete deprecate disable do document drop enable ensure escape exclude expose extend "
    "extract fix format generate get give handle hide ignore implement import improve include increase inline "
    "introduce keep let limit link list load log make mark match merge migrate mock move name normalize "
    "optimize pass pin port prefer prepare prevent print provide publish put raise read rebuild reduce "
    "refactor register reject release remove rename reorder replace report require reset resolve restore "
    "restrict return reuse revert rewrite run save send separate set show simplify skip sort split start stop "
    "store strip support switch sync tag take test throw tidy tighten track trim try tune turn unify update "
    "upgrade use validate verify wait warn wrap write"
)


def count_commits(subjects: Iterable[str], book: TraitTallies) -> None:
    """Count the subjects of some commits; merges and what tools wrote do not tell."""
    for subject in subjects:
        if not subject.strip() or _MERGE.match(subject):
            continue
        book.commit("commits.style", _style(subject), subject)
        length = len(subject)
        book.commit("commits.subject", "50" if length <= SHORT else "72" if length <= LONG else "longer", subject)


def _style(subject: str) -> str:
    if _CONVENTIONAL.match(subject):
        return "conventional"
    if _TICKET.match(subject):
        return "ticket"
    first = subject.split(maxsplit=1)[0].lower().strip(":,")
    return "imperative" if first in _ORDERS else "other"
