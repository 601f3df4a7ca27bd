"""The files of `integrations/`, wherever the package keeps them, made out for one user."""

import json
import os
from collections.abc import Mapping

from holdfast.core.errors import Unavailable

# How the sources spell the hook: as a shell would find it, and inside JSON, and in JavaScript.
_IN_SHELL = '"${HOLDFAST_HOME:-$HOME/.holdfast}/bin/hook"'
_IN_JSON = json.dumps(_IN_SHELL)[1:-1]
_IN_JAVASCRIPT = 'join(process.env.HOLDFAST_HOME || join(homedir(), ".holdfast"), "bin", "hook")'


class SourcesMissing(Unavailable):
    """The package was installed without the files that clients get."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"The files for clients are missing: {folder!r}.", "install holdfast again.")


def package_root() -> str:
    """The folder that `holdfast` is imported from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find_sources() -> str:
    """The folder of the sources: in the package, or beside it in a checkout."""
    inside = os.path.join(package_root(), "holdfast", "integrations")
    beside = os.path.join(os.path.dirname(package_root()), "integrations")
    for folder in (inside, beside):
        if os.path.isdir(folder):
            return folder
    raise SourcesMissing(inside)


def list_source_files(source: str) -> list[str]:
    """The files of a folder of the sources, by their paths below it."""
    top = os.path.join(find_sources(), source)
    found = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
    if not found:
        raise SourcesMissing(top)
    return sorted(os.path.relpath(path, top) for path in found)


def render_source(source: str, places: Mapping[str, str]) -> bytes:
    """A source with the path of the user's hook in it."""
    path = os.path.join(find_sources(), source)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise SourcesMissing(path) from None
    text = text.replace(_IN_JSON, json.dumps(places["command"], ensure_ascii=False)[1:-1])
    text = text.replace(_IN_SHELL, places["command"])
    return text.replace(_IN_JAVASCRIPT, json.dumps(places["hook"], ensure_ascii=False)).encode("utf-8")
