"""The distiller that the settings name: by a model where one is set, by rules alone otherwise."""

from typing import TYPE_CHECKING

from holdfast.core.model_port import NoModel
from holdfast.core.value import Value
from holdfast.llm.app_model import open_paid_model
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.distil.model.model_distiller import ModelDistiller


class OpenedDistiller(Value):
    """The distiller by a model, or why there is none. `wanted` is false where the user set no model."""

    distiller: "ModelDistiller | None" = None
    reason: str = ""
    hint: str = ""
    wanted: bool = True


def open_distiller(app: App) -> OpenedDistiller:
    """The distiller that the settings name; without one, the rules are asked alone."""
    from holdfast.distil.model.model_distiller import ModelDistiller
    from holdfast.distil.rule_distiller import RuleDistiller

    found = open_paid_model(app, remember=True)
    if isinstance(found, NoModel):
        return OpenedDistiller(reason=found.reason, hint=found.hint, wanted=found.wanted)
    return OpenedDistiller(distiller=ModelDistiller(found, RuleDistiller(), int(app.settings["model_input_tokens"])))
