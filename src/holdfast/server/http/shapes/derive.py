"""Shapes that show a value as it is: its fields, in the types of JSON."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import GenericAlias, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import create_model

from holdfast.core.value import Value, defaults_of, names_of
from holdfast.server.http.shapes.base_shape import ApiView

PLAIN = frozenset((str, int, float, bool, type(None), Any))

S = TypeVar("S", bound=ApiView)


class ShapeUnknown(TypeError):
    """A field of a value that has no form in JSON of its own."""

    def __init__(self, hint: object) -> None:
        super().__init__(f"The shape must say itself how {hint} is shown.")


def mirrors(kind: type[Value], *, without: str = "") -> Callable[[type[S]], type[S]]:
    """Give a shape the fields of a value, but for one. What the shape names itself is as it says there."""

    def derive(shape: type[S]) -> type[S]:
        hints, defaults = get_type_hints(kind), defaults_of(kind)
        fields: dict[str, Any] = {
            name: (_find_json_type(hints[name]), _as_json(defaults[name]) if name in defaults else ...)
            for name in names_of(kind)
            if name != without and name not in shape.model_fields
        }
        return create_model(
            shape.__name__, __base__=shape, __module__=shape.__module__, __doc__=shape.__doc__, **fields
        )

    return derive


def _find_json_type(hint: Any) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple and parts[1:] == (...,):
        return GenericAlias(list, _find_json_type(parts[0]))
    if origin is Mapping:
        return GenericAlias(dict, (parts[0], _find_json_type(parts[1])))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Literal[tuple(str(each) for each in hint)]
    if hint in PLAIN or (origin is UnionType and PLAIN.issuperset(parts)):
        return hint
    raise ShapeUnknown(hint)


def _as_json(default: object) -> object:
    match default:
        case StrEnum():
            return str(default)
        case tuple():
            return list(default)
        case Mapping():
            return dict(default)
    return default
