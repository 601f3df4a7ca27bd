"""Shapes that are made of values."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest

from holdfast.core.value import Value
from holdfast.server.http.shapes.base_shape import ApiView
from holdfast.server.http.shapes.derive import ShapeUnknown, mirrors


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(Value):
    """Something that grows."""

    name: str
    colour: Colour = Colour.RED
    veins: tuple[int, ...] = ()
    size: float | None = None
    more: Mapping[str, Any] = {}
    secret: str = ""


@mirrors(Leaf, without="secret")
class LeafView(ApiView):
    """A leaf."""

    size: str = "?"
    how_old: int


def test_a_shape_has_the_fields_of_its_value_in_the_types_of_json() -> None:
    schema = LeafView.model_json_schema(mode="serialization")

    assert schema["title"] == "LeafView"
    assert schema["description"] == "A leaf."
    assert schema["properties"].keys() == {"size", "howOld", "name", "colour", "veins", "more"}
    assert schema["properties"]["colour"]["enum"] == ["red", "blue"]
    assert schema["properties"]["veins"]["items"] == {"type": "integer"}
    assert schema["properties"]["more"]["type"] == "object"


def test_what_the_shape_names_itself_is_as_it_says_and_defaults_are_the_values() -> None:
    made = LeafView.model_validate({"name": "oak", "how_old": 3, "colour": Colour.BLUE, "veins": (1, 2)})

    said = {"size": "?", "howOld": 3, "name": "oak", "colour": "blue", "veins": [1, 2], "more": {}}
    assert made.model_dump(mode="json", by_alias=True) == said
    assert LeafView.model_validate({"name": "oak", "how_old": 3}).model_dump()["colour"] == "red"


def test_a_value_within_a_value_must_be_named() -> None:
    class Tree(Value):
        leaves: tuple[Leaf, ...]

    class TreeView(ApiView):
        """A tree."""

    with pytest.raises(ShapeUnknown, match="Leaf"):
        mirrors(Tree)(TreeView)
