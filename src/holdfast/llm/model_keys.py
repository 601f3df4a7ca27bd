"""Where a model's key is. It never stands in a setting."""

import os
from collections.abc import Mapping, Sequence

from holdfast.core.value import Value

LARGEST = 1 << 16


class Key(Value):
    """A key and where it came from. `trouble` says why there is none."""

    value: str = ""
    place: str = ""
    trouble: str = ""

    def __repr__(self) -> str:
        return f"Key(place={self.place!r}, trouble={self.trouble!r})"


def find_key(said: str, home: str, environment: Mapping[str, str], usual: Sequence[str]) -> Key:
    """The key that a setting names (`env:NAME`, `file:PATH`), else the first of the vendor's usual variables."""
    if not said:
        name = next((name for name in usual if environment.get(name, "").strip()), "")
        return _fit(environment[name], f"${name}") if name else Key()
    place, _, rest = said.partition(":")
    if place == "env":
        return _fit(environment.get(rest, ""), f"${rest}")
    if place == "file":
        return _from_file(os.path.join(home, os.path.expanduser(rest)))
    return Key(trouble="`model_key` says where the key is (env:NAME or file:PATH), it does not hold it")


def _from_file(path: str) -> Key:
    try:
        # Without O_NONBLOCK, a FIFO would wait for ever.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return _fit(file.read(LARGEST).decode("utf-8", "replace"), path)
    except OSError as error:
        return Key(place=path, trouble=f"the key's file {path!r} cannot be read: {error.strerror}")


def _fit(found: str, place: str) -> Key:
    value = found.strip()
    if not value:
        return Key(place=place, trouble=f"there is no key in {place!r}")
    if not (value.isascii() and value.isprintable()) or " " in value:
        return Key(place=place, trouble=f"what stands in {place!r} holds characters that no key has")
    return Key(value=value, place=place)
