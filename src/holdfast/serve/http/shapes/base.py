"""What all shapes have in common: camelCase outside, nothing unknown taken."""

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Json = dict[str, Any]


class Shape(BaseModel):
    """An answer."""

    # In the contract every field of an answer is there, also one with a default.
    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )


class Body(Shape):
    """What a request carries: strict, since a wrong type is a wrong request."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=False, validate_by_alias=True, extra="forbid", strict=True
    )
