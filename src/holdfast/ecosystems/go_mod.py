"""go.mod, the manifest of Go modules."""

import re
from collections.abc import Iterator

from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import GO, list_packages

_MODULE = re.compile(r"^[\w.~-]+(?:/[\w.~+-]+)*$")
_OWN = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)
_MAJOR = re.compile(r"^v\d+$")


def read_go_mod(text: str) -> ManifestContents:
    """The modules that are required themselves, tools too, and those that are put in the place of others."""
    own = _OWN.search(text)
    parts = own[1].strip("\"'/").split("/") if own else [""]
    name = parts[-2] if len(parts) > 1 and _MAJOR.match(parts[-1]) else parts[-1]
    return ManifestContents(packages=list_packages(GO, _walk_modules(text)), name=name)


def _walk_modules(text: str) -> Iterator[tuple[str, int]]:
    block = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line, _, remark = raw.partition("//")
        words = line.split()
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        elif words:
            verb, said = (block, words) if block else (words[0], words[1:])
            yield _read_module(verb, said, remark), number


def _read_module(verb: str, said: list[str], remark: str) -> str:
    if verb == "replace" and "=>" in said:
        put = said[said.index("=>") + 1 :]
        found = put[0].strip('"`') if put else ""
        return found if not found.startswith(".") and _MODULE.match(found) else ""
    if verb not in {"require", "tool"} or not said or remark.strip().startswith("indirect"):
        return ""
    name = said[0].strip('"`')
    return name if _MODULE.match(name) else ""
