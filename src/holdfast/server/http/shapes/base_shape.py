"""What all shapes have in common: camelCase outside, nothing unknown taken."""

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from holdfast.server.http.shapes.examples import EXAMPLES

Json = dict[str, Any]


def _add_example(schema: Json, model: type[Any]) -> None:
    if found := EXAMPLES.get(model.__name__):
        schema["examples"] = [found]


class ApiView(BaseModel):
    """An answer."""

    # In the contract every field of an answer is there, also one with a default.
    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
        json_schema_extra=_add_example,
    )


class ApiBody(ApiView):
    """What a request carries: strict, since a wrong type is a wrong request."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=False, validate_by_alias=True, extra="forbid", strict=True
    )
