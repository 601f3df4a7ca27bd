"""The model of an app, with its budget, ledger and memory of replies; and the distiller that asks it."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.core.agent_marks import MARKS
from holdfast.core.errors import HoldfastError
from holdfast.core.home import environment
from holdfast.core.model_port import NoModel
from holdfast.core.value import Value
from holdfast.system.folders import Place, opened_folder
from holdfast.system.safe_write import put_file, read_file
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.model_port import Model
    from holdfast.distil.model.model_distiller import ModelDistiller
    from holdfast.llm.cost_ledger import Ledger
    from holdfast.llm.metered_model import Budget
    from holdfast.llm.prices import Price

COSTS = "costs"
REPLIES = ("state", "models")


class Opened(Value):
    """The distiller by a model, or why there is none. `wanted` is false where the user set no model."""

    distiller: "ModelDistiller | None" = None
    reason: str = ""
    hint: str = ""
    wanted: bool = True


class Replies:
    """Replies in files below our folder. A repository may bring a link of a folder's name: none is followed."""

    def __init__(self, folder: str) -> None:
        self._place = Place(root=folder, private=True)

    def read(self, name: str) -> bytes | None:
        """What is kept under a name; None where there is nothing, or no plain file."""
        try:
            return read_file(self._place, "/".join((*REPLIES, name)))
        except (HoldfastError, OSError):
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keep it."""
        with opened_folder(self._place, REPLIES, make=True):
            put_file(os.path.join(self._place.root, *REPLIES, name), data)


def open_distiller(app: App) -> Opened:
    """The distiller that the settings name; without one, the rules are asked alone."""
    from holdfast.distil.model.model_distiller import ModelDistiller
    from holdfast.distil.rule_distiller import Rules

    found = open_paid(app, remember=True)
    if isinstance(found, NoModel):
        return Opened(reason=found.reason, hint=found.hint, wanted=found.wanted)
    return Opened(distiller=ModelDistiller(found, Rules(), int(app.settings["model_input_tokens"])))


def open_paid(app: App, *, remember: bool = False) -> "Model | NoModel":
    """The model, every request of it within the budget and in the ledger; with `remember`, no request made twice."""
    from holdfast.llm.cached_model import Remembered
    from holdfast.llm.metered_model import Metered

    found = open_bare(app)
    if isinstance(found, NoModel):
        return found
    book = ledger(app)
    paid = Metered(found, book, budget(app), price(app), lambda: app.clock.now().date().isoformat())
    return Remembered(paid, Replies(app.folder), book) if remember else paid


def no_model(value: str) -> NoModel | None:
    """Why a value of `model` names none."""
    from holdfast.llm.open_model import unknown

    return unknown(value)


def open_bare(app: App) -> "Model | NoModel":
    """The model alone."""
    from holdfast.llm.open_model import open_model

    return open_model(app.settings, app.home, own_environment())


def ledger(app: App) -> "Ledger":
    """The user's ledger: a day's budget holds over all workspaces."""
    from holdfast.llm.cost_ledger import Ledger

    return Ledger(os.path.join(app.home, COSTS), app.clock.now, app.workspace_id)


def budget(app: App) -> "Budget":
    """The most that may be spent."""
    from holdfast.llm.metered_model import Budget

    names = ("session_tokens", "day_tokens", "session_cents", "day_cents")
    return Budget(**{name: int(app.settings[f"model_{name}"]) for name in names})


def price(app: App) -> "Price | None":
    """What the model's tokens cost, where that is known."""
    from holdfast.llm.prices import price_of

    return price_of(str(app.settings["model"]).partition(":")[2], str(app.settings["model_price"]).strip())


def own_environment() -> Mapping[str, str]:
    """The environment without the marks of a client around us: a client that we start is not inside that one."""
    marks = {name for names in MARKS.values() for name in names}
    return {name: value for name, value in environment().items() if name not in marks}
