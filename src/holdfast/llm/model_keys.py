"""Where a model's key is. It never stands in a setting."""

import os
from collections.abc import Mapping, Sequence

from holdfast.core.value import Value

LARGEST = 1 << 16


class ModelKey(Value):
    """A key and where it came from. `problem` says why there is none."""

    value: str = ""
    place: str = ""
    problem: str = ""

    def __repr__(self) -> str:
        return f"Key(place={self.place!r}, problem={self.problem!r})"


def find_key(said: str, home: str, environment: Mapping[str, str], usual: Sequence[str]) -> ModelKey:
    """The key that a setting names (`env:NAME`, `file:PATH`), else the first of the vendor's usual variables."""
    if not said:
        name = next((name for name in usual if environment.get(name, "").strip()), "")
        return _check_key(environment[name], f"${name}") if name else ModelKey()
    place, _, rest = said.partition(":")
    if place == "env":
        return _check_key(environment.get(rest, ""), f"${rest}")
    if place == "file":
        return _read_key_file(os.path.join(home, os.path.expanduser(rest)))
    return ModelKey(problem="`model_key` says where the key is (env:NAME or file:PATH), it does not hold it")


def _read_key_file(path: str) -> ModelKey:
    try:
        # Without O_NONBLOCK, a FIFO would wait for ever.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return _check_key(file.read(LARGEST).decode("utf-8", "replace"), path)
    except OSError as error:
        return ModelKey(place=path, problem=f"the key's file {path!r} cannot be read: {error.strerror}")


def _check_key(found: str, place: str) -> ModelKey:
    value = found.strip()
    if not value:
        return ModelKey(place=place, problem=f"there is no key in {place!r}")
    if not (value.isascii() and value.isprintable()) or " " in value:
        return ModelKey(place=place, problem=f"what stands in {place!r} holds characters that no key has")
    return ModelKey(value=value, place=place)
