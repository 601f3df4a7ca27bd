"""Values: frozen, slotted, keyword-only, compared by what they hold.

A standard dataclass of that kind costs half a millisecond to define and its module seven to load (Python 3.11), every
time a command starts; some sixty of them were a third of a cold search. See docs/adr/0004.
"""

from typing import Any, Self, TypeVar, dataclass_transform

_NONE = object()
V = TypeVar("V", bound="Value")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _ValueClass(type):
    """Makes the annotated names of a class its fields: slots, filled once."""

    _fields: tuple[tuple[str, Any], ...]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> "_ValueClass":
        plain = super().__new__(cls, name, bases, dict(body)) if bases else None
        own = tuple(plain.__annotations__) if plain is not None and _has_annotations(body) else ()
        fields = tuple((field, body.pop(field, _NONE)) for field in own)
        made = super().__new__(cls, name, bases, {**body, "__slots__": own})
        inherited = tuple(field for base in bases for field in getattr(base, "_fields", ()))
        made._fields = inherited + fields
        return made


def _has_annotations(body: dict[str, Any]) -> bool:
    return bool(body.get("__annotations__") or body.get("__annotate_func__") or body.get("__annotate__"))


class Value(metaclass=_ValueClass):
    """The base of every value."""

    def __init__(self, /, **given: Any) -> None:
        put = object.__setattr__
        for name, default in type(self)._fields:
            found = given.pop(name, default)
            if found is _NONE:
                raise TypeError(f"{type(self).__name__} lacks {name!r}")
            put(self, name, found)
        if given:
            raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _field_values(self) == _field_values(other)

    def __hash__(self) -> int:
        return hash((type(self), _field_values(self)))

    def __repr__(self) -> str:
        held = ", ".join(f"{name}={getattr(self, name)!r}" for name, _ in type(self)._fields)
        return f"{type(self).__name__}({held})"

    def __replace__(self, /, **changes: Any) -> Self:
        return type(self)(**{**as_dict(self), **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), as_dict(self))


def replace(value: V, /, **changes: Any) -> V:
    """The value with some fields changed."""
    return value.__replace__(**changes)


def as_dict(value: Value) -> dict[str, Any]:
    """The fields of a value by name; values inside stay values."""
    return {name: getattr(value, name) for name, _ in type(value)._fields}


def names_of(kind: type[Value]) -> tuple[str, ...]:
    """The names of a kind's fields."""
    return tuple(name for name, _ in kind._fields)


def defaults_of(kind: type[Value]) -> dict[str, Any]:
    """What the fields of a kind are that are not given, by name."""
    return {name: default for name, default in kind._fields if default is not _NONE}


def _field_values(value: object) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name, _ in type(value)._fields)  # type: ignore[attr-defined]  # a Value


def _revive(kind: type[Value], fields: dict[str, Any]) -> Value:
    return kind(**fields)
