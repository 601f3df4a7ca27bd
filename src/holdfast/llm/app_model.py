"""The model of an app, with its budget, ledger and cache of replies."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.core.errors import HoldfastError
from holdfast.core.home import read_environment
from holdfast.core.model_port import NoModel
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.safe_write import put_file, read_file
from holdfast.workspace import MARKS, App

if TYPE_CHECKING:
    from holdfast.core.model_port import Model
    from holdfast.llm.cost_ledger import CostLedger
    from holdfast.llm.metered_model import Budget
    from holdfast.llm.prices import TokenPrice

COSTS = "costs"
REPLIES = ("state", "models")


class ReplyFiles:
    """Replies in files below our folder. A repository may bring a link of a folder's name: none is followed."""

    def __init__(self, folder: str) -> None:
        self._place = WritableFolder(root=folder, private=True)

    def read(self, name: str) -> bytes | None:
        """What is kept under a name; None where there is nothing, or no plain file."""
        try:
            return read_file(self._place, "/".join((*REPLIES, name)))
        except (HoldfastError, OSError):
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keep it."""
        with open_folder(self._place, REPLIES, make=True):
            put_file(os.path.join(self._place.root, *REPLIES, name), data)


def open_paid_model(app: App, *, remember: bool = False) -> "Model | NoModel":
    """The model, every request of it within the budget and in the ledger; with `remember`, no request made twice."""
    from holdfast.llm.cached_model import RememberingModel
    from holdfast.llm.metered_model import MeteredModel

    found = open_bare_model(app)
    if isinstance(found, NoModel):
        return found
    book = open_ledger(app)
    paid = MeteredModel(found, book, read_budget(app), find_price(app), lambda: app.clock.now().date().isoformat())
    return RememberingModel(paid, ReplyFiles(app.folder), book) if remember else paid


def explain_no_model(value: str) -> NoModel | None:
    """Why a value of `model` names none."""
    from holdfast.llm.open_model import why_no_model

    return why_no_model(value)


def open_bare_model(app: App) -> "Model | NoModel":
    """The model alone."""
    from holdfast.llm.open_model import open_model

    return open_model(app.settings, app.home, build_own_environment())


def open_ledger(app: App) -> "CostLedger":
    """The user's ledger: a day's budget holds over all workspaces."""
    from holdfast.llm.cost_ledger import CostLedger

    return CostLedger(os.path.join(app.home, COSTS), app.clock.now, app.workspace_id)


def read_budget(app: App) -> "Budget":
    """The most that may be spent."""
    from holdfast.llm.metered_model import Budget

    names = ("session_tokens", "day_tokens", "session_cents", "day_cents")
    return Budget(**{name: int(app.settings[f"model_{name}"]) for name in names})


def find_price(app: App) -> "TokenPrice | None":
    """What the model's tokens cost, where that is known."""
    from holdfast.llm.prices import price_of

    return price_of(str(app.settings["model"]).partition(":")[2], str(app.settings["model_price"]).strip())


def build_own_environment() -> Mapping[str, str]:
    """The environment without the marks of a client around us: a client that we start is not inside that one."""
    marks = {name for names in MARKS.values() for name in names}
    return {name: value for name, value in read_environment().items() if name not in marks}
